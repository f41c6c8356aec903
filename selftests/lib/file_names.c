// SPDX-License-Identifier: GPL-2.0
/*
 * Part of file_test: names of the kernel and of programs in a trace file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file/file_internal.h"
#include "symbolize/maps.h"
#include "symbolize/maps_track.h"
#include "selftests/lib/check.h"
#include "selftests/lib/file_names.h"

const char file_kallsyms[] =
	"ffffffff81000000 T _stext\n"
	"ffffffff81000100 T vfs_read\n"
	"ffffffff81000200 t helper\n"
	"ffffffffc0000000 t snd_open\t[snd]\n"
	"ffffffffc0000040 t snd_close\t[snd]\n"
	"ffffffffc0100000 t usb_open\t[usb_core]\n";

const char file_kallsyms_later[] =
	"ffffffff81000000 T _stext\n"
	"ffffffff81000100 T vfs_read\n"
	"ffffffff81000200 t helper\n"
	"ffffffffc0000000 t snd_open\t[snd]\n"
	"ffffffffc0000040 t snd_close\t[snd]\n"
	"ffffffffc0200000 t net_open\t[net]\n";

__u64 known_place;

static int take_place(const struct tap_elf_function *fn, void *arg)
{
	*(__u64 *)arg = fn->offset;
	return 0;
}

static struct tap_map *add_mapping(struct tap_maps *maps,
					  __u64 time, __u64 start,
					  struct tap_dso *dso)
{
	const struct tap_change change = {
		.time = time, .type = TAP_CHANGE_MMAP, .tgid = 1000,
		.start = start, .end = start + 0x100000, .dso = dso,
	};

	if (tap_maps_add(maps, &change))
		abort();
	tap_maps_apply(maps, time);
	return tap_maps_find(maps, 1000, time, start);
}

void write_programs(struct tap_file_writer *w)
{
	struct tap_maps maps = { .prune = 65536 };
	struct tap_file_id id = { .build_id_len = 20 };
	struct tap_dso *self, *gone, *jit;
	struct tap_map *map;
	char path[64], perf[64];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
	FILE *f;

	if (len < 0)
		abort();
	path[len] = '\0';
	snprintf(perf, sizeof(perf), "/tmp/perf-%d.map", getpid());
	f = fopen(perf, "w");
	if (!f || fprintf(f, "%llx 100 generated<x>\n", JIT_AT) < 0 || fclose(f))
		abort();
	self = tap_dso_get(&maps.dsos, path, &(struct tap_file_id){ 0 });
	gone = tap_dso_get(&maps.dsos, "/lib/gone", &id);
	jit = tap_dso_jit(&maps.dsos, (__u32)getpid());
	unlink(perf);
	if (!self || !gone || !jit)
		abort();
	tap_dso_open(&maps.dsos, self, 1, 0, 0);
	gone->tried = true;
	gone->replaced = true;
	map = add_mapping(&maps, 100, PROGRAM_AT, self);
	map->used = true;
	/* Consecutive addresses in a few functions. */
	if (!self->elf || tap_elf_match(self->elf, "main", take_place,
					&known_place, NULL))
		abort();
	for (len = 0; len < 20; len++)
		if (tap_dso_want(self, known_place + 64 * (__u64)len))
			abort();
	map = add_mapping(&maps, 200, JIT_AT, jit);
	map->offset = map->start;
	map->used = true;
	map = add_mapping(&maps, 2000, JIT_AT, gone);
	map->used = true;
	if (tap_dso_want(jit, JIT_AT + 0x10) || tap_dso_want(gone, 0x20) ||
	    tap_file_dsos(w, &maps))
		abort();
	for (len = 0; len < TAP_PROCESS_CHAINS; len++) {
		struct tap_process *process = maps.chains[len];

		if (process)
			free(process->list);
		free(process);
	}
	tap_dsos_free(&maps.dsos);
	free(maps.changes);
}

static char user_name[256];

int look_up_program(const struct tap_file_reader *file, __u64 time, __u64 addr)
{
	return tap_file_lookup_user(file, 1000, time, addr, user_name,
				    sizeof(user_name));
}

void test_programs(const char *path)
{
	struct tap_file_program program = { .size = sizeof(program) };
	struct tap_file_reader *file;
	unsigned int i, functions = 0, lines = 0, replaced = 0;

	if (tap_file_open(&file, path, NULL))
		abort();
	for (i = 0; !tap_file_program(file, i, &program); i++) {
		functions += program.functions;
		lines += program.lines;
		replaced += program.replaced && program.build_id_len == 20 &&
			    !strcmp(program.path, "/lib/gone");
	}
	ok(i == 3 && functions > 1 && lines && replaced == 1,
	   "the programs are reported");
	ok(!look_up_program(file, 500, PROGRAM_AT + known_place) &&
	   !strncmp(user_name, "main+0x0 [file] file_test.c:", 28),
	   "a function of a program, with its line number");
	ok(!look_up_program(file, 500, JIT_AT + 0x18) &&
	   !strncmp(user_name, "generated<x>+0x18 [perf-", 24),
	   "generated code");
	ok(!look_up_program(file, 2500, JIT_AT + 0x20) &&
	   !strcmp(user_name, "0x20 [gone, replaced]"),
	   "a later mapping at the same address");
	ok(look_up_program(file, 500, 0x1000) == -ENOENT &&
	   tap_file_lookup_user(file, 1001, 500, JIT_AT, user_name,
				sizeof(user_name)) == -ENOENT,
	   "an unknown address");
	tap_file_close(file);
}

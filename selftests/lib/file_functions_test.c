// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of trace files that have only those functions of the kernel that occur in records:
 * each address gets the same name as in a file with all of them. Built with sanitizers.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "selftests/lib/check.h"
#include "selftests/lib/fake_ring.h"

#include "selftests/lib/fake_symbols.h"
#include "spec/probe_table.h"
#include "session/reader.h"

#define EVENTS	48
#define ROUND	16

static char dir[] = "/tmp/tap-functions-test-XXXXXX";
static char full_path[64], part_path[64];
static __u64 seed = 1, addrs[EVENTS];

static unsigned int any(unsigned int below)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned int)(seed >> 33) % below;
}

/* Functions of the kernel with gaps, of modules, and of a program that the kernel generated. */
static char *random_kernel(bool later)
{
	static const char *const modules[] = { "first", "second", "bpf", "third" };
	__u64 addr = 0xffffffff81000000ULL;
	char *text = NULL;
	unsigned int i, m;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	for (i = 0; i < 40; i++, addr += 16 * any(40) + (any(12) ? 0 : 0x50000))
		fprintf(f, "%llx %c f%u%s\n", (unsigned long long)addr, any(9) ? 't' : 'T', i,
			any(8) ? "" : any(2) ? ".cold" : "_text_start");
	addr = 0xffffffffc0100000ULL;
	for (m = 0; m < 4; m++, addr += 0x1000 * any(90)) {
		for (i = 0; i < 1 + any(9); i++, addr += 16 * any(600))
			if (later || m < 3)
				fprintf(f, "%llx t %s_%u\t[%s]\n", (unsigned long long)addr,
					modules[m], i, modules[m]);
	}
	fclose(f);
	return text;
}

struct recording {
	struct tap_symbols *begin, *end;
	bool unloads;
};

/* Mostly near a function: at its start, in it, or far behind it. */
static __u64 random_addr(const struct recording *rec)
{
	const struct tap_symbols *syms = any(3) ? rec->begin : rec->end;
	static const unsigned int below[] = { 1, 2, 64, 0x3000, 0x60000 };

	if (!any(8))
		return any(2) ? any(100) : 0xffffffff80ffff00ULL + any(0x200);
	return syms->list[any((unsigned int)syms->nr)].addr + any(below[any(5)]);
}

static void copy_ring(struct tap_reader *r, struct tap_file_writer *w,
		      struct tap_usym_collect *collect)
{
	const void *data;
	size_t len;
	__u64 pos;

	while (!tap_reader_chunk(r, 0, &pos, &data, &len) && len)
		if (tap_file_data(w, 0, pos, data, len) ||
		    (collect && tap_usym_collect_data(collect, 0, pos, data, len)) ||
		    tap_reader_release(r, 0, len))
			abort();
	if (collect && tap_usym_collect_symbols(collect, w))
		abort();
}

/* @part: with the functions of the records only. */
static void write_file(const char *path, const struct recording *rec, bool part)
{
	const struct tap_field fields[] = { FIELD("a", SYMBOL, 0, 1) };
	struct tap_file_info info = { .size = sizeof(info), .nr_cpus = 1, .page_size = 4096 };
	struct tap_usym_collect *collect = NULL;
	struct tap_probes probes = { 0 };
	struct tap_file_writer *w;
	struct tap_error err;
	struct tap_reader *r;
	unsigned int i;
	struct fake f;

	fake_init(&f, 1, 4096, 0);
	fake_probe(&probes, 1, TAP_PROBE_KPROBE, "kprobe:vfs_read", 1, fields, 1);
	if (tap_reader_open_memory(&r, &f.meta, f.heads, f.tails, f.slots, NULL, NULL) ||
	    tap_file_create(&w, path, &err) ||
	    tap_file_begin(w, &info, &f.meta, &probes, part ? NULL : rec->begin, &err))
		abort();
	if (part && (tap_usym_collect_open(&collect, NULL, &probes, tap_reader_timebase(r)) ||
		     tap_usym_collect_kernel(collect, rec->begin)))
		abort();
	for (i = 0; i < EVENTS; i++) {
		fake_time = 1000 + 10 * i;
		if (!fake_write(&f, 0, 1, 1, i))
			abort();
		fake_record(&f, 0, (__u64)i * TAP_SLOT_SIZE)->value[0] = addrs[i];
		if (i % ROUND == ROUND - 1)
			copy_ring(r, w, collect);
		if (rec->unloads && i == EVENTS / 2 &&
		    (tap_file_module(w, "first", NULL, fake_time) ||
		     tap_file_module(w, "third", rec->end, fake_time + 1)))
			abort();
	}
	if (part ? tap_usym_collect_added(collect, w, rec->end) :
		   tap_file_symbols(w, rec->end, rec->begin))
		abort();
	if (tap_file_finish(w))
		abort();
	tap_usym_collect_close(collect);
	tap_reader_close(r);
	tap_probes_clear(&probes);
	fake_free(&f);
}

/* Whether the names of an address are the same in both files, at the last event read of each. */
static bool same_name(const struct tap_file_reader *a, const struct tap_file_reader *b, __u64 addr)
{
	char x[64] = "?", y[64] = "?";

	tap_file_lookup(a, addr, x, sizeof(x));
	tap_file_lookup(b, addr, y, sizeof(y));
	if (strcmp(x, y))
		printf("# %llx: %s and %s\n", (unsigned long long)addr, x, y);
	return !strcmp(x, y);
}

static unsigned int compare(void)
{
	struct tap_file_reader *full, *part;
	unsigned int i, events = 0, different = 0;
	struct tap_error err;
	struct tap_event ev;

	if (tap_file_open(&full, full_path, &err) || tap_file_open(&part, part_path, &err))
		abort();
	while (tap_file_next(full, &ev) && tap_file_next(part, &ev)) {
		events++;
		for (i = 0; i < EVENTS; i++)
			different += !same_name(full, part, addrs[i]) ||
				     !same_name(full, part, addrs[i] - 1);
	}
	tap_file_close(full);
	tap_file_close(part);
	return events == EVENTS ? different : 1000;
}

static void test_random(void)
{
	unsigned int round, i, different = 0;
	struct stat full, part;
	off_t saved = 0;

	for (round = 0; round < 300; round++) {
		__u64 begin_seed = seed;
		char *begin = random_kernel(false), *end;
		struct recording rec = { .unloads = round % 3 == 1 };

		/* With the same seed the end has what the start has, and a module more. */
		if (round % 2)
			seed = begin_seed;
		end = random_kernel(true);
		rec.begin = load_symbols(dir, begin);
		rec.end = load_symbols(dir, end);
		for (i = 0; i < EVENTS; i++)
			addrs[i] = i && !any(3) ? addrs[any(i)] : random_addr(&rec);
		write_file(full_path, &rec, false);
		write_file(part_path, &rec, true);
		different += compare();
		if (stat(full_path, &full) || stat(part_path, &part))
			abort();
		saved += full.st_size - part.st_size;
		tap_symbols_free(rec.begin);
		tap_symbols_free(rec.end);
		free(begin);
		free(end);
	}
	check(!different, "300 files with the functions of their records name as those with all: %u differ",
	      different);
	check(saved > 0, "and are shorter, by %ld bytes each", (long)(saved / 300));
}

/* A recording that was cut has the functions of the data before. */
static void test_cut(void)
{
	char *text = random_kernel(false);
	struct recording rec = { 0 };
	struct tap_file_reader *file;
	struct tap_error err;
	char name[64];
	struct stat st;
	unsigned int i, k, named = 0;

	rec.begin = rec.end = load_symbols(dir, text);
	for (i = 0; i < EVENTS; i++)
		addrs[i] = rec.begin->list[i % 30].addr + 3;
	write_file(part_path, &rec, true);
	if (stat(part_path, &st) || truncate(part_path, st.st_size - 24) ||
	    tap_file_open(&file, part_path, &err))
		abort();
	for (i = 0, k = 0; i < EVENTS; i++) {
		if (tap_symbols_lookup(rec.begin, addrs[i], name, sizeof(name)))
			continue;
		k++;
		named += !tap_file_lookup(file, addrs[i], name, sizeof(name));
	}
	check(k > 10 && named >= k, "a file that was cut has names: %u of %u", named, k);
	tap_file_close(file);
	tap_symbols_free(rec.begin);
	free(text);
}

static void test_none(void)
{
	const struct recording rec = {
		.begin = load_symbols(dir, "ffffffff81000000 T _stext\nffffffff81000100 T vfs_read\n"),
	};
	struct recording both = rec;
	struct stat st;
	unsigned int i;

	both.end = rec.begin;
	for (i = 0; i < EVENTS; i++)
		addrs[i] = i;
	write_file(part_path, &both, true);
	check(!stat(part_path, &st) && st.st_size < 4096 + 64 * EVENTS,
	      "without addresses of the kernel a file has no functions");
	tap_symbols_free(rec.begin);
}

int main(void)
{
	native_dir(dir);
	snprintf(full_path, sizeof(full_path), "%s/full", dir);
	snprintf(part_path, sizeof(part_path), "%s/part", dir);
	test_random();
	test_cut();
	test_none();
	unlink(full_path);
	unlink(part_path);
	rmdir(dir);
	return check_end();
}

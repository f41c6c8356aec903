// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of trace files with modules that were loaded and unloaded during the recording, some
 * at the same address. Built with sanitizers.
 */
#include <errno.h>
#include <unistd.h>

#include "selftests/lib/check.h"
#include "selftests/lib/fake_ring.h"

#include "selftests/lib/file_bytes.h"
#include "selftests/lib/fake_symbols.h"
#include "spec/probe_table.h"
#include "session/reader.h"

/* The modules at the start, and modules that are loaded later. */
#define KERNEL	"ffffffff81000000 T _stext\n"			\
		"ffffffff81000100 T vfs_read\n"			\
		"ffffffffc0400000 t stays\t[stays]\n"
#define FIRST	"ffffffffc0100000 t first_open\t[first]\n"	\
		"ffffffffc0100200 t first_close\t[first]\n"
#define SECOND	"ffffffffc0100080 t second_open\t[second]\n"	\
		"ffffffffc0102000 t second_close\t[second]\n"
#define AGAIN	"ffffffffc0200000 t first_open\t[first]\n"	\
		"ffffffffc0200200 t first_close\t[first]\n"
/* One in the page behind the other. */
#define LEFT	"ffffffffc0500fc0 t left_open\t[left]\n"
#define RIGHT	"ffffffffc0501000 t right_open\t[right]\n"
/* A module, what runs once in it, and one that gets that memory. */
#define BRIEF	"ffffffffc0600fc0 t brief_open\t[brief]\n"
#define INIT	"ffffffffc0601000 t brief_init\t[brief]\n"
#define AFTER	"ffffffffc0601000 t after_open\t[after]\n"

static char dir[] = "/tmp/tap-modules-test-XXXXXX";
static char path[64], part_path[64];

static void module_came(struct tap_file_writer *w, const char *name,
			const char *text, __u64 time)
{
	struct tap_symbols *syms = load_symbols(dir, text);

	if (tap_file_module(w, name, syms, time))
		abort();
	tap_symbols_free(syms);
}

static void module_went(struct tap_file_writer *w, const char *name, __u64 time)
{
	if (tap_file_module(w, name, NULL, time))
		abort();
}

/* An event at each of the times 1000, 1010, ... */
static void write_file(void)
{
	struct tap_symbols *begin = load_symbols(dir, KERNEL FIRST);
	struct tap_symbols *end = load_symbols(dir, KERNEL SECOND);
	const struct tap_field fields[] = { FIELD("a", U64, 0, 1) };
	struct tap_file_info info = { .size = sizeof(info), .nr_cpus = 1, .page_size = 4096 };
	struct tap_probes probes = { 0 };
	struct tap_file_writer *w;
	struct tap_error err;
	struct tap_reader *r;
	const void *data;
	unsigned int i;
	struct fake f;
	size_t len;
	__u64 pos;

	fake_init(&f, 1, 4096, 0);
	fake_probe(&probes, 1, TAP_PROBE_KPROBE, "kprobe:vfs_read", 1, fields, 1);
	if (tap_reader_open_memory(&r, &f.meta, f.heads, f.tails, f.slots, NULL,
				   NULL) ||
	    tap_file_create(&w, path, &err) ||
	    tap_file_begin(w, &info, &f.meta, &probes, begin, &err))
		abort();
	for (i = 0; i < 10; i++) {
		fake_time = 1000 + 10 * i;
		if (!fake_write(&f, 0, 1, 1, i))
			abort();
	}
	while (!tap_reader_chunk(r, 0, &pos, &data, &len) && len)
		if (tap_file_data(w, 0, pos, data, len) ||
		    tap_reader_release(r, 0, len))
			abort();
	module_went(w, "first", 1025);
	module_came(w, "second", KERNEL SECOND, 1028);
	/* Reloaded at another address: its unload is not reported, its load is. */
	module_came(w, "first", KERNEL SECOND AGAIN, 1045);
	module_came(w, "first", KERNEL SECOND, 1065);
	module_came(w, "left", KERNEL LEFT, 1066);
	module_came(w, "right", KERNEL RIGHT, 1067);
	module_came(w, "brief", KERNEL BRIEF INIT, 1068);
	module_came(w, "brief", KERNEL BRIEF, 1068);
	module_came(w, "after", KERNEL AFTER, 1075);
	module_went(w, "second", 1085);
	module_went(w, "never_there", 1086);
	if (tap_file_symbols(w, end, begin) || tap_file_finish(w))
		abort();
	tap_reader_close(r);
	tap_symbols_free(begin);
	tap_symbols_free(end);
	tap_probes_clear(&probes);
	fake_free(&f);
}

/* The names of an address over time: equal consecutive names are merged. */
struct names {
	char last[64];
	char all[512];
};

static void name_add(struct names *names, const struct tap_file_reader *file, __u64 addr,
		     __u64 time)
{
	char name[64];

	if (tap_file_lookup(file, addr, name, sizeof(name)))
		strcpy(name, "?");
	if (strcmp(name, names->last))
		sprintf(names->all + strlen(names->all), "%s%llu:%s", *names->all ? " " : "",
			(unsigned long long)time, name);
	strcpy(names->last, name);
}

/* The names of an address at all events: when each is read, and when all were read. */
static bool names(__u64 addr, const char *want)
{
	struct names now = { 0 }, later = { 0 };
	struct tap_file_reader *file;
	__u64 times[16];
	struct tap_error err;
	struct tap_event ev;
	size_t nr = 0, i;

	if (tap_file_open(&file, path, &err))
		abort();
	for (; tap_file_next(file, &ev) && nr < ARRAY_SIZE(times); nr++) {
		name_add(&now, file, addr, ev.time);
		times[nr] = ev.time;
	}
	for (i = 0; i < nr; i++) {
		tap_file_names_at(file, times[i]);
		name_add(&later, file, addr, times[i]);
	}
	tap_file_close(file);
	return same(now.all, want) && same(later.all, want);
}

/* Any content of a file is read within its bounds. */
static void damage(void)
{
	struct tap_file_reader *file;
	struct tap_error err;
	struct tap_event ev;
	size_t len, i, from;
	unsigned int bit;
	char name[64];
	char *data = load(path, &len);

	part_fd = open(part_path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (part_fd < 0)
		abort();
	from = find_part(data, len, TAP_CHUNK_MODULE);
	for (i = from; i < len; i++) {
		for (bit = 0; bit < 8; bit += 7) {
			data[i] ^= 1 << bit;
			store(data, len);
			data[i] ^= 1 << bit;
			if (tap_file_open(&file, part_path, &err))
				continue;
			while (tap_file_next(file, &ev)) {
				tap_file_lookup(file, 0xffffffffc0100084, name,
						sizeof(name));
				tap_file_lookup(file, 0xffffffffc0200204, name,
						sizeof(name));
			}
			tap_file_close(file);
		}
	}
	ok(i == len, "a damaged file is read within its bounds");
	free(data);
}

/* The file with source lines in front of its other parts. */
static char *load_with_lines(size_t *len)
{
	static const char text[] = "+0x4 [stays] stays.c:7";
	const struct tap_file_kernel_line line = {
		.addr = 0xffffffffc0400004, .text_len = sizeof(text) - 1,
	};
	const __u64 nr = 1;
	const struct tap_file_chunk chunk = {
		.type = TAP_CHUNK_KERNEL_LINES, .length = sizeof(nr) + sizeof(line) + sizeof(text) - 1,
	};
	size_t head = sizeof(struct tap_file_header), more;
	char *data = load(path, len), *with;

	more = sizeof(chunk) + ((chunk.length + 7) & ~7ULL);
	with = calloc(1, *len + more);
	if (!with)
		abort();
	memcpy(with, data, head);
	memcpy(with + head, &chunk, sizeof(chunk));
	memcpy(with + head + sizeof(chunk), &nr, sizeof(nr));
	memcpy(with + head + sizeof(chunk) + sizeof(nr), &line, sizeof(line));
	memcpy(with + head + sizeof(chunk) + sizeof(nr) + sizeof(line), text, sizeof(text) - 1);
	memcpy(with + head + more, data + head, *len - head);
	*len += more;
	free(data);
	return with;
}

/* The file is changed while it is open: what was checked is not read once more. */
static void changed(void)
{
	static const char name[] = "\5stays", want[] = "stays+0x4 [stays] stays.c:7";
	struct tap_file_reader *file;
	char buf[300], *data, *at;
	const __u64 many = 1ULL << 58;
	size_t len, left;
	bool same;

	data = load_with_lines(&len);
	store(data, len);
	if (tap_file_open(&file, part_path, NULL))
		abort();
	ok(!tap_file_lookup(file, 0xffffffffc0400004, buf, sizeof(buf)) && !strcmp(buf, want),
	   "an address of a module with its source line");
	memcpy(data + find_part(data, len, TAP_CHUNK_KERNEL_LINES), &many, sizeof(many));
	for (at = data; (left = len - (size_t)(at - data)) &&
	     (at = memmem(at, left, name, sizeof(name) - 1)); at++)
		*at = '\377';
	if (pwrite(part_fd, data, len, 0) != (ssize_t)len)
		abort();
	same = !tap_file_lookup(file, 0xffffffffc0400004, buf, sizeof(buf)) && !strcmp(buf, want);
	ok(same, "the same after the lengths in the file have changed");
	if (!same)
		printf("# got %s\n", buf);
	tap_file_close(file);
	free(data);
}

int main(void)
{
	if (!mkdtemp(dir))
		abort();
	snprintf(path, sizeof(path), "%s/whole", dir);
	snprintf(part_path, sizeof(part_path), "%s/part", dir);
	write_file();
	ok(names(0xffffffff81000104, "1000:vfs_read+0x4"),
	   "names of vmlinux are the same at all times");
	ok(names(0xffffffffc0400004, "1000:stays+0x4 [stays]"),
	   "names of a module that stays loaded are the same at all times");
	ok(names(0xffffffffc0100084,
		 "1000:first_open+0x84 [first] 1030:second_open+0x4 [second] 1090:?"),
	   "two modules at one address: the time selects the name");
	ok(names(0xffffffffc0100204,
		 "1000:first_close+0x4 [first] 1030:second_open+0x184 [second] 1090:?"),
	   "two modules at one address: each is named by its own functions");
	ok(names(0xffffffffc0102004, "1000:second_close+0x4 [second] 1090:?"),
	   "a loaded module is named from before its load was reported");
	ok(names(0xffffffffc0200204, "1000:first_close+0x4 [first] 1070:?"),
	   "a reloaded module is named at its new address");
	ok(names(0xffffffffc0200204 + 0x2000, "1000:?"),
	   "an address far after a module is not in it");
	ok(names(0xffffffffc0500fc4, "1000:left_open+0x4 [left]") &&
	   names(0xffffffffc0501004, "1000:right_open+0x4 [right]"),
	   "of two modules side by side each has its own names");
	ok(names(0xffffffffc0600fc4, "1000:brief_open+0x4 [brief]") &&
	   names(0xffffffffc0601004, "1000:brief_init+0x4 [brief] 1070:after_open+0x4 [after]"),
	   "an init section has its names until the module was reported");
	damage();
	changed();
	close(part_fd);
	unlink(path);
	unlink(part_path);
	rmdir(dir);
	return check_end();
}

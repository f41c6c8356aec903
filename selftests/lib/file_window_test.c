// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of trace files with windows of a flight recorder: written and read back, truncated at
 * every byte, damaged. Built with sanitizers.
 */
#include <errno.h>
#include <unistd.h>

#include "selftests/lib/check.h"
#include "selftests/lib/fake_ring.h"

#include "selftests/lib/file_bytes.h"
#include "spec/probe_table.h"
#include "session/reader.h"

#define EVENTS	5	/* of a window */

static char path[] = "/tmp/tap-windows-test-XXXXXX";
static char part_path[64];

static void write_events(struct fake *f, struct tap_reader *r, struct tap_file_writer *w,
			 __u64 time)
{
	const void *data;
	unsigned int i;
	size_t len;
	__u64 pos;

	for (i = 0; i < EVENTS; i++) {
		fake_time = time + i;
		if (!fake_write(f, 0, 1, 1, i))
			abort();
	}
	while (!tap_reader_chunk(r, 0, &pos, &data, &len) && len)
		if (tap_file_data(w, 0, pos, data, len) || tap_reader_release(r, 0, len))
			abort();
}

/* Three windows; the second one has no events. */
static void write_file(void)
{
	struct tap_window_info info = {
		.size = sizeof(info), .time = 1003, .from = 1000, .to = 1004, .events = EVENTS,
		.merged = 2, .missed = 1, .probe = 1, .cpu = 3, .flags = TAP_WINDOW_INFO_F_SHORT,
	};
	struct tap_flight_counts counts = {
		.size = sizeof(counts), .windows = 3, .merged = 2, .missed = 1, .skipped = 7,
	};
	struct tap_file_info about = { .size = sizeof(about), .nr_cpus = 1, .page_size = 4096 };
	const struct tap_field fields[] = { FIELD("a", U64, 0, 1) };
	struct tap_probes probes = { 0 };
	struct tap_file_writer *w;
	struct tap_error err;
	struct tap_reader *r;
	struct fake f;

	fake_init(&f, 1, 4096, 0);
	fake_probe(&probes, 1, TAP_PROBE_KPROBE, "kprobe:vfs_read", 1, fields, 1);
	if (tap_reader_open_memory(&r, &f.meta, f.heads, f.tails, f.slots, NULL, NULL) ||
	    tap_file_create(&w, path, &err) ||
	    tap_file_begin(w, &about, &f.meta, &probes, NULL, &err) || tap_file_window(w, &info))
		abort();
	write_events(&f, r, w, 1000);
	info = (struct tap_window_info) {
		.size = sizeof(info), .time = 1500, .from = 1400, .to = 1500,
	};
	if (tap_file_window(w, &info))
		abort();
	info = (struct tap_window_info) {
		.size = sizeof(info), .time = 2004, .from = 1999, .to = 2004, .events = EVENTS,
	};
	if (tap_file_window(w, &info))
		abort();
	write_events(&f, r, w, 2000);
	if (tap_file_flight(w, &counts) || tap_file_finish(w))
		abort();
	tap_reader_close(r);
	tap_probes_clear(&probes);
	fake_free(&f);
}

static void test_read(void)
{
	const struct tap_flight_counts *counts;
	const struct tap_window_info *info;
	unsigned int of[4] = { 0 };
	struct tap_file_reader *f;
	struct tap_error err;
	struct tap_event ev;

	if (tap_file_open(&f, path, &err)) {
		check(false, "%s", err.text);
		return;
	}
	info = tap_file_get_window(f, 1);
	check(info && info->time == 1003 && info->from == 1000 && info->to == 1004 &&
	      info->events == EVENTS && info->merged == 2 && info->missed == 1 &&
	      info->probe == 1 && info->cpu == 3 && info->flags == TAP_WINDOW_INFO_F_SHORT,
	      "a window has what was written");
	info = tap_file_get_window(f, 3);
	check(info && !info->probe && !info->flags, "one that was taken by hand has no probe");
	check(!tap_file_get_window(f, 0) && !tap_file_get_window(f, 4), "there are three windows");
	check(!tap_file_event_window(f), "before the first event there is no window");
	while (tap_file_next(f, &ev))
		if (tap_file_event_window(f) < 4)
			of[tap_file_event_window(f)]++;
	check(!of[0] && of[1] == EVENTS && !of[2] && of[3] == EVENTS,
	      "each event is in its window: %u, %u, %u, %u", of[0], of[1], of[2], of[3]);
	check(!tap_file_event_window(f), "behind the last event there is no window");
	counts = tap_file_get_flight(f);
	check(counts && counts->windows == 3 && counts->merged == 2 && counts->missed == 1 &&
	      counts->skipped == 7, "the counts are those written");
	check(!tap_file_cut(f), "the file is whole");
	tap_file_close(f);
}

/* Opens what is in part_path, and reads it; returns the number of windows, -1 if it is refused. */
static int read_part(bool *cut)
{
	struct tap_file_reader *f;
	struct tap_error err;
	struct tap_event ev;
	int nr = 0;

	*cut = true;
	if (tap_file_open(&f, part_path, &err))
		return -1;
	while (tap_file_next(f, &ev))
		if (tap_file_event_window(f) > 3)
			abort();
	while (tap_file_get_window(f, (size_t)nr + 1))
		nr++;
	*cut = tap_file_cut(f) && *tap_file_cut(f);
	tap_file_close(f);
	return nr;
}

static void test_truncated(const char *data, size_t len)
{
	unsigned int wrong = 0;
	int nr, last = -1;
	size_t i;
	bool cut;

	for (i = 0; i < len; i++) {
		store_raw(data, i);
		nr = read_part(&cut);
		wrong += nr < last || !cut;
		last = nr;
	}
	check(!wrong && last == 3, "a truncated file has the windows before: %u of %zu are wrong",
	      wrong, len);
}

/* Sets a word of a chunk, with a right checksum. */
static void expect_damaged(char *data, size_t len, size_t at, __u64 value, size_t size,
			   const char *what)
{
	__u64 old = 0;
	bool cut;
	int nr;

	memcpy(&old, data + at, size);
	memcpy(data + at, &value, size);
	store(data, len);
	nr = read_part(&cut);
	check(cut && nr < 3, "%s is refused", what);
	memcpy(data + at, &old, size);
}

int main(void)
{
	size_t len, at, end;
	char *data;
	int fd;
	bool cut;

	fd = mkstemp(path);
	if (fd < 0)
		return 1;
	close(fd);
	write_file();
	test_read();
	data = load(path, &len);
	snprintf(part_path, sizeof(part_path), "%s.part", path);
	part_fd = open(part_path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	test_truncated(data, len);
	at = find_part(data, len, TAP_CHUNK_WINDOW);
	expect_damaged(data, len, at + offsetof(struct tap_file_window, to), 999, 8,
		       "a window that ends before it begins");
	expect_damaged(data, len, at + offsetof(struct tap_file_window, probe), 2, 4,
		       "a probe that does not exist");
	expect_damaged(data, len, at + offsetof(struct tap_file_window, flags), 2, 4,
		       "an unknown flag");
	data[at] ^= 1;
	store_raw(data, len);
	check(!read_part(&cut) && cut, "a window with a wrong checksum is refused");
	data[at] ^= 1;
	end = find_part(data, len, TAP_CHUNK_FLIGHT);
	data[end] ^= 1;
	store(data, len);
	check(read_part(&cut) == 3 && cut, "counts of another number of windows are refused");
	free(data);
	close(part_fd);
	unlink(part_path);
	unlink(path);
	return check_end();
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the cost of reading, on this machine and without a kernel: the rings are in memory, and
 * were written by the module's algorithm. Prints a table, or JSON lines with --json, and fails if a
 * rate is below its goal.
 *	tap_read [--json]
 *	tap_read --ctf DIRECTORY FILE: converts a trace file, see ctf.h
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "selftests/bench/ctf.h"
#include "spec/probe_table.h"
#include "session/reader.h"

#define CPUS		4
/* All rings together do not fit any cache: the reader never finds a slot in the cache. */
#define RING_BYTES	(32ULL << 20)
#define RECORDS		(RING_BYTES / TAP_SLOT_SIZE)
#define TRIES		15
/* One pass over the rings takes milliseconds: of this many tries some are not disturbed. */
#define READ_TRIES	101
#define BATCH		128
/* At most this many records of other CPUs come between two records of one CPU. */
#define RUN_MAX		8
/*
 * Goals are shares of the rate at which memcpy() copies slots of 64 bytes in the same run: a busy
 * host slows both. They stand for 100 and 5 million records a second on the machine of 2026-11-23,
 * which copies 182 to 255 million: 100 / 182 = 0.549 and 5 / 182 = 0.0275, both rounded up. Merging
 * compares times and jumps, and gains nothing where memory is fast: its goal is 100 / 255, rounded
 * down.
 */
#define READ_GOAL	0.55
#define MERGED_GOAL	0.39
#define TEXT_GOAL	0.028
/* A window is found and copied at half of the rate of copying. */
#define WINDOW_GOAL	0.5

static struct fake rings;
static struct tap_probes probes;
static struct tap_timebase timebase;
static char *copy;
static unsigned int cpus;
static __u64 written, file_bytes;
static int nowhere;
static bool under, json;

static double cpu_seconds(void)
{
	struct rusage use;

	getrusage(RUSAGE_SELF, &use);
	return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
	       1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

static __u64 whatever(void *arg)
{
	(void)arg;
	return 0;
}

static unsigned int draw(void)
{
	static __u32 state = 1;

	state = state * 1664525 + 1013904223;
	return state >> 16;
}

/* Fills the rings with records of the probe, in runs of random CPUs, until a ring is full. */
static void fill(unsigned int nr_cpus, unsigned int probe)
{
	unsigned int slots = tap_probes_find(&probes, probe)->slots;
	unsigned int cpu = 0, run = 0;

	cpus = nr_cpus;
	written = 0;
	fake_init(&rings, cpus, RING_BYTES / cpus, 1ULL << 20);
	rings.meta.clock = TAP_CLOCK_TSC;
	rings.meta.clock_shift = 24;
	rings.meta.clock_mult = 8388608;
	fake_time = 1ULL << 40;
	for (;;) {
		struct tap_record *rec;
		__u64 pos;

		if (!run--) {
			cpu = draw() % cpus;
			run = draw() % RUN_MAX;
		}
		fake_time += 500 + draw() % 1000;
		pos = rings.heads[cpu]->head;
		if (!fake_write(&rings, cpu, probe, slots, (unsigned int)written))
			break;
		rec = fake_record(&rings, cpu, pos);
		/* The name of a task, and numbers of some digits. */
		memcpy(&rec->value[0], "postgres\0\0\0\0\0\0\0\0", 16);
		rec->value[2] = draw();
		rec->value[3] = 0xffff888100000000ULL + draw() * 64ULL;
		written++;
	}
	tap_timebase_init(&timebase, &rings.meta);
}

static void drop(void)
{
	fake_free(&rings);
}

static struct tap_reader *open_reader(void)
{
	struct tap_reader *r;
	unsigned int cpu;

	for (cpu = 0; cpu < cpus; cpu++)
		rings.tail[cpu].tail = 1ULL << 20;
	if (tap_reader_open_memory(&r, &rings.meta, rings.heads, rings.tails,
				   rings.slots, whatever, NULL))
		abort();
	tap_reader_drain(r, true);
	return r;
}

/* Each of these functions returns the number of records it saw. */
static __u64 copy_records(void)
{
	__u64 n = 0;
	unsigned int cpu;

	for (cpu = 0; cpu < cpus; cpu++) {
		const char *from = rings.slots[cpu];
		__u64 at;

		for (at = 0; at < RING_BYTES / cpus; at += TAP_SLOT_SIZE, n++)
			memcpy(copy + n * TAP_SLOT_SIZE, from + at, TAP_SLOT_SIZE);
	}
	return n;
}

static __u64 sum;

/* Counts events of one probe whose argument exceeds a limit. */
static __u64 count_events(void)
{
	struct tap_reader *r = open_reader();
	struct tap_event ev[BATCH];
	unsigned int i, nr;
	__u64 n = 0;

	do {
		for (nr = tap_reader_events(r, ev, BATCH), i = 0; i < nr; i++)
			if (!tap_decode(&probes, &ev[i]) && ev[i].probe &&
			    tap_event_word(&ev[i], 2) > 4096)
				sum++;
		n += nr;
	} while (nr || tap_reader_held(r));
	tap_reader_close(r);
	return n;
}

/* Finds the window that has all records, and copies it. */
static __u64 copy_window(void)
{
	struct tap_reader_counts counts = { .size = sizeof(counts) };
	struct tap_reader *r = open_reader();
	size_t len, moved, at = 0;
	unsigned int cpu;
	const void *data;
	bool whole;
	__u64 pos;

	if (tap_reader_window(r, 0, UINT64_MAX - 1, &whole) || !whole)
		abort();
	do {
		for (moved = 0, cpu = 0; cpu < cpus; cpu++) {
			if (tap_reader_chunk(r, cpu, &pos, &data, &len))
				abort();
			memcpy(copy + at, data, len);
			at += len;
			moved += len;
			if (tap_reader_release(r, cpu, len))
				abort();
		}
	} while (moved);
	tap_reader_counts(r, &counts);
	tap_reader_close(r);
	return at / TAP_SLOT_SIZE == counts.events ? counts.events : 0;
}

static __u64 print_events(bool as_json)
{
	struct tap_formatter_opts opts = {
		.size = sizeof(opts), .fd = nowhere, .json = as_json,
		.timebase = &timebase, .probes = &probes,
	};
	struct tap_reader *r = open_reader();
	struct tap_formatter *fmt;
	struct tap_event ev[BATCH];
	unsigned int i, nr;
	__u64 n = 0;

	if (tap_formatter_open(&fmt, &opts))
		abort();
	do {
		for (nr = tap_reader_events(r, ev, BATCH), i = 0; i < nr; i++)
			if (tap_decode(&probes, &ev[i]) ||
			    tap_formatter_event(fmt, &ev[i]))
				abort();
		n += nr;
	} while (nr || tap_reader_held(r));
	if (tap_formatter_flush(fmt))
		abort();
	tap_formatter_close(fmt);
	tap_reader_close(r);
	return n;
}

static __u64 print_text(void)
{
	return print_events(false);
}

static __u64 print_json(void)
{
	return print_events(true);
}

/*
 * Writes all records to a file, as tap record does. The file has no name, so that it is removed at
 * exit.
 */
static __u64 record(bool packed)
{
	struct tap_reader *r = open_reader();
	struct tap_reader_counts counts = { .size = sizeof(counts) };
	struct tap_file_writer *w;
	struct tap_file_info info = { .size = sizeof(info), .nr_cpus = cpus };
	struct tap_error err;
	unsigned int cpu;
	const void *data;
	size_t len, moved;
	__u64 pos;

	if (tap_file_create(&w, "/tmp/tap-read.tap", &err) ||
	    (packed && tap_file_compress(w)) ||
	    tap_file_begin(w, &info, &rings.meta, &probes, NULL, &err))
		abort();
	do {
		for (moved = 0, cpu = 0; cpu < cpus; cpu++) {
			if (tap_reader_chunk(r, cpu, &pos, &data, &len) ||
			    tap_file_data(w, cpu, pos, data, len) ||
			    tap_reader_release(r, cpu, len))
				abort();
			moved += len;
		}
	} while (moved);
	file_bytes = tap_file_bytes(w);
	tap_file_abort(w);
	tap_reader_counts(r, &counts);
	tap_reader_close(r);
	return counts.events;
}

static __u64 record_plain(void)
{
	return record(false);
}

static __u64 record_packed(void)
{
	return record(true);
}

/* Runs once; returns records a second. */
static double once(__u64 (*way)(void), __u64 expected)
{
	double begin = cpu_seconds(), took;
	__u64 n = way();

	took = cpu_seconds() - begin;
	if (n != expected) {
		printf("%llu records seen, %llu were written\n",
		       (unsigned long long)n, (unsigned long long)expected);
		exit(2);
	}
	return (double)n / took;
}

/* Prints a rate, and its share of the rate of copying if there is a goal. */
static void row(const char *name, double rate, double share, double goal)
{
	bool met = share >= goal;

	under |= !met;
	if (json)
		printf("{\"operation\":\"%s\",\"rate\":%.0f", name, rate);
	else
		printf("%-44s %8.1f M/s", name, rate / 1e6);
	if (goal && json)
		printf(",\"of_copying\":%.4f,\"goal\":%.4f,\"met\":%s",
		       share, goal, met ? "true" : "false");
	else if (goal)
		printf("   %.3f of copying, goal %.3f%s", share, goal,
		       met ? "" : "  UNDER");
	puts(json ? "}" : "");
}

/* Measures the best of some tries. */
static void measure(const char *name, __u64 (*way)(void))
{
	double best = 0, got;
	int i;

	for (i = 0; i < TRIES; i++) {
		got = once(way, written);
		best = got > best ? got : best;
	}
	row(name, best, 0, 0);
}

static int compare_shares(const void *x, const void *y)
{
	const double *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

/*
 * Measures a rate as a share of that of copying. Each try follows a copy, since other load of the
 * machine slows both. Takes the median of the tries, since load does not always slow both. Returns
 * the best rate of copying.
 */
static double measure_share(const char *name, __u64 (*way)(void),
			    unsigned int tries, double goal)
{
	double best = 0, copied = 0, shares[READ_TRIES], copy_rate, got;
	unsigned int i;

	for (i = 0; i < tries; i++) {
		copy_rate = once(copy_records, RECORDS);
		got = once(way, written);
		copied = copy_rate > copied ? copy_rate : copied;
		best = got > best ? got : best;
		shares[i] = got / copy_rate;
	}
	qsort(shares, tries, sizeof(*shares), compare_shares);
	row(name, best, shares[tries / 2], goal);
	return copied;
}

static void measure_read(const char *name, double goal)
{
	double copied = measure_share(name, count_events, READ_TRIES, goal);
	char text[64];

	snprintf(text, sizeof(text), "copied, 64 bytes each, %u CPU%s", cpus,
		 cpus > 1 ? "s" : "");
	row(text, copied, 0, 0);
}

static void measure_text(const char *name)
{
	measure_share(name, print_text, TRIES, TEXT_GOAL);
}

static void make_probes(void)
{
	static const struct tap_field one[] = {
		FIELD("comm", COMM, 0, 2, .flags = TAP_FIELD_F_HIDDEN),
		FIELD("count", U64, 2, 1), FIELD("file", X64, 3, 1),
	};
	static const struct tap_field six[] = {
		FIELD("comm", COMM, 0, 2, .flags = TAP_FIELD_F_HIDDEN),
		FIELD("count", U64, 2, 1), FIELD("file", X64, 3, 1),
		FIELD("dev", U32, 4, 1), FIELD("sector", U64, 5, 1),
		FIELD("bytes", U32, 6, 1), FIELD("error", S32, 7, 1),
	};

	fake_probe(&probes, 1, TAP_PROBE_KPROBE, "kprobe:vfs_write", 4, one, 3);
	fake_probe(&probes, 2, TAP_PROBE_KPROBE, "kprobe:blk_done", 8, six, 7);
}

int main(int argc, char **argv)
{
	__u64 plain_bytes;

	if (argc == 4 && !strcmp(argv[1], "--ctf"))
		return ctf_write(argv[2], argv[3]);
	json = argc > 1 && !strcmp(argv[1], "--json");
	nowhere = open("/dev/null", O_WRONLY);
	copy = malloc(RING_BYTES);
	if (nowhere < 0 || !copy)
		return 2;
	memset(copy, 1, RING_BYTES);
	make_probes();

	fill(1, 1);
	measure_read("read, 1 CPU", READ_GOAL);
	measure_share("a window is found and copied, 1 CPU", copy_window, READ_TRIES, WINDOW_GOAL);
	drop();
	fill(CPUS, 1);
	measure_read("read, 4 CPUs, merged", MERGED_GOAL);
	measure_text("text, 4 CPUs, 2 fields");
	drop();
	fill(CPUS, 2);
	measure_text("text, 4 CPUs, 6 fields");
	measure("JSON, 4 CPUs, 6 fields", print_json);
	measure("to a file, 4 CPUs, 6 fields", record_plain);
	plain_bytes = file_bytes;
	measure("to a file, compressed", record_packed);
	if (!json)
		printf("compressed to %.0f%%\n", 100 * (double)file_bytes /
						 (double)plain_bytes);
	drop();
	return under;
}

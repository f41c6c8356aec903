// SPDX-License-Identifier: GPL-2.0
/*
 * What a hit costs, in instructions, net of the same loop without a probe; runs
 * in the lab under --icount. Prints one table and fails over its goals.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/tap.h>

#include "../modules/tap_bench.h"

#define RUNS		7
#define RING_BYTES	(1UL << 20)
#define FUNCTION	"tap_bench_function"

static int bench_fd;

/**
 * struct row - a line of the table
 * @name: what is measured
 * @loop: enum tap_bench_loop
 * @base: the loop that is subtracted
 * @type: enum tap_probe_type, or 0: no probe
 * @target: of the probe; without one: the file that turns ftrace on, or NULL
 * @op: code of its fetches
 * @nr: how many
 * @comm: and one of the task's name, as every probe of the tool has
 * @test: in front of them, as -c gives every probe: that the process descends
 *	from another, which it does
 * @goal: most instructions, from docs/performance.md; 0: none
 */
struct row {
	const char *name;
	int loop;
	int base;
	__u32 type;
	const char *target;
	__u8 op;
	__u32 nr;
	int comm;
	int test;
	double goal;
};

#define CALL(_name, _type, _op, _nr, _comm, _test, _goal)		\
	{ _name, TAP_BENCH_CALL, TAP_BENCH_CALL, _type, FUNCTION, _op, _nr,	\
	  _comm, _test, _goal }
#define TRACEPOINT(_name, _nr, _comm, _test, _goal)			\
	{ _name, TAP_BENCH_TRACEPOINT, TAP_BENCH_TRACEPOINT,		\
	  TAP_PROBE_RAWTP, "tap_bench", TAP_OP_ARG, _nr, _comm, _test, _goal }
#define EVENT(_name, _nr, _comm)						\
	{ _name, TAP_BENCH_TRACEPOINT, TAP_BENCH_TRACEPOINT,		\
	  TAP_PROBE_TRACEPOINT, "tap_bench:tap_bench", TAP_OP_FIELD, _nr,	\
	  _comm, 0, 0 }

static const struct row rows[] = {
	{ "record write, 4 values", TAP_BENCH_RECORD, TAP_BENCH_NOTHING,
	  0, NULL, 0, 0, 0, 0, 30 },
	TRACEPOINT("raw tracepoint, 0 arguments", 0, 0, 0, 65),
	TRACEPOINT("raw tracepoint, 2 arguments", 2, 0, 0, 65),
	TRACEPOINT("raw tracepoint, 4 arguments", 4, 0, 0, 65),
	TRACEPOINT("raw tracepoint, 2 arguments, comm", 2, 1, 0, 0),
	TRACEPOINT("raw tracepoint, 2 arguments, comm, -c", 2, 1, 1, 0),
	EVENT("tracepoint, 0 fields", 0, 0),
	EVENT("tracepoint, 2 fields", 2, 0),
	EVENT("tracepoint, 4 fields", 4, 0),
	EVENT("tracepoint, 2 fields, comm", 2, 1),
	{ "ftrace, the same event", TAP_BENCH_TRACEPOINT, TAP_BENCH_TRACEPOINT,
	  0, "/sys/kernel/tracing/events/tap_bench/tap_bench/enable",
	  0, 0, 0, 0, 0 },
	CALL("kprobe, 0 arguments", TAP_PROBE_KPROBE, TAP_OP_ARG, 0, 0, 0, 205),
	CALL("kprobe, 2 arguments", TAP_PROBE_KPROBE, TAP_OP_ARG, 2, 0, 0, 205),
	CALL("kprobe, 4 arguments", TAP_PROBE_KPROBE, TAP_OP_ARG, 4, 0, 0, 205),
	CALL("kprobe, 2 arguments, comm", TAP_PROBE_KPROBE, TAP_OP_ARG,
	     2, 1, 0, 0),
	CALL("kprobe, 2 arguments, comm, -c", TAP_PROBE_KPROBE, TAP_OP_ARG,
	     2, 1, 1, 0),
	CALL("kprobe, 4 arguments, comm", TAP_PROBE_KPROBE, TAP_OP_ARG,
	     4, 1, 0, 0),
	CALL("kretprobe, return value", TAP_PROBE_KRETPROBE, TAP_OP_RETVAL,
	     1, 0, 0, 430),
	CALL("kretprobe, return value, comm", TAP_PROBE_KRETPROBE,
	     TAP_OP_RETVAL, 1, 1, 0, 0),
	CALL("kretprobe, return value, comm, -c", TAP_PROBE_KRETPROBE,
	     TAP_OP_RETVAL, 1, 1, 1, 0),
	CALL("call, 0 arguments", TAP_PROBE_CALL, TAP_OP_ARG, 0, 0, 0, 0),
	CALL("call, 2 arguments", TAP_PROBE_CALL, TAP_OP_ARG, 2, 0, 0, 0),
	CALL("call, 2 arguments, comm", TAP_PROBE_CALL, TAP_OP_ARG, 2, 1, 0, 0),
	CALL("call, 2 arguments, comm, -c", TAP_PROBE_CALL, TAP_OP_ARG,
	     2, 1, 1, 0),
};

/* A session with one enabled probe, and the rings of CPU 0 to empty. */
struct session {
	int fd;
	__u32 id;
	const volatile struct tap_ring_head *head;
	volatile struct tap_ring_tail *tail;
};

static void *map(int fd, int prot, __u64 offset)
{
	void *p = mmap(NULL, getpagesize(), prot, MAP_SHARED, fd, offset);

	if (p == MAP_FAILED)
		err(1, "mmap of %s", TAP_DEVICE);
	return p;
}

/* Where the n-th value is; an event's fields lie behind its common ones. */
static __s32 offset_of(__u8 op, __u32 n)
{
	return op == TAP_OP_ARG ? n : op == TAP_OP_FIELD ? 8 + 8 * n : 0;
}

static void session_open(struct session *s, const struct row *row)
{
	struct tap_setup setup = { .size = sizeof(setup),
				   .ring_bytes = RING_BYTES,
				   .watermark = RING_BYTES };
	struct tap_op ops[2 + TAP_FIRST_VALUES + 1] = { }, *op = ops;
	struct tap_create create = {
		.size = sizeof(create),
		.type = row->type,
		.target = (unsigned long)row->target,
		.target_len = strlen(row->target),
		.ops = (unsigned long)ops,
	};
	struct tap_probe_ref ref = { .size = sizeof(ref) };
	__u32 i;

	if (row->test) {
		*op++ = (struct tap_op){ .code = TAP_OP_VAR, .size = 8,
					 .off = TAP_VAR_DESCENT,
					 .imm = getppid() };
		*op++ = (struct tap_op){ .code = TAP_OP_JEQ, .size = 8,
					 .src = TAP_OP_IMM_SRC,
					 .off = TAP_OP_REJECT };
	}
	for (i = 0; i < row->nr; i++)
		*op++ = (struct tap_op){ .code = row->op, .dst = TAP_OP_OUT,
					 .size = 8,
					 .off = offset_of(row->op, i) };
	if (row->comm)
		*op++ = (struct tap_op){ .code = TAP_OP_COMM, .dst = TAP_OP_OUT };
	create.nr_ops = op - ops;
	s->fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);
	if (s->fd < 0)
		err(1, "%s", TAP_DEVICE);
	if (ioctl(s->fd, TAP_IOC_SETUP, &setup))
		err(1, "setup");
	if (ioctl(s->fd, TAP_IOC_CREATE, &create))
		err(1, "%s: %s", row->name, row->target);
	s->id = create.out_id;
	if (ioctl(s->fd, TAP_IOC_ENABLE, &ref))
		err(1, "%s: enable", row->name);
	s->tail = map(s->fd, PROT_READ | PROT_WRITE, setup.out_ring_offset);
	s->head = map(s->fd, PROT_READ, setup.out_ring_offset + getpagesize());
}

/* The hits must all have become records: else it is not their cost we see. */
static void session_close(struct session *s, const struct row *row)
{
	struct tap_counters counters = { };
	struct tap_stats stats = {
		.size = sizeof(stats),
		.id = s->id,
		.counters = (unsigned long)&counters,
		.nr_cpus = 1,
	};

	if (ioctl(s->fd, TAP_IOC_STATS, &stats))
		err(1, "%s: stats", row->name);
	if (counters.written != RUNS * TAP_BENCH_LOOPS ||
	    counters.hits != counters.written)
		errx(1, "%s: %llu hits, %llu records of %d", row->name,
		     counters.hits, counters.written, RUNS * TAP_BENCH_LOOPS);
	munmap((void *)s->tail, getpagesize());
	munmap((void *)s->head, getpagesize());
	close(s->fd);
}

static __u64 best_of(int loop, struct session *s)
{
	__u64 best = ~0ULL;
	int i;

	for (i = 0; i < RUNS; i++) {
		struct tap_bench_run run = { .loop = loop };

		if (s)
			s->tail->tail = s->head->head;
		if (ioctl(bench_fd, TAP_BENCH_RUN, &run))
			err(1, "/dev/tap_bench");
		if (run.out_ticks < best)
			best = run.out_ticks;
	}
	return best;
}

static void ftrace(const struct row *row, const char *on)
{
	int fd;

	if (!row->target)
		return;
	fd = open(row->target, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, on, 1) != 1)
		err(1, "%s", row->target);
	close(fd);
}

static double measure(const struct row *row)
{
	__u64 base = best_of(row->base, NULL), with;
	struct session s;

	if (row->type) {
		session_open(&s, row);
		with = best_of(row->loop, &s);
		session_close(&s, row);
	} else {
		ftrace(row, "1");
		with = best_of(row->loop, NULL);
		ftrace(row, "0");
	}
	return ((double)with - (double)base) / TAP_BENCH_LOOPS;
}

int main(void)
{
	int failed = 0;
	size_t i;

	bench_fd = open("/dev/tap_bench", O_RDWR | O_CLOEXEC);
	if (bench_fd < 0)
		err(1, "/dev/tap_bench: is tap_bench.ko loaded?");
	printf("%-38s %12s %8s\n", "operation", "instructions", "goal");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double cost = measure(&rows[i]);
		int over = rows[i].goal && cost > rows[i].goal;

		printf("%-38s %12.2f", rows[i].name, cost);
		if (rows[i].goal)
			printf(" %8.0f%s", rows[i].goal, over ? "  OVER" : "");
		putchar('\n');
		failed += over;
	}
	return failed != 0;
}

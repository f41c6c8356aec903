// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of divided durations: the parts of calls whose time is known, their sum, the longest wait,
 * who ended it, and calls that contain each other.
 */
#include "selftests/module/stack_harness.h"

#include <stdio.h>
#include <sys/prctl.h>

#define MS		1000000ULL

/* Words of a record of a call: duration, result, the division, and the two stacks. */
#define DIVISION	2
#define STACK		(DIVISION + sizeof(struct tap_division) / sizeof(__u64))
#define WAKER_STACK	(STACK + 1 + TAP_WAIT_FRAMES)

#define OP_DIVISION	OP(TAP_OP_DIVISION, TAP_OP_OUT, 0, 0, 0, 0)
#define OP_WAIT(n)	OP(TAP_OP_WAIT_STACK, TAP_OP_OUT, 0, 0, n, TAP_WAIT_FRAMES * 8)
#define OP_DIVIDE	OP(TAP_OP_RETURN, 0, 0, 0, 0, 0), OP_DIVISION, OP_WAIT(0), OP_WAIT(1)

FIXTURE(division)
{
	struct test_session s;
	int target;
	__u32 sources;
};

FIXTURE_SETUP(division)
{
	self->s.fd = -1;
	test_need_root();
	test_need_target();
	self->target = open(TAP_TARGET_DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->target);
	test_session_open(_metadata, &self->s, 1 << 16);
	ASSERT_EQ(0, _test_ioctl_tasks(self->s.fd, TAP_TASKS_F_DIVISION | TAP_TASKS_F_FRAMES, 64,
				       &self->sources));
}

FIXTURE_TEARDOWN(division)
{
	test_session_close(&self->s);
	if (self->target >= 0)
		close(self->target);
}

static const struct tap_division *division_of(const struct test_record *rec)
{
	return (const struct tap_division *)&rec->word[DIVISION];
}

/* Checks that the parts of a record add up to its duration, to the tick. */
static void check_sum(struct __test_metadata *_metadata, const struct test_record *rec)
{
	const struct tap_division *d = division_of(rec);
	__u64 sum = 0;
	int i;

	for (i = 0; i < TAP_NR_PARTS; i++)
		sum += d->part[i];
	EXPECT_EQ(rec->word[0], sum)
		TH_LOG("run %llu irq %llu softirq %llu preempted %llu lock %llu io %llu sleep %llu",
		       d->part[0], d->part[1], d->part[2], d->part[3], d->part[4], d->part[5],
		       d->part[6]);
}

#define NS(ticks)	test_ticks_to_ns(&self->s, ticks)

/* Nothing was counted that the table could not take. */
#define test_all_taken()							\
	({									\
		struct tap_tasks_read _read = { .size = sizeof(_read) };	\
										\
		ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_TASKS_READ, &_read));	\
		EXPECT_EQ(0, _read.out_no_room);				\
		EXPECT_EQ(0, _read.out_backwards);				\
		EXPECT_EQ(0, _read.out_unexpected);				\
		EXPECT_EQ(0, _read.out_no_wait);				\
	})

TEST_F(division, sleep)
{
	struct tap_target_run run = { .function = TAP_TARGET_SLEEP, .count = 20 };
	const struct tap_division *d;
	struct test_record rec;
	__u64 frames, armed;

	test_ioctl_create(NULL, TAP_PROBE_CALL, "tap_target_sleep", OP_TEST_TGID(getpid()),
			  OP_DIVIDE);
	test_ioctl_enable(0);
	ASSERT_EQ(0, ioctl(self->target, TAP_TARGET_CALL, &run));
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	check_sum(_metadata, &rec);
	d = division_of(&rec);
	/* The timer is armed before the task is switched out. */
	armed = d->part[TAP_PART_RUN] + d->part[TAP_PART_IRQ] + d->part[TAP_PART_SOFTIRQ];
	EXPECT_LE(20 * MS, NS(armed + d->part[TAP_PART_SLEEP]));
	EXPECT_EQ(0, d->part[TAP_PART_IO]);
	EXPECT_EQ(0, d->part[TAP_PART_LOCK]);
	EXPECT_EQ(TAP_PART_SLEEP, d->wait_part);
	EXPECT_LE(20 * MS, NS(armed + d->wait));
	EXPECT_GE(d->part[TAP_PART_SLEEP], d->wait);
	/* A timer ended it, in whatever task. Both stacks are there. */
	frames = rec.word[STACK] & TAP_TEXT_LEN;
	EXPECT_LE(4 * sizeof(__u64), frames);
	EXPECT_LE(2 * sizeof(__u64), rec.word[WAKER_STACK] & TAP_TEXT_LEN);
	/* The unwinder of x86 does not know the caller of a function with a return probe before 5.16. */
	frames /= sizeof(__u64);
	if (rec.word[STACK] & TAP_TEXT_ABSENT) {
		EXPECT_TRUE(test_kernel_before(5, 16));
		EXPECT_TRUE(test_within("tap_target_sleep", rec.word[STACK + frames]));
	}
	test_all_taken();
}

/* A call that only runs has nothing but interrupts on top of it. */
TEST_F(division, run)
{
	struct tap_target_run run = { .function = TAP_TARGET_LOOP, .count = 2000000 };
	const struct tap_division *d;
	struct test_record rec;

	test_ioctl_create(NULL, TAP_PROBE_CALL, "tap_target_loop", OP_TEST_TGID(getpid()),
			  OP_DIVIDE);
	test_ioctl_enable(0);
	ASSERT_EQ(0, ioctl(self->target, TAP_TARGET_CALL, &run));
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	check_sum(_metadata, &rec);
	d = division_of(&rec);
	EXPECT_LT(0, d->part[TAP_PART_RUN]);
	EXPECT_EQ(0, d->part[TAP_PART_SLEEP]);
	EXPECT_EQ(0, d->part[TAP_PART_LOCK]);
	EXPECT_EQ(0, d->wait);
	EXPECT_EQ(0, rec.word[STACK]);
	EXPECT_EQ(0, rec.flags & TAP_F_ABSENT);
	/* The time, the result, and the parts; not the names and stacks of a wait. */
	EXPECT_EQ(1 + (2 + TAP_NR_PARTS - TAP_FIRST_VALUES + TAP_SLOT_VALUES - 1) / TAP_SLOT_VALUES,
		  rec.slots);
	test_all_taken();
}

/* Another thread ends the wait: it is named. */
TEST_F(division, waker)
{
	struct tap_target_run run = { .function = TAP_TARGET_BLOCK };
	const struct tap_division *d;
	struct test_record rec;
	int status;
	pid_t pid;

	test_ioctl_create(NULL, TAP_PROBE_CALL, "tap_target_block", OP_DIVIDE);
	test_ioctl_enable(0);
	pid = fork();
	if (!pid)
		_exit(ioctl(self->target, TAP_TARGET_CALL, &run) ? 1 : 0);
	ASSERT_LT(0, pid);
	ASSERT_TRUE(test_wait_blocked(self->target, 1));
	usleep(20000);
	ASSERT_EQ(0, prctl(PR_SET_NAME, "the waker"));
	ASSERT_EQ(0, ioctl(self->target, TAP_TARGET_RELEASE, &run));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	check_sum(_metadata, &rec);
	d = division_of(&rec);
	EXPECT_EQ(pid, rec.tid);
	EXPECT_EQ(gettid(), d->waker_tid);
	EXPECT_EQ(getpid(), d->waker_tgid);
	EXPECT_STREQ("the waker", d->waker_comm);
	EXPECT_EQ(0, d->holder_tid);
	EXPECT_LE(20 * MS, NS(d->wait));
	test_all_taken();
}

/* Calls that contain each other: the inner one's parts are a part of the outer one's. */
TEST_F(division, nested)
{
	struct tap_target_run run = { .function = TAP_TARGET_SLEEP, .count = 10 };
	const struct tap_division *inner, *outer;
	struct test_record rec[2];
	char target[16];
	__u32 call;
	int i;

	snprintf(target, sizeof(target), "%d", __NR_ioctl);
	test_ioctl_create(&call, TAP_PROBE_CALL, "tap_target_sleep", OP_TEST_TGID(getpid()),
			  OP_DIVIDE);
	test_ioctl_create(NULL, TAP_PROBE_SYSCALL, target, OP_TEST_TGID(getpid()),
			  OP(TAP_OP_ARG, 0, 0, 8, 0, 0), OP_REJECT_IF(TAP_OP_JNE, 0, self->target),
			  OP_DIVIDE);
	test_ioctl_enable(0);
	ASSERT_EQ(0, ioctl(self->target, TAP_TARGET_CALL, &run));
	ASSERT_TRUE(test_session_next(&self->s, &rec[0]));
	check_sum(_metadata, &rec[0]);
	/* System calls of a 32-bit program have other numbers: the outer call makes no record. */
	ASSERT_EQ(sizeof(long) == 8, test_session_next(&self->s, &rec[1]));
	if (sizeof(long) != 8)
		return;
	check_sum(_metadata, &rec[1]);
	ASSERT_EQ(call, rec[0].probe);
	inner = division_of(&rec[0]);
	outer = division_of(&rec[1]);
	for (i = 0; i < TAP_NR_PARTS; i++)
		EXPECT_LE(inner->part[i], outer->part[i]);
	EXPECT_EQ(inner->part[TAP_PART_SLEEP], outer->part[TAP_PART_SLEEP]);
	EXPECT_EQ(inner->wait, outer->wait);
	test_all_taken();
}

static int write_wait(const char *kind, __u64 ns)
{
	char text[64];

	snprintf(text, sizeof(text), "%s %llu", kind, ns);
	return test_write_file("/sys/module/tap_waits/parameters/wait", text);
}

#define test_need_waits()							\
	do {									\
		test_need_module("tap_waits");					\
		if (access("/sys/module/tap_waits", F_OK))			\
			ASSERT_EQ(0, test_module_load("tap_waits", ""));	\
	} while (0)

#define test_need_lock_events()							\
	do {									\
		if (!(self->sources & TAP_SOURCE_LOCK))				\
			SKIP(return, "no tracepoints of locks");		\
		test_need_waits();						\
	} while (0)

/* Parts and the wait in tests of the return, in nanoseconds. */
TEST_F(division, tests)
{
	struct tap_target_run run = { .function = TAP_TARGET_SLEEP, .count = 10 };
	struct test_record rec;
	__u32 longer, shorter;

	test_ioctl_create(&longer, TAP_PROBE_CALL, "tap_target_sleep", OP_TEST_TGID(getpid()),
			  OP(TAP_OP_RETURN, 0, 0, 0, 0, 0),
			  OP(TAP_OP_VAR, 0, 0, 8, TAP_VAR_DIVISION, TAP_PART_SLEEP),
			  OP_REJECT_IF(TAP_OP_JLT, 0, 10 * MS),
			  OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_DIVISION, TAP_DIVIDED_WAIT),
			  OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_DIVISION,
			     TAP_DIVIDED_UNACCOUNTED));
	test_ioctl_create(&shorter, TAP_PROBE_CALL, "tap_target_sleep", OP_TEST_TGID(getpid()),
			  OP(TAP_OP_RETURN, 0, 0, 0, 0, 0),
			  OP(TAP_OP_VAR, 0, 0, 8, TAP_VAR_DIVISION, TAP_PART_SLEEP),
			  OP_REJECT_IF(TAP_OP_JGE, 0, 10 * MS));
	test_ioctl_enable(0);
	ASSERT_EQ(0, ioctl(self->target, TAP_TARGET_CALL, &run));
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(longer, rec.probe);
	EXPECT_LE(10 * MS, rec.word[2]);
	EXPECT_EQ(0, rec.word[3]);
	EXPECT_FALSE(test_session_next(&self->s, &rec));
}

/* The words of names, and the other values of the longest wait. */
TEST_F(division, values)
{
	const struct tap_op ops[] = {
		OP_TEST_TGID(getpid()),
		OP(TAP_OP_RETURN, 0, 0, 0, 0, 0),
		OP(TAP_OP_DIVISION, TAP_OP_OUT, 0, 0, TAP_DIVIDED_WAKER_COMM, 0),
		OP(TAP_OP_DIVISION, TAP_OP_OUT, 0, 0, TAP_DIVIDED_HOLDER_COMM, 0),
		OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_DIVISION, TAP_DIVIDED_WAIT_PART),
		OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_DIVISION, TAP_DIVIDED_WAKER_TID),
		OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_DIVISION, TAP_DIVIDED_WAKER_TGID),
		OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_DIVISION, TAP_DIVIDED_HOLDER_TID),
		OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_DIVISION, TAP_DIVIDED_WAKER_COMM),
		OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_DIVISION, TAP_DIVIDED_HOLDER_COMM + 1),
	};
	struct test_record rec;

	test_need_lock_events();
	ASSERT_EQ(0, _test_ioctl_create(self->s.fd, NULL, TAP_PROBE_CALL, "tap_waits:waits_call",
					ops, ARRAY_SIZE(ops)));
	test_ioctl_enable(0);
	ASSERT_EQ(0, write_wait("mutex", 5 * MS));
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_STREQ("tap_holder", (const char *)&rec.word[2]);
	EXPECT_STREQ("tap_holder", (const char *)&rec.word[4]);
	EXPECT_EQ(TAP_PART_LOCK, rec.word[6]);
	EXPECT_EQ(rec.word[7], rec.word[8]);
	EXPECT_EQ(rec.word[7], rec.word[9]);
	EXPECT_EQ(rec.word[2], rec.word[10]);
	EXPECT_EQ(rec.word[5], rec.word[11]);
}

/* One side of a span is a trap, and then the other: see at_a_trap of inside_test. */
TEST_F(division, of_a_span_at_a_trap)
{
	struct tap_span_table table = {
		.size = sizeof(table), .mode = TAP_SPAN_RESTART, .nr_keys = 1, .entries = 64,
	};
	const struct tap_op ops[] = { OP(TAP_OP_FIELD, TAP_OP_OUT, 0, 8, 0, 0), OP_DIVISION };
	__u64 key = 77;
	struct tap_mark mark = {
		.size = sizeof(mark), .data = (uintptr_t)&key, .len = sizeof(key),
	};
	const struct tap_division *d;
	struct tap_create create;
	struct test_record rec;
	__u32 span, trap;
	__u64 sum;
	int side, i;

	/* Kernels that replace no trap have no such file. */
	test_write_file("/proc/sys/debug/kprobes-optimization", "0");
	for (side = TAP_SIDE_FROM; side <= TAP_SIDE_TO; side++) {
		create = test_create_arg(TAP_PROBE_SPAN, "test", ops, 2);
		create.span = (uintptr_t)&table;
		ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
		span = create.out_id;
		create = test_create_arg(TAP_PROBE_KPROBE, "strncpy_from_user",
					 OPS(OP_TEST_TGID(getpid()),
					     OP(TAP_OP_IMM, TAP_OP_OUT, 0, 8, 0, 77)));
		create.span_id = span;
		create.side = side;
		ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
		trap = create.out_id;
		create = test_create_arg(TAP_PROBE_MARK, "interval:s:1",
					 OPS(OP(TAP_OP_FIELD, TAP_OP_OUT, 0, 8, 0, 0)));
		create.span_id = span;
		create.side = TAP_SIDE_FROM + TAP_SIDE_TO - side;
		ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
		mark.id = create.out_id;
		test_ioctl_enable(0);
		if (side == TAP_SIDE_TO)
			ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_MARK, &mark));
		close(openat(AT_FDCWD, "/", O_RDONLY | O_CLOEXEC));
		if (side == TAP_SIDE_FROM)
			ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_MARK, &mark));
		test_ioctl_disable(0);
		EXPECT_LE(1, test_counters(_metadata, &self->s, trap).aggregated);
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_FALSE(rec.flags & TAP_F_ABSENT);
		d = (const struct tap_division *)&rec.word[1];
		for (sum = 0, i = 0; i < TAP_NR_PARTS; i++)
			sum += d->part[i];
		EXPECT_EQ(rec.word[0], sum);
		EXPECT_LT(0, d->part[TAP_PART_RUN]);
	}
	test_write_file("/proc/sys/debug/kprobes-optimization", "1");
}

/* Calls that contain each other, more than there is room for waits. */
TEST_F(division, more_waits_than_room)
{
	/* Each call waits less than the one around it has waited before. */
	struct tap_tasks_read read = { .size = sizeof(read) };
	struct tap_target_run run = { .function = TAP_TARGET_SLEEP };
	struct tap_span_table table = {
		.size = sizeof(table), .mode = TAP_SPAN_RESTART, .nr_keys = 1, .entries = 64,
	};
	struct tap_create create;
	const struct tap_op ops[] = { OP_DIVISION };
	unsigned int i;
	__u32 mark;

	create = test_create_arg(TAP_PROBE_SPAN, "test", ops, 1);
	create.span = (uintptr_t)&table;
	ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	mark = create.out_id;
	create = test_create_arg(TAP_PROBE_MARK, "interval:s:1", OPS(OP(TAP_OP_FIELD, TAP_OP_OUT,
									0, 8, 0, 0)));
	create.span_id = mark;
	create.side = TAP_SIDE_FROM;
	ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	mark = create.out_id;
	test_ioctl_enable(0);
	for (i = 0; i < TAP_MAX_WAITS + 2; i++) {
		__u64 key = i;
		struct tap_mark m = {
			.size = sizeof(m), .id = mark, .data = (uintptr_t)&key, .len = sizeof(key),
		};

		ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_MARK, &m));
		run.count = 5 * (TAP_MAX_WAITS + 3 - i);
		ASSERT_EQ(0, ioctl(self->target, TAP_TARGET_CALL, &run));
	}
	ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_TASKS_READ, &read));
	EXPECT_EQ(2, read.out_no_wait);
}

TEST_F(division, refused)
{
	/* At the entry, and of types that have no duration. */
	test_err_ioctl_create(EOPNOTSUPP, TAP_PROBE_CALL, "tap_target_add", OP_DIVISION);
	test_err_ioctl_create(EOPNOTSUPP, TAP_PROBE_KPROBE, "tap_target_add", OP_DIVISION);
	test_err_ioctl_create(EOPNOTSUPP, TAP_PROBE_FUNCGRAPH, "tap_target_add", OP_DIVIDE);
	test_err_ioctl_create(EINVAL, TAP_PROBE_CALL, "tap_target_add",
			      OP(TAP_OP_RETURN, 0, 0, 0, 0, 0),
			      OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_DIVISION, TAP_NR_DIVIDED));
	test_err_ioctl_create(EINVAL, TAP_PROBE_CALL, "tap_target_add",
			      OP(TAP_OP_RETURN, 0, 0, 0, 0, 0),
			      OP(TAP_OP_WAIT_STACK, TAP_OP_OUT, 0, 0, 2, 8));
	test_err_ioctl_create(EINVAL, TAP_PROBE_CALL, "tap_target_add",
			      OP(TAP_OP_RETURN, 0, 0, 0, 0, 0),
			      OP(TAP_OP_WAIT_STACK, TAP_OP_OUT, 0, 0, 0,
				 (TAP_WAIT_FRAMES + 1) * 8));
	test_err_ioctl_create(EINVAL, TAP_PROBE_CALL, "tap_target_add",
			      OP(TAP_OP_RETURN, 0, 0, 0, 0, 0),
			      OP(TAP_OP_DIVISION, 0, 0, 0, 0, 0));
}

TEST_HARNESS_MAIN

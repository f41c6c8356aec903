// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of frames: which events are inside of a call or span, in each context, and how many frames
 * are in between.
 */
#include "selftests/module/tap_harness.h"

#define OUTER		1
#define MIDDLE		2
#define OPTIMIZE	"/proc/sys/debug/kprobes-optimization"

FIXTURE(inside)
{
	struct test_session s;
	int target;
};

FIXTURE_SETUP(inside)
{
	self->s.fd = -1;
	test_need_root();
	test_need_target();
	self->target = open(TAP_TARGET_DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->target);
	test_session_open(_metadata, &self->s, 1 << 16);
	ASSERT_EQ(0, _test_ioctl_tasks(self->s.fd, TAP_TASKS_F_FRAMES, 64, NULL));
}

FIXTURE_TEARDOWN(inside)
{
	test_session_close(&self->s);
	if (self->target >= 0)
		close(self->target);
}

static int create_frame(int fd, __u32 *id, __u32 type, const char *target, __u32 frame,
			const struct tap_op *ops, __u32 nr_ops)
{
	struct tap_create create = test_create_arg(type, target, ops, nr_ops);
	int ret;

	create.frame = frame;
	ret = ioctl(fd, TAP_IOC_CREATE, &create);
	if (!ret && id)
		*id = create.out_id;
	return ret;
}

/* A frame of a function of the target, without a program. */
#define test_frame(_type, _target, _frame)					\
	ASSERT_EQ(0, create_frame(self->s.fd, NULL, _type, _target, _frame, NULL, 0))

/* A probe of tap_target_inner() that counts what is inside. */
#define test_inside(_id, _target, _imm)						\
	ASSERT_EQ(0, _test_ioctl_create_flags(self->s.fd, _id, TAP_PROBE_KPROBE, TAP_CREATE_F_COUNT, \
		0, _target, OPS(OP(TAP_OP_VAR, 0, 0, 8, TAP_VAR_INSIDE, _imm),	\
				OP_REJECT_IF(TAP_OP_JEQ, 0, 0))))

static __u64 counted(struct __test_metadata *_metadata, int fd, __u32 id)
{
	struct tap_counters counters[TEST_MAX_RINGS] = {};
	struct tap_stats stats;
	__u64 sum = 0;
	int i;

	ASSERT_EQ(0, _test_ioctl_stats(fd, id, counters, sysconf(_SC_NPROCESSORS_CONF), &stats));
	for (i = 0; i < TEST_MAX_RINGS; i++)
		sum += counters[i].aggregated;
	return sum;
}

#define COUNTED(id)	counted(_metadata, self->s.fd, id)

static int chain(int target, __u64 context, __u64 left_out)
{
	struct tap_target_run run = {
		.function = TAP_TARGET_CHAIN, .count = 1, .arg = { context, left_out },
	};

	return ioctl(target, TAP_TARGET_CALL, &run);
}

TEST_F(inside, frames_in_between)
{
	__u32 any, direct, one, middle;

	test_frame(TAP_PROBE_CALL, "tap_target_outer", OUTER);
	test_frame(TAP_PROBE_CALL, "tap_target_middle", MIDDLE);
	test_inside(&any, "tap_target_inner", OUTER | TAP_INSIDE_ANY);
	test_inside(&direct, "tap_target_inner", OUTER | TAP_INSIDE_BETWEEN(0));
	test_inside(&one, "tap_target_inner", OUTER | TAP_INSIDE_BETWEEN(1));
	test_inside(&middle, "tap_target_inner", MIDDLE | TAP_INSIDE_BETWEEN(0));
	test_ioctl_enable(0);
	ASSERT_EQ(0, chain(self->target, TAP_TARGET_IN_TASK, 0));
	EXPECT_EQ(1, COUNTED(any));
	EXPECT_EQ(0, COUNTED(direct));
	EXPECT_EQ(1, COUNTED(one));
	EXPECT_EQ(1, COUNTED(middle));
	/* Without the outer function, and without both. */
	ASSERT_EQ(0, chain(self->target, TAP_TARGET_IN_TASK, 1));
	ASSERT_EQ(0, chain(self->target, TAP_TARGET_IN_TASK, 2));
	EXPECT_EQ(1, COUNTED(any));
	EXPECT_EQ(1, COUNTED(one));
	EXPECT_EQ(2, COUNTED(middle));
}

/*
 * A system call is under way while an interrupt on top of it calls the functions. Those of a 32-bit
 * program have other numbers, and no frame.
 */
TEST_F(inside, contexts)
{
	const bool has_frame = sizeof(long) == 8;
	__u32 task, irq, own;
	char target[16];
	__u64 context;

	snprintf(target, sizeof(target), "%d", __NR_ioctl);
	test_frame(TAP_PROBE_SYSCALL, target, OUTER);
	test_frame(TAP_PROBE_CALL, "tap_target_middle", MIDDLE);
	test_inside(&task, "tap_target_inner", OUTER | TAP_INSIDE_ANY);
	test_inside(&irq, "tap_target_inner", OUTER | TAP_INSIDE_ANY | TAP_INSIDE_IRQ);
	test_inside(&own, "tap_target_inner", MIDDLE | TAP_INSIDE_ANY);
	test_ioctl_enable(0);
	for (context = TAP_TARGET_IN_TASK; context <= TAP_TARGET_IN_SOFTIRQ; context++)
		ASSERT_EQ(0, chain(self->target, context, 1));
	EXPECT_EQ(has_frame, COUNTED(task));
	/* A softirq may have run in its own thread. */
	if (has_frame) {
		EXPECT_LE(2, COUNTED(irq));
	} else {
		EXPECT_EQ(0, COUNTED(irq));
	}
	EXPECT_EQ(3, COUNTED(own));
	/* What an interrupt called is not under way in the next one, nor in the task. */
	for (context = TAP_TARGET_IN_TASK; context <= TAP_TARGET_IN_SOFTIRQ; context++)
		ASSERT_EQ(0, chain(self->target, context, 2));
	EXPECT_EQ(3, COUNTED(own));
}

FIXTURE(enclosed)
{
	struct test_session s, other;
	int target;
};

FIXTURE_SETUP(enclosed)
{
	self->s.fd = -1;
	self->other.fd = -1;
	test_need_root();
	test_need_target();
	self->target = open(TAP_TARGET_DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->target);
	test_session_open(_metadata, &self->s, 1 << 16);
	test_session_open(_metadata, &self->other, 1 << 16);
}

FIXTURE_TEARDOWN(enclosed)
{
	test_session_close(&self->s);
	test_session_close(&self->other);
	if (self->target >= 0)
		close(self->target);
}

/* A call that counts if it is enclosed. */
static int create_enclosed(int fd, __u32 *id, const char *target)
{
	return _test_ioctl_create_flags(fd, id, TAP_PROBE_CALL, TAP_CREATE_F_COUNT, 0, target,
		OPS(OP(TAP_OP_RETURN, 0, 0, 0, 0, 0),
		    OP(TAP_OP_VAR, 0, 0, 8, TAP_VAR_ENCLOSED, 0),
		    OP_REJECT_IF(TAP_OP_JEQ, 0, 0)));
}

TEST_F(enclosed, by_a_call_of_the_session)
{
	__u32 outer, middle, foreign;
	__u64 context;

	ASSERT_EQ(0, create_enclosed(self->s.fd, &outer, "tap_target_outer"));
	ASSERT_EQ(0, create_enclosed(self->s.fd, &middle, "tap_target_middle"));
	ASSERT_EQ(0, create_enclosed(self->other.fd, &foreign, "tap_target_middle"));
	test_ioctl_enable(0);
	ASSERT_EQ(0, _test_ioctl_enable(self->other.fd, 0));
	ASSERT_EQ(0, chain(self->target, TAP_TARGET_IN_TASK, 0));
	EXPECT_EQ(0, COUNTED(outer));
	EXPECT_EQ(1, COUNTED(middle));
	EXPECT_EQ(0, counted(_metadata, self->other.fd, foreign));
	/* Without the outer call. */
	ASSERT_EQ(0, chain(self->target, TAP_TARGET_IN_TASK, 1));
	EXPECT_EQ(1, COUNTED(middle));
	for (context = TAP_TARGET_IN_HARDIRQ; context <= TAP_TARGET_IN_SOFTIRQ; context++)
		ASSERT_EQ(0, chain(self->target, context, 0));
	EXPECT_EQ(0, COUNTED(outer));
	EXPECT_EQ(3, COUNTED(middle));
}

/* The interrupted call is on another stack. */
TEST_F(enclosed, not_by_what_was_interrupted)
{
	__u32 ioctl_id, middle;

	ASSERT_EQ(0, create_enclosed(self->s.fd, &ioctl_id, "target_ioctl"));
	ASSERT_EQ(0, create_enclosed(self->s.fd, &middle, "tap_target_middle"));
	test_ioctl_enable(0);
	ASSERT_EQ(0, chain(self->target, TAP_TARGET_IN_TASK, 1));
	EXPECT_EQ(1, COUNTED(middle));
	ASSERT_EQ(0, chain(self->target, TAP_TARGET_IN_HARDIRQ, 1));
	EXPECT_EQ(1, COUNTED(middle));
}

TEST_F(enclosed, by_the_same_function)
{
	struct tap_target_run run = { .function = TAP_TARGET_RECURSE, .count = 5 };
	__u32 id;

	ASSERT_EQ(0, create_enclosed(self->s.fd, &id, "tap_target_recurse"));
	test_ioctl_enable(0);
	ASSERT_EQ(0, ioctl(self->target, TAP_TARGET_CALL, &run));
	EXPECT_EQ(5, COUNTED(id));
}

TEST_F(enclosed, is_only_for_the_return_of_a_call)
{
	const struct tap_op at_entry = OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_ENCLOSED, 0);

	test_err_ioctl_create(EOPNOTSUPP, TAP_PROBE_CALL, "tap_target_outer", at_entry);
	test_err_ioctl_create(EOPNOTSUPP, TAP_PROBE_KRETPROBE, "tap_target_outer", at_entry);
	test_err_ioctl_create(EINVAL, TAP_PROBE_CALL, "tap_target_outer",
			      OP(TAP_OP_RETURN, 0, 0, 0, 0, 0),
			      OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_ENCLOSED, 1));
}

/*
 * strncpy_from_user() is in lib/, which the kernel builds without calls of ftrace: its probe is a
 * trap, or a jump once the kernel has replaced that.
 */
TEST_F(inside, at_a_trap)
{
	const bool has_frame = sizeof(long) == 8;
	struct tap_create create = test_create_arg(TAP_PROBE_KPROBE, "strncpy_from_user",
						   OPS(OP_TEST_TGID(getpid()),
						       OP(TAP_OP_IMM, TAP_OP_OUT, 0, 8, 0, 77)));
	struct tap_span_table table = {
		.size = sizeof(table), .mode = TAP_SPAN_RESTART, .nr_keys = 1, .entries = 64,
	};
	struct tap_create span = test_create_arg(TAP_PROBE_SPAN, "test", NULL, 0);
	__u32 call, in_span;
	char target[16];
	unsigned int i;

	/* Kernels that replace no trap have no such file. */
	test_write_file(OPTIMIZE, "0");
	snprintf(target, sizeof(target), "%d", __NR_openat);
	test_frame(TAP_PROBE_SYSCALL, target, OUTER);
	ASSERT_EQ(0, _test_ioctl_create_flags(self->s.fd, &call, TAP_PROBE_CALL, TAP_CREATE_F_COUNT,
					      0, "strncpy_from_user",
					      OPS(OP_TEST_TGID(getpid()),
						  OP(TAP_OP_VAR, 0, 0, 8, TAP_VAR_INSIDE,
						     OUTER | TAP_INSIDE_ANY),
						  OP_REJECT_IF(TAP_OP_JEQ, 0, 0))));
	/* A span that begins there, and goes on while the file is opened. */
	span.span = (uintptr_t)&table;
	ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_CREATE, &span));
	create.span_id = span.out_id;
	create.side = TAP_SIDE_FROM;
	create.frame = MIDDLE;
	ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	ASSERT_EQ(0, _test_ioctl_create_flags(self->s.fd, &in_span, TAP_PROBE_KPROBE,
					      TAP_CREATE_F_COUNT, 0, "vfs_open",
					      OPS(OP_TEST_TGID(getpid()),
						  OP(TAP_OP_VAR, 0, 0, 8, TAP_VAR_INSIDE,
						     MIDDLE | TAP_INSIDE_ANY),
						  OP_REJECT_IF(TAP_OP_JEQ, 0, 0))));
	test_ioctl_enable(0);
	for (i = 0; i < 10; i++)
		close(openat(AT_FDCWD, "/", O_RDONLY | O_CLOEXEC));
	test_ioctl_disable(0);
	test_write_file(OPTIMIZE, "1");
	EXPECT_EQ(has_frame ? 10 : 0, COUNTED(call));
	EXPECT_EQ(10, COUNTED(in_span));
}

/* Recursion: the innermost call counts for what is in between, the outermost for its end. */
TEST_F(inside, recursion)
{
	struct tap_target_run run = { .function = TAP_TARGET_RECURSE, .count = 5 };
	__u32 any, direct;

	test_frame(TAP_PROBE_CALL, "tap_target_recurse", OUTER);
	test_inside(&any, "tap_target_recurse", OUTER | TAP_INSIDE_ANY);
	test_inside(&direct, "tap_target_recurse", OUTER | TAP_INSIDE_BETWEEN(0));
	test_ioctl_enable(0);
	ASSERT_EQ(0, ioctl(self->target, TAP_TARGET_CALL, &run));
	ASSERT_EQ(0, ioctl(self->target, TAP_TARGET_CALL, &run));
	/* Six calls each; at the entry of the first none is under way. */
	EXPECT_EQ(10, COUNTED(any));
	EXPECT_EQ(10, COUNTED(direct));
}

/* A probe that is disabled during a call does not leave the call under way. */
TEST_F(inside, disabled_in_a_call)
{
	struct tap_target_run run = { .function = TAP_TARGET_BLOCK };
	__u32 call, inside;
	int go[2], status;
	pid_t pid;

	ASSERT_EQ(0, create_frame(self->s.fd, &call, TAP_PROBE_CALL, "tap_target_block", OUTER,
				  NULL, 0));
	test_inside(&inside, "tap_target_inner", OUTER | TAP_INSIDE_ANY);
	test_ioctl_enable(0);
	ASSERT_EQ(0, pipe(go));
	pid = fork();
	if (!pid) {
		char byte;

		ioctl(self->target, TAP_TARGET_CALL, &run);
		if (read(go[0], &byte, 1) != 1)
			_exit(1);
		_exit(chain(self->target, TAP_TARGET_IN_TASK, 2) ? 2 : 0);
	}
	ASSERT_LT(0, pid);
	ASSERT_TRUE(test_wait_blocked(self->target, 1));
	test_ioctl_disable(call);
	ASSERT_EQ(0, ioctl(self->target, TAP_TARGET_RELEASE, &run));
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, COUNTED(inside));
	close(go[0]);
	close(go[1]);
}

/* Tasks that have ended give their places back: many more than there is room for. */
TEST_F(inside, places)
{
	struct tap_tasks_read read = { .size = sizeof(read) };
	struct tap_target_run run = { .function = TAP_TARGET_ADD, .count = 1 };
	int i, status;
	pid_t pid;

	test_frame(TAP_PROBE_CALL, "tap_target_add", OUTER);
	test_ioctl_enable(0);
	for (i = 0; i < 1500; i++) {
		/* Nothing but these two calls: the memory is the parent's. */
		pid = vfork();
		if (!pid)
			_exit(ioctl(self->target, TAP_TARGET_CALL, &run) ? 1 : 0);
		ASSERT_LT(0, pid);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_EQ(0, status);
		/* RCU frees them in bunches. */
		if (i % 100 == 99)
			usleep(50000);
	}
	ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_TASKS_READ, &read));
	EXPECT_EQ(0, read.out_no_room);
}

TEST_F(inside, refused)
{
	__u64 wrong[] = {
		0, TAP_MAX_FRAME + 1, OUTER | 1ULL << 25, OUTER | 1ULL << 63,
	};
	unsigned int i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, "tap_target_add",
				      OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_INSIDE, wrong[i]));
	EXPECT_ERRNO(EINVAL, create_frame(self->s.fd, NULL, TAP_PROBE_CALL, "tap_target_add",
					  TAP_MAX_FRAME + 1, NULL, 0));
	EXPECT_ERRNO(EINVAL, create_frame(self->s.fd, NULL, TAP_PROBE_KPROBE, "tap_target_add",
					  OUTER, NULL, 0));
	EXPECT_ERRNO(EBUSY, _test_ioctl_tasks(self->s.fd, TAP_TASKS_F_FRAMES, 64, NULL));
	/* This session divides nothing. */
	test_err_ioctl_create(EINVAL, TAP_PROBE_CALL, "tap_target_add",
			      OP(TAP_OP_RETURN, 0, 0, 0, 0, 0),
			      OP(TAP_OP_DIVISION, TAP_OP_OUT, 0, 0, 0, 0));
	fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, fd);
	EXPECT_ERRNO(EBADFD, _test_ioctl_tasks(fd, TAP_TASKS_F_FRAMES, 0, NULL));
	ASSERT_EQ(0, _test_ioctl_setup(fd, 1 << 16, 0, 0, NULL));
	EXPECT_ERRNO(EINVAL, create_frame(fd, NULL, TAP_PROBE_CALL, "tap_target_add", OUTER,
					  NULL, 0));
	EXPECT_ERRNO(EINVAL, _test_ioctl_tasks(fd, 0, 0, NULL));
	EXPECT_ERRNO(EINVAL, _test_ioctl_tasks(fd, 4, 0, NULL));
	EXPECT_ERRNO(EINVAL, _test_ioctl_tasks(fd, TAP_TASKS_F_FRAMES,
					       TAP_MAX_SESSION_TASKS + 1, NULL));
	close(fd);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of TAP_IOC_FOLLOW: which tasks a session follows, however they were created and whatever
 * becomes of them.
 */
#include "selftests/module/tap_harness.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

/* Each round of a family creates so many tasks, and each of them fires once. */
#define ROUND		8

/* Tasks of two families together. */
#define TASKS		2000

/* Ids are given out from 300 on: with this limit each is used several times. */
#define PID_MAX		"/proc/sys/kernel/pid_max"
#define FEW_PIDS	"500"

/* Value of the events of a task that is followed, and of all others. */
#define MINE		1
#define OTHER		2

/* What the bits take of memory_max. */
#define BITS_BYTES	(4U << 20 >> 3)

/* Fires the tracepoint tap_target_event with a value. */
static int fire(int target, __u64 value)
{
	struct tap_target_run run = {
		.function = TAP_TARGET_PASS, .count = 1, .arg = { value },
	};

	return ioctl(target, TAP_TARGET_CALL, &run);
}

/**
 * struct family - tasks that fire the same value
 * @target: tap_target
 * @value: the value
 */
struct family {
	int target;
	__u64 value;
};

/* The child of clone(), and a thread. */
static int fire_once(void *data)
{
	const struct family *f = data;

	return fire(f->target, f->value);
}

static void *fire_in_thread(void *data)
{
	return fire_once(data) ? data : NULL;
}

static bool ended_well(pid_t child)
{
	int status;

	return child > 0 && waitpid(child, &status, __WALL) == child && !status;
}

/* A child, and a child of the child. */
static bool round_fork(struct family *f)
{
	pid_t child = fork();

	if (!child) {
		child = fork();
		if (!child)
			_exit(fire_once(f));
		_exit(!ended_well(child) || fire_once(f));
	}
	return ended_well(child);
}

/* A child that shares the memory until it ends, one that always does, and a thread. */
static bool round_shared(struct family *f)
{
	static char stack[16384] __attribute__((aligned(16)));
	pthread_t thread;
	void *failed;
	pid_t child = vfork();

	if (!child)
		_exit(fire_once(f));
	if (!ended_well(child) ||
	    !ended_well(clone(fire_once, stack + sizeof(stack), CLONE_VM | SIGCHLD, f)))
		return false;
	return !pthread_create(&thread, NULL, fire_in_thread, f) &&
	       !pthread_join(thread, &failed) && !failed;
}

/* A child that starts a daemon: init gets it. Then one that is alone in a session. */
static bool round_daemon(struct family *f)
{
	int ends[2], failed = -1;
	pid_t child;

	if (pipe(ends))
		return false;
	child = fork();
	if (!child) {
		pid_t parent = getpid();

		if (fire_once(f) || setsid() < 0)
			_exit(1);
		child = fork();
		if (child)
			_exit(child < 0);
		while (getppid() == parent)
			sched_yield();
		failed = fire_once(f);
		_exit(write(ends[1], &failed, sizeof(failed)) != sizeof(failed));
	}
	close(ends[1]);
	if (!ended_well(child) || read(ends[0], &failed, sizeof(failed)) != sizeof(failed))
		failed = 1;
	close(ends[0]);
	child = fork();
	if (!child)
		_exit(setsid() < 0 || fire_once(f));
	return ended_well(child) && !failed;
}

/* A family: a task that creates @rounds * ROUND others. If @session is not -1, it follows. */
static pid_t family_start(int session, struct family f, unsigned int rounds)
{
	pid_t child = fork();

	if (child)
		return child;
	if (session >= 0 && _test_ioctl_follow(session, getpid()))
		_exit(1);
	while (rounds--)
		if (!round_fork(&f) || !round_shared(&f) || !round_daemon(&f))
			_exit(1);
	_exit(0);
}

FIXTURE(follow)
{
	struct test_session s;
	int target;
	char pid_max[16];
};

FIXTURE_SETUP(follow)
{
	memset(self->pid_max, 0, sizeof(self->pid_max));
	test_setup();
	test_session_open(_metadata, &self->s, 1 << 20);
}

FIXTURE_TEARDOWN(follow)
{
	if (*self->pid_max)
		EXPECT_EQ(0, test_write_file(PID_MAX, self->pid_max));
	test_teardown();
}

static bool pids_are_few(char *before, size_t len)
{
	FILE *f = fopen(PID_MAX, "r");
	bool ok = f && fgets(before, len, f) && !test_write_file(PID_MAX, FEW_PIDS);

	if (f)
		fclose(f);
	return ok;
}

#define test_follow(pid)	ASSERT_EQ(0, _test_ioctl_follow(self->s.fd, pid))

#define OP_TEST_VALUE(n)						\
	OP(TAP_OP_ARG, 1, 0, 8, 0, 0), OP_REJECT_IF(TAP_OP_JNE, 1, n)

/* Two families at once, with the same ids again and again: exactly one of them is recorded. */
TEST_F_TIMEOUT(follow, all_that_a_process_starts_and_nothing_else, 120)
{
	struct family mine = { self->target, MINE }, other = { self->target, OTHER };
	__u32 plain, all_mine, all_other, made;
	const char *wanted = getenv("TEST_TASKS");
	const unsigned int rounds = (wanted ? atoi(wanted) : TASKS) / 2 / ROUND;
	__u64 gaps = 0, records = 0;
	struct test_record rec;
	struct tap_counters c;
	pid_t child[2];

	test_need_raw_tracepoints();
	test_ioctl_create(&plain, TAP_PROBE_RAWTP, "tap_target_event", OP_TEST_FOLLOWED,
			  OP_ARG(0));
	ASSERT_EQ(0, _test_ioctl_create_flags(self->s.fd, &all_mine, TAP_PROBE_RAWTP,
					      TAP_CREATE_F_COUNT, 0, "tap_target_event",
					      OPS(OP_TEST_VALUE(MINE))));
	ASSERT_EQ(0, _test_ioctl_create_flags(self->s.fd, &all_other, TAP_PROBE_RAWTP,
					      TAP_CREATE_F_COUNT, 0, "tap_target_event",
					      OPS(OP_TEST_VALUE(OTHER))));
	ASSERT_EQ(0, _test_ioctl_create_flags(self->s.fd, &made, TAP_PROBE_RAWTP,
					      TAP_CREATE_F_COUNT, 0, "task_newtask",
					      OPS(OP_TEST_FOLLOWED)));
	if (!pids_are_few(self->pid_max, sizeof(self->pid_max)))
		TH_LOG("%s cannot be changed", PID_MAX);
	test_ioctl_enable(0);
	child[0] = family_start(self->s.fd, mine, rounds);
	child[1] = family_start(-1, other, rounds);
	EXPECT_TRUE(ended_well(child[0]));
	EXPECT_TRUE(ended_well(child[1]));
	test_ioctl_disable(0);
	/* What was fired, for sure. */
	EXPECT_EQ(rounds * ROUND, test_counters(_metadata, &self->s, all_mine).aggregated);
	EXPECT_EQ(rounds * ROUND, test_counters(_metadata, &self->s, all_other).aggregated);
	EXPECT_EQ(rounds * ROUND, test_counters(_metadata, &self->s, made).aggregated);
	c = test_counters(_metadata, &self->s, plain);
	EXPECT_EQ(2 * rounds * ROUND, c.hits);
	EXPECT_EQ(rounds * ROUND, c.written);
	EXPECT_EQ(rounds * ROUND, c.filtered);
	for (; test_session_next(&self->s, &rec); records++) {
		gaps += rec.kind != TAP_KIND_EVENT;
		EXPECT_EQ(MINE, rec.word[0]);
	}
	EXPECT_EQ(0, gaps);
	EXPECT_EQ(rounds * ROUND, records);
}

/* A driver's release() runs when the task has passed the exit tracepoint. */
TEST_F(follow, a_task_that_ends_up_to_the_release_of_its_files)
{
	struct tap_counters c;
	unsigned int i;
	pid_t child;
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target:target_close", OP_TEST_FOLLOWED,
			  OP_COMM);
	test_ioctl_enable(id);
	for (i = 0; i < 20; i++) {
		child = fork();
		if (!child)
			_exit((i % 2 && _test_ioctl_follow(self->s.fd, getpid())) ||
			      open(TAP_TARGET_DEVICE, O_RDWR) < 0);
		EXPECT_TRUE(ended_well(child));
	}
	test_ioctl_disable(id);
	c = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(20, c.hits);
	EXPECT_EQ(10, c.written);
	EXPECT_EQ(10, c.filtered);
}

static void *exec_in_thread(void *data)
{
	execl("/bin/true", "true", NULL);
	return data;
}

/* The thread that calls execve gets the id of the process. */
TEST_F(follow, a_program_that_is_executed_by_any_thread)
{
	struct test_record rec;
	pid_t child[3], last;
	unsigned int i, seen[3] = {};
	pthread_t thread;
	__u32 id;

	if (access("/bin/true", X_OK))
		SKIP(return, "no /bin/true");
	test_ioctl_create(&id, TAP_PROBE_RAWTP, "sched_process_exit", OP_TEST_FOLLOWED,
			  OP_COMM);
	test_ioctl_enable(id);
	for (i = 0; i < 3; i++) {
		child[i] = fork();
		if (!child[i]) {
			/* The last one is not followed. */
			if (i < 2 && _test_ioctl_follow(self->s.fd, getpid()))
				_exit(1);
			if (i && pthread_create(&thread, NULL, exec_in_thread, NULL))
				_exit(1);
			if (i)
				pause();
			exec_in_thread(NULL);
			_exit(1);
		}
		EXPECT_TRUE(ended_well(child[i]));
	}
	test_ioctl_disable(id);
	last = child[2];
	while (test_session_next(&self->s, &rec)) {
		EXPECT_NE((__u32)last, rec.tgid);
		for (i = 0; i < 2; i++)
			seen[i] += rec.tid == (__u32)child[i] &&
				   !memcmp(&rec.word[0], "true", 5);
	}
	EXPECT_EQ(1, seen[0]);
	EXPECT_EQ(1, seen[1]);
}

static pthread_barrier_t barrier;

static void *fire_when_told(void *data)
{
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return fire_in_thread(data);
}

TEST_F(follow, threads_that_exist_already_but_no_children)
{
	struct family f = { self->target, MINE };
	int go[2], status;
	pthread_t thread;
	void *failed;
	pid_t child;
	char c;
	__u32 id;

	test_need_raw_tracepoints();
	test_ioctl_create(&id, TAP_PROBE_RAWTP, "tap_target_event", OP_TEST_FOLLOWED, OP_ARG(0));
	ASSERT_EQ(0, pthread_barrier_init(&barrier, NULL, 2));
	ASSERT_EQ(0, pthread_create(&thread, NULL, fire_when_told, &f));
	pthread_barrier_wait(&barrier);
	ASSERT_EQ(0, pipe(go));
	child = fork();
	if (!child)
		_exit(read(go[0], &c, 1) != 1 || fire_once(&f));
	test_follow(getpid());
	test_ioctl_enable(id);
	pthread_barrier_wait(&barrier);
	ASSERT_EQ(0, pthread_join(thread, &failed));
	EXPECT_EQ(NULL, failed);
	EXPECT_EQ(1, test_counters(_metadata, &self->s, id).written);
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	test_ioctl_disable(id);
	EXPECT_EQ(1, test_counters(_metadata, &self->s, id).written);
	EXPECT_EQ(1, test_counters(_metadata, &self->s, id).filtered);
}

/* Also a process that is followed when the probe is enabled already, and a second one. */
TEST_F(follow, several_processes_each_session_its_own)
{
	struct test_session other;
	struct family f[3] = {
		{ self->target, 0 }, { self->target, 1 }, { self->target, 2 },
	};
	unsigned int i, k;
	__u32 id[2];

	test_need_raw_tracepoints();
	test_session_open(_metadata, &other, 65536);
	for (i = 0; i < 2; i++) {
		int fd = i ? other.fd : self->s.fd;

		ASSERT_EQ(0, _test_ioctl_create(fd, &id[i], TAP_PROBE_RAWTP, "tap_target_event",
						OPS(OP_TEST_FOLLOWED, OP_ARG(0))));
		ASSERT_EQ(0, _test_ioctl_enable(fd, 0));
	}
	/* Both of the first session, then one of the other session, then nobody's. */
	for (i = 0; i < 4; i++) {
		int fd = i < 2 ? self->s.fd : i == 2 ? other.fd : -1;

		for (k = 0; k < 2; k++)
			EXPECT_TRUE(ended_well(family_start(fd, f[i % 3], 1)));
	}
	ASSERT_EQ(0, _test_ioctl_disable(other.fd, 0));
	test_ioctl_disable(0);
	EXPECT_EQ(4 * ROUND, test_counters(_metadata, &self->s, id[0]).written);
	EXPECT_EQ(4 * ROUND, test_counters(_metadata, &self->s, id[0]).filtered);
	EXPECT_EQ(2 * ROUND, test_counters(_metadata, &other, id[1]).written);
	EXPECT_EQ(6 * ROUND, test_counters(_metadata, &other, id[1]).filtered);
	test_session_close(&other);
}

/* Few probes of functions are armed alone, many as a group; the second value is the function. */
TEST_F(follow, at_functions_of_ftrace)
{
	const struct tap_op which = OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_FUNC, 0);
	struct tap_counters c;
	unsigned int nr, i;
	__u32 id[6];
	pid_t child;

	for (nr = 2; nr <= 6; nr += 4) {
		for (i = 0; i < nr; i++)
			if (_test_ioctl_create(self->s.fd, &id[i], TAP_PROBE_FUNC,
					       "tap_target_add",
					       OPS(OP_TEST_FOLLOWED, i % 2 ? which : OP_ARG(0),
						   OP_ARG(1))))
				SKIP(return, "no ftrace");
		test_ioctl_enable(0);
		child = fork();
		if (!child)
			_exit(_test_ioctl_follow(self->s.fd, getpid()) ||
			      _test_target(self->target, TAP_TARGET_CALL, TAP_TARGET_ADD, 3, 0,
					   NULL));
		EXPECT_TRUE(ended_well(child));
		test_target_call(TAP_TARGET_ADD, 2);
		test_ioctl_disable(0);
		for (i = 0; i < nr; i++) {
			c = test_counters(_metadata, &self->s, id[i]);
			EXPECT_EQ(3, c.written) TH_LOG("probe %u of %u", i, nr);
			EXPECT_EQ(2, c.filtered) TH_LOG("probe %u of %u", i, nr);
			test_ioctl_delete(id[i]);
		}
	}
}

static void *wait_for_end(void *data)
{
	*(pid_t *)data = gettid();
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return NULL;
}

TEST_F(follow, nothing_but_a_process)
{
	struct tap_follow follow = { .size = sizeof(follow), .pid = getpid() };
	pthread_t thread;
	pid_t child, tid;

	follow.flags = 1;
	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_FOLLOW, &follow));
	follow.flags = 0;
	follow.__reserved = 1;
	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_FOLLOW, &follow));
	EXPECT_ERRNO(EINVAL, _test_ioctl_follow(self->s.fd, 0));
	EXPECT_ERRNO(ESRCH, _test_ioctl_follow(self->s.fd, 0x7fffffff));
	EXPECT_ERRNO(ESRCH, _test_ioctl_follow(self->s.fd, ~0U));
	child = fork();
	if (!child)
		_exit(0);
	EXPECT_TRUE(ended_well(child));
	EXPECT_ERRNO(ESRCH, _test_ioctl_follow(self->s.fd, child));
	ASSERT_EQ(0, pthread_barrier_init(&barrier, NULL, 2));
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_for_end, &tid));
	pthread_barrier_wait(&barrier);
	EXPECT_ERRNO(ESRCH, _test_ioctl_follow(self->s.fd, tid));
	pthread_barrier_wait(&barrier);
	ASSERT_EQ(0, pthread_join(thread, NULL));
}

/* The bits are part of memory_max, from the first command that needs them to the end. */
TEST_F(follow, within_the_memory_of_all_sessions)
{
	struct test_session other;
	struct tap_info info;
	char limit[32];
	__u64 before;
	__u32 id;

	test_session_open(_metadata, &other, 4096);
	ASSERT_EQ(0, _test_ioctl_info(self->s.fd, &info));
	before = info.out_memory_used;
	snprintf(limit, sizeof(limit), "%llu", before + BITS_BYTES - 1);
	ASSERT_EQ(0, test_write_file(TEST_MEMORY_MAX, limit));
	EXPECT_ERRNO(ENOMEM, _test_ioctl_follow(other.fd, getpid()));
	ASSERT_EQ(0, _test_ioctl_info(other.fd, &info));
	EXPECT_EQ(BITS_BYTES, info.out_memory_refused);
	EXPECT_EQ(before, info.out_memory_used);
	EXPECT_ERRNO(ENOMEM, _test_ioctl_create(other.fd, &id, TAP_PROBE_RAWTP,
						"tap_target_event", OPS(OP_TEST_FOLLOWED)));
	ASSERT_EQ(0, test_write_file(TEST_MEMORY_MAX, "0"));
	ASSERT_EQ(0, _test_ioctl_follow(other.fd, getpid()));
	ASSERT_EQ(0, _test_ioctl_follow(other.fd, getpid()));
	ASSERT_EQ(0, _test_ioctl_info(self->s.fd, &info));
	EXPECT_EQ(before + BITS_BYTES, info.out_memory_used);
	test_session_close(&other);
	ASSERT_EQ(0, _test_ioctl_info(self->s.fd, &info));
	EXPECT_GT(before, info.out_memory_used);
}

/* Sessions begin and end to follow while tasks are created on another CPU. */
TEST_F(follow, from_sessions_that_come_and_go)
{
	pid_t child = family_start(-1, (struct family){ self->target, OTHER }, 40);
	unsigned int i;
	int fd;

	for (i = 0; i < 20; i++) {
		fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);
		ASSERT_LE(0, fd);
		EXPECT_EQ(0, _test_ioctl_follow(fd, i % 2 ? child : getpid()));
		close(fd);
	}
	EXPECT_TRUE(ended_well(child));
}

TEST_HARNESS_MAIN

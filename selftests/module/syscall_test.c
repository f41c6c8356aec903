// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of syscall probes: each return is paired with its entry, also if the task sleeps,
 * migrates, dies or executes another program in between; each call is counted once.
 */
#include "selftests/module/tap_harness.h"

#include <signal.h>

#define NR_CALLS	200000
#define NR_BLOCKED	200
#define NR_CHILDREN	400

/* Kernel-internal error code for "interrupted, restart". */
#define ERESTARTNOHAND	514

FIXTURE(syscall)
{
	struct test_session s;
};

FIXTURE_SETUP(syscall)
{
	self->s.fd = -1;
	test_need_root();
	test_session_open(_metadata, &self->s, 1 << 20);
}

FIXTURE_TEARDOWN(syscall)
{
	test_session_close(&self->s);
}

/* A probe of up to four system calls; -1 stands for none. */
static int _test_syscalls(int fd, __u32 *id, __u32 tasks, const long *nr,
			  const struct tap_op *ops, __u32 nr_ops)
{
	char target[64] = "";
	unsigned int i;
	size_t len = 0;

	for (i = 0; i < 4; i++)
		if (nr[i] >= 0)
			len += snprintf(target + len, sizeof(target) - len, "%s%ld",
					len ? "," : "", nr[i]);
	return _test_ioctl_create_flags(fd, id, TAP_PROBE_SYSCALL, 0, tasks,
					target, ops, nr_ops);
}

#define NRS(a, b, c, d)		((const long[]){ a, b, c, d })

/* Calls of this process only. */
#define test_create_own(id, tasks, nr, ...)				\
	ASSERT_EQ(0, _test_syscalls(self->s.fd, id, tasks, NRS(nr, -1, -1, -1), \
		  OPS(OP_TEST_TGID(getpid()), ##__VA_ARGS__)))

/* Calls of all processes. */
#define test_create_all(id, tasks, nrs, ...)				\
	ASSERT_EQ(0, _test_syscalls(self->s.fd, id, tasks, nrs,		\
		  OPS(__VA_ARGS__)))

static __u64 test_missed(struct __test_metadata *_metadata,
			 const struct test_session *s, __u32 id)
{
	struct tap_stats stats;

	ASSERT_EQ(0, _test_ioctl_stats(s->fd, id, NULL, 0, &stats));
	EXPECT_EQ(0, stats.out_nmissed);
	return stats.out_nmissed_return;
}

TEST_F(syscall, tells_its_arguments_its_result_and_how_long_it_took)
{
	static const char *const path[] = { "/dev/null", "/nowhere/at/all" };
	struct tap_time before, after;
	struct test_record rec;
	long fd[2];
	__u32 id;
	int i;

	test_create_own(&id, 0, SYS_openat, OP_ARG(0), OP_ARG(1), OP_ARG(2),
			OP_ARG(3), OP_ARG(4), OP_ARG(5));
	test_ioctl_enable(id);
	test_ioctl_time(&before);
	for (i = 0; i < 2; i++) {
		fd[i] = syscall(SYS_openat, AT_FDCWD, path[i], O_RDONLY | O_CLOEXEC,
				0x1111, 0x2222222222222222, -1L);
		if (fd[i] < 0)
			fd[i] = -errno;
	}
	test_ioctl_time(&after);
	ASSERT_LE(0, fd[0]);
	ASSERT_EQ(-ENOENT, fd[1]);
	close(fd[0]);
	for (i = 0; i < 2; i++) {
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_FALSE(rec.broken);
		EXPECT_EQ(fd[i], rec.word[TAP_CALL_RETVAL]);
		EXPECT_LT(0, rec.word[TAP_CALL_DURATION]);
		EXPECT_LT(before.out_raw, rec.time - rec.word[TAP_CALL_DURATION]);
		EXPECT_GT(after.out_raw, rec.time);
		EXPECT_EQ(AT_FDCWD, (int)rec.word[TAP_CALL_FETCHES]);
		EXPECT_EQ((uintptr_t)path[i], rec.word[TAP_CALL_FETCHES + 1]);
		EXPECT_EQ(O_RDONLY | O_CLOEXEC, rec.word[TAP_CALL_FETCHES + 2]);
		EXPECT_EQ(0x1111, rec.word[TAP_CALL_FETCHES + 3]);
		EXPECT_EQ(0x2222222222222222, rec.word[TAP_CALL_FETCHES + 4]);
		EXPECT_EQ(-1, rec.word[TAP_CALL_FETCHES + 5]);
		EXPECT_EQ(gettid(), rec.tid);
		EXPECT_EQ(0, rec.flags & (TAP_F_NO_RETURN | TAP_F_NESTED));
	}
	EXPECT_FALSE(test_session_next(&self->s, &rec));
}

/* A thread that makes calls with an argument that grows. */
static void *test_caller(void *arg)
{
	unsigned long cpu = (uintptr_t)arg;
	__u64 i;

	test_pin(cpu);
	for (i = 0; i < NR_CALLS; i++)
		syscall(SYS_getppid, i, cpu);
	return NULL;
}

static void test_run_callers(struct __test_metadata *_metadata)
{
	pthread_t thread[2];
	unsigned long cpu;

	for (cpu = 0; cpu < 2; cpu++)
		ASSERT_EQ(0, pthread_create(&thread[cpu], NULL, test_caller,
					    (void *)cpu));
	for (cpu = 0; cpu < 2; cpu++)
		pthread_join(thread[cpu], NULL);
}

TEST_F_TIMEOUT(syscall, of_each_processor_are_recorded_one_by_one, 120)
{
	struct test_record rec;
	struct tap_counters sum;
	__u64 next[2] = {};
	__u32 id;

	test_need_cpus(2);
	test_session_close(&self->s);
	test_session_open(_metadata, &self->s, 32 << 20);
	test_create_own(&id, 0, SYS_getppid, OP_ARG(0), OP_ARG(1));
	test_ioctl_enable(id);
	test_run_callers(_metadata);
	test_ioctl_disable(id);
	sum = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(2 * NR_CALLS, sum.hits);
	EXPECT_EQ(2 * NR_CALLS, sum.entered);
	EXPECT_EQ(2 * NR_CALLS, sum.written);
	EXPECT_EQ(0, test_missed(_metadata, &self->s, id));
	while (test_session_next(&self->s, &rec)) {
		__u64 cpu = rec.word[TAP_CALL_FETCHES + 1];

		ASSERT_GT(2, cpu);
		ASSERT_EQ(cpu, rec.cpu);
		ASSERT_EQ(next[cpu], rec.word[TAP_CALL_FETCHES]);
		ASSERT_EQ(getppid(), rec.word[TAP_CALL_RETVAL]);
		next[cpu]++;
	}
	EXPECT_EQ(NR_CALLS, next[0]);
	EXPECT_EQ(NR_CALLS, next[1]);
}

TEST_F_TIMEOUT(syscall, that_overrun_the_rings_are_counted_one_by_one, 120)
{
	struct tap_counters sum;
	__u64 pending, events, gaps = 0;
	__u32 id;

	test_need_cpus(2);
	test_create_own(&id, 0, SYS_getppid, OP_ARG(0), OP_ARG(1));
	test_ioctl_enable(id);
	test_run_callers(_metadata);
	test_ioctl_disable(id);
	sum = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(2 * NR_CALLS, sum.hits);
	EXPECT_EQ(2 * NR_CALLS, sum.entered);
	EXPECT_LT(0, sum.lost_full);
	EXPECT_EQ(2 * NR_CALLS, sum.written + sum.lost_full + sum.lost_nested);
	events = test_session_drain(&self->s, &gaps);
	test_ioctl_flush(&pending);
	events += test_session_drain(&self->s, &gaps);
	EXPECT_EQ(sum.written, events);
	EXPECT_EQ(sum.lost_full + sum.lost_nested, gaps);
}

TEST_F(syscall, that_moves_is_recorded_where_it_returns)
{
	struct test_record rec;
	unsigned int to;
	__u32 id;

	test_need_cpus(2);
	ASSERT_EQ(0, test_pin(1));
	test_create_own(&id, 0, SYS_sched_setaffinity);
	test_ioctl_enable(id);
	for (to = 0; to < 20; to++) {
		ASSERT_EQ(0, test_pin(to % 2));
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_NE(0, rec.flags & TAP_F_MIGRATED);
		EXPECT_NE(0, rec.flags & TAP_F_DESCHEDULED);
		EXPECT_EQ(to % 2, rec.cpu);
		EXPECT_EQ(0, rec.word[TAP_CALL_RETVAL]);
	}
	EXPECT_FALSE(test_session_next(&self->s, &rec));
}

TEST_F(syscall, that_sleeps_was_descheduled_and_lasts_as_long)
{
	struct timespec time = { .tv_nsec = 100000000 };
	struct test_record rec;
	__u64 ns;
	__u32 id;

	test_create_own(&id, 0, SYS_nanosleep);
	test_ioctl_enable(id);
	ASSERT_EQ(0, syscall(SYS_nanosleep, &time, NULL));
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_NE(0, rec.flags & TAP_F_DESCHEDULED);
	ns = test_ticks_to_ns(&self->s, rec.word[TAP_CALL_DURATION]);
	EXPECT_LE(95000000, ns);
	EXPECT_GE(5000000000, ns);
}

/* Threads that each block in a read() of one byte. */
struct test_blocked {
	pthread_t thread[NR_BLOCKED];
	struct {
		int fd;
		unsigned int tag;
	} arg[NR_BLOCKED];
	int pipe[2];
};

static void *test_block(void *arg)
{
	struct { int fd; unsigned int tag; } *a = arg;
	char byte;

	syscall(SYS_read, a->fd, &byte, 1, a->tag);
	return NULL;
}

/* Waits until a thread sleeps in that system call. */
static void test_wait_asleep(struct __test_metadata *_metadata, pid_t tid)
{
	char path[64], line[256];
	unsigned int tries;

	snprintf(path, sizeof(path), "/proc/%d/syscall", tid);
	for (tries = 0; tries < 1000; tries++) {
		FILE *file = fopen(path, "re");
		bool asleep;

		ASSERT_NE(NULL, file);
		asleep = fgets(line, sizeof(line), file) &&
			 strncmp(line, "running", 7);
		fclose(file);
		if (asleep)
			return;
		usleep(5000);
	}
	ASSERT_TRUE(false) TH_LOG("task %d does not sleep", tid);
}

static void test_block_threads(struct __test_metadata *_metadata,
			       struct test_blocked *b, unsigned int nr)
{
	unsigned int i;

	ASSERT_EQ(0, pipe2(b->pipe, O_CLOEXEC));
	for (i = 0; i < nr; i++) {
		b->arg[i].fd = b->pipe[0];
		b->arg[i].tag = i;
		ASSERT_EQ(0, pthread_create(&b->thread[i], NULL, test_block,
					    &b->arg[i]));
	}
}

/* Unblocks the threads one by one, and waits for their end. */
static void test_unblock(struct __test_metadata *_metadata,
			 struct test_blocked *b, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		ASSERT_EQ(1, write(b->pipe[1], "", 1));
	for (i = 0; i < nr; i++)
		pthread_join(b->thread[i], NULL);
	close(b->pipe[0]);
	close(b->pipe[1]);
}

/* Waits until that many reads were entered. */
static void test_wait_entered(struct __test_metadata *_metadata,
			      const struct test_session *s, __u32 id, __u64 nr)
{
	unsigned int tries;

	for (tries = 0; tries < 2000; tries++) {
		if (test_counters(_metadata, s, id).entered == nr)
			return;
		usleep(5000);
	}
	ASSERT_TRUE(false) TH_LOG("less than %llu calls are entered", nr);
}

TEST_F(syscall, of_many_tasks_at_once_each_find_their_own)
{
	struct test_blocked b;
	struct test_record rec;
	bool seen[NR_BLOCKED] = {};
	unsigned int i;
	__u32 id;

	test_create_own(&id, 0, SYS_read, OP_ARG(0), OP_ARG(1), OP_ARG(2),
			OP_ARG(3), OP_COMM);
	test_ioctl_enable(id);
	test_block_threads(_metadata, &b, NR_BLOCKED);
	test_wait_entered(_metadata, &self->s, id, NR_BLOCKED);
	EXPECT_FALSE(test_session_next(&self->s, &rec));
	test_unblock(_metadata, &b, NR_BLOCKED);
	for (i = 0; i < NR_BLOCKED; i++) {
		__u64 tag;

		ASSERT_TRUE(test_session_next(&self->s, &rec));
		tag = rec.word[TAP_CALL_FETCHES + 3];
		ASSERT_GT(NR_BLOCKED, tag);
		EXPECT_FALSE(seen[tag]);
		seen[tag] = true;
		EXPECT_EQ(1, rec.word[TAP_CALL_RETVAL]);
		EXPECT_EQ(b.arg[tag].fd, rec.word[TAP_CALL_FETCHES]);
		EXPECT_EQ(0, memcmp("syscall_test",
				    &rec.word[TAP_CALL_FETCHES + 4], 13));
	}
	EXPECT_FALSE(test_session_next(&self->s, &rec));
	EXPECT_EQ(0, test_missed(_metadata, &self->s, id));
}

TEST_F(syscall, under_way_when_the_probe_comes_or_goes_is_not_recorded)
{
	struct test_blocked b;
	struct test_record rec;
	struct tap_counters sum;
	__u32 id;

	test_create_own(&id, 0, SYS_read, OP_ARG(3));
	test_ioctl_enable(id);
	test_block_threads(_metadata, &b, 1);
	test_wait_entered(_metadata, &self->s, id, 1);
	test_ioctl_disable(id);
	sum = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(0, sum.hits);
	EXPECT_EQ(1, sum.entered);
	/* It returns while the probe is enabled again; its entry was before that. */
	test_ioctl_enable(id);
	test_unblock(_metadata, &b, 1);
	EXPECT_FALSE(test_session_next(&self->s, &rec));
	EXPECT_EQ(0, test_counters(_metadata, &self->s, id).hits);
	/* The next call is recorded correctly. */
	test_block_threads(_metadata, &b, 1);
	test_unblock(_metadata, &b, 1);
	EXPECT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_FALSE(test_session_next(&self->s, &rec));
	test_ioctl_disable(id);
	sum = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(1, sum.hits);
	EXPECT_EQ(2, sum.entered);
}

TEST_F(syscall, of_a_task_that_is_killed_returns)
{
	struct test_record rec;
	__u32 id;
	pid_t pid;

	test_create_all(&id, 0, NRS(SYS_ppoll, -1, -1, -1), OP_ARG(1));
	test_ioctl_enable(id);
	pid = fork();
	if (!pid) {
		syscall(SYS_ppoll, NULL, 0L, NULL, NULL, 0L);
		_exit(0);
	}
	ASSERT_LT(0, pid);
	test_wait_asleep(_metadata, pid);
	ASSERT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(pid, rec.tid);
	EXPECT_EQ(-ERESTARTNOHAND, rec.word[TAP_CALL_RETVAL]);
	EXPECT_FALSE(test_session_next(&self->s, &rec));
}

static void *test_exit_thread(void *arg)
{
	syscall(SYS_exit, 5);
	return arg;
}

TEST_F(syscall, that_does_not_return_is_recorded_at_once)
{
	struct tap_counters sum;
	struct test_record rec;
	unsigned int seen[2] = {};
	pthread_t thread;
	__u32 id;
	pid_t pid;

	test_create_all(&id, 0, NRS(SYS_exit, SYS_exit_group, -1, -1), OP_ARG(0));
	test_ioctl_enable(id);
	pid = fork();
	if (!pid) {
		pthread_create(&thread, NULL, test_exit_thread, NULL);
		pthread_join(thread, NULL);
		syscall(SYS_exit_group, 7);
	}
	ASSERT_LT(0, pid);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	test_ioctl_disable(id);
	while (test_session_next(&self->s, &rec)) {
		if (rec.tgid != (__u32)pid)
			continue;
		EXPECT_NE(0, rec.flags & TAP_F_NO_RETURN);
		EXPECT_EQ(0, rec.word[TAP_CALL_DURATION]);
		EXPECT_EQ(0, rec.word[TAP_CALL_RETVAL]);
		EXPECT_EQ(rec.tid == rec.tgid ? 7 : 5,
			  rec.word[TAP_CALL_FETCHES]);
		seen[rec.tid == rec.tgid]++;
	}
	EXPECT_EQ(1, seen[0]);
	EXPECT_EQ(1, seen[1]);
	sum = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(sum.entered, sum.hits);
}

#ifdef SYS_fork
#define FORKS	NRS(SYS_clone, SYS_fork, SYS_vfork, -1)
#else
#define FORKS	NRS(SYS_clone, -1, -1, -1)
#endif

TEST_F(syscall, that_returns_in_two_tasks_is_recorded_in_the_caller)
{
	struct tap_counters sum;
	struct test_record rec;
	unsigned int i;
	pid_t pid[3];
	__u32 id;

	test_create_all(&id, 0, FORKS);
	test_ioctl_enable(id);
	for (i = 0; i < 3; i++) {
		pid[i] = i ? fork() : vfork();
		if (!pid[i])
			_exit(0);
		ASSERT_LT(0, pid[i]);
		ASSERT_EQ(pid[i], waitpid(pid[i], NULL, 0));
	}
	test_ioctl_disable(id);
	for (i = 0; i < 3; i++) {
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_EQ(getpid(), rec.tid);
		EXPECT_EQ(pid[i], rec.word[TAP_CALL_RETVAL]);
	}
	EXPECT_FALSE(test_session_next(&self->s, &rec));
	sum = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(3, sum.hits);
	EXPECT_EQ(3, sum.entered);
}

static const char test_bin[] = "/bin/true";
static char *const test_true[] = { "true", NULL };

static void *test_exec_thread(void *arg)
{
	if (arg)
		syscall(SYS_execveat, AT_FDCWD, test_bin, test_true, NULL, 0);
	else
		syscall(SYS_execve, test_bin, test_true, NULL);
	_exit(1);
}

/*
 * The thread becomes the group leader. At the return, the kernel has the number of execve,
 * even if the call was execveat.
 */
TEST_F(syscall, that_becomes_another_program_returns_from_it)
{
	struct test_record rec;
	uintptr_t at;
	pthread_t thread;
	int status;
	__u32 id;
	pid_t pid;

	test_create_all(&id, 0, NRS(SYS_execve, SYS_execveat, -1, -1), OP_ARG(0),
			OP_ARG(1));
	test_ioctl_enable(id);
	for (at = 0; at < 2; at++) {
		pid = fork();
		if (!pid) {
			pthread_create(&thread, NULL, test_exec_thread,
				       (void *)at);
			pthread_join(thread, NULL);
		}
		ASSERT_LT(0, pid);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_EQ(0, status);
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_EQ(pid, rec.tgid);
		EXPECT_EQ(pid, rec.tid);
		EXPECT_EQ(0, rec.word[TAP_CALL_RETVAL]);
		EXPECT_EQ(at ? (__u32)AT_FDCWD : (__u32)(uintptr_t)test_bin,
			  (__u32)rec.word[TAP_CALL_FETCHES]);
		EXPECT_EQ(at ? (uintptr_t)test_bin : (uintptr_t)test_true,
			  rec.word[TAP_CALL_FETCHES + 1]);
	}
	EXPECT_FALSE(test_session_next(&self->s, &rec));
}

static void test_on_signal(int nr)
{
	(void)nr;
}

TEST_F(syscall, that_returns_from_a_signal_is_one)
{
	struct test_record rec;
	unsigned int i;
	__u32 id;

	ASSERT_NE(SIG_ERR, signal(SIGUSR1, test_on_signal));
	test_create_own(&id, 0, SYS_rt_sigreturn);
	test_ioctl_enable(id);
	for (i = 0; i < 10; i++)
		raise(SIGUSR1);
	test_ioctl_disable(id);
	EXPECT_EQ(10, test_session_drain(&self->s, NULL));
	EXPECT_EQ(10, test_counters(_metadata, &self->s, id).entered);
	EXPECT_FALSE(test_session_next(&self->s, &rec));
}

#ifdef __x86_64__
/* Number 20 is getpid for 32-bit programs, and writev for 64-bit ones. */
TEST_F(syscall, of_a_32_bit_program_is_no_hit)
{
	__u32 id;
	pid_t pid;

	test_create_all(&id, 0, NRS(20, SYS_exit_group, -1, -1));
	test_ioctl_enable(id);
	pid = fork();
	if (!pid) {
		long nr = 20;

		/* If the kernel runs no 32-bit programs, this raises a signal. */
		asm volatile("int $0x80" : "+a" (nr)
			     : : "memory", "r8", "r9", "r10", "r11");
		_exit(nr != getpid());
	}
	ASSERT_LT(0, pid);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	test_ioctl_disable(id);
	EXPECT_GE(1, test_counters(_metadata, &self->s, id).entered);
}
#endif

#if defined(__x86_64__) && defined(__LP64__)
/* Kernels without x32 refuse the call, but trace it all the same. */
TEST_F(syscall, of_an_x32_program_is_no_hit)
{
	unsigned int i;
	__u32 id;

	test_create_own(&id, 0, SYS_getppid);
	test_ioctl_enable(id);
	for (i = 0; i < 10; i++)
		syscall(0x40000000 | SYS_getppid);
	for (i = 0; i < 3; i++)
		syscall(SYS_getppid);
	test_ioctl_disable(id);
	EXPECT_EQ(3, test_counters(_metadata, &self->s, id).written);
}
#endif

TEST_F(syscall, of_others_are_filtered_at_the_entry)
{
	struct tap_counters sum;
	unsigned int i;
	__u32 id;

	test_create_all(&id, 0, NRS(SYS_getppid, -1, -1, -1),
			OP_TEST_TGID(getpid() + 1));
	test_ioctl_enable(id);
	for (i = 0; i < 1000; i++)
		getppid();
	test_ioctl_disable(id);
	sum = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(1000, sum.hits);
	EXPECT_EQ(1000, sum.filtered);
	EXPECT_EQ(0, sum.entered);
	EXPECT_EQ(0, test_session_drain(&self->s, NULL));
}

/* Only calls that fail, with the text of their argument. */
TEST_F(syscall, may_be_filtered_by_what_it_returns)
{
	static const char path[] = "/nowhere/at/all";
	struct tap_counters sum;
	struct test_record rec;
	unsigned int i;
	int fd;
	__u32 id;

	test_create_own(&id, 0, SYS_openat, OP_ARG(1),
			OP(TAP_OP_RETURN, 0, 0, 0, 0, 0),
			OP(TAP_OP_RETVAL, 0, 0, 8, 0, 0),
			OP(TAP_OP_JGE, 0, TAP_OP_IMM_SRC, 8 | TAP_OP_SIGNED,
			   TAP_OP_REJECT, 0),
			OP(TAP_OP_WORD, 1, 0, 8, TAP_CALL_FETCHES, 0),
			OP(TAP_OP_STRING_USER, TAP_OP_OUT, 1, 0, 0, 32),
			OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_SYSCALL, 0));
	test_ioctl_enable(id);
	for (i = 0; i < 100; i++) {
		fd = open(i % 4 ? "/dev/null" : path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0)
			close(fd);
	}
	test_ioctl_disable(id);
	sum = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(100, sum.hits);
	EXPECT_EQ(75, sum.filtered);
	EXPECT_EQ(25, sum.written);
	EXPECT_EQ(25, sum.entered);
	for (i = 0; i < 25; i++) {
		const __u64 *word = &rec.word[TAP_CALL_FETCHES];

		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_EQ(-ENOENT, rec.word[TAP_CALL_RETVAL]);
		EXPECT_EQ((uintptr_t)path, word[0]);
		EXPECT_EQ(sizeof(path) - 1, word[1]);
		EXPECT_STREQ(path, (const char *)&word[2]);
		EXPECT_EQ(SYS_openat, word[6]);
	}
	EXPECT_FALSE(test_session_next(&self->s, &rec));
}

TEST_F(syscall, may_be_filtered_by_its_arguments)
{
	struct tap_counters sum;
	unsigned int i;
	__u32 id;

	test_create_own(&id, 0, SYS_getppid, OP(TAP_OP_ARG, 0, 0, 8, 1, 0),
			OP_REJECT_IF(TAP_OP_JLT, 0, 900), OP_ARG(1));
	test_ioctl_enable(id);
	for (i = 0; i < 1000; i++)
		syscall(SYS_getppid, 0, i);
	test_ioctl_disable(id);
	sum = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(1000, sum.hits);
	EXPECT_EQ(900, sum.filtered);
	EXPECT_EQ(100, sum.entered);
	EXPECT_EQ(100, sum.written);
}

/* Children run one after the other, and half of them are killed; maxactive is small. */
TEST_F(syscall, of_a_task_that_ended_leaves_its_room_to_others)
{
	unsigned int i;
	__u32 id;

	test_create_all(&id, 2, NRS(SYS_getppid, -1, -1, -1));
	test_ioctl_enable(id);
	for (i = 0; i < NR_CHILDREN; i++) {
		pid_t pid = fork();

		if (!pid) {
			getppid();
			if (i % 2)
				raise(SIGKILL);
			_exit(0);
		}
		ASSERT_LT(0, pid);
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	}
	test_ioctl_disable(id);
	EXPECT_EQ(NR_CHILDREN, test_counters(_metadata, &self->s, id).hits);
	EXPECT_EQ(0, test_missed(_metadata, &self->s, id));
}

TEST_F(syscall, of_more_tasks_than_there_is_room_for_are_missed_and_counted)
{
	struct test_blocked b;
	struct tap_counters sum;
	__u64 missed;
	__u32 id;

	test_create_own(&id, 1, SYS_read, OP_ARG(3));
	test_ioctl_enable(id);
	test_block_threads(_metadata, &b, NR_BLOCKED);
	test_unblock(_metadata, &b, NR_BLOCKED);
	test_ioctl_disable(id);
	sum = test_counters(_metadata, &self->s, id);
	missed = test_missed(_metadata, &self->s, id);
	EXPECT_LT(0, missed);
	EXPECT_LT(0, sum.hits);
	/* Other processes read as well, such as the one that prints this test's output. */
	EXPECT_EQ(NR_BLOCKED, sum.hits - sum.filtered + missed);
	EXPECT_EQ(sum.entered, sum.hits - sum.filtered);
	EXPECT_EQ(sum.entered, test_session_drain(&self->s, NULL));
}

TEST_F(syscall, has_a_target_of_numbers)
{
	static const char *const bad[] = {
		"openat", "1024", "5-3", "1 ", "-1", "0-10:2/4", "all", "**", ",",
	};
	static const char *const good[] = { "*", "0", "1023", "0,2-5,257" };
	struct tap_probe_info info;
	unsigned int i;
	__u32 id;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_ERRNO(EINVAL, _test_ioctl_create(self->s.fd, NULL,
							TAP_PROBE_SYSCALL,
							bad[i], NULL, 0));
	EXPECT_ERRNO(EINVAL, _test_ioctl_create_flags(self->s.fd, NULL,
						      TAP_PROBE_SYSCALL, 0,
						      TAP_MAX_TASKS + 1, "0",
						      NULL, 0));
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		ASSERT_EQ(0, _test_ioctl_create(self->s.fd, &id, TAP_PROBE_SYSCALL,
						good[i], NULL, 0));
		test_ioctl_probe_info(id, NULL, 0, &info);
		EXPECT_EQ(TAP_PROBE_SYSCALL, info.out_type);
		EXPECT_EQ(4096, info.out_maxactive);
		EXPECT_EQ(TAP_CALL_FETCHES, info.out_words);
		EXPECT_STREQ(good[i], info.out_target);
		test_ioctl_delete(id);
	}
}

/* System calls of all kinds, in tasks that are created and end. */
static void *test_stress(void *arg)
{
	volatile bool *stop = arg;
	char byte;

	while (!*stop) {
		int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
		pid_t pid;

		if (read(fd, &byte, 1) == 1)
			getppid();
		close(fd);
		sched_yield();
		pid = fork();
		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
	return NULL;
}

TEST_F_TIMEOUT(syscall, of_all_kinds_come_while_the_probe_comes_and_goes, 120)
{
	volatile bool stop = false;
	struct tap_counters sum, own = {};
	pthread_t thread[3];
	unsigned int i, round;
	__u64 events = 0, gaps = 0, pending;
	__u32 all, mine;

	ASSERT_EQ(0, _test_ioctl_create(self->s.fd, &all, TAP_PROBE_SYSCALL, "*",
					OPS(OP_ARG(0), OP_COMM)));
	ASSERT_EQ(0, _test_ioctl_create(self->s.fd, &mine, TAP_PROBE_SYSCALL, "*",
					OPS(OP_TEST_TGID(getpid()), OP_ARG(0))));
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, test_stress,
					    (void *)&stop));
	for (round = 0; round < 10; round++) {
		test_ioctl_enable(0);
		usleep(20000);
		events += test_session_drain(&self->s, &gaps);
		test_ioctl_disable(0);
		sum = test_counters(_metadata, &self->s, all);
		own = test_counters(_metadata, &self->s, mine);
		EXPECT_LE(sum.hits - sum.filtered, sum.entered);
		EXPECT_LE(own.hits - own.filtered, own.entered);
		/* The calls in flight are at most as many as the tasks. */
		EXPECT_GE((round + 1) * 200, sum.entered - sum.hits);
	}
	stop = true;
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		pthread_join(thread[i], NULL);
	test_ioctl_flush(&pending);
	events += test_session_drain(&self->s, &gaps);
	EXPECT_EQ(0, pending);
	EXPECT_EQ(sum.written + own.written, events);
	EXPECT_EQ(sum.lost_full + sum.lost_nested + own.lost_full +
		  own.lost_nested, gaps);
	EXPECT_LT(0, own.filtered);
	EXPECT_LT(0, sum.written);
	EXPECT_EQ(0, test_missed(_metadata, &self->s, all));
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of watchpoints in programs: each write of each thread makes one record with the old and the
 * new value; threads and processes come and go; debug registers run out.
 */
#include "selftests/module/tap_harness.h"

#include <linux/perf_event.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define EACH		500
#define READ_WRITE	(TAP_WATCH_READ | TAP_WATCH_WRITE)

#define OP_IP		OP(TAP_OP_FIELD, TAP_OP_OUT, 0, 8, offsetof(struct tap_watch, ip), 0)
#define OP_OLD		OP(TAP_OP_FIELD, TAP_OP_OUT, 0, 8, offsetof(struct tap_watch, old_value), 0)
#define OP_NEW		OP(TAP_OP_FIELD, TAP_OP_OUT, 0, 8, offsetof(struct tap_watch, new_value), 0)
#define OPS_WATCH	OPS(OP_OLD, OP_NEW, OP_IP)

/* At different addresses: the emulator reports only the first watchpoint of an address. */
static volatile __u64 watched[8] __attribute__((aligned(64)));

/* Offset of an instruction in this file: its segments are loaded as they lie in it. */
extern const char __ehdr_start[];

FIXTURE(user_watch)
{
	struct test_session s;
	int file;
};

FIXTURE_SETUP(user_watch)
{
	struct tap_info info;

	test_session_open(_metadata, &self->s, 1 << 20);
	self->file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, self->file);
	test_ioctl_info(&info);
	if (!(info.out_features & TAP_FEATURE_WATCHPOINT))
		SKIP(return, "this architecture has no watchpoints in programs");
	memset((void *)watched, 0, sizeof(watched));
}

FIXTURE_TEARDOWN(user_watch)
{
	test_session_close(&self->s);
	close(self->file);
}

static int create_perf(int fd, int file, __u32 *id, const struct tap_perf *perf, pid_t pid,
		       __u64 offset)
{
	struct tap_create create = test_create_arg(TAP_PROBE_USER_WATCH, "watched", OPS_WATCH);
	int ret;

	create.perf = (uintptr_t)perf;
	create.file = file;
	create.pid = pid;
	create.offset = offset;
	ret = ioctl(fd, TAP_IOC_CREATE, &create);
	if (!ret && id)
		*id = create.out_id;
	return ret;
}

static int create(int fd, int file, __u32 *id, __u64 access, __u64 length, __u64 address,
		  pid_t pid, __u64 offset)
{
	const struct tap_perf perf = {
		.size = sizeof(perf), .type = PERF_TYPE_BREAKPOINT, .config = access,
		.config1 = address, .config2 = length,
	};

	return create_perf(fd, file, id, &perf, pid, offset);
}
#define test_create(id, access, length, at)						\
	ASSERT_EQ(0, create(self->s.fd, self->file, id, access, length, (uintptr_t)(at),	\
			    getpid(), 0)) TH_LOG("%s", strerror(errno))

static __u64 missed(struct __test_metadata *_metadata, struct test_session *s, __u32 id)
{
	struct tap_stats stats = { .size = sizeof(stats), .id = id };

	EXPECT_EQ(0, ioctl(s->fd, TAP_IOC_STATS, &stats));
	return stats.out_nmissed;
}

static __attribute__((noinline)) void write_values(unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		watched[0]++;
}

static void *writer(void *arg)
{
	write_values(EACH);
	return arg;
}

static void *maker(void *arg)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, writer, NULL))
		pthread_join(thread, NULL);
	return arg;
}

static pthread_barrier_t barrier;

static void *waiter(void *arg)
{
	pthread_barrier_wait(&barrier);
	return writer(arg);
}

static volatile bool stop;
static volatile __u64 made;

static void *create_threads(void *arg)
{
	while (!stop) {
		maker(arg);
		__atomic_add_fetch(&made, 1, __ATOMIC_SEQ_CST);
	}
	return arg;
}

/* Where a process is armed. */
static __attribute__((noipa)) void place(void)
{
	__asm__ volatile("nop");
}

TEST_F(user_watch, old_and_new_value_and_the_place)
{
	struct test_record rec;
	__u32 id;
	int i;

	test_create(&id, TAP_WATCH_WRITE, 8, &watched[0]);
	test_ioctl_enable(id);
	write_values(EACH);
	test_ioctl_disable(id);
	write_values(1);
	for (i = 0; i < EACH; i++) {
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		ASSERT_EQ(i, rec.word[0]);
		ASSERT_EQ(i + 1, rec.word[1]);
		ASSERT_LE((uintptr_t)write_values, rec.word[2]);
		ASSERT_GT((uintptr_t)write_values + 64, rec.word[2]);
		ASSERT_EQ((__u32)getpid(), rec.tgid);
		ASSERT_EQ(0, rec.flags & (TAP_F_NMI | TAP_F_HARDIRQ | TAP_F_SOFTIRQ));
	}
	EXPECT_FALSE(test_session_next(&self->s, &rec));
	EXPECT_EQ(EACH, test_counters(_metadata, &self->s, id).written);
	EXPECT_EQ(0, missed(_metadata, &self->s, id));
}

/* Threads of before, of after, and of a thread of after; each value is the old one of the next. */
TEST_F(user_watch, threads_that_exist_and_that_come)
{
	struct test_record rec;
	pthread_t thread[4];
	unsigned int i, nr = 0;
	__u32 id;

	ASSERT_EQ(0, pthread_barrier_init(&barrier, NULL, 3));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, waiter, NULL));
	test_create(&id, TAP_WATCH_WRITE, 8, &watched[0]);
	test_ioctl_enable(id);
	ASSERT_EQ(0, pthread_create(&thread[2], NULL, writer, NULL));
	ASSERT_EQ(0, pthread_create(&thread[3], NULL, maker, NULL));
	pthread_barrier_wait(&barrier);
	for (i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	test_ioctl_disable(id);
	while (test_session_next(&self->s, &rec))
		nr++;
	EXPECT_EQ(4 * EACH, nr);
	EXPECT_EQ(4 * EACH, test_counters(_metadata, &self->s, id).written);
	EXPECT_EQ(0, missed(_metadata, &self->s, id));
}

/* With a pid, other processes are not wanted: not even those that it creates. */
TEST_F(user_watch, no_child_of_a_process)
{
	pid_t child;
	__u32 id;

	test_create(&id, TAP_WATCH_WRITE, 8, &watched[0]);
	test_ioctl_enable(id);
	child = fork();
	if (!child) {
		write_values(EACH);
		_exit(0);
	}
	ASSERT_EQ(child, waitpid(child, NULL, 0));
	write_values(3);
	test_ioctl_disable(id);
	EXPECT_EQ(3, test_counters(_metadata, &self->s, id).hits);
	EXPECT_EQ(0, missed(_metadata, &self->s, id));
}

/* The kernel writes as well, and what the handler reads is no access. */
TEST_F(user_watch, reads_and_the_kernel)
{
	struct test_record rec;
	__u64 value = 7;
	unsigned int i;
	int fd[2];
	__u32 id;

	test_create(&id, READ_WRITE, 8, &watched[1]);
	test_ioctl_enable(id);
	for (i = 0; i < EACH; i++)
		value += watched[1];
	ASSERT_EQ(0, pipe(fd));
	ASSERT_EQ(sizeof(value), write(fd[1], &value, sizeof(value)));
	ASSERT_EQ(sizeof(value), read(fd[0], (void *)&watched[1], sizeof(value)));
	test_ioctl_disable(id);
	for (i = 0; i < EACH; i++) {
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		ASSERT_EQ(0, rec.word[0]);
		ASSERT_EQ(0, rec.word[1]);
	}
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(0, rec.word[0]);
	/* A copy of single bytes is several accesses. */
	while (test_session_next(&self->s, &rec))
		;
	EXPECT_EQ(7, rec.word[1] & 0xff);
	EXPECT_GT(0, (__s64)rec.word[2]);
	close(fd[0]);
	close(fd[1]);
}

TEST_F(user_watch, a_pointer)
{
	static volatile __u64 *pointer = &watched[0];
	const struct tap_perf perf = {
		.size = sizeof(perf), .type = PERF_TYPE_BREAKPOINT, .config = TAP_WATCH_WRITE,
		.config1 = (uintptr_t)&pointer, .config2 = 8, .period = sizeof(watched[0]),
		.flags = TAP_PERF_F_POINTER,
	};
	__u32 id;

	ASSERT_EQ(0, create_perf(self->s.fd, self->file, &id, &perf, getpid(), 0));
	test_ioctl_enable(id);
	watched[1]++;
	watched[0]++;
	test_ioctl_disable(id);
	EXPECT_EQ(1, test_counters(_metadata, &self->s, id).hits);
}

TEST_F(user_watch, execution)
{
	struct test_record rec;
	unsigned int nr = 0;
	__u32 id;

	test_create(&id, TAP_WATCH_EXECUTE, 1, write_values);
	test_ioctl_enable(id);
	for (nr = 0; nr < 100; nr++)
		write_values(0);
	test_ioctl_disable(id);
	for (nr = 0; test_session_next(&self->s, &rec); nr++) {
		ASSERT_EQ((uintptr_t)write_values, rec.word[2]);
		ASSERT_EQ(0, rec.word[0]);
		ASSERT_EQ(0, rec.word[1]);
	}
	EXPECT_EQ(100, nr);
}

/* A place that each process executes arms it; it is found by its distance. */
TEST_F(user_watch, a_process_that_gets_there_and_its_children)
{
	__u64 offset = (uintptr_t)place - (uintptr_t)__ehdr_start;
	unsigned int forked = 0, parent = 0;
	struct tap_probe_info info;
	struct test_record rec;
	__u64 last[2] = { 0, 0 };
	pid_t child;
	__u32 id;

	ASSERT_EQ(0, create(self->s.fd, self->file, &id, TAP_WATCH_WRITE, 8,
			    (uintptr_t)&watched[0] - (uintptr_t)place, 0, offset));
	test_ioctl_enable(id);
	write_values(1);
	EXPECT_EQ(TAP_STATE_WAITING, test_state(_metadata, &self->s, id));
	place();
	EXPECT_EQ(TAP_STATE_ENABLED, test_state(_metadata, &self->s, id));
	last[0] = watched[0];
	write_values(10);
	child = fork();
	if (!child) {
		maker(NULL);
		_exit(0);
	}
	ASSERT_EQ(child, waitpid(child, NULL, 0));
	write_values(10);
	test_ioctl_disable(id);
	last[1] = 11;
	while (test_session_next(&self->s, &rec)) {
		bool other = rec.tgid != (__u32)getpid();

		ASSERT_EQ(last[other], rec.word[0]);
		ASSERT_EQ(rec.word[0] + 1, rec.word[1]);
		last[other] = rec.word[1];
		forked += other;
		parent += !other;
	}
	EXPECT_EQ(20, parent);
	EXPECT_EQ(EACH, forked);
	EXPECT_EQ(0, missed(_metadata, &self->s, id));
	EXPECT_EQ(0, _test_ioctl_probe_info(self->s.fd, id, NULL, 0, &info));
	EXPECT_EQ(0, info.out_address);
}

/* What one process has watched is not watched in the program that it executes. */
TEST_F(user_watch, another_program)
{
	pid_t child;
	__u32 id;
	int go[2], status;

	ASSERT_EQ(0, pipe(go));
	child = fork();
	if (!child) {
		char c;

		if (read(go[0], &c, 1) != 1)
			_exit(1);
		write_values(2);
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	ASSERT_EQ(0, create(self->s.fd, self->file, &id, TAP_WATCH_WRITE, 8, (uintptr_t)&watched[0],
			    child, 0));
	test_ioctl_enable(id);
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	test_ioctl_disable(id);
	EXPECT_EQ(2, test_counters(_metadata, &self->s, id).hits);
}

#define GENERATIONS	6
#define GENERATION	"TAP_TEST_GENERATION"
#define FORKS		"TAP_TEST_FORKS"

/* Executes this program, in a new process or not, with the number of the next generation. */
static void execute_again(int generation)
{
	char number[16];
	int status;
	pid_t child;

	if (getenv(FORKS)) {
		child = fork();
		if (child)
			_exit(waitpid(child, &status, 0) != child || status);
	}
	snprintf(number, sizeof(number), "%d", generation + 1);
	setenv(GENERATION, number, 1);
	execl("/proc/self/exe", "self", NULL);
	_exit(1);
}

/* In place of the tests, in a process that execute_again() has made. */
__attribute__((constructor)) static void run_generation(void)
{
	const char *generation = getenv(GENERATION);

	if (!generation)
		return;
	place();
	write_values(10);
	if (atoi(generation) < GENERATIONS)
		execute_again(atoi(generation));
	_exit(0);
}

/*
 * Each program is armed when it gets there, whatever the one before has left in the task: with
 * and without fork(), at the same address and at others. No access makes two events.
 */
TEST_F_TIMEOUT(user_watch, a_program_that_executes_itself, 120)
{
	__u64 offset = (uintptr_t)place - (uintptr_t)__ehdr_start, lost = 0, last;
	struct test_record rec;
	int status, i, nr;
	pid_t child;
	__u32 id;

	ASSERT_EQ(0, create(self->s.fd, self->file, &id, TAP_WATCH_WRITE, 8,
			    (uintptr_t)&watched[0] - (uintptr_t)place, 0, offset));
	for (i = 0; i < 4; i++) {
		test_ioctl_enable(id);
		child = fork();
		if (!child) {
			if (i & 1)
				setenv(FORKS, "", 1);
			if (i & 2)
				personality(ADDR_NO_RANDOMIZE);
			execute_again(0);
		}
		ASSERT_EQ(child, waitpid(child, &status, 0));
		EXPECT_EQ(0, status);
		test_ioctl_disable(id);
		lost = missed(_metadata, &self->s, id) - lost;
		/* Before Linux 5.13 programs at other addresses fill the debug registers. */
		if (!test_kernel_before(5, 13) || i & 2)
			EXPECT_EQ(0, lost);
		for (nr = 0; test_session_next(&self->s, &rec); nr++) {
			last = nr % 10;
			ASSERT_EQ(last, rec.word[0]) TH_LOG("round %d, event %d", i, nr);
			ASSERT_EQ(last + 1, rec.word[1]);
		}
		EXPECT_EQ(10 * GENERATIONS, nr + 10 * (int)lost) TH_LOG("round %d", i);
		lost = missed(_metadata, &self->s, id);
	}
}

static int report[2];

static void *write_for_parent(void *arg)
{
	char c;

	/* The parent wants to see the main thread ended. */
	usleep(100000);
	if (write(report[1], "", 1) != 1 || read(report[1], &c, 1) != 1)
		_exit(1);
	write_values(2);
	_exit(0);
	return arg;
}

TEST_F(user_watch, a_process_whose_main_thread_has_ended)
{
	pthread_t thread;
	pid_t child;
	__u32 id;
	int status;
	char c;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, report));
	child = fork();
	if (!child) {
		if (pthread_create(&thread, NULL, write_for_parent, NULL))
			_exit(1);
		/* This thread alone. */
		syscall(SYS_exit, 0);
	}
	ASSERT_EQ(1, read(report[0], &c, 1));
	ASSERT_EQ(0, create(self->s.fd, self->file, &id, TAP_WATCH_WRITE, 8, (uintptr_t)&watched[0],
			    child, 0));
	test_ioctl_enable(id);
	ASSERT_EQ(1, write(report[0], "", 1));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	test_ioctl_disable(id);
	EXPECT_EQ(2, test_counters(_metadata, &self->s, id).hits);
	close(report[0]);
	close(report[1]);
}

TEST_F(user_watch, more_than_the_processor_has)
{
	__u32 id[5];
	unsigned int i, round;

	for (i = 0; i < 5; i++)
		test_create(&id[i], TAP_WATCH_WRITE, 8, &watched[i]);
	for (round = 0; round < 3; round++) {
		test_err_ioctl_enable(ENOSPC, 0);
		for (i = 0; i < 4; i++)
			test_ioctl_enable(id[i]);
		test_err_ioctl_enable(ENOSPC, id[4]);
		test_ioctl_disable(id[0]);
		test_ioctl_enable(id[4]);
		/*
		 * Of two watchpoints that are hit in turn the emulator reports the earlier one
		 * again with the other: it forgets a hit only when it looks at all of them.
		 */
		watched[4]++;
		watched[0]++;
		test_ioctl_disable(0);
	}
	EXPECT_EQ(3, test_counters(_metadata, &self->s, id[4]).written);
	EXPECT_EQ(0, test_counters(_metadata, &self->s, id[0]).hits);
}

/* All of them live at the same time; what has no room is reported. */
TEST_F_TIMEOUT(user_watch, more_processes_than_there_is_room_for, 120)
{
	__u64 offset = (uintptr_t)place - (uintptr_t)__ehdr_start;
	int go[2], status, i, nr = 300, good = 0;
	char c;
	__u32 id;

	ASSERT_EQ(0, create(self->s.fd, self->file, &id, TAP_WATCH_WRITE, 8,
			    (uintptr_t)&watched[0] - (uintptr_t)place, 0, offset));
	test_ioctl_enable(id);
	place();
	ASSERT_EQ(0, pipe(go));
	for (i = 0; i < nr; i++) {
		if (!fork()) {
			close(go[1]);
			if (read(go[0], &c, 1))
				_exit(1);
			write_values(1);
			_exit(0);
		}
	}
	close(go[1]);
	for (i = 0; i < nr; i++)
		good += wait(&status) > 0 && !status;
	test_ioctl_disable(id);
	EXPECT_EQ(nr, good);
	EXPECT_EQ(255, test_counters(_metadata, &self->s, id).hits);
	EXPECT_EQ(nr - 255, (int)missed(_metadata, &self->s, id));
	close(go[0]);
}

TEST_F(user_watch, what_cannot_be_watched)
{
	const __u64 at = (uintptr_t)&watched[0];
	__u32 id;

	EXPECT_ERRNO(EINVAL, create(self->s.fd, self->file, NULL, TAP_WATCH_READ, 8, at, getpid(), 0));
	EXPECT_ERRNO(EINVAL, create(self->s.fd, self->file, NULL, TAP_WATCH_WRITE, 3, at, getpid(), 0));
	EXPECT_ERRNO(EINVAL, create(self->s.fd, self->file, NULL, TAP_WATCH_WRITE, 8, at, getpid(), 1));
	EXPECT_ERRNO(EBADF, create(self->s.fd, -1, NULL, TAP_WATCH_WRITE, 8, at, getpid(), 0));
	EXPECT_ERRNO(ESRCH, create(self->s.fd, self->file, NULL, TAP_WATCH_WRITE, 8, at, 1 << 22, 0));
	ASSERT_EQ(0, create(self->s.fd, self->file, &id, TAP_WATCH_WRITE, 8, at + 1, getpid(), 0));
	test_err_ioctl_enable(EADDRNOTAVAIL, id);
	ASSERT_EQ(0, create(self->s.fd, self->file, &id, TAP_WATCH_WRITE, 8, 16, getpid(), 0));
	test_err_ioctl_enable(EFAULT, id);
	ASSERT_EQ(0, create(self->s.fd, self->file, &id, TAP_WATCH_WRITE, 8, ~7ULL << 32, getpid(), 0));
	test_err_ioctl_enable(EADDRNOTAVAIL, id);
}

TEST_F(user_watch, a_process_that_has_ended)
{
	pid_t child = fork();
	__u32 id;

	if (!child)
		pause();
	ASSERT_EQ(0, create(self->s.fd, self->file, &id, TAP_WATCH_WRITE, 8, (uintptr_t)&watched[0],
			    child, 0));
	test_ioctl_enable(id);
	kill(child, SIGKILL);
	ASSERT_EQ(child, waitpid(child, NULL, 0));
	test_ioctl_disable(id);
	test_err_ioctl_enable(ESRCH, id);
}

/*
 * Threads are created all the time, while others are armed: each is armed before it runs, or it
 * is reported.
 */
TEST_F_TIMEOUT(user_watch, threads_that_are_being_created, 120)
{
	pthread_t thread[2];
	unsigned int round, i;
	__u64 hits, before;
	__u32 id;

	test_create(&id, TAP_WATCH_EXECUTE, 1, writer);
	for (round = 0; round < 10; round++) {
		stop = false;
		for (i = 0; i < 2; i++)
			ASSERT_EQ(0, pthread_create(&thread[i], NULL, create_threads, NULL));
		hits = test_counters(_metadata, &self->s, id).hits;
		test_ioctl_enable(id);
		before = made;
		while (made < before + 20)
			sched_yield();
		stop = true;
		for (i = 0; i < 2; i++)
			pthread_join(thread[i], NULL);
		before = made - before;
		test_ioctl_disable(id);
		hits = test_counters(_metadata, &self->s, id).hits - hits;
		/* A thread of each creator may have run before, and be counted afterwards. */
		EXPECT_LE(before, hits + missed(_metadata, &self->s, id) + 2);
		test_session_drain(&self->s, NULL);
	}
	TH_LOG("%llu threads were reported", (unsigned long long)missed(_metadata, &self->s, id));
}

TEST_HARNESS_MAIN

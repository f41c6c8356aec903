// SPDX-License-Identifier: GPL-2.0
/*
 * Tests that divided durations are true: the parts of calls whose time is known (tap_waits.ko), of
 * many calls that wait now and then, and of a task whose time the kernel adds up, too.
 */
#include "selftests/module/tap_harness.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/utsname.h>

#define MS		1000000ULL
#define KNOWN_NS	(20 * MS)
#define CLOCK_TICK_NS	(10 * MS)	/* of times in /proc/PID/stat */

/* First word of the division in a record: behind duration and, of a call, result. */
#define DIVISION	2
#define SPAN_DIVISION	1

#define OP_DURATION							\
	OP(TAP_OP_FIELD, TAP_OP_OUT, 0, 8, offsetof(struct tap_span_event, duration), 0)
#define OP_DIVIDE							\
	OP(TAP_OP_RETURN, 0, 0, 0, 0, 0), OP(TAP_OP_DIVISION, TAP_OP_OUT, 0, 0, 0, 0)

#define PARAMETER(name)	"/sys/module/tap_waits/parameters/" name

/* Reads the numbers of a file, with commas or spaces between them. */
static int read_numbers(const char *path, __u64 *number, int max)
{
	FILE *file = fopen(path, "r");
	int nr = 0;

	while (file && nr < max && fscanf(file, "%llu%*[, ]", &number[nr]) == 1)
		nr++;
	if (file)
		fclose(file);
	return nr;
}

#define test_need_waits(s)							\
	do {									\
		test_need_module("tap_waits");					\
		if (access("/sys/module/tap_waits", F_OK))			\
			ASSERT_EQ(0, test_module_load("tap_waits", ""));	\
		ASSERT_EQ(0, test_write_file(PARAMETER("mono"),			\
				(s)->meta->clock == TAP_CLOCK_MONO ? "1" : "0"));	\
	} while (0)

static const struct tap_division *division_of(const struct test_record *rec, int word)
{
	return (const void *)&rec->word[word];
}

static __u64 sum_of(const __u64 *part)
{
	__u64 sum = 0;
	int i;

	for (i = 0; i < TAP_NR_PARTS; i++)
		sum += part[i];
	return sum;
}

/* Nothing was counted that the table could not take. */
static void check_all_taken(struct __test_metadata *_metadata, int fd, bool waits)
{
	struct tap_tasks_read read = { .size = sizeof(read) };

	ASSERT_EQ(0, ioctl(fd, TAP_IOC_TASKS_READ, &read));
	EXPECT_EQ(0, read.out_no_room);
	EXPECT_EQ(0, read.out_backwards);
	EXPECT_EQ(0, read.out_unexpected);
	if (waits)
		EXPECT_EQ(0, read.out_no_wait);
}

/* Opens a session with divisions; without tracepoints of locks @locks is false. */
static void session_open(struct __test_metadata *_metadata, struct test_session *s,
			 __u64 ring_bytes, bool *locks)
{
	__u32 sources;

	test_session_open(_metadata, s, ring_bytes);
	ASSERT_EQ(0, _test_ioctl_tasks(s->fd, TAP_TASKS_F_DIVISION, 64, &sources));
	*locks = sources & TAP_SOURCE_LOCK;
}

FIXTURE(truth)
{
	struct test_session s;
	bool locks;
};

/**
 * FIXTURE_VARIANT(truth) - a kind of calls of tap_waits.ko
 * @kind: its name
 * @wait: enum tap_task_part of its longest wait; 0: it does not wait
 * @lock: enum tap_lock_kind for which it waits; 0: none
 * @lock_rt: the same on PREEMPT_RT, if that differs
 * @spins: it spins for it
 * @held: the lock has an owner that can be read
 * @no_owner_rt: not so on PREEMPT_RT
 * @may_wait: it may wait for a moment
 * @disturbed: interrupts on top of it, and other tasks, take a part of what is known
 * @unknown: no time of it is known
 */
FIXTURE_VARIANT(truth)
{
	const char *kind;
	enum tap_task_part wait;
	enum tap_lock_kind lock;
	enum tap_lock_kind lock_rt;
	bool spins;
	bool held;
	bool no_owner_rt;
	bool may_wait;
	bool disturbed;
	bool unknown;
};

#define KIND(_kind, ...)						\
	FIXTURE_VARIANT_ADD(truth, _kind) { .kind = #_kind, __VA_ARGS__ }

KIND(run);
KIND(sleep, .wait = TAP_PART_SLEEP);
KIND(io, .wait = TAP_PART_IO);
KIND(mutex, .wait = TAP_PART_LOCK, .lock = TAP_LOCK_MUTEX, .lock_rt = TAP_LOCK_RTMUTEX,
     .held = true);
KIND(rtmutex, .wait = TAP_PART_LOCK, .lock = TAP_LOCK_RTMUTEX, .held = true);
KIND(writer, .wait = TAP_PART_LOCK, .lock = TAP_LOCK_RWSEM, .held = true, .no_owner_rt = true);
KIND(reader, .wait = TAP_PART_LOCK, .lock = TAP_LOCK_RWSEM, .held = true, .no_owner_rt = true);
KIND(semaphore, .wait = TAP_PART_LOCK, .lock = TAP_LOCK_SEMAPHORE);
KIND(percpu, .wait = TAP_PART_LOCK, .lock = TAP_LOCK_PERCPU_RWSEM);
KIND(rwlock, .lock = TAP_LOCK_RWLOCK, .spins = true);
KIND(mutex_sleep, .wait = TAP_PART_SLEEP, .lock = TAP_LOCK_MUTEX, .lock_rt = TAP_LOCK_RTMUTEX,
     .held = true);
KIND(mutex_spin, .lock = TAP_LOCK_MUTEX, .spins = true, .held = true, .disturbed = true,
     .may_wait = true);
KIND(spin, .lock = TAP_LOCK_SPINLOCK, .spins = true);
KIND(spin_first);
KIND(irq);
KIND(softirq);
KIND(preempted);
KIND(sleepy);
KIND(migrated, .may_wait = true);
KIND(moved, .wait = TAP_PART_SLEEP);
KIND(woken);
KIND(raced, .unknown = true, .may_wait = true);
KIND(spurious, .wait = TAP_PART_SLEEP);

FIXTURE_SETUP(truth)
{
	self->s.fd = -1;
	test_need_root();
	session_open(_metadata, &self->s, 1 << 16, &self->locks);
	test_need_waits(&self->s);
}

FIXTURE_TEARDOWN(truth)
{
	test_session_close(&self->s);
}

static bool realtime(void)
{
	struct utsname name;

	return !uname(&name) && strstr(name.version, "PREEMPT_RT");
}

static __u64 environment(const char *name, __u64 otherwise)
{
	const char *wanted = getenv(name);

	return wanted ? strtoull(wanted, NULL, 10) : otherwise;
}

/*
 * By how much a part may be wrong, or what $TEST_TOLERANCE_NS says: a task that is woken waits for a tick
 * of the kernel at most, and an eighth is for the interrupt and the switch (56 us were seen).
 */
static __u64 tolerance_ns(void)
{
	__u64 tick = 0;

	read_numbers(PARAMETER("tick"), &tick, 1);
	return environment("TEST_TOLERANCE_NS", tick + tick / 8);
}

/* Parts that a call also has when nothing of them is known: others take its CPU, and it runs. */
static bool comes_by_itself(int part)
{
	return part == TAP_PART_RUN || part == TAP_PART_PREEMPTED || part == TAP_PART_IRQ ||
	       part == TAP_PART_SOFTIRQ;
}

/* Each part is at least as long as is known, and not longer by more than the tolerance. */
static void check_parts(struct __test_metadata *_metadata, FIXTURE_DATA(truth) *self,
			const FIXTURE_VARIANT(truth) *variant, const struct test_record *rec)
{
	const struct tap_division *d = division_of(rec, DIVISION);
	__u64 known[TAP_NR_PARTS], more, taken = 0;
	int i;

	ASSERT_EQ(TAP_NR_PARTS, read_numbers(PARAMETER("known"), known, TAP_NR_PARTS));
	if (!self->locks) {
		known[variant->spins ? TAP_PART_RUN : TAP_PART_SLEEP] += known[TAP_PART_LOCK];
		known[TAP_PART_LOCK] = 0;
	}
	if (variant->disturbed)
		taken = d->part[TAP_PART_IRQ] + d->part[TAP_PART_SOFTIRQ] +
			d->part[TAP_PART_PREEMPTED];
	/* It spins no longer, but sleeps, when the scheduler wants its CPU. */
	if (!self->locks && variant->spins)
		taken += d->part[TAP_PART_SLEEP];
	EXPECT_EQ(rec->word[0], sum_of(d->part));
	for (i = 0; i < TAP_NR_PARTS; i++) {
		EXPECT_GE(d->part[i] + (known[i] ? taken : 0), known[i]) {
			TH_LOG("part %d", i);
		}
	}
	if (variant->unknown)
		return;
	for (i = 0; i < TAP_NR_PARTS; i++) {
		if (d->part[i] <= known[i] || (!known[i] && comes_by_itself(i)))
			continue;
		more = test_ticks_to_ns(&self->s, d->part[i] - known[i]);
		TH_LOG("part %d: %llu ns more than the %llu that are known", i, more,
		       test_ticks_to_ns(&self->s, known[i]));
		EXPECT_GE(tolerance_ns(), more);
	}
}

/* The longest wait for a lock: its kind, and who had the lock. */
static void check_lock(struct __test_metadata *_metadata,
		       const FIXTURE_VARIANT(truth) *variant, const struct tap_division *d)
{
	EXPECT_EQ(realtime() && variant->lock_rt ? variant->lock_rt : variant->lock, d->lock_kind);
	EXPECT_GE(d->part[TAP_PART_LOCK], d->lock_wait);
	EXPECT_LE(d->part[TAP_PART_LOCK] / 2, d->lock_wait);
	if (!variant->held || (realtime() && variant->no_owner_rt)) {
		EXPECT_EQ(0, d->holder_tid);
		EXPECT_STREQ("", d->holder_comm);
	} else if (!strcmp(variant->kind, "reader")) {
		EXPECT_EQ(TAP_HOLDER_READER, d->holder_tid);
		EXPECT_STREQ("", d->holder_comm);
	} else {
		EXPECT_NE(0, d->holder_tid);
		EXPECT_STREQ("tap_holder", d->holder_comm);
	}
}

/* The longest wait: who ended it. */
static void check_wait(struct __test_metadata *_metadata, FIXTURE_DATA(truth) *self,
		       const FIXTURE_VARIANT(truth) *variant, const struct tap_division *d)
{
	bool lock = variant->wait == TAP_PART_LOCK;

	EXPECT_LE(KNOWN_NS, test_ticks_to_ns(&self->s, d->wait));
	EXPECT_EQ(lock && !self->locks ? TAP_PART_SLEEP : variant->wait, d->wait_part);
	EXPECT_STREQ("tap_holder", d->waker_comm);
	if (d->holder_tid && d->holder_tid != TAP_HOLDER_READER)
		EXPECT_EQ(d->waker_tid, d->holder_tid);
}

TEST_F(truth, known)
{
	const struct tap_division *d;
	struct test_record rec;
	char text[64];

	test_ioctl_create(NULL, TAP_PROBE_CALL, "tap_waits:waits_call", OP_TEST_TGID(getpid()),
			  OP_DIVIDE);
	test_ioctl_enable(0);
	snprintf(text, sizeof(text), "%s %llu", variant->kind, KNOWN_NS);
	if (test_write_file(PARAMETER("wait"), text)) {
		if (errno == ENXIO)
			SKIP(return, "not enough processors");
		ASSERT_EQ(EOPNOTSUPP, errno);
		SKIP(return, "this kernel does not do that");
	}
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	d = division_of(&rec, DIVISION);
	check_parts(_metadata, self, variant, &rec);
	if (variant->wait)
		check_wait(_metadata, self, variant, d);
	else if (!variant->may_wait)
		EXPECT_EQ(0, d->wait);
	if (self->locks && variant->lock) {
		check_lock(_metadata, variant, d);
	} else if (!self->locks) {
		EXPECT_EQ(0, d->lock_kind);
		EXPECT_EQ(0, d->lock_wait);
	}
	check_all_taken(_metadata, self->s.fd, true);
}

FIXTURE(sums)
{
	struct test_session s;
	bool locks;
};

FIXTURE_SETUP(sums)
{
	self->s.fd = -1;
	test_need_root();
	session_open(_metadata, &self->s, 1 << 20, &self->locks);
	test_need_waits(&self->s);
}

FIXTURE_TEARDOWN(sums)
{
	test_session_close(&self->s);
}

/**
 * struct mixed - what records of many calls say
 * @calls: records
 * @waits: those with a wait
 * @wrong: those whose parts are not the duration
 * @part: sums, by enum tap_task_part
 */
struct mixed {
	__u64 calls;
	__u64 waits;
	__u64 wrong;
	__u64 part[TAP_NR_PARTS];
};

static void mixed_read(struct test_session *s, struct mixed *all)
{
	const struct tap_division *d;
	struct test_record rec;
	int i;

	while (test_session_next(s, &rec)) {
		d = division_of(&rec, DIVISION);
		all->calls++;
		all->waits += !!d->wait;
		all->wrong += sum_of(d->part) != rec.word[0] ||
			      rec.flags & TAP_F_ABSENT;
		for (i = 0; i < TAP_NR_PARTS; i++)
			all->part[i] += d->part[i];
	}
}

/* $TEST_CALLS calls of four threads that disturb each other: nothing is unaccounted, to the tick. */
TEST_F_TIMEOUT(sums, of_many_calls, 3600)
{
	const unsigned int calls = environment("TEST_CALLS", 20000), batch = 2000;
	struct mixed all = {};
	struct tap_counters c;
	struct tap_stats stats;
	__u64 made = 0, number;
	unsigned int i;
	char text[64];
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_CALL, "tap_waits:waits_mixed", OP_DIVIDE);
	test_ioctl_enable(0);
	for (i = 0; i < calls / batch; i++) {
		snprintf(text, sizeof(text), "4 %u %u", batch, i);
		ASSERT_EQ(0, test_write_file(PARAMETER("mix"), text));
		ASSERT_EQ(1, read_numbers(PARAMETER("calls"), &number, 1));
		made += number;
		mixed_read(&self->s, &all);
	}
	c = test_counters(_metadata, &self->s, id);
	ASSERT_EQ(0, _test_ioctl_stats(self->s.fd, id, NULL, 0, &stats));
	EXPECT_LE(calls, made);
	EXPECT_EQ(made, c.hits);
	EXPECT_EQ(made, all.calls);
	EXPECT_EQ(0, c.lost_full + c.lost_nested + stats.out_nmissed + stats.out_nmissed_return);
	EXPECT_EQ(0, all.wrong);
	TH_LOG("%llu calls, %llu with a wait", all.calls, all.waits);
	/* The test would show nothing if they did not wait. */
	EXPECT_LT(calls / 50, all.waits);
	for (i = 0; i < TAP_NR_PARTS; i++) {
		/* On PREEMPT_RT softirqs are tasks. */
		if ((i == TAP_PART_LOCK && !self->locks) || (i == TAP_PART_SOFTIRQ && realtime()))
			continue;
		EXPECT_LT(0, all.part[i]) {
			TH_LOG("part %u", i);
		}
	}
	check_all_taken(_metadata, self->s.fd, false);
}

/* A span from a mark to another one, which the same task makes. */
static int create_span(int fd, __u32 *from, __u32 *to)
{
	struct tap_span_table table = {
		.size = sizeof(table), .mode = TAP_SPAN_RESTART, .nr_keys = 1, .entries = 64,
	};
	struct tap_create create;
	__u32 span;

	create = test_create_arg(TAP_PROBE_SPAN, "life",
				 OPS(OP_DURATION, OP(TAP_OP_DIVISION, TAP_OP_OUT, 0, 0, 0, 0)));
	create.span = (uintptr_t)&table;
	if (ioctl(fd, TAP_IOC_CREATE, &create))
		return -1;
	span = create.out_id;
	create = test_create_arg(TAP_PROBE_MARK, "interval:s:1",
				 OPS(OP(TAP_OP_FIELD, TAP_OP_OUT, 0, 8, 0, 0)));
	create.span_id = span;
	create.side = TAP_SIDE_FROM;
	if (ioctl(fd, TAP_IOC_CREATE, &create))
		return -1;
	*from = create.out_id;
	create.side = TAP_SIDE_TO;
	if (ioctl(fd, TAP_IOC_CREATE, &create))
		return -1;
	*to = create.out_id;
	return 0;
}

static int mark(int fd, __u32 id)
{
	__u64 key = 1;
	struct tap_mark arg = {
		.size = sizeof(arg), .id = id, .data = (uintptr_t)&key, .len = sizeof(key),
	};

	return ioctl(fd, TAP_IOC_MARK, &arg);
}

static void run_for(unsigned int ms)
{
	__u64 end = test_now_ms() + ms;

	while (test_now_ms() < end)
		;
}

/* Runs, sleeps and waits for a device, between two waits for the parent. */
static int live(int fd, __u32 from, __u32 to, int go, int came)
{
	unsigned int i;
	char byte = 0;

	if (mark(fd, from) || write(came, &byte, 1) != 1 || read(go, &byte, 1) != 1)
		return 1;
	for (i = 0; i < 20; i++) {
		run_for(3);
		usleep(2000);
		if (test_write_file(PARAMETER("wait"), "io 12000000"))
			return 1;
	}
	return write(came, &byte, 1) != 1 || read(go, &byte, 1) != 1 || mark(fd, to);
}

/* Takes the processor from a task again and again. */
static void disturb(void)
{
	struct sched_param param = { .sched_priority = 10 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (sched_setscheduler(0, SCHED_FIFO, &param))
		_exit(1);
	for (;;) {
		run_for(4);
		usleep(7000);
	}
}

/**
 * struct accounted - what the kernel has added up for a task
 * @schedstat: nanoseconds on a CPU, runnable, and times that it was switched in
 * @blkio: 1/100 seconds of waits for devices
 */
struct accounted {
	__u64 schedstat[3];
	__u64 blkio;
};

static int accounted_read(pid_t pid, struct accounted *sums)
{
	char path[64], text[1024] = "", *at;
	int field, fd;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	if (read_numbers(path, sums->schedstat, 3) != 3)
		return -1;
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return -1;
	close(fd);
	/* Field 42. The second one may contain spaces. */
	at = strrchr(text, ')');
	for (field = 2; at && field < 42; field++)
		at = strchr(at + 1, ' ');
	return at && sscanf(at, "%llu", &sums->blkio) == 1 ? 0 : -1;
}

/* Waits until a task sleeps, so that its sums are complete. */
static bool wait_asleep(pid_t pid)
{
	unsigned int tries;
	char path[64], text[256];
	const char *at;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	for (tries = 0; tries < 1000; tries++) {
		memset(text, 0, sizeof(text));
		fd = open(path, O_RDONLY);
		if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
			return false;
		close(fd);
		at = strrchr(text, ')');
		if (at && at[1] && at[2] == 'S')
			return true;
		usleep(1000);
	}
	return false;
}

/*
 * Whether the kernel may put a task that another CPU wakes on a list, from which the task's own CPU
 * takes it later. In schedstat it is runnable only then.
 */
static int wake_by_list(bool on)
{
	const char *path = "/sys/kernel/debug/sched/features";

	if (access(path, F_OK))
		path = "/sys/kernel/debug/sched_features";
	return test_write_file(path, on ? "TTWU_QUEUE" : "NO_TTWU_QUEUE");
}

static __u64 differ(__u64 a, __u64 b)
{
	return a > b ? a - b : b - a;
}

/*
 * A task adds up as the kernel itself adds it up: time on a CPU and runnable in schedstat, waits for
 * devices in delay accounting. The kernel reads its clock before the tracepoints of a switch or a
 * wake-up, whose handlers take stacks: 13,000 instructions, of 8 ns each. So both may differ by
 * $TEST_SWITCH_NS for each switch. The task also runs up to its first wait and after its last one,
 * when the sums are not read.
 */
TEST_F(sums, as_the_kernel_has_them)
{
	const __u64 per_switch = environment("TEST_SWITCH_NS", 100000);
	const __u64 outside = 200000;
	int go[2], came[2], status;
	struct accounted before, after;
	const struct tap_division *d;
	__u64 ns[TAP_NR_PARTS], on_cpu, bound, blkio;
	struct test_record rec;
	__u32 from, to;
	pid_t pid, other;
	cpu_set_t cpus;
	char byte = 0;
	int i;

	/* Kernels before 5.14 have it on without this file. */
	if (!access("/proc/sys/kernel/task_delayacct", F_OK))
		ASSERT_EQ(0, test_write_file("/proc/sys/kernel/task_delayacct", "1"));
	ASSERT_EQ(0, wake_by_list(false));
	ASSERT_EQ(0, create_span(self->s.fd, &from, &to));
	test_ioctl_enable(0);
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(cpus), &cpus));
	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pipe(came));
	pid = fork();
	if (!pid)
		_exit(live(self->s.fd, from, to, go[0], came[1]));
	ASSERT_LT(0, pid);
	ASSERT_EQ(1, read(came[0], &byte, 1));
	ASSERT_TRUE(wait_asleep(pid));
	ASSERT_EQ(0, accounted_read(pid, &before));
	other = fork();
	if (!other)
		disturb();
	ASSERT_LT(0, other);
	ASSERT_EQ(1, write(go[1], &byte, 1));
	ASSERT_EQ(1, read(came[0], &byte, 1));
	ASSERT_EQ(0, kill(other, SIGKILL));
	ASSERT_EQ(other, waitpid(other, &status, 0));
	ASSERT_TRUE(wait_asleep(pid));
	ASSERT_EQ(0, accounted_read(pid, &after));
	ASSERT_EQ(1, write(go[1], &byte, 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	/* On PREEMPT_RT it is off. */
	if (!realtime())
		ASSERT_EQ(0, wake_by_list(true));

	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(pid, rec.tid);
	d = division_of(&rec, SPAN_DIVISION);
	EXPECT_EQ(rec.word[0], sum_of(d->part));
	for (i = 0; i < TAP_NR_PARTS; i++)
		ns[i] = test_ticks_to_ns(&self->s, d->part[i]);
	on_cpu = ns[TAP_PART_RUN] + ns[TAP_PART_IRQ] + ns[TAP_PART_SOFTIRQ];
	bound = outside + per_switch * (after.schedstat[2] - before.schedstat[2]);
	TH_LOG("on a CPU %llu ns, schedstat %llu; preempted %llu, schedstat %llu; %llu switches",
	       on_cpu, after.schedstat[0] - before.schedstat[0], ns[TAP_PART_PREEMPTED],
	       after.schedstat[1] - before.schedstat[1], after.schedstat[2] - before.schedstat[2]);
	blkio = (after.blkio - before.blkio) * CLOCK_TICK_NS;
	TH_LOG("io %llu ns, delay accounting %llu", ns[TAP_PART_IO], blkio);
	EXPECT_GE(bound, differ(on_cpu, after.schedstat[0] - before.schedstat[0]));
	EXPECT_GE(bound, differ(ns[TAP_PART_PREEMPTED], after.schedstat[1] - before.schedstat[1]));
	/* Else nothing was compared. How much the other task takes is up to the kernel. */
	EXPECT_LT(bound, ns[TAP_PART_PREEMPTED]);
	/* Also without probes 7.3 counts the time since the boot for some waits. */
	if (blkio > test_ticks_to_ns(&self->s, rec.word[0]) + CLOCK_TICK_NS) {
		TH_LOG("not compared: this kernel's delay accounting has more than all time");
	} else {
		EXPECT_GE(CLOCK_TICK_NS, differ(ns[TAP_PART_IO], blkio));
	}
	/* 20 waits of 12 ms. */
	EXPECT_LE(240 * MS, ns[TAP_PART_IO]);
	check_all_taken(_metadata, self->s.fd, false);
}

TEST_HARNESS_MAIN

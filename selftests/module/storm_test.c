// SPDX-License-Identifier: GPL-2.0
/*
 * Stress tests: probes are added to and removed from a function that two CPUs, or as many as
 * $TEST_STORMS says, execute at that moment, by ioctl, close, signal and unload.
 *
 * The kernel patches code that another CPU may be executing. In an emulator this needs CPUs
 * that run in turns: selftests/lab/run --tcg-single.
 */
#include "selftests/module/tap_harness.h"

#include <signal.h>
#include <sys/resource.h>

FIXTURE(storm)
{
	struct test_session s;
	int target;
};

FIXTURE_SETUP(storm)
{
	test_setup();
}

/* After each test, no reference to the module may be left. */
FIXTURE_TEARDOWN(storm)
{
	test_session_close(&self->s);
	if (self->target >= 0) {
		close(self->target);
		EXPECT_EQ(0, test_module_refs("tapmod"));
	}
}

static unsigned int storms_wanted(void)
{
	const char *wanted = getenv("TEST_STORMS");

	return wanted ? atoi(wanted) : 2;
}

static void storms_start(struct __test_metadata *_metadata, int target, __u32 function)
{
	const unsigned int nr = storms_wanted();
	unsigned int cpu;

	/* A high priority: on a shared CPU, most of the load is then the tested code. */
	ASSERT_EQ(0, setpriority(PRIO_PROCESS, 0, -19));
	for (cpu = 0; cpu < nr && (long)cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++)
		ASSERT_EQ(0, _test_target(target, TAP_TARGET_STORM, function, 0, cpu, NULL));
}

TEST_F_TIMEOUT(storm, closing_while_probes_fire_on_two_cpus_is_safe, 120)
{
	unsigned int i;

	storms_start(_metadata, self->target, TAP_TARGET_ADD);
	for (i = 0; i < 10; i++) {
		test_session_open(_metadata, &self->s, 4096);
		ASSERT_EQ(0, test_arm_everything(self->s.fd)) TH_LOG("%s", strerror(errno));
		usleep(i * 300);
		test_session_close(&self->s);
	}
	EXPECT_EQ(0, test_module_refs("tapmod"));
}

/*
 * If a tracepoint has other handlers, removing one does not wait for those that run. The
 * handlers here are slow, so one is in flight nearly always.
 */
TEST_F_TIMEOUT(storm, leaving_a_tracepoint_of_others_is_safe, 120)
{
	const struct tap_op slow[] = {
		OP(TAP_OP_KSTACK, TAP_OP_OUT, 0, 0, 0, 64),
		OP(TAP_OP_KSTACK, TAP_OP_OUT, 0, 0, 0, 64),
		OP(TAP_OP_KSTACK, TAP_OP_OUT, 0, 0, 0, 64),
		OP(TAP_OP_KSTACK, TAP_OP_OUT, 0, 0, 0, 64),
	};
	struct test_session stays;
	unsigned int i;
	__u32 id;

	test_session_open(_metadata, &stays, 4096);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, _test_ioctl_create(stays.fd, &id, TAP_PROBE_RAWTP,
						"tap_target_event", NULL, 0));
	ASSERT_EQ(0, _test_ioctl_enable(stays.fd, 0));
	storms_start(_metadata, self->target, TAP_TARGET_EVENT);
	for (i = 0; i < 30; i++) {
		test_session_open(_metadata, &self->s, 65536);
		ASSERT_EQ(0, _test_ioctl_create(self->s.fd, &id, TAP_PROBE_RAWTP,
						"tap_target_event", slow, ARRAY_SIZE(slow)));
		test_ioctl_enable(id);
		usleep(i * 100);
		test_session_close(&self->s);
	}
	test_session_close(&stays);
}

/* When a process dies, all its probes are removed by the kernel. */
TEST_F_TIMEOUT(storm, killing_the_owner_again_and_again_leaves_nothing, 120)
{
	unsigned int i;

	storms_start(_metadata, self->target, TAP_TARGET_ADD);
	for (i = 0; i < 50; i++) {
		struct test_session s;
		int status, ready[2];
		pid_t child;
		char byte;

		ASSERT_EQ(0, pipe(ready));
		child = fork();
		ASSERT_LE(0, child);
		if (!child) {
			close(self->target);
			test_session_open(_metadata, &s, 4096);
			write(ready[1], "", 1);
			/* Killed at any point in this loop. */
			for (;;) {
				if (test_arm_everything(s.fd))
					_exit(1);
				test_session_drain(&s, NULL);
				_test_ioctl_disable(s.fd, 0);
			}
		}
		close(ready[1]);
		ASSERT_EQ(1, read(ready[0], &byte, 1));
		close(ready[0]);
		usleep(i * 700);
		ASSERT_EQ(0, kill(child, SIGKILL));
		ASSERT_EQ(child, waitpid(child, &status, 0));
		ASSERT_TRUE(WIFSIGNALED(status)) TH_LOG("status %#x", status);
	}
	EXPECT_EQ(0, test_module_refs("tapmod"));
}

/* Totals of what a reader has read; it reports them when asked. */
struct reader_sums {
	__u64 events;
	__u64 gaps;
};

/* Reads until @ask is closed, then flushes, reads the rest and reports the totals. */
static void reader_main(struct __test_metadata *_metadata, int fd, int ask, int tell)
{
	struct test_session s = { .fd = fd };
	struct pollfd asked = { .fd = ask, .events = POLLIN };
	struct reader_sums sums = {};
	__u64 pending;

	test_session_map(_metadata, &s);
	while (!poll(&asked, 1, 0))
		sums.events += test_session_drain(&s, &sums.gaps);
	do {
		sums.events += test_session_drain(&s, &sums.gaps);
		if (_test_ioctl_flush(fd, &pending))
			_exit(1);
	} while (pending);
	sums.events += test_session_drain(&s, &sums.gaps);
	_exit(write(tell, &sums, sizeof(sums)) != sizeof(sums));
}

/* A reader may stop at any time (debugger, terminal, full disk), and continues where it was. */
TEST_F_TIMEOUT(storm, a_reader_that_is_stopped_goes_on_where_it_was, 120)
{
	const char *wanted = getenv("TEST_STOP_MS");
	const unsigned int stop_ms = wanted ? atoi(wanted) : 300;
	struct tap_create create = test_create_arg(TAP_PROBE_KPROBE, "tap_target_add", NULL, 0);
	int ask[2], tell[2], status;
	struct reader_sums sums;
	struct tap_counters c;
	unsigned int i;
	pid_t child;
	__u64 lost;
	__u32 id;

	create.limit = TAP_NO_LIMIT;
	test_session_open(_metadata, &self->s, 65536);
	ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	id = create.out_id;
	test_ioctl_enable(id);
	ASSERT_EQ(0, pipe(ask));
	ASSERT_EQ(0, pipe(tell));
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		close(ask[1]);
		reader_main(_metadata, self->s.fd, ask[0], tell[1]);
	}
	close(ask[0]);
	close(tell[1]);
	storms_start(_metadata, self->target, TAP_TARGET_ADD);
	for (i = 0; i < 5; i++) {
		usleep(100000);
		ASSERT_EQ(0, kill(child, SIGSTOP));
		ASSERT_EQ(child, waitpid(child, &status, WUNTRACED));
		ASSERT_TRUE(WIFSTOPPED(status)) TH_LOG("status %#x", status);
		/* No writer waits for the reader; records without room are counted as lost. */
		lost = __atomic_load_n(&self->s.ring[0].head->lost, __ATOMIC_RELAXED);
		usleep(stop_ms * 1000);
		EXPECT_LT(lost, __atomic_load_n(&self->s.ring[0].head->lost, __ATOMIC_RELAXED));
		ASSERT_EQ(0, kill(child, SIGCONT));
	}
	test_ioctl_disable(id);
	c = test_counters(_metadata, &self->s, id);
	close(ask[1]);
	ASSERT_EQ(sizeof(sums), read(tell[0], &sums, sizeof(sums)));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	close(tell[0]);
	EXPECT_EQ(c.written, sums.events);
	EXPECT_EQ(c.lost_full + c.lost_nested, sums.gaps);
}

TEST_F_TIMEOUT(storm, the_module_can_be_unloaded_and_loaded_again, 120)
{
	unsigned int i;

	test_need_module("tapmod");
	storms_start(_metadata, self->target, TAP_TARGET_ADD);
	for (i = 0; i < 10; i++) {
		test_session_open(_metadata, &self->s, 4096);
		ASSERT_EQ(0, test_arm_everything(self->s.fd));
		test_session_close(&self->s);
		ASSERT_EQ(0, test_module_unload("tapmod")) TH_LOG("%s", strerror(errno));
		EXPECT_NE(0, access(TAP_DEVICE, F_OK));
		ASSERT_EQ(0, test_module_load("tapmod", "")) TH_LOG("%s", strerror(errno));
	}
}

/*
 * sysrq-l makes the other CPU report from an NMI, which may come at any place, also while it
 * writes a record.
 */
TEST_F_TIMEOUT(storm, nmis_in_the_middle_of_it_are_counted_as_well, 120)
{
	__u64 events = 0, gaps = 0, pending;
	struct tap_counters calls, nmis;
	__u32 call, nmi;
	unsigned int i;

#ifndef __x86_64__
	SKIP(return, "no NMI backtraces on this architecture");
#endif
	test_need_cpus(2);
	test_session_open(_metadata, &self->s, 65536);
	test_ioctl_create(&call, TAP_PROBE_KPROBE, "tap_target_add", OP_ARG(0));
	test_ioctl_create(&nmi, TAP_PROBE_RAWTP, "nmi_handler", OP_COMM, OP_COMM);
	test_ioctl_enable(0);
	storms_start(_metadata, self->target, TAP_TARGET_ADD);
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, test_write_file("/proc/sysrq-trigger", "l"));
		events += test_session_drain(&self->s, &gaps);
	}
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_CALM, 0, 0, 0, NULL));
	test_ioctl_disable(0);
	events += test_session_drain(&self->s, &gaps);
	test_ioctl_flush(&pending);
	EXPECT_EQ(0, pending);
	events += test_session_drain(&self->s, &gaps);
	calls = test_counters(_metadata, &self->s, call);
	nmis = test_counters(_metadata, &self->s, nmi);
	EXPECT_LT(0, calls.written);
	EXPECT_LE(20, nmis.hits);
	EXPECT_EQ(calls.written + nmis.written, events);
	EXPECT_EQ(calls.lost_full + calls.lost_nested + nmis.lost_full + nmis.lost_nested, gaps);
}

struct worker {
	pthread_t thread;
	int fd;
	bool stop;
	unsigned int seed;
};

static void *work(void *data)
{
	struct worker *w = data;
	struct tap_counters c[TEST_MAX_RINGS];
	struct tap_probe_info info;
	struct tap_stats stats;
	__u64 pending;
	__u32 x = w->seed, id;

	while (!__atomic_load_n(&w->stop, __ATOMIC_RELAXED)) {
		x = x * 1664525 + 1013904223;
		id = 1 + (x >> 8) % 20;
		switch (x >> 29) {
		case 0:
			_test_ioctl_create(w->fd, NULL, TAP_PROBE_KPROBE + (x >> 4) % 3,
					   "tap_target_add", NULL, 0);
			break;
		case 1:
			_test_ioctl_enable(w->fd, id);
			break;
		case 2:
			_test_ioctl_disable(w->fd, id);
			break;
		case 3:
			_test_ioctl_delete(w->fd, id);
			break;
		case 4:
			_test_ioctl_stats(w->fd, id, c, 2, &stats);
			break;
		case 5:
			_test_ioctl_probe_info(w->fd, id, NULL, 0, &info);
			break;
		case 6:
			_test_ioctl_flush(w->fd, &pending);
			break;
		default:
			munmap(test_map(w->fd, 4096, PROT_READ, 0), 4096);
		}
	}
	return NULL;
}

/* Ioctls of many threads on one session, while its probes fire. */
TEST_F_TIMEOUT(storm, commands_of_many_threads_do_not_disturb_each_other, 60)
{
	struct worker workers[4];
	unsigned int i;
	__u64 deadline;
	__u32 id;

	test_session_open(_metadata, &self->s, 4096);
	storms_start(_metadata, self->target, TAP_TARGET_ADD);
	for (i = 0; i < ARRAY_SIZE(workers); i++) {
		workers[i] = (struct worker){ .fd = self->s.fd, .seed = 1 + i };
		ASSERT_EQ(0, pthread_create(&workers[i].thread, NULL, work,
					    &workers[i]));
	}
	for (deadline = test_now_ms() + 2000; test_now_ms() < deadline;)
		test_session_drain(&self->s, NULL);
	for (i = 0; i < ARRAY_SIZE(workers); i++)
		__atomic_store_n(&workers[i].stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < ARRAY_SIZE(workers); i++)
		pthread_join(workers[i].thread, NULL);
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_CALM, 0, 0, 0, NULL));
	test_ioctl_disable(0);
	test_session_drain(&self->s, NULL);
	/* The session still works. */
	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add");
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_ADD, 10);
	EXPECT_EQ(10, test_counters(_metadata, &self->s, id).hits);
}

FIXTURE(kind)
{
	struct test_session s;
	int target;
};

TEST_KINDS(kind);

FIXTURE_SETUP(kind)
{
	test_setup();
	test_session_open(_metadata, &self->s, 65536);
}

FIXTURE_TEARDOWN(kind)
{
	test_teardown();
}

#define MANY	20

/*
 * Enables and disables probes while threads make calls; each call must be counted. If
 * there are many probes, one of them is disabled alone.
 */
static void under_fire(struct __test_metadata *_metadata, FIXTURE_DATA(kind) *self,
		       const struct test_kind *kind, unsigned int nr)
{
	__u64 written = 0, lost = 0, events = 0, gaps = 0, pending;
	struct tap_counters before[MANY], after;
	unsigned int i, p;
	__u32 id[MANY];

	for (p = 0; p < nr; p++)
		test_ioctl_create(&id[p], kind->type, kind->target);
	for (i = 0; i < storms_wanted(); i++)
		ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_STORM,
					  kind->function, 0, i, NULL));
	for (i = 0; i < 10; i++) {
		test_ioctl_enable(0);
		usleep(2000);
		if (nr > 1)
			test_ioctl_disable(id[i]);
		test_ioctl_disable(0);
		for (p = 0; p < nr; p++)
			before[p] = test_counters(_metadata, &self->s, id[p]);
		usleep(2000);
		for (p = 0; p < nr; p++) {
			after = test_counters(_metadata, &self->s, id[p]);
			EXPECT_EQ(0, memcmp(&before[p], &after, sizeof(after)));
		}
		events += test_session_drain(&self->s, &gaps);
	}
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_CALM, 0, 0, 0, NULL));
	test_ioctl_flush(&pending);
	EXPECT_EQ(0, pending);
	events += test_session_drain(&self->s, &gaps);
	for (p = 0; p < nr; p++) {
		after = test_counters(_metadata, &self->s, id[p]);
		EXPECT_LT(0, after.hits);
		written += after.written;
		lost += after.lost_full + after.lost_nested;
	}
	EXPECT_EQ(written, events);
	EXPECT_EQ(lost, gaps);
}

TEST_F(kind, enabled_and_disabled_under_fire_counts_right)
{
	test_need_cpus(storms_wanted());
	under_fire(_metadata, self, variant->kind, 1);
}

/* Enough to be armed as a kprobe batch, where that is possible. */
TEST_F_TIMEOUT(kind, many_enabled_and_disabled_under_fire_count_right, 60)
{
	test_need_cpus(storms_wanted());
	under_fire(_metadata, self, variant->kind, MANY);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0
/*
 * Stress tests of samples: every page fault of two CPUs, more events than can be read, CPUs
 * that go offline and online. Each event is counted.
 */
#include "selftests/module/sample_harness.h"

#define CPU1_ONLINE	"/sys/devices/system/cpu/cpu1/online"
#define PAGES		256

FIXTURE(sample_storm)
{
	struct test_session s;
	pid_t load[2];
	bool offline;
};

FIXTURE_SETUP(sample_storm)
{
	test_need_root();
	test_need_cpus(2);
	test_session_open(_metadata, &self->s, 1 << 18);
}

static void calm(pid_t *load)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		if (load[i] <= 0)
			continue;
		kill(load[i], SIGKILL);
		waitpid(load[i], NULL, 0);
		load[i] = 0;
	}
}

FIXTURE_TEARDOWN(sample_storm)
{
	calm(self->load);
	if (self->offline)
		test_write_file(CPU1_ONLINE, "1");
	test_session_close(&self->s);
}

/* Page faults, context switches and computation on two CPUs, until the processes are killed. */
static void storm(struct __test_metadata *_metadata, pid_t *load)
{
	unsigned int cpu;

	for (cpu = 0; cpu < 2; cpu++) {
		load[cpu] = fork();
		ASSERT_LE(0, load[cpu]);
		if (load[cpu])
			continue;
		test_pin(cpu);
		for (;;) {
			char *map = test_fresh(PAGES);

			test_touch(map, PAGES);
			munmap(map, PAGES * getpagesize());
			sched_yield();
		}
	}
}

/* At the end: written records were read, and losses were reported. */
static void expect_conserved(struct __test_metadata *_metadata,
			     struct test_session *s, const __u32 *ids,
			     unsigned int nr, __u64 events, __u64 gaps)
{
	__u64 written = 0, lost = 0, hits = 0, pending;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct tap_counters c = test_counters(_metadata, s, ids[i]);

		hits += c.hits;
		written += c.written;
		lost += c.lost_full + c.lost_nested;
	}
	/* A full ring has no room for the last gap record. */
	events += test_session_drain(s, &gaps);
	ASSERT_EQ(0, _test_ioctl_flush(s->fd, &pending));
	events += test_session_drain(s, &gaps);
	EXPECT_LT(0, hits);
	EXPECT_EQ(written, events);
	EXPECT_EQ(lost, gaps);
	TH_LOG("%llu hits, %llu written, %llu lost", hits, written, lost);
}

TEST_F_TIMEOUT(sample_storm, every_fault_of_two_cpus, 120)
{
	__u64 events = 0, gaps = 0, until;
	__u32 id;

	test_event_create(&id, PERF_COUNT_SW_PAGE_FAULTS, 1, OP_SAMPLE(ip),
			  OP_SAMPLE(addr),
			  OP(TAP_OP_USTACK, TAP_OP_OUT, 0, 0, 0, 8 * 8),
			  OP(TAP_OP_KSTACK, TAP_OP_OUT, 0, 0, 0, 8 * 8));
	storm(_metadata, self->load);
	test_ioctl_enable(id);
	for (until = test_now_ms() + 2000; test_now_ms() < until;)
		events += test_session_drain(&self->s, &gaps);
	test_ioctl_disable(id);
	calm(self->load);
	expect_conserved(_metadata, &self->s, &id, 1, events, gaps);
}

/*
 * More counters than any CPU has: half of them hardware counters if there are any, and two
 * that use timers.
 */
TEST_F_TIMEOUT(sample_storm, thirty_two_events_at_once, 120)
{
	static const struct { __u64 config, period; } kinds[] = {
		{ PERF_COUNT_SW_CPU_CLOCK, 1000000 },
		{ PERF_COUNT_SW_TASK_CLOCK, 1000000 },
		{ PERF_COUNT_SW_PAGE_FAULTS, 1 },
		{ PERF_COUNT_SW_PAGE_FAULTS_MIN, 3 },
		{ PERF_COUNT_SW_PAGE_FAULTS_MAJ, 1 },
		{ PERF_COUNT_SW_CONTEXT_SWITCHES, 1 },
		{ PERF_COUNT_SW_CPU_MIGRATIONS, 1 },
		{ PERF_COUNT_SW_ALIGNMENT_FAULTS, 1 },
	};
	const struct tap_perf cycles = {
		.size = sizeof(cycles),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.period = 1000000,
	};
	__u64 events = 0, gaps = 0, until;
	unsigned int i;
	__u32 ids[32];

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		if (i % 2 && !_test_event_create(self->s.fd, &ids[i], &cycles,
						 OPS(OP_SAMPLE(ip))))
			continue;
		test_event_create(&ids[i], kinds[i % ARRAY_SIZE(kinds)].config,
				  kinds[i % ARRAY_SIZE(kinds)].period,
				  OP_SAMPLE(ip), OP_COMM,
				  OP(TAP_OP_KSTACK, TAP_OP_OUT, 0, 0, 0, 8 * 8));
	}
	storm(_metadata, self->load);
	for (i = 0; i < 5; i++) {
		test_ioctl_enable(0);
		for (until = test_now_ms() + 300; test_now_ms() < until;)
			events += test_session_drain(&self->s, &gaps);
		test_ioctl_disable(0);
	}
	calm(self->load);
	expect_conserved(_metadata, &self->s, ids, ARRAY_SIZE(ids), events, gaps);
}

/* Events of a CPU continue after it is online again. */
TEST_F_TIMEOUT(sample_storm, a_cpu_goes_and_comes_under_fire, 300)
{
	struct tap_counters all[TEST_MAX_RINGS];
	__u64 events = 0, gaps = 0, until, before;
	struct tap_stats stats;
	unsigned int i;
	__u32 ids[3];

	if (access(CPU1_ONLINE, W_OK))
		SKIP(return, "CPU 1 cannot be taken offline");
	test_event_create(&ids[0], PERF_COUNT_SW_CPU_CLOCK, 1000000,
			  OP_SAMPLE(ip));
	test_event_create(&ids[1], PERF_COUNT_SW_PAGE_FAULTS, 1, OP_SAMPLE(addr));
	test_event_create(&ids[2], PERF_COUNT_SW_CONTEXT_SWITCHES, 1,
			  OP_SAMPLE(ip));
	storm(_metadata, self->load);
	test_ioctl_enable(0);
	for (i = 0; i < 20; i++) {
		self->offline = true;
		ASSERT_EQ(0, test_write_file(CPU1_ONLINE, "0"));
		events += test_session_drain(&self->s, &gaps);
		ASSERT_EQ(0, test_write_file(CPU1_ONLINE, "1"));
		self->offline = false;
		ASSERT_EQ(0, _test_ioctl_stats(self->s.fd, ids[0], all,
					       self->s.nr_rings, &stats));
		before = all[1].hits;
		for (until = test_now_ms() + 5000;
		     all[1].hits < before + 3 && test_now_ms() < until;) {
			events += test_session_drain(&self->s, &gaps);
			ASSERT_EQ(0, _test_ioctl_stats(self->s.fd, ids[0], all,
						       self->s.nr_rings, &stats));
		}
		ASSERT_LE(before + 3, all[1].hits)
			TH_LOG("no samples of CPU 1 after it came back for the %uth time",
			       i + 1);
	}
	/* A CPU is offline when all probes are deleted. */
	self->offline = true;
	ASSERT_EQ(0, test_write_file(CPU1_ONLINE, "0"));
	test_ioctl_disable(0);
	calm(self->load);
	expect_conserved(_metadata, &self->s, ids, ARRAY_SIZE(ids), events, gaps);
	test_ioctl_enable(0);
	ASSERT_EQ(0, test_write_file(CPU1_ONLINE, "1"));
	self->offline = false;
}

/* Closed while the probes fire. */
TEST_F_TIMEOUT(sample_storm, closing_is_safe, 120)
{
	unsigned int i, k;
	__u32 id;

	storm(_metadata, self->load);
	for (i = 0; i < 10; i++) {
		test_session_close(&self->s);
		test_session_open(_metadata, &self->s, 1 << 14);
		for (k = 0; k < 4; k++)
			test_event_create(&id, k % 2 ? PERF_COUNT_SW_PAGE_FAULTS :
					  PERF_COUNT_SW_CPU_CLOCK,
					  k % 2 ? 1 : 100000, OP_SAMPLE(ip));
		test_ioctl_enable(0);
		usleep(i * 700);
	}
}

TEST_HARNESS_MAIN

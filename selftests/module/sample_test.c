// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of samples: their number agrees with the kernel's own count, their place is right, and
 * their stacks are those of the interrupted code.
 */
#include "selftests/module/sample_harness.h"
#include "selftests/module/stack_harness.h"

#include <sys/resource.h>

#define PAGES		64

FIXTURE(sample)
{
	struct test_session s;
};

FIXTURE_SETUP(sample)
{
	test_need_root();
	test_session_open(_metadata, &self->s, 1 << 20);
}

FIXTURE_TEARDOWN(sample)
{
	test_session_close(&self->s);
}

/* Whether an address is in a function of this program; 256 bytes bound their length. */
static bool within(const void *function, __u64 at)
{
	return at - (uintptr_t)function < 256;
}

static __attribute__((noinline)) void spin(__u64 ms)
{
	__u64 until = test_now_ms() + ms;
	volatile unsigned int i;

	while (test_now_ms() < until)
		for (i = 0; i < 100000; i++)
			;
}

TEST_F(sample, every_page_fault_has_its_address)
{
	char *map = test_fresh(PAGES);
	struct test_record rec;
	unsigned int nr = 0;
	__u32 id;

	ASSERT_NE(MAP_FAILED, (void *)map);
	test_event_create(&id, PERF_COUNT_SW_PAGE_FAULTS, 1,
			  OP_TEST_TGID(getpid()), OP_SAMPLE(ip),
			  OP_SAMPLE(period), OP_SAMPLE(addr));
	/* Makes the pages of its code and stack present. */
	test_touch(map, 1);
	test_ioctl_enable(id);
	test_touch(map, PAGES);
	test_ioctl_disable(id);
	while (test_session_next(&self->s, &rec)) {
		ASSERT_EQ(id, rec.probe);
		ASSERT_EQ(getpid(), rec.tgid);
		ASSERT_EQ(1, rec.word[1]);
		if (!within(test_touch, rec.word[0]))
			continue;
		nr++;
		ASSERT_EQ((uintptr_t)map + nr * getpagesize(), rec.word[2]);
		ASSERT_EQ(0, rec.flags & (TAP_F_HARDIRQ | TAP_F_NMI));
	}
	EXPECT_EQ(PAGES - 1, nr);
	/* A disabled probe makes no events. */
	munmap(map, PAGES * getpagesize());
	EXPECT_FALSE(test_session_next(&self->s, &rec));
	test_counters(_metadata, &self->s, id);
}

TEST_F(sample, a_period_takes_each_tenth)
{
	char *map = test_fresh(PAGES);
	struct test_record rec;
	__u64 nr = 0, others = 0;
	__u32 id, all;

	ASSERT_NE(MAP_FAILED, (void *)map);
	test_pin(0);
	test_event_create(&id, PERF_COUNT_SW_PAGE_FAULTS, 10, OP_SAMPLE(period));
	test_event_create(&all, PERF_COUNT_SW_PAGE_FAULTS, 1, OP_COMM);
	test_ioctl_enable(0);
	test_touch(map, PAGES);
	test_ioctl_disable(0);
	while (test_session_next(&self->s, &rec)) {
		if (rec.cpu)
			continue;
		others += rec.probe == all;
		if (rec.probe != id)
			continue;
		ASSERT_EQ(10, rec.word[0]);
		nr++;
	}
	EXPECT_LE(PAGES, others);
	EXPECT_LE(others / 10 - 1, nr);
	EXPECT_GE(others / 10 + 1, nr);
}

/* A number of events a second, not of what is counted: the clock counts nanoseconds. */
TEST_F(sample, a_frequency_is_events_a_second)
{
	struct tap_perf perf = test_software(PERF_COUNT_SW_CPU_CLOCK, 100);
	__u64 begin, hits;
	__u32 id;

	perf.flags = TAP_PERF_F_FREQUENCY;
	ASSERT_EQ(0, test_pin(0));
	ASSERT_EQ(0, _test_event_create(self->s.fd, &id, &perf, OPS(OP_TEST_TGID(getpid()))));
	test_ioctl_enable(id);
	begin = test_now_ms();
	spin(2000);
	test_ioctl_disable(id);
	hits = test_counters(_metadata, &self->s, id).written;
	/* A busy host delays the timer, which then has fewer events, never more. */
	EXPECT_LT(10, hits);
	EXPECT_GE((test_now_ms() - begin) / 10 + 2, hits);
}

TEST_F(sample, context_switches_are_those_of_getrusage)
{
	struct rusage before, after;
	struct test_record rec;
	unsigned int i, nr = 0;
	struct stack stack;
	__u64 begin, end;
	__u32 id;

	ASSERT_TRUE(test_range("do_nanosleep", &begin, &end));
	test_event_create(&id, PERF_COUNT_SW_CONTEXT_SWITCHES, 1,
			  OP_TEST_TGID(getpid()), OP_SAMPLE(ip), OP_KSTACK(32));
	test_ioctl_enable(id);
	ASSERT_EQ(0, getrusage(RUSAGE_SELF, &before));
	for (i = 0; i < 50; i++)
		usleep(1000);
	ASSERT_EQ(0, getrusage(RUSAGE_SELF, &after));
	test_ioctl_disable(id);
	while (test_session_next(&self->s, &rec)) {
		bool sleeps = false;

		nr++;
		stack = test_stack(&rec, 1);
		ASSERT_LT(0, stack.nr);
		ASSERT_FALSE(stack.absent);
		ASSERT_EQ(stack.at[0], rec.word[0]);
		for (i = 0; i < stack.nr; i++)
			sleeps |= stack.at[i] >= begin && stack.at[i] < end;
		/* Other switches happen while the probe is enabled or disabled. */
		if (!sleeps)
			nr--;
	}
	/* A task that was preempted did not sleep. */
	EXPECT_LE(after.ru_nvcsw - before.ru_nvcsw, nr);
	EXPECT_GE(after.ru_nvcsw - before.ru_nvcsw + after.ru_nivcsw -
		  before.ru_nivcsw, nr);
}

TEST_F(sample, migrations_are_as_many_as_there_were)
{
	struct test_record rec;
	unsigned int i, nr = 0;
	__u32 id;

	test_need_cpus(2);
	ASSERT_EQ(0, test_pin(0));
	test_event_create(&id, PERF_COUNT_SW_CPU_MIGRATIONS, 1,
			  OP_TEST_TGID(getpid()), OP_SAMPLE(ip));
	test_ioctl_enable(id);
	for (i = 1; i <= 20; i++)
		ASSERT_EQ(0, test_pin(i % 2));
	test_ioctl_disable(id);
	while (test_session_next(&self->s, &rec))
		nr++;
	EXPECT_EQ(20, nr);
}

static void check_profile(struct __test_metadata *_metadata,
			  struct test_session *s, __u64 config)
{
	struct tap_perf perf = test_software(config, 1000000);
	unsigned int nr = 0, user = 0, idle = 0;
	struct test_record rec;
	struct stack stack;
	__u32 id;

	ASSERT_EQ(0, _test_event_create(s->fd, &id, &perf,
					OPS(OP_SAMPLE(ip), OP_USTACK(8),
					    OP_KSTACK(16))));
	ASSERT_EQ(0, test_pin(0));
	ASSERT_EQ(0, _test_ioctl_enable(s->fd, id));
	spin(300);
	ASSERT_EQ(0, _test_ioctl_disable(s->fd, id));
	while (test_session_next(s, &rec)) {
		idle += !rec.tid && rec.cpu;
		if (rec.tgid != (__u32)getpid())
			continue;
		nr++;
		/*
		 * The timer's interrupt itself does not count: the interrupted code was not in
		 * an interrupt.
		 */
		ASSERT_EQ(0, rec.flags & (TAP_F_HARDIRQ | TAP_F_NMI));
		stack = test_stack(&rec, 1);
		if (within(spin, rec.word[0])) {
			user++;
			ASSERT_LT(0, stack.nr);
			ASSERT_EQ(rec.word[0], stack.at[0]);
			stack = test_stack(&rec, 1 + 9);
			/* The interrupted code was not in the kernel. */
			ASSERT_EQ(0, stack.nr);
			ASSERT_FALSE(stack.absent);
		} else if ((__s64)rec.word[0] < 0) {
			stack = test_stack(&rec, 1 + 9);
			ASSERT_LT(0, stack.nr);
			ASSERT_EQ(rec.word[0], stack.at[0]);
		}
	}
	/* The host may run the emulator for a part of the time only. */
	EXPECT_LE(10, nr);
	EXPECT_GE(600, nr);
	EXPECT_LE(nr * 7 / 10, user);
	if (sysconf(_SC_NPROCESSORS_ONLN) > 1)
		EXPECT_LT(0, idle);
	test_counters(_metadata, s, id);
}

TEST_F(sample, the_cpu_clock_is_where_the_cpu_is)
{
	check_profile(_metadata, &self->s, PERF_COUNT_SW_CPU_CLOCK);
}

TEST_F(sample, the_task_clock_too)
{
	check_profile(_metadata, &self->s, PERF_COUNT_SW_TASK_CLOCK);
}

TEST_F_TIMEOUT(sample, a_whole_buffer_is_read_in_the_kernel, 120)
{
	unsigned int kernel = 0, nr = 0, deep = 0, i;
	__u64 begin, end;
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	struct test_record rec;
	struct stack stack;
	char buf[65536];
	__u64 until;
	__u32 id;

	ASSERT_LE(0, fd);
	ASSERT_TRUE(test_range("ksys_read", &begin, &end));
	test_event_create(&id, PERF_COUNT_SW_CPU_CLOCK, 1000000,
			  OP_TEST_TGID(getpid()), OP_SAMPLE(ip), OP_KSTACK(32));
	test_ioctl_enable(id);
	for (until = test_now_ms() + 200; test_now_ms() < until;)
		ASSERT_EQ(sizeof(buf), read(fd, buf, sizeof(buf)));
	test_ioctl_disable(id);
	close(fd);
	while (test_session_next(&self->s, &rec)) {
		bool found = false;

		nr++;
		if ((__s64)rec.word[0] >= 0)
			continue;
		kernel++;
		stack = test_stack(&rec, 1);
		ASSERT_EQ(rec.word[0], stack.at[0]);
		for (i = 0; i < stack.nr; i++)
			found |= stack.at[i] >= begin && stack.at[i] < end;
		deep += found;
	}
	EXPECT_LT(10, nr);
	EXPECT_LE(nr * 6 / 10, kernel);
	EXPECT_LE(kernel * 7 / 10, deep);
}

/* Lab machines have no such faults; the counters work nevertheless. */
TEST_F(sample, faults_that_do_not_happen_are_none)
{
	__u32 alignment, emulation;

	test_event_create(&alignment, PERF_COUNT_SW_ALIGNMENT_FAULTS, 1,
			  OP_SAMPLE(addr));
	test_event_create(&emulation, PERF_COUNT_SW_EMULATION_FAULTS, 1,
			  OP_SAMPLE(addr));
	test_ioctl_enable(0);
	usleep(10000);
	test_ioctl_disable(0);
	EXPECT_EQ(0, test_counters(_metadata, &self->s, alignment).hits);
	EXPECT_EQ(0, test_counters(_metadata, &self->s, emulation).hits);
}

TEST_F(sample, hits_are_aggregated_as_any)
{
	char *map = test_fresh(PAGES);
	struct tap_perf perf = test_software(PERF_COUNT_SW_PAGE_FAULTS, 1);
	const struct tap_op ops[] = { OP_TEST_TGID(getpid()), OP_SAMPLE(period) };
	struct tap_create create = test_create_arg(TAP_PROBE_EVENT, "faults", ops,
						   ARRAY_SIZE(ops));
	struct tap_counters c;

	ASSERT_NE(MAP_FAILED, (void *)map);
	create.perf = (uintptr_t)&perf;
	create.flags = TAP_CREATE_F_COUNT;
	ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	test_touch(map, 1);
	test_ioctl_enable(create.out_id);
	test_touch(map, PAGES);
	test_ioctl_disable(create.out_id);
	c = test_counters(_metadata, &self->s, create.out_id);
	EXPECT_LE(PAGES - 1, c.aggregated);
	EXPECT_EQ(0, c.written);
}

/* Kernel addresses are hidden without CAP_SYSLOG. */
TEST_F(sample, addresses_are_hidden)
{
	struct test_record rec;
	unsigned int nr = 0;
	__u32 id;

	test_session_close(&self->s);
	ASSERT_EQ(0, test_keep_caps(BIT(CAP_DAC_OVERRIDE) | BIT(CAP_PERFMON)));
	test_session_open(_metadata, &self->s, 1 << 20);
	test_event_create(&id, PERF_COUNT_SW_CONTEXT_SWITCHES, 1,
			  OP_TEST_TGID(getpid()), OP_SAMPLE(ip), OP_KSTACK(8));
	test_ioctl_enable(id);
	/* Longer than a slow machine needs until it sleeps. */
	usleep(100000);
	test_ioctl_disable(id);
	while (test_session_next(&self->s, &rec)) {
		nr++;
		EXPECT_EQ(0, rec.word[0]);
		EXPECT_EQ(TAP_TEXT_ABSENT, rec.word[1]);
		EXPECT_TRUE(rec.flags & TAP_F_REDACTED);
	}
	EXPECT_LT(0, nr);
}

TEST_F(sample, what_makes_no_sense_is_refused)
{
	const struct tap_perf good = test_software(PERF_COUNT_SW_CPU_CLOCK,
						   1000000);
	struct tap_create create;
	struct tap_perf bad;

#define REFUSED(_errno, field, value)					\
	do {								\
		bad = good;						\
		bad.field = value;					\
		EXPECT_ERRNO(_errno, _test_event_create(self->s.fd, NULL, \
							&bad, OPS(OP_COMM))); \
	} while (0)
	REFUSED(EINVAL, size, 8);
	REFUSED(EINVAL, flags, TAP_PERF_F_ALL + 1);
	REFUSED(EINVAL, flags, TAP_PERF_F_ON_EXEC);
	REFUSED(EINVAL, __reserved, 1);
	REFUSED(EINVAL, period, 0);
	REFUSED(EINVAL, period, 1ULL << 63);
	REFUSED(EINVAL, period, -1ULL);
	REFUSED(EINVAL, flags, TAP_PERF_F_FREQUENCY);
	REFUSED(EINVAL, type, PERF_TYPE_BREAKPOINT);
	REFUSED(EINVAL, type, PERF_TYPE_TRACEPOINT);
	/* Branches one by one would be Intel's branch trace store, which makes no events. */
	{
		struct tap_perf branches = {
			.size = sizeof(branches),
			.type = PERF_TYPE_HARDWARE,
			.config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
			.period = 1,
		};

		EXPECT_ERRNO(EINVAL, _test_event_create(self->s.fd, NULL, &branches,
							OPS(OP_COMM)));
	}
	REFUSED(EOPNOTSUPP, type, 12345);
	EXPECT_ERRNO(EINVAL, _test_event_create(self->s.fd, NULL, NULL,
						OPS(OP_COMM)));
	EXPECT_ERRNO(EFAULT, _test_event_create(self->s.fd, NULL,
						(void *)8, OPS(OP_COMM)));
	EXPECT_ERRNO(EOPNOTSUPP, _test_event_create(self->s.fd, NULL, &good,
						    OPS(OP_ARG(0))));
	EXPECT_ERRNO(EOPNOTSUPP, _test_event_create(self->s.fd, NULL, &good,
						    OPS(OP_REG(0))));
	EXPECT_ERRNO(EINVAL, _test_event_create(self->s.fd, NULL, &good,
		OPS(OP(TAP_OP_FIELD, TAP_OP_OUT, 0, 8,
		       sizeof(struct tap_sample), 0))));
	create = test_create_arg(TAP_PROBE_RAWTP, "sched_switch", NULL, 0);
	create.perf = (uintptr_t)&good;
	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	create = test_create_arg(TAP_PROBE_EVENT, "event", NULL, 0);
	create.perf = (uintptr_t)&good;
	create.pid = getpid();
	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
}

/* Lab machines have no hardware counters on x86; elsewhere this tests them. */
TEST_F(sample, the_processors_own_counters)
{
	struct tap_perf perf = {
		.size = sizeof(perf),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.period = 1000000,
	};
	struct test_record rec;
	unsigned int nr = 0;
	__u32 id;

	if (_test_event_create(self->s.fd, &id, &perf,
			       OPS(OP_TEST_TGID(getpid()), OP_SAMPLE(ip)))) {
		ASSERT_EQ(EOPNOTSUPP, errno);
		SKIP(return, "no PMU");
	}
	test_ioctl_enable(id);
	spin(1000);
	test_ioctl_disable(id);
	while (test_session_next(&self->s, &rec))
		nr += within(spin, rec.word[0]);
	/* A hundred, unless the host did not run the emulator. */
	EXPECT_LT(0, nr);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of what the commands of a session wait for: grace periods, and updates of ftrace. A
 * second session counts the calls of the kernel's functions that wait, in this process.
 */
#include "selftests/module/func_harness.h"

#define CALLS	10

enum { RCU, SRCU, TASKS_TRACE, TASKS, RUDE, UPDATE, NR_WAITS };

/* kprobes find none of these on some kernels: they are inline, or do not exist. */
static const char *const functions[NR_WAITS] = {
	[RCU]		= "synchronize_rcu",
	[SRCU]		= "synchronize_srcu",
	[TASKS_TRACE]	= "synchronize_rcu_tasks_trace",
	[TASKS]		= "synchronize_rcu_tasks",
	[RUDE]		= "synchronize_rcu_tasks_rude",
	/* All ways to change the calls of ftrace end here. */
	[UPDATE]	= "ftrace_modify_all_code",
};

FIXTURE(sync)
{
	struct test_session s;
	struct test_session watcher;
	int target;
	__u32 id[NR_WAITS];
	__u64 before[NR_WAITS];
	__u64 waits[NR_WAITS];
	__u64 periods;
};

FIXTURE_SETUP(sync)
{
	const struct tap_op ops[] = { OP_TEST_TGID(getpid()) };
	unsigned int i;

	test_setup();
	test_session_open(_metadata, &self->watcher, 4096);
	for (i = 0; i < NR_WAITS; i++)
		if (_test_ioctl_create(self->watcher.fd, &self->id[i], TAP_PROBE_KPROBE,
				       functions[i], ops, ARRAY_SIZE(ops)))
			self->id[i] = 0;
	ASSERT_NE(0, self->id[RCU]);
	ASSERT_NE(0, self->id[SRCU]);
	ASSERT_NE(0, self->id[UPDATE]);
	ASSERT_EQ(0, _test_ioctl_enable(self->watcher.fd, 0));
	test_session_open(_metadata, &self->s, 1 << 16);
}

FIXTURE_TEARDOWN(sync)
{
	test_session_close(&self->watcher);
	test_teardown();
}

static void count(struct __test_metadata *_metadata, FIXTURE_DATA(sync) *self, __u64 *waits)
{
	struct tap_counters sum;
	unsigned int i;

	for (i = 0; i < NR_WAITS; i++) {
		waits[i] = 0;
		if (!self->id[i])
			continue;
		sum = test_counters(_metadata, &self->watcher, self->id[i]);
		waits[i] = sum.hits - sum.filtered;
	}
}

/* What a call has waited for is in self->waits, and all grace periods in self->periods. */
#define counted(what, call)							\
	do {									\
		unsigned int _i;						\
										\
		count(_metadata, self, self->before);				\
		call;								\
		count(_metadata, self, self->waits);				\
		self->periods = 0;						\
		for (_i = 0; _i < NR_WAITS; _i++) {				\
			self->waits[_i] -= self->before[_i];			\
			self->periods += _i == UPDATE ? 0 : self->waits[_i];	\
		}								\
		TH_LOG("%s: %llu rcu, %llu srcu, %llu trace, %llu tasks, %llu rude; %llu updates", \
		       what, self->waits[RCU], self->waits[SRCU],		\
		       self->waits[TASKS_TRACE], self->waits[TASKS],		\
		       self->waits[RUDE], self->waits[UPDATE]);			\
	} while (0)

TEST_F(sync, a_kprobe_waits_for_kprobes_alone)
{
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add");
	test_ioctl_enable(0);
	test_target_call(TAP_TARGET_ADD, CALLS);
	counted("disable", test_ioctl_disable(0));
	EXPECT_EQ(1, self->waits[RCU]);
	EXPECT_EQ(1, self->periods);
	EXPECT_EQ(CALLS, test_counters(_metadata, &self->s, id).hits);
	/* The kernel waits when it unregisters the kprobe. */
	counted("close", test_session_close(&self->s));
	EXPECT_EQ(1, self->waits[RCU]);
	EXPECT_EQ(1, self->periods);
}

TEST_F(sync, a_close_waits_as_a_disable)
{
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add");
	test_ioctl_enable(0);
	counted("close", test_session_close(&self->s));
	EXPECT_GE(2, self->waits[RCU]);
	EXPECT_LE(1, self->waits[RCU]);
	EXPECT_EQ(self->waits[RCU], self->periods);
}

TEST_F(sync, what_was_never_enabled_is_not_waited_for)
{
	__u32 id;

	test_need_raw_tracepoints();
	test_ioctl_create(&id, TAP_PROBE_RAWTP, "tap_target_event");
	test_ioctl_create(&id, TAP_PROBE_MARK, "mark");
	counted("disable", test_ioctl_disable(0));
	EXPECT_EQ(0, self->periods);
	counted("disable one", test_ioctl_disable(id));
	EXPECT_EQ(0, self->periods);
	counted("close", test_session_close(&self->s));
	EXPECT_EQ(0, self->periods);
}

TEST_F(sync, what_is_disabled_is_not_waited_for_again)
{
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_MARK, "mark");
	test_ioctl_enable(0);
	counted("disable", test_ioctl_disable(0));
	EXPECT_EQ(1, self->waits[RCU]);
	EXPECT_EQ(1, self->periods);
	counted("delete", test_ioctl_delete(id));
	EXPECT_EQ(0, self->periods);
	counted("close", test_session_close(&self->s));
	EXPECT_EQ(0, self->periods);
}

/* The wait of one kind of probes is not repeated for another kind. */
TEST_F(sync, many_kinds_wait_once)
{
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add");
	test_ioctl_create(&id, TAP_PROBE_KRETPROBE, "tap_target_add");
	test_ioctl_create(&id, TAP_PROBE_CALL, "tap_target_six");
	test_ioctl_create(&id, TAP_PROBE_MARK, "mark");
	test_ioctl_create(&id, TAP_PROBE_TRACEPOINT, "tap_target:tap_target_event");
	test_ioctl_enable(0);
	counted("disable", test_ioctl_disable(0));
	/* perf waits once itself when it releases the last event of a tracepoint. */
	EXPECT_GE(2, self->waits[RCU]);
	EXPECT_LE(1, self->waits[RCU]);
}

/* More than one array on the stack has room for; $TEST_KPROBES for a measurement. */
#define KPROBES		150
/* What any number of them may take to go: disarmed, then each of the two types. */
#define KPROBE_PERIODS	4

/* A kprobe, or a return probe, at each of that many functions of the kernel. */
static void create_kprobes(struct __test_metadata *_metadata, FIXTURE_DATA(sync) *self,
			   unsigned int want)
{
	FILE *list = fopen(TRACEFS "available_filter_functions", "re");
	unsigned int nr = 0, line_nr = 0;
	char line[512], name[128];

	ASSERT_NE(NULL, list);
	while (nr < want && fgets(line, sizeof(line), list)) {
		/* Not too close together, and none that is called all the time by this test. */
		if (strchr(line, '[') || sscanf(line, "%127s", name) != 1 ||
		    strchr(name, '.') || line_nr++ % 5)
			continue;
		/* Some may not be probed, and some names are there twice. */
		nr += !_test_ioctl_create(self->s.fd, NULL, nr % 2 ? TAP_PROBE_KRETPROBE :
					  TAP_PROBE_KPROBE, name, NULL, 0);
	}
	fclose(list);
	ASSERT_EQ(want, nr);
}

TEST_F_TIMEOUT(sync, many_kprobes_of_two_types_go_in_a_few_waits, 900)
{
	unsigned int nr = getenv("TEST_KPROBES") ? atoi(getenv("TEST_KPROBES")) : KPROBES;
	__u64 begin = test_now_ms();
	__u32 id;

	create_kprobes(_metadata, self, nr - 1);
	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add");
	TH_LOG("%u made in %llu ms", nr, test_now_ms() - begin);
	test_ioctl_enable(id);
	begin = test_now_ms();
	counted("disable", test_ioctl_disable(0));
	TH_LOG("disabled in %llu ms", test_now_ms() - begin);
	begin = test_now_ms();
	counted("close", test_session_close(&self->s));
	TH_LOG("gone in %llu ms", test_now_ms() - begin);
	EXPECT_GE(KPROBE_PERIODS, self->periods);
}

#define FUNCS		1000
/* What a thousand func probes may take from the first command to the last. */
#define MAX_UPDATES	10
#define MAX_PERIODS	5

static void create_thousand(struct __test_metadata *_metadata, FIXTURE_DATA(sync) *self)
{
	static __u64 addrs[FUNCS];
	const struct tap_op ops[] = { OP_ARG(0), OP_ARG(1) };
	__u64 begin = test_now_ms();
	unsigned int i;

	ASSERT_EQ(FUNCS, traceable(_metadata, addrs, FUNCS));
	for (i = 0; i < FUNCS; i++)
		ASSERT_EQ(0, create_many(self->s.fd, NULL, &addrs[i], 1, ops, ARRAY_SIZE(ops)));
	TH_LOG("%d func probes made in %llu ms", FUNCS, test_now_ms() - begin);
}

TEST_F_TIMEOUT(sync, a_thousand_func_probes_come_and_go_in_few_updates, 600)
{
	__u64 updates, periods, begin;
	__u32 id;

	counted("create", create_thousand(_metadata, self));
	updates = self->waits[UPDATE];
	periods = self->periods;
	test_ioctl_create(&id, TAP_PROBE_FUNC, "tap_target_add");
	begin = test_now_ms();
	counted("enable", test_ioctl_enable(0));
	updates += self->waits[UPDATE];
	periods += self->periods;
	TH_LOG("armed in %llu ms", test_now_ms() - begin);
	test_target_call(TAP_TARGET_ADD, CALLS);
	EXPECT_EQ(CALLS, test_counters(_metadata, &self->s, id).hits);
	begin = test_now_ms();
	counted("close", test_session_close(&self->s));
	updates += self->waits[UPDATE];
	periods += self->periods;
	TH_LOG("gone in %llu ms", test_now_ms() - begin);
	EXPECT_GE(MAX_UPDATES, updates);
	EXPECT_GE(MAX_PERIODS, periods);
}

TEST_F_TIMEOUT(sync, a_thousand_func_probes_are_disabled_and_enabled_in_few_updates, 600)
{
	create_thousand(_metadata, self);
	test_ioctl_enable(0);
	counted("disable", test_ioctl_disable(0));
	EXPECT_GE(MAX_UPDATES / 2, self->waits[UPDATE]);
	EXPECT_GE(MAX_PERIODS, self->periods);
	counted("enable", test_ioctl_enable(0));
	EXPECT_GE(MAX_UPDATES / 2, self->waits[UPDATE]);
	EXPECT_EQ(0, self->periods);
}

/* Each that is enabled alone takes an update. What closes them does not. */
TEST_F_TIMEOUT(sync, func_probes_that_were_enabled_one_by_one_go_together, 600)
{
	unsigned int i;

	for (i = 0; i < 100; i++) {
		__u32 id;

		test_ioctl_create(&id, TAP_PROBE_FUNC, i % 2 ? "tap_target:tap_target_add" :
				  "tap_target:tap_target_six");
		test_ioctl_enable(id);
	}
	test_target_call(TAP_TARGET_ADD, CALLS);
	EXPECT_EQ(50 * CALLS, test_session_drain(&self->s, NULL));
	counted("close", test_session_close(&self->s));
	EXPECT_GE(MAX_UPDATES / 2, self->waits[UPDATE]);
	/* Three are armed alone; the others are in two groups. */
	EXPECT_GE(5 * 3 + 1, self->periods);
}

TEST_F(sync, the_name_of_a_function_is_found_without_a_wait)
{
	__u32 id;

	counted("create", test_ioctl_create(&id, TAP_PROBE_FUNC, "tap_target:tap_target_add"));
	EXPECT_EQ(0, self->periods);
	EXPECT_EQ(0, self->waits[UPDATE]);
}

#define ONLINE		"/sys/devices/system/cpu/cpu1/online"
#define TRACEPOINTS	40

/* Waits for all tasks but this one, from now on: the id of the probe that counts them. */
static __u32 watch_others(struct __test_metadata *_metadata, const struct test_session *watcher)
{
	const struct tap_op ops[] = {
		OP(TAP_OP_VAR, 0, 0, 8, TAP_VAR_TGID, 0),
		OP_REJECT_IF(TAP_OP_JEQ, 0, getpid()),
	};
	__u32 id;

	ASSERT_EQ(0, _test_ioctl_create(watcher->fd, &id, TAP_PROBE_KPROBE, functions[RCU],
					ops, ARRAY_SIZE(ops)));
	ASSERT_EQ(0, _test_ioctl_enable(watcher->fd, id));
	return id;
}

/* The counters of a CPU that comes online are replaced after one wait for all of them. */
TEST_F(sync, a_processor_comes_back_after_one_wait)
{
	const struct tap_perf events[] = {
		{ .size = sizeof(struct tap_perf), .type = 1, .config = 2 },
		{ .size = sizeof(struct tap_perf), .type = 1, .config = 3 },
		{ .size = sizeof(struct tap_perf), .type = 1, .config = 4 },
	};
	struct tap_pmu pmu = {
		.size = sizeof(pmu),
		.events = (uintptr_t)events,
		.nr_events = ARRAY_SIZE(events),
	};
	struct tap_counters waits;
	unsigned int i;
	__u32 id, others;

	if (access(ONLINE, W_OK))
		SKIP(return, "no %s", ONLINE);
	ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_PMU, &pmu));
	for (i = 0; i < TRACEPOINTS; i++)
		test_ioctl_create(&id, TAP_PROBE_TRACEPOINT, "tap_target:tap_target_event");
	test_ioctl_enable(0);
	ASSERT_EQ(0, test_write_file(ONLINE, "0"));
	others = watch_others(_metadata, &self->watcher);
	ASSERT_EQ(0, test_write_file(ONLINE, "1"));
	/* A worker does it, while it holds the lock that a disable takes. */
	usleep(500000);
	ASSERT_EQ(0, test_pin(1));
	test_target_call(TAP_TARGET_EVENT, CALLS);
	EXPECT_EQ(CALLS, test_counters(_metadata, &self->s, id).hits);
	waits = test_counters(_metadata, &self->watcher, others);
	TH_LOG("%llu waits of others", waits.hits - waits.filtered);
	/* Some are of the kernel. */
	EXPECT_GE(4, waits.hits - waits.filtered);
}

TEST_HARNESS_MAIN

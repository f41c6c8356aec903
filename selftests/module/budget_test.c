// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the budget of a session: what is over it is dropped and counted, or not seen; the law of
 * the counters holds; and it is said. What share of a CPU that is, is measured by
 * selftests/tool/budget_guest.
 */
#include "selftests/module/tap_harness.h"

#define CALLS		100
#define ROUND_US	2000
#define MAX_ROUNDS	20000
#define PERMILLE	200
#define LATE		"tap_deferred"

/* Nanoseconds of a call: a round is far over a budget of PERMILLE; a second or two make up for it. */
#define DEAR		100000

/**
 * struct said - notices of a stream
 * @dropping: events are dropped
 * @paused: probes are disarmed
 * @again: events are recorded again
 * @dropped: sum of the counts of these
 * @unseen: sum of the hits that were not seen, as estimated
 * @unseens: notices of these
 * @events: records of events
 */
struct said {
	__u64 dropping;
	__u64 paused;
	__u64 again;
	__u64 dropped;
	__u64 unseen;
	__u64 unseens;
	__u64 events;
};

FIXTURE(budget)
{
	struct test_session s;
	int target;
	__u32 ids[2];
};

FIXTURE_SETUP(budget)
{
	test_setup();
	/* The budget is of each CPU. */
	ASSERT_EQ(0, test_pin(0));
	test_session_open(_metadata, &self->s, 1 << 20);
	ASSERT_EQ(0, _test_ioctl_create(self->s.fd, &self->ids[0], TAP_PROBE_KPROBE,
					"tap_target_add", OPS(OP_ARG(0))));
	ASSERT_EQ(0, _test_ioctl_create_flags(self->s.fd, &self->ids[1], TAP_PROBE_KPROBE,
					      TAP_CREATE_F_COUNT, 0, "tap_target_add", NULL, 0));
}

FIXTURE_TEARDOWN(budget)
{
	test_teardown();
}

static int set_budget(int fd, __u32 permille, const struct tap_cost *costs, __u32 nr)
{
	struct tap_budget budget = {
		.size = sizeof(budget), .permille = permille, .costs = (uintptr_t)costs,
		.nr_costs = nr,
	};

	return ioctl(fd, TAP_IOC_BUDGET, &budget);
}

static struct tap_budget get_budget(struct __test_metadata *_metadata, int fd)
{
	struct tap_budget budget = { .size = sizeof(budget) };

	EXPECT_EQ(0, ioctl(fd, TAP_IOC_BUDGET, &budget));
	return budget;
}

static void look(struct __test_metadata *_metadata, struct test_session *s, struct said *said)
{
	struct test_record rec;

	while (test_session_next(s, &rec)) {
		if (rec.kind == TAP_KIND_EVENT)
			said->events++;
		if (rec.kind != TAP_KIND_NOTICE)
			continue;
		EXPECT_EQ(0, rec.probe);
		EXPECT_EQ(PERMILLE, rec.word[TAP_NOTICE_SIZE]);
		if (rec.word[TAP_NOTICE_WHAT] == TAP_NOTICE_OVER_BUDGET) {
			said->dropping += !rec.word[TAP_NOTICE_COUNT];
			said->paused += rec.word[TAP_NOTICE_COUNT] == 1;
		} else if (rec.word[TAP_NOTICE_WHAT] == TAP_NOTICE_UNSEEN) {
			said->unseens++;
			said->unseen += rec.word[TAP_NOTICE_COUNT];
		} else {
			EXPECT_EQ(TAP_NOTICE_IN_BUDGET, rec.word[TAP_NOTICE_WHAT]);
			said->again++;
			said->dropped += rec.word[TAP_NOTICE_COUNT];
		}
	}
}

/* Calls the function until the condition @enough holds, for MAX_ROUNDS at most. */
#define call_until(enough)								\
do {											\
	unsigned int _round;								\
											\
	for (_round = 0; _round < MAX_ROUNDS && !(enough); _round++) {			\
		ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_CALL, TAP_TARGET_ADD,	\
					  CALLS, 0, NULL));				\
		usleep(ROUND_US);							\
		look(_metadata, &self->s, &said);					\
	}										\
	EXPECT_GT(MAX_ROUNDS, _round);							\
} while (0)

TEST_F(budget, is_checked_and_changes_nothing_if_refused)
{
	struct tap_cost costs[] = { { .id = self->ids[0] }, { .id = 99 } };

	EXPECT_ERRNO(EINVAL, set_budget(self->s.fd, 1001, NULL, 0));
	EXPECT_ERRNO(EINVAL, set_budget(self->s.fd, 0, costs, 1));
	EXPECT_ERRNO(EINVAL, set_budget(self->s.fd, 1, costs, TAP_MAX_PROBES + 1));
	EXPECT_ERRNO(ENOENT, set_budget(self->s.fd, 1, costs, 2));
	EXPECT_ERRNO(EFAULT, set_budget(self->s.fd, 1, (void *)8, 1));
	costs[0].__reserved = 1;
	EXPECT_ERRNO(EINVAL, set_budget(self->s.fd, 1, costs, 1));
	EXPECT_EQ(0, get_budget(_metadata, self->s.fd).out_permille);
	EXPECT_EQ(0, get_budget(_metadata, self->s.fd).out_time);
	EXPECT_EQ(0, set_budget(self->s.fd, 1000, NULL, 0));
	EXPECT_EQ(1000, get_budget(_metadata, self->s.fd).out_permille);
	EXPECT_EQ(0, set_budget(self->s.fd, PERMILLE, NULL, 0));
	EXPECT_EQ(PERMILLE, get_budget(_metadata, self->s.fd).out_permille);
}

TEST_F_TIMEOUT(budget, leaves_a_session_alone_that_is_within_it, 120)
{
	const struct tap_cost cost = { .id = self->ids[0], .hit = 1, .passed = 1 };
	struct tap_budget budget;
	struct said said = {};
	unsigned int i;

	ASSERT_EQ(0, set_budget(self->s.fd, PERMILLE, &cost, 1));
	test_ioctl_enable(0);
	for (i = 0; i < 20; i++) {
		test_target_call(TAP_TARGET_ADD, CALLS);
		usleep(20000);
		look(_metadata, &self->s, &said);
	}
	test_ioctl_disable(0);
	look(_metadata, &self->s, &said);
	EXPECT_EQ(20 * CALLS, said.events);
	EXPECT_EQ(0, said.dropping + said.paused + said.again);
	budget = get_budget(_metadata, self->s.fd);
	EXPECT_LT(2 * 20 * CALLS - 1, budget.out_spent);
	EXPECT_LT(20 * 20000000ULL, budget.out_time);
	EXPECT_EQ(0, budget.out_dropping + budget.out_paused + budget.out_pauses);
	EXPECT_EQ(0, budget.out_unseen);
}

/* What is dropped costs nothing here, so the balance recovers while events are dropped. */
TEST_F_TIMEOUT(budget, drops_and_counts_what_is_over_it, 120)
{
	const struct tap_cost cost = { .id = self->ids[0], .passed = 15000 };
	struct tap_budget budget;
	struct said said = {};
	struct tap_counters c;

	ASSERT_EQ(0, set_budget(self->s.fd, PERMILLE, &cost, 1));
	test_ioctl_enable(0);
	call_until(said.again >= 2);
	test_ioctl_disable(0);
	look(_metadata, &self->s, &said);
	c = test_counters(_metadata, &self->s, self->ids[0]);
	EXPECT_EQ(c.hits, c.written + c.throttled);
	EXPECT_EQ(said.events, c.written);
	EXPECT_LT(0, c.throttled);
	/* Each is reported once: what is dropped at the end, when the probe is disabled. */
	EXPECT_EQ(c.throttled, said.dropped);
	budget = get_budget(_metadata, self->s.fd);
	EXPECT_LT(0, budget.out_dropping);
	EXPECT_GE(budget.out_spent, c.written * cost.passed);
	EXPECT_EQ(0, budget.out_paused + said.paused + budget.out_unseen + said.unseens);
	/* The probe that counts has no cost, and is left alone. */
	EXPECT_EQ(c.hits, test_counters(_metadata, &self->s, self->ids[1]).hits);
}

/* Events that are counted cannot be dropped for less than they cost: they are not seen. */
TEST_F_TIMEOUT(budget, disarms_what_is_still_over_it_and_arms_it_again, 120)
{
	const struct tap_cost cost = { .id = self->ids[1], .hit = DEAR };
	struct tap_probe_info info;
	struct tap_budget budget;
	struct said said = {};
	struct tap_counters c;
	unsigned int i;
	__u64 before;

	ASSERT_EQ(0, set_budget(self->s.fd, PERMILLE, &cost, 1));
	test_ioctl_enable(0);
	call_until(said.paused);
	before = test_counters(_metadata, &self->s, self->ids[1]).hits;
	test_target_call(TAP_TARGET_ADD, CALLS);
	c = test_counters(_metadata, &self->s, self->ids[1]);
	EXPECT_EQ(before, c.hits);
	EXPECT_EQ(c.hits, c.filtered + c.aggregated);
	/* It is enabled: only the budget keeps it from having events. */
	ASSERT_EQ(0, _test_ioctl_probe_info(self->s.fd, self->ids[1], NULL, 0, &info));
	EXPECT_EQ(TAP_STATE_ENABLED, info.out_state);
	call_until(said.again);
	call_until(said.paused >= 2);
	budget = get_budget(_metadata, self->s.fd);
	EXPECT_LE(2, budget.out_pauses);
	EXPECT_LT(0, budget.out_paused);
	EXPECT_LT(before, test_counters(_metadata, &self->s, self->ids[1]).hits);
	/* The user's command goes before the budget: what is disabled stays so. */
	test_ioctl_disable(0);
	ASSERT_EQ(0, _test_ioctl_probe_info(self->s.fd, self->ids[1], NULL, 0, &info));
	EXPECT_EQ(TAP_STATE_DISABLED, info.out_state);
	before = test_counters(_metadata, &self->s, self->ids[1]).hits;
	for (i = 0; i < 20; i++) {
		test_target_call(TAP_TARGET_ADD, CALLS);
		usleep(200000);
	}
	EXPECT_EQ(before, test_counters(_metadata, &self->s, self->ids[1]).hits);
}

/* Calls come all the time, and those of them that are not hits are known. */
TEST_F_TIMEOUT(budget, estimates_what_is_not_seen, 120)
{
	const struct tap_cost cost = { .id = self->ids[1], .hit = DEAR };
	struct tap_budget budget, later;
	__u64 calls = 0, unseen;
	struct said said = {};

	ASSERT_EQ(0, set_budget(self->s.fd, PERMILLE, &cost, 1));
	test_ioctl_enable(0);
	call_until((calls += CALLS) && said.unseens >= 3);
	budget = get_budget(_metadata, self->s.fd);
	EXPECT_EQ(said.unseen, budget.out_unseen);
	unseen = calls - test_counters(_metadata, &self->s, self->ids[1]).hits;
	TH_LOG("%llu calls were not seen, the estimate is %llu", unseen, said.unseen);
	/* The clock goes on while this guest does not run, so the estimate may be far off. */
	EXPECT_LT(unseen / 8, said.unseen);
	EXPECT_GT(unseen * 8, said.unseen);
	/* What is disabled is not kept from events by the budget. */
	call_until(said.paused >= 4);
	test_ioctl_disable(0);
	look(_metadata, &self->s, &said);
	EXPECT_EQ(4, said.unseens);
	budget = get_budget(_metadata, self->s.fd);
	EXPECT_EQ(said.unseen, budget.out_unseen);
	usleep(200000);
	later = get_budget(_metadata, self->s.fd);
	EXPECT_EQ(budget.out_paused, later.out_paused);
	EXPECT_EQ(budget.out_unseen, later.out_unseen);
}

/*
 * What cannot be armed any more, as its module is gone, does not keep the others from being armed; a
 * command that fails for it leaves them as they are.
 */
TEST_F_TIMEOUT(budget, goes_on_without_what_is_gone, 120)
{
	struct tap_cost costs[] = { { .hit = DEAR }, { .hit = DEAR }, { .hit = DEAR } };
	struct tap_probe_info info;
	struct said said = {};
	__u32 gone, disabled;
	__u64 before;

	test_need_module(LATE);
	ASSERT_EQ(0, test_module_load(LATE, ""));
	test_ioctl_create(&gone, TAP_PROBE_KPROBE, LATE ":tap_deferred_function", OP_ARG(0));
	test_ioctl_create(&disabled, TAP_PROBE_KPROBE, LATE ":tap_deferred_function", OP_ARG(0));
	costs[0].id = self->ids[1];
	costs[1].id = gone;
	costs[2].id = disabled;
	ASSERT_EQ(0, set_budget(self->s.fd, PERMILLE, costs, 3));
	test_ioctl_enable(self->ids[1]);
	test_ioctl_enable(gone);
	call_until(said.paused);
	EXPECT_EQ(0, test_module_unload(LATE));
	EXPECT_ERRNO(ENOENT, _test_ioctl_enable(self->s.fd, 0));
	ASSERT_EQ(0, _test_ioctl_probe_info(self->s.fd, self->ids[1], NULL, 0, &info));
	EXPECT_EQ(TAP_STATE_ENABLED, info.out_state);
	before = test_counters(_metadata, &self->s, self->ids[1]).hits;
	call_until(said.again);
	call_until(said.paused >= 2);
	EXPECT_LT(before, test_counters(_metadata, &self->s, self->ids[1]).hits);
	ASSERT_EQ(0, _test_ioctl_probe_info(self->s.fd, gone, NULL, 0, &info));
	EXPECT_EQ(TAP_STATE_GONE, info.out_state);
}

TEST_F_TIMEOUT(budget, that_is_new_arms_what_the_old_one_disarmed, 120)
{
	const struct tap_cost dear = { .id = self->ids[1], .hit = DEAR };
	const struct tap_cost cheap = { .id = self->ids[1], .hit = 1 };
	struct said said = {};
	unsigned int i;
	__u64 before;

	ASSERT_EQ(0, set_budget(self->s.fd, PERMILLE, &dear, 1));
	test_ioctl_enable(0);
	call_until(said.paused);
	before = test_counters(_metadata, &self->s, self->ids[1]).hits;
	/* So large that what the old one had over is no reason to disarm. */
	ASSERT_EQ(0, set_budget(self->s.fd, 1000, &cheap, 1));
	for (i = 0; i < MAX_ROUNDS && test_counters(_metadata, &self->s, self->ids[1]).hits == before; i++) {
		test_target_call(TAP_TARGET_ADD, CALLS);
		usleep(ROUND_US);
	}
	EXPECT_GT(MAX_ROUNDS, i);
}

/* TAP_IOC_ENABLE arms what the budget has disarmed; the debt stays, and is paid later. */
TEST_F_TIMEOUT(budget, is_made_up_for_after_probes_are_enabled_again, 120)
{
	const struct tap_cost cost = { .id = self->ids[1], .hit = DEAR };
	struct said said = {};
	__u64 before;

	ASSERT_EQ(0, set_budget(self->s.fd, PERMILLE, &cost, 1));
	test_ioctl_enable(0);
	call_until(said.paused);
	before = test_counters(_metadata, &self->s, self->ids[1]).hits;
	test_ioctl_enable(0);
	test_target_call(TAP_TARGET_ADD, 1);
	EXPECT_EQ(before + 1, test_counters(_metadata, &self->s, self->ids[1]).hits);
	call_until(said.paused >= 2);
	test_ioctl_disable(0);
}

TEST_HARNESS_MAIN

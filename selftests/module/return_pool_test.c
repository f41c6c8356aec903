// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of return probes that share a pool of instances: each has its own calls, also if calls
 * nest or are in flight when a probe goes. The pool grows, and takes less memory than many pools.
 */
#include "selftests/module/call_harness.h"
#include "selftests/module/return_pool_harness.h"

#define NR_CALLERS	5
#define MANY		300

FIXTURE(shared)
{
	struct test_session s;
	int target;
};

FIXTURE_VARIANT(shared)
{
	__u32 type;
};

FIXTURE_VARIANT_ADD(shared, kretprobe)
{
	.type = TAP_PROBE_KRETPROBE,
};

FIXTURE_VARIANT_ADD(shared, call)
{
	.type = TAP_PROBE_CALL,
};

FIXTURE_SETUP(shared)
{
	unsigned int i;
	__u32 id;

	test_setup();
	if (!test_returns_share())
		SKIP(return, "return probes of this kernel do not share instances");
	test_session_open(_metadata, &self->s, 1 << 20);
	/* These have instances of their own; all further ones share. */
	for (i = 0; i < TEST_ALONE; i++)
		test_ioctl_create(&id, variant->type, "tap_target_values");
}

FIXTURE_TEARDOWN(shared)
{
	test_teardown();
}

/* Makes a probe, and checks that it shares: its maxactive is that of the pool. */
#define create_shared(_id, _target)					\
	_create_shared(_metadata, self, variant->type, _id, _target)

static void _create_shared(struct __test_metadata *_metadata, FIXTURE_DATA(shared) *self,
			   __u32 type, __u32 *id, const char *target)
{
	struct tap_probe_info info;

	test_ioctl_create(id, type, target);
	test_ioctl_probe_info(*id, NULL, 0, &info);
	ASSERT_EQ(0, info.out_maxactive % TEST_POOL);
	ASSERT_LT(0, info.out_maxactive);
}

/* Counts the events of probes @first to @first + @nr - 1. */
static void count_events(struct __test_metadata *_metadata, struct test_session *s, __u32 first,
			 unsigned int nr, __u64 *events)
{
	struct test_record rec;

	while (test_session_next(s, &rec)) {
		if (rec.kind != TAP_KIND_EVENT)
			continue;
		ASSERT_LE(first, rec.probe);
		ASSERT_GT(first + nr, rec.probe);
		events[rec.probe - first]++;
	}
}

struct caller {
	pthread_t thread;
	int target;
};

static void *caller_main(void *data)
{
	struct caller *c = data;

	_test_target(c->target, TAP_TARGET_CALL, TAP_TARGET_BLOCK, 1, 0, NULL);
	return NULL;
}

/* Starts calls of tap_target_block(), so that @all are in flight. */
static void block(struct __test_metadata *_metadata, int target, struct caller *callers,
		  unsigned int nr, unsigned int all)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		callers[i].target = target;
		ASSERT_EQ(0, pthread_create(&callers[i].thread, NULL, caller_main,
					    &callers[i]));
	}
	ASSERT_TRUE(test_wait_blocked(target, all));
}

static void release(struct __test_metadata *_metadata, int target, struct caller *callers,
		    unsigned int nr)
{
	unsigned int i;

	ASSERT_EQ(0, _test_target(target, TAP_TARGET_RELEASE, 0, 0, 0, NULL));
	for (i = 0; i < nr; i++)
		ASSERT_EQ(0, pthread_join(callers[i].thread, NULL));
}

/* The return value in a record. */
static __u64 retval_of(const struct test_record *rec, __u32 type)
{
	return rec->word[type == TAP_PROBE_CALL ? TAP_CALL_RETVAL : 0];
}

/* Three functions that call each other, one of them with two probes. */
TEST_F(shared, calls_in_each_other_are_each_probes_own)
{
	static const unsigned int order[] = { 0, 1, 3, 2 };
	struct test_record rec;
	unsigned int round, i;
	__u64 inner = 0;
	__u32 id[4];

	create_shared(&id[0], "tap_target_inner");
	create_shared(&id[1], "tap_target_middle");
	create_shared(&id[2], "tap_target_outer");
	create_shared(&id[3], "tap_target_middle");
	test_ioctl_enable(0);
	for (round = 0; round < 100; round++) {
		unsigned int seen = 0;

		test_target_call(TAP_TARGET_CHAIN, 1);
		for (i = 0; i < ARRAY_SIZE(order); i++) {
			ASSERT_TRUE(test_session_next(&self->s, &rec));
			ASSERT_LE(id[0], rec.probe);
			ASSERT_GE(id[3], rec.probe);
			seen |= 1U << (rec.probe - id[0]);
			EXPECT_EQ(0, rec.flags & TAP_F_NESTED);
			if (variant->type != TAP_PROBE_CALL)
				continue;
			/* inner() returns a number, and each of the others one more. */
			if (!i)
				inner = retval_of(&rec, variant->type);
			EXPECT_EQ(inner + (i + 1) / 2, retval_of(&rec, variant->type));
		}
		EXPECT_EQ(0xf, seen);
		/* The two of one function return at the same moment, in any order. */
		EXPECT_EQ(id[2], rec.probe);
		EXPECT_FALSE(test_session_next(&self->s, &rec));
	}
}

/* A function that calls itself, with more calls at once than there are instances: it grows. */
TEST_F(shared, calls_of_itself_are_recorded_or_missed_and_the_pool_grows)
{
	const __u64 depth = TAP_TARGET_MAX_DEPTH, each = depth + 1;
	__u64 events[3] = {}, missed = 0, hits;
	struct tap_probe_info info;
	struct tap_counters c;
	struct tap_stats stats;
	unsigned int i;
	__u32 id[3];

	for (i = 0; i < 3; i++)
		create_shared(&id[i], "tap_target_recurse");
	test_ioctl_enable(0);
	ASSERT_EQ(0, test_pin(0));
	test_target_call(TAP_TARGET_RECURSE, depth);
	count_events(_metadata, &self->s, id[0], 3, events);
	EXPECT_EQ(TEST_POOL, events[0] + events[1] + events[2]);
	/* The governor enlarges the pool, once. */
	usleep(500000);
	for (i = 0; i < 3; i++) {
		test_ioctl_probe_info(id[i], NULL, 0, &info);
		EXPECT_EQ(2 * TEST_POOL, info.out_maxactive);
	}
	test_target_call(TAP_TARGET_RECURSE, depth);
	test_ioctl_disable(0);
	count_events(_metadata, &self->s, id[0], 3, events);
	for (i = 0; i < 3; i++) {
		c = test_counters(_metadata, &self->s, id[i]);
		test_ioctl_stats(id[i], NULL, 0, &stats);
		hits = events[i] + stats.out_nmissed_return;
		EXPECT_EQ(2 * each, hits);
		EXPECT_EQ(events[i], c.written);
		missed += stats.out_nmissed_return;
	}
	EXPECT_EQ(3 * each - TEST_POOL, missed);
}

/* A call of a function that calls itself has the flag for that, as with one probe. */
TEST_F(shared, calls_of_itself_are_nested)
{
	struct test_record rec;
	unsigned int i;
	__u32 id;

	create_shared(&id, "tap_target_recurse");
	test_ioctl_enable(0);
	test_target_call(TAP_TARGET_RECURSE, 20);
	for (i = 0; i <= 20; i++) {
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_EQ(i, retval_of(&rec, TAP_PROBE_CALL) * (variant->type == TAP_PROBE_CALL) +
			     i * (variant->type != TAP_PROBE_CALL));
		if (variant->type == TAP_PROBE_CALL)
			EXPECT_EQ(i < 20, !!(rec.flags & TAP_F_NESTED));
	}
}

/* Calls in flight of a deleted probe return in silence; those of the others are recorded. */
TEST_F(shared, calls_under_way_of_a_deleted_probe_are_not_those_of_another)
{
	struct caller callers[2 * NR_CALLERS];
	__u64 events[4] = {};
	__u32 id[4];

	create_shared(&id[0], "tap_target_block");
	create_shared(&id[1], "tap_target_block");
	create_shared(&id[2], "tap_target_block");
	test_ioctl_enable(0);
	block(_metadata, self->target, callers, NR_CALLERS, NR_CALLERS);
	test_ioctl_delete(id[0]);
	test_ioctl_disable(id[1]);
	/* It may get the memory of the first. */
	create_shared(&id[3], "tap_target_block");
	test_ioctl_enable(id[3]);
	block(_metadata, self->target, callers + NR_CALLERS, NR_CALLERS, 2 * NR_CALLERS);
	release(_metadata, self->target, callers, 2 * NR_CALLERS);
	count_events(_metadata, &self->s, id[0], 4, events);
	EXPECT_EQ(0, events[0]);
	EXPECT_EQ(0, events[1]);
	EXPECT_EQ(2 * NR_CALLERS, events[2]);
	EXPECT_EQ(NR_CALLERS, events[3]);
	/* The instances are all back. */
	test_ioctl_enable(0);
	block(_metadata, self->target, callers, NR_CALLERS, NR_CALLERS);
	release(_metadata, self->target, callers, NR_CALLERS);
	count_events(_metadata, &self->s, id[0], 4, events);
	EXPECT_EQ(NR_CALLERS, events[1]);
	EXPECT_EQ(3 * NR_CALLERS, events[2]);
	EXPECT_EQ(2 * NR_CALLERS, events[3]);
}

/* All members go: the pool ends, while its instances are in flight. Another session follows. */
TEST_F(shared, calls_under_way_when_the_pool_ends_return_all_the_same)
{
	struct caller callers[NR_CALLERS];
	__u64 before, events[2] = {};
	unsigned int i;
	__u32 id[2];

	before = test_objpool_pages_settled();
	for (i = 0; i < 2; i++)
		create_shared(&id[i], "tap_target_block");
	test_ioctl_enable(0);
	block(_metadata, self->target, callers, NR_CALLERS, NR_CALLERS);
	test_ioctl_delete(id[0]);
	test_ioctl_delete(id[1]);
	create_shared(&id[0], "tap_target_add");
	test_ioctl_enable(id[0]);
	test_target_call(TAP_TARGET_ADD, 10);
	release(_metadata, self->target, callers, NR_CALLERS);
	count_events(_metadata, &self->s, id[0], 1, events);
	EXPECT_EQ(10, events[0]);
	test_ioctl_delete(id[0]);
	/* Those that were in flight are freed at their return. */
	EXPECT_EQ(before, test_objpool_pages_settled());
}

TEST_F(shared, calls_under_way_when_tapmod_is_unloaded_return_all_the_same)
{
	struct caller callers[NR_CALLERS];
	__u32 id;

	test_need_module("tapmod");
	create_shared(&id, "tap_target_block");
	create_shared(&id, "tap_target_block");
	test_ioctl_enable(0);
	block(_metadata, self->target, callers, NR_CALLERS, NR_CALLERS);
	test_session_close(&self->s);
	ASSERT_EQ(0, test_module_unload("tapmod")) TH_LOG("%s", strerror(errno));
	release(_metadata, self->target, callers, NR_CALLERS);
	ASSERT_EQ(0, test_module_load("tapmod", "")) TH_LOG("%s", strerror(errno));
}

/* A task that ends within a call gives the instance back to the pool. */
TEST_F(shared, calls_that_never_return_do_not_use_up_the_pool)
{
	struct tap_stats stats;
	unsigned int i;
	int status;
	pid_t child;
	__u32 id[2];

	if (variant->type != TAP_PROBE_CALL)
		SKIP(return, "what a handler does makes no difference");
	create_shared(&id[0], "do_exit");
	create_shared(&id[1], "do_exit");
	test_ioctl_enable(0);
	/* Each call takes two instances. */
	for (i = 0; i < TEST_POOL / 2 + 10; i++) {
		child = fork();
		ASSERT_LE(0, child);
		if (!child)
			_exit(0);
		ASSERT_EQ(child, waitpid(child, &status, 0));
		/* The kernel frees a task some time after its end. */
		if (i % 16 == 15)
			usleep(100000);
	}
	test_ioctl_disable(0);
	test_ioctl_stats(id[0], NULL, 0, &stats);
	EXPECT_EQ(0, stats.out_nmissed_return);
}

struct storm {
	pthread_t thread;
	int target;
	unsigned int cpu;
	bool *stop;
	__u64 calls;
};

static void *storm_main(void *data)
{
	struct storm *storm = data;

	test_pin(storm->cpu);
	while (!__atomic_load_n(storm->stop, __ATOMIC_RELAXED)) {
		_test_target(storm->target, TAP_TARGET_CALL, TAP_TARGET_RECURSE, 10, 0, NULL);
		storm->calls += 11;
	}
	return NULL;
}

/* Probes come and go while calls are made: the one that stays has all of them. */
TEST_F_TIMEOUT(shared, members_come_and_go_under_load, 120)
{
	struct storm storms[2] = {};
	struct tap_counters c;
	struct tap_stats stats;
	__u64 calls = 0;
	bool stop = false;
	unsigned int i;
	__u32 id, other[2];

	create_shared(&id, "tap_target_recurse");
	test_ioctl_enable(id);
	for (i = 0; i < 2; i++) {
		storms[i].target = self->target;
		storms[i].cpu = i;
		storms[i].stop = &stop;
		ASSERT_EQ(0, pthread_create(&storms[i].thread, NULL, storm_main, &storms[i]));
	}
	for (i = 0; i < 8; i++) {
		create_shared(&other[0], "tap_target_recurse");
		create_shared(&other[1], "tap_target_recurse");
		test_ioctl_enable(other[0]);
		test_ioctl_enable(other[1]);
		test_session_drain(&self->s, NULL);
		test_ioctl_delete(other[0]);
		test_ioctl_delete(other[1]);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, pthread_join(storms[i].thread, NULL));
		calls += storms[i].calls;
	}
	test_ioctl_disable(0);
	c = test_counters(_metadata, &self->s, id);
	test_ioctl_stats(id, NULL, 0, &stats);
	ASSERT_LT(0, calls);
	EXPECT_EQ(calls, c.hits + stats.out_nmissed + stats.out_nmissed_return);
	EXPECT_EQ(c.hits, c.written + c.lost_full + c.lost_nested + c.throttled);
	EXPECT_EQ(0, stats.out_nmissed_return);
}

/* The bytes of many probes: counted as the kernel takes them, and few. */
TEST_F_TIMEOUT(shared, many_probes_take_little_memory, 120)
{
	__u64 pages, before, alone, all;
	struct tap_probe_info info;
	struct tap_info session;
	unsigned int i;
	__u32 id;

	if (variant->type != TAP_PROBE_CALL)
		SKIP(return, "the size of an instance makes no difference");
	/* The seven of the setup have instances of their own. */
	ASSERT_EQ(0, _test_ioctl_info(self->s.fd, &session));
	alone = session.out_call_mem;
	before = test_objpool_pages_settled();
	for (i = 0; i < MANY; i++)
		create_shared(&id, i % 2 ? "tap_target_add" : "tap_target_six");
	ASSERT_EQ(0, _test_ioctl_info(self->s.fd, &session));
	all = session.out_call_mem - alone;
	pages = test_objpool_pages() - before;
	TH_LOG("%u probes: %llu KiB, %llu pages of pools; %u probes alone: %llu KiB", MANY,
	       all >> 10, pages, TEST_ALONE, alone >> 10);
	EXPECT_LE(pages * self->s.page, all);
	/* Beside the instances: a stub of each probe and size of the pool, and the pool's list. */
	EXPECT_GT(pages * self->s.page + MANY * 512, all);
	/* With two CPUs a quarter at most of what so many take alone; with more CPUs less. */
	EXPECT_GT(alone * MANY / TEST_ALONE / 4, all);
	/* An own maxactive has instances of its own. */
	ASSERT_EQ(0, _test_ioctl_create_flags(self->s.fd, &id, variant->type, 0, 3,
					      "tap_target_add", NULL, 0));
	test_ioctl_probe_info(id, NULL, 0, &info);
	EXPECT_EQ(3, info.out_maxactive);
	test_session_close(&self->s);
	EXPECT_GT(before, test_objpool_pages_settled());
}

TEST_HARNESS_MAIN

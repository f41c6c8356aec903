// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of call probes: each return is paired with its entry, also if calls nest, sleep,
 * migrate or run in parallel. And what happens to calls in flight when their probe is deleted.
 */
#include "selftests/module/call_harness.h"

#define NR_THREADS	20

FIXTURE(call)
{
	struct test_session s;
	int target;
};

FIXTURE_SETUP(call)
{
	test_setup();
	test_session_open(_metadata, &self->s, 65536);
}

FIXTURE_TEARDOWN(call)
{
	test_teardown();
}

#define test_create_call(id, target, maxactive, ...)			\
	ASSERT_EQ(0, _test_ioctl_create_flags(self->s.fd, id, TAP_PROBE_CALL, 0, \
					      maxactive, target, OPS(__VA_ARGS__)))

TEST_F(call, tells_when_it_began_how_long_it_took_and_what_it_returned)
{
	struct tap_time before, after;
	__u32 id;

	test_create_call(&id, "tap_target_add", 0, OP_ARG(0), OP_ARG(1));
	test_ioctl_enable(id);
	ASSERT_EQ(0, test_pin(0));
	test_ioctl_time(&before);
	test_target_call(TAP_TARGET_ADD, 50);
	test_ioctl_time(&after);
	expect_calls(_metadata, &self->s, 50, TAP_TARGET_ADDEND,
		     TAP_F_MIGRATED | TAP_F_NESTED, &before, &after);
}

TEST_F(call, keeps_six_arguments_from_entry_to_return)
{
	struct test_record rec;
	unsigned int i;
	__u32 id;

	test_create_call(&id, "tap_target_six", 0, OP_ARG(0), OP_ARG(1), OP_ARG(2),
			 OP_ARG(3), OP_ARG(4), OP_ARG(5), OP_COMM);
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_SIX, 1);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_FALSE(rec.broken);
	EXPECT_EQ(2, rec.slots);
	EXPECT_EQ(TAP_TARGET_ARG(0) + TAP_TARGET_ARG(1) + TAP_TARGET_ARG(2) +
		  TAP_TARGET_ARG(3) + TAP_TARGET_ARG(4) + TAP_TARGET_ARG(5),
		  rec.word[TAP_CALL_RETVAL]);
	for (i = 0; i < 6; i++)
		EXPECT_EQ(TAP_TARGET_ARG(i), rec.word[TAP_CALL_FETCHES + i]);
	EXPECT_EQ(0, memcmp("call_test", &rec.word[TAP_CALL_FETCHES + 6], 10));
}

/* As many words as a program can output. */
TEST_F(call, keeps_as_much_as_can_be_fetched)
{
	struct tap_op ops[TAP_MAX_OUTPUTS];
	struct tap_probe_info info;
	struct test_record rec;
	unsigned int i;
	__u32 id;

	for (i = 0; i < TAP_MAX_OUTPUTS; i++)
		ops[i] = i % 2 ? OP_COMM : OP_ARG(1);
	ASSERT_EQ(0, _test_ioctl_create(self->s.fd, &id, TAP_PROBE_CALL,
					"tap_target_add", ops, TAP_MAX_OUTPUTS));
	test_ioctl_probe_info(id, NULL, 0, &info);
	EXPECT_EQ(TAP_CALL_FETCHES + TAP_MAX_OUTPUTS * 3 / 2, info.out_words);
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_ADD, 20);
	while (test_session_next(&self->s, &rec)) {
		EXPECT_FALSE(rec.broken);
		EXPECT_EQ(info.out_slots, rec.slots);
		for (i = TAP_CALL_FETCHES; i < info.out_words; i += 3) {
			EXPECT_EQ(TAP_TARGET_ADDEND, rec.word[i]);
			EXPECT_EQ(0, memcmp("call_test", &rec.word[i + 1], 10));
		}
	}
	EXPECT_EQ(20, test_counters(_metadata, &self->s, id).written);
}

TEST_F(call, of_itself_pairs_each_return_with_its_own_entry)
{
	struct test_record rec;
	__u32 id;

	test_create_call(&id, "tap_target_recurse", 0, OP_ARG(0));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_RECURSE, 8);
	expect_recursion(_metadata, &self->s, 8, 0);
	EXPECT_FALSE(test_session_next(&self->s, &rec));
}

TEST_F(call, of_another_function_inside_is_not_nested)
{
	const char *sleeps = "usleep_range_state";
	struct test_record rec;
	unsigned int slept = 0;
	__u32 outer, inner;

	/*
	 * The function that usleep_range() calls, unless it is a function itself. tap_target
	 * calls no other user of it. One call of tap_target_sleep() calls it twice if the time
	 * was over before the task slept.
	 */
	if (!_test_ioctl_create(self->s.fd, &inner, TAP_PROBE_KPROBE, sleeps, NULL, 0)) {
		test_ioctl_delete(inner);
	} else {
		ASSERT_EQ(ENOENT, errno);
		sleeps = "usleep_range";
	}
	test_create_call(&outer, "tap_target_sleep", 0, OP_ARG(0));
	test_create_call(&inner, sleeps, 0, OP_TEST_TGID(getpid()), OP_ARG(0));
	test_ioctl_enable(0);
	test_target_call(TAP_TARGET_SLEEP, 1);
	test_target_call(TAP_TARGET_SLEEP, 1);
	while (test_session_next(&self->s, &rec)) {
		EXPECT_EQ(0, rec.flags & TAP_F_NESTED);
		EXPECT_EQ(rec.probe == outer ? 1 : 1000,
			  rec.word[TAP_CALL_FETCHES]);
		slept += rec.probe == inner;
	}
	test_ioctl_disable(0);
	EXPECT_EQ(2, test_counters(_metadata, &self->s, outer).written);
	EXPECT_LE(2, slept);
	EXPECT_EQ(slept, test_counters(_metadata, &self->s, inner).written);
}

/* With nothing to test or store, with outputs, and with a test of the return value. */
TEST_F(call, that_is_only_counted_makes_no_record)
{
#define test_create_counted(id, target, ...)				\
	ASSERT_EQ(0, _test_ioctl_create_flags(self->s.fd, id, TAP_PROBE_CALL, TAP_CREATE_F_COUNT, \
					      0, target, OPS(__VA_ARGS__)))
#define expect_counted(_counted, _filtered)			\
	do {								\
		struct tap_counters counters = test_counters(_metadata, &self->s, id); \
		EXPECT_EQ(_counted + _filtered, counters.hits);		\
		EXPECT_EQ(_counted, counters.aggregated);		\
		EXPECT_EQ(_filtered, counters.filtered);		\
		EXPECT_EQ(_counted, counters.entered);			\
		EXPECT_EQ(0, counters.written);				\
	} while (0)
	struct test_record rec;
	__u32 id;

	ASSERT_EQ(0, _test_ioctl_create_flags(self->s.fd, &id, TAP_PROBE_CALL, TAP_CREATE_F_COUNT, 0,
					      "tap_target_recurse", NULL, 0));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_RECURSE, 8);
	expect_counted(9, 0);
	test_create_counted(&id, "tap_target_add", OP_ARG(0), OP_COMM);
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_ADD, 50);
	expect_counted(50, 0);
	test_create_counted(&id, "tap_target_add", OP(TAP_OP_RETURN, 0, 0, 0, 0, 0),
			    OP(TAP_OP_RETVAL, 0, 0, 8, 0, 0),
			    OP_REJECT_IF(TAP_OP_JLT, 0, TAP_TARGET_ADDEND + 10));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_ADD, 50);
	expect_counted(40, 10);
	EXPECT_FALSE(test_session_next(&self->s, &rec));
}

TEST_F(call, that_sleeps_was_descheduled_and_lasts_as_long)
{
	struct test_record rec;
	__u64 ns;
	__u32 id;

	test_create_call(&id, "tap_target_sleep", 0);
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_SLEEP, 100);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_NE(0, rec.flags & TAP_F_DESCHEDULED);
	EXPECT_EQ(100, rec.word[TAP_CALL_RETVAL]);
	ns = test_ticks_to_ns(&self->s, rec.word[TAP_CALL_DURATION]);
	EXPECT_LE(95000000, ns);
	EXPECT_GE(5000000000, ns);
}

TEST_F(call, that_does_not_sleep_was_not_descheduled)
{
	struct test_record rec;
	unsigned int descheduled = 0;
	__u32 id;

	test_create_call(&id, "tap_target_add", 0);
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_ADD, 100);
	while (test_session_next(&self->s, &rec))
		descheduled += !!(rec.flags & TAP_F_DESCHEDULED);
	/* A few calls may have been preempted. */
	EXPECT_GE(5, descheduled);
	EXPECT_EQ(100, test_counters(_metadata, &self->s, id).written);
}

TEST_F(call, flags_of_a_call_are_those_of_the_record)
{
	struct test_record rec;
	__u32 id;

	/* Only calls that were switched out. */
	test_create_call(&id, "tap_target_sleep", 0, OP(TAP_OP_RETURN, 0, 0, 0, 0, 0),
			 OP(TAP_OP_VAR, 0, 0, 8, TAP_VAR_FLAGS, TAP_F_DESCHEDULED),
			 OP_REJECT_IF(TAP_OP_JEQ, 0, 0),
			 OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_FLAGS, TAP_F_DESCHEDULED),
			 OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_FLAGS, TAP_F_NESTED));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_SLEEP, 100);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_NE(0, rec.flags & TAP_F_DESCHEDULED);
	EXPECT_EQ(1, rec.word[TAP_CALL_FETCHES]);
	EXPECT_EQ(0, rec.word[TAP_CALL_FETCHES + 1]);
}

TEST_F(call, that_moves_is_recorded_where_it_returns)
{
	struct test_record rec;
	__u32 id, to;

	test_need_cpus(2);
	test_create_call(&id, "tap_target_migrate", 0, OP_ARG(0));
	test_ioctl_enable(id);
	for (to = 0; to < 2; to++) {
		ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_CALL,
					  TAP_TARGET_MIGRATE, 1, to, NULL));
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_EQ(to, rec.cpu);
		EXPECT_EQ(to, rec.word[TAP_CALL_FETCHES]);
		EXPECT_NE(0, rec.flags & TAP_F_MIGRATED);
		EXPECT_NE(0, rec.flags & TAP_F_DESCHEDULED);
		EXPECT_LT(0, (__s64)rec.word[TAP_CALL_DURATION]);
	}
}

struct caller {
	pthread_t thread;
	int target;
	__u32 function;
	__u64 count;
	pid_t tid;
	int ret;
};

static void *caller_main(void *data)
{
	struct caller *c = data;

	c->tid = gettid();
	c->ret = _test_target(c->target, TAP_TARGET_CALL, c->function, c->count, 0,
			      NULL);
	return NULL;
}

static void callers_start(struct __test_metadata *_metadata, int target,
			  struct caller *callers, unsigned int nr, __u32 function)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		callers[i] = (struct caller){
			.target = target,
			.function = function,
			.count = 10 + i,
		};
		ASSERT_EQ(0, pthread_create(&callers[i].thread, NULL, caller_main,
					    &callers[i]));
	}
}

static void callers_join(struct __test_metadata *_metadata,
			 struct caller *callers, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		ASSERT_EQ(0, pthread_join(callers[i].thread, NULL));
		EXPECT_EQ(0, callers[i].ret);
	}
}

TEST_F(call, of_many_threads_at_once_are_kept_apart)
{
	struct caller callers[NR_THREADS];
	unsigned int i, seen = 0;
	struct test_record rec;
	__u32 id;

	test_create_call(&id, "tap_target_sleep", NR_THREADS, OP_ARG(0));
	test_ioctl_enable(id);
	callers_start(_metadata, self->target, callers, NR_THREADS,
		      TAP_TARGET_SLEEP);
	callers_join(_metadata, callers, NR_THREADS);
	for (; test_session_next(&self->s, &rec); seen++) {
		for (i = 0; i < NR_THREADS; i++)
			if (callers[i].tid == (pid_t)rec.tid)
				break;
		ASSERT_GT(NR_THREADS, i);
		EXPECT_EQ(callers[i].count, rec.word[TAP_CALL_FETCHES]);
		EXPECT_EQ(callers[i].count, rec.word[TAP_CALL_RETVAL]);
		EXPECT_EQ(0, rec.flags & TAP_F_NESTED);
		EXPECT_LE((callers[i].count - 5) * 1000000,
			  test_ticks_to_ns(&self->s, rec.word[TAP_CALL_DURATION]));
	}
	EXPECT_EQ(NR_THREADS, seen);
}

TEST_F(call, beyond_maxactive_is_missed_and_counted)
{
	struct caller callers[NR_THREADS];
	struct tap_probe_info info;
	struct tap_counters c;
	struct tap_stats stats;
	__u64 events;
	__u32 id;

	test_create_call(&id, "tap_target_block", 7);
	test_ioctl_probe_info(id, NULL, 0, &info);
	EXPECT_EQ(7, info.out_maxactive);
	test_ioctl_enable(id);
	callers_start(_metadata, self->target, callers, NR_THREADS,
		      TAP_TARGET_BLOCK);
	ASSERT_TRUE(test_wait_blocked(self->target, NR_THREADS));
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_RELEASE, 0, 0, 0, NULL));
	callers_join(_metadata, callers, NR_THREADS);
	test_ioctl_disable(id);

	events = test_session_drain(&self->s, NULL);
	c = test_counters(_metadata, &self->s, id);
	test_ioctl_stats(id, NULL, 0, &stats);
	EXPECT_EQ(7, events);
	EXPECT_EQ(7, c.entered);
	EXPECT_EQ(7, c.written);
	EXPECT_EQ(NR_THREADS - 7, stats.out_nmissed_return);
	EXPECT_EQ(0, stats.out_nmissed);
}

TEST_F(call, of_itself_beyond_maxactive_is_missed_from_the_inside)
{
	struct test_record rec;
	struct tap_stats stats;
	__u64 depth;
	__u32 id;

	test_create_call(&id, "tap_target_recurse", 4, OP_ARG(0));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_RECURSE, 29);
	for (depth = 26; depth <= 29; depth++)
		expect_depth(_metadata, &self->s, &rec, depth, depth);
	EXPECT_FALSE(test_session_next(&self->s, &rec));
	test_ioctl_stats(id, NULL, 0, &stats);
	EXPECT_EQ(26, stats.out_nmissed_return);
	/* After that, calls are recorded again. */
	test_target_call(TAP_TARGET_RECURSE, 1);
	EXPECT_EQ(2, test_session_drain(&self->s, NULL));
}

TEST_F(call, under_way_when_its_probe_is_disabled_is_not_recorded)
{
	struct caller callers[5];
	struct tap_counters c;
	struct test_record rec;
	__u32 id;

	test_create_call(&id, "tap_target_block", 10);
	test_ioctl_enable(id);
	callers_start(_metadata, self->target, callers, 5, TAP_TARGET_BLOCK);
	ASSERT_TRUE(test_wait_blocked(self->target, 5));
	test_ioctl_disable(id);
	c = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(5, c.entered);
	EXPECT_EQ(0, c.hits);
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_RELEASE, 0, 0, 0, NULL));
	callers_join(_metadata, callers, 5);
	c = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(5, c.entered);
	EXPECT_EQ(0, c.hits);
	EXPECT_FALSE(test_session_next(&self->s, &rec));
	/* No instance was lost: ten calls may be in flight again. */
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_ADD, 1);
	callers_start(_metadata, self->target, callers, 5, TAP_TARGET_BLOCK);
	ASSERT_TRUE(test_wait_blocked(self->target, 5));
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_RELEASE, 0, 0, 0, NULL));
	callers_join(_metadata, callers, 5);
	EXPECT_EQ(5, test_session_drain(&self->s, NULL));
}

TEST_F(call, begun_before_its_probe_was_enabled_is_not_recorded)
{
	struct caller callers[2];
	__u32 id;

	test_create_call(&id, "tap_target_block", 0);
	callers_start(_metadata, self->target, callers, 2, TAP_TARGET_BLOCK);
	ASSERT_TRUE(test_wait_blocked(self->target, 2));
	test_ioctl_enable(id);
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_RELEASE, 0, 0, 0, NULL));
	callers_join(_metadata, callers, 2);
	test_ioctl_disable(id);
	EXPECT_EQ(0, test_counters(_metadata, &self->s, id).entered);
	EXPECT_EQ(0, test_session_drain(&self->s, NULL));
}

/* The return finds no probe: it was deleted, closed or unloaded. */
TEST_F(call, under_way_when_its_probe_is_deleted_returns_all_the_same)
{
	struct caller callers[5];
	__u32 id[2];

	test_create_call(&id[0], "tap_target_block", 10, OP_ARG(0));
	test_ioctl_create(&id[1], TAP_PROBE_KRETPROBE, "tap_target_block");
	test_ioctl_enable(0);
	callers_start(_metadata, self->target, callers, 5, TAP_TARGET_BLOCK);
	ASSERT_TRUE(test_wait_blocked(self->target, 5));
	test_ioctl_delete(id[0]);
	test_ioctl_delete(id[1]);
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_RELEASE, 0, 0, 0, NULL));
	callers_join(_metadata, callers, 5);
	EXPECT_EQ(0, test_session_drain(&self->s, NULL));
}

TEST_F(call, under_way_when_its_session_is_closed_returns_all_the_same)
{
	struct caller callers[5];
	__u32 id;

	test_create_call(&id, "tap_target_block", 10, OP_ARG(0));
	test_ioctl_create(&id, TAP_PROBE_KRETPROBE, "tap_target_block");
	test_ioctl_enable(0);
	callers_start(_metadata, self->target, callers, 5, TAP_TARGET_BLOCK);
	ASSERT_TRUE(test_wait_blocked(self->target, 5));
	test_session_close(&self->s);
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_RELEASE, 0, 0, 0, NULL));
	callers_join(_metadata, callers, 5);
}

TEST_F(call, under_way_when_tapmod_is_unloaded_returns_all_the_same)
{
	struct caller callers[5];
	__u32 id;

	test_need_module("tapmod");
	test_create_call(&id, "tap_target_block", 10, OP_ARG(0));
	test_ioctl_create(&id, TAP_PROBE_KRETPROBE, "tap_target_block");
	test_ioctl_enable(0);
	callers_start(_metadata, self->target, callers, 5, TAP_TARGET_BLOCK);
	ASSERT_TRUE(test_wait_blocked(self->target, 5));
	test_session_close(&self->s);
	ASSERT_EQ(0, test_module_unload("tapmod")) TH_LOG("%s", strerror(errno));
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_RELEASE, 0, 0, 0, NULL));
	callers_join(_metadata, callers, 5);
	ASSERT_EQ(0, test_module_load("tapmod", "")) TH_LOG("%s", strerror(errno));
}

/* A process is killed in its call. */
TEST_F(call, that_ends_by_a_signal_returns_and_is_recorded)
{
	struct test_record rec;
	int status;
	pid_t child;
	__u32 id;

	test_create_call(&id, "tap_target_block", 0);
	test_ioctl_enable(id);
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		_test_target(self->target, TAP_TARGET_CALL, TAP_TARGET_BLOCK, 1, 0,
			     NULL);
		_exit(0);
	}
	ASSERT_TRUE(test_wait_blocked(self->target, 1));
	kill(child, SIGKILL);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_TRUE(WIFSIGNALED(status));
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(child, rec.tid);
	/* -ERESTARTSYS */
	EXPECT_EQ(-512, (int)rec.word[TAP_CALL_RETVAL]);
}

/* A process exits in its call, which never returns. */
TEST_F(call, that_never_returns_is_counted_as_entered)
{
	struct tap_counters c;
	int status;
	pid_t child;
	__u32 id;

	test_create_call(&id, "do_exit", 0, OP_TEST_FOLLOWED);
	test_ioctl_enable(id);
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		_exit(_test_ioctl_follow(self->s.fd, getpid()));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	test_ioctl_disable(id);
	c = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(1, c.entered);
	EXPECT_EQ(c.filtered, c.hits);
	EXPECT_EQ(0, test_session_drain(&self->s, NULL));
}

TEST_HARNESS_MAIN

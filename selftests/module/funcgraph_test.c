// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of funcgraph: each call has a record at its entry and one at its return, from which a
 * reader can tell which call was made inside which.
 */
#include "selftests/module/tap_harness.h"

#define LOAD_CALLS	20000

FIXTURE(funcgraph)
{
	struct test_session s;
	int target;
};

FIXTURE_SETUP(funcgraph)
{
	struct tap_info info;

	test_setup();
	test_session_open(_metadata, &self->s, 65536);
	test_ioctl_info(&info);
	if (info.out_features & TAP_FEATURE_FUNCGRAPH)
		return;
	/* The kernel refuses the probe. */
	test_err_ioctl_create(EOPNOTSUPP, TAP_PROBE_FUNCGRAPH, "tap_target_add",
			      OP_ARG(0));
	SKIP(return, "before 5.11 the entry of a call does not know its callers");
}

FIXTURE_TEARDOWN(funcgraph)
{
	test_teardown();
}

/* Offset of the stack pointer on each architecture. */
#ifdef __x86_64__
#define OP_FRAME	OP(TAP_OP_REG, TAP_OP_OUT, 0, 8, 152, 0)
#else
#define OP_FRAME	OP(TAP_OP_REG, TAP_OP_OUT, 0, 8, 248, 0)
#endif
#define OP_RETURN	OP(TAP_OP_RETURN, 0, 0, 0, 0, 0)
#define FRAME		TAP_CALL_FETCHES
#define OUTPUT		(TAP_CALL_FETCHES + 1)

#define test_create_graph(id, target, ...)				\
	test_ioctl_create(id, TAP_PROBE_FUNCGRAPH, target, OP_FRAME, __VA_ARGS__)

TEST_F(funcgraph, tells_of_the_entry_and_of_the_return)
{
	struct test_record in, out;
	__u64 i, last = 0;
	__u32 id;

	test_create_graph(&id, "tap_target_add", OP_ARG(0), OP_ARG(1));
	test_ioctl_enable(id);
	ASSERT_EQ(0, test_pin(0));
	test_target_call(TAP_TARGET_ADD, 50);
	for (i = 0; i < 50; i++) {
		ASSERT_TRUE(test_session_next(&self->s, &in));
		ASSERT_TRUE(test_session_next(&self->s, &out));
		EXPECT_NE(0, in.flags & TAP_F_ENTRY);
		EXPECT_EQ(0, out.flags & TAP_F_ENTRY);
		EXPECT_EQ(0, in.word[TAP_CALL_DURATION]);
		EXPECT_EQ(0, in.word[TAP_CALL_RETVAL]);
		EXPECT_EQ(i, in.word[OUTPUT]);
		EXPECT_EQ(TAP_TARGET_ADDEND, in.word[OUTPUT + 1]);
		EXPECT_EQ(i, out.word[OUTPUT]);
		EXPECT_EQ(TAP_TARGET_ADDEND, out.word[OUTPUT + 1]);
		EXPECT_EQ(i + TAP_TARGET_ADDEND, out.word[TAP_CALL_RETVAL]);
		EXPECT_NE(0, in.word[FRAME]);
		EXPECT_EQ(in.word[FRAME], out.word[FRAME]);
		/* The duration does not include the time for the entry record. */
		EXPECT_LT(0, out.word[TAP_CALL_DURATION]);
		EXPECT_LT(in.time, out.time - out.word[TAP_CALL_DURATION]);
		EXPECT_LT(last, in.time);
		last = out.time;
	}
	EXPECT_FALSE(test_session_next(&self->s, &in));
	test_ioctl_disable(id);
	EXPECT_EQ(100, test_counters(_metadata, &self->s, id).hits);
	EXPECT_EQ(100, test_counters(_metadata, &self->s, id).written);
	EXPECT_EQ(50, test_counters(_metadata, &self->s, id).entered);
}

TEST_F(funcgraph, of_calls_in_each_other_has_them_deeper_on_the_stack)
{
	struct test_record rec;
	__u64 frames[9], depth;
	__u32 id;

	test_create_graph(&id, "tap_target_recurse", OP_ARG(0));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_RECURSE, 8);
	for (depth = 9; depth--;) {
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_NE(0, rec.flags & TAP_F_ENTRY);
		EXPECT_EQ(depth < 8, !!(rec.flags & TAP_F_NESTED));
		EXPECT_EQ(depth, rec.word[OUTPUT]);
		frames[depth] = rec.word[FRAME];
		if (depth < 8)
			EXPECT_GT(frames[depth + 1], frames[depth]);
	}
	for (depth = 0; depth < 9; depth++) {
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_EQ(0, rec.flags & TAP_F_ENTRY);
		EXPECT_EQ(depth, rec.word[TAP_CALL_RETVAL]);
		EXPECT_EQ(frames[depth], rec.word[FRAME]);
	}
	EXPECT_FALSE(test_session_next(&self->s, &rec));
}

/* A call that a test rejects at the entry has no return record either. */
TEST_F(funcgraph, that_is_filtered_has_neither_record)
{
	struct test_record rec;
	struct tap_counters c;
	__u32 id;

	/* Tests come first. */
	test_ioctl_create(&id, TAP_PROBE_FUNCGRAPH, "tap_target_add",
			  OP(TAP_OP_ARG, 0, 0, 8, 0, 0),
			  OP_REJECT_IF(TAP_OP_JNE, 0, 7), OP_FRAME, OP_ARG(0));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_ADD, 20);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_NE(0, rec.flags & TAP_F_ENTRY);
	EXPECT_EQ(7, rec.word[OUTPUT]);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(7 + TAP_TARGET_ADDEND, rec.word[TAP_CALL_RETVAL]);
	EXPECT_FALSE(test_session_next(&self->s, &rec));
	test_ioctl_disable(id);
	c = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(19, c.filtered);
	EXPECT_EQ(2, c.written);
	EXPECT_EQ(21, c.hits);
	EXPECT_EQ(1, c.entered);
}

TEST_F(funcgraph, has_values_of_the_return_in_its_record_alone)
{
	struct test_record rec;
	__u32 id;

	test_create_graph(&id, "tap_target_add", OP_ARG(0), OP_RETURN, OP_RETVAL);
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_ADD, 1);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(0, rec.word[OUTPUT + 1]);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(TAP_TARGET_ADDEND, rec.word[OUTPUT + 1]);
}

/* The entry record has as many slots as the other one, each with its sequence word. */
TEST_F(funcgraph, with_many_values_of_the_return_has_whole_entry_records)
{
	struct test_record in, out;
	unsigned int i, k;
	__u32 id;

	test_create_graph(&id, "tap_target_add", OP_ARG(0), OP_RETURN, OP_RETVAL, OP_RETVAL,
			  OP_RETVAL, OP_RETVAL, OP_RETVAL, OP_RETVAL, OP_RETVAL, OP_RETVAL,
			  OP_RETVAL);
	test_ioctl_enable(id);
	/* More than a ring holds, so that slots have words of the round before. */
	for (k = 0; k < 2000; k++) {
		test_target_call(TAP_TARGET_ADD, 1);
		ASSERT_TRUE(test_session_next(&self->s, &in));
		ASSERT_TRUE(test_session_next(&self->s, &out));
		ASSERT_NE(0, in.flags & TAP_F_ENTRY);
		ASSERT_EQ(3, in.slots);
		ASSERT_EQ(3, out.slots);
		ASSERT_FALSE(in.broken);
		ASSERT_FALSE(out.broken);
		for (i = 1; i <= 9; i++) {
			ASSERT_EQ(0, in.word[OUTPUT + i]);
			ASSERT_EQ(TAP_TARGET_ADDEND, out.word[OUTPUT + i]);
		}
	}
	EXPECT_FALSE(test_session_next(&self->s, &in));
}

/* A call with an entry record must have a return record. */
TEST_F(funcgraph, takes_no_test_at_the_return)
{
	test_err_ioctl_create(EOPNOTSUPP, TAP_PROBE_FUNCGRAPH, "tap_target_add",
			      OP_RETURN, OP(TAP_OP_RETVAL, 0, 0, 8, 0, 0),
			      OP_REJECT_IF(TAP_OP_JNE, 0, 7));
}

TEST_F(funcgraph, that_counts_counts_each_call_once)
{
	static const struct tap_op ops[] = {
		OP_RETURN, OP(TAP_OP_RETVAL, 0, 0, 8, 0, 0),
		OP_REJECT_IF(TAP_OP_JNE, 0, 7 + TAP_TARGET_ADDEND),
	};
	struct tap_counters c;
	__u32 id;

	ASSERT_EQ(0, _test_ioctl_create_flags(self->s.fd, &id, TAP_PROBE_FUNCGRAPH,
					      TAP_CREATE_F_COUNT, 0, "tap_target_add",
					      ops, ARRAY_SIZE(ops)));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_ADD, 20);
	test_ioctl_disable(id);
	c = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(20, c.hits);
	EXPECT_EQ(19, c.filtered);
	EXPECT_EQ(1, c.aggregated);
	EXPECT_EQ(0, test_session_drain(&self->s, NULL));
}

/**
 * struct caller - a thread that makes calls
 * @function: enum tap_target_function
 * @count: number of calls
 */
struct caller {
	pthread_t thread;
	unsigned int cpu;
	int target;
	__u32 function;
	__u64 count;
};

static void *caller_main(void *data)
{
	struct caller *c = data;

	if (test_pin(c->cpu))
		return NULL;
	_test_target(c->target, TAP_TARGET_CALL, c->function, c->count, 0, NULL);
	return NULL;
}

TEST_F(funcgraph, whose_call_is_under_way_when_it_is_disabled_has_the_entry_alone)
{
	struct caller caller = {
		.target = self->target, .function = TAP_TARGET_BLOCK, .count = 1,
	};
	struct tap_counters c;
	struct test_record rec;
	__u32 id;

	test_create_graph(&id, "tap_target_block");
	test_ioctl_enable(id);
	ASSERT_EQ(0, pthread_create(&caller.thread, NULL, caller_main, &caller));
	ASSERT_TRUE(test_wait_blocked(self->target, 1));
	test_ioctl_disable(id);
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_RELEASE, 0, 0, 0, NULL));
	ASSERT_EQ(0, pthread_join(caller.thread, NULL));
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_NE(0, rec.flags & TAP_F_ENTRY);
	EXPECT_FALSE(test_session_next(&self->s, &rec));
	c = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(1, c.entered);
	EXPECT_EQ(1, c.hits);
	EXPECT_EQ(1, c.written);
}

/* On two CPUs at once, with rings that overflow, the sum of records and losses is exact. */
TEST_F(funcgraph, under_load_reports_every_lost_event)
{
	struct caller callers[2];
	struct tap_counters c;
	struct tap_stats stats;
	__u64 events, gaps, pending;
	unsigned int i;
	__u32 id;

	test_need_cpus(2);
	test_create_graph(&id, "tap_target_add", OP_ARG(0));
	test_ioctl_enable(id);
	for (i = 0; i < 2; i++) {
		callers[i] = (struct caller) {
			.cpu = i, .target = self->target,
			.function = TAP_TARGET_ADD, .count = LOAD_CALLS,
		};
		ASSERT_EQ(0, pthread_create(&callers[i].thread, NULL, caller_main,
					    &callers[i]));
	}
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_join(callers[i].thread, NULL));
	test_ioctl_disable(id);
	events = test_session_drain(&self->s, &gaps);
	test_ioctl_flush(&pending);
	EXPECT_EQ(0, pending);
	test_session_drain(&self->s, &gaps);
	c = test_counters(_metadata, &self->s, id);
	test_ioctl_stats(id, NULL, 0, &stats);
	EXPECT_EQ(0, stats.out_nmissed + stats.out_nmissed_return);
	EXPECT_EQ(2 * LOAD_CALLS, c.entered);
	EXPECT_EQ(2 * c.entered, c.hits);
	EXPECT_EQ(c.hits, c.written + c.lost_full + c.lost_nested);
	EXPECT_EQ(c.written, events);
	EXPECT_LT(0, c.lost_full);
}

TEST_HARNESS_MAIN

/* SPDX-License-Identifier: GPL-2.0 */
/* Common to the tests of call and ucall: what the records of several calls must contain. */
#ifndef _TEST_MODULE_CALL_HARNESS_H
#define _TEST_MODULE_CALL_HARNESS_H

#include "selftests/module/tap_harness.h"

/**
 * expect_calls() - check the records of calls that this thread made one after the other
 * @s: the session, whose next records they are
 * @nr: number of calls; call i has the arguments i and @addend, and returns their sum
 * @no_flags: TAP_F_* that must not be set
 * @before: a time before the first call
 * @after: a time after the last call
 */
static inline void expect_calls(struct __test_metadata *_metadata, struct test_session *s,
				__u64 nr, __u64 addend, __u32 no_flags,
				const struct tap_time *before, const struct tap_time *after)
{
	__u64 i, duration, last = before->out_raw;
	struct test_record rec;

	for (i = 0; i < nr; i++) {
		ASSERT_TRUE(test_session_next(s, &rec));
		duration = rec.word[TAP_CALL_DURATION];
		EXPECT_LT(0, duration);
		EXPECT_LT(last, rec.time - duration);
		EXPECT_GT(after->out_raw, rec.time);
		/* A call starts after the one before it has ended. */
		last = rec.time;
		EXPECT_EQ(i + addend, rec.word[TAP_CALL_RETVAL]);
		EXPECT_EQ(i, rec.word[TAP_CALL_FETCHES]);
		EXPECT_EQ(addend, rec.word[TAP_CALL_FETCHES + 1]);
		EXPECT_EQ(0, rec.flags & no_flags);
		EXPECT_EQ(gettid(), rec.tid);
	}
	EXPECT_FALSE(test_session_next(s, &rec));
}

/**
 * expect_depth() - check that the next record is a call of a recursive function
 * @s: the session
 * @rec: gets the record
 * @depth: argument of the call
 * @retval: return value of the call
 */
static inline void expect_depth(struct __test_metadata *_metadata, struct test_session *s,
				struct test_record *rec, __u64 depth, __u64 retval)
{
	ASSERT_TRUE(test_session_next(s, rec));
	EXPECT_EQ(depth, rec->word[TAP_CALL_FETCHES]);
	EXPECT_EQ(retval, rec->word[TAP_CALL_RETVAL]);
}

/**
 * expect_recursion() - check the calls of a recursive function; the innermost returns first
 * @s: the session, whose next records they are
 * @depth: argument of the outermost call; that of the innermost is 0
 * @addend: a call returns its argument plus this
 */
static inline void expect_recursion(struct __test_metadata *_metadata, struct test_session *s,
				    __u64 depth, __u64 addend)
{
	__u64 i, begin = -1, end = 0;
	struct test_record rec;

	for (i = 0; i <= depth; i++) {
		expect_depth(_metadata, s, &rec, i, i + addend);
		EXPECT_EQ(i < depth, !!(rec.flags & TAP_F_NESTED));
		/* Each call lies within the outer one in time. */
		EXPECT_GT(begin, rec.time - rec.word[TAP_CALL_DURATION]);
		EXPECT_LT(end, rec.time);
		begin = rec.time - rec.word[TAP_CALL_DURATION];
		end = rec.time;
	}
}

#endif /* _TEST_MODULE_CALL_HARNESS_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of programs of calls, which continue at the return; and of what a program must hide
 * from unprivileged openers: addresses, and memory of other tasks.
 */
#include "selftests/module/program_harness.h"

FIXTURE(program)
{
	struct test_session s;
	int target;
	struct test_program prog;
	struct test_record rec;
	__u64 at;
	unsigned char area[TAP_TARGET_AREA];
};

FIXTURE_SETUP(program)
{
	test_setup();
	test_session_open(_metadata, &self->s, 1 << 20);
	memset(self->area, 0, sizeof(self->area));
	self->prog.nr = 0;
	self->prog.data_len = 0;
}

FIXTURE_TEARDOWN(program)
{
	test_teardown();
}

#define WORD(n)		(self->rec.word[TAP_CALL_FETCHES + (n)])
#define test_area()	(self->at = test_fill(_metadata, self->target, self->area))
#define test_create(id)							\
	ASSERT_EQ(0, _test_program_create(self->s.fd, id, TAP_PROBE_CALL, 0, \
					  "tap_target_values", &self->prog)) \
		TH_LOG("cannot create: %s", strerror(errno))
#define test_hit(value)							\
	ASSERT_EQ(0, _test_hit(self->target, TAP_TARGET_VALUES, value))

TEST_F(program, of_a_call_goes_on_at_its_return)
{
	__u32 id;

	add(&self->prog, IMM(3, 33), OP_ARG(1), OP_ARG(5), IMM(OUT, 7), RETURN,
	    /* Registers are 0 at the start of the second part. */
	    MOVE(OUT, 3), OP_RETVAL, OP(TAP_OP_WORD, OUT, 0, 8, 2, 0),
	    OP(TAP_OP_WORD, 1, 0, 2, 3, 0), MOVE(OUT, 1),
	    OP(TAP_OP_WORD, OUT, 0, 1 | SIGNED, 3, 0),
	    VAR(OUT, TAP_VAR_TGID, 0), OP_COMM);
	test_create(&id);
	test_ioctl_enable(id);
	test_hit(0x8899aabbccddeeff);
	ASSERT_TRUE(test_session_next(&self->s, &self->rec));
	EXPECT_EQ(0x8899aabbccddeeff, self->rec.word[TAP_CALL_RETVAL]);
	EXPECT_EQ(TAP_TARGET_ARG(1), WORD(0));
	EXPECT_EQ(0x8899aabbccddeeff, WORD(1));
	EXPECT_EQ(7, WORD(2));
	EXPECT_EQ(0, WORD(3));
	EXPECT_EQ(0x8899aabbccddeeff, WORD(4));
	EXPECT_EQ(TAP_TARGET_ARG(1), WORD(5));
	EXPECT_EQ(0xeeff, WORD(6));
	EXPECT_EQ(-1ULL, WORD(7));
	EXPECT_EQ(getpid(), (pid_t)WORD(8));
	EXPECT_EQ(0, memcmp("program_call_te", &WORD(9), 16));
	EXPECT_EQ(0, WORD(11));
}

/* Only TAP_OP_RETURN: both parts are empty. */
TEST_F(program, of_a_call_may_have_empty_parts)
{
	__u32 id;

	add(&self->prog, RETURN);
	test_create(&id);
	test_ioctl_enable(id);
	test_hit(5);
	ASSERT_TRUE(test_session_next(&self->s, &self->rec));
	EXPECT_EQ(5, self->rec.word[TAP_CALL_RETVAL]);
	EXPECT_EQ(0, WORD(0));
	EXPECT_EQ(1, self->rec.slots);
}

TEST_F(program, of_a_call_tests_at_the_entry_and_at_the_return)
{
	struct tap_counters c;
	__u64 i;
	__u32 id;

	/* The first part rejects values below 3, the second one values below 7. */
	add(&self->prog, OP(TAP_OP_ARG, 0, 0, 8, 5, 0), OP_REJECT_IF(TAP_OP_JLT, 0, 3),
	    OP_ARG(5), RETURN, OP(TAP_OP_WORD, 1, 0, 8, 2, 0),
	    OP_REJECT_IF(TAP_OP_JLT, 1, 5), OP(TAP_OP_RETVAL, 2, 0, 8, 0, 0),
	    OP_REJECT_IF(TAP_OP_JLT, 2, 7), IMM(OUT, 1));
	test_create(&id);
	test_ioctl_enable(id);
	for (i = 0; i < 10; i++)
		test_hit(i);
	test_ioctl_disable(id);
	c = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(10, c.hits);
	EXPECT_EQ(7, c.filtered);
	EXPECT_EQ(3, c.written);
	EXPECT_EQ(3, c.entered);
	for (i = 7; i < 10; i++) {
		ASSERT_TRUE(test_session_next(&self->s, &self->rec));
		EXPECT_EQ(i, WORD(0));
		EXPECT_EQ(1, WORD(1));
	}
	EXPECT_FALSE(test_session_next(&self->s, &self->rec));
}

TEST_F(program, of_a_call_loses_it_at_either_end)
{
	struct tap_counters c;
	__u32 id;

	test_area();
	/* The value 1 cannot be read at the entry, the value 2 not at the return. */
	add(&self->prog, OP(TAP_OP_ARG, 0, 0, 8, 5, 0),
	    OP(TAP_OP_JNE, 0, IMM_SRC, 8, 2, 1), LOAD(1, 0, 8, 0),
	    OP_REJECT_IF(TAP_OP_JEQ, 1, 9), RETURN,
	    OP(TAP_OP_RETVAL, 0, 0, 8, 0, 0), LOAD(1, 0, 8, 0),
	    OP_REJECT_IF(TAP_OP_JEQ, 1, 9));
	test_create(&id);
	test_ioctl_enable(id);
	test_hit(1);
	test_hit(2);
	test_hit(self->at);
	test_ioctl_disable(id);
	c = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(3, c.hits);
	EXPECT_EQ(2, c.lost_fault);
	EXPECT_EQ(1, c.written);
	EXPECT_EQ(1, c.entered);
}

TEST_F(program, of_a_call_may_ask_how_long_it_took)
{
	struct tap_counters c;
	__u64 ns;
	__u32 id;

	add(&self->prog, RETURN, VAR(1, TAP_VAR_DURATION, 0),
	    OP_REJECT_IF(TAP_OP_JLT, 1, 20000000), MOVE(OUT, 1));
	ASSERT_EQ(0, _test_program_create(self->s.fd, &id, TAP_PROBE_CALL, 0,
					  "tap_target_sleep", &self->prog));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_SLEEP, 1);
	test_target_call(TAP_TARGET_SLEEP, 40);
	test_ioctl_disable(id);
	c = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(2, c.hits);
	EXPECT_LE(1, c.written);
	/* The last record is that of the long call. */
	while (test_session_next(&self->s, &self->rec))
		;
	EXPECT_EQ(40, self->rec.word[TAP_CALL_RETVAL]);
	EXPECT_LE(40000000, WORD(0));
	/* The record's own duration is measured a little later. */
	ns = test_ticks_to_ns(&self->s, self->rec.word[TAP_CALL_DURATION]);
	EXPECT_LE(WORD(0), ns + 1000);
	EXPECT_GE(WORD(0) + 20000000, ns);
}

TEST_F(program, of_a_call_says_what_was_absent_at_its_entry)
{
	__u32 id;

	memset(self->area, 'x', 100);
	test_area();
	add(&self->prog, OP(TAP_OP_ARG, 0, 0, 8, 5, 0), IMM(OUT, 1), IMM(1, 0),
	    LOAD(OUT, 1, 8, 0), STRING(0, 0, 8), RETURN, OP_RETVAL, LOAD(OUT, 0, 8, 0),
	    VAR(OUT, TAP_VAR_ABSENT, 0));
	test_create(&id);
	test_ioctl_enable(id);
	test_hit(self->at);
	ASSERT_TRUE(test_session_next(&self->s, &self->rec));
	EXPECT_EQ(BIT(1) | BIT(4), WORD(6));
	EXPECT_NE(0, self->rec.flags & TAP_F_ABSENT);
	/* The text was truncated at the entry. */
	EXPECT_NE(0, self->rec.flags & TAP_F_TRUNCATED);
}

/* A recursive function: each return has the words of its own entry. */
TEST_F(program, of_a_call_has_the_words_of_its_own_entry)
{
	unsigned int depth;
	__u32 id;

	add(&self->prog, OP_ARG(0), RETURN, OP(TAP_OP_WORD, 1, 0, 8, 2, 0),
	    OP_REJECT_IF(TAP_OP_JEQ, 1, 2),
	    OP(TAP_OP_ADD, 1, IMM_SRC, 8, 0, 100), MOVE(OUT, 1));
	ASSERT_EQ(0, _test_program_create(self->s.fd, &id, TAP_PROBE_CALL, 0,
					  "tap_target_recurse", &self->prog));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_RECURSE, 4);
	for (depth = 0; depth < 5; depth++) {
		if (depth == 2)
			continue;
		ASSERT_TRUE(test_session_next(&self->s, &self->rec));
		EXPECT_EQ(depth, WORD(0));
		EXPECT_EQ(depth + 100, WORD(1));
	}
	EXPECT_FALSE(test_session_next(&self->s, &self->rec));
}

/* Addresses and other tasks. */

FIXTURE(program_secret)
{
	struct test_session s;
	int target;
	struct test_program prog;
	struct test_record rec;
	__u64 at;
	unsigned char area[TAP_TARGET_AREA];
};

FIXTURE_SETUP(program_secret)
{
	test_setup();
	memset(self->area, 0, sizeof(self->area));
	self->prog.nr = 0;
	self->prog.data_len = 0;
}

FIXTURE_TEARDOWN(program_secret)
{
	test_teardown();
}

#define CAP_OPEN	(1ULL << CAP_DAC_OVERRIDE | 1ULL << 38 /* CAP_PERFMON */)

/* As a value, loaded, in bytes, at the entry and at the return. */
TEST_F(program_secret, an_address_is_kept_from_an_opener_who_may_not_see_it)
{
	unsigned int i;
	__u64 number = 0x1122334455667788, error = -22ULL;
	__u32 id;

	test_area();
	memcpy(self->area, &self->at, 8);
	memcpy(self->area + 8, &number, 8);
	memcpy(self->area + 16, &error, 8);
	test_area();
	ASSERT_EQ(0, test_keep_caps(CAP_OPEN));
	test_session_open(_metadata, &self->s, 1 << 20);
	add(&self->prog, OP(TAP_OP_ARG, 0, 0, 8, 5, 0), MOVE(OUT, 0),
	    LOAD(OUT, 0, 8, 0), LOAD(OUT, 0, 8, 8), LOAD(OUT, 0, 8, 16),
	    BYTES(0, 0, 24), RETURN, OP_RETVAL, OP(TAP_OP_WORD, OUT, 0, 8, 2, 0),
	    OP(TAP_OP_RETVAL, 0, 0, 8, 0, 0), LOAD(OUT, 0, 8, 0), BYTES(0, 0, 24));
	test_create(&id);
	test_ioctl_enable(id);
	test_hit(self->at);
	ASSERT_TRUE(test_session_next(&self->s, &self->rec));
	EXPECT_NE(0, self->rec.flags & TAP_F_REDACTED);
	for (i = 0; i < ARRAY_SIZE(self->rec.word); i++)
		EXPECT_NE(self->at, self->rec.word[i]) TH_LOG("word %u", i);
	EXPECT_EQ(0, self->rec.word[TAP_CALL_RETVAL]);
	EXPECT_EQ(0, WORD(0));
	EXPECT_EQ(0, WORD(1));
	/* A number that is no address is reported. */
	EXPECT_EQ(number, WORD(2));
	EXPECT_EQ(error, WORD(3));
	EXPECT_EQ(0, WORD(4));
	EXPECT_EQ(number, WORD(5));
	EXPECT_EQ(error, WORD(6));
	EXPECT_EQ(0, self->rec.flags & TAP_F_ABSENT);
}

/* A kernel thread has no user memory; the page tables of the task before it may still be loaded. */
TEST_F(program_secret, user_memory_is_not_that_of_the_task_before)
{
	static const char text[] = "secret";
	struct tap_counters c;
	unsigned int seen = 0;
	__u32 id;

	test_need_raw_tracepoints();
	test_session_open(_metadata, &self->s, 1 << 16);
	add(&self->prog, VAR(0, TAP_VAR_CPU, 0), OP_REJECT_IF(TAP_OP_JNE, 0, 0),
	    IMM(1, (uintptr_t)text), LOAD_USER(OUT, 1, 2, 0),
	    OP(TAP_OP_STRING_USER, OUT, 1, 0, 0, 8));
	ASSERT_EQ(0, _test_program_create(self->s.fd, &id, TAP_PROBE_RAWTP, 0,
					  "tap_target_event", &self->prog));
	ASSERT_EQ(0, test_pin(0));
	test_ioctl_enable(id);
	/* In this task it can be read. */
	ASSERT_EQ(0, _test_hit(self->target, TAP_TARGET_PASS, 0));
	ASSERT_TRUE(test_session_next(&self->s, &self->rec));
	EXPECT_EQ('s' | 'e' << 8, self->rec.word[0]);
	EXPECT_EQ(6, self->rec.word[1]);
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_STORM, TAP_TARGET_EVENT, 0,
				  0, NULL));
	/* The kernel thread runs on this CPU, right after this task. */
	usleep(20000);
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_CALM, 0, 0, 0, NULL));
	test_ioctl_disable(id);
	c = test_counters(_metadata, &self->s, id);
	EXPECT_LT(1, c.written);
	for (; test_session_next(&self->s, &self->rec); seen++) {
		if (self->rec.kind != TAP_KIND_EVENT)
			continue;
		ASSERT_EQ(0, self->rec.word[0]);
		ASSERT_EQ(TAP_TEXT_ABSENT, self->rec.word[1]);
		ASSERT_EQ(0, self->rec.word[2]);
		ASSERT_NE(0, self->rec.flags & TAP_F_ABSENT);
	}
	EXPECT_LT(0, seen);
}

/* An interrupt cannot wait for a page, and the handler does not try. */
TEST_F(program_secret, memory_is_read_in_interrupts_as_well)
{
	static const __u32 functions[] = { TAP_TARGET_HARDIRQ, TAP_TARGET_SOFTIRQ };
	unsigned int i, j;
	__u32 id;

	strcpy((char *)self->area, "a text");
	test_area();
	test_session_open(_metadata, &self->s, 1 << 16);
	add(&self->prog, IMM(1, self->at), STRING(1, 0, 8), LOAD(OUT, 1, 1, 2),
	    LOAD(OUT, 2, 8, 0));
	ASSERT_EQ(0, _test_program_create(self->s.fd, &id, TAP_PROBE_KPROBE, 0,
					  "tap_target_irq", &self->prog));
	test_ioctl_enable(id);
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		test_target_call(functions[i], 5);
		for (j = 0; j < 5; j++) {
			ASSERT_TRUE(test_session_next(&self->s, &self->rec));
			EXPECT_EQ(6, self->rec.word[0]);
			EXPECT_EQ(0, memcmp("a text\0", &self->rec.word[1], 8));
			EXPECT_EQ('t', self->rec.word[2]);
			EXPECT_EQ(0, self->rec.word[3]);
			EXPECT_NE(0, self->rec.flags & TAP_F_ABSENT);
		}
	}
}

TEST_HARNESS_MAIN

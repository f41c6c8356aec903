// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of each op of a program, on every type of probe and with known values: each sentence
 * of uapi/linux/tap_program.h.
 */
#include "selftests/module/program_harness.h"

#include <sys/prctl.h>

#define S64_MIN		(1ULL << 63)

FIXTURE(program)
{
	struct test_session s;
	int target;
	struct test_program prog;
	struct test_record rec;
	struct tap_counters c;
	__u64 at;
	__u32 flags;
	unsigned char area[TAP_TARGET_AREA];
};

FIXTURE_VARIANT(program)
{
	const struct value_kind *kind;
};

FIXTURE_VARIANT_ADD(program, kprobe) { .kind = &value_kprobe };
FIXTURE_VARIANT_ADD(program, kretprobe) { .kind = &value_kretprobe };
FIXTURE_VARIANT_ADD(program, call) { .kind = &value_call };
FIXTURE_VARIANT_ADD(program, rawtp) { .kind = &value_rawtp };

FIXTURE_SETUP(program)
{
	test_setup();
	if (variant->kind->type == TAP_PROBE_RAWTP)
		test_need_raw_tracepoints();
	test_session_open(_metadata, &self->s, 1 << 20);
	memset(self->area, 0, sizeof(self->area));
	/* Each program begins with the value in register 0. */
	self->prog.nr = 0;
	self->prog.data_len = 0;
	self->flags = 0;
	add(&self->prog, variant->kind->fetch);
}

FIXTURE_TEARDOWN(program)
{
	test_teardown();
}

#define WORD(n)		(self->rec.word[variant->kind->first + (n)])
#define test_area()	(self->at = test_fill(_metadata, self->target, self->area))

/* Creates a probe with the program, makes an event for each of these values, and deletes it. */
static void run_values(struct __test_metadata *_metadata,
		       FIXTURE_DATA(program) *self,
		       const FIXTURE_VARIANT(program) *variant,
		       const __u64 *values, unsigned int nr)
{
	const struct value_kind *kind = variant->kind;
	unsigned int i;
	__u32 id;

	ASSERT_EQ(0, _test_program_create(self->s.fd, &id, kind->type, self->flags,
					  kind->target, &self->prog))
		TH_LOG("cannot create: %s", strerror(errno));
	test_ioctl_enable(id);
	for (i = 0; i < nr; i++)
		ASSERT_EQ(0, _test_hit(self->target, kind->function, values[i]));
	test_ioctl_disable(id);
	self->c = test_counters(_metadata, &self->s, id);
	test_ioctl_delete(id);
	EXPECT_EQ(nr, self->c.hits);
	memset(&self->rec, 0, sizeof(self->rec));
}

/* The same with one value; the record is in self->rec. */
static void run_value(struct __test_metadata *_metadata,
		      FIXTURE_DATA(program) *self,
		      const FIXTURE_VARIANT(program) *variant, __u64 value)
{
	run_values(_metadata, self, variant, &value, 1);
	ASSERT_EQ(1, self->c.written);
	ASSERT_TRUE(test_session_next(&self->s, &self->rec));
	EXPECT_FALSE(self->rec.broken);
}

/* The entry of a call can store fewer words than a record has. */
#define add_room(value)							\
	do {								\
		if (variant->kind->type == TAP_PROBE_CALL)		\
			add(&self->prog, RETURN, IMM(0, value));	\
	} while (0)
#define run(value)		run_value(_metadata, self, variant, value)
#define run_all(values)							\
	run_values(_metadata, self, variant, values, ARRAY_SIZE(values))

TEST_F(program, loads_of_every_size_are_extended_as_asked)
{
	static const struct {
		__u8 size;
		__u64 value;
	} loads[] = {
		{ 1, 0xf8 }, { 2, 0xe7f8 }, { 4, 0xc5d6e7f8 },
		{ 8, 0x81a2b3b4c5d6e7f8 }, { 1 | SIGNED, -8 },
		{ 2 | SIGNED, 0xffffffffffffe7f8 },
		{ 4 | SIGNED, 0xffffffffc5d6e7f8 },
	};
	static const __u64 word = 0x81a2b3b4c5d6e7f8, small = 0x1122334455667708;
	unsigned int i, n = ARRAY_SIZE(loads);

	/* Between other values, and across the end of a page. */
	memcpy(self->area + 96, &word, 8);
	memcpy(self->area + 4093, &word, 8);
	memcpy(self->area + 200, &small, 8);
	test_area();
	for (i = 0; i < n; i++)
		add(&self->prog, LOAD(OUT, 0, loads[i].size, -4));
	for (i = 0; i < n; i++)
		add(&self->prog, LOAD(1, 0, loads[i].size, 3993), MOVE(OUT, 1));
	for (i = 0; i < n; i++)
		add(&self->prog, LOAD(1, 0, 8, -4),
		    OP(TAP_OP_MOVE, OUT, 1, loads[i].size, 0, 0));
	add(&self->prog, LOAD(OUT, 0, 1 | SIGNED, 100));
	run(self->at + 100);
	for (i = 0; i < 3 * n; i++)
		EXPECT_EQ(loads[i % n].value, WORD(i)) TH_LOG("value %u", i);
	EXPECT_EQ(8, WORD(3 * n));
	EXPECT_EQ(0, self->rec.flags & (TAP_F_ABSENT | TAP_F_TRUNCATED));
}

TEST_F(program, the_value_itself_is_extended_as_asked)
{
	static const __u64 want[] = { 0x88, 0x9988, 0xbbaa9988, 0xffffffffffffff88,
				      0xffffffffffff9988, 0xffffffffbbaa9988 };
	static const __u8 sizes[] = { 1, 2, 4, 1 | SIGNED, 2 | SIGNED, 4 | SIGNED };
	unsigned int i;

	self->prog.nr = 0;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct tap_op op = variant->kind->fetch;

		op.dst = OUT;
		op.size = sizes[i];
		add(&self->prog, op);
	}
	run(0x11223344bbaa9988);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		EXPECT_EQ(want[i], WORD(i)) TH_LOG("value %u", i);
}

static const struct {
	__u8 code;
	__u8 size;
	__u64 a, b, result;
} arithmetic[] = {
	{ TAP_OP_ADD, 8, -1ULL, 2, 1 },
	{ TAP_OP_ADD, 8, 40, 2, 42 },
	{ TAP_OP_SUB, 8, 1, 2, -1ULL },
	{ TAP_OP_SUB, 8, 44, 2, 42 },
	{ TAP_OP_MUL, 8, 1ULL << 63, 3, 1ULL << 63 },
	{ TAP_OP_MUL, 8, -3ULL, 5, -15ULL },
	{ TAP_OP_DIV, 8, 43, 5, 8 },
	{ TAP_OP_DIV, 8, -1ULL, 2, 0x7fffffffffffffff },
	{ TAP_OP_DIV, 8, 5, -1ULL, 0 },
	{ TAP_OP_DIV, 8 | SIGNED, -43ULL, 5, -8ULL },
	{ TAP_OP_DIV, 8 | SIGNED, 43, -5ULL, -8ULL },
	{ TAP_OP_DIV, 8 | SIGNED, S64_MIN, -1ULL, S64_MIN },
	{ TAP_OP_DIV, 8 | SIGNED, S64_MIN, 1, S64_MIN },
	{ TAP_OP_MOD, 8, 43, 5, 3 },
	{ TAP_OP_MOD, 8, -1ULL, 10, 5 },
	{ TAP_OP_MOD, 8 | SIGNED, -43ULL, 5, -3ULL },
	{ TAP_OP_MOD, 8 | SIGNED, 43, -5ULL, 3 },
	{ TAP_OP_MOD, 8 | SIGNED, S64_MIN, -1ULL, 0 },
	{ TAP_OP_AND, 8, 0xff00ff00ff00ff00, 0x0ff00ff00ff00ff0, 0x0f000f000f000f00 },
	{ TAP_OP_OR, 8, 0xff00, 0x8000000000000ff0, 0x800000000000fff0 },
	{ TAP_OP_XOR, 8, -1ULL, 0xf, 0xfffffffffffffff0 },
	{ TAP_OP_SHL, 8, 1, 0, 1 },
	{ TAP_OP_SHL, 8, 3, 63, 1ULL << 63 },
	{ TAP_OP_SHL, 8, 3, 64, 3 },
	{ TAP_OP_SHL, 8, 3, 65, 6 },
	{ TAP_OP_SHL, 8, 3, -1ULL, 1ULL << 63 },
	{ TAP_OP_SHR, 8, S64_MIN, 63, 1 },
	{ TAP_OP_SHR, 8, S64_MIN, 64, S64_MIN },
	{ TAP_OP_SHR, 8 | SIGNED, S64_MIN, 63, -1ULL },
	{ TAP_OP_SHR, 8 | SIGNED, -256ULL, 4, -16ULL },
	{ TAP_OP_SHR, 8 | SIGNED, 256, 68, 16 },
};

TEST_F(program, arithmetic_with_a_number_gives_what_it_should)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(arithmetic); i++)
		add(&self->prog, IMM(1, arithmetic[i].a),
		    OP(arithmetic[i].code, 1, IMM_SRC, arithmetic[i].size, 0,
		       arithmetic[i].b), MOVE(OUT, 1));
	run(0);
	for (i = 0; i < ARRAY_SIZE(arithmetic); i++)
		EXPECT_EQ(arithmetic[i].result, WORD(i)) TH_LOG("row %u", i);
}

TEST_F(program, arithmetic_of_two_registers_gives_the_same)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(arithmetic); i++)
		add(&self->prog, IMM(7, arithmetic[i].a), IMM(3, arithmetic[i].b),
		    OP(arithmetic[i].code, 7, 3, arithmetic[i].size, 0, 0),
		    MOVE(OUT, 7));
	run(0);
	for (i = 0; i < ARRAY_SIZE(arithmetic); i++)
		EXPECT_EQ(arithmetic[i].result, WORD(i)) TH_LOG("row %u", i);
}

TEST_F(program, division_by_zero_gives_zero)
{
	add(&self->prog, IMM(1, 77), OP(TAP_OP_DIV, 1, 2, 8, 0, 0), MOVE(OUT, 1),
	    IMM(1, 77), OP(TAP_OP_MOD, 1, 2, 8, 0, 0), MOVE(OUT, 1),
	    IMM(1, 77), OP(TAP_OP_DIV, 1, 0, 8 | SIGNED, 0, 0), MOVE(OUT, 1),
	    IMM(1, S64_MIN), OP(TAP_OP_MOD, 1, 0, 8 | SIGNED, 0, 0), MOVE(OUT, 1),
	    IMM(OUT, 5));
	run(0);
	EXPECT_EQ(0, WORD(0));
	EXPECT_EQ(0, WORD(1));
	EXPECT_EQ(0, WORD(2));
	EXPECT_EQ(0, WORD(3));
	EXPECT_EQ(5, WORD(4));
}

static const struct {
	__u8 code;
	__u8 size;
	__u64 a, b;
	bool taken;
} comparisons[] = {
	{ TAP_OP_JEQ, 8, 5, 5, true },
	{ TAP_OP_JEQ, 8, 5, 5 | 1ULL << 32, false },
	{ TAP_OP_JNE, 8, 5, 5, false },
	{ TAP_OP_JNE, 8, 5, 5 | 1ULL << 63, true },
	{ TAP_OP_JLT, 8, 4, 5, true },
	{ TAP_OP_JLT, 8, 5, 5, false },
	{ TAP_OP_JLT, 8, -1ULL, 5, false },
	{ TAP_OP_JLT, 8 | SIGNED, -1ULL, 5, true },
	{ TAP_OP_JLT, 8 | SIGNED, S64_MIN, S64_MIN, false },
	{ TAP_OP_JLE, 8, 5, 5, true },
	{ TAP_OP_JLE, 8, 6, 5, false },
	{ TAP_OP_JLE, 8, -1ULL, 5, false },
	{ TAP_OP_JLE, 8 | SIGNED, -1ULL, 5, true },
	{ TAP_OP_JLE, 8 | SIGNED, 5, S64_MIN, false },
	{ TAP_OP_JGT, 8, 6, 5, true },
	{ TAP_OP_JGT, 8, 5, 5, false },
	{ TAP_OP_JGT, 8, -1ULL, 5, true },
	{ TAP_OP_JGT, 8 | SIGNED, -1ULL, 5, false },
	{ TAP_OP_JGT, 8 | SIGNED, 5, -1ULL, true },
	{ TAP_OP_JGE, 8, 5, 5, true },
	{ TAP_OP_JGE, 8, 4, 5, false },
	{ TAP_OP_JGE, 8, -1ULL, 5, true },
	{ TAP_OP_JGE, 8 | SIGNED, -1ULL, 5, false },
	{ TAP_OP_JGE, 8 | SIGNED, S64_MIN, S64_MIN, true },
	{ TAP_OP_JSET, 8, 6, 9, false },
	{ TAP_OP_JSET, 8, 6, 3, true },
	{ TAP_OP_JSET, 8, 1ULL << 63, 1ULL << 63, true },
	{ TAP_OP_JSET, 8, 0, -1ULL, false },
};

/* Register 7 gets a bit for each jump that is not taken. */
TEST_F(program, jumps_are_taken_when_they_should_be)
{
	__u64 want = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(comparisons); i++) {
		add(&self->prog, IMM(1, comparisons[i].a),
		    OP(comparisons[i].code, 1, IMM_SRC, comparisons[i].size, 1,
		       comparisons[i].b), OP(TAP_OP_OR, 7, IMM_SRC, 8, 0, BIT(i)));
		want |= comparisons[i].taken ? 0 : BIT(i);
	}
	add(&self->prog, MOVE(OUT, 7), IMM(7, 0));
	for (i = 0; i < ARRAY_SIZE(comparisons); i++)
		add(&self->prog, IMM(1, comparisons[i].a), IMM(2, comparisons[i].b),
		    OP(comparisons[i].code, 1, 2, comparisons[i].size, 1, 0),
		    OP(TAP_OP_OR, 7, IMM_SRC, 8, 0, BIT(i)));
	/* Jumps are allowed between outputs, too. */
	add(&self->prog, MOVE(OUT, 7));
	run(0);
	EXPECT_EQ(want, WORD(0));
	EXPECT_EQ(want, WORD(1));
}

TEST_F(program, a_jump_leaves_out_so_many_steps)
{
	add(&self->prog, IMM(1, 1), OP(TAP_OP_JUMP, 0, 0, 0, 3, 0), IMM(1, 2),
	    IMM(1, 3), OP_REJECT_IF(TAP_OP_JEQ, 1, 1), MOVE(OUT, 1),
	    /* A jump to the end of the program. */
	    OP(TAP_OP_JUMP, 0, 0, 0, 1, 0), IMM(1, 9));
	run(0);
	EXPECT_EQ(1, WORD(0));
}

TEST_F(program, registers_that_nothing_wrote_are_zero)
{
	unsigned int i;

	for (i = 1; i < TAP_NR_REGISTERS; i++)
		add(&self->prog, MOVE(OUT, i), IMM(i, 0x5a5a));
	run(0);
	for (i = 1; i < TAP_NR_REGISTERS; i++)
		EXPECT_EQ(0, WORD(i - 1));
}

TEST_F(program, what_is_rejected_is_counted_and_nothing_else)
{
	static const __u64 values[] = { 0, 7, 1000, 5, 4, -1ULL, 6, 3, 5, 1 };
	static const __u64 passed[] = { 7, 1000, 5, 6, 5 };
	unsigned int i;

	add(&self->prog, OP_REJECT_IF(TAP_OP_JLT, 0, 5),
	    OP(TAP_OP_JGT, 0, IMM_SRC, 8 | SIGNED, 1, 0),
	    OP(TAP_OP_JUMP, 0, 0, 0, REJECT, 0), MOVE(OUT, 0));
	run_all(values);
	EXPECT_EQ(5, self->c.written);
	EXPECT_EQ(5, self->c.filtered);
	EXPECT_EQ(0, self->c.lost_fault);
	for (i = 0; i < ARRAY_SIZE(passed); i++) {
		ASSERT_TRUE(test_session_next(&self->s, &self->rec));
		EXPECT_EQ(passed[i], WORD(0));
	}
	EXPECT_FALSE(test_session_next(&self->s, &self->rec));
}

TEST_F(program, a_test_of_what_cannot_be_read_is_a_loss)
{
	memset(self->area, 9, 16);
	test_area();
	add(&self->prog, LOAD(1, 0, 8, 0),
	    OP_REJECT_IF(TAP_OP_JNE, 1, 0x0909090909090909), IMM(OUT, 1));
	run_all(test_wild);
	EXPECT_EQ(ARRAY_SIZE(test_wild), self->c.lost_fault);
	EXPECT_EQ(0, self->c.written);
	run_all(((const __u64[]){ self->at, 0, self->at + 8, self->at + 16,
				  self->at + TAP_TARGET_AREA - 7 }));
	EXPECT_EQ(2, self->c.written);
	EXPECT_EQ(1, self->c.filtered);
	EXPECT_EQ(2, self->c.lost_fault);
}

/* The same if the test would reject the 0 that an absent value has. */
TEST_F(program, a_test_of_text_that_cannot_be_read_is_a_loss)
{
	__u64 text = test_pattern(&self->prog, "text");

	strcpy((char *)self->area, "text");
	test_area();
	add(&self->prog, OP(TAP_OP_MATCH, 1, 0, 0, 0, text),
	    OP_REJECT_IF(TAP_OP_JEQ, 1, 0));
	run_all(((const __u64[]){ self->at, self->at + 1, 0, (uintptr_t)self->area,
				  self->at + TAP_TARGET_AREA }));
	EXPECT_EQ(1, self->c.written);
	EXPECT_EQ(1, self->c.filtered);
	EXPECT_EQ(3, self->c.lost_fault);
}

TEST_F(program, what_a_jump_leaves_out_is_not_read)
{
	add(&self->prog, OP(TAP_OP_JEQ, 0, IMM_SRC, 8, 2, 0), LOAD(1, 0, 8, 0),
	    OP_REJECT_IF(TAP_OP_JEQ, 1, 7), IMM(OUT, 3));
	run_all(((const __u64[]){ 0, 1, 0 }));
	EXPECT_EQ(2, self->c.written);
	EXPECT_EQ(1, self->c.lost_fault);
}

TEST_F(program, what_cannot_be_read_is_zero_and_absent)
{
	const unsigned int n = ARRAY_SIZE(test_wild);
	unsigned int i;

	for (i = 0; i < n; i++)
		add(&self->prog, IMM(1, test_wild[i]), LOAD(OUT, 1, 8, 0), IMM(OUT, i));
	add(&self->prog, VAR(OUT, TAP_VAR_ABSENT, 0));
	run(0);
	for (i = 0; i < n; i++) {
		EXPECT_EQ(0, WORD(2 * i)) TH_LOG("%#llx", test_wild[i]);
		EXPECT_EQ(i, WORD(2 * i + 1));
		EXPECT_EQ(1, WORD(2 * n) >> 2 * i & 3) TH_LOG("%#llx", test_wild[i]);
	}
	EXPECT_NE(0, self->rec.flags & TAP_F_ABSENT);
}

/* A value that is 0 because an address could not be read is absent as well. */
TEST_F(program, a_chain_that_breaks_is_absent)
{
	__u64 next;

	test_area();
	next = self->at + 64;
	memcpy(self->area, &next, 8);
	next = 42;
	memcpy(self->area + 64, &next, 8);
	test_area();
	add(&self->prog, LOAD(1, 0, 8, 0), LOAD(2, 1, 8, 0), MOVE(OUT, 2),
	    LOAD(1, 0, 8, 8), LOAD(2, 1, 8, 0), MOVE(OUT, 2), IMM(OUT, 1),
	    VAR(OUT, TAP_VAR_ABSENT, 0));
	run(self->at);
	EXPECT_EQ(42, WORD(0));
	EXPECT_EQ(0, WORD(1));
	EXPECT_EQ(1, WORD(2));
	EXPECT_EQ(BIT(1), WORD(3));
}

/* The next output takes the mark, whatever it is: a name, a text, bytes. */
TEST_F(program, the_next_output_takes_the_mark_whatever_it_is)
{
	memset(self->area, 'x', 8);
	test_area();
	add(&self->prog, IMM(2, 0), LOAD(1, 2, 8, 0), OP_COMM, OP_COMM,
	    LOAD(1, 2, 8, 0), STRING(0, 0, 8), STRING(0, 0, 8),
	    LOAD(1, 2, 8, 0), BYTES(0, 0, 8), BYTES(0, 0, 8),
	    LOAD(1, 2, 8, 0), IMM(OUT, 1), IMM(OUT, 1),
	    VAR(OUT, TAP_VAR_ABSENT, 0));
	run(self->at);
	EXPECT_EQ(0x55, WORD(2 + 2 + 2 + 2 + 1 + 1 + 1 + 1));
}

TEST_F(program, text_is_compared_as_a_whole)
{
	static const struct {
		const char *pattern;
		const char *text;
		bool glob;
		bool result;
	} rows[] = {
		{ "abc", "abc", false, true }, { "abc", "ab", false, false },
		{ "abc", "abcd", false, false }, { "abc", "abd", false, false },
		{ "a*", "abc", false, false }, { "a*", "a*", false, true },
		{ "abc", "abc", true, true }, { "abc", "abcd", true, false },
		{ "a*", "abc", true, true }, { "*", "", true, true },
		{ "?", "", true, false }, { "a?c", "abc", true, true },
		{ "*c", "abcbc", true, true }, { "*b", "abc", true, false },
		{ "[a-c]x", "bx", true, true }, { "[a-c]x", "dx", true, false },
		{ "[!a-c]x", "dx", true, true }, { "[!a-c]x", "ax", true, false },
		{ "\\*", "*", true, true }, { "\\*", "x", true, false },
		{ "a*b*c", "axxbyyc", true, true }, { "a*b*c", "axxcyyb", true, false },
		{ "eth[0-9]*", "eth0.100", true, true },
		{ "**a", "bba", true, true }, { "a**", "a", true, true },
		{ "[]]", "]", true, true }, { "*a*a*a*b", "aaaaaaaaaaaa", true, false },
		{ "*aab*", "aaaab", true, true }, { "*aab*", "aabb", true, true },
		{ "*ab*ab", "abxab", true, true }, { "*ab*ab", "xab", true, false },
		{ "a*[b-d]", "axd", true, true }, { "a*[b-d]", "a", true, false },
		{ "a[b-d]*?", "acz", true, true }, { "a[b-d]*?", "ac", true, false },
	};
	/* So many do not take too many instructions. */
	const unsigned int some = 2;
	unsigned int i, k, n = ARRAY_SIZE(rows);

	/* Some of them across the end of a page. */
	for (i = 0; i < n; i++)
		strcpy((char *)self->area + 4096 - 100 + 16 * i, rows[i].text);
	test_area();
	for (i = 0; i < n; i += some) {
		self->prog.nr = 1;
		self->prog.data_len = 0;
		for (k = i; k < n && k < i + some; k++) {
			__u64 pattern = test_pattern(&self->prog, rows[k].pattern);

			add(&self->prog, OP(TAP_OP_MATCH, 1, 0, rows[k].glob ? TAP_OP_GLOB : 0,
					    16 * k, pattern), MOVE(OUT, 1));
		}
		run(self->at + 4096 - 100);
		for (k = i; k < n && k < i + some; k++)
			EXPECT_EQ(rows[k].result, WORD(k - i))
				TH_LOG("row %u", k);
	}
}

/* A glob sees only the start of a long text, as if it ended there. */
TEST_F(program, a_long_text_ends_early_to_a_glob)
{
	__u64 all, last, beyond, short_one;
	char pattern[200];

	memset(pattern, 'a', sizeof(pattern));
	pattern[199] = 0;
	memset(self->area, 'a', 300);
	self->area[254] = 'y';
	self->area[299] = 'z';
	test_area();
	all = test_pattern(&self->prog, "a*");
	last = test_pattern(&self->prog, "*y");
	beyond = test_pattern(&self->prog, "*z");
	short_one = test_pattern(&self->prog, pattern);
	add(&self->prog, OP(TAP_OP_MATCH, 1, 0, TAP_OP_GLOB, 0, all), MOVE(OUT, 1),
	    OP(TAP_OP_MATCH, 1, 0, TAP_OP_GLOB, 0, last), MOVE(OUT, 1),
	    OP(TAP_OP_MATCH, 1, 0, TAP_OP_GLOB, 0, beyond), MOVE(OUT, 1),
	    OP(TAP_OP_MATCH, 1, 0, 0, 0, short_one), MOVE(OUT, 1));
	run(self->at);
	EXPECT_EQ(1, WORD(0));
	EXPECT_EQ(1, WORD(1));
	EXPECT_EQ(0, WORD(2));
	EXPECT_EQ(0, WORD(3));
}

TEST_F(program, the_name_of_the_task_is_recorded_and_compared)
{
	static const char comm[TAP_COMM_LEN] = "fifteen letters";
	__u64 whole, begin, glob;

	ASSERT_EQ(0, prctl(PR_SET_NAME, comm));
	whole = test_pattern(&self->prog, comm);
	begin = test_pattern(&self->prog, "fifteen");
	glob = test_pattern(&self->prog, "fif*rs");
	add(&self->prog, OP_COMM, VAR(OUT, TAP_VAR_COMM, 0), VAR(OUT, TAP_VAR_COMM, 1),
	    OP(TAP_OP_MATCH_COMM, 1, 0, 0, 0, whole), MOVE(OUT, 1),
	    OP(TAP_OP_MATCH_COMM, 1, 0, 0, 0, begin), MOVE(OUT, 1),
	    OP(TAP_OP_MATCH_COMM, 1, 0, TAP_OP_GLOB, 0, glob), MOVE(OUT, 1));
	run(0);
	EXPECT_EQ(0, memcmp(comm, &WORD(0), 16));
	EXPECT_EQ(0, memcmp(comm, &WORD(2), 16));
	EXPECT_EQ(1, WORD(4));
	EXPECT_EQ(0, WORD(5));
	EXPECT_EQ(1, WORD(6));
}

/* Checks a recorded text of @len letters, with a limit on its length. */
static void expect_text(struct __test_metadata *_metadata, const __u64 *word,
			unsigned int len, unsigned int limit, __u64 flags)
{
	const char *text = (const char *)(word + 1);
	unsigned int i;

	EXPECT_EQ(len | flags, word[0]) TH_LOG("length %u of %u", len, limit);
	for (i = 0; i < (limit + 7) / 8 * 8; i++)
		ASSERT_EQ(i < len ? 'a' + i % 26 : 0, text[i])
			TH_LOG("byte %u of %u, limit %u", i, len, limit);
}

TEST_F(program, text_of_every_length_is_recorded)
{
	static const struct {
		unsigned int len;
		unsigned int limit;
	} rows[] = {
		{ 0, 1 }, { 0, 64 }, { 1, 1 }, { 2, 1 }, { 7, 8 }, { 8, 8 }, { 9, 8 },
		{ 63, 64 }, { 64, 64 }, { 65, 64 }, { 20, 13 }, { 13, 13 }, { 200, 255 },
		{ 4095, 4096 }, { 4096, 4096 }, { 4097, 4096 }, { 6000, 4096 },
	};
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		/* In the middle of a page, and up to the end of the area. */
		unsigned int begin = i % 2 ? TAP_TARGET_AREA - rows[i].len - 1 : 4090;

		memset(self->area, 'X', sizeof(self->area));
		for (j = 0; j < rows[i].len; j++)
			self->area[begin + j] = 'a' + j % 26;
		self->area[begin + j] = 0;
		test_area();
		self->prog.nr = 1;
		add_room(self->at + begin + 8);
		add(&self->prog, IMM(OUT, 7), STRING(0, -8, rows[i].limit), IMM(OUT, 8));
		run(self->at + begin + 8);
		expect_text(_metadata, &WORD(1),
			    rows[i].len < rows[i].limit ? rows[i].len : rows[i].limit,
			    rows[i].limit,
			    rows[i].len > rows[i].limit ? TAP_TEXT_TRUNCATED : 0);
		EXPECT_EQ(rows[i].len > rows[i].limit,
			  !!(self->rec.flags & TAP_F_TRUNCATED));
		EXPECT_EQ(0, self->rec.flags & TAP_F_ABSENT);
		EXPECT_EQ(7, WORD(0));
		EXPECT_EQ(8, WORD(2 + (rows[i].limit + 7) / 8));
	}
}

TEST_F(program, text_without_an_end_is_absent)
{
	unsigned int end = TAP_TARGET_AREA;

	memcpy(self->area + end - 5, "abcde", 5);
	test_area();
	add(&self->prog, STRING(0, 0, 16), IMM(1, 8), STRING(1, 0, 16),
	    STRING(0, 0, 4), VAR(OUT, TAP_VAR_ABSENT, 0));
	run(self->at + end - 5);
	EXPECT_NE(0, WORD(0) & TAP_TEXT_ABSENT);
	EXPECT_EQ(0, WORD(0) & TAP_TEXT_TRUNCATED);
	EXPECT_GE(5, WORD(0) & TAP_TEXT_LEN);
	EXPECT_EQ(0, memcmp("abcde\0\0\0", &WORD(1), WORD(0) & TAP_TEXT_LEN));
	EXPECT_EQ(0, WORD(2));
	/* No byte of it can be read. */
	EXPECT_EQ(TAP_TEXT_ABSENT, WORD(3));
	EXPECT_EQ(0, WORD(4));
	EXPECT_EQ(0, WORD(5));
	/* The bytes within the limit can be read. */
	EXPECT_EQ(4 | TAP_TEXT_TRUNCATED, WORD(6));
	EXPECT_EQ(3, WORD(8));
	EXPECT_NE(0, self->rec.flags & TAP_F_ABSENT);
	EXPECT_NE(0, self->rec.flags & TAP_F_TRUNCATED);
}

TEST_F(program, bytes_are_recorded_as_they_are)
{
	unsigned int end = TAP_TARGET_AREA, i;

	for (i = 0; i < end; i++)
		self->area[i] = 1 + i % 251;
	test_area();
	add_room(self->at + 4090);
	add(&self->prog, BYTES(0, 0, 1), BYTES(0, -4000, 16), BYTES(0, 0, 13),
	    IMM(1, self->at + end), BYTES(1, -16, 16), BYTES(1, -15, 16),
	    IMM(OUT, 5), BYTES(0, 0, 4096), VAR(OUT, TAP_VAR_ABSENT, 0));
	run(self->at + 4090);
	EXPECT_EQ(self->area[4090], WORD(0));
	EXPECT_EQ(0, memcmp(self->area + 90, &WORD(1), 16));
	EXPECT_EQ(0, memcmp(self->area + 4090, &WORD(3), 13));
	EXPECT_EQ(0, WORD(4) >> 40);
	EXPECT_EQ(0, memcmp(self->area + end - 16, &WORD(5), 16));
	EXPECT_EQ(0, WORD(7));
	EXPECT_EQ(0, WORD(8));
	EXPECT_EQ(5, WORD(9));
	EXPECT_EQ(0, memcmp(self->area + 4090, &WORD(10), 4096));
	EXPECT_EQ(BIT(4), WORD(10 + 512));
}

#define JOIN(code, reg, off, bytes, texts)	OP(code, OUT, reg, 0, off, (bytes) | (texts) << 16)

/* The words of a text of so many bytes: its length with flags, and the text with zeros behind it. */
#define EXPECT_TEXT(word, flags, text, bytes) do {				\
	char _text[bytes] = text;						\
										\
	EXPECT_EQ(strlen(text) | (flags), WORD(word));				\
	EXPECT_EQ(0, memcmp(_text, &WORD((word) + 1), bytes));			\
} while (0)

TEST_F(program, texts_of_an_array_are_joined)
{
	char one[] = "one", empty[] = "", long_text[601], user_two[] = "user";
	/* Pointers of 8 bytes, also in a 32-bit program. */
	__u64 user[] = { (uintptr_t)one, (uintptr_t)empty, (uintptr_t)user_two, 0 };
	__u64 array[12 + TAP_MAX_JOIN + 1], at;
	unsigned int i;

	test_area();
	at = self->at;
	memcpy(array, ((__u64[]){ at + 1000, at + 1003, at + 1004, at + 1000, 0, at + 1000, 1, 0,
				  at + 2000, at + 1000, 0, 0 }), 96);
	memset(long_text, 'x', 600);
	long_text[600] = 0;
	memcpy(self->area + 1000, "abc\0defg", 9);
	memcpy(self->area + 2000, long_text, 601);
	for (i = 12; i < ARRAY_SIZE(array); i++)
		array[i] = at + 1000;
	memcpy(self->area, array, sizeof(array));
	test_area();
	add(&self->prog, JOIN(TAP_OP_JOIN, 0, 0, 40, 5), JOIN(TAP_OP_JOIN, 0, 0, 40, 2),
	    JOIN(TAP_OP_JOIN, 0, 0, 16, 4), JOIN(TAP_OP_JOIN, 0, 0, 5, 6),
	    JOIN(TAP_OP_JOIN, 0, 32, 8, 1), VAR(OUT, TAP_VAR_ABSENT, 0));
	run(at);
	EXPECT_TEXT(0, 0, "abc  defg abc", 40);
	EXPECT_TEXT(6, TAP_TEXT_TRUNCATED, "abc ", 40);
	EXPECT_TEXT(12, 0, "abc  defg abc", 16);
	EXPECT_TEXT(15, TAP_TEXT_TRUNCATED, "abc  ", 8);
	EXPECT_TEXT(17, 0, "", 8);
	EXPECT_EQ(0, WORD(19));
	EXPECT_EQ(TAP_F_TRUNCATED, self->rec.flags);
	/* The second pointer leads nowhere; a text is longer than a chunk. */
	self->prog.nr = 1;
	add(&self->prog, JOIN(TAP_OP_JOIN, 0, 40, 16, 3), JOIN(TAP_OP_JOIN, 0, 64, 640, 2),
	    JOIN(TAP_OP_JOIN, 0, 64, 600, 1), VAR(OUT, TAP_VAR_ABSENT, 0));
	run(at);
	EXPECT_TEXT(0, TAP_TEXT_ABSENT, "abc ", 16);
	EXPECT_EQ(604, WORD(3));
	EXPECT_EQ(0, memcmp(long_text, &WORD(4), 600));
	EXPECT_EQ(0, memcmp(" abc\0\0\0\0", (char *)&WORD(4) + 600, 8));
	EXPECT_EQ(600 | TAP_TEXT_TRUNCATED, WORD(84));
	EXPECT_EQ(0, memcmp(long_text, &WORD(85), 600));
	EXPECT_EQ(BIT(0), WORD(160));
	/* As many texts as there can be. */
	self->prog.nr = 1;
	add(&self->prog, JOIN(TAP_OP_JOIN, 0, 96, 200, TAP_MAX_JOIN));
	run(at);
	EXPECT_EQ((TAP_MAX_JOIN * 4 - 1) | TAP_TEXT_TRUNCATED, WORD(0));
	/* Texts of the program; an array that cannot be read. */
	self->prog.nr = 1;
	add(&self->prog, IMM(1, (uintptr_t)user), JOIN(TAP_OP_JOIN_USER, 1, 0, 16, 3), IMM(2, 1),
	    JOIN(TAP_OP_JOIN, 2, 0, 8, 1), JOIN(TAP_OP_JOIN_USER, 0, 0, 8, 1),
	    VAR(OUT, TAP_VAR_ABSENT, 0));
	run(at);
	EXPECT_TEXT(0, 0, "one  user", 16);
	EXPECT_TEXT(3, TAP_TEXT_ABSENT, "", 8);
	EXPECT_TEXT(5, TAP_TEXT_ABSENT, "", 8);
	EXPECT_EQ(BIT(1) | BIT(2), WORD(7));
}

#define PATH(code, off, bytes, names)	OP(code, OUT, 0, 0, off, (bytes) | (names) << 16)
/* Places in the area: two mounts, a struct path, members of dentries, names. */
#define ROOT_MOUNT	512
#define MOUNT		640
#define A_PATH		896
#define DENTRY(n)	(1024 + 24 * (n))
#define NAME(n)		(2048 + 16 * (n))

/* Dentry @n with a parent, as far as it is read: d_parent and d_name, which begin at DENTRY(n). */
static void put_dentry(unsigned char *area, __u64 at, unsigned int off, unsigned int n,
		       unsigned int parent, const char *name)
{
	__u64 members[] = { at + DENTRY(parent) - off, (__u64)strlen(name) << 32, at + NAME(n) };

	memcpy(area + DENTRY(n), members, sizeof(members));
	strcpy((char *)area + NAME(n), name);
}

/* mnt_parent, mnt_mountpoint and mnt.mnt_root of a struct mount, whose mnt is at a place. */
static void put_mount(unsigned char *area, __u64 at, unsigned int off, unsigned int place,
		      unsigned int parent, unsigned int mountpoint, unsigned int root)
{
	__u64 members[] = { at + parent - 32, at + DENTRY(mountpoint) - off, at + DENTRY(root) - off };

	memcpy(area + place - 16, members, sizeof(members));
}

TEST_F(program, paths_of_files_are_read)
{
	FILE *param = fopen("/sys/module/tap_target/parameters/dentry_parent", "re");
	unsigned char *area = self->area;
	unsigned int off;
	__u64 at;

	ASSERT_NE(NULL, param);
	ASSERT_EQ(1, fscanf(param, "%u", &off));
	fclose(param);
	test_area();
	at = self->at;
	put_dentry(area, at, off, 0, 0, "/");
	put_dentry(area, at, off, 1, 0, "mnt");
	put_dentry(area, at, off, 2, 2, "/");
	put_dentry(area, at, off, 3, 2, "dir");
	put_dentry(area, at, off, 4, 3, "file");
	/* A circle, a parent at a bad address, a name that is too long for one. */
	put_dentry(area, at, off, 5, 6, "a");
	put_dentry(area, at, off, 6, 5, "b");
	put_dentry(area, at, off, 7, 3, "c");
	memset(area + DENTRY(7), 0, 8);
	put_dentry(area, at, off, 8, 3, "d");
	area[DENTRY(8) + 13] = 1;
	put_mount(area, at, off, ROOT_MOUNT, ROOT_MOUNT, 0, 0);
	put_mount(area, at, off, MOUNT, ROOT_MOUNT, 1, 2);
	memcpy(area + A_PATH, (__u64[]){ at + MOUNT, at + DENTRY(4) - off }, 16);
	memcpy(area + A_PATH + 16, (__u64[]){ at + ROOT_MOUNT, at + DENTRY(0) - off }, 16);
	test_area();
	add(&self->prog, PATH(TAP_OP_PATH, A_PATH, 40, 20), PATH(TAP_OP_PATH, A_PATH + 16, 8, 1),
	    PATH(TAP_OP_DENTRY, DENTRY(4) - off, 16, 2), PATH(TAP_OP_DENTRY, DENTRY(2) - off, 8, 1));
	run(at);
	EXPECT_TEXT(0, 0, "/mnt/dir/file", 40);
	EXPECT_TEXT(6, 0, "/", 8);
	EXPECT_TEXT(8, 0, "/dir/file", 16);
	EXPECT_TEXT(11, 0, "/", 8);
	EXPECT_EQ(0, self->rec.flags);
	/* Cut where it begins, by the number of bytes and by that of names and mounts. */
	self->prog.nr = 1;
	add(&self->prog, PATH(TAP_OP_PATH, A_PATH, 13, 4), PATH(TAP_OP_PATH, A_PATH, 12, 4),
	    PATH(TAP_OP_PATH, A_PATH, 6, 4), PATH(TAP_OP_PATH, A_PATH, 16, 3),
	    PATH(TAP_OP_DENTRY, DENTRY(4) - off, 16, 1));
	run(at);
	EXPECT_TEXT(0, 0, "/mnt/dir/file", 16);
	EXPECT_TEXT(3, TAP_TEXT_TRUNCATED, "mnt/dir/file", 16);
	EXPECT_TEXT(6, TAP_TEXT_TRUNCATED, "r/file", 8);
	EXPECT_TEXT(8, TAP_TEXT_TRUNCATED, "/dir/file", 16);
	EXPECT_TEXT(11, TAP_TEXT_TRUNCATED, "/file", 16);
	EXPECT_EQ(TAP_F_TRUNCATED, self->rec.flags);
	self->prog.nr = 1;
	add(&self->prog, PATH(TAP_OP_DENTRY, DENTRY(5) - off, 16, 6),
	    PATH(TAP_OP_DENTRY, DENTRY(7) - off, 8, 4), PATH(TAP_OP_DENTRY, DENTRY(8) - off, 8, 4),
	    PATH(TAP_OP_PATH, TAP_TARGET_AREA, 8, 4), VAR(OUT, TAP_VAR_ABSENT, 0));
	run(at);
	EXPECT_TEXT(0, TAP_TEXT_TRUNCATED, "/b/a/b/a/b/a", 16);
	EXPECT_TEXT(3, TAP_TEXT_ABSENT, "", 8);
	EXPECT_TEXT(5, TAP_TEXT_ABSENT, "", 8);
	EXPECT_TEXT(7, TAP_TEXT_ABSENT, "", 8);
	EXPECT_EQ(0xe, WORD(9));
}

TEST_F(program, user_memory_is_read_as_the_tasks_own)
{
	__u64 page = sysconf(_SC_PAGESIZE), pattern;
	char *map = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *end = map + page;

	ASSERT_NE(MAP_FAILED, (void *)map);
	ASSERT_EQ(0, munmap(end, page));
	memcpy(end - 32, "\x81\x82\x83\x84\x85\x86\x87\x88 user text and", 23);
	memcpy(end - 4, "tail", 4);
	pattern = test_pattern(&self->prog, "ser*and");
	test_area();
	add(&self->prog, LOAD_USER(OUT, 0, 8, 0), LOAD_USER(OUT, 0, 2 | SIGNED, 1),
	    OP(TAP_OP_STRING_USER, OUT, 0, 0, 9, 16),
	    OP(TAP_OP_BYTES_USER, OUT, 0, 0, 0, 9),
	    OP(TAP_OP_MATCH_USER, 1, 0, TAP_OP_GLOB, 10, pattern), MOVE(OUT, 1),
	    /* Addresses that are not mapped, have no page yet, or are in the kernel. */
	    LOAD_USER(OUT, 0, 8, 28), LOAD_USER(OUT, 0, 8, 32 + page),
	    IMM(2, self->at), LOAD_USER(OUT, 2, 8, 0), LOAD(OUT, 0, 8, 0),
	    OP(TAP_OP_STRING_USER, OUT, 2, 0, 0, 8),
	    OP(TAP_OP_BYTES_USER, OUT, 2, 0, 0, 8),
	    STRING(0, 9, 8), BYTES(0, 0, 8), VAR(OUT, TAP_VAR_ABSENT, 0));
	run((uintptr_t)end - 32);
	EXPECT_EQ(0x8887868584838281, WORD(0));
	EXPECT_EQ(0xffffffffffff8382, WORD(1));
	EXPECT_EQ(13, WORD(2));
	EXPECT_EQ(0, memcmp("user text and\0\0\0", &WORD(3), 16));
	EXPECT_EQ(0x8887868584838281, WORD(5));
	EXPECT_EQ(' ', WORD(6));
	EXPECT_EQ(1, WORD(7));
	EXPECT_EQ(0, WORD(8));
	EXPECT_EQ(0, WORD(9));
	EXPECT_EQ(0, WORD(10));
	EXPECT_EQ(0, WORD(11));
	EXPECT_EQ(TAP_TEXT_ABSENT, WORD(12));
	EXPECT_EQ(0, WORD(14));
	EXPECT_EQ(TAP_TEXT_ABSENT, WORD(15));
	EXPECT_EQ(0, WORD(17));
	EXPECT_EQ(0xff << 5, WORD(18));
	munmap(map, page);
	munmap(end + page, page);
}

/* Each kind of operation, in the interpreter and, where one has it, in the fast path. */
TEST_F(program, user_memory_is_recognised_by_its_address_if_asked)
{
	char text[] = "user text";
	__u64 texts[] = { (uintptr_t)text, (uintptr_t)text, 0 };
	__u64 page = sysconf(_SC_PAGESIZE), pattern, user, low = TAP_USER_MIN - page;
	char *hole = mmap(NULL, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *below = mmap((void *)(uintptr_t)low, page, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	ASSERT_NE(MAP_FAILED, (void *)hole);
	ASSERT_EQ(low, (uintptr_t)below);
	memcpy(below, text, sizeof(text));
	memcpy(&user, text, sizeof(user));
	memcpy(self->area, "kernel text", 12);
	test_area();
	self->flags = TAP_CREATE_F_USER;
	/* Alone, as a part, through a second pointer, in a test. */
	add(&self->prog, LOAD(OUT, 0, 8, 0));
	run((uintptr_t)text);
	EXPECT_EQ(user, WORD(0));
	EXPECT_EQ(TAP_F_USER, self->rec.flags);
	self->prog.nr = 1;
	add(&self->prog, LOAD(OUT, 0, 2 | SIGNED, 1));
	run((uintptr_t)text);
	EXPECT_EQ('s' | 'e' << 8, WORD(0));
	EXPECT_EQ(TAP_F_USER, self->rec.flags);
	self->prog.nr = 1;
	add(&self->prog, LOAD(1, 0, 8, 8), LOAD(OUT, 1, 8, 0));
	run((uintptr_t)texts);
	EXPECT_EQ(user, WORD(0));
	EXPECT_EQ(TAP_F_USER, self->rec.flags);
	self->prog.nr = 1;
	add(&self->prog, LOAD(1, 0, 8, 0), OP(TAP_OP_JNE, 1, IMM_SRC, 8, TAP_OP_REJECT, user),
	    VAR(OUT, TAP_VAR_TGID, 0));
	run((uintptr_t)text);
	EXPECT_EQ(getpid(), (pid_t)WORD(0));
	EXPECT_EQ(TAP_F_USER, self->rec.flags);
	/* Texts and arrays. */
	self->prog.nr = 1;
	pattern = test_pattern(&self->prog, "ser*");
	add(&self->prog, OP(TAP_OP_MATCH, 1, 0, TAP_OP_GLOB, 1, pattern), MOVE(OUT, 1));
	run((uintptr_t)text);
	EXPECT_EQ(1, WORD(0));
	EXPECT_EQ(TAP_F_USER, self->rec.flags);
	self->prog.nr = 1;
	add(&self->prog, OP(TAP_OP_LENGTH, 1, 0, 0, 0, 64), MOVE(OUT, 1));
	run((uintptr_t)text);
	EXPECT_EQ(9, WORD(0));
	EXPECT_EQ(TAP_F_USER, self->rec.flags);
	self->prog.nr = 1;
	add(&self->prog, STRING(0, 5, 8));
	run((uintptr_t)text);
	EXPECT_TEXT(0, 0, "text", 8);
	EXPECT_EQ(TAP_F_USER, self->rec.flags);
	self->prog.nr = 1;
	add(&self->prog, BYTES(0, 0, 8));
	run((uintptr_t)text);
	EXPECT_EQ(user, WORD(0));
	EXPECT_EQ(TAP_F_USER, self->rec.flags);
	self->prog.nr = 1;
	add(&self->prog, JOIN(TAP_OP_JOIN, 0, 0, 24, 3));
	run((uintptr_t)texts);
	EXPECT_TEXT(0, 0, "user text user text", 24);
	EXPECT_EQ(TAP_F_USER, self->rec.flags);
	/* No page yet, below TAP_USER_MIN, not canonical: absent, and no mark. */
	self->prog.nr = 1;
	add(&self->prog, LOAD(OUT, 0, 8, 0), STRING(0, 0, 8), BYTES(0, 0, 8),
	    IMM(1, low), LOAD(OUT, 1, 8, 0), STRING(1, 0, 8), BYTES(1, 0, 8),
	    IMM(2, 1ULL << 60), LOAD(OUT, 2, 8, 0), JOIN(TAP_OP_JOIN, 2, 0, 8, 1),
	    VAR(OUT, TAP_VAR_ABSENT, 0));
	run((uintptr_t)hole);
	EXPECT_EQ(0xff, WORD(11));
	EXPECT_EQ(TAP_F_ABSENT, self->rec.flags);
	/* Kernel memory is read as ever. */
	self->prog.nr = 1;
	add(&self->prog, LOAD(OUT, 0, 1, 0), STRING(0, 7, 8));
	run(self->at);
	EXPECT_EQ('k', WORD(0));
	EXPECT_TEXT(1, 0, "text", 8);
	EXPECT_EQ(0, self->rec.flags);
	munmap(below, page);
	munmap(hole, page);
}

TEST_F(program, variables_are_those_of_the_task)
{
	unsigned int cpu;
	struct stat st;

	if (stat("/sys/fs/cgroup/cgroup.controllers", &st))
		SKIP(return, "no cgroups of version 2");
	ASSERT_EQ(0, mkdir("/sys/fs/cgroup/outer", 0700));
	ASSERT_EQ(0, mkdir("/sys/fs/cgroup/outer/inner", 0700));
	ASSERT_EQ(0, test_write_file("/sys/fs/cgroup/outer/inner/cgroup.procs", "0"));
	add(&self->prog, VAR(OUT, TAP_VAR_TGID, 0), VAR(OUT, TAP_VAR_TID, 0),
	    VAR(OUT, TAP_VAR_CPU, 0), VAR(OUT, TAP_VAR_UID, 0),
	    VAR(OUT, TAP_VAR_FOLLOWED, 0), VAR(OUT, TAP_VAR_ABSENT, 0),
	    VAR(OUT, TAP_VAR_CGROUP, 0), VAR(OUT, TAP_VAR_CGROUP, 1),
	    VAR(OUT, TAP_VAR_CGROUP, 2), VAR(OUT, TAP_VAR_CGROUP, 3),
	    VAR(OUT, TAP_VAR_CGROUP, 4));
	cpu = sysconf(_SC_NPROCESSORS_ONLN) - 1;
	ASSERT_EQ(0, test_pin(cpu));
	ASSERT_EQ(0, setresuid(4711, 0, 0));
	run(0);
	ASSERT_EQ(0, setresuid(0, 0, 0));
	EXPECT_EQ(getpid(), (pid_t)WORD(0));
	EXPECT_EQ(gettid(), (pid_t)WORD(1));
	EXPECT_EQ(cpu, WORD(2));
	EXPECT_EQ(4711, WORD(3));
	EXPECT_EQ(0, WORD(4));
	EXPECT_EQ(0, WORD(5));
	ASSERT_EQ(0, stat("/sys/fs/cgroup/outer/inner", &st));
	EXPECT_EQ(st.st_ino, WORD(6));
	EXPECT_EQ(st.st_ino, WORD(9));
	ASSERT_EQ(0, stat("/sys/fs/cgroup/outer", &st));
	EXPECT_EQ(st.st_ino, WORD(8));
	ASSERT_EQ(0, stat("/sys/fs/cgroup", &st));
	EXPECT_EQ(st.st_ino, WORD(7));
	EXPECT_EQ(0, WORD(10));
	ASSERT_EQ(0, test_write_file("/sys/fs/cgroup/cgroup.procs", "0"));
	EXPECT_EQ(0, rmdir("/sys/fs/cgroup/outer/inner"));
	EXPECT_EQ(0, rmdir("/sys/fs/cgroup/outer"));
}

TEST_F(program, the_task_and_the_time_are_those_of_the_kernel)
{
	struct timespec before, after;
	__u64 ns;

	add(&self->prog, VAR(OUT, TAP_VAR_TASK, 0), VAR(OUT, TAP_VAR_TIME, 0),
	    VAR(0, TAP_VAR_TASK, 0), OP(TAP_OP_LOAD, OUT, 0, 8, 0, 0),
	    VAR(OUT, TAP_VAR_TIME, 0), VAR(OUT, TAP_VAR_ABSENT, 0));
	clock_gettime(CLOCK_MONOTONIC, &before);
	run(0);
	clock_gettime(CLOCK_MONOTONIC, &after);
	EXPECT_EQ(1, WORD(0) >> 63);
	EXPECT_EQ(0, WORD(4));
	ns = before.tv_sec * 1000000000ULL + before.tv_nsec;
	EXPECT_LE(ns, WORD(1));
	EXPECT_LE(WORD(1), WORD(3));
	ns = after.tv_sec * 1000000000ULL + after.tv_nsec;
	EXPECT_GE(ns, WORD(3));
}

TEST_F(program, bytes_are_swapped_and_bits_numbered)
{
	static const struct {
		__u8 size;
		__u64 value;
	} swaps[] = {
		{ 1, 0xf8 }, { 2, 0xf8e7 }, { 4, 0xf8e7d6c5 }, { 8, 0xf8e7d6c5b4a392f1 },
		{ 2 | SIGNED, 0xfffffffffffff8e7 }, { 4 | SIGNED, 0xfffffffff8e7d6c5 },
	};
	static const __u64 logs[][2] = {
		{ 0, 0 }, { 1, 0 }, { 2, 1 }, { 3, 1 }, { 4, 2 }, { 0x80000000, 31 },
		{ -1ULL, 63 }, { 1ULL << 62, 62 },
	};
	unsigned int i, n = ARRAY_SIZE(swaps);

	add(&self->prog, IMM(1, 0xf192a3b4c5d6e7f8));
	for (i = 0; i < n; i++)
		add(&self->prog, OP(TAP_OP_SWAP, OUT, 1, swaps[i].size, 0, 0));
	for (i = 0; i < ARRAY_SIZE(logs); i++)
		add(&self->prog, IMM(2, logs[i][0]), OP(TAP_OP_LOG2, OUT, 2, 8, 0, 0));
	run(0);
	for (i = 0; i < n; i++)
		EXPECT_EQ(swaps[i].value, WORD(i)) TH_LOG("value %u", i);
	for (i = 0; i < ARRAY_SIZE(logs); i++)
		EXPECT_EQ(logs[i][1], WORD(n + i)) TH_LOG("value %u", i);
}

TEST_F(program, the_length_of_text_ends_at_its_0)
{
	static const struct {
		int at;
		unsigned int most;
		__u64 length;
	} rows[] = {
		/* The third goes on over the end of a page. */
		{ 0, 8, 4 }, { 4, 8, 0 }, { 3900, 320, 300 }, { 3900, 299, 299 },
		{ 3900, 1, 1 },
	};
	unsigned int i, n = ARRAY_SIZE(rows);
	__u8 code;

	strcpy((char *)self->area, "four");
	memset(self->area + 3900, 'x', 300);
	test_area();
	for (code = TAP_OP_LENGTH; code <= TAP_OP_LENGTH_USER; code++) {
		self->prog.nr = 0;
		add(&self->prog, variant->kind->fetch);
		if (code == TAP_OP_LENGTH_USER)
			add(&self->prog, IMM(0, (__u64)(uintptr_t)self->area));
		for (i = 0; i < n; i++)
			add(&self->prog, OP(code, 1, 0, 0, rows[i].at, rows[i].most), MOVE(OUT, 1));
		/* What cannot be read has no length. */
		add(&self->prog, IMM(2, 0), OP(code, 1, 2, 0, 8, 64), MOVE(OUT, 1),
		    MOVE(OUT, 1), VAR(OUT, TAP_VAR_ABSENT, 0));
		run(self->at);
		for (i = 0; i < n; i++)
			EXPECT_EQ(rows[i].length, WORD(i)) TH_LOG("code %u, length %u", code, i);
		EXPECT_EQ(0, WORD(n));
		EXPECT_EQ(BIT(n), WORD(n + 2));
	}
}

TEST_F(program, outputs_lie_one_behind_the_other_across_slots)
{
	unsigned int i;

	for (i = 0; i < TAP_MAX_OUTPUTS; i++)
		add(&self->prog, IMM(OUT, 0x1000 + i));
	run(0);
	EXPECT_EQ(1 + (TAP_MAX_OUTPUTS + variant->kind->first - 4 + 6) / 7,
		  self->rec.slots);
	for (i = 0; i < TAP_MAX_OUTPUTS; i++)
		EXPECT_EQ(0x1000 + i, WORD(i));
	EXPECT_EQ(0, WORD(i));
}

/* 255 slots; each kind of output may start in the last one. */
/* A record of 255 slots would take more instructions than a program may. */
TEST_F(program, a_record_of_many_slots_is_recorded)
{
	unsigned int i;

	for (i = 0; i < sizeof(self->area); i++)
		self->area[i] = 'a' + i % 26;
	test_area();
	add_room(self->at);
	add(&self->prog, STRING(0, 0, 800), BYTES(0, 1, 4000), IMM(OUT, 77));
	run(self->at);
	EXPECT_EQ(1 + (101 + 500 + 1 + variant->kind->first - 4 + 6) / 7, self->rec.slots);
	EXPECT_EQ(800 | TAP_TEXT_TRUNCATED, WORD(0));
	EXPECT_EQ(0, memcmp(self->area, &WORD(1), 800));
	EXPECT_EQ(0, memcmp(self->area + 1, &WORD(101), 4000));
	EXPECT_EQ(77, WORD(601));
}

TEST_F(program, a_long_text_is_recorded)
{
	unsigned int i;

	for (i = 0; i < sizeof(self->area); i++)
		self->area[i] = 'a' + i % 26;
	test_area();
	add_room(self->at);
	add(&self->prog, STRING(0, 3, 4096), IMM(OUT, 77));
	run(self->at);
	EXPECT_EQ(4096 | TAP_TEXT_TRUNCATED, WORD(0));
	EXPECT_EQ(0, memcmp(self->area + 3, &WORD(1), 4096));
	EXPECT_EQ(77, WORD(513));
}

TEST_F(program, what_only_counts_is_tested_all_the_same)
{
	const struct value_kind *kind = variant->kind;
	__u64 i;
	__u32 id;

	add(&self->prog, LOAD(1, 0, 8, 0), OP_REJECT_IF(TAP_OP_JNE, 1, 0),
	    OP_COMM, STRING(0, 0, 100));
	test_area();
	ASSERT_EQ(0, _test_program_create(self->s.fd, &id, kind->type,
					  TAP_CREATE_F_COUNT, kind->target,
					  &self->prog));
	test_ioctl_enable(id);
	for (i = 0; i < 10; i++)
		ASSERT_EQ(0, _test_hit(self->target, kind->function,
				       i % 3 ? self->at : 0));
	test_ioctl_disable(id);
	self->c = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(10, self->c.hits);
	EXPECT_EQ(6, self->c.aggregated);
	EXPECT_EQ(4, self->c.lost_fault);
	EXPECT_FALSE(test_session_next(&self->s, &self->rec));
}

TEST_HARNESS_MAIN

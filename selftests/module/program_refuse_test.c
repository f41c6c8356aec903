// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of malformed programs: each has one error, on a probe that would be created otherwise.
 * Each is refused and leaves nothing behind.
 */
#include "selftests/module/program_harness.h"

#include "selftests/module/program_model.h"

FIXTURE(program)
{
	struct test_session s;
	struct test_program prog;
	unsigned int made;
};

FIXTURE_SETUP(program)
{
	self->s.fd = -1;
	test_need_root();
	test_need_target();
	test_session_open(_metadata, &self->s, 65536);
	self->prog.nr = 0;
	self->prog.data_len = 0;
	self->made = 0;
}

/* A refused program must leave no probe, and must not take an id. */
FIXTURE_TEARDOWN(program)
{
	__u32 id = 0;

	if (self->s.fd >= 0) {
		EXPECT_EQ(0, _test_ioctl_create(self->s.fd, &id, TAP_PROBE_RAWTP,
						"sched_switch", NULL, 0));
		EXPECT_EQ(self->made + 1, id);
	}
	test_session_close(&self->s);
}

static const char *target_of(__u32 type)
{
	return type == TAP_PROBE_RAWTP ? "tap_target_event" : "tap_target_values";
}

/* All ops of all types of probes: a valid one of each. */
static const struct good {
	__u32 type;
	unsigned int nr;
	struct tap_op ops[3];
} good[] = {
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_ARG, 1, 0, 4, 5, 0) } },
	{ TAP_PROBE_KPROBE, 1, { OP(TAP_OP_REG, 1, 0, 4, 8, 0) } },
	{ TAP_PROBE_KRETPROBE, 1, { OP(TAP_OP_RETVAL, 1, 0, 4, 0, 0) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_VAR, 1, 0, 8, TAP_VAR_TGID, 0) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_IMM, 1, 0, 8, 0, 1) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_MOVE, 1, 2, 4, 0, 0) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_SWAP, 1, 2, 4, 0, 0) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_LOG2, 1, 2, 8, 0, 0) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_LENGTH, 1, 2, 0, 4, 8) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_LENGTH_USER, 1, 2, 0, 4, 8) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_VAR, 1, 0, 8, TAP_VAR_TASK, 0) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_VAR, 1, 0, 8, TAP_VAR_TIME, 0) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_LOAD, 1, 2, 4, 4, 0) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_LOAD_USER, 1, 2, 4, 4, 0) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_ADD, 1, 2, 8, 0, 0) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_SUB, 1, IMM_SRC, 8, 0, 9) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_MUL, 1, 2, 8, 0, 0) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_DIV, 1, IMM_SRC, 8 | SIGNED, 0, 9) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_MOD, 1, 2, 8, 0, 0) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_AND, 1, 2, 8, 0, 0) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_OR, 1, 2, 8, 0, 0) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_XOR, 1, 2, 8, 0, 0) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_SHL, 1, 2, 8, 0, 0) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_SHR, 1, 2, 8 | SIGNED, 0, 0) } },
	{ TAP_PROBE_RAWTP, 2, { OP(TAP_OP_JUMP, 0, 0, 0, 1, 0), IMM(1, 1) } },
	{ TAP_PROBE_RAWTP, 2, { OP(TAP_OP_JEQ, 1, 2, 8, 1, 0), IMM(1, 1) } },
	{ TAP_PROBE_RAWTP, 2, { OP(TAP_OP_JNE, 1, IMM_SRC, 8, 1, 9), IMM(1, 1) } },
	{ TAP_PROBE_RAWTP, 2, { OP(TAP_OP_JLT, 1, 2, 8, 1, 0), IMM(1, 1) } },
	{ TAP_PROBE_RAWTP, 2, { OP(TAP_OP_JLE, 1, 2, 8, 1, 0), IMM(1, 1) } },
	{ TAP_PROBE_RAWTP, 2, { OP(TAP_OP_JGT, 1, 2, 8, 1, 0), IMM(1, 1) } },
	{ TAP_PROBE_RAWTP, 2, { OP(TAP_OP_JGE, 1, 2, 8, 1, 0), IMM(1, 1) } },
	{ TAP_PROBE_RAWTP, 2, { OP(TAP_OP_JSET, 1, 2, 8, 1, 0), IMM(1, 1) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_MATCH, 1, 2, 0, 4, 3 << 16) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_MATCH_USER, 1, 2, TAP_OP_GLOB, 4, 3 << 16) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_MATCH_COMM, 1, 0, TAP_OP_GLOB, 0, 3 << 16) } },
	{ TAP_PROBE_RAWTP, 1, { OP_COMM } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_STRING, OUT, 2, 0, 4, 8) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_STRING_USER, OUT, 2, 0, 4, 8) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_BYTES, OUT, 2, 0, 4, 8) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_BYTES_USER, OUT, 2, 0, 4, 8) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_JOIN, OUT, 2, 0, 4, 8 | 3 << 16) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_JOIN_USER, OUT, 2, 0, 4, 8 | 3 << 16) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_PATH, OUT, 2, 0, 4, 8 | 3 << 16) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_DENTRY, OUT, 2, 0, 4, 8 | 3 << 16) } },
	{ TAP_PROBE_RAWTP, 1, { OP(TAP_OP_USTACK_COPY, OUT, 0, 0, 0, 4096) } },
	{ TAP_PROBE_CALL, 1, { RETURN } },
	{ TAP_PROBE_CALL, 3, { OP_ARG(1), RETURN, OP(TAP_OP_WORD, 1, 0, 4, 2, 0) } },
};

static int create_good(int fd, const struct good *g, const struct tap_op *ops,
		       const char *target)
{
	struct test_program prog = { .nr = g->nr, .data_len = 8, .data = "patterns" };

	memcpy(prog.ops, ops, g->nr * sizeof(*ops));
	return _test_program_create(fd, NULL, g->type, 0, target, &prog);
}

/* If these were not accepted, the tests below would show nothing. */
TEST_F(program, of_each_step_is_accepted_if_it_is_good)
{
	unsigned int i;

	test_need_raw_tracepoints();
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		ASSERT_EQ(0, create_good(self->s.fd, &good[i], good[i].ops,
					 target_of(good[i].type)))
			TH_LOG("row %u: %s", i, strerror(errno));
		self->made++;
	}
}

static void set_member(struct tap_op *op, unsigned int member, __u64 value)
{
	switch (member) {
	case 0:
		op->code = value;
		break;
	case 1:
		op->dst = value;
		break;
	case 2:
		op->src = value;
		break;
	case 3:
		op->size = value;
		break;
	case 4:
		op->off = value;
		break;
	default:
		op->imm = value;
	}
}

/*
 * Each member of each op with each of these values: refused where model_check() refuses,
 * accepted where it accepts. The target does not exist: the kernel looks for it only after it
 * has accepted the program.
 */
TEST_F(program, of_each_step_is_refused_if_a_member_of_it_is_not)
{
	static const __u64 values[] = {
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 20, 32, 64, 72, 80, 81, 88,
		127, 128, 129, 130, 132, 136, 192, 200, 254, 255, 256, 1000, 4096,
		4097, 0x7fff, 0x8000, 0xffff, 0x10000, 0x60002, 0x60003, 0x80000,
		0x90000, 0x30000, 0xff0000, 0x1000000, 0x7fffffff, 0x80000000,
		0xffffffff, 0x100030000, 0x7fffffffffffffff, 1ULL << 63, -8ULL, -2ULL,
		-1ULL,
	};
	unsigned int i, step, member, v, words, refused = 0;
	struct model_program prog;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		for (step = 0; step < good[i].nr; step++) {
			for (member = 0; member < 6; member++) {
				for (v = 0; v < ARRAY_SIZE(values); v++) {
					prog.type = good[i].type;
					prog.stacks = false;
					prog.nr_ops = good[i].nr;
					prog.data_len = 8;
					memcpy(prog.ops, good[i].ops, sizeof(good[i].ops));
					set_member(&prog.ops[step], member, values[v]);
					ASSERT_EQ(-1, create_good(self->s.fd, &good[i],
								  prog.ops,
								  "tap_target_nowhere"));
					switch (model_check(&prog, &words)) {
					case MODEL_ACCEPT:
						EXPECT_EQ(ENOENT, errno)
							TH_LOG("row %u, member %u of op %u, value %#llx",
							       i, member, step, values[v]);
						break;
					case MODEL_REFUSE:
						EXPECT_TRUE(errno == EINVAL || errno == EOPNOTSUPP)
							TH_LOG("row %u, member %u of op %u, value %#llx: %s",
							       i, member, step, values[v],
							       strerror(errno));
						refused++;
						break;
					default:
						break;
					}
				}
			}
		}
	}
	EXPECT_LT(8000, refused);
}

/* Each op is valid, but the program is not. */
TEST_F(program, is_refused_if_its_steps_do_not_go_together)
{
	static const struct {
		const char *what;
		__u32 type;
		unsigned int nr;
		struct tap_op ops[6];
	} rows[] = {
		{ "a test behind an output", TAP_PROBE_RAWTP, 2,
		  { OP_ARG(0), OP_REJECT_IF(TAP_OP_JEQ, 0, 0) } },
		{ "a test behind an output of text", TAP_PROBE_RAWTP, 3,
		  { OP(TAP_OP_STRING, OUT, 0, 0, 0, 8), IMM(1, 1),
		    OP(TAP_OP_JUMP, 0, 0, 0, REJECT, 0) } },
		{ "a jump over an output", TAP_PROBE_RAWTP, 3,
		  { OP(TAP_OP_JEQ, 0, 1, 8, 1, 0), OP_ARG(0), IMM(1, 1) } },
		{ "a jump over an output among others", TAP_PROBE_RAWTP, 5,
		  { OP(TAP_OP_JEQ, 0, 1, 8, 3, 0), IMM(2, 1), OP_COMM, IMM(1, 1),
		    IMM(1, 1) } },
		{ "a jump over an output to the end", TAP_PROBE_RAWTP, 2,
		  { OP(TAP_OP_JUMP, 0, 0, 0, 1, 0), OP_ARG(0) } },
		{ "a jump beyond the end", TAP_PROBE_RAWTP, 2,
		  { OP(TAP_OP_JUMP, 0, 0, 0, 2, 0), IMM(1, 1) } },
		{ "a jump of the last step", TAP_PROBE_RAWTP, 1,
		  { OP(TAP_OP_JUMP, 0, 0, 0, 1, 0) } },
		{ "a jump to itself", TAP_PROBE_RAWTP, 2,
		  { IMM(1, 1), OP(TAP_OP_JUMP, 0, 0, 0, 0, 0) } },
		{ "a jump back", TAP_PROBE_RAWTP, 3,
		  { IMM(1, 1), IMM(1, 1), OP(TAP_OP_JUMP, 0, 0, 0, -2, 0) } },
		{ "a jump past the return", TAP_PROBE_CALL, 3,
		  { OP(TAP_OP_JUMP, 0, 0, 0, 1, 0), RETURN, IMM(1, 1) } },
		{ "two returns", TAP_PROBE_CALL, 3, { RETURN, IMM(1, 1), RETURN } },
		{ "a return of a kprobe", TAP_PROBE_KPROBE, 1, { RETURN } },
		{ "a return of a kretprobe", TAP_PROBE_KRETPROBE, 1, { RETURN } },
		{ "a return of a tracepoint", TAP_PROBE_RAWTP, 1, { RETURN } },
		{ "a result at the entry", TAP_PROBE_CALL, 1, { OP_RETVAL } },
		{ "an argument at the return", TAP_PROBE_CALL, 2, { RETURN, OP_ARG(0) } },
		{ "a register at the return", TAP_PROBE_CALL, 2, { RETURN, OP_REG(0) } },
		{ "a duration at the entry", TAP_PROBE_CALL, 1,
		  { VAR(OUT, TAP_VAR_DURATION, 0) } },
		{ "a duration of a tracepoint", TAP_PROBE_RAWTP, 1,
		  { VAR(OUT, TAP_VAR_DURATION, 0) } },
		{ "a flag of a call at its entry", TAP_PROBE_CALL, 1,
		  { VAR(OUT, TAP_VAR_FLAGS, TAP_F_DESCHEDULED) } },
		{ "no flag", TAP_PROBE_RAWTP, 1, { VAR(OUT, TAP_VAR_FLAGS, 0) } },
		{ "a flag that no program knows", TAP_PROBE_RAWTP, 1,
		  { VAR(OUT, TAP_VAR_FLAGS, TAP_F_TRUNCATED) } },
		{ "a number of a system call", TAP_PROBE_KPROBE, 1,
		  { VAR(OUT, TAP_VAR_SYSCALL, 0) } },
		{ "a word at the entry", TAP_PROBE_CALL, 2,
		  { OP_ARG(0), OP(TAP_OP_WORD, 1, 0, 8, 2, 0) } },
		{ "a word before the entry's", TAP_PROBE_CALL, 3,
		  { OP_ARG(0), RETURN, OP(TAP_OP_WORD, 1, 0, 8, 1, 0) } },
		{ "a word behind the entry's", TAP_PROBE_CALL, 4,
		  { OP_ARG(0), RETURN, OP_RETVAL, OP(TAP_OP_WORD, 1, 0, 8, 3, 0) } },
		{ "a test behind an output of the return", TAP_PROBE_CALL, 3,
		  { RETURN, OP_RETVAL, OP_REJECT_IF(TAP_OP_JEQ, 0, 0) } },
		{ "a field of a kprobe", TAP_PROBE_KPROBE, 1,
		  { OP(TAP_OP_FIELD, OUT, 0, 8, 8, 0) } },
		{ "bytes of a field of a tracepoint", TAP_PROBE_RAWTP, 1,
		  { OP(TAP_OP_FIELD_BYTES, OUT, 0, 0, 8, 8) } },
		{ "text of a field of a call", TAP_PROBE_CALL, 1,
		  { OP(TAP_OP_FIELD_STRING, OUT, 0, 0, 8, 8) } },
		{ "data of a field of a call", TAP_PROBE_CALL, 1,
		  { OP(TAP_OP_DATA_LOC, OUT, 0, 0, 8, 8) } },
		{ "a match of a field", TAP_PROBE_KRETPROBE, 1,
		  { OP(TAP_OP_MATCH_FIELD, 1, 0, 0, 8, 8ULL << 32 | 1 << 16) } },
	};
	struct test_program prog = { .data_len = 8 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		prog.nr = rows[i].nr;
		memcpy(prog.ops, rows[i].ops, sizeof(rows[i].ops));
		EXPECT_EQ(-1, _test_program_create(self->s.fd, NULL, rows[i].type, 0,
						   target_of(rows[i].type), &prog))
			TH_LOG("row %u is accepted", i);
		EXPECT_TRUE(errno == EINVAL || errno == EOPNOTSUPP)
			TH_LOG("row %u: %s", i, strerror(errno));
	}
}

#define create_prog(type)						\
	_test_program_create(self->s.fd, NULL, type, 0, target_of(type), &self->prog)

TEST_F(program, has_so_many_outputs_and_no_more)
{
	unsigned int i;

	test_need_raw_tracepoints();
	for (i = 0; i < TAP_MAX_OUTPUTS; i++)
		add(&self->prog, IMM(OUT, i));
	ASSERT_EQ(0, create_prog(TAP_PROBE_RAWTP));
	self->made++;
	add(&self->prog, IMM(OUT, i));
	EXPECT_ERRNO(EINVAL, create_prog(TAP_PROBE_RAWTP));
	/* The ops before and after TAP_OP_RETURN are counted together. */
	self->prog.ops[i] = (struct tap_op)RETURN;
	ASSERT_EQ(0, create_prog(TAP_PROBE_CALL));
	self->made++;
	add(&self->prog, OP_RETVAL);
	EXPECT_ERRNO(EINVAL, create_prog(TAP_PROBE_CALL));
}

/*
 * The kernel looks at the length of the record first. A program that fills the longest record
 * takes more instructions than allowed, so EFBIG is the sign that its length is accepted.
 */
TEST_F(program, has_so_many_slots_and_no_more)
{
	unsigned int words = TEST_MAX_WORDS, left;

	add(&self->prog, STRING(0, 0, 4096), BYTES(0, 0, 4096), BYTES(0, 0, 4096));
	left = words - 513 - 2 * 512;
	add(&self->prog, BYTES(0, 0, 8 * left - 7));
	EXPECT_ERRNO(EFBIG, create_prog(TAP_PROBE_RAWTP));
	self->prog.ops[3] = (struct tap_op)BYTES(0, 0, 8 * left + 1);
	EXPECT_ERRNO(EINVAL, create_prog(TAP_PROBE_RAWTP));
	self->prog.ops[3] = (struct tap_op)STRING(0, 0, 8 * left);
	EXPECT_ERRNO(EINVAL, create_prog(TAP_PROBE_RAWTP));
	self->prog.ops[3] = (struct tap_op)BYTES(0, 0, 8 * left - 8);
	add(&self->prog, IMM(OUT, 1));
	EXPECT_ERRNO(EFBIG, create_prog(TAP_PROBE_RAWTP));
	add(&self->prog, IMM(OUT, 1));
	EXPECT_ERRNO(EINVAL, create_prog(TAP_PROBE_RAWTP));
	/* Two words of a call's record are taken. */
	self->prog.nr = 0;
	add(&self->prog, RETURN, STRING(0, 0, 4096), BYTES(0, 0, 4096),
	    BYTES(0, 0, 4096), BYTES(0, 0, 8 * (left - 2)));
	EXPECT_ERRNO(EFBIG, create_prog(TAP_PROBE_CALL));
	self->prog.ops[4].imm++;
	EXPECT_ERRNO(EINVAL, create_prog(TAP_PROBE_CALL));
}

TEST_F(program, has_patterns_that_lie_in_its_data)
{
	struct tap_create create;

	test_need_raw_tracepoints();
	/* The last byte of the patterns. */
	self->prog.data_len = TAP_MAX_DATA;
	add(&self->prog, OP(TAP_OP_MATCH, 1, 0, 0, 0,
			    (TAP_MAX_DATA - 255) | 255ULL << 16));
	ASSERT_EQ(0, create_prog(TAP_PROBE_RAWTP));
	self->made++;
	self->prog.ops[0].imm++;
	EXPECT_ERRNO(EINVAL, create_prog(TAP_PROBE_RAWTP));
	self->prog.ops[0].imm = 0xffff | 1 << 16;
	EXPECT_ERRNO(EINVAL, create_prog(TAP_PROBE_RAWTP));
	self->prog.ops[0].imm = 256 << 16;
	EXPECT_ERRNO(EINVAL, create_prog(TAP_PROBE_RAWTP));
	self->prog.ops[0].imm = 1 << 16;
	self->prog.data_len = 0;
	EXPECT_ERRNO(EINVAL, create_prog(TAP_PROBE_RAWTP));
	self->prog.data_len = TAP_MAX_DATA + 1;
	EXPECT_ERRNO(EINVAL, create_prog(TAP_PROBE_RAWTP));
	self->prog.data_len = -1;
	EXPECT_ERRNO(EINVAL, create_prog(TAP_PROBE_RAWTP));

	create = test_create_arg(TAP_PROBE_RAWTP, "tap_target_event", self->prog.ops, 1);
	create.data_len = 1;
	EXPECT_ERRNO(EFAULT, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	create.data = -16ULL;
	EXPECT_ERRNO(EFAULT, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
}

/*
 * Each program takes more instructions than allowed, if the last op is repeated once more than
 * is accepted.
 */
TEST_F(program, takes_so_many_instructions_and_no_more)
{
	static const struct {
		const char *what;
		unsigned int nr, accepted;
		struct tap_op op;
	} rows[] = {
		{ "globs", 256, 2, OP(TAP_OP_MATCH_USER, 1, 0, TAP_OP_GLOB, 0, 6 << 16) },
		{ "a glob with overlaps", 2, 0,
		  OP(TAP_OP_MATCH, 1, 0, TAP_OP_GLOB, 0, 6 | 14 << 16) },
		{ "open brackets", 2, 0,
		  OP(TAP_OP_MATCH, 1, 0, TAP_OP_GLOB, 0, 20 | 200 << 16) },
		{ "globs of the name", 64, 20, OP(TAP_OP_MATCH_COMM, 1, 0, TAP_OP_GLOB, 0, 6 << 16) },
		{ "texts", 3, 1, STRING(0, 0, 4096) },
		{ "user texts", 3, 1, OP(TAP_OP_STRING_USER, OUT, 0, 0, 0, 4096) },
		{ "arrays", 3, 1, BYTES(0, 0, 4096) },
		{ "loads", 64, 24, LOAD(1, 0, 8, 0) },
		{ "a chain of loads", 256, 140, LOAD(0, 0, 8, 0) },
		{ "user loads", 64, 14, LOAD_USER(0, 0, 8, 0) },
		{ "stacks", 3, 1, OP(TAP_OP_KSTACK, OUT, 0, 0, 0, 8 * 127) },
		{ "user stacks", 4, 1, OP(TAP_OP_USTACK, OUT, 0, 0, 0, 8 * 127) },
		{ "copies of stacks", 3, 1, OP(TAP_OP_USTACK_COPY, OUT, 0, 0, 0, 4096) },
		{ "joined texts", 3, 1, OP(TAP_OP_JOIN, OUT, 0, 0, 0, 256 | 16 << 16) },
		{ "joined user texts", 2, 1, OP(TAP_OP_JOIN_USER, OUT, 0, 0, 0, 256 | 16 << 16) },
		{ "paths", 2, 1, OP(TAP_OP_PATH, OUT, 0, 0, 0, 512 | 32 << 16) },
		{ "paths of dentries", 2, 1, OP(TAP_OP_DENTRY, OUT, 0, 0, 0, 512 | 32 << 16) },
		{ "arithmetic", 256, 150, OP(TAP_OP_SHR, 1, 2, 8 | SIGNED, 0, 0) },
	};
	unsigned int i, n;

	test_need_raw_tracepoints();
	/* What the rows refer to by place and length. */
	memcpy(self->prog.data, "*word**aaaaaaaaaaab*", 20);
	memset(self->prog.data + 20, '[', 200);
	self->prog.data_len = 220;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		self->prog.nr = 0;
		for (n = 0; n < rows[i].nr; n++)
			test_program_add(&self->prog, &rows[i].op, 1);
		EXPECT_EQ(-1, create_prog(TAP_PROBE_RAWTP))
			TH_LOG("%u %s are accepted", self->prog.nr, rows[i].what);
		EXPECT_EQ(EFBIG, errno)
			TH_LOG("%u %s", self->prog.nr, rows[i].what);
		self->prog.nr = rows[i].accepted;
		EXPECT_EQ(0, create_prog(TAP_PROBE_RAWTP))
			TH_LOG("%u %s: %s", self->prog.nr, rows[i].what, strerror(errno));
		self->made++;
	}
	/* Entry and return of a call are bounded each by itself; the return copies the entry's. */
	self->prog.nr = 0;
	add(&self->prog, BYTES(0, 0, 4000), RETURN, BYTES(0, 0, 4000));
	EXPECT_EQ(0, create_prog(TAP_PROBE_CALL));
	self->made++;
	add(&self->prog, BYTES(0, 0, 1600));
	EXPECT_ERRNO(EFBIG, create_prog(TAP_PROBE_CALL));
}

TEST_F(program, is_read_back_as_it_was_given)
{
	struct tap_op ops[TAP_MAX_OPS];
	struct tap_probe_info info;
	unsigned int i;

	test_need_raw_tracepoints();
	for (i = 0; i < TAP_MAX_OPS / 4; i++)
		add(&self->prog, OP(TAP_OP_ARG, i % 8, 0, 8, i % 6, 0), OP(TAP_OP_ADD, 1, IMM_SRC, 8, 0, i),
		    OP(TAP_OP_JLT, 1, 2, 8 | SIGNED, 1, 0), IMM(OUT, i));
	/* These jumps would skip outputs. */
	EXPECT_ERRNO(EINVAL, create_prog(TAP_PROBE_RAWTP));
	for (i = 2; i < TAP_MAX_OPS; i += 4)
		self->prog.ops[i] = (struct tap_op)OP(TAP_OP_ARG, i % 8, 0, 4 | SIGNED, i % 6, 0);
	ASSERT_EQ(0, create_prog(TAP_PROBE_RAWTP));
	self->made++;
	test_ioctl_probe_info(self->made, ops, TAP_MAX_OPS, &info);
	EXPECT_EQ(TAP_MAX_OPS, info.out_nr_ops);
	EXPECT_EQ(TAP_MAX_OPS / 4, info.out_words);
	EXPECT_EQ(0, memcmp(self->prog.ops, ops, sizeof(ops)));
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0
/*
 * Random programs, values and memory, for program_fuzz.
 */
#include "selftests/module/tap_session.h"

#include "selftests/module/fuzz/program_generate.h"
#include "selftests/module/fuzz/random.h"

/* Values and memory of events. */

unsigned char kernel_memory[TAP_TARGET_AREA];
struct model_hit program_hit = {
	.kernel = kernel_memory,
	.kernel_len = sizeof(kernel_memory),
	.user_len = USER_BYTES,
	.comm = "program_fuzz",
};

unsigned char *user_memory;

__u64 random_address(void)
{
	static const __u64 wild[] = {
		0, 1, 4095, 0x400000, 0x7ffffffff000, 0x7fffffffffff,
		0x800000000000, 0x0100000000000000, 0x00ffffffffffffff,
		0x7fffffffffffffff, 0x8000000000000000, 0xdead000000000100,
		0xff7fffffffffffff, 0xfffffffffffff000, 0xffffffffffffffff,
	};
	unsigned int kind = below(10);

	if (kind < 3)
		return program_hit.kernel_at + below(TAP_TARGET_AREA);
	if (kind < 4)
		return program_hit.kernel_at + TAP_TARGET_AREA - 1 - below(24);
	if (kind < 6)
		return (uintptr_t)user_memory + below(USER_BYTES);
	if (kind < 7)
		return (uintptr_t)user_memory + USER_BYTES - 1 - below(24);
	if (kind < 9)
		return pick(wild) + below(16);
	return next() >> 8;
}

__u64 random_number(void)
{
	static const __u64 edges[] = {
		0, 1, 2, 7, 8, 63, 64, 65, 127, 128, 255, 256, 0x7fff, 0x8000,
		0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
		0x7fffffffffffffff, 0x8000000000000000, -1ULL, -2ULL, -64ULL,
	};

	return chance(50) ? pick(edges) : chance(50) ? below(1000) :
	       chance(50) ? random_address() : next();
}

/* Text in which matches, string ends and long runs occur. */
static void fill_text(unsigned char *to, unsigned int len)
{
	unsigned int i, run = 0;

	for (i = 0; i < len; i++) {
		if (!run--) {
			run = below(chance(90) ? 40 : 6000);
			to[i] = 0;
			continue;
		}
		to[i] = "aabbbc"[below(6)];
	}
}

void make_memory(void)
{
	unsigned int i;

	fill_text(kernel_memory, sizeof(kernel_memory));
	for (i = 0; i < sizeof(kernel_memory) / 16; i += 16) {
		__u64 word = chance(60) ? random_address() : random_number();

		memcpy(kernel_memory + 8 * i, &word, sizeof(word));
	}
	fill_text(user_memory, USER_BYTES);
}

/*
 * Programs.
 */

static const __u8 codes[] = {
	TAP_OP_ARG, TAP_OP_REG, TAP_OP_RETVAL, TAP_OP_VAR, TAP_OP_IMM,
	TAP_OP_MOVE, TAP_OP_WORD, TAP_OP_LOAD, TAP_OP_LOAD_USER, TAP_OP_SWAP, TAP_OP_LOG2,
	TAP_OP_ADD, TAP_OP_SUB, TAP_OP_MUL, TAP_OP_DIV, TAP_OP_MOD, TAP_OP_AND,
	TAP_OP_OR, TAP_OP_XOR, TAP_OP_SHL, TAP_OP_SHR,
	TAP_OP_JUMP, TAP_OP_JEQ, TAP_OP_JNE, TAP_OP_JLT, TAP_OP_JLE, TAP_OP_JGT,
	TAP_OP_JGE, TAP_OP_JSET,
	TAP_OP_MATCH, TAP_OP_MATCH_USER, TAP_OP_MATCH_COMM, TAP_OP_COMM,
	TAP_OP_LENGTH, TAP_OP_LENGTH_USER,
	TAP_OP_STRING, TAP_OP_STRING_USER, TAP_OP_BYTES, TAP_OP_BYTES_USER,
	TAP_OP_KSTACK, TAP_OP_USTACK, TAP_OP_JOIN, TAP_OP_JOIN_USER,
	TAP_OP_PATH, TAP_OP_DENTRY, TAP_OP_USTACK_COPY,
};

/* Ops that other probe types have. */
static const __u8 foreign[] = {
	TAP_OP_FIELD, TAP_OP_MATCH_FIELD, TAP_OP_MATCH_DATA_LOC,
	TAP_OP_FIELD_BYTES, TAP_OP_FIELD_STRING, TAP_OP_DATA_LOC, TAP_OP_RETURN,
};

static const __u32 types[] = {
	TAP_PROBE_RAWTP, TAP_PROBE_KPROBE, TAP_PROBE_KRETPROBE, TAP_PROBE_CALL,
};

const char *const type_names[] = {
	[TAP_PROBE_KPROBE] = "kprobe", [TAP_PROBE_KRETPROBE] = "kretprobe",
	[TAP_PROBE_CALL] = "call", [TAP_PROBE_RAWTP] = "rawtp",
};

/* Patterns; brackets of globs are complete. */
static void make_data(struct model_program *prog)
{
	static const char *const parts[] = {
		"a", "b", "c", "ab", "?", "*", "[a-c]", "[!a]", "[bc]", "\\a",
		"aa", "bb",
	};
	unsigned int len = 0;

	while (len < 60) {
		const char *part = pick(parts);

		memcpy(prog->data + len, part, strlen(part));
		len += strlen(part);
	}
	memset(prog->data + len, 'a', sizeof(prog->data) - len);
	prog->data_len = len + (chance(5) ? below(TAP_MAX_DATA - len + 1) : 0);
}

/* uapi/linux/tap_program.h does not define globs with an unclosed bracket or a final backslash. */
static bool odd_glob(const struct model_program *prog, __u64 imm)
{
	const unsigned char *at = prog->data + (imm & 0xffff);
	unsigned int i, len = imm >> 16 & 0xffff;

	for (i = 0; i < len; i++) {
		if (at[i] == '\\' && ++i == len)
			return true;
		if (at[i] != '[')
			continue;
		while (i < len && at[i] != ']')
			i++;
		if (i == len)
			return true;
	}
	/* The pattern starts within a bracket. */
	return memchr(at, ']', len) && !memchr(at, '[', len);
}

static __u64 make_pattern(const struct model_program *prog)
{
	__u64 imm;

	do {
		unsigned int begin = below(40);

		imm = begin | (1 + below(chance(80) ? 6 : 20)) << 16;
	} while (odd_glob(prog, imm));
	return imm;
}

/* A random op, mostly valid, for any place of a program. */
static struct tap_op make_op(const struct model_program *prog, bool output)
{
	static const __u8 sizes[] = { 1, 2, 4, 8, 0x81, 0x82, 0x84 };
	struct tap_op op = { .code = pick(codes) };
	const struct model_form *form;

	do {
		op.code = pick(codes);
		form = &model_forms[op.code];
	} while (output && form->dst != DST_ANY && form->dst != DST_OUT);

	if (form->dst != DST_NONE)
		op.dst = output || form->dst == DST_OUT ? TAP_OP_OUT :
			 below(TAP_NR_REGISTERS);
	if (form->src == SRC_REG)
		op.src = below(TAP_NR_REGISTERS);
	if (form->src == SRC_OPERAND)
		op.src = chance(50) ? TAP_OP_IMM_SRC : below(TAP_NR_REGISTERS);
	switch (form->size) {
	case SIZE_VALUE:
		op.size = pick(sizes);
		break;
	case SIZE_8_SIGNED:
		op.size = 8 | (chance(50) ? TAP_OP_SIGNED : 0);
		break;
	case SIZE_8:
		op.size = 8;
		break;
	case SIZE_GLOB:
		op.size = chance(50) ? TAP_OP_GLOB : 0;
		break;
	case SIZE_STACK:
		op.size = chance(50) ? 8 : 0;
		break;
	}
	switch (form->off) {
	case OFF_ANY:
		op.off = chance(60) ? 0 : (int)below(200) - 100;
		break;
	case OFF_ARG:
		op.off = below(6);
		break;
	case OFF_REG:
		op.off = 8 * below(MODEL_REGS_SIZE / 8);
		break;
	case OFF_VAR:
		op.off = chance(85) ? 1 + (int)below(TAP_VAR_TIME) :
			 chance(30) ? TAP_VAR_ENCLOSED :
			 chance(50) ? TAP_VAR_INSIDE : TAP_VAR_DIVISION;
		break;
	case OFF_WORD:
		op.off = TAP_CALL_FETCHES + below(4);
		break;
	case OFF_JUMP:
		op.off = chance(40) ? TAP_OP_REJECT : 1 + (int)below(3);
		break;
	}
	switch (form->imm) {
	case IMM_ANY:
		op.imm = form->src == SRC_OPERAND && op.src != TAP_OP_IMM_SRC ?
			 0 : random_number();
		break;
	case IMM_VAR:
		if (op.off == TAP_VAR_COMM)
			op.imm = below(2);
		else if (op.off == TAP_VAR_INSIDE)
			op.imm = (1 + below(TAP_MAX_FRAME)) | (chance(30) ? TAP_INSIDE_IRQ : 0) |
				 (chance(50) ? TAP_INSIDE_ANY : TAP_INSIDE_BETWEEN(below(4)));
		else if (op.off == TAP_VAR_DIVISION)
			op.imm = below(TAP_NR_DIVIDED);
		break;
	case IMM_PATTERN:
		op.imm = make_pattern(prog);
		break;
	case IMM_JOIN:
		op.imm = (1 + below(chance(90) ? 64 : TAP_MAX_STRING)) |
			 (1 + below(chance(90) ? 6 : TAP_MAX_JOIN)) << 16;
		break;
	case IMM_PATH:
		op.imm = (1 + below(TAP_MAX_PATH)) | (1 + below(TAP_MAX_NAMES)) << 16;
		break;
	case IMM_FRAMES:
		op.imm = 8 * (1 + below(chance(90) ? 8 : TAP_MAX_STACK));
		break;
	case IMM_COPY:
		op.imm = 8 * (MODEL_REGS_COPIED / 8 + 1 + below(chance(90) ? 64 : 1500));
		break;
	case IMM_LENGTH:
		op.imm = 1 + below(chance(90) ? 64 : TAP_MAX_STRING);
		break;
	}
	return op;
}

static void add_op(struct model_program *prog, struct tap_op op)
{
	if (prog->nr_ops < TAP_MAX_OPS)
		prog->ops[prog->nr_ops++] = op;
}

/* Appends an op if the program remains well-formed. */
static void try_op(struct model_program *prog, struct tap_op op)
{
	unsigned int words;

	if (prog->nr_ops >= TAP_MAX_OPS)
		return;
	/* A jump beyond the end becomes valid with later ops. */
	prog->ops[prog->nr_ops++] = op;
	if (model_is_jump(&op) && op.off != TAP_OP_REJECT)
		return;
	if (model_check(prog, &words) != MODEL_ACCEPT)
		prog->nr_ops--;
}

static void make_part(struct model_program *prog)
{
	unsigned int first = prog->nr_ops, i, nr = below(8);

	/* Loads some registers first. */
	for (i = 0; i < TAP_NR_REGISTERS; i++) {
		if (chance(50))
			continue;
		try_op(prog, chance(50) ? make_op(prog, false) :
		       OP(TAP_OP_IMM, i, 0, 8, 0, chance(70) ? random_address() : random_number()));
		try_op(prog, OP(TAP_OP_ARG, i, 0, 8, below(6), 0));
	}
	while (nr--)
		try_op(prog, make_op(prog, false));
	nr = below(chance(95) ? 7 : 70);
	while (nr--)
		try_op(prog, make_op(prog, chance(80)));
	/* Jumps beyond the end go to the next op. */
	for (i = first; i < prog->nr_ops; i++)
		if (model_is_jump(&prog->ops[i]) &&
		    prog->ops[i].off > (int)(prog->nr_ops - i - 1))
			prog->ops[i].off = TAP_OP_REJECT;
}

/* Fetches a value that the probe type has at this place, to any destination. */
static struct tap_op make_fetch(const struct model_program *prog, bool returned,
				__u8 dst)
{
	static const __u8 vars[] = { TAP_VAR_TGID, TAP_VAR_TID, TAP_VAR_CPU, TAP_VAR_UID };

	if (chance(15))
		return OP(TAP_OP_VAR, dst, 0, 8, pick(vars), 0);
	if (returned || prog->type == TAP_PROBE_KRETPROBE)
		return OP(TAP_OP_RETVAL, dst, 0, chance(70) ? 8 : 4, 0, 0);
	return OP(TAP_OP_ARG, dst, 0, chance(70) ? 8 : 4, below(6), 0);
}

/* As users write them: conditions on fetched values, then more fetches. */
static void make_plain(struct model_program *prog, bool returned)
{
	static const __u8 sizes[] = { 1, 2, 4, 8, 8, 8, 0x81, 0x82, 0x84 };
	static const __u64 steps[] = { 0, 0, 8, 16, 128, 256 };
	unsigned int i, nr = below(4), outputs = below(7);

	for (i = 0; i < nr + outputs; i++) {
		unsigned int levels = below(4), reg = below(2), begin = prog->nr_ops;
		__u8 dst = i < nr ? reg : TAP_OP_OUT;

		add_op(prog, make_fetch(prog, returned, levels ? reg : dst));
		while (levels--)
			add_op(prog, OP(TAP_OP_LOAD, levels ? reg : dst, reg,
					levels ? 8 : pick(sizes), pick(steps), 0));
		if (i < nr)
			add_op(prog, OP(TAP_OP_JEQ + below(7), reg, TAP_OP_IMM_SRC, 8,
					TAP_OP_REJECT, random_number()));
		else if (chance(15))
			prog->nr_ops = begin;
	}
	if (chance(30))
		add_op(prog, OP_COMM);
	if (chance(10))
		add_op(prog, OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_ABSENT, 0));
}

/* A program that is mostly well-formed. */
static void make_good(struct model_program *prog)
{
	static const struct tap_op divide = { .code = TAP_OP_RETURN };

	if (chance(50))
		make_plain(prog, false);
	else
		make_part(prog);
	if (prog->type != TAP_PROBE_CALL || chance(30))
		return;
	add_op(prog, divide);
	if (chance(50))
		make_plain(prog, true);
	else
		make_part(prog);
}

static void mutate(struct model_program *prog)
{
	struct tap_op *op = &prog->ops[below(prog->nr_ops ?: 1)];
	unsigned int at = op - prog->ops;

	switch (below(10)) {
	case 0:
		op->code = chance(50) ? next() : pick(codes);
		break;
	case 1:
		op->dst = chance(50) ? next() : below(10);
		break;
	case 2:
		op->src = chance(50) ? next() : below(10);
		break;
	case 3:
		op->size = chance(50) ? next() : 1U << below(8);
		break;
	case 4:
		op->off = chance(50) ? (int)random_number() : (int)below(16) - 4;
		break;
	case 5:
		op->imm = random_number();
		break;
	case 6:
		((unsigned char *)op)[below(sizeof(*op))] ^= 1U << below(8);
		break;
	case 7:
		/* Removes an op. */
		if (!prog->nr_ops)
			break;
		prog->nr_ops--;
		memmove(op, op + 1, (prog->nr_ops - at) * sizeof(*op));
		break;
	case 8:
		/* Duplicates an op. */
		if (prog->nr_ops > TAP_MAX_OPS)
			break;
		memmove(op + 1, op, (prog->nr_ops - at) * sizeof(*op));
		prog->nr_ops++;
		*op = make_op(prog, chance(50));
		if (chance(20))
			op->code = pick(foreign);
		break;
	default:
		if (chance(90))
			prog->data_len = below(64);
		else
			prog->data_len = TAP_MAX_DATA - 2 + below(6);
	}
}

/* Random members; more than half of them are valid. */
static void make_random(struct model_program *prog)
{
	unsigned int i, j;

	prog->nr_ops = chance(95) ? below(7) : below(TAP_MAX_OPS + 3);
	for (i = 0; i < prog->nr_ops; i++) {
		struct tap_op *op = &prog->ops[i];

		*op = make_op(prog, chance(40));
		if (chance(10))
			op->code = chance(50) ? pick(foreign) : next();
		for (j = chance(20); j; j--)
			((unsigned char *)op)[below(sizeof(*op))] = next();
	}
}

void make_program(struct model_program *prog, __u64 n)
{
	restart(n);
	prog->type = pick(types);
	prog->flags = n % 2 ? TAP_CREATE_F_USER : 0;
	prog->stacks = true;
	prog->tasks = true;
	prog->nr_ops = 0;
	make_data(prog);
	if (chance(50)) {
		make_random(prog);
		return;
	}
	make_good(prog);
	if (chance(70))
		mutate(prog);
}

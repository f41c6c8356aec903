// SPDX-License-Identifier: LGPL-2.1
/*
 * Only moves of numbers, registers and words of the stack have a kind of their own; each other
 * instruction is the set of registers that it changes. For x86-64 the tables are from the opcode maps of the Intel
 * manual (volume 2, appendix A), for arm64 from the index by encoding of the Arm manual (C4.1).
 */
#include <string.h>

#include "util/insn_flow.h"
#include "util/insn_len.h"

#if defined(__x86_64__)

#define RSP	4
#define RBP	5

/**
 * struct x86 - an instruction being decoded
 * @code: behind the prefixes: the opcode
 * @wide: REX.W
 * @narrow: a prefix makes its operands 16 bits wide
 * @rex: the lower bits of REX
 * @reg: register of ModRM.reg
 * @rm: location of ModRM.rm; %TAP_INSN_NOWHERE: memory that is no word of the stack
 * @direct: @rm is a register
 * @behind: behind ModRM, SIB and the displacement
 */
struct x86 {
	const uint8_t *code;
	bool wide;
	bool narrow;
	unsigned int rex;
	unsigned int reg;
	int64_t rm;
	bool direct;
	const uint8_t *behind;
};

static int32_t read_32(const uint8_t *at)
{
	int32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* @at: ModRM. */
static void read_modrm(struct x86 *x, const uint8_t *at)
{
	unsigned int mod = *at >> 6, rm = *at & 7, base = rm | (x->rex & 1) << 3;
	int32_t distance = 0;
	bool sib = mod != 3 && rm == 4;

	x->reg = (*at >> 3 & 7) | (x->rex & 4) << 1;
	x->direct = mod == 3;
	x->behind = at + 1 + sib;
	x->rm = TAP_INSN_NOWHERE;
	if (x->direct) {
		x->rm = base;
		return;
	}
	/* A scaled index is no word of the stack. */
	if (sib)
		base = (at[1] >> 3 & 7) == 4 && !(x->rex & 2) ? (at[1] & 7) | (x->rex & 1) << 3 : 16;
	if (mod == 1) {
		distance = (int8_t)*x->behind++;
	} else if (mod == 2 || (mod == 0 && ((sib ? at[1] & 7 : rm) == 5))) {
		distance = read_32(x->behind);
		x->behind += 4;
		base = mod ? base : 16;
	}
	if (base == RSP || base == RBP)
		x->rm = TAP_INSN_SLOT(base, distance);
}

static uint32_t bit(int64_t location)
{
	return location >= 0 && location < 32 ? 1U << location : 0;
}

static void move(struct tap_insn_flow *insn, int64_t to, int64_t from)
{
	insn->to = to;
	insn->from = from;
	if (to != TAP_INSN_NOWHERE && from != TAP_INSN_NOWHERE)
		insn->kind = TAP_INSN_COPY;
	insn->writes = bit(to);
}

static void set(struct tap_insn_flow *insn, int64_t to, int64_t value)
{
	if (to == TAP_INSN_NOWHERE)
		return;
	insn->kind = TAP_INSN_CONST;
	insn->to = to;
	insn->value = value;
	insn->writes = bit(to);
}

/* @condition: of the opcode; 4: the result was 0, 5: it was not. */
static int zero_of(unsigned int condition)
{
	return condition == 4 ? 1 : condition == 5 ? -1 : 0;
}

static void jump(struct tap_insn_flow *insn, enum tap_insn_kind kind, const uint8_t *start,
		 const uint8_t *operand, bool near)
{
	insn->kind = kind;
	insn->field = (unsigned int)(operand - start);
	insn->target = (near ? read_32(operand) : (int8_t)*operand) + (int64_t)insn->len;
}

/* Opcodes that begin with 0f. */
static void flow_0f(struct x86 *x, struct tap_insn_flow *insn, const uint8_t *start)
{
	uint8_t op = x->code[1];

	read_modrm(x, x->code + 2);
	if (op >= 0x80 && op <= 0x8f) {
		jump(insn, TAP_INSN_BRANCH, start, x->code + 2, true);
		insn->zero = zero_of(op & 15);
	} else if (op >= 0x40 && op <= 0x4f) {
		insn->writes = bit(x->reg);
		if (x->rm == TAP_INSN_NOWHERE)
			return;
		insn->kind = TAP_INSN_SELECT;
		insn->to = x->reg;
		insn->from = x->rm;
		insn->other = x->reg;
	} else if ((op >= 0x90 && op <= 0x9f) || op == 0xa4 || op == 0xa5 || op == 0xac ||
		   op == 0xad || op == 0xb3 || op == 0xab || op == 0xba || op == 0xbb) {
		insn->writes = x->direct ? bit(x->rm) : 0;
	} else if (op == 0xb0 || op == 0xb1) {
		insn->writes = 1 | (x->direct ? bit(x->rm) : 0);
	} else if (op == 0xc0 || op == 0xc1) {
		insn->writes = bit(x->reg) | (x->direct ? bit(x->rm) : 0);
	} else if (op >= 0xc8 && op <= 0xcf) {
		insn->writes = 1U << ((op & 7) | (x->rex & 1) << 3);
	} else if (op == 0xaf || (op >= 0xb6 && op <= 0xb8) || (op >= 0xbc && op <= 0xbf)) {
		insn->writes = bit(x->reg);
	} else if (op == 0x31 || op == 0x32 || op == 0x33) {
		insn->writes = 0x5;
	} else if (op == 0xa2 || op == 0x01) {
		insn->writes = 0xf;
	}
}

/* The eight operations of arithmetic and logic, which have their rows in the map. */
static void flow_alu(struct x86 *x, struct tap_insn_flow *insn)
{
	unsigned int form = x->code[0] & 7;
	bool compare = x->code[0] >> 3 == 7;

	if (form > 3) {
		insn->writes = compare ? 0 : 1;
		return;
	}
	read_modrm(x, x->code + 1);
	/* A register without itself is 0. */
	if ((x->code[0] == 0x31 || x->code[0] == 0x29) && x->direct && x->rm == x->reg)
		set(insn, x->rm, 0);
	else if (!compare)
		insn->writes = form > 1 ? bit(x->reg) : x->direct ? bit(x->rm) : 0;
}

static void flow_group(struct x86 *x, struct tap_insn_flow *insn)
{
	uint8_t op = x->code[0];
	unsigned int which;

	read_modrm(x, x->code + 1);
	which = x->reg & 7;
	switch (op) {
	case 0x83:
		if (which == 1 && *x->behind == 0xff && x->direct) {
			set(insn, x->rm, -1);
			return;
		}
		/* fallthrough */
	case 0x80:
	case 0x81:
		insn->writes = which == 7 || !x->direct ? 0 : bit(x->rm);
		break;
	case 0xf6:
	case 0xf7:
		insn->writes = which < 2 ? 0 : which < 4 ? (x->direct ? bit(x->rm) : 0) : 0x5;
		if (which == 3 && op == 0xf7 && x->direct) {
			insn->kind = TAP_INSN_NEGATE;
			insn->to = x->rm;
			insn->from = x->rm;
		}
		break;
	case 0xff:
		if (which == 2)
			insn->kind = TAP_INSN_CALL;
		else if (which == 4)
			insn->kind = TAP_INSN_LEAVE;
		/* fallthrough */
	case 0xfe:
		insn->writes = which < 2 && x->direct ? bit(x->rm) : 0;
		break;
	case 0xc7:
		if (!x->narrow)
			set(insn, x->rm, read_32(x->behind));
		else
			insn->writes = x->direct ? bit(x->rm) : 0;
		break;
	default:
		insn->writes = x->direct ? bit(x->rm) : 0;
	}
}

static void flow_move(struct x86 *x, struct tap_insn_flow *insn)
{
	read_modrm(x, x->code + 1);
	switch (x->code[0]) {
	case 0x89:
		if (!x->narrow)
			move(insn, x->rm, x->reg);
		else
			insn->writes = x->direct ? bit(x->rm) : 0;
		break;
	case 0x8b:
		if (x->narrow) {
			insn->writes = bit(x->reg);
			break;
		}
		/* fallthrough */
	case 0x63:
		move(insn, x->reg, x->rm);
		break;
	case 0x88:
		insn->writes = x->direct ? bit(x->rm) : 0;
		break;
	default:
		insn->writes = bit(x->reg);
	}
}

static void flow_one(struct x86 *x, struct tap_insn_flow *insn, const uint8_t *start)
{
	uint8_t op = x->code[0];
	unsigned int low = (op & 7) | (x->rex & 1) << 3;

	if (op < 0x40) {
		flow_alu(x, insn);
	} else if (op >= 0x58 && op <= 0x5f) {
		insn->writes = 1U << low;
	} else if (op == 0x63 || (op >= 0x88 && op <= 0x8b) || op == 0x8d || op == 0x69 || op == 0x6b) {
		flow_move(x, insn);
	} else if ((op & 0xf0) == 0x70 || (op >= 0xe0 && op <= 0xe3)) {
		jump(insn, TAP_INSN_BRANCH, start, x->code + 1, false);
		insn->zero = op < 0x80 ? zero_of(op & 15) : 0;
	} else if (op == 0x85) {
		read_modrm(x, x->code + 1);
		if (x->narrow || x->rm != x->reg || !x->direct)
			return;
		insn->kind = TAP_INSN_TEST;
		insn->from = x->reg;
	} else if (op == 0x86 || op == 0x87) {
		read_modrm(x, x->code + 1);
		insn->writes = bit(x->reg) | (x->direct ? bit(x->rm) : 0);
	} else if (op >= 0x91 && op <= 0x97) {
		insn->writes = 1U | 1U << low;
	} else if (op == 0x99) {
		insn->writes = 0x4;
	} else if (op >= 0xb0 && op <= 0xb7) {
		insn->writes = 1U << low;
	} else if (op >= 0xb8 && op <= 0xbf) {
		if (x->wide)
			insn->writes = 1U << low;
		else
			set(insn, low, read_32(x->code + 1));
	} else if (op == 0xc2 || op == 0xc3) {
		insn->kind = TAP_INSN_RETURN;
	} else if (op == 0xe8 || op == 0xe9) {
		jump(insn, op == 0xe8 ? TAP_INSN_CALL : TAP_INSN_JUMP, start, x->code + 1, true);
	} else if (op == 0xeb) {
		jump(insn, TAP_INSN_JUMP, start, x->code + 1, false);
	} else if (op == 0x80 || op == 0x81 || op == 0x83 || op == 0xc0 || op == 0xc1 || op == 0xc6 ||
		   op == 0xc7 || (op & 0xfc) == 0xd0 || op == 0xf6 || op == 0xf7 || op == 0xfe ||
		   op == 0xff || op == 0x8f) {
		flow_group(x, insn);
	} else if (op == 0xa4 || op == 0xa5) {
		insn->writes = 0xc2;
	} else if (op == 0xaa || op == 0xab) {
		insn->writes = 0x82;
	}
}

/**
 * tap_insn_flow() - read an instruction
 * @code: its first byte
 * @len: bytes that may be read
 * @insn: set
 *
 * Return: false if it is unknown.
 */
bool tap_insn_flow(const uint8_t *code, size_t len, struct tap_insn_flow *insn)
{
	/* The longest instruction has 15 bytes; operands are read from a copy that is long enough. */
	uint8_t copy[32] = { 0 };
	struct x86 x = { .code = copy };
	int n;

	memcpy(copy, code, len < 16 ? len : 16);
	n = tap_insn_length(copy, len < 16 ? len : 16);
	if (n <= 0)
		return false;
	*insn = (struct tap_insn_flow) {
		.len = (unsigned int)n, .to = TAP_INSN_NOWHERE, .from = TAP_INSN_NOWHERE,
		.other = TAP_INSN_NOWHERE,
	};
	for (;; x.code++) {
		if (*x.code == 0x66)
			x.narrow = true;
		else if (!memchr("\x2e\x36\x3e\x26\x64\x65\xf0\xf2\xf3\x67", *x.code, 10))
			break;
	}
	if ((*x.code & 0xf0) == 0x40) {
		x.rex = *x.code++ & 15;
		x.wide = x.rex & 8;
	}
	/* VEX and EVEX: the kernel computes with other registers there. */
	if (*x.code == 0xc4 || *x.code == 0xc5 || *x.code == 0x62)
		return true;
	if (*x.code == 0x0f)
		flow_0f(&x, insn, copy);
	else
		flow_one(&x, insn, copy);
	return true;
}

#elif defined(__aarch64__)

#define SP	31
#define FP	29

/* Bits @at and up, @nr of them, as a signed number. */
static int64_t field_of(uint32_t code, unsigned int at, unsigned int nr)
{
	return (int64_t)((uint64_t)code << (64 - at - nr)) >> (64 - nr);
}

/* A register; 31 is 0 where it is no address. */
static int64_t reg(uint32_t code, unsigned int at)
{
	unsigned int number = code >> at & 31;

	return number == 31 ? TAP_INSN_ZERO : number;
}

static void to_reg(struct tap_insn_flow *insn, enum tap_insn_kind kind, uint32_t code)
{
	insn->kind = kind;
	insn->to = reg(code, 0);
	insn->writes = insn->to < 31 ? 1U << insn->to : 0;
}

static void flow_immediate(uint32_t code, struct tap_insn_flow *insn)
{
	unsigned int shift = (code >> 21 & 3) * 16;
	uint64_t value = (uint64_t)(code >> 5 & 0xffff) << shift;

	to_reg(insn, TAP_INSN_OTHER, code);
	if ((code & 0x7f800000) == 0x52800000) {
		insn->kind = TAP_INSN_CONST;
		insn->value = (int64_t)value;
	} else if ((code & 0x7f800000) == 0x12800000) {
		insn->kind = TAP_INSN_CONST;
		insn->value = (int64_t)~value;
	} else if ((code & 0x7ffffc1f) == 0x7100001f) {
		insn->kind = TAP_INSN_TEST;
		insn->from = code >> 5 & 31;
		insn->to = TAP_INSN_NOWHERE;
	} else if ((code & 0x7f3ffc00) == 0x11000000 || (code & 0xfffffc00) == 0x93407c00) {
		/* Adding 0 is a move from or to the stack pointer, sxtw one that extends. */
		if ((code & 31) == 31)
			return;
		insn->kind = TAP_INSN_COPY;
		insn->from = code >> 5 & 31;
	}
}

static void flow_register(uint32_t code, struct tap_insn_flow *insn)
{
	to_reg(insn, TAP_INSN_OTHER, code);
	if ((code & 0x7fe0ffe0) == 0x2a0003e0) {
		insn->kind = TAP_INSN_COPY;
		insn->from = reg(code, 16);
	} else if ((code & 0x7fe0ffe0) == 0x4b0003e0) {
		insn->kind = TAP_INSN_NEGATE;
		insn->from = reg(code, 16);
	} else if ((code & 0x7fe00c00) == 0x1a800000 ||
		   ((code & 0x7fe00c00) == 0x5a800000 && (code >> 16 & 31) == 31)) {
		insn->kind = TAP_INSN_SELECT;
		insn->from = reg(code, 5);
		insn->other = reg(code, 16);
	}
}

static void flow_memory(uint32_t code, struct tap_insn_flow *insn)
{
	unsigned int base = code >> 5 & 31, scale = code >> 30;
	bool load = code >> 22 & 1, stack = (base == SP || base == FP) && scale > 1;
	bool general = !(code >> 26 & 1);
	int64_t slot;

	if ((code & 0x3b000000) == 0x39000000 && general) {
		slot = TAP_INSN_SLOT(base, (code >> 10 & 0xfff) << scale);
	} else if ((code & 0x3b200c00) == 0x38000000 && general) {
		slot = TAP_INSN_SLOT(base, field_of(code, 12, 9));
	} else {
		bool pair = (code & 0x3a000000) == 0x28000000, atomic = (code & 0x3b200c00) == 0x38200000;

		if (!general)
			return;
		if (atomic || load || pair)
			to_reg(insn, TAP_INSN_OTHER, code);
		if (pair && !load)
			insn->writes = 0;
		if (pair && load)
			insn->writes |= 1U << (code >> 10 & 31);
		if ((code & 0x3f000000) == 0x08000000)
			insn->writes |= 1U << (code >> 16 & 31);
		insn->writes &= 0x7fffffff;
		return;
	}
	/* Signed loads have a 1 in the other bit of the size of the operation. */
	load |= code >> 23 & 1;
	if (load)
		to_reg(insn, stack ? TAP_INSN_COPY : TAP_INSN_OTHER, code);
	if (load && stack) {
		insn->from = slot;
	} else if (stack) {
		insn->kind = TAP_INSN_COPY;
		insn->to = slot;
		insn->from = reg(code, 0);
	}
}

static void flow_branch(uint32_t code, struct tap_insn_flow *insn)
{
	if ((code & 0x7c000000) == 0x14000000) {
		insn->kind = code >> 31 ? TAP_INSN_CALL : TAP_INSN_JUMP;
		insn->target = field_of(code, 0, 26) * 4;
	} else if ((code & 0xfe000000) == 0x54000000 || (code & 0x7e000000) == 0x34000000) {
		insn->kind = TAP_INSN_BRANCH;
		insn->target = field_of(code, 5, 19) * 4;
		/* b.eq and b.ne, cbz and cbnz. */
		if (code >> 29 == 2 && (code & 15) < 2)
			insn->zero = code & 1 ? -1 : 1;
		if (code >> 29 == 2)
			return;
		insn->zero = code >> 24 & 1 ? -1 : 1;
		insn->from = reg(code, 0);
	} else if ((code & 0x7e000000) == 0x36000000) {
		insn->kind = TAP_INSN_BRANCH;
		insn->target = field_of(code, 5, 14) * 4;
	} else if ((code & 0xfe000000) == 0xd6000000) {
		unsigned int which = code >> 21 & 7;

		insn->kind = which == 2 ? TAP_INSN_RETURN : which == 1 ? TAP_INSN_CALL : TAP_INSN_LEAVE;
	} else if ((code & 0xfff00000) == 0xd5300000) {
		to_reg(insn, TAP_INSN_OTHER, code);
	}
}

bool tap_insn_flow(const uint8_t *code, size_t len, struct tap_insn_flow *insn)
{
	uint32_t word;

	if (len < sizeof(word))
		return false;
	memcpy(&word, code, sizeof(word));
	*insn = (struct tap_insn_flow) {
		.len = 4, .to = TAP_INSN_NOWHERE, .from = TAP_INSN_NOWHERE, .other = TAP_INSN_NOWHERE,
	};
	switch (word >> 25 & 15) {
	case 8:
	case 9:
		flow_immediate(word, insn);
		break;
	case 10:
	case 11:
		flow_branch(word, insn);
		break;
	case 5:
	case 13:
		flow_register(word, insn);
		break;
	case 4:
	case 6:
	case 12:
	case 14:
		flow_memory(word, insn);
		break;
	}
	return true;
}

#endif

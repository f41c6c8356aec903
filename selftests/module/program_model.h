/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A model of programs, written from the text of uapi/linux/tap_program.h alone and in another
 * way than the module: whether a program must be accepted, and what it outputs for an event.
 * Tests compare the module with it.
 */
#ifndef _TEST_MODULE_PROGRAM_MODEL_H
#define _TEST_MODULE_PROGRAM_MODEL_H

#include <fnmatch.h>
#include <linux/tap.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "module/common/program_cost.h"

#define MODEL_MAX_WORDS	(TAP_FIRST_VALUES + (TAP_MAX_SLOTS - 1) * TAP_SLOT_VALUES)

#if defined(__x86_64__)
#define MODEL_REGS_SIZE	(21 * 8)
#define MODEL_REGS_COPIED	(17 * 8)
#elif defined(__aarch64__)
#define MODEL_REGS_SIZE	(34 * 8)
#define MODEL_REGS_COPIED	(33 * 8)
#endif

/**
 * enum model_answer - what the text says of a program
 * @MODEL_ACCEPT: it is well-formed
 * @MODEL_REFUSE: it is malformed, or the type of probe lacks what it reads
 * @MODEL_OPEN: the text does not define it
 */
enum model_answer {
	MODEL_ACCEPT,
	MODEL_REFUSE,
	MODEL_OPEN,
};

/**
 * struct model_program - a program
 * @type: enum tap_probe_type: kprobe, kretprobe, call or rawtp
 * @flags: TAP_CREATE_F_*
 * @stacks: its session has a table of stacks
 * @tasks: its session has a table of tasks, with frames and divisions
 * @nr_ops: entries of @ops
 * @data_len: bytes of @data
 * @ops: the ops
 * @data: the patterns
 */
struct model_program {
	__u32 type;
	__u32 flags;
	bool stacks;
	bool tasks;
	__u32 nr_ops;
	__u32 data_len;
	struct tap_op ops[TAP_MAX_OPS + 2];
	unsigned char data[TAP_MAX_DATA + 16];
};

/* The form of an op: what each of its members may be. */
enum model_dst { DST_NONE, DST_REG, DST_OUT, DST_ANY };
enum model_src { SRC_NONE, SRC_REG, SRC_OPERAND };
enum model_size { SIZE_NONE, SIZE_VALUE, SIZE_8, SIZE_8_SIGNED, SIZE_GLOB,
		  SIZE_STACK, SIZE_TEXT };
enum model_off { OFF_NONE, OFF_ANY, OFF_ARG, OFF_REG, OFF_VAR, OFF_WORD,
		 OFF_JUMP, OFF_BEGIN };
enum model_imm { IMM_NONE, IMM_ANY, IMM_VAR, IMM_PATTERN, IMM_LENGTH,
		 IMM_FRAMES, IMM_JOIN, IMM_PATH, IMM_COPY };

struct model_form {
	bool known;
	unsigned char dst, src, size, off, imm;
};

#define FORM(_code, _dst, _src, _size, _off, _imm)			\
	[TAP_OP_##_code] = { true, DST_##_dst, SRC_##_src, SIZE_##_size, \
			     OFF_##_off, IMM_##_imm }

static const struct model_form model_forms[256] = {
	FORM(ARG, ANY, NONE, VALUE, ARG, NONE),
	FORM(REG, ANY, NONE, VALUE, REG, NONE),
	FORM(RETVAL, ANY, NONE, VALUE, NONE, NONE),
	FORM(VAR, ANY, NONE, 8, VAR, VAR),
	FORM(IMM, ANY, NONE, 8, NONE, ANY),
	FORM(MOVE, ANY, REG, VALUE, NONE, NONE),
	FORM(WORD, ANY, NONE, VALUE, WORD, NONE),
	FORM(LOAD, ANY, REG, VALUE, ANY, NONE),
	FORM(LOAD_USER, ANY, REG, VALUE, ANY, NONE),
	FORM(SWAP, ANY, REG, VALUE, NONE, NONE),
	FORM(LOG2, ANY, REG, 8, NONE, NONE),
	FORM(ADD, REG, OPERAND, 8, NONE, ANY),
	FORM(SUB, REG, OPERAND, 8, NONE, ANY),
	FORM(MUL, REG, OPERAND, 8, NONE, ANY),
	FORM(DIV, REG, OPERAND, 8_SIGNED, NONE, ANY),
	FORM(MOD, REG, OPERAND, 8_SIGNED, NONE, ANY),
	FORM(AND, REG, OPERAND, 8, NONE, ANY),
	FORM(OR, REG, OPERAND, 8, NONE, ANY),
	FORM(XOR, REG, OPERAND, 8, NONE, ANY),
	FORM(SHL, REG, OPERAND, 8, NONE, ANY),
	FORM(SHR, REG, OPERAND, 8_SIGNED, NONE, ANY),
	FORM(JUMP, NONE, NONE, NONE, JUMP, NONE),
	FORM(JEQ, REG, OPERAND, 8_SIGNED, JUMP, ANY),
	FORM(JNE, REG, OPERAND, 8_SIGNED, JUMP, ANY),
	FORM(JLT, REG, OPERAND, 8_SIGNED, JUMP, ANY),
	FORM(JLE, REG, OPERAND, 8_SIGNED, JUMP, ANY),
	FORM(JGT, REG, OPERAND, 8_SIGNED, JUMP, ANY),
	FORM(JGE, REG, OPERAND, 8_SIGNED, JUMP, ANY),
	FORM(JSET, REG, OPERAND, 8_SIGNED, JUMP, ANY),
	FORM(MATCH, REG, REG, GLOB, ANY, PATTERN),
	FORM(MATCH_USER, REG, REG, GLOB, ANY, PATTERN),
	FORM(MATCH_COMM, REG, NONE, GLOB, NONE, PATTERN),
	FORM(LENGTH, REG, REG, NONE, ANY, LENGTH),
	FORM(LENGTH_USER, REG, REG, NONE, ANY, LENGTH),
	FORM(COMM, OUT, NONE, NONE, NONE, NONE),
	FORM(STRING, OUT, REG, NONE, ANY, LENGTH),
	FORM(STRING_USER, OUT, REG, NONE, ANY, LENGTH),
	FORM(BYTES, OUT, REG, NONE, ANY, LENGTH),
	FORM(BYTES_USER, OUT, REG, NONE, ANY, LENGTH),
	FORM(KSTACK, OUT, NONE, STACK, NONE, FRAMES),
	FORM(USTACK, OUT, NONE, STACK, BEGIN, FRAMES),
	FORM(JOIN, OUT, REG, NONE, ANY, JOIN),
	FORM(JOIN_USER, OUT, REG, NONE, ANY, JOIN),
	FORM(PATH, OUT, REG, NONE, ANY, PATH),
	FORM(DENTRY, OUT, REG, NONE, ANY, PATH),
	FORM(USTACK_COPY, OUT, NONE, NONE, NONE, COPY),
	FORM(RETURN, NONE, NONE, NONE, NONE, NONE),
	/* The other ops read data of other types of probes; these types have none. */
};

static inline bool model_is_jump(const struct tap_op *op)
{
	return op->code >= TAP_OP_JUMP && op->code <= TAP_OP_JSET;
}

static inline bool model_is_output(const struct tap_op *op)
{
	return op->dst == TAP_OP_OUT && model_forms[op->code].known &&
	       (model_forms[op->code].dst == DST_ANY ||
		model_forms[op->code].dst == DST_OUT);
}

/* Value words that an output appends. */
static inline unsigned int model_words(const struct tap_op *op)
{
	switch (op->code) {
	case TAP_OP_COMM:
		return 2;
	case TAP_OP_STRING:
	case TAP_OP_STRING_USER:
	case TAP_OP_USTACK_COPY:
		return 1 + (op->imm + 7) / 8;
	case TAP_OP_KSTACK:
	case TAP_OP_USTACK:
		return op->size ? 1 : 1 + op->imm / 8;
	case TAP_OP_JOIN:
	case TAP_OP_JOIN_USER:
	case TAP_OP_PATH:
	case TAP_OP_DENTRY:
		return 1 + ((op->imm & 0xffff) + 7) / 8;
	case TAP_OP_BYTES:
	case TAP_OP_BYTES_USER:
		return (op->imm + 7) / 8;
	default:
		return 1;
	}
}

static inline enum model_answer model_worse(enum model_answer a,
					    enum model_answer b)
{
	if (a == MODEL_REFUSE || b == MODEL_REFUSE)
		return MODEL_REFUSE;
	return a == MODEL_OPEN || b == MODEL_OPEN ? MODEL_OPEN : MODEL_ACCEPT;
}

static inline bool model_check_size(const struct model_program *prog, unsigned char kind,
				    const struct tap_op *op)
{
	switch (kind) {
	case SIZE_VALUE:
		switch (op->size & ~TAP_OP_SIGNED) {
		case 1:
		case 2:
		case 4:
		case 8:
			return true;
		}
		return false;
	case SIZE_8:
		return op->size == 8;
	case SIZE_8_SIGNED:
		return op->size == 8 || op->size == (8 | TAP_OP_SIGNED);
	case SIZE_GLOB:
		return !op->size || op->size == TAP_OP_GLOB;
	case SIZE_STACK:
		return !op->size || (op->size == 8 && prog->stacks);
	default:
		return !op->size;
	}
}

/* A variable: which types of probes have it, and what its other members may be. */
static inline enum model_answer model_check_var(const struct model_program *prog,
						const struct tap_op *op, bool returned)
{
	__u64 frame = op->imm & TAP_INSIDE_FRAME;

	switch (op->off) {
	case TAP_VAR_TGID:
	case TAP_VAR_TID:
	case TAP_VAR_CPU:
	case TAP_VAR_UID:
	case TAP_VAR_FOLLOWED:
	case TAP_VAR_ABSENT:
	case TAP_VAR_TASK:
	case TAP_VAR_TIME:
		return op->imm ? MODEL_REFUSE : MODEL_ACCEPT;
	case TAP_VAR_DURATION:
		return op->imm || !returned ? MODEL_REFUSE : MODEL_ACCEPT;
	case TAP_VAR_ENCLOSED:
		return op->imm || !returned || prog->type != TAP_PROBE_CALL ?
		       MODEL_REFUSE : MODEL_ACCEPT;
	case TAP_VAR_INSIDE:
		return prog->tasks && frame && frame <= TAP_MAX_FRAME &&
		       !(op->imm & ~(TAP_INSIDE_FRAME | TAP_INSIDE_ANY | TAP_INSIDE_IRQ)) ?
		       MODEL_ACCEPT : MODEL_REFUSE;
	case TAP_VAR_DIVISION:
		return prog->tasks && returned && op->imm < TAP_NR_DIVIDED ?
		       MODEL_ACCEPT : MODEL_REFUSE;
	case TAP_VAR_COMM:
		return op->imm > 1 ? MODEL_REFUSE : MODEL_ACCEPT;
	case TAP_VAR_CGROUP:
		return op->imm > 1000 ? MODEL_OPEN : MODEL_ACCEPT;
	default:
		return MODEL_REFUSE;
	}
}

/* Whether the type of probe has what the op reads, in this part of the program. */
static inline bool model_has(const struct model_program *prog, __u8 code,
			     bool returned)
{
	switch (code) {
	case TAP_OP_ARG:
		return prog->type != TAP_PROBE_KRETPROBE && !returned;
	case TAP_OP_REG:
		return (prog->type == TAP_PROBE_KPROBE ||
			prog->type == TAP_PROBE_CALL) && !returned;
	case TAP_OP_RETVAL:
		return prog->type == TAP_PROBE_KRETPROBE || returned;
	case TAP_OP_WORD:
		return returned;
	case TAP_OP_RETURN:
		return prog->type == TAP_PROBE_CALL && !returned;
	default:
		return true;
	}
}

/* A jump must be forward, within its part of the program, and not over an output. */
static inline enum model_answer model_check_jump(const struct model_program *prog,
						 unsigned int at)
{
	const struct tap_op *op = &prog->ops[at];
	unsigned int i, to;

	if (op->off == TAP_OP_REJECT) {
		/* Tests come before outputs, within a part. */
		for (i = at; i-- && prog->ops[i].code != TAP_OP_RETURN;)
			if (model_is_output(&prog->ops[i]))
				return MODEL_REFUSE;
		return MODEL_ACCEPT;
	}
	if (op->off < 1 || op->off > TAP_MAX_OPS)
		return MODEL_REFUSE;
	to = at + 1 + op->off;
	if (to > prog->nr_ops)
		return MODEL_REFUSE;
	for (i = at + 1; i < to; i++)
		if (prog->ops[i].code == TAP_OP_RETURN ||
		    model_is_output(&prog->ops[i]))
			return MODEL_REFUSE;
	return MODEL_ACCEPT;
}

/* The @imm of joined texts or a path: bytes of all, then their number; no other bits. */
static inline bool model_pieces_fit(__u64 imm, unsigned int max_bytes, unsigned int max_number)
{
	unsigned int bytes = imm & 0xffff;

	return !(imm >> 32) && bytes && bytes <= max_bytes && imm >> 16 && imm >> 16 <= max_number;
}

static inline enum model_answer
model_check_op(const struct model_program *prog, unsigned int at,
	       unsigned int first, unsigned int entry_words, bool returned)
{
	const struct tap_op *op = &prog->ops[at];
	const struct model_form *form = &model_forms[op->code];
	enum model_answer answer = MODEL_ACCEPT;
	unsigned int begin, length;

	if (!form->known || !model_has(prog, op->code, returned) ||
	    !model_check_size(prog, form->size, op))
		return MODEL_REFUSE;
	switch (form->dst) {
	case DST_NONE:
		if (op->dst)
			return MODEL_REFUSE;
		break;
	case DST_OUT:
		if (op->dst != TAP_OP_OUT)
			return MODEL_REFUSE;
		break;
	default:
		if (op->dst >= TAP_NR_REGISTERS &&
		    (op->dst != TAP_OP_OUT || form->dst == DST_REG))
			return MODEL_REFUSE;
	}
	switch (form->src) {
	case SRC_NONE:
		if (op->src)
			return MODEL_REFUSE;
		break;
	case SRC_OPERAND:
		if (op->src == TAP_OP_IMM_SRC) {
			if (!op->imm && (op->code == TAP_OP_DIV ||
					 op->code == TAP_OP_MOD))
				return MODEL_REFUSE;
			break;
		}
		if (op->imm)
			return MODEL_REFUSE;
		__attribute__((fallthrough));
	case SRC_REG:
		if (op->src >= TAP_NR_REGISTERS)
			return MODEL_REFUSE;
	}
	switch (form->off) {
	case OFF_NONE:
		if (op->off)
			return MODEL_REFUSE;
		break;
	case OFF_ARG:
		if (op->off < 0 || op->off > 5)
			return MODEL_REFUSE;
		break;
	case OFF_REG:
		if (op->off < 0 || op->off % 8 || op->off >= MODEL_REGS_SIZE)
			return MODEL_REFUSE;
		break;
	case OFF_VAR:
		answer = model_check_var(prog, op, returned);
		break;
	case OFF_WORD:
		if (op->off < (int)first || op->off >= (int)entry_words)
			return MODEL_REFUSE;
		break;
	case OFF_JUMP:
		answer = model_check_jump(prog, at);
		break;
	case OFF_BEGIN:
		/* 1 is the start of a function in a program, which none of these types has. */
		if (op->off)
			return MODEL_REFUSE;
		break;
	}
	switch (form->imm) {
	case IMM_NONE:
		if (op->imm)
			return MODEL_REFUSE;
		break;
	case IMM_PATTERN:
		begin = op->imm & 0xffff;
		length = op->imm >> 16 & 0xffff;
		if (op->imm >> 32 || length > TAP_MAX_PATTERN ||
		    begin + length > prog->data_len)
			return MODEL_REFUSE;
		/* The text does not define empty patterns. */
		if (!length)
			answer = model_worse(answer, MODEL_OPEN);
		break;
	case IMM_LENGTH:
		if (!op->imm || op->imm > TAP_MAX_STRING)
			return MODEL_REFUSE;
		break;
	case IMM_JOIN:
		if (!model_pieces_fit(op->imm, TAP_MAX_STRING, TAP_MAX_JOIN))
			return MODEL_REFUSE;
		break;
	case IMM_PATH:
		if (!model_pieces_fit(op->imm, TAP_MAX_PATH, TAP_MAX_NAMES))
			return MODEL_REFUSE;
		break;
	case IMM_COPY:
		if (op->imm % 8 || op->imm <= MODEL_REGS_COPIED || op->imm > TAP_MAX_STACK_COPY)
			return MODEL_REFUSE;
		break;
	case IMM_FRAMES:
		/*
		 * The text does not define a stack of no frames; refusing it is the only sense
		 * it can have.
		 */
		if (!op->imm || op->imm % 8 || op->imm / 8 > TAP_MAX_STACK)
			return MODEL_REFUSE;
		break;
	}
	/* A sign has no effect on 8 bytes, or on a test of equality. */
	if ((form->size == SIZE_VALUE && op->size == (8 | TAP_OP_SIGNED)) ||
	    (form->off == OFF_JUMP && op->size & TAP_OP_SIGNED &&
	     (op->code == TAP_OP_JEQ || op->code == TAP_OP_JNE ||
	      op->code == TAP_OP_JSET)))
		answer = model_worse(answer, MODEL_OPEN);
	return answer;
}

/**
 * model_check() - whether a program must be accepted
 * @prog: the program
 * @words: gets the number of value words of its records
 *
 * Return: enum model_answer.
 */
static inline enum model_answer model_check(const struct model_program *prog,
					    unsigned int *words)
{
	unsigned int first = prog->type == TAP_PROBE_CALL ? TAP_CALL_FETCHES : 0;
	enum model_answer answer = MODEL_ACCEPT;
	unsigned int i, entry_words = 0, outputs = 0;
	bool returned = false;

	*words = first;
	if (prog->nr_ops > TAP_MAX_OPS || prog->data_len > TAP_MAX_DATA)
		return MODEL_REFUSE;
	for (i = 0; i < prog->nr_ops; i++) {
		const struct tap_op *op = &prog->ops[i];

		answer = model_worse(answer, model_check_op(prog, i, first,
							    entry_words, returned));
		if (answer == MODEL_REFUSE)
			return answer;
		if (op->code == TAP_OP_RETURN) {
			returned = true;
			entry_words = *words;
		}
		if (!model_is_output(op))
			continue;
		outputs++;
		*words += model_words(op);
		if (outputs > TAP_MAX_OUTPUTS || *words > MODEL_MAX_WORDS)
			return MODEL_REFUSE;
	}
	if (!returned)
		entry_words = *words;
	if (prog->type == TAP_PROBE_CALL && entry_words > first + 4000 / 8)
		return MODEL_REFUSE;
	/* The text does not say what an op costs. This is the module's own copy. */
	if (tap_program_cost(prog->ops, prog->nr_ops, prog->data, prog->flags) > TAP_MAX_COST)
		return MODEL_REFUSE;
	return answer;
}

#endif /* _TEST_MODULE_PROGRAM_MODEL_H */

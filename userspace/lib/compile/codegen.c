// SPDX-License-Identifier: LGPL-2.1
/*
 * From expressions to the ops of a program.
 *
 * A condition becomes jumps, so that && and || stop as soon as the result is known. A
 * value is computed in a register or, if one op is enough, written directly to the
 * record.
 *
 * reg_cache remembers the value of each register until a jump inside an expression
 * ends: from there on the contents depend on the path. So three members of one struct
 * load its address once.
 */
#include "compile/codegen.h"
#include "spec/spec.h"

/*
 * A label that is not bound yet: its jumps form a list through their @off. With @reject
 * the jumps drop the event.
 */
struct label {
	int last;
	bool reject;
};

#define LABEL	((struct label) { .last = -1 })

static void emit(struct tap_codegen *g, struct tap_op op)
{
	if (g->nr >= TAP_MAX_OPS - TAP_SPEC_OWN_OPS) {
		g->full = true;
		return;
	}
	g->ops[g->nr++] = op;
	if (op.dst < TAP_NR_REGISTERS &&
	    (op.code < TAP_OP_JUMP || op.code > TAP_OP_JSET))
		g->reg_cache[op.dst].e = NULL;
}

static void jump(struct tap_codegen *g, struct tap_op op, struct label *to)
{
	unsigned int at = g->nr;

	op.off = to->reject ? TAP_OP_REJECT : to->last;
	emit(g, op);
	if (!to->reject && g->nr > at)
		to->last = at;
}

/* Binds the label here. The registers' contents now depend on the path. */
static void bind(struct tap_codegen *g, struct label *label)
{
	unsigned int i;
	int at, next;

	if (label->last < 0)
		return;
	for (at = label->last; at >= 0; at = next) {
		next = g->ops[at].off;
		g->ops[at].off = g->nr - at - 1;
	}
	for (i = 0; i < TAP_NR_REGISTERS; i++)
		g->reg_cache[i].e = NULL;
}

/* ---------------------------------------------------------------- registers */

static unsigned int take(struct tap_codegen *g)
{
	unsigned int i, found = TAP_NR_REGISTERS;

	/* Prefers a register without a cached value. */
	for (i = 0; i < TAP_NR_REGISTERS; i++)
		if (!g->users[i] && (found == TAP_NR_REGISTERS ||
				     (g->reg_cache[found].e && !g->reg_cache[i].e)))
			found = i;
	if (found == TAP_NR_REGISTERS) {
		g->deep = true;
		found = 0;
	}
	g->users[found]++;
	g->reg_cache[found].e = NULL;
	return found;
}

static void release(struct tap_codegen *g, unsigned int reg)
{
	if (g->users[reg])
		g->users[reg]--;
}

static void compute(struct tap_codegen *g, const struct tap_expr *e,
		    unsigned int reg);

/*
 * A word of the entry is 0 if its memory could not be read there. Then memory that cannot be read
 * here either, at address 1, makes absent what is computed from the word, or drops the event.
 */
static void pass_absence(struct tap_codegen *g, unsigned int output, __u8 reg)
{
	emit(g, (struct tap_op) {
		.code = TAP_OP_VAR, .dst = reg, .size = 8, .off = TAP_VAR_ABSENT,
	});
	emit(g, (struct tap_op) {
		.code = TAP_OP_SHR, .dst = reg, .src = TAP_OP_IMM_SRC, .size = 8, .imm = output,
	});
	emit(g, (struct tap_op) {
		.code = TAP_OP_AND, .dst = reg, .src = TAP_OP_IMM_SRC, .size = 8, .imm = 1,
	});
	emit(g, (struct tap_op) {
		.code = TAP_OP_JEQ, .dst = reg, .src = TAP_OP_IMM_SRC, .size = 8, .off = 1,
	});
	emit(g, (struct tap_op) {
		.code = TAP_OP_LOAD, .dst = reg, .src = reg, .size = 1,
	});
}

/* Emits an op with at most one source register. */
static void step(struct tap_codegen *g, const struct tap_expr *e, __u8 dst,
		 __u8 src)
{
	bool word = e->kind == TAP_EXPR_VALUE && e->code == TAP_OP_WORD;
	unsigned int reg;

	if (word && e->imm) {
		reg = dst == TAP_OP_OUT ? take(g) : dst;
		pass_absence(g, (unsigned int)e->imm - 1, (__u8)reg);
		if (dst == TAP_OP_OUT)
			release(g, reg);
	}
	emit(g, (struct tap_op) {
		.code = e->code, .dst = dst, .src = src, .size = e->size,
		.off = e->off, .imm = word ? 0 : e->imm,
	});
}

/* A register that holds the value. The caller must not change it and has to release() it. */
static unsigned int use(struct tap_codegen *g, const struct tap_expr *e,
			bool address)
{
	unsigned int address_reg, i;

	for (i = 0; i < TAP_NR_REGISTERS; i++) {
		if (!g->reg_cache[i].e || !tap_expr_same(g->reg_cache[i].e, e) ||
		    (g->reg_cache[i].guess && !address))
			continue;
		g->users[i]++;
		return i;
	}
	if (e->kind == TAP_EXPR_LOAD || (e->kind == TAP_EXPR_MATCH && e->a)) {
		/*
		 * The address is computed first, so that a long chain of loads needs
		 * two registers.
		 */
		address_reg = use(g, e->a, true);
		release(g, address_reg);
		i = take(g);
		step(g, e, i, address_reg);
	} else {
		i = take(g);
		compute(g, e, i);
	}
	/*
	 * Before the first output, an event with an absent value is dropped; so there
	 * the register is certain.
	 */
	if (e->kind == TAP_EXPR_LOAD || (e->kind == TAP_EXPR_VALUE &&
					 e->code != TAP_OP_VAR)) {
		g->reg_cache[i].e = e;
		g->reg_cache[i].guess = e->needs & TAP_NEEDS_MEMORY && g->output;
	}
	return i;
}

/* ------------------------------------------------------------------- jumps */

static __u8 opposite(__u8 code)
{
	switch (code) {
	case TAP_OP_JEQ:
		return TAP_OP_JNE;
	case TAP_OP_JNE:
		return TAP_OP_JEQ;
	case TAP_OP_JLT:
		return TAP_OP_JGE;
	case TAP_OP_JLE:
		return TAP_OP_JGT;
	case TAP_OP_JGT:
		return TAP_OP_JLE;
	}
	return TAP_OP_JLT;
}

static bool is_const(const struct tap_expr *e)
{
	return e->kind == TAP_EXPR_CONST;
}

static bool is_masked(const struct tap_expr *e)
{
	return e->kind == TAP_EXPR_ARITHMETIC && e->code == TAP_OP_AND &&
	       is_const(e->b);
}

/* A shift to the right before a mask becomes a shifted mask: bits are tested by one op. */
static void jump_if_set(struct tap_codegen *g, const struct tap_expr *masked,
			struct label *to)
{
	const struct tap_expr *e = masked->a;
	__u64 mask = masked->b->imm, wide;
	unsigned int reg;

	if (e->kind == TAP_EXPR_ARITHMETIC && e->code == TAP_OP_SHR &&
	    is_const(e->b) && !(e->size & TAP_OP_SIGNED)) {
		wide = mask << (e->b->imm & 63);
		if (wide >> (e->b->imm & 63) == mask) {
			mask = wide;
			e = e->a;
		}
	}
	reg = use(g, e, false);
	jump(g, (struct tap_op) {
		.code = TAP_OP_JSET, .dst = reg, .src = TAP_OP_IMM_SRC,
		.size = 8, .imm = mask,
	}, to);
	release(g, reg);
}

static void jump_compare(struct tap_codegen *g, const struct tap_expr *e,
			 bool when, struct label *to)
{
	struct tap_op op = {
		.code = when ? e->code : opposite(e->code), .size = e->size,
		.src = TAP_OP_IMM_SRC,
	};
	unsigned int a, b = 0;
	bool right_first;

	if (op.code == TAP_OP_JNE && is_const(e->b) && !e->b->imm &&
	    is_masked(e->a)) {
		jump_if_set(g, e->a, to);
		return;
	}
	if (op.code == TAP_OP_JEQ || op.code == TAP_OP_JNE)
		op.size = 8;
	right_first = !is_const(e->b) && e->a->registers < e->b->registers;
	if (right_first)
		b = use(g, e->b, false);
	a = use(g, e->a, false);
	if (!right_first && !is_const(e->b))
		b = use(g, e->b, false);
	op.dst = a;
	if (is_const(e->b))
		op.imm = e->b->imm;
	else
		op.src = b;
	jump(g, op, to);
	release(g, a);
	if (!is_const(e->b))
		release(g, b);
}

/* Jumps to @to if the condition is @when, and falls through otherwise. */
static void jump_when(struct tap_codegen *g, const struct tap_expr *e,
		      bool when, struct label *to)
{
	struct label past = LABEL;
	unsigned int reg;

	switch (e->kind) {
	case TAP_EXPR_NOT:
		jump_when(g, e->a, !when, to);
		return;
	case TAP_EXPR_AND:
	case TAP_EXPR_OR:
		/*
		 * Each operand decides alone: the result is @when as soon as one of
		 * them is.
		 */
		if ((e->kind == TAP_EXPR_OR) == when) {
			jump_when(g, e->a, when, to);
			jump_when(g, e->b, when, to);
			return;
		}
		jump_when(g, e->a, !when, &past);
		jump_when(g, e->b, when, to);
		bind(g, &past);
		return;
	case TAP_EXPR_COMPARE:
		jump_compare(g, e, when, to);
		return;
	default:
		reg = use(g, e, false);
		jump(g, (struct tap_op) {
			.code = when ? TAP_OP_JNE : TAP_OP_JEQ, .dst = reg,
			.src = TAP_OP_IMM_SRC, .size = 8,
		}, to);
		release(g, reg);
	}
}

/* Drops events for which the condition is false. Must be called before any output. */
void tap_codegen_test(struct tap_codegen *g, const struct tap_expr *e)
{
	struct label reject = { .last = -1, .reject = true };

	jump_when(g, e, false, &reject);
}

/* ------------------------------------------------------------------ values */

static void compute_cond(struct tap_codegen *g, const struct tap_expr *e,
			 unsigned int reg)
{
	struct label otherwise = LABEL, end = LABEL;

	jump_when(g, e->a, false, &otherwise);
	compute(g, e->b, reg);
	jump(g, (struct tap_op) { .code = TAP_OP_JUMP }, &end);
	bind(g, &otherwise);
	compute(g, e->c, reg);
	bind(g, &end);
}

static void compute_arithmetic(struct tap_codegen *g, const struct tap_expr *e,
			       unsigned int reg)
{
	struct tap_op op = {
		.code = e->code, .dst = reg, .src = TAP_OP_IMM_SRC,
		.size = e->size,
	};

	compute(g, e->a, reg);
	if (is_const(e->b)) {
		op.imm = e->b->imm;
		emit(g, op);
		return;
	}
	op.src = use(g, e->b, false);
	emit(g, op);
	release(g, op.src);
}

/* Computes the address in another register if one is free, so that it stays cached. */
static void compute_at(struct tap_codegen *g, const struct tap_expr *e,
		       unsigned int reg)
{
	unsigned int src, i;

	for (i = 0; i < TAP_NR_REGISTERS && g->users[i]; i++)
		;
	if (i == TAP_NR_REGISTERS) {
		compute(g, e->a, reg);
		step(g, e, reg, reg);
		return;
	}
	src = use(g, e->a, true);
	step(g, e, reg, src);
	release(g, src);
}

static void compute(struct tap_codegen *g, const struct tap_expr *e,
		    unsigned int reg)
{
	struct tap_op one = {
		.code = TAP_OP_IMM, .dst = reg, .size = 8, .imm = 1,
	};
	struct label end = LABEL;

	switch (e->kind) {
	case TAP_EXPR_CONST:
	case TAP_EXPR_VALUE:
		step(g, e, reg, 0);
		return;
	case TAP_EXPR_LOAD:
		compute_at(g, e, reg);
		return;
	case TAP_EXPR_MATCH:
		if (e->a)
			compute_at(g, e, reg);
		else
			step(g, e, reg, 0);
		return;
	case TAP_EXPR_MOVE:
		compute(g, e->a, reg);
		step(g, e, reg, reg);
		return;
	case TAP_EXPR_ARITHMETIC:
		compute_arithmetic(g, e, reg);
		return;
	case TAP_EXPR_COND:
		compute_cond(g, e, reg);
		return;
	case TAP_EXPR_COMPARE:
	case TAP_EXPR_AND:
	case TAP_EXPR_OR:
	case TAP_EXPR_NOT:
		break;
	}
	/* The caller has taken @reg, so no part of the condition is computed in it. */
	one.imm = 0;
	emit(g, one);
	jump_when(g, e, false, &end);
	one.imm = 1;
	emit(g, one);
	bind(g, &end);
}

/* ----------------------------------------------------------------- outputs */

/* Appends a word to the record. */
void tap_codegen_output(struct tap_codegen *g, const struct tap_expr *e)
{
	unsigned int reg;

	g->output = true;
	if (e->kind == TAP_EXPR_CONST || e->kind == TAP_EXPR_VALUE) {
		step(g, e, TAP_OP_OUT, 0);
	} else if ((e->kind == TAP_EXPR_LOAD && e->code < TAP_OP_MATCH) ||
		   e->kind == TAP_EXPR_MOVE) {
		reg = use(g, e->a, e->kind == TAP_EXPR_LOAD);
		step(g, e, TAP_OP_OUT, reg);
		release(g, reg);
	} else {
		reg = use(g, e, false);
		emit(g, (struct tap_op) {
			.code = TAP_OP_MOVE, .dst = TAP_OP_OUT, .src = reg,
			.size = 8,
		});
		release(g, reg);
	}
	g->words++;
	g->outputs++;
}

/* Appends text or an array to the record. @op lacks its source; @address may be NULL. */
void tap_codegen_bytes(struct tap_codegen *g, const struct tap_op *op,
		       const struct tap_expr *address)
{
	struct tap_op copy = *op;

	g->output = true;
	copy.dst = TAP_OP_OUT;
	if (address)
		copy.src = use(g, address, true);
	emit(g, copy);
	if (address)
		release(g, copy.src);
	g->words += tap_op_words(&copy);
	g->outputs++;
}

/* Ends the ops that run at the entry. Registers are 0 where those of the return start. */
void tap_codegen_return(struct tap_codegen *g)
{
	unsigned int i;

	emit(g, (struct tap_op) { .code = TAP_OP_RETURN });
	g->output = false;
	for (i = 0; i < TAP_NR_REGISTERS; i++)
		g->reg_cache[i].e = NULL;
}

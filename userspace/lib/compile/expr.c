// SPDX-License-Identifier: LGPL-2.1
/*
 * Expressions, with constant folding.
 *
 * Every value is held as 64 bits, extended by its type. So one arithmetic is enough:
 * operations that may leave 32 bits are followed by tap_expr_move(), which cuts and
 * extends.
 */
#include <stdint.h>
#include <stdlib.h>

#include "compile/expr.h"
#include "module/common/arith.h"
#include "util/errno_name.h"

/*
 * Functions use an operand several times, so that a short text may stand for an expression that
 * takes forever to walk. Each use but that of a plain value takes an op, so no program is so large.
 */
#define MAX_WEIGHT	(1U << 16)

/* Frees all expressions of a pool and zeroes it. */
void tap_expr_pool_free(struct tap_expr_pool *pool)
{
	struct tap_expr *e;

	while ((e = pool->list)) {
		pool->list = e->next;
		free(e);
	}
	*pool = (struct tap_expr_pool) { 0 };
}

static unsigned int most(unsigned int a, unsigned int b)
{
	return a > b ? a : b;
}

/* Registers for two operands that are computed one after the other. */
static unsigned int both(const struct tap_expr *a, const struct tap_expr *b)
{
	if (b->kind == TAP_EXPR_CONST)
		return a->registers;
	return most(most(a->registers, b->registers),
		    1 + (a->registers < b->registers ? a->registers :
						       b->registers));
}

static const struct tap_expr *make(struct tap_expr_pool *pool,
				   const struct tap_expr *from)
{
	const struct tap_expr *parts[] = { from->a, from->b, from->c };
	struct tap_expr *e = malloc(sizeof(*e));
	unsigned int i;

	if (!e) {
		pool->failed = true;
		return &pool->none;
	}
	*e = *from;
	if (!e->registers)
		e->registers = 1;
	e->weight = 1;
	for (i = 0; i < 3 && parts[i]; i++) {
		e->weight += parts[i]->weight;
		e->needs |= parts[i]->needs;
		e->registers = most(e->registers, parts[i]->registers);
	}
	e->next = pool->list;
	pool->list = e;
	if (e->weight <= MAX_WEIGHT)
		return e;
	pool->heavy = true;
	pool->failed = true;
	return &pool->none;
}

static bool is_const(const struct tap_expr *e)
{
	return e->kind == TAP_EXPR_CONST;
}

/* The lowest bytes of a value, extended to 64 bits. @size is encoded as in struct tap_op. */
__u64 tap_extend(__u64 value, __u8 size)
{
	return tap_arith_extend(value, 64 - 8 * (size & 15), size & TAP_OP_SIGNED);
}

/*
 * All constructors in this file return &pool->none and set @pool->failed when out of
 * memory.
 */
const struct tap_expr *tap_expr_const(struct tap_expr_pool *pool, __u64 value)
{
	return make(pool, &(struct tap_expr) {
		.kind = TAP_EXPR_CONST, .code = TAP_OP_IMM, .size = 8,
		.imm = value,
	});
}

/* The result of an op without a register operand. */
const struct tap_expr *tap_expr_value(struct tap_expr_pool *pool, __u8 code,
				      __u8 size, __s32 off, __u64 imm)
{
	struct tap_expr e = {
		.kind = TAP_EXPR_VALUE, .code = code, .size = size, .off = off,
		.imm = imm,
	};

	/* At the return it would be later. */
	if (code == TAP_OP_ARG || code == TAP_OP_REG ||
	    (code == TAP_OP_VAR && off == TAP_VAR_TIME))
		e.needs = TAP_NEEDS_ENTRY;
	if (pool->after && code == TAP_OP_VAR)
		e.needs = 0;
	if (pool->after || code == TAP_OP_WORD)
		e.needs |= TAP_NEEDS_RETURN;
	if (code == TAP_OP_WORD && imm)
		e.needs |= TAP_NEEDS_MEMORY;
	if (code == TAP_OP_RETVAL ||
	    (code == TAP_OP_VAR && (off == TAP_VAR_DURATION || off == TAP_VAR_ENCLOSED)) ||
	    (code == TAP_OP_VAR && off == TAP_VAR_FLAGS &&
	     imm & (TAP_F_MIGRATED | TAP_F_DESCHEDULED | TAP_F_NESTED)))
		e.needs |= TAP_NEEDS_RETURN;
	if (code == TAP_OP_PMU || (code == TAP_OP_VAR && off == TAP_VAR_DIVISION))
		e.needs = TAP_NEEDS_RETURN | TAP_NEEDS_MEMORY;
	return make(pool, &e);
}

/* The offset of an op has 31 bits; adds a larger one to the address. */
static const struct tap_expr *reach(struct tap_expr_pool *pool,
				    const struct tap_expr *a, __s64 *off)
{
	if (*off >= INT32_MIN && *off <= INT32_MAX)
		return a;
	a = tap_expr_arithmetic(pool, TAP_OP_ADD, false, a,
				tap_expr_const(pool, *off));
	*off = 0;
	return a;
}

/* @user: reads user memory. */
const struct tap_expr *tap_expr_load(struct tap_expr_pool *pool, bool user,
				     const struct tap_expr *a, __s64 off,
				     __u8 size)
{
	unsigned int needs = TAP_NEEDS_MEMORY;

	if (pool->after || (user && pool->user_late))
		needs |= TAP_NEEDS_RETURN;
	a = reach(pool, a, &off);
	return make(pool, &(struct tap_expr) {
		.kind = TAP_EXPR_LOAD,
		.code = user ? TAP_OP_LOAD_USER : TAP_OP_LOAD,
		.size = size, .off = off, .a = a, .needs = needs,
	});
}

/* Value @word of a capture of the entry of a function, for the frame of this event. */
const struct tap_expr *tap_expr_captured(struct tap_expr_pool *pool,
					 const struct tap_expr *frame, __u32 word)
{
	return make(pool, &(struct tap_expr) {
		.kind = TAP_EXPR_LOAD, .code = TAP_OP_CAPTURED, .size = 8, .off = (__s32)word,
		.a = frame, .needs = TAP_NEEDS_MEMORY,
	});
}

/* Whether a value that was loaded with size @from is unchanged when cut to @size. */
static bool holds(__u8 size, __u8 from)
{
	unsigned int bytes = size & 15, less = from & 15;

	if (bytes == 8)
		return true;
	if (size == from)
		return true;
	return less < bytes && (size & TAP_OP_SIGNED ||
				!(from & TAP_OP_SIGNED));
}

/* The lowest bytes of a value, extended. @size is encoded as in struct tap_op. */
const struct tap_expr *tap_expr_move(struct tap_expr_pool *pool,
				     const struct tap_expr *a, __u8 size)
{
	struct tap_expr e;
	bool sized = a->kind == TAP_EXPR_LOAD || a->kind == TAP_EXPR_MOVE ||
		     (a->kind == TAP_EXPR_VALUE && a->code != TAP_OP_VAR &&
		      a->code != TAP_OP_IMM && a->code != TAP_OP_PMU);

	if (is_const(a))
		return tap_expr_const(pool, tap_extend(a->imm, size));
	if ((size & 15) == 8)
		return a;
	if (sized && holds(size, a->size))
		return a;
	if (sized && (a->size & 15) >= (size & 15) && a->code != TAP_OP_SWAP &&
	    a->code != TAP_OP_LOG2 && a->code < TAP_OP_MATCH) {
		e = *a;
		e.size = size;
		return make(pool, &e);
	}
	/* These are 0 or 1. */
	if (a->kind >= TAP_EXPR_COMPARE && a->kind <= TAP_EXPR_NOT)
		return a;
	return make(pool, &(struct tap_expr) {
		.kind = TAP_EXPR_MOVE, .code = TAP_OP_MOVE, .size = size,
		.a = a,
	});
}

/* TAP_OP_MOVE, TAP_OP_SWAP or TAP_OP_LOG2. @size is encoded as in struct tap_op. */
const struct tap_expr *tap_expr_unary(struct tap_expr_pool *pool, __u8 code,
				      const struct tap_expr *a, __u8 size)
{
	if (code == TAP_OP_MOVE)
		return tap_expr_move(pool, a, size);
	if (is_const(a) && code == TAP_OP_LOG2)
		return tap_expr_const(pool, tap_arith_log2(a->imm));
	if (is_const(a))
		return tap_expr_const(pool, tap_extend(tap_arith_swap(a->imm, size & 15), size));
	return make(pool, &(struct tap_expr) {
		.kind = TAP_EXPR_MOVE, .code = code, .size = size, .a = a,
	});
}

/* The length of text at @a + @off, at most @most. */
const struct tap_expr *tap_expr_length(struct tap_expr_pool *pool, bool user,
				       const struct tap_expr *a, __s64 off, __u64 most)
{
	unsigned int needs = TAP_NEEDS_MEMORY;

	if (pool->after || (user && pool->user_late))
		needs |= TAP_NEEDS_RETURN;
	a = reach(pool, a, &off);
	return make(pool, &(struct tap_expr) {
		.kind = TAP_EXPR_LOAD, .code = user ? TAP_OP_LENGTH_USER : TAP_OP_LENGTH,
		.off = off, .imm = most, .a = a, .needs = needs,
	});
}

static __u64 compute(__u8 code, bool is_signed, __u64 a, __u64 b)
{
	if (code == TAP_OP_DIV || code == TAP_OP_MOD)
		return tap_arith_divide(code == TAP_OP_MOD, is_signed, a, b);
	return tap_arith_compute(code, is_signed, a, b);
}

static bool commutes(__u8 code)
{
	return code == TAP_OP_ADD || code == TAP_OP_MUL ||
	       code == TAP_OP_AND || code == TAP_OP_OR || code == TAP_OP_XOR;
}

/* Whether x OP b is x. */
static bool is_neutral(__u8 code, __u64 b)
{
	switch (code) {
	case TAP_OP_ADD:
	case TAP_OP_SUB:
	case TAP_OP_OR:
	case TAP_OP_XOR:
	case TAP_OP_SHL:
	case TAP_OP_SHR:
		return b == 0;
	case TAP_OP_MUL:
	case TAP_OP_DIV:
		return b == 1;
	case TAP_OP_AND:
		return b == ~0ULL;
	}
	return false;
}

/* 64-bit arithmetic. @is_signed matters for division, remainder and shift to the right. */
const struct tap_expr *tap_expr_arithmetic(struct tap_expr_pool *pool,
					   __u8 code, bool is_signed,
					   const struct tap_expr *a,
					   const struct tap_expr *b)
{
	const struct tap_expr *t;

	if (is_const(a) && is_const(b))
		return tap_expr_const(pool, compute(code, is_signed, a->imm,
						    b->imm));
	/*
	 * The right operand may become part of the op; the left one occupies a register
	 * while the right one is computed.
	 */
	if (commutes(code) && !is_const(b) &&
	    (is_const(a) || a->registers < b->registers)) {
		t = a;
		a = b;
		b = t;
	}
	if (is_const(b) && is_neutral(code, b->imm))
		return a;
	if (code != TAP_OP_DIV && code != TAP_OP_MOD && code != TAP_OP_SHR)
		is_signed = false;
	return make(pool, &(struct tap_expr) {
		.kind = TAP_EXPR_ARITHMETIC, .code = code,
		.size = is_signed ? 8 | TAP_OP_SIGNED : 8, .a = a, .b = b,
		.registers = commutes(code) ? both(a, b) :
			     is_const(b) ? a->registers :
			     most(a->registers, 1 + b->registers),
	});
}

static __u8 mirrored(__u8 code)
{
	switch (code) {
	case TAP_OP_JLT:
		return TAP_OP_JGT;
	case TAP_OP_JLE:
		return TAP_OP_JGE;
	case TAP_OP_JGT:
		return TAP_OP_JLT;
	case TAP_OP_JGE:
		return TAP_OP_JLE;
	}
	return code;
}

/* Compares 64-bit values. The result is 0 or 1. */
const struct tap_expr *tap_expr_compare(struct tap_expr_pool *pool, __u8 code,
					bool is_signed,
					const struct tap_expr *a,
					const struct tap_expr *b)
{
	const struct tap_expr *t;

	if (is_const(a) && is_const(b))
		return tap_expr_const(pool, tap_arith_jumps(code, is_signed,
							    a->imm, b->imm));
	if (is_const(a)) {
		t = a;
		a = b;
		b = t;
		code = mirrored(code);
	}
	if (code == TAP_OP_JEQ || code == TAP_OP_JNE)
		is_signed = false;
	return make(pool, &(struct tap_expr) {
		.kind = TAP_EXPR_COMPARE, .code = code,
		.size = is_signed ? 8 | TAP_OP_SIGNED : 8, .a = a, .b = b,
		.registers = both(a, b),
	});
}

/* Compares text with a pattern. @a may be NULL. The result is 0 or 1. */
const struct tap_expr *tap_expr_match(struct tap_expr_pool *pool, __u8 code,
				      bool glob, const struct tap_expr *a,
				      __s64 off, __u64 imm)
{
	unsigned int needs = a ? TAP_NEEDS_MEMORY : 0;

	if (pool->after || (code == TAP_OP_MATCH_USER && pool->user_late))
		needs |= TAP_NEEDS_RETURN;
	if (a)
		a = reach(pool, a, &off);
	return make(pool, &(struct tap_expr) {
		.kind = TAP_EXPR_MATCH, .code = code,
		.size = glob ? TAP_OP_GLOB : 0, .off = off, .imm = imm, .a = a,
		.needs = needs,
	});
}

/* Whether a value is not 0. The result is 0 or 1. */
const struct tap_expr *tap_expr_truth(struct tap_expr_pool *pool,
				      const struct tap_expr *a)
{
	if (a->kind >= TAP_EXPR_COMPARE && a->kind <= TAP_EXPR_NOT)
		return a;
	return tap_expr_compare(pool, TAP_OP_JNE, false, a,
				tap_expr_const(pool, 0));
}

/* And, or, not of any values; @b is NULL for not. The result is 0 or 1. */
const struct tap_expr *tap_expr_logic(struct tap_expr_pool *pool,
				      enum tap_expr_kind kind,
				      const struct tap_expr *a,
				      const struct tap_expr *b)
{
	a = tap_expr_truth(pool, a);
	if (kind == TAP_EXPR_NOT) {
		if (is_const(a))
			return tap_expr_const(pool, !a->imm);
		if (a->kind == TAP_EXPR_NOT)
			return a->a;
		return make(pool, &(struct tap_expr) {
			.kind = kind, .size = 8, .a = a });
	}
	b = tap_expr_truth(pool, b);
	/* A constant operand either decides the result or can be dropped. */
	if (is_const(a))
		return !a->imm == (kind == TAP_EXPR_AND) ? a : b;
	if (is_const(b))
		return !b->imm == (kind == TAP_EXPR_AND) ? b : a;
	return make(pool, &(struct tap_expr) {
		.kind = kind, .size = 8, .a = a, .b = b });
}

const struct tap_expr *tap_expr_cond(struct tap_expr_pool *pool,
				     const struct tap_expr *a,
				     const struct tap_expr *b,
				     const struct tap_expr *c)
{
	a = tap_expr_truth(pool, a);
	if (is_const(a))
		return a->imm ? b : c;
	return make(pool, &(struct tap_expr) {
		.kind = TAP_EXPR_COND, .size = 8, .a = a, .b = b, .c = c });
}

/**
 * tap_expr_untyped_retval() - the value of a return register whose type is not known
 * @pool: of the expression
 *
 * A function that returns int may leave the upper half of the register 0, so that -5 is
 * 0xfffffffb. Where no type says how wide the value is, a register from 0xfffff001 to
 * 0xffffffff is taken as the negative errno in its lower half, and any other as 64 bits:
 * the rule of %TAP_FMT_RETVAL.
 *
 * Return: the expression.
 */
const struct tap_expr *tap_expr_untyped_retval(struct tap_expr_pool *pool)
{
	const struct tap_expr *raw = tap_expr_value(pool, TAP_OP_RETVAL, 8, 0, 0);
	const struct tap_expr *above =
		tap_expr_arithmetic(pool, TAP_OP_SUB, false, raw,
				    tap_expr_const(pool, (__u32)-TAP_MAX_ERRNO));

	return tap_expr_cond(pool, tap_expr_compare(pool, TAP_OP_JLT, false, above,
						    tap_expr_const(pool, TAP_MAX_ERRNO)),
			     tap_expr_move(pool, raw, 4 | TAP_OP_SIGNED), raw);
}

static bool is_retval(const struct tap_expr *e, __u8 size)
{
	return e->kind == TAP_EXPR_VALUE && e->code == TAP_OP_RETVAL && e->size == size;
}

/**
 * tap_expr_raw_retval() - the register behind tap_expr_untyped_retval()
 * @e: any expression
 *
 * Return: the 64 bits of the register if @e is of tap_expr_untyped_retval(), else @e.
 */
const struct tap_expr *tap_expr_raw_retval(const struct tap_expr *e)
{
	if (e->kind == TAP_EXPR_COND && e->a->kind == TAP_EXPR_COMPARE &&
	    e->a->code == TAP_OP_JLT && e->a->b->imm == TAP_MAX_ERRNO &&
	    is_retval(e->b, 4 | TAP_OP_SIGNED) && is_retval(e->c, 8))
		return e->c;
	return e;
}

/* Whether an expression has a part that is of tap_expr_untyped_retval(). */
bool tap_expr_guesses_retval(const struct tap_expr *e)
{
	return e && (tap_expr_raw_retval(e) != e || tap_expr_guesses_retval(e->a) ||
		     tap_expr_guesses_retval(e->b) || tap_expr_guesses_retval(e->c));
}

/*
 * Whether two expressions have the same value at any time. May return false for equal
 * ones: looks at plain values and loads only.
 */
bool tap_expr_same(const struct tap_expr *a, const struct tap_expr *b)
{
	if (a == b)
		return true;
	if (a->kind != b->kind || a->code != b->code || a->size != b->size ||
	    a->off != b->off || a->imm != b->imm)
		return false;
	return a->kind == TAP_EXPR_VALUE ||
	       (a->kind == TAP_EXPR_LOAD && tap_expr_same(a->a, b->a));
}

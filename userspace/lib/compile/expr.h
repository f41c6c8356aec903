/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Expressions after type analysis. Private to libtap.
 */
#ifndef _TAP_COMPILE_EXPR_H
#define _TAP_COMPILE_EXPR_H

#include <libtap.h>

/**
 * enum tap_expr_kind - what an expression does
 * @TAP_EXPR_CONST: @imm
 * @TAP_EXPR_VALUE: op @code without a register operand; with %TAP_OP_IMM a number that
 *	differs between the places of one event, so it is not folded; with %TAP_OP_WORD and @imm
 *	the word of output @imm - 1, which is absent if its memory could not be read
 * @TAP_EXPR_LOAD: op @code, memory at @a + @off; with %TAP_OP_LENGTH and %TAP_OP_LENGTH_USER
 *	the length of text there, at most @imm; with %TAP_OP_CAPTURED value @off of the capture
 *	for the frame @a
 * @TAP_EXPR_MOVE: op @code on @a: %TAP_OP_MOVE the lowest bytes, by @size
 * @TAP_EXPR_ARITHMETIC: op @code on @a and @b
 * @TAP_EXPR_COMPARE: 1 if jump @code on @a and @b is taken, else 0
 * @TAP_EXPR_MATCH: op @code, text at @a + @off (@a may be NULL)
 * @TAP_EXPR_AND: @a && @b
 * @TAP_EXPR_OR: @a || @b
 * @TAP_EXPR_NOT: !@a
 * @TAP_EXPR_COND: @a ? @b : @c
 */
enum tap_expr_kind {
	TAP_EXPR_CONST,
	TAP_EXPR_VALUE,
	TAP_EXPR_LOAD,
	TAP_EXPR_MOVE,
	TAP_EXPR_ARITHMETIC,
	TAP_EXPR_COMPARE,
	TAP_EXPR_MATCH,
	TAP_EXPR_AND,
	TAP_EXPR_OR,
	TAP_EXPR_NOT,
	TAP_EXPR_COND,
};

/* What the value depends on. */
#define TAP_NEEDS_ENTRY		(1U << 0)	/* arguments, registers */
#define TAP_NEEDS_RETURN	(1U << 1)	/* duration, return value, counters */
#define TAP_NEEDS_MEMORY	(1U << 2)	/* may be unreadable: absent */

/**
 * struct tap_expr - an expression; immutable once made
 * @kind: enum tap_expr_kind
 * @code: enum tap_op_code
 * @size: as in struct tap_op
 * @off: as in struct tap_op
 * @imm: as in struct tap_op
 * @needs: TAP_NEEDS_* of the expression and its operands
 * @registers: registers that computing it needs
 * @weight: expressions in it, counted once for each use
 * @a: operand
 * @b: operand
 * @c: operand
 * @next: list of the pool
 */
struct tap_expr {
	enum tap_expr_kind kind;
	__u8 code;
	__u8 size;
	__s32 off;
	__u64 imm;
	unsigned int needs;
	unsigned int registers;
	unsigned int weight;
	const struct tap_expr *a;
	const struct tap_expr *b;
	const struct tap_expr *c;
	struct tap_expr *next;
};

/**
 * struct tap_expr_pool - expressions that are freed together
 * @list: all of them
 * @none: returned when out of memory, so that callers need not check each step
 * @failed: out of memory, or @heavy; the expressions are invalid
 * @heavy: an expression is larger than any program
 * @user_late: user memory is read at the return only, since a system call may fault it
 *	in
 * @after: in after(): whatever is made is read, or used, at the return
 */
struct tap_expr_pool {
	struct tap_expr *list;
	struct tap_expr none;
	bool failed;
	bool heavy;
	bool user_late;
	bool after;
};

void tap_expr_pool_free(struct tap_expr_pool *pool);
const struct tap_expr *tap_expr_const(struct tap_expr_pool *pool, __u64 value);
const struct tap_expr *tap_expr_value(struct tap_expr_pool *pool, __u8 code,
				      __u8 size, __s32 off, __u64 imm);
const struct tap_expr *tap_expr_load(struct tap_expr_pool *pool, bool user,
				     const struct tap_expr *a, __s64 off,
				     __u8 size);
const struct tap_expr *tap_expr_captured(struct tap_expr_pool *pool,
					 const struct tap_expr *frame, __u32 word);
const struct tap_expr *tap_expr_move(struct tap_expr_pool *pool,
				     const struct tap_expr *a, __u8 size);
const struct tap_expr *tap_expr_unary(struct tap_expr_pool *pool, __u8 code,
				      const struct tap_expr *a, __u8 size);
const struct tap_expr *tap_expr_length(struct tap_expr_pool *pool, bool user,
				       const struct tap_expr *a, __s64 off, __u64 most);
const struct tap_expr *tap_expr_arithmetic(struct tap_expr_pool *pool,
					   __u8 code, bool is_signed,
					   const struct tap_expr *a,
					   const struct tap_expr *b);
const struct tap_expr *tap_expr_compare(struct tap_expr_pool *pool, __u8 code,
					bool is_signed,
					const struct tap_expr *a,
					const struct tap_expr *b);
const struct tap_expr *tap_expr_match(struct tap_expr_pool *pool, __u8 code,
				      bool glob, const struct tap_expr *a,
				      __s64 off, __u64 imm);
const struct tap_expr *tap_expr_logic(struct tap_expr_pool *pool,
				      enum tap_expr_kind kind,
				      const struct tap_expr *a,
				      const struct tap_expr *b);
const struct tap_expr *tap_expr_cond(struct tap_expr_pool *pool,
				     const struct tap_expr *a,
				     const struct tap_expr *b,
				     const struct tap_expr *c);
const struct tap_expr *tap_expr_truth(struct tap_expr_pool *pool,
				      const struct tap_expr *a);
const struct tap_expr *tap_expr_untyped_retval(struct tap_expr_pool *pool);
const struct tap_expr *tap_expr_raw_retval(const struct tap_expr *e);
bool tap_expr_guesses_retval(const struct tap_expr *e);
bool tap_expr_same(const struct tap_expr *a, const struct tap_expr *b);
__u64 tap_extend(__u64 value, __u8 size);

#endif /* _TAP_COMPILE_EXPR_H */

/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * From expressions to the ops of a program. Private to libtap.
 */
#ifndef _TAP_COMPILE_CODEGEN_H
#define _TAP_COMPILE_CODEGEN_H

#include "compile/expr.h"

/**
 * struct tap_reg_cache - the value that a register holds
 * @e: the value, or NULL if the register cannot be reused
 * @guess: the value comes from memory that may have been unreadable, which only an
 *	output has reported; it may then be used as an address only
 */
struct tap_reg_cache {
	const struct tap_expr *e;
	bool guess;
};

/**
 * struct tap_codegen - a program that is being generated
 * @ops: its ops; has room for %TAP_MAX_OPS
 * @nr: number of @ops
 * @words: value words of a record so far
 * @outputs: outputs so far
 * @users: use() calls without release(), by register
 * @reg_cache: the value that each register holds
 * @output: an output was emitted in this part of the program
 * @full: error: too many ops
 * @deep: error: an expression needs too many registers
 */
struct tap_codegen {
	struct tap_op *ops;
	unsigned int nr;
	unsigned int words;
	unsigned int outputs;
	unsigned int users[TAP_NR_REGISTERS];
	struct tap_reg_cache reg_cache[TAP_NR_REGISTERS];
	bool output;
	bool full;
	bool deep;
};

void tap_codegen_test(struct tap_codegen *g, const struct tap_expr *e);
void tap_codegen_output(struct tap_codegen *g, const struct tap_expr *e);
void tap_codegen_bytes(struct tap_codegen *g, const struct tap_op *op,
		       const struct tap_expr *address);
void tap_codegen_return(struct tap_codegen *g);

#endif /* _TAP_COMPILE_CODEGEN_H */

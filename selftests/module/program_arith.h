/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The arithmetic of programs as uapi/linux/tap_program.h defines it. Written without the
 * module's code, since tests use it as the oracle.
 */
#ifndef _TEST_MODULE_PROGRAM_ARITH_H
#define _TEST_MODULE_PROGRAM_ARITH_H

#include <linux/tap.h>
#include <stdbool.h>

/* Result of TAP_OP_ADD to TAP_OP_SHR for two values. */
static inline __u64 op_calculate(const struct tap_op *op, __u64 a, __u64 b)
{
	bool sign = op->size & TAP_OP_SIGNED;

	switch (op->code) {
	case TAP_OP_ADD:
		return a + b;
	case TAP_OP_SUB:
		return a - b;
	case TAP_OP_MUL:
		return a * b;
	case TAP_OP_DIV:
		if (!b)
			return 0;
		if (sign)
			return b == -1ULL ? -a : (__u64)((__s64)a / (__s64)b);
		return a / b;
	case TAP_OP_MOD:
		if (!b)
			return 0;
		if (sign)
			return b == -1ULL ? 0 : (__u64)((__s64)a % (__s64)b);
		return a % b;
	case TAP_OP_AND:
		return a & b;
	case TAP_OP_OR:
		return a | b;
	case TAP_OP_XOR:
		return a ^ b;
	case TAP_OP_SHL:
		return a << (b & 63);
	default:
		return sign ? (__u64)((__s64)a >> (b & 63)) : a >> (b & 63);
	}
}

/* Whether TAP_OP_JUMP to TAP_OP_JSET jump. */
static inline bool op_jumps(const struct tap_op *op, __u64 a, __u64 b)
{
	bool less = op->size & TAP_OP_SIGNED ? (__s64)a < (__s64)b : a < b;

	switch (op->code) {
	case TAP_OP_JEQ:
		return a == b;
	case TAP_OP_JNE:
		return a != b;
	case TAP_OP_JLT:
		return less;
	case TAP_OP_JLE:
		return less || a == b;
	case TAP_OP_JGT:
		return !less && a != b;
	case TAP_OP_JGE:
		return !less;
	case TAP_OP_JSET:
		return a & b;
	default:
		return true;
	}
}

#endif /* _TEST_MODULE_PROGRAM_ARITH_H */

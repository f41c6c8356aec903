/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The arithmetic of programs, as uapi/linux/tap_program.h defines it: the one copy,
 * for the module, which runs it, and for libtap, which computes constants with it.
 *
 * On the hot path: nothing here is a call, or may trap.
 */
#ifndef _TAPMOD_COMMON_ARITH_H
#define _TAPMOD_COMMON_ARITH_H

#include <linux/tap.h>
#ifndef __KERNEL__
#include <stdbool.h>
#endif

/**
 * tap_arith_extend() - drop the upper bits of a value
 * @value: the value
 * @shift: how many bits are dropped from the top, at most 63
 * @sign: extend the sign of the rest
 *
 * Return: the rest as 64 bits.
 */
static __always_inline __u64 tap_arith_extend(__u64 value, unsigned int shift, bool sign)
{
	value <<= shift;
	return sign ? (__u64)((__s64)value >> shift) : value >> shift;
}

/**
 * tap_arith_divide() - divide, with a result for every divisor
 * @mod: the remainder, not the quotient
 * @sign: of signed numbers
 * @a: the dividend
 * @b: the divisor
 *
 * Return: the result; 0 if @b is 0.
 */
static __always_inline __u64 tap_arith_divide(bool mod, bool sign, __u64 a, __u64 b)
{
	if (!b)
		return 0;
	if (!sign)
		return mod ? a % b : a / b;
	/* The one quotient that does not fit would trap. */
	if (b == (__u64)-1)
		return mod ? 0 : -a;
	return mod ? (__u64)((__s64)a % (__s64)b) : (__u64)((__s64)a / (__s64)b);
}

/**
 * tap_arith_compute() - any arithmetic but division
 * @code: %TAP_OP_ADD to %TAP_OP_SHR, but not %TAP_OP_DIV or %TAP_OP_MOD
 * @sign: shift right as a signed number
 * @a: left operand
 * @b: right operand
 *
 * Return: the result.
 */
static __always_inline __u64 tap_arith_compute(unsigned int code, bool sign, __u64 a, __u64 b)
{
	switch (code) {
	case TAP_OP_ADD:
		return a + b;
	case TAP_OP_SUB:
		return a - b;
	case TAP_OP_MUL:
		return a * b;
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

/**
 * tap_arith_jumps() - whether a conditional jump is taken
 * @code: %TAP_OP_JEQ to %TAP_OP_JSET
 * @sign: compare signed numbers
 * @a: left operand
 * @b: right operand
 *
 * Return: whether it is taken.
 */
static __always_inline bool tap_arith_jumps(unsigned int code, bool sign, __u64 a, __u64 b)
{
	/* With the sign bit inverted, signed order is unsigned order. */
	if (sign) {
		a ^= 1ULL << 63;
		b ^= 1ULL << 63;
	}
	switch (code) {
	case TAP_OP_JEQ:
		return a == b;
	case TAP_OP_JNE:
		return a != b;
	case TAP_OP_JLT:
		return a < b;
	case TAP_OP_JLE:
		return a <= b;
	case TAP_OP_JGT:
		return a > b;
	case TAP_OP_JGE:
		return a >= b;
	default:
		return a & b;
	}
}

#endif /* _TAPMOD_COMMON_ARITH_H */

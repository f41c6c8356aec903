/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The arithmetic of programs, as uapi/linux/tap_program.h defines it. The module, which
 * runs programs, and libtap, which folds constants, share this copy.
 *
 * The hot path uses these functions: none calls another function, and none can trap.
 */
#ifndef _TAPMOD_COMMON_ARITH_H
#define _TAPMOD_COMMON_ARITH_H

#include <linux/tap.h>
#ifndef __KERNEL__
#include <stdbool.h>
#endif

/**
 * tap_arith_extend() - extend a narrow value to 64 bits
 * @value: any; its upper @shift bits are dropped
 * @shift: 64 less the width of the narrow value in bits; 0 to 63
 * @sign: sign-extend; else zero-extend
 *
 * Context: any.
 * Return: the extended value.
 */
static __always_inline __u64 tap_arith_extend(__u64 value, unsigned int shift, bool sign)
{
	value <<= shift;
	return sign ? (__u64)((__s64)value >> shift) : value >> shift;
}

/**
 * tap_arith_divide() - divide without a trap
 * @mod: compute the remainder; else the quotient
 * @sign: @a and @b are signed; quotients round towards 0
 * @a: dividend
 * @b: divisor, any value
 *
 * Context: any.
 * Return: the result modulo 2^64; 0 if @b is 0.
 */
static __always_inline __u64 tap_arith_divide(bool mod, bool sign, __u64 a, __u64 b)
{
	if (!b)
		return 0;
	if (!sign)
		return mod ? a % b : a / b;
	/* S64_MIN / -1 does not fit into 64 bits: the instruction would trap on x86. */
	if (b == (__u64)-1)
		return mod ? 0 : -a;
	return mod ? (__u64)((__s64)a % (__s64)b) : (__u64)((__s64)a / (__s64)b);
}

/**
 * tap_arith_compute() - all arithmetic except division
 * @code: %TAP_OP_ADD to %TAP_OP_SHR, except %TAP_OP_DIV and %TAP_OP_MOD
 * @sign: %TAP_OP_SHR shifts copies of the sign bit in; other codes ignore it
 * @a: left operand
 * @b: right operand; of a shift only the lowest 6 bits count
 *
 * Context: any.
 * Return: the result modulo 2^64.
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
 * tap_arith_swap() - reverse the order of bytes
 * @value: any; its upper bytes are dropped
 * @bytes: 1, 2, 4 or 8
 *
 * Context: any.
 * Return: the lowest @bytes bytes in the reverse order, zero-extended.
 */
static __always_inline __u64 tap_arith_swap(__u64 value, unsigned int bytes)
{
	return __builtin_bswap64(value) >> (64 - 8 * bytes);
}

/**
 * tap_arith_log2() - the highest bit
 * @value: any
 *
 * Context: any.
 * Return: the number of the highest bit that is set; 0 if none is.
 */
static __always_inline __u64 tap_arith_log2(__u64 value)
{
	/* The builtin is not defined for 0. */
	return 63 - __builtin_clzll(value | 1);
}

/**
 * tap_arith_jumps() - evaluate the condition of a jump
 * @code: %TAP_OP_JEQ to %TAP_OP_JSET
 * @sign: @a and @b are signed; %TAP_OP_JSET must not have it
 * @a: left operand
 * @b: right operand
 *
 * Context: any.
 * Return: true if the jump is taken.
 */
static __always_inline bool tap_arith_jumps(unsigned int code, bool sign, __u64 a, __u64 b)
{
	/* With the sign bits inverted, unsigned order is the signed order of before. */
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

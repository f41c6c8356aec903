/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What an instruction of this architecture does to its registers, as far as it matters for where the
 * value of a register comes from. Private to libtap.
 */
#ifndef _TAP_UTIL_INSN_FLOW_H
#define _TAP_UTIL_INSN_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * enum tap_insn_kind - what an instruction does
 * @TAP_INSN_OTHER: it computes the registers of @writes
 * @TAP_INSN_CONST: @to becomes @value
 * @TAP_INSN_COPY: @to becomes @from
 * @TAP_INSN_NEGATE: @to becomes @from with the other sign
 * @TAP_INSN_SELECT: @to becomes @from or @other
 * @TAP_INSN_TEST: it compares @from with 0
 * @TAP_INSN_CALL: it calls a function, which returns
 * @TAP_INSN_JUMP: it jumps to @target
 * @TAP_INSN_BRANCH: it may jump to @target
 * @TAP_INSN_RETURN: it returns
 * @TAP_INSN_LEAVE: it jumps to a place that it computes
 */
enum tap_insn_kind {
	TAP_INSN_OTHER,
	TAP_INSN_CONST,
	TAP_INSN_COPY,
	TAP_INSN_NEGATE,
	TAP_INSN_SELECT,
	TAP_INSN_TEST,
	TAP_INSN_CALL,
	TAP_INSN_JUMP,
	TAP_INSN_BRANCH,
	TAP_INSN_RETURN,
	TAP_INSN_LEAVE,
};

/* A location is a register, or a word of the stack: the base register and its distance. */
#define TAP_INSN_SLOT(base, at)	((1LL << 40) | (int64_t)(base) << 32 | (uint32_t)(at))
#define TAP_INSN_NOWHERE	(-1LL)
/* arm64: the register that is always 0. */
#define TAP_INSN_ZERO		32LL

/**
 * struct tap_insn_flow - an instruction
 * @kind: enum tap_insn_kind
 * @len: bytes
 * @writes: registers that it changes, a bit each; calls: not those that a function may change
 * @to: location
 * @from: location
 * @other: location
 * @value: of %TAP_INSN_CONST
 * @target: of jumps: distance from the start of the instruction, unless a relocation has it
 * @field: of calls and jumps: where in the instruction a relocation is
 * @zero: of branches: it jumps if a value is 0 (1), or if it is not (-1); 0: neither. The value is that of
 *	@from, or else of the %TAP_INSN_TEST before
 */
struct tap_insn_flow {
	enum tap_insn_kind kind;
	unsigned int len;
	uint32_t writes;
	int64_t to;
	int64_t from;
	int64_t other;
	int64_t value;
	int64_t target;
	unsigned int field;
	int zero;
};

/* The register of return values, and those that a called function may change. */
#if defined(__x86_64__)
#define TAP_INSN_RESULT		0
#define TAP_INSN_CLOBBERED	0x0fc7U
#else
#define TAP_INSN_RESULT		0
#define TAP_INSN_CLOBBERED	0x4007ffffU
#endif

bool tap_insn_flow(const uint8_t *code, size_t len, struct tap_insn_flow *insn);

#endif /* _TAP_UTIL_INSN_FLOW_H */

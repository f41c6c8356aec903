// SPDX-License-Identifier: GPL-2.0
/*
 * The form of operations: which members each of them uses, and for what.
 */
#include <linux/bits.h>
#include <linux/kernel.h>

#include "exec/op_form.h"

/* How an operation uses its members; an unused member must be 0. */
#define USES_DST	BIT(0)	/* @dst: writes a register, or TAP_OP_OUT */
#define USES_REG	BIT(1)	/* @dst: reads (and may write) a register */
#define USES_OUT	BIT(2)	/* @dst: must be TAP_OP_OUT */
#define USES_SRC	BIT(3)	/* @src: reads a register */
#define USES_OPERAND	BIT(4)	/* @src: reads a register, or TAP_OP_IMM_SRC: then @imm */
#define USES_SIZE	BIT(5)	/* @size: 1, 2, 4 or 8, and perhaps TAP_OP_SIGNED */
#define USES_WORD	BIT(6)	/* @size: 8 */
#define USES_SIGN	BIT(7)	/* @size: perhaps TAP_OP_SIGNED */
#define USES_OFF	BIT(8)
#define USES_IMM	BIT(9)
#define USES_SET	BIT(10)	/* @dst: writes a register */

#define VALUE		(USES_DST | USES_SIZE)
#define ARITHMETIC	(USES_REG | USES_OPERAND | USES_WORD)
#define COMPARE		(USES_REG | USES_OPERAND | USES_WORD | USES_OFF)
#define MATCH		(USES_SET | USES_IMM)
#define TEXT		(USES_OUT | USES_IMM)

static const u16 tap_op_uses[] = {
	[TAP_OP_ARG]		= VALUE | USES_OFF,
	[TAP_OP_REG]		= VALUE | USES_OFF,
	[TAP_OP_RETVAL]		= VALUE,
	[TAP_OP_FIELD]		= VALUE | USES_OFF,
	[TAP_OP_VAR]		= USES_DST | USES_WORD | USES_OFF | USES_IMM,
	[TAP_OP_IMM]		= USES_DST | USES_WORD | USES_IMM,
	[TAP_OP_MOVE]		= VALUE | USES_SRC,
	[TAP_OP_WORD]		= VALUE | USES_OFF,
	[TAP_OP_LOAD]		= VALUE | USES_SRC | USES_OFF,
	[TAP_OP_LOAD_USER]	= VALUE | USES_SRC | USES_OFF,
	[TAP_OP_PMU]		= USES_DST | USES_WORD | USES_OFF,
	[TAP_OP_SWAP]		= VALUE | USES_SRC,
	[TAP_OP_LOG2]		= USES_DST | USES_WORD | USES_SRC,
	[TAP_OP_CAPTURED]	= VALUE | USES_SRC | USES_OFF,
	[TAP_OP_ADD]		= ARITHMETIC,
	[TAP_OP_SUB]		= ARITHMETIC,
	[TAP_OP_MUL]		= ARITHMETIC,
	[TAP_OP_DIV]		= ARITHMETIC | USES_SIGN,
	[TAP_OP_MOD]		= ARITHMETIC | USES_SIGN,
	[TAP_OP_AND]		= ARITHMETIC,
	[TAP_OP_OR]		= ARITHMETIC,
	[TAP_OP_XOR]		= ARITHMETIC,
	[TAP_OP_SHL]		= ARITHMETIC,
	[TAP_OP_SHR]		= ARITHMETIC | USES_SIGN,
	[TAP_OP_JUMP]		= USES_OFF,
	[TAP_OP_JEQ]		= COMPARE,
	[TAP_OP_JNE]		= COMPARE,
	[TAP_OP_JLT]		= COMPARE | USES_SIGN,
	[TAP_OP_JLE]		= COMPARE | USES_SIGN,
	[TAP_OP_JGT]		= COMPARE | USES_SIGN,
	[TAP_OP_JGE]		= COMPARE | USES_SIGN,
	[TAP_OP_JSET]		= COMPARE,
	[TAP_OP_MATCH]		= MATCH | USES_SRC | USES_OFF,
	[TAP_OP_MATCH_USER]	= MATCH | USES_SRC | USES_OFF,
	[TAP_OP_MATCH_COMM]	= MATCH,
	[TAP_OP_MATCH_FIELD]	= MATCH | USES_OFF,
	[TAP_OP_MATCH_DATA_LOC]	= MATCH | USES_OFF,
	[TAP_OP_LENGTH]		= MATCH | USES_SRC | USES_OFF,
	[TAP_OP_LENGTH_USER]	= MATCH | USES_SRC | USES_OFF,
	[TAP_OP_COMM]		= USES_OUT,
	[TAP_OP_STRING]		= TEXT | USES_SRC | USES_OFF,
	[TAP_OP_STRING_USER]	= TEXT | USES_SRC | USES_OFF,
	[TAP_OP_BYTES]		= TEXT | USES_SRC | USES_OFF,
	[TAP_OP_BYTES_USER]	= TEXT | USES_SRC | USES_OFF,
	[TAP_OP_FIELD_BYTES]	= TEXT | USES_OFF,
	[TAP_OP_FIELD_STRING]	= TEXT | USES_OFF,
	[TAP_OP_DATA_LOC]	= TEXT | USES_OFF,
	[TAP_OP_KSTACK]		= TEXT,
	[TAP_OP_USTACK]		= TEXT | USES_OFF,
	[TAP_OP_JOIN]		= TEXT | USES_SRC | USES_OFF,
	[TAP_OP_JOIN_USER]	= TEXT | USES_SRC | USES_OFF,
	[TAP_OP_PATH]		= TEXT | USES_SRC | USES_OFF,
	[TAP_OP_DENTRY]		= TEXT | USES_SRC | USES_OFF,
	[TAP_OP_USTACK_COPY]	= TEXT,
	[TAP_OP_DIVISION]	= USES_OUT | USES_OFF,
	[TAP_OP_WAIT_STACK]	= TEXT | USES_OFF,
};

static bool tap_op_is_match(const struct tap_op *op)
{
	return op->code >= TAP_OP_MATCH && op->code <= TAP_OP_MATCH_DATA_LOC;
}

/**
 * tap_op_wellformed() - check the members of an operation, each by itself
 * @op: of the user
 *
 * Context: process.
 * Return: false: there is no such operation, or a member has a value that it cannot have.
 */
bool tap_op_wellformed(const struct tap_op *op)
{
	unsigned int uses = op->code < ARRAY_SIZE(tap_op_uses) ?
			    tap_op_uses[op->code] : 0;
	bool out = op->dst == TAP_OP_OUT;
	bool imm = uses & USES_IMM;
	u8 flags = 0, size = op->size;

	if (!uses)
		return false;
	if (!out && op->dst >= TAP_NR_REGISTERS)
		return false;
	if (uses & USES_OUT ? !out : out && !(uses & USES_DST))
		return false;
	if (!(uses & (USES_DST | USES_SET | USES_REG | USES_OUT)) && op->dst)
		return false;

	if (uses & USES_OPERAND && op->src == TAP_OP_IMM_SRC)
		imm = true;
	else if (op->src >= (uses & (USES_SRC | USES_OPERAND) ?
			     TAP_NR_REGISTERS : 1))
		return false;
	if ((!imm && op->imm) || (!(uses & USES_OFF) && op->off))
		return false;

	if (uses & (USES_SIZE | USES_SIGN))
		flags = TAP_OP_SIGNED;
	else if (tap_op_is_match(op))
		flags = TAP_OP_GLOB;
	else if (op->code == TAP_OP_DATA_LOC)
		flags = TAP_OP_TEXT;
	size &= ~flags;
	if (uses & USES_SIZE)
		return size == 1 || size == 2 || size == 4 || size == 8;
	/* 8: the id of the stack. */
	if (op->code == TAP_OP_KSTACK || op->code == TAP_OP_USTACK ||
	    op->code == TAP_OP_WAIT_STACK)
		return !size || size == 8;
	return size == (uses & USES_WORD ? 8 : 0);
}

/**
 * tap_op_reads() - the registers that an instruction reads
 * @insn: of an operation that is well formed
 *
 * Context: process.
 * Return: a bit for each register.
 */
u8 tap_op_reads(const struct tap_insn *insn)
{
	unsigned int uses = tap_op_uses[insn->sub];
	u8 reads = 0;

	if (uses & USES_SRC || (uses & USES_OPERAND && insn->src != TAP_OP_IMM_SRC))
		reads |= BIT(insn->src);
	if (uses & USES_REG)
		reads |= BIT(insn->dst);
	return reads;
}

/**
 * tap_op_writes() - the register that an instruction writes, and may not have read before
 * @insn: of an operation that is well formed
 *
 * Context: process.
 * Return: its bit; 0: it writes an output, or what it also reads, or nothing.
 */
u8 tap_op_writes(const struct tap_insn *insn)
{
	return tap_op_uses[insn->sub] & (USES_DST | USES_SET) && insn->dst < TAP_DST_OUT ?
	       BIT(insn->dst) : 0;
}

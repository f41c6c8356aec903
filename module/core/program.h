/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_CORE_PROGRAM_H
#define _TAPMOD_CORE_PROGRAM_H

#include <linux/tap.h>
#include <linux/types.h>

/* Arguments that a program can name. */
#define TAP_NR_ARGS	6

/**
 * enum tap_insn_code - what a verified instruction does
 *
 * The codes of enum tap_op_code, regrouped: operations that differ only in where they
 * read share a code, and those that differ in how they read have several. The order
 * matters: the interpreter tests for the most frequent codes first.
 *
 * @TAP_INSN_BASE: the 8 bytes at an offset of the event's base: registers,
 *	arguments, the event's own data
 * @TAP_INSN_JNE: jump if a register differs from a constant
 * @TAP_INSN_JUMP: jump as @cond says, on a register and a register or constant
 * @TAP_INSN_TGID: the process
 * @TAP_INSN_LOAD: kernel memory
 * @TAP_INSN_BASE_PART: 1, 2 or 4 bytes at an offset of the event's base
 * @TAP_INSN_COMM: the task's name, two words
 * @TAP_INSN_VALUE: any other value of one word; @sub says which
 * @TAP_INSN_BYTES: any other output; @sub says which
 */
enum tap_insn_code {
	TAP_INSN_BASE,
	TAP_INSN_JNE,
	TAP_INSN_JUMP,
	TAP_INSN_TGID,
	TAP_INSN_LOAD,
	TAP_INSN_BASE_PART,
	TAP_INSN_COMM,
	TAP_INSN_VALUE,
	TAP_INSN_BYTES,
};

/* Bits of a word above a value of this many bytes. */
#define TAP_SHIFT(bytes)	(64 - 8 * (bytes))

/* tap_insn.dst: from here on it is the number of an output. */
#define TAP_DST_OUT	TAP_NR_REGISTERS

/**
 * struct tap_insn - a verified instruction
 * @code: enum tap_insn_code
 * @dst: register, or output number above %TAP_DST_OUT
 * @src: register, or %TAP_OP_IMM_SRC; of a counter: 1 at a call's return
 * @sub: enum tap_op_code where the code stands for many
 * @size: bytes of a value; of a stack: enum tap_stack_from
 * @sign: extend its sign, or compare, divide, shift as signed
 * @off: offset; of a jump: target relative to the next instruction, or
 *	%TAP_OP_REJECT
 * @imm: as the user gave it
 */
struct tap_insn {
	u8 code;
	u8 dst;
	u8 src;
	u8 sub;
	u8 size;
	u8 sign;
	s32 off;
	u64 imm;
};

/**
 * struct tap_part - instructions that run at one moment
 * @insns: the instructions; tests first
 * @tests: how many of them can still reject the event
 * @last_jump: index of the last jump among the tests: an unreadable value before it
 *	gives the event up
 * @end: number of @insns
 * @clear: a register may be read before it is written: all must be set to 0 first
 */
struct tap_part {
	struct tap_insn *insns;
	u16 tests;
	u16 last_jump;
	u16 end;
	bool clear;
};

/**
 * struct tap_program - what a probe does with an event
 * @nr_ops: instructions as the user gave them
 * @nr_outputs: outputs among them
 * @words: value words of a record
 * @entry_words: words of @words that the entry has written
 * @tested: there is a test at the entry
 * @separable: the tests read neither the base nor memory, and the instructions behind
 *	them do not read registers that the tests write: the tests may run earlier
 * @event: the base is an event's own data
 * @nr_pmu: of a call: counters that are read at its entry for its return
 * @entry: what runs at the event; of a call: at its entry
 * @ret: of a call: what runs at its return
 * @insns: the instructions of both
 * @ops: the instructions as the user gave them, for reading back
 * @data: patterns
 * @data_len: their bytes
 * @output_of: which output the first words belong to, or %TAP_NO_OUTPUT
 */
struct tap_program {
	u16 nr_ops;
	u16 nr_outputs;
	u16 words;
	u16 entry_words;
	bool tested;
	bool separable;
	bool event;
	u8 nr_pmu;
	struct tap_part entry;
	struct tap_part ret;
	struct tap_insn *insns;
	struct tap_op *ops;
	u8 *data;
	u32 data_len;
	u8 output_of[TAP_MAX_AGG_WORDS];
};

#define TAP_NO_OUTPUT	0xff

/**
 * struct tap_program_env - the values that a type of probe offers to a program
 * @arg_offset: offset of argument n in the base, or NULL: there are none
 * @regs: the base is a struct pt_regs that may be read by offset
 * @retval: its return register holds the result
 * @returns: the program may have a part for the return, whose base has the
 *	result at @retval_offset
 * @syscall: the first word of the base is the number of a system call
 * @func: the base is a struct pt_regs at the entry of a function, with only the
 *	registers that ftrace saves; its instruction pointer identifies the function
 * @user: the base is a struct pt_regs of the task's program
 * @retval_offset: offset of the result in the base
 * @event_size: bytes that an event's own data, the base, has at least; else 0
 * @sample: with @event_size: the registers are those of the interrupted context
 * @nr_pmu: counters that the session has
 * @first_word: value words that the probe itself puts before the outputs
 */
struct tap_program_env {
	const u16 *arg_offset;
	bool regs;
	bool retval;
	bool returns;
	bool syscall;
	bool func;
	bool user;
	u16 retval_offset;
	u32 event_size;
	bool sample;
	u16 first_word;
	u8 nr_pmu;
};

#endif /* _TAPMOD_CORE_PROGRAM_H */

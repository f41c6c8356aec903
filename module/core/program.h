/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_CORE_PROGRAM_H
#define _TAPMOD_CORE_PROGRAM_H

#include <linux/tap.h>
#include <linux/types.h>

/* TAP_OP_ARG takes argument numbers below this. */
#define TAP_NR_ARGS	6

/**
 * enum tap_insn_code - what a verified instruction does
 *
 * The codes of enum tap_op_code, regrouped by what the interpreter executes. The *base* of
 * an event is the memory from which its program reads: registers, arguments, or the
 * event's own data. The order of the codes matters: the interpreter tests for the most
 * frequent codes first, and tests for both jumps with one comparison.
 *
 * @TAP_INSN_BASE: load 8 bytes at an offset of the base
 * @TAP_INSN_JNE: jump if a register differs from a constant
 * @TAP_INSN_JUMP: any other jump: @sub is its enum tap_op_code
 * @TAP_INSN_TGID: the process id
 * @TAP_INSN_LOAD: load kernel memory
 * @TAP_INSN_BASE_PART: load 1, 2 or 4 bytes at an offset of the base
 * @TAP_INSN_COMM: output the task's name, two words
 * @TAP_INSN_VALUE: any other value of one word: @sub is its enum tap_op_code
 * @TAP_INSN_BYTES: any other output: @sub is its enum tap_op_code
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

/* Bits of a word above a value of this many bytes: @shift of tap_arith_extend(). */
#define TAP_SHIFT(bytes)	(64 - 8 * (bytes))

/* tap_insn.dst of output number n is TAP_DST_OUT + n. */
#define TAP_DST_OUT	TAP_NR_REGISTERS

/**
 * struct tap_insn - a verified instruction
 * @code: enum tap_insn_code
 * @dst: register, or %TAP_DST_OUT plus the number of an output
 * @src: register, or %TAP_OP_IMM_SRC; of a counter: 1 if it is read at a call's return
 * @sub: enum tap_op_code as the user gave it
 * @size: bytes of a value; of a match %TAP_OP_GLOB or 0; of TAP_OP_DATA_LOC %TAP_OP_TEXT or
 *	0; of a stack enum tap_stack_from
 * @sign: not 0: sign-extend the value, or compare, divide or shift signed numbers
 * @off: offset; of a jump: instructions to skip, or %TAP_OP_REJECT
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
 * struct tap_part - the instructions of an entry, or of a return
 * @insns: the instructions; tests first
 * @tests: number of instructions up to the last test, those that a test jumps over included
 * @last_jump: index of the last jump among the tests. A value before it that cannot be
 *	read gives the event up
 * @end: number of @insns
 * @clear: an instruction may read a register before one writes it: the interpreter must
 *	set all registers to 0 first
 */
struct tap_part {
	struct tap_insn *insns;
	u16 tests;
	u16 last_jump;
	u16 end;
	bool clear;
};

/**
 * struct tap_program - a verified program; does not change while a probe uses it
 * @nr_ops: length of @ops
 * @nr_outputs: number of outputs in both parts
 * @words: value words of a record
 * @entry_words: how many of @words are there after the entry, those of the probe itself
 *	included
 * @tested: the entry has a test
 * @separable: the tests read neither the base nor memory nor a counter, and the
 *	instructions behind them read no register that the tests write: the tests may run
 *	at an earlier moment than the rest
 * @follows: an instruction reads %TAP_VAR_FOLLOWED
 * @event: the base is the event's own data
 * @lasts: of a call: the return reads the duration
 * @divides: the duration is divided: an instruction reads a part of it
 * @nr_pmu: of a call or span: number of counters that its entry must read because the return
 *	asks for their growth
 * @cost: instructions that it takes at most, see tap_program_cost()
 * @entry: runs at the event; of a call: at its entry
 * @ret: of a call: runs at its return
 * @insns: memory of @entry.insns and @ret.insns
 * @ops: the operations as the user gave them, for TAP_IOC_PROBE_INFO
 * @data: patterns of TAP_OP_MATCH*
 * @data_len: bytes of @data
 * @output_of: for each of the first words the number of its output, or %TAP_NO_OUTPUT
 */
struct tap_program {
	u16 nr_ops;
	u16 nr_outputs;
	u16 words;
	u16 entry_words;
	bool tested;
	bool separable;
	bool follows;
	bool event;
	bool lasts;
	bool divides;
	u8 nr_pmu;
	u32 cost;
	struct tap_part entry;
	struct tap_part ret;
	struct tap_insn *insns;
	struct tap_op *ops;
	u8 *data;
	u32 data_len;
	u8 output_of[TAP_MAX_AGG_WORDS];
};

/* tap_program.output_of: the probe itself writes the word. */
#define TAP_NO_OUTPUT	0xff

/**
 * struct tap_program_env - the values that a type of probe offers to a program
 * @arg_offset: offsets of the arguments in the base; NULL: the event has no arguments
 * @regs: the base is a struct pt_regs that may be read by offset
 * @retval: the event is a return, and the base has the result at @retval_offset
 * @returns: the program may have a part for the return, whose base has the result at
 *	@retval_offset
 * @syscall: the first word of the base is the number of a system call
 * @func: the base is a struct pt_regs at the entry of a function, with only the
 *	registers that ftrace saves; its instruction pointer identifies the function
 * @user: the base is a struct pt_regs of the task's program
 * @retval_offset: offset of the result in the base, in bytes
 * @event_size: the base is the event's own data, of at least this many bytes; else 0
 * @sample: with @event_size: the registers are those of the interrupted context
 * @nr_pmu: number of counters of the session
 * @lasts: the event has a duration
 * @encloses: calls of the probe know whether they are inside of another one
 * @stacks: the session has a table of stacks
 * @captured: values of an entry for %TAP_OP_CAPTURED
 * @frames: the session has a table of tasks with %TAP_TASKS_F_FRAMES
 * @division: the same with %TAP_TASKS_F_DIVISION
 * @triggers: the rings of the session are overwritten
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
	bool lasts;
	bool encloses;
	bool stacks;
	u16 captured;
	bool frames;
	bool triggers;
	bool division;
};

#endif /* _TAPMOD_CORE_PROGRAM_H */

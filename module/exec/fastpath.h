/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fast path: a program without jumps inside and without arithmetic, as most are,
 * translated into few ops, each of which fetches a value and then tests it or appends
 * it. It needs no registers, and so no stack.
 */
#ifndef _TAPMOD_EXEC_FASTPATH_H
#define _TAPMOD_EXEC_FASTPATH_H

#include <linux/tap.h>
#include <linux/types.h>

struct tapmod_probe;

/**
 * enum tap_fastpath_source - where the value of an op comes from
 * @TAP_FASTPATH_BASE: 8 bytes at an offset of the base
 * @TAP_FASTPATH_TGID: the process
 * @TAP_FASTPATH_TASK: any other variable of the task
 * @TAP_FASTPATH_ABSENT: which outputs so far are absent
 * @TAP_FASTPATH_COMM: the task's name, two words; only an output
 */
enum tap_fastpath_source {
	TAP_FASTPATH_BASE,
	TAP_FASTPATH_TGID,
	TAP_FASTPATH_TASK,
	TAP_FASTPATH_ABSENT,
	TAP_FASTPATH_COMM,
};

#define TAP_FASTPATH_LEVELS	2

/**
 * struct tap_fastpath_op - fetch a value, and test or append it
 * @source: enum tap_fastpath_source
 * @levels: how often it is an address that is followed
 * @shift: bits of the value that do not count, from the top; with @sign: more
 *	than a move
 * @sign: those that do are signed
 * @size: bytes that are read at the last level; 8 at those before
 * @output: of an output: its number
 * @at: offset in the base; of @TAP_FASTPATH_TASK: enum tap_var
 * @off: what is added to the address at each level
 * @mask: of a test: the bits that are tested
 * @low: of a test: the lowest value of them that passes
 * @span: of a test: by how much the highest is above it, modulo 2^64: so the order
 *	of signed numbers is no other, and all but one is an interval as well
 * @which: of @TAP_FASTPATH_TASK: its operand
 */
struct tap_fastpath_op {
	u8 source;
	u8 levels;
	u8 shift;
	u8 sign;
	u8 size;
	u8 output;
	u16 at;
	s32 off[TAP_FASTPATH_LEVELS];
	u64 mask;
	u64 low;
	u64 span;
	u64 which;
};

/**
 * enum tap_fastpath_kind - where a word of a record of one slot comes from
 * @TAP_FASTPATH_ZERO: nothing
 * @TAP_FASTPATH_WORD: 8 bytes at an offset of the base
 * @TAP_FASTPATH_FOLLOW: 8 bytes at an offset of where that leads to
 * @TAP_FASTPATH_NAME0: the first word of the task's name
 * @TAP_FASTPATH_NAME1: the second
 */
enum tap_fastpath_kind {
	TAP_FASTPATH_ZERO,
	TAP_FASTPATH_WORD,
	TAP_FASTPATH_FOLLOW,
	TAP_FASTPATH_NAME0,
	TAP_FASTPATH_NAME1,
};

/**
 * struct tap_fastpath_word - a word of a record of one slot
 * @kind: enum tap_fastpath_kind
 * @at: offset in the base
 * @off: of @TAP_FASTPATH_FOLLOW: what is added to the address
 */
struct tap_fastpath_word {
	u16 kind;
	u16 at;
	s32 off;
};

/**
 * struct tap_fastpath - the ops of a probe
 * @filters: how many of them are tests of what the base or the process is, with
 *	no memory to read; they come first
 * @tests: how many are tests at all; they come before the outputs
 * @one_slot: all tests are filters, and the record is one slot of @word
 * @by_key: the same, but events are counted by one of these words
 * @key: its index in @word
 * @nr_loads: outputs behind the tests that are nothing but 8 bytes of the base, as
 *	the probe has them
 * @nr: how many ops there are
 * @bytes: of the record
 * @word: of a record of one slot: where each of its words comes from
 * @ops: the ops
 */
struct tap_fastpath {
	u16 filters;
	u16 tests;
	u16 nr_loads;
	u16 nr;
	u16 bytes;
	bool one_slot;
	bool by_key;
	u8 key;
	struct tap_fastpath_word word[TAP_FIRST_VALUES];
	struct tap_fastpath_op ops[];
};

/**
 * struct tap_fetched - a value, if it could be fetched
 * @value: the value
 * @ok: it could
 *
 * In two registers, so that the fast path keeps nothing on the stack.
 */
struct tap_fetched {
	u64 value;
	u64 ok;
};

struct tap_fetched tap_fastpath_read(u64 from, unsigned int size);
int tap_fastpath_run(struct tapmod_probe *probe, const void *base, unsigned int trap);

#endif /* _TAPMOD_EXEC_FASTPATH_H */

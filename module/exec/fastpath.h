/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The plan: a program without jumps between its steps and without arithmetic, as
 * most are, put into few and simple ones, each of which fetches a value and then
 * tests it or appends it. It needs no registers, and so no stack.
 */
#ifndef _TAP_PLAN_H
#define _TAP_PLAN_H

#include <linux/tap.h>
#include <linux/types.h>

struct tap_probe;

/**
 * enum tap_plan_source - where the value of a step comes from
 * @TAP_PLAN_BASE: 8 bytes at an offset of the base
 * @TAP_PLAN_TGID: the process
 * @TAP_PLAN_TASK: any other variable of the task
 * @TAP_PLAN_ABSENT: which outputs so far are absent
 * @TAP_PLAN_COMM: the task's name, two words; only an output
 */
enum tap_plan_source {
	TAP_PLAN_BASE,
	TAP_PLAN_TGID,
	TAP_PLAN_TASK,
	TAP_PLAN_ABSENT,
	TAP_PLAN_COMM,
};

#define TAP_PLAN_LEVELS	2

/**
 * struct tap_plan_step - fetch a value, and test or append it
 * @source: enum tap_plan_source
 * @levels: how often it is an address that is followed
 * @shift: bits of the value that do not count, from the top; with @sign: more
 *	than a move
 * @sign: those that do are signed
 * @size: bytes that are read at the last level; 8 at those before
 * @output: of an output: its number
 * @at: offset in the base; of @TAP_PLAN_TASK: enum tap_var
 * @off: what is added to the address at each level
 * @mask: of a test: the bits that are tested
 * @low: of a test: the lowest value of them that passes
 * @span: of a test: by how much the highest is above it, modulo 2^64: so the order
 *	of signed numbers is no other, and all but one is an interval as well
 * @which: of @TAP_PLAN_TASK: its operand
 */
struct tap_plan_step {
	u8 source;
	u8 levels;
	u8 shift;
	u8 sign;
	u8 size;
	u8 output;
	u16 at;
	s32 off[TAP_PLAN_LEVELS];
	u64 mask;
	u64 low;
	u64 span;
	u64 which;
};

/**
 * enum tap_plan_kind - what a word of a simple record is
 * @TAP_PLAN_ZERO: nothing
 * @TAP_PLAN_WORD: 8 bytes at an offset of the base
 * @TAP_PLAN_FOLLOW: 8 bytes at an offset of where that leads to
 * @TAP_PLAN_NAME0: the first word of the task's name
 * @TAP_PLAN_NAME1: the second
 */
enum tap_plan_kind {
	TAP_PLAN_ZERO,
	TAP_PLAN_WORD,
	TAP_PLAN_FOLLOW,
	TAP_PLAN_NAME0,
	TAP_PLAN_NAME1,
};

/**
 * struct tap_plan_word - a word of a simple record
 * @kind: enum tap_plan_kind
 * @at: offset in the base
 * @off: of @TAP_PLAN_FOLLOW: what is added to the address
 */
struct tap_plan_word {
	u16 kind;
	u16 at;
	s32 off;
};

/**
 * struct tap_plan - the steps of a probe
 * @quick: how many of them are tests of what the base or the process is, with
 *	no memory to read; they come first
 * @tests: how many are tests at all; they come before the outputs
 * @simple: all tests are quick, and the record is one slot of simple words
 * @keyed: so it is, but hits are counted by one of those words alone
 * @key: which of them that is
 * @plain: outputs behind them that are nothing but 8 bytes of the base, as the
 *	probe has them
 * @nr: how many steps there are
 * @bytes: of the record
 * @word: of a simple record: what each word of its slot is
 * @steps: the steps
 */
struct tap_plan {
	u16 quick;
	u16 tests;
	u16 plain;
	u16 nr;
	u16 bytes;
	bool simple;
	bool keyed;
	u8 key;
	struct tap_plan_word word[TAP_FIRST_VALUES];
	struct tap_plan_step steps[];
};

int tap_plan_make(struct tap_probe *probe);
int tap_plan_hit(struct tap_probe *probe, const void *base, unsigned int trap);

#endif /* _TAP_PLAN_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fast path: the compiled form of a program without arithmetic, without jumps except
 * to TAP_OP_REJECT, and without text or arrays except the task's name and arrays of the
 * event's own data. Most programs are such. Each op fetches a value and then tests it or
 * appends it to the record. There are no registers, and so no struct tap_interp on the stack.
 */
#ifndef _TAPMOD_EXEC_FASTPATH_H
#define _TAPMOD_EXEC_FASTPATH_H

#include <linux/tap.h>
#include <linux/types.h>

struct tap_call;
struct tapmod_probe;

/**
 * enum tap_fastpath_source - where an op fetches its value
 * @TAP_FASTPATH_BASE: 8 bytes at an offset of the base
 * @TAP_FASTPATH_TGID: current->tgid
 * @TAP_FASTPATH_FOLLOWED: %TAP_VAR_FOLLOWED
 * @TAP_FASTPATH_INSIDE: %TAP_VAR_INSIDE
 * @TAP_FASTPATH_TASK: any other variable of the task, by tap_task_var()
 * @TAP_FASTPATH_ABSENT: %TAP_VAR_ABSENT
 * @TAP_FASTPATH_COMM: the task's name, two words; only as an output
 * @TAP_FASTPATH_BYTES: bytes of the base; only as an output
 */
enum tap_fastpath_source {
	TAP_FASTPATH_BASE,
	TAP_FASTPATH_TGID,
	TAP_FASTPATH_FOLLOWED,
	TAP_FASTPATH_INSIDE,
	TAP_FASTPATH_TASK,
	TAP_FASTPATH_ABSENT,
	TAP_FASTPATH_COMM,
	TAP_FASTPATH_BYTES,
};

/* Kernel memory that one op may read: an address, and memory at that address. */
#define TAP_FASTPATH_LEVELS	2

/**
 * struct tap_fastpath_op - fetch a value, and test or append it
 * @source: enum tap_fastpath_source
 * @levels: how many times the value is used as an address from which to read the next
 * @shift: upper bits of the value that are dropped, see tap_arith_extend()
 * @sign: sign-extend the rest
 * @size: bytes to read at the last level; the levels before read 8
 * @output: of an output: its number
 * @at: offset in the base; of @TAP_FASTPATH_TASK: enum tap_var
 * @off: added to the address at each level
 * @mask: of a test: the bits that are tested
 * @low: of a test: the first value that passes
 * @span: of a test: number of values behind @low that pass as well. The interval may wrap at
 *	2^64. So one comparison, (value & @mask) - @low <= @span, also tests signed
 *	intervals, and "not equal"
 * @which: of @TAP_FASTPATH_TASK and @TAP_FASTPATH_INSIDE: operand of the variable; of
 *	@TAP_FASTPATH_BYTES: how many; of @TAP_FASTPATH_FOLLOWED: address of the bits
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
 * @TAP_FASTPATH_ZERO: the word is 0
 * @TAP_FASTPATH_WORD: 8 bytes at an offset of the base
 * @TAP_FASTPATH_FOLLOW: those 8 bytes plus @off are an address: 8 bytes of kernel memory
 * @TAP_FASTPATH_NAME0: the first word of the task's name
 * @TAP_FASTPATH_NAME1: the second word of the task's name
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
 * @at: offset in the base, in bytes
 * @off: of @TAP_FASTPATH_FOLLOW: added to the address
 */
struct tap_fastpath_word {
	u16 kind;
	u16 at;
	s32 off;
};

/**
 * enum tap_fastpath_way - how an event whose filters have passed is handled
 * @TAP_FASTPATH_OPS: op by op
 * @TAP_FASTPATH_ONE_SLOT: the record is one slot of the words in @word
 * @TAP_FASTPATH_BY_KEY: events are only counted, by the key @word[@key]
 * @TAP_FASTPATH_TO_SPAN: all outputs are @nr_loads, which go to a span
 * @TAP_FASTPATH_IF_INSIDE: @behind, if the task is inside a frame
 *
 * All but the first need that each test is a filter, or the one of the frame.
 */
enum tap_fastpath_way {
	TAP_FASTPATH_OPS,
	TAP_FASTPATH_ONE_SLOT,
	TAP_FASTPATH_BY_KEY,
	TAP_FASTPATH_TO_SPAN,
	TAP_FASTPATH_IF_INSIDE,
};

/**
 * struct tap_fastpath - the fast path of a probe
 * @filters: number of leading tests that read only the base, the process id, or whether
 *	the task is followed
 * @tests: number of tests, @filters included; outputs follow them
 * @way: enum tap_fastpath_way
 * @behind: with @TAP_FASTPATH_IF_INSIDE: the way of an event that passes
 * @outside: with @TAP_FASTPATH_IF_INSIDE: events inside the frame do not pass, the others do
 * @key: index of the key in @word
 * @plain: all tests are filters, and all outputs @nr_loads, and then the task's name if @named
 * @named: see @plain
 * @nr_loads: @nr_loads of the probe: leading outputs that are 8-byte loads from the base
 * @nr: length of @ops
 * @bytes: length of the record
 * @inside: with @TAP_FASTPATH_IF_INSIDE: the frame, as in TAP_INSIDE_*
 * @at_return: with @returns: the first test of the return, which reads the base
 * @returns: the return of a call has @at_return
 * @word: where the words come from, if @way or @behind needs that
 * @ops: filters, other tests, outputs
 */
struct tap_fastpath {
	u16 filters;
	u16 tests;
	u16 nr_loads;
	u16 nr;
	u16 bytes;
	u8 way;
	u8 behind;
	u8 key;
	bool outside;
	bool plain;
	bool named;
	bool returns;
	u64 inside;
	struct tap_fastpath_op at_return;
	struct tap_fastpath_word word[TAP_FIRST_VALUES];
	struct tap_fastpath_op ops[];
};

/**
 * struct tap_fetched - result of a fetch
 * @value: undefined if @ok is 0
 * @ok: not 0: the memory could be read
 *
 * Functions return it by value: it fits into two registers.
 */
struct tap_fetched {
	u64 value;
	u64 ok;
};

/* Whether a value does not pass a test. */
static __always_inline bool
tap_fastpath_rejects(const struct tap_fastpath_op *op, u64 value)
{
	return (value & op->mask) - op->low > op->span;
}

struct tap_fetched tap_fastpath_read(u64 from, unsigned int size);
struct tap_fetched tap_fastpath_fetch_user(const struct tapmod_probe *probe,
					   const struct tap_fastpath_op *op, u64 value);
bool tap_fastpath_enter_ops(struct tapmod_probe *probe, const struct tap_fastpath *fp,
			    struct tap_call *call, const void *base);
int tap_fastpath_run(struct tapmod_probe *probe, const void *base, unsigned int trap);

#endif /* _TAPMOD_EXEC_FASTPATH_H */

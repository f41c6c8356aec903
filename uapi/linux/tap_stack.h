/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The table of stacks of a session: each different stack once, with an id of one word. Included
 * by <linux/tap.h>, which has the conventions.
 */
#ifndef _UAPI_LINUX_TAP_STACK_H
#define _UAPI_LINUX_TAP_STACK_H

#include <linux/types.h>

#define TAP_MAX_STACKS		1048576		/* of a session's table */
#define TAP_MAX_STACK_WORDS	134217728	/* for the frames of a table */

/* The id of stacks that found no room in the table. The id 0 is that of no stack. */
#define TAP_STACK_NO_ROOM	1

/**
 * struct tap_stack_table - TAP_IOC_STACKS: give the session a table of stacks
 * @size: sizeof(struct tap_stack_table)
 * @flags: must be 0
 * @entries: number of different stacks for which there is room, 1 to %TAP_MAX_STACKS. A stack may
 *	find no room a little before, because it is tried in at most 64 places
 * @words: room for the frames of all stacks together, at most %TAP_MAX_STACK_WORDS: a stack takes
 *	a word, and one for each frame. 0: 32 words for each of @entries
 *
 * Programs that are created afterwards can have %TAP_OP_KSTACK and %TAP_OP_USTACK of @size 8. All
 * CPUs store in the same table. It takes memory up to the end of the session, and no stack leaves
 * it. A program can fill it with stacks of its own.
 *
 * Errors: EBUSY if the session has a table; EINVAL; ENOMEM.
 */
struct tap_stack_table {
	__u32 size;
	__u32 flags;
	__u32 entries;
	__u32 words;
};

/**
 * struct tap_stack_read - TAP_IOC_STACK: read a stack, and the counts of the table
 * @size: sizeof(struct tap_stack_read)
 * @flags: must be 0
 * @id: id of a stack, out of a record or an aggregation; 0: the counts alone
 * @words: address of an array of @nr_words of __u64, which gets the stack; or 0
 * @nr_words: length of the array at @words; one more than %TAP_MAX_STACK is enough for all stacks
 * @out_nr_words: words of the stack: one with TAP_TEXT_*, then its frames, as in a record; of
 *	those @words gets as many as it has room for. 0 with @id 0
 * @out_stored: stacks in the table. Among them a stack may be more than once, with different ids,
 *	if it was new in several places at the same time: readers compare the frames
 * @out_words: words that they take
 * @out_no_room: events whose stack found no room: their id is %TAP_STACK_NO_ROOM
 *
 * If the opener may not see kernel addresses, those are 0.
 *
 * Errors: ENODATA if the session has no table; ENOENT if it has no such stack.
 */
struct tap_stack_read {
	__u32 size;
	__u32 flags;
	__u64 id;
	__aligned_u64 words;
	__u32 nr_words;
	__u32 out_nr_words;
	__u64 out_stored;
	__u64 out_words;
	__u64 out_no_room;
};

#endif /* _UAPI_LINUX_TAP_STACK_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The longest waits of calls, by stack.
 */
#ifndef _TOOL_WHY_WAITS_H
#define _TOOL_WHY_WAITS_H

#include "tool.h"

/* Different stacks; more are added up as one. */
#define WAITS_MAX	8192

/**
 * struct wait - the waits with a stack
 * @words: the stack, of tap_event_wait_stack(); all 0: it is not known
 * @part: enum tap_task_part
 * @sum: ticks, saturated
 * @nr: number of waits
 * @max: the longest of them, ticks
 * @time: of the event with the longest, for the names of its functions
 */
struct wait {
	__u64 words[1 + TAP_WAIT_FRAMES];
	__u32 part;
	__u64 sum;
	__u64 nr;
	__u64 max;
	__u64 time;
};

/**
 * struct waits - a table
 * @list: in the order in which their stacks came
 * @nr: number of @list
 * @slots: hash table: number of an entry of @list from 1; 0: none
 * @rest: waits whose stacks found no room; without a stack
 * @sum: ticks of all waits, saturated
 */
struct waits {
	struct wait *list;
	__u32 nr;
	__u32 *slots;
	struct wait rest;
	__u64 sum;
};

/**
 * waits_open() - make a table
 * @waits: filled in; end it with waits_close()
 *
 * Return: 0 or -ENOMEM.
 */
int waits_open(struct waits *waits);

/**
 * waits_close() - free it
 * @waits: may be all zero
 */
void waits_close(struct waits *waits);

/**
 * waits_add() - add the longest wait of an event
 * @waits: the table
 * @ev: a decoded event
 * @division: of the event; without a wait nothing is added
 *
 * Return: 0 or -ENOMEM.
 */
int waits_add(struct waits *waits, const struct tap_event *ev, const struct tap_division *division);

/**
 * waits_sort() - order the list, the greatest sum first
 * @waits: nothing is added any more
 */
void waits_sort(struct waits *waits);

/**
 * waits_rest() - add up the waits that are not printed
 * @waits: sorted
 * @rows: stacks that are printed
 * @rest: set to the sum of all others, without a stack; its @nr is 0 if there are none
 *
 * Return: number of the other stacks that are known.
 */
__u32 waits_rest(const struct waits *waits, __u32 rows, struct wait *rest);

#endif /* _TOOL_WHY_WAITS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The longest wait of each call of a task that is under way, of calls inside each other.
 *
 * A wait matters only as long as no longer one came after it: a call in which it is also has that
 * one. So the list has waits that become shorter, and the longest of a call is the first one that
 * began in the call. What else is known of a wait is in an array beside the list.
 */
#ifndef _TAPMOD_EXEC_LONGEST_H
#define _TAPMOD_EXEC_LONGEST_H

#include <linux/tap_task.h>
#include <linux/types.h>

/* Place in @order of the wait that is under way. */
#define TAP_WAITING	TAP_MAX_WAITS

/**
 * struct tap_longest - waits of a task; written as a struct tap_divided_task is
 * @nr: length of the list
 * @order: where the waits are in @wait and in the array beside it, a permutation: the list, places
 *	that are free, and the wait that is under way
 * @wait: by these places
 * @wait.index: number of the wait in its task
 * @wait.ticks: its length
 */
struct tap_longest {
	u32 nr;
	u8 order[TAP_MAX_WAITS + 1];
	struct {
		u64 index;
		u64 ticks;
	} wait[TAP_MAX_WAITS + 1];
};

static inline void tap_longest_init(struct tap_longest *list)
{
	unsigned int i;

	list->nr = 0;
	for (i = 0; i <= TAP_MAX_WAITS; i++)
		list->order[i] = i;
}

/* Begins a wait. Returns its place. */
static __always_inline unsigned int tap_longest_begin(struct tap_longest *list, u64 index)
{
	unsigned int place = list->order[TAP_WAITING];

	list->wait[place].index = index;
	return place;
}

/**
 * tap_longest_end() - end the wait that is under way
 * @list: the list
 * @ticks: its length
 * @inner: number of the first wait of the innermost call
 *
 * Return: its place; -1 if the innermost call has a longer one; -2 if there is no room for it, so
 * that it is forgotten.
 */
static __always_inline int tap_longest_end(struct tap_longest *list, u64 ticks, u64 inner)
{
	unsigned int nr, place = list->order[TAP_WAITING];

	list->wait[place].ticks = ticks;
	for (nr = list->nr; nr; nr--)
		if (list->wait[list->order[nr - 1]].ticks > ticks)
			break;
	list->nr = nr;
	if (nr && list->wait[list->order[nr - 1]].index >= inner)
		return -1;
	if (nr == TAP_MAX_WAITS)
		return -2;
	list->order[TAP_WAITING] = list->order[nr];
	list->order[nr] = place;
	list->nr++;
	return place;
}

/* The place of the longest wait from number @first on; -1: there was none. */
static __always_inline int tap_longest_since(const struct tap_longest *list, u64 first)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++)
		if (list->wait[list->order[i]].index >= first)
			return list->order[i];
	return -1;
}

/* Drops the waits that are the longest of no call any more. @inner: see tap_longest_end(). */
static __always_inline void tap_longest_prune(struct tap_longest *list, u64 inner)
{
	while (list->nr > 1 && list->wait[list->order[list->nr - 2]].index >= inner)
		list->nr--;
}

#endif /* _TAPMOD_EXEC_LONGEST_H */

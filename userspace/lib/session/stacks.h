/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The stacks of a session's table, as they were read so far. Private to libtap and its tests.
 */
#ifndef _TAP_SESSION_STACKS_H
#define _TAP_SESSION_STACKS_H

#include <libtap.h>

/**
 * struct tap_stack - a stack of the table
 * @id: its id
 * @same: the id of the first stack that was read with the same frames; @id if there was none
 * @words: its TAP_TEXT_* word and its frames; allocated; NULL if another one is the same
 * @nr: number of @words
 */
struct tap_stack {
	__u64 id;
	__u64 same;
	__u64 *words;
	unsigned int nr;
};

/**
 * struct tap_stacks - what was read of a table of stacks
 * @refs: the session and the aggregations that hold it
 * @by_id: a hash table of @room places, by id; an entry of id 0 is free; allocated
 * @by_words: the same by the words of the stacks that have some: an index in @by_id plus one
 * @room: a power of two
 * @nr: stacks in @by_id
 *
 * An aggregation may live longer than its session.
 */
struct tap_stacks {
	unsigned int refs;
	struct tap_stack *by_id;
	__u32 *by_words;
	size_t room;
	size_t nr;
};

struct tap_stacks *tap_stacks_new(void);
struct tap_stacks *tap_stacks_get(struct tap_stacks *stacks);
void tap_stacks_put(struct tap_stacks *stacks);
const struct tap_stack *tap_stacks_find(const struct tap_stacks *stacks, __u64 id);
int tap_stacks_add(struct tap_stacks *stacks, __u64 id, const __u64 *words, unsigned int nr);
const __u64 *tap_stacks_words(void *stacks, __u64 id);

#endif /* _TAP_SESSION_STACKS_H */

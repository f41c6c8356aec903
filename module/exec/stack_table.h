/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of stacks of a session: each different stack once, with an id of one word. One table
 * for all CPUs, without a lock, for events in any context.
 *
 * The arena has the stacks one behind the other, each with its TAP_TEXT_* word in front. The id is
 * the place of that word. A hash table of fixed places leads to them. A place has a word:
 *
 *	hash (32 bits) | place in the arena (30 bits) | state (2 bits)
 *
 *	FREE -> WRITING -> READY
 *	  ^--------' (the arena had no room)
 *
 * Only the event that made a place WRITING, by a compare-and-exchange, writes the stack: into a
 * part of the arena that is its own, as it advanced the pointer to the arena's free part. A READY
 * place and its stack do not change any more. An event that meets a WRITING place does not wait for
 * it, as that might be the event which it interrupted: it goes to the next place. So a stack that
 * is new on two CPUs at the same time may be stored twice, with two ids; readers compare frames.
 */
#ifndef _TAPMOD_EXEC_STACK_TABLE_H
#define _TAPMOD_EXEC_STACK_TABLE_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/percpu.h>
#include <linux/tap.h>
#include <linux/types.h>

struct tapmod_session;

/* States: the lower bits of a place. */
#define TAP_PLACE_FREE		0ULL
#define TAP_PLACE_WRITING	1ULL
#define TAP_PLACE_READY		2ULL
#define TAP_PLACE_STATE		3ULL

/**
 * struct tap_stack_counts - what a CPU has counted
 * @stored: stacks that its events stored
 * @no_room: events whose stack found no room
 */
struct tap_stack_counts {
	u64 stored;
	u64 no_room;
};

/**
 * struct tapmod_stack_table - the table of stacks of a session
 * @places: 1 << (64 - @shift) words, which lead to stacks
 * @arena: @words words; stacks begin behind %TAP_STACK_NO_ROOM
 * @words: see @arena
 * @bytes: what is charged for the table
 * @seed: start of all hashes: a program cannot know which of its stacks have the same hash
 * @shift: see @places
 * @counts: per CPU
 * @used: words of the arena that were given out. It grows beyond @words, by one stack for each CPU
 *	and context at most. In a cache line of its own: the others are only read
 *
 * Only what @places, @arena, @counts lead to changes, and @used, after tap_stacks_create().
 */
struct tapmod_stack_table {
	u64 *places;
	u64 *arena;
	u64 words;
	u64 bytes;
	u64 seed;
	u32 shift;
	struct tap_stack_counts __percpu *counts;
	atomic64_t used ____cacheline_aligned_in_smp;
};

u64 tap_stack_store(struct tapmod_stack_table *table, const u64 *words, unsigned int nr);
int tap_stacks_create(struct tapmod_session *session, const struct tap_stack_table *arg);
int tap_stacks_read(struct tapmod_session *session, struct tap_stack_read *read);
void tap_stacks_free(struct tapmod_session *session);

#endif /* _TAPMOD_EXEC_STACK_TABLE_H */

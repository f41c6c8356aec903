// SPDX-License-Identifier: LGPL-2.1
/*
 * Stacks by their id, and by their frames: a table may have a stack twice, which is one here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "session/stacks.h"

#define LEAST_ROOM	256

static size_t hash_of(__u64 hash, const __u64 *words, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15ULL;
		hash ^= hash >> 32;
	}
	return (size_t)hash;
}

/**
 * tap_stacks_new() - make an empty one
 *
 * Return: it, with a reference; NULL if there is no memory.
 */
struct tap_stacks *tap_stacks_new(void)
{
	struct tap_stacks *stacks = calloc(1, sizeof(*stacks));

	if (stacks)
		stacks->refs = 1;
	return stacks;
}

/* Takes a reference. */
struct tap_stacks *tap_stacks_get(struct tap_stacks *stacks)
{
	if (stacks)
		stacks->refs++;
	return stacks;
}

/* Drops a reference; @stacks may be NULL. */
void tap_stacks_put(struct tap_stacks *stacks)
{
	size_t i;

	if (!stacks || --stacks->refs)
		return;
	for (i = 0; i < stacks->room; i++)
		free(stacks->by_id[i].words);
	free(stacks->by_id);
	free(stacks->by_words);
	free(stacks);
}

/* The place of an id, or the free one where it belongs. */
static struct tap_stack *place_of(const struct tap_stacks *stacks, __u64 id)
{
	size_t at = hash_of(0, &id, 1) & (stacks->room - 1);

	while (stacks->by_id[at].id && stacks->by_id[at].id != id)
		at = (at + 1) & (stacks->room - 1);
	return &stacks->by_id[at];
}

/* The place in by_words of a stack, or the free one where it belongs. */
static __u32 *words_of(const struct tap_stacks *stacks, const __u64 *words, unsigned int nr)
{
	size_t at = hash_of(1, words, nr) & (stacks->room - 1);
	const struct tap_stack *stack;

	for (; stacks->by_words[at]; at = (at + 1) & (stacks->room - 1)) {
		stack = &stacks->by_id[stacks->by_words[at] - 1];
		if (stack->nr == nr && !memcmp(stack->words, words, nr * sizeof(*words)))
			break;
	}
	return &stacks->by_words[at];
}

static int grow(struct tap_stacks *stacks)
{
	struct tap_stacks wide = { .room = stacks->room ? stacks->room * 2 : LEAST_ROOM };
	size_t i;

	if (stacks->nr * 2 < stacks->room)
		return 0;
	wide.by_id = calloc(wide.room, sizeof(*wide.by_id));
	wide.by_words = calloc(wide.room, sizeof(*wide.by_words));
	if (!wide.by_id || !wide.by_words) {
		free(wide.by_id);
		free(wide.by_words);
		return -ENOMEM;
	}
	for (i = 0; i < stacks->room; i++) {
		const struct tap_stack *stack = &stacks->by_id[i];
		struct tap_stack *to;

		if (!stack->id)
			continue;
		to = place_of(&wide, stack->id);
		*to = *stack;
		if (stack->words)
			*words_of(&wide, stack->words, stack->nr) =
				(__u32)(to - wide.by_id) + 1;
	}
	free(stacks->by_id);
	free(stacks->by_words);
	stacks->by_id = wide.by_id;
	stacks->by_words = wide.by_words;
	stacks->room = wide.room;
	return 0;
}

/**
 * tap_stacks_find() - a stack that was read
 * @stacks: may be NULL
 * @id: its id
 *
 * Return: it; NULL if it was not read.
 */
const struct tap_stack *tap_stacks_find(const struct tap_stacks *stacks, __u64 id)
{
	const struct tap_stack *stack;

	if (!stacks || !stacks->room || !id)
		return NULL;
	stack = place_of(stacks, id);
	return stack->id ? stack : NULL;
}

/**
 * tap_stacks_add() - add a stack
 * @stacks: does not have @id
 * @id: its id, not 0
 * @words: its words; copied
 * @nr: number of @words
 *
 * Return: 0 or -ENOMEM.
 */
int tap_stacks_add(struct tap_stacks *stacks, __u64 id, const __u64 *words, unsigned int nr)
{
	struct tap_stack *stack;
	__u32 *same;

	if (grow(stacks))
		return -ENOMEM;
	same = words_of(stacks, words, nr);
	stack = place_of(stacks, id);
	if (*same) {
		*stack = (struct tap_stack) { .id = id, .same = stacks->by_id[*same - 1].id };
		stacks->nr++;
		return 0;
	}
	*stack = (struct tap_stack) { .words = malloc(nr * sizeof(*words)), .nr = nr };
	if (!stack->words)
		return -ENOMEM;
	memcpy(stack->words, words, nr * sizeof(*words));
	stack->id = id;
	stack->same = id;
	stacks->nr++;
	*same = (__u32)(stack - stacks->by_id) + 1;
	return 0;
}

/**
 * tap_stacks_words() - the words of a stack, for @stack of struct tap_formatter_opts
 * @stacks: struct tap_stacks, or NULL
 * @id: its id
 *
 * Return: the words; NULL if the stack was not read.
 */
const __u64 *tap_stacks_words(void *stacks, __u64 id)
{
	const struct tap_stack *stack = tap_stacks_find(stacks, id);

	if (stack && !stack->words)
		stack = tap_stacks_find(stacks, stack->same);
	return stack ? stack->words : NULL;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * A hash table of stacks.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "flame/tree.h"
#include "why/waits.h"

/* At most half of them are in use, so that a search ends. */
#define SLOTS	(2 * WAITS_MAX)

int waits_open(struct waits *w)
{
	memset(w, 0, sizeof(*w));
	w->slots = calloc(SLOTS, sizeof(*w->slots));
	return w->slots ? 0 : -ENOMEM;
}

void waits_close(struct waits *w)
{
	free(w->list);
	free(w->slots);
	memset(w, 0, sizeof(*w));
}

static void wait_add(struct wait *wait, __u64 ticks, __u64 time)
{
	wait->sum = tool_sum(wait->sum, ticks);
	wait->nr++;
	if (ticks <= wait->max)
		return;
	wait->max = ticks;
	wait->time = time;
}

/* Doubles the list when it is full. */
static int grow(struct waits *w)
{
	struct wait *list;

	if (w->nr & (w->nr - 1))
		return 0;
	list = realloc(w->list, (w->nr ? 2 * w->nr : 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	w->list = list;
	return 0;
}

/* The entry with the stack and part of @key; a new one if there is none; NULL: no memory. */
static struct wait *find(struct waits *w, const struct wait *key)
{
	__u32 hash = flame_hash(key->part, key->words, sizeof(key->words)), *slot;
	const struct wait *wait;

	for (;; hash++) {
		slot = &w->slots[hash & (SLOTS - 1)];
		if (!*slot)
			break;
		wait = &w->list[*slot - 1];
		if (wait->part == key->part && !memcmp(wait->words, key->words, sizeof(key->words)))
			return &w->list[*slot - 1];
	}
	if (w->nr == WAITS_MAX)
		return &w->rest;
	if (grow(w))
		return NULL;
	w->list[w->nr] = *key;
	*slot = ++w->nr;
	return &w->list[*slot - 1];
}

int waits_add(struct waits *w, const struct tap_event *ev, const struct tap_division *division)
{
	struct wait key = { .part = division->wait_part }, *wait;

	if (!division->wait)
		return 0;
	if (!tap_event_wait_stack(ev, "wait.stack", key.words))
		memset(key.words, 0, sizeof(key.words));
	wait = find(w, &key);
	if (!wait)
		return -ENOMEM;
	wait_add(wait, division->wait, ev->time);
	w->sum = tool_sum(w->sum, division->wait);
	return 0;
}

static int compare(const void *x, const void *y)
{
	const struct wait *a = x, *b = y;

	if (a->sum != b->sum)
		return a->sum < b->sum ? 1 : -1;
	if (a->nr != b->nr)
		return a->nr < b->nr ? 1 : -1;
	if (a->part != b->part)
		return a->part < b->part ? -1 : 1;
	return memcmp(a->words, b->words, sizeof(a->words));
}

void waits_sort(struct waits *w)
{
	if (w->nr)
		qsort(w->list, w->nr, sizeof(*w->list), compare);
	/* The order of @slots is no longer that of @list. */
	free(w->slots);
	w->slots = NULL;
}

__u32 waits_rest(const struct waits *w, __u32 rows, struct wait *rest)
{
	__u32 i;

	*rest = w->rest;
	for (i = rows; i < w->nr; i++) {
		rest->sum = tool_sum(rest->sum, w->list[i].sum);
		rest->nr += w->list[i].nr;
		if (w->list[i].max > rest->max)
			rest->max = w->list[i].max;
	}
	return w->nr > rows ? w->nr - rows : 0;
}

/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Reading an aggregation. Private to libtap and its tests.
 */
#ifndef _TAP_SESSION_AGGREGATION_H
#define _TAP_SESSION_AGGREGATION_H

#include <libtap.h>

#include "spec/spec.h"

struct tap_stacks;

/**
 * struct tap_aggregation - the rows of an aggregation, all CPUs added up
 * @agg: of the spec of the probe; not owned
 * @id: the probe
 * @index: which of the probe's aggregations
 * @count_at: word of a row that has the count
 * @row_words: words of a row, which are those of an entry, see struct tap_read
 * @value_at: first word of each value
 * @value_words: words of each, without the number of events in which it was absent, which
 *	is the word behind them
 * @rows: the rows, each with a different key, in the order of the keys' words; the
 *	last row may be that of all keys that found no room; allocated
 * @nr: number of @rows, with the row of the keys without room
 * @room: rows for which @rows is allocated
 * @stacks: stacks that keys name by their ids; holds a reference; NULL: there are none
 */
struct tap_aggregation {
	const struct tap_spec_agg *agg;
	__u32 id;
	__u32 index;
	unsigned int count_at;
	unsigned int row_words;
	unsigned int value_at[TAP_MAX_AGGS];
	unsigned int value_words[TAP_MAX_AGGS];
	__u64 *rows;
	size_t nr;
	size_t room;
	struct tap_stacks *stacks;
};

int tap_aggregation_init(struct tap_aggregation *a,
			 const struct tap_spec_agg *agg);
void tap_aggregation_clear(struct tap_aggregation *a);

/**
 * tap_aggregation_room() - make room behind the rows
 * @a: the rows
 * @rows: rows that must fit
 *
 * Return: the place of the next row; NULL if there is no memory.
 */
__u64 *tap_aggregation_room(struct tap_aggregation *a, size_t rows);

/**
 * tap_aggregation_merge() - sort the rows, and add up those of the same key
 * @a: the rows, in any order
 */
void tap_aggregation_merge(struct tap_aggregation *a);

#endif /* _TAP_SESSION_AGGREGATION_H */

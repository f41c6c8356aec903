/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The layout of an aggregation's entry, as uapi/linux/tap_aggregate.h defines it. The
 * module, which fills tables, and libtap, which reads them, share this copy.
 *
 * An entry is a sequence of u64: a state (in the module) or flags (in user space), the
 * words of the keys, the count, then the values one after the other. Behind each value
 * is the number of events in which its word was absent.
 */
#ifndef _TAPMOD_COMMON_AGGREGATE_LAYOUT_H
#define _TAPMOD_COMMON_AGGREGATE_LAYOUT_H

#include <linux/tap.h>

/* Index of the first key word in an entry. The count follows the last key word. */
#define TAP_AGG_KEY	1

/* Words behind each value: the number of events in which it was absent. */
#define TAP_AGG_ABSENT_WORDS	1

/**
 * tap_agg_words() - number of words of a value in an entry
 * @agg: the value; only @kind and @buckets are read
 *
 * Context: any.
 * Return: number of u64, without %TAP_AGG_ABSENT_WORDS; 0 if @kind is unknown, or if
 * @buckets of a linear histogram is 0 or above %TAP_MAX_BUCKETS.
 */
static inline unsigned int tap_agg_words(const struct tap_agg *agg)
{
	switch (agg->kind) {
	case TAP_AGG_SUM:
	case TAP_AGG_MIN:
	case TAP_AGG_MAX:
		return 1;
	case TAP_AGG_HIST:
		return TAP_HIST_BUCKETS;
	case TAP_AGG_LHIST:
		return agg->buckets && agg->buckets <= TAP_MAX_BUCKETS ?
		       agg->buckets + 2U : 0;
	default:
		return 0;
	}
}

#endif /* _TAPMOD_COMMON_AGGREGATE_LAYOUT_H */

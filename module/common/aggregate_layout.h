/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The layout of an aggregation's entry, as uapi/linux/tap_aggregate.h defines it: the
 * one copy, for the module, which fills tables, and for libtap, which reads them.
 *
 * An entry is: a word of state or flags, the words of the keys, the count, then the
 * values one after the other, each followed by the number of events without it.
 */
#ifndef _TAPMOD_COMMON_AGGREGATE_LAYOUT_H
#define _TAPMOD_COMMON_AGGREGATE_LAYOUT_H

#include <linux/tap.h>

/* Where an entry has its key; its count lies behind that. */
#define TAP_AGG_KEY	1

/* Words behind each value: the number of events without it. */
#define TAP_AGG_ABSENT_WORDS	1

/**
 * tap_agg_words() - words that a value has in an entry
 * @agg: the value
 *
 * Return: how many, without those behind it; 0 if there is no such kind, or a linear
 * histogram has no buckets or too many.
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

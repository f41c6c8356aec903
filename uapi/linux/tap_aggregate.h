/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Aggregations: events that are counted in the kernel, by keys.
 */
#ifndef _UAPI_LINUX_TAP_AGGREGATE_H
#define _UAPI_LINUX_TAP_AGGREGATE_H

#include <linux/const.h>
#include <linux/types.h>

#define TAP_MAX_KEYS		4		/* of an aggregation */
#define TAP_MAX_AGGS		8		/* of an aggregation, besides the count */
#define TAP_MAX_AGG_WORDS	64		/* value words of an event that is aggregated */
#define TAP_MAX_ENTRIES		1048576		/* of an aggregation, on each CPU */
#define TAP_MAX_BUCKETS		1024		/* of a linear histogram */
#define TAP_HIST_BUCKETS	66		/* of a log2 histogram */

/**
 * enum tap_agg_kind - what an aggregation keeps of a word, besides the count
 * @TAP_AGG_SUM: sum, one word; modulo 2^64
 * @TAP_AGG_MIN: smallest value, one word
 * @TAP_AGG_MAX: largest value, one word
 * @TAP_AGG_HIST: counts by powers of two, %TAP_HIST_BUCKETS words: how many were
 *	0, then for n from 1 to 64 how many were from 2^(n-1) to 2^n - 1, then
 *	how many were negative (with %TAP_AGG_F_SIGNED)
 * @TAP_AGG_LHIST: counts by steps, @buckets + 2 words: how many were below
 *	@base, then @buckets counts of @step values each, then how many were beyond
 */
enum tap_agg_kind {
	TAP_AGG_SUM		= 1,
	TAP_AGG_MIN		= 2,
	TAP_AGG_MAX		= 3,
	TAP_AGG_HIST		= 4,
	TAP_AGG_LHIST		= 5,
};

/* The word is signed; also @base of a linear histogram. */
#define TAP_AGG_F_SIGNED	_BITUL(0)

/**
 * struct tap_agg - a value that an aggregation keeps for each key
 * @kind: enum tap_agg_kind
 * @flags: TAP_AGG_F_*
 * @word: value word of the event, numbered as in a record
 * @buckets: linear histogram: 1 to %TAP_MAX_BUCKETS; else 0
 * @base: linear histogram: lower bound of the first bucket; else 0
 * @step: linear histogram: width of each bucket, not 0; else 0
 *
 * An event whose word is absent is counted, but changes only the last word of the
 * value: behind the words of its kind, each value has the number of such events. So
 * an average is the sum divided by the number of events that had the word. A smallest
 * or largest value that no event had is the largest or smallest that there is.
 */
struct tap_agg {
	__u16 kind;
	__u16 flags;
	__u16 word;
	__u16 buckets;
	__u64 base;
	__u64 step;
};

/**
 * struct tap_key - value words that are part of a key
 * @word: the first value word, numbered as in a record
 * @words: number of words, at least 1
 */
struct tap_key {
	__u16 word;
	__u16 words;
};

/**
 * struct tap_aggregate - what becomes of the events of a probe instead of records
 * @size: sizeof(struct tap_aggregate)
 * @flags: must be 0
 * @nr_keys: number of @keys, at most %TAP_MAX_KEYS; 0: all events have the same key
 * @nr_aggs: number of values at @aggs, at most %TAP_MAX_AGGS
 * @keys: the keys, of at most %TAP_MAX_AGG_WORDS words together; those beyond
 *	@nr_keys must be 0
 * @entries: different keys for which each CPU has room, a power of two, at most
 *	%TAP_MAX_ENTRIES; 1 without keys
 * @aggs: address of an array of struct tap_agg
 *
 * Each CPU counts in a table of its own; the reader adds the tables up. Keys that
 * find no room are counted together in one entry (%TAP_ENTRY_OTHER); that can happen
 * before all of @entries are in use. An absent value in a key is 0, an absent
 * text is the part that could be read. A probe with an aggregation has at most
 * %TAP_MAX_AGG_WORDS value words, and not %TAP_CREATE_F_COUNT.
 */
struct tap_aggregate {
	__u32 size;
	__u32 flags;
	__u16 nr_keys;
	__u16 nr_aggs;
	struct tap_key keys[TAP_MAX_KEYS];
	__u32 entries;
	__aligned_u64 aggs;
};

/**
 * struct tap_read - TAP_IOC_READ: read an aggregation
 * @size: sizeof(struct tap_read)
 * @id: a probe of this session that aggregates
 * @cpu: the CPU whose table is read
 * @from: 0 at the start, then @out_next of the previous read
 * @words: address of room for @nr_words of __u64
 * @nr_words: room at @words, in words
 * @out_next: @from for the next read; 0 at the end of the table
 * @out_entries: entries that were written to @words
 * @out_entry_words: words of each: flags (TAP_ENTRY_*), the words of the keys,
 *	the count, then the values one after the other, each followed by the number
 *	of events in which it was absent
 *
 * Values only grow; reading loses and resets nothing, however many readers there
 * are. While events come in, an entry may be read between its count and its values,
 * and a key may have two entries, which are to be added up.
 *
 * Errors: ENODATA if the probe does not aggregate; EINVAL also if @cpu is not
 * below the number of rings, @from is not from this table, or there is not even room
 * for one entry. A CPU that the machine can never have has an empty table.
 */
struct tap_read {
	__u32 size;
	__u32 id;
	__u32 cpu;
	__u32 from;
	__aligned_u64 words;
	__u32 nr_words;
	__u32 out_next;
	__u32 out_entries;
	__u32 out_entry_words;
};

/* The entry of all keys that found no room; its own key is 0. */
#define TAP_ENTRY_OTHER		_BITULL(0)

#endif /* _UAPI_LINUX_TAP_AGGREGATE_H */

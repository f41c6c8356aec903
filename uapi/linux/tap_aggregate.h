/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Aggregations: the kernel counts events by key, and keeps sums, extremes and histograms.
 */
#ifndef _UAPI_LINUX_TAP_AGGREGATE_H
#define _UAPI_LINUX_TAP_AGGREGATE_H

#include <linux/const.h>
#include <linux/types.h>

#define TAP_MAX_AGGREGATES	8		/* of a probe */
#define TAP_MAX_KEYS		4		/* of an aggregation */
#define TAP_MAX_AGGS		8		/* values of an aggregation, besides the count */
#define TAP_MAX_AGG_WORDS	64		/* value words of an event that is aggregated */
#define TAP_MAX_ENTRIES		1048576		/* of an aggregation, on each CPU */
#define TAP_MAX_BUCKETS		1024		/* of a linear histogram */
#define TAP_HIST_BUCKETS	66		/* of a log2 histogram */

/**
 * enum tap_agg_kind - the statistic of a value
 * @TAP_AGG_SUM: sum modulo 2^64, one word
 * @TAP_AGG_MIN: smallest value, one word
 * @TAP_AGG_MAX: largest value, one word
 * @TAP_AGG_HIST: counts by powers of two, %TAP_HIST_BUCKETS words: the number of values
 *	0, then for n from 1 to 64 the number of values from 2^(n-1) to 2^n - 1, then
 *	the number of negative values (with %TAP_AGG_F_SIGNED). See also %TAP_AGG_F_DECIMAL
 * @TAP_AGG_LHIST: counts by steps, @buckets + 2 words: the number of values below @base,
 *	then @buckets counts of @step values each, then the number of values above
 */
enum tap_agg_kind {
	TAP_AGG_SUM		= 1,
	TAP_AGG_MIN		= 2,
	TAP_AGG_MAX		= 3,
	TAP_AGG_HIST		= 4,
	TAP_AGG_LHIST		= 5,
};

/* tap_agg.flags: the word is signed, and so is @base of a linear histogram. */
#define TAP_AGG_F_SIGNED	_BITUL(0)
/*
 * TAP_AGG_HIST: powers of two of the units 1, 1000, 10^6 and 10^9, for values in nanoseconds. For n
 * from 1 to 30, u = (n - 1) / 10 and k = (n - 1) % 10 the bucket begins at 2^k * 1000^u; so the one
 * after 512 begins at 1000. For n from 31 to 64 it begins at 2^(n-31) * 10^9.
 */
#define TAP_AGG_F_DECIMAL	_BITUL(1)

/**
 * struct tap_agg - a value that an aggregation keeps for each key
 * @kind: enum tap_agg_kind
 * @flags: TAP_AGG_F_*
 * @word: value word of the event, numbered as in a record
 * @buckets: linear histogram: number of buckets, 1 to %TAP_MAX_BUCKETS; else 0
 * @base: linear histogram: lower bound of the first bucket; else 0
 * @step: linear histogram: width of each bucket, not 0; else 0
 *
 * Behind the words of its kind, each value has one word more: the number of events in
 * which @word was absent. Such an event is counted for the key, and changes only that word
 * of the value. So an average is the sum divided by the count less that number. Before any
 * event has the word, %TAP_AGG_MIN is the largest number and %TAP_AGG_MAX the smallest.
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
 * struct tap_key - consecutive value words that are part of the key
 * @word: the first value word, numbered as in a record
 * @words: number of words, at least 1
 *
 * This structure is part of struct tap_aggregate and does not grow.
 */
struct tap_key {
	__u16 word;
	__u16 words;
};

/**
 * struct tap_aggregate - aggregates the events of a probe, instead of recording them
 * @size: sizeof(struct tap_aggregate)
 * @flags: must be 0
 * @nr_keys: number of @keys in use, at most %TAP_MAX_KEYS; 0: all events have the same key
 * @nr_aggs: length of the array at @aggs, at most %TAP_MAX_AGGS
 * @keys: parts of the key, of at most %TAP_MAX_AGG_WORDS words together; those beyond
 *	@nr_keys must be 0
 * @entries: number of different keys for which each CPU has room, a power of two, at most
 *	%TAP_MAX_ENTRIES; 1 without keys
 * @aggs: address of an array of struct tap_agg
 * @agg_size: sizeof(struct tap_agg): bytes from one element of @aggs to the next. For each
 *	element the rule for the size of an argument holds. If @nr_aggs is 0 it may be 0
 * @__reserved: must be 0
 *
 * Each CPU counts in a table of its own; the reader adds the tables up. Events whose key
 * finds no room are counted in one entry (%TAP_ENTRY_OTHER). That can happen before all of
 * @entries are in use, because a key is tried in at most 64 places. In a key, an absent
 * value is 0, and an absent text is the part that could be read. A probe with an
 * aggregation has at most %TAP_MAX_AGG_WORDS value words, and must not have
 * %TAP_CREATE_F_COUNT.
 */
struct tap_aggregate {
	__u32 size;
	__u32 flags;
	__u16 nr_keys;
	__u16 nr_aggs;
	struct tap_key keys[TAP_MAX_KEYS];
	__u32 entries;
	__aligned_u64 aggs;
	__u32 agg_size;
	__u32 __reserved;
};

/**
 * struct tap_read - TAP_IOC_READ: read an aggregation
 * @size: sizeof(struct tap_read)
 * @id: a probe of this session that aggregates
 * @cpu: the CPU whose table is read
 * @from: 0 for the first read, then @out_next of the previous read
 * @words: address of an array of @nr_words of __u64
 * @nr_words: length of the array at @words
 * @out_next: @from for the next read; 0 at the end of the table
 * @out_entries: number of entries that were written to @words
 * @out_entry_words: words of each entry: flags (TAP_ENTRY_*), the words of the keys,
 *	the count, then the values one after the other, each followed by the number
 *	of events in which it was absent
 * @index: which of the aggregations of the probe is read, from 0
 * @__reserved: must be 0
 *
 * Entries with a count of 0 are left out. Reading resets nothing, however many readers there
 * are; counts only grow. An event may update an entry while it is read: then its count and
 * its values differ by that event. A key may have several entries in a table; the reader
 * adds them up.
 *
 * Errors: ENODATA if the probe does not aggregate; EINVAL also if @cpu is not below the
 * number of rings, @index is not below the number of aggregations, @from is beyond the
 * table, or @words has no room for one entry. A CPU that is not possible on the machine, or
 * was not online since the probe was created, has an empty table.
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
	__u32 index;
	__u32 __reserved;
};

/* Flag of the entry that counts the events of all keys that found no room; its key is 0. */
#define TAP_ENTRY_OTHER		_BITULL(0)

#endif /* _UAPI_LINUX_TAP_AGGREGATE_H */

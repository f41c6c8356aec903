/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Aggregations: events counted by their keys, in a table for each CPU.
 */
#ifndef _TAPMOD_EXEC_AGGREGATE_H
#define _TAPMOD_EXEC_AGGREGATE_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/tap.h>
#include <linux/types.h>

#include "common/aggregate_layout.h"

struct tapmod_probe;
struct tapmod_session;

/**
 * struct tap_agg_value - a value of an aggregation
 * @kind: enum tap_agg_kind
 * @is_signed: the word is
 * @word: value word of the event
 * @buckets: linear histogram: how many
 * @at: its first word in an entry
 * @absent: the word that counts the events without it
 * @mask: the bit that tells that the word is absent; 0 if it never is
 * @base: linear histogram: where the first bucket begins
 * @step: linear histogram: how wide each is
 */
struct tap_agg_value {
	u8 kind;
	bool is_signed;
	u8 word;
	u16 buckets;
	u32 at;
	u32 absent;
	u64 mask;
	u64 base;
	u64 step;
};

/**
 * struct tapmod_aggregation - an aggregation; only its tables ever change
 * @tables: of each possible CPU, @mask + 2 entries: the places, then that of
 *	all keys that found none
 * @mask: places less one
 * @words: words of an entry: state, key, count, values
 * @tries: places that are looked at for a key
 * @nr_keys: words of the key
 * @nr_values: values
 * @key: which words of the event the key is made of
 * @value: the values
 */
struct tapmod_aggregation {
	u64 *__percpu *tables;
	u64 mask;
	u32 words;
	u32 tries;
	u32 nr_keys;
	u32 nr_values;
	u8 key[TAP_MAX_AGG_WORDS];
	struct tap_agg_value value[TAP_MAX_AGGS];
};

/*
 * The first word of an entry: one of these, or the hash of its key with
 * TAP_AGG_READY, by which it is neither of the others.
 */
#define TAP_AGG_FREE	0ULL
#define TAP_AGG_BUSY	1ULL
#define TAP_AGG_READY	2ULL

/* Odd, and its bits as if thrown: 2^64 divided by the golden ratio. */
#define TAP_AGG_FACTOR	0x9e3779b97f4a7c15ULL

/* Both halves of the product: each bit of the word counts in the lowest bits. */
static __always_inline u64 tap_agg_hash(u64 hash, u64 word)
{
	unsigned __int128 product =
		(unsigned __int128)(hash ^ word) * TAP_AGG_FACTOR;

	return (u64)product ^ (u64)(product >> 64);
}

static __always_inline u64 *
tap_agg_entry(const struct tapmod_aggregation *agg, u64 *table, u64 index)
{
	return table + index * agg->words;
}

/**
 * tap_aggregate_at_first() - the entry of a key of one word
 * @agg: an aggregation with such a key
 * @key: the key
 *
 * Context: any, preemption off.
 * Return: the entry, if it is at its first place; else NULL.
 */
static __always_inline u64 *
tap_aggregate_at_first(const struct tapmod_aggregation *agg, u64 key)
{
	u64 hash = tap_agg_hash(0, key);
	u64 *entry = tap_agg_entry(agg, raw_cpu_read(*agg->tables),
				   hash & agg->mask);

	if (READ_ONCE(*entry) != (hash | TAP_AGG_READY) ||
	    entry[TAP_AGG_KEY] != key)
		return NULL;
	return entry;
}

int tap_aggregate_load(struct tapmod_probe *probe, const struct tap_create *create);
u64 tap_aggregate_bytes(const struct tapmod_probe *probe);
int tap_aggregate_alloc(struct tapmod_probe *probe);
void tap_aggregate_free(struct tapmod_probe *probe);
void tap_aggregate_event(const struct tapmod_probe *probe, const u64 *words,
			 u64 absent);
int tap_aggregate_read(struct tapmod_session *session, struct tap_read *read);

#endif /* _TAPMOD_EXEC_AGGREGATE_H */

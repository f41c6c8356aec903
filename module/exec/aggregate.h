/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Aggregations: each CPU counts events by key, in a hash table of its own.
 */
#ifndef _TAPMOD_EXEC_AGGREGATE_H
#define _TAPMOD_EXEC_AGGREGATE_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/tap.h>
#include <linux/types.h>

#include "common/aggregate_layout.h"
#include "core/hotplug.h"

struct tapmod_probe;
struct tapmod_session;

/* %TAP_AGG_HIST with %TAP_AGG_F_DECIMAL. */
#define TAPMOD_AGG_DECIMAL	255

/**
 * struct tap_agg_value - a value of an aggregation
 * @kind: enum tap_agg_kind, or %TAPMOD_AGG_DECIMAL
 * @is_signed: the event's word is a signed number
 * @word: index of the event's value word
 * @buckets: linear histogram: number of buckets, those below and above not counted
 * @at: index of its first word in an entry
 * @absent: index of the word that counts events in which @word is absent
 * @mask: bit of the output that @word belongs to; 0: the word is never absent
 * @base: linear histogram: lower bound of the first bucket
 * @step: linear histogram: width of a bucket
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
 * struct tapmod_aggregation - an aggregation
 * @tables: for each possible CPU the hash table, then the entry of all keys that found no
 *	room. In front of them is a word with the number of entries in the hash table less one.
 *	It leads to @shut on a CPU that has no table
 * @shut: a table of one entry that stays busy, so that no event finds its key there
 * @lost: for each possible CPU: events that found @shut. Those are counted as aggregated, too.
 *	NULL in @parts
 * @cpus: makes tables for CPUs that come online
 * @probe: the probe
 * @mask: entries of each hash table but @shut, less one
 * @words: u64 in an entry: state, key, count, values
 * @tries: entries that are tried for a key
 * @nr_keys: words of the key, at most %TAP_MAX_AGG_WORDS
 * @nr_values: valid elements of @value
 * @key: indices of the event's value words that form the key
 * @value: in the order of the user's array
 * @parts: of a probe with several aggregations: these; allocated. Then this one is their head: it
 *	has no key, and on each CPU no table but @shut, so that an event leaves the path of a single
 *	aggregation where that would be lost. Else NULL
 * @nr_parts: number of @parts
 *
 * Only the tables change after tap_aggregate_alloc(), and @tables of CPUs that come online.
 */
struct tapmod_aggregation {
	u64 *__percpu *tables;
	u64 *shut;
	u64 __percpu *lost;
	struct tap_cpu_user cpus;
	struct tapmod_probe *probe;
	u64 mask;
	u32 words;
	u32 tries;
	u32 nr_keys;
	u32 nr_values;
	u8 key[TAP_MAX_AGG_WORDS];
	struct tap_agg_value value[TAP_MAX_AGGS];
	struct tapmod_aggregation *parts;
	u32 nr_parts;
};

/*
 * The state, the first word of an entry: TAP_AGG_FREE; TAP_AGG_BUSY while an event claims
 * it; or the hash of its key with the bit TAP_AGG_READY, which the other two do not have.
 */
#define TAP_AGG_FREE	0ULL
#define TAP_AGG_BUSY	1ULL
#define TAP_AGG_READY	2ULL

/* 2^64 divided by the golden ratio; odd, and its bits have no pattern. */
#define TAP_AGG_FACTOR	0x9e3779b97f4a7c15ULL

/* The upper half of the product makes the lowest bits depend on all bits of the word. */
static __always_inline u64 tap_agg_hash(u64 hash, u64 word)
{
	unsigned __int128 product =
		(unsigned __int128)(hash ^ word) * TAP_AGG_FACTOR;

	return (u64)product ^ (u64)(product >> 64);
}

/* Entries of the hash table of a CPU less one; it is 0 in the shut table. */
static __always_inline u64 tap_agg_mask(const u64 *table)
{
	return table[-1];
}

static __always_inline u64 *
tap_agg_entry(const struct tapmod_aggregation *agg, u64 *table, u64 index)
{
	return table + index * agg->words;
}

/**
 * tap_aggregate_at_first() - the entry of a key, if it is the first entry of its hash
 * @agg: an aggregation with a key of one word
 * @key: that word of the event
 *
 * Context: any, preemption off.
 * Return: the entry in this CPU's table; NULL if it is elsewhere, or the key is new.
 */
static __always_inline u64 *
tap_aggregate_at_first(const struct tapmod_aggregation *agg, u64 key)
{
	u64 hash = tap_agg_hash(0, key);
	u64 *table = raw_cpu_read(*agg->tables);
	u64 *entry = tap_agg_entry(agg, table, hash & tap_agg_mask(table));

	if (READ_ONCE(*entry) != (hash | TAP_AGG_READY) ||
	    entry[TAP_AGG_KEY] != key)
		return NULL;
	return entry;
}

int tap_aggregate_load(struct tapmod_probe *probe, const struct tap_create *create);
u64 tap_aggregate_lost(const struct tapmod_probe *probe, int cpu);
int tap_aggregate_alloc(struct tapmod_probe *probe);
void tap_aggregate_free(struct tapmod_probe *probe);
void tap_aggregate_event(const struct tapmod_probe *probe, const u64 *words,
			 u64 absent);
int tap_aggregate_read(struct tapmod_session *session, struct tap_read *read);

#endif /* _TAPMOD_EXEC_AGGREGATE_H */

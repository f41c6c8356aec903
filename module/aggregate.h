/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Aggregations: hits counted by their keys, in a table for each CPU.
 */
#ifndef _TAP_AGGREGATE_H
#define _TAP_AGGREGATE_H

#include <linux/tap.h>
#include <linux/types.h>

struct tap_probe;
struct tap_session;

/**
 * struct tap_agg_value - a value of an aggregation
 * @kind: enum tap_agg_kind
 * @is_signed: the word is
 * @word: value word of the hit
 * @buckets: linear histogram: how many
 * @at: its first word in an entry
 * @absent: the word that counts the hits without it
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
 * struct tap_aggregation - an aggregation; only its tables ever change
 * @tables: of each possible CPU, @mask + 2 entries: the places, then that of
 *	all keys that found none
 * @mask: places less one
 * @words: words of an entry: state, key, count, values
 * @tries: places that are looked at for a key
 * @nr_keys: words of the key
 * @nr_values: values
 * @key: which words of the hit the key is made of
 * @value: the values
 */
struct tap_aggregation {
	u64 *__percpu *tables;
	u64 mask;
	u32 words;
	u32 tries;
	u32 nr_keys;
	u32 nr_values;
	u8 key[TAP_MAX_AGG_WORDS];
	struct tap_agg_value value[TAP_MAX_AGGS];
};

int tap_aggregate_load(struct tap_probe *probe, const struct tap_create *create);
u64 tap_aggregate_bytes(const struct tap_probe *probe);
int tap_aggregate_alloc(struct tap_probe *probe);
void tap_aggregate_free(struct tap_probe *probe);
void tap_aggregate_hit(const struct tap_probe *probe, const u64 *words,
		       u64 absent);
int tap_aggregate_read(struct tap_session *session, struct tap_read *read);

#endif /* _TAP_AGGREGATE_H */

// SPDX-License-Identifier: LGPL-2.1
/*
 * The rows of an aggregation and what is in them, for callers of the library.
 */
#include "module/common/aggregate_layout.h"
#include "session/aggregation.h"

size_t tap_aggregation_nr_rows(const struct tap_aggregation *a)
{
	return a->nr;
}

const __u64 *tap_aggregation_row(const struct tap_aggregation *a, size_t i)
{
	return i < a->nr ? a->rows + i * a->row_words : NULL;
}

bool tap_aggregation_is_other(const __u64 *row)
{
	return row[0] & TAP_ENTRY_OTHER;
}

__u64 tap_aggregation_count(const struct tap_aggregation *a, const __u64 *row)
{
	return row[a->count_at];
}

__u32 tap_aggregation_entries(const struct tap_aggregation *a)
{
	return a->agg->aggregate.entries;
}

unsigned int tap_aggregation_nr_keys(const struct tap_aggregation *a)
{
	return a->agg->aggregate.nr_keys;
}

const struct tap_field *tap_aggregation_key(const struct tap_aggregation *a,
					    unsigned int i)
{
	return i < a->agg->aggregate.nr_keys ? &a->agg->keys[i] : NULL;
}

unsigned int tap_aggregation_nr_values(const struct tap_aggregation *a)
{
	return a->agg->aggregate.nr_aggs;
}

const struct tap_field *
tap_aggregation_value_field(const struct tap_aggregation *a, unsigned int i)
{
	return i < a->agg->aggregate.nr_aggs ? &a->agg->values[i] : NULL;
}

enum tap_agg_kind tap_aggregation_kind(const struct tap_aggregation *a,
				       unsigned int i)
{
	return a->agg->aggs[i].kind;
}

bool tap_aggregation_is_avg(const struct tap_aggregation *a, unsigned int i)
{
	return a->agg->avg[i];
}

bool tap_aggregation_is_signed(const struct tap_aggregation *a, unsigned int i)
{
	return a->agg->aggs[i].flags & TAP_AGG_F_SIGNED;
}

bool tap_aggregation_value(const struct tap_aggregation *a, const __u64 *row,
			   unsigned int i, __u64 *value)
{
	__u64 sum = row[a->value_at[i]];
	__u64 absent = row[a->value_at[i] + a->value_words[i]];
	__u64 count = row[a->count_at];

	if (count <= absent)
		return false;
	count -= absent;
	if (!a->agg->avg[i])
		*value = sum;
	else if (tap_aggregation_is_signed(a, i))
		*value = (__u64)((__s64)sum / (__s64)(count & INT64_MAX));
	else
		*value = sum / count;
	return true;
}

__u64 tap_aggregation_absent(const struct tap_aggregation *a, const __u64 *row,
			     unsigned int i)
{
	return row[a->value_at[i] + a->value_words[i]];
}

unsigned int tap_aggregation_nr_buckets(const struct tap_aggregation *a,
					unsigned int i)
{
	return a->value_words[i] > 1 ? a->value_words[i] : 0;
}

/* Where bucket @n of a histogram by powers of two begins; @n is at most 64. */
static __u64 hist_from(const struct tap_agg *agg, unsigned int n)
{
	static const __u64 units[] = { 1, 1000, 1000000, 1000000000 };
	unsigned int unit;

	if (!n)
		return 0;
	if (!(agg->flags & TAP_AGG_F_DECIMAL))
		return 1ULL << (n - 1);
	unit = n <= 30 ? (n - 1) / 10 : 3;
	return units[unit] << (n - 1 - 10 * unit);
}

struct tap_bucket tap_aggregation_bucket(const struct tap_aggregation *a,
					 unsigned int i, unsigned int n)
{
	const struct tap_agg *agg = &a->agg->aggs[i];
	struct tap_bucket b = { 0 };

	if (agg->kind == TAP_AGG_LHIST) {
		b.lowest = !n;
		b.highest = n > agg->buckets;
		b.from = b.lowest ? 0 : agg->base + (n - 1) * agg->step;
		b.to = b.highest ? 0 : agg->base + n * agg->step;
		return b;
	}
	/* Negative: all of those together. */
	b.lowest = n == TAP_HIST_BUCKETS - 1;
	b.highest = n == 64;
	b.from = b.lowest ? 0 : hist_from(agg, n);
	b.to = b.highest || b.lowest ? 0 : hist_from(agg, n + 1);
	return b;
}

__u64 tap_aggregation_bucket_count(const struct tap_aggregation *a,
				   const __u64 *row, unsigned int i,
				   unsigned int n)
{
	return row[a->value_at[i] + n];
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Bars, one for each bucket from the first to the last with hits:
 *
 *	[4K, 8K)             12 |@@@@@@@                                     |
 */
#include <string.h>

#include "util/buffer.h"
#include "stat/agg_histogram.h"

#define BAR_WIDTH	52
#define BOUND_MAX	(TAP_PUT_DURATION_MAX + 1)

/* A number, with a suffix if it is a multiple of a power of 1024. */
static char *put_scaled(char *p, __u64 v)
{
	static const char suffixes[] = "KMGTPE";
	const char *suffix = NULL;

	for (; v && !(v & 1023) && (!suffix || suffix[1]); v >>= 10)
		suffix = suffix ? suffix + 1 : suffixes;
	p = tap_put_u64(p, v);
	if (suffix)
		*p++ = *suffix;
	return p;
}

static char *put_bound(char *p, const struct agg_rows *rows, unsigned int i,
		       __u64 v)
{
	const struct tap_spec_agg *agg = rows->a->agg;

	if (agg->aggs[i].flags & TAP_AGG_F_SIGNED && (__s64)v < 0) {
		*p++ = '-';
		v = 0 - v;
	}
	return agg->values[i].format == TAP_FMT_NS && v ?
	       tap_put_duration(p, v) : put_scaled(p, v);
}

static void put_bucket(const struct agg_rows *rows, unsigned int i, unsigned int n,
		       char *p)
{
	struct tap_bucket b = tap_aggregation_bucket(rows->a, i, n);

	/* A bucket of one number. */
	if (!b.lowest && !b.highest && b.to - b.from == 1) {
		*p++ = '[';
		p = put_bound(p, rows, i, b.from);
		strcpy(p, "]");
		return;
	}
	p = tap_put_str(p, b.lowest ? "(" : "[");
	p = b.lowest ? tap_put_str(p, "...") : put_bound(p, rows, i, b.from);
	p = tap_put_str(p, ", ");
	p = b.highest ? tap_put_str(p, "...") : put_bound(p, rows, i, b.to);
	strcpy(p, ")");
}

/* The bucket of negative numbers is the last one in the module, and printed first. */
static unsigned int in_order(const struct agg_rows *rows, unsigned int i,
			     unsigned int k)
{
	if (rows->a->agg->aggs[i].kind != TAP_AGG_HIST)
		return k;
	return k ? k - 1 : TAP_HIST_BUCKETS - 1;
}

void agg_rows_histogram(const struct agg_rows *rows, const __u64 *row, unsigned int i,
			FILE *to)
{
	static const char bar[] =
		"@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@";
	const __u64 *counts = row + rows->a->value_at[i];
	unsigned int words = rows->a->value_words[i], k;
	unsigned int first = words, last = 0;
	__u64 most = 0, absent = counts[words];
	char bounds[2 * BOUND_MAX + 8];
	int width = 0;

	for (k = 0; k < words; k++) {
		if (!counts[in_order(rows, i, k)])
			continue;
		if (counts[in_order(rows, i, k)] > most)
			most = counts[in_order(rows, i, k)];
		first = first < k ? first : k;
		last = k;
	}
	fprintf(to, "%s:\n", rows->a->agg->values[i].name);
	for (k = first; k <= last && k < words; k++) {
		put_bucket(rows, i, in_order(rows, i, k), bounds);
		if ((int)strlen(bounds) > width)
			width = (int)strlen(bounds);
	}
	for (k = first; k <= last && k < words; k++) {
		__u64 count = counts[in_order(rows, i, k)];
		/* In floating point: the product may exceed 64 bits. */
		int len = (int)((double)count / (double)most * BAR_WIDTH);

		put_bucket(rows, i, in_order(rows, i, k), bounds);
		fprintf(to, "%-*s %10llu |%-*.*s|\n", width, bounds,
			(unsigned long long)count, BAR_WIDTH, len, bar);
	}
	if (absent)
		fprintf(to, "%-*s %10llu\n", width, "absent",
			(unsigned long long)absent);
}

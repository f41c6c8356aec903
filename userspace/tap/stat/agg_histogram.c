// SPDX-License-Identifier: GPL-2.0
/*
 * Bars, one for each bucket from the first to the last with hits:
 *
 *	[4K, 8K)             12 |@@@@@@@                                     |
 *
 * or [2us, 4us) if the values are durations.
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

/* A duration, as a whole number if it is one of its unit. */
static char *put_time(char *p, __u64 ns)
{
	char *end = tap_put_duration(p, ns), *point = memchr(p, '.', (size_t)(end - p));

	if (point && !memcmp(point, ".000", 4)) {
		memmove(point, point + 4, (size_t)(end - point - 4));
		end -= 4;
	}
	return end;
}

static char *put_bound(char *p, const struct agg_rows *rows, unsigned int i,
		       __u64 v)
{
	const struct tap_field *field = tap_aggregation_value_field(rows->a, i);

	if (tap_aggregation_is_signed(rows->a, i) && (__s64)v < 0) {
		*p++ = '-';
		v = 0 - v;
	}
	return field->format == TAP_FMT_NS && v ?
	       put_time(p, v) : put_scaled(p, v);
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

unsigned int agg_rows_bucket(const struct agg_rows *rows, unsigned int i, unsigned int k)
{
	if (tap_aggregation_kind(rows->a, i) != TAP_AGG_HIST)
		return k;
	return k ? k - 1 : TAP_HIST_BUCKETS - 1;
}

static __u64 count_of(const struct agg_rows *rows, const __u64 *row,
		      unsigned int i, unsigned int k)
{
	return tap_aggregation_bucket_count(rows->a, row, i, agg_rows_bucket(rows, i, k));
}

void agg_rows_histogram(const struct agg_rows *rows, const __u64 *row, unsigned int i,
			FILE *to)
{
	static const char bar[] =
		"@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@";
	unsigned int nr = tap_aggregation_nr_buckets(rows->a, i), k;
	__u64 most = 0, absent = tap_aggregation_absent(rows->a, row, i);
	unsigned int first = nr, last = 0;
	char bounds[2 * BOUND_MAX + 8];
	int width = 0;

	for (k = 0; k < nr; k++) {
		__u64 count = count_of(rows, row, i, k);

		if (!count)
			continue;
		if (count > most)
			most = count;
		first = first < k ? first : k;
		last = k;
	}
	fprintf(to, "%s:\n", tap_aggregation_value_field(rows->a, i)->name);
	for (k = first; k <= last && k < nr; k++) {
		put_bucket(rows, i, agg_rows_bucket(rows, i, k), bounds);
		if ((int)strlen(bounds) > width)
			width = (int)strlen(bounds);
	}
	for (k = first; k <= last && k < nr; k++) {
		__u64 count = count_of(rows, row, i, k);
		/* In floating point: the product may exceed 64 bits. */
		int len = (int)((double)count / (double)most * BAR_WIDTH);

		put_bucket(rows, i, agg_rows_bucket(rows, i, k), bounds);
		fprintf(to, "%-*s %10llu |%-*.*s|\n", width, bounds,
			(unsigned long long)count, BAR_WIDTH, len, bar);
	}
	if (absent)
		fprintf(to, "%-*s %10llu\n", width, "absent",
			(unsigned long long)absent);
}

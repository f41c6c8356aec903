// SPDX-License-Identifier: GPL-2.0
/*
 * The table of sums:
 *
 *	EVENT          HITS = WRITTEN + FILTERED + ... | MISSED IN FLIGHT
 *	call:vfs_read  1200 =    1200 +        0 + ... |      0         0  OK
 *
 * Left of the bar the law of tap.h holds exactly. Right of it stands what the
 * probe could not count as a hit: what the kernel skipped, and calls that had
 * not returned.
 */
#include <stdlib.h>
#include <string.h>

#include "stat/summary_print.h"

/* With more probes than this, those without a hit are only counted. */
#define SHOW_ALL_UP_TO	40

enum {
	COL_HITS, COL_WRITTEN, COL_FILTERED, COL_AGGREGATED, COL_FULL,
	COL_NESTED, COL_FAULT, COL_THROTTLED, COL_MISSED, COL_IN_FLIGHT,
	NR_COLS,
};

static const struct {
	const char *name;
	const char *after;
} columns[NR_COLS] = {
	[COL_HITS]	 = { "HITS",		"=" },
	[COL_WRITTEN]	 = { "WRITTEN",		"+" },
	[COL_FILTERED]	 = { "FILTERED",	"+" },
	[COL_AGGREGATED] = { "AGGREGATED",	"+" },
	[COL_FULL]	 = { "RING FULL",	"+" },
	[COL_NESTED]	 = { "NESTED",		"+" },
	[COL_FAULT]	 = { "FAULT",		"+" },
	[COL_THROTTLED]	 = { "THROTTLED",	"|" },
	[COL_MISSED]	 = { "MISSED",		"" },
	[COL_IN_FLIGHT]	 = { "IN FLIGHT",	"" },
};

static void row_values(const struct sum *sum, __u64 *v)
{
	const struct tap_counters *c = &sum->total;
	__u64 matched = c->hits - c->filtered - c->lost_fault;

	v[COL_HITS] = c->hits;
	v[COL_WRITTEN] = c->written;
	v[COL_FILTERED] = c->filtered;
	v[COL_AGGREGATED] = c->aggregated;
	v[COL_FULL] = c->lost_full;
	v[COL_NESTED] = c->lost_nested;
	v[COL_FAULT] = c->lost_fault;
	v[COL_THROTTLED] = c->throttled;
	v[COL_MISSED] = sum->missed;
	/* A call that began before the probe may return without an entry. */
	v[COL_IN_FLIGHT] = sum->call && c->entered > matched ?
			   c->entered - matched : 0;
}

static bool shown(const struct summary *sums, const struct sum *sum)
{
	return sums->nr <= SHOW_ALL_UP_TO || sum->total.hits || sum->missed ||
	       sum->total.entered || !sum->balanced ||
	       sum->state == TAP_STATE_GONE || sum->state == TAP_STATE_FAILED;
}

static const char *verdict(const struct sum *sum)
{
	if (!sum->balanced)
		return "COUNTERS MISMATCH";
	switch (sum->state) {
	case TAP_STATE_GONE:
		return "OK, its module was unloaded";
	case TAP_STATE_FAILED:
		return "OK, its module came, and it could not be armed";
	}
	return "OK";
}

static int digits(__u64 v)
{
	int n = 1;

	for (; v >= 10; v /= 10)
		n++;
	return n;
}

/**
 * struct table - how the table is laid out
 * @event: width of the name
 * @width: of each column, 0 for one that is left out
 */
struct table {
	int event;
	int width[NR_COLS];
};

/* What is zero for all probes says no more than its absence. */
static bool always_shown(int col)
{
	return col == COL_HITS || col == COL_WRITTEN || col == COL_FILTERED ||
	       col == COL_FULL || col == COL_MISSED;
}

static void table_measure(struct table *t, const struct summary *sums,
			  const struct sum *total)
{
	__u64 v[NR_COLS];
	size_t i;
	int col, n;

	memset(t, 0, sizeof(*t));
	t->event = (int)strlen("EVENT");
	row_values(total, v);
	for (col = 0; col < NR_COLS; col++) {
		if (col == COL_IN_FLIGHT)
			v[col] = total->total.entered;
		if (!always_shown(col) && !v[col])
			continue;
		t->width[col] = (int)strlen(columns[col].name);
		n = digits(v[col]);
		if (n > t->width[col])
			t->width[col] = n;
	}
	for (i = 0; i < sums->nr; i++) {
		n = (int)strlen(sums->list[i].event);
		if (shown(sums, &sums->list[i]) && n > t->event)
			t->event = n < 60 ? n : 60;
	}
}

/* The sign behind a column: a left-out one hands its bar on to the last. */
static const char *sign_after(const struct table *t, int col)
{
	int next = col + 1;

	if (col >= COL_MISSED)
		return "";
	while (next < COL_MISSED && !t->width[next])
		next++;
	return next >= COL_MISSED ? " |" : columns[col].after[0] == '=' ?
	       " =" : " +";
}

static void print_row(const struct table *t, const char *event, const __u64 *v,
		      const char *end)
{
	int col;

	fprintf(stderr, "%-*s", t->event, event);
	for (col = 0; col < NR_COLS; col++) {
		if (!t->width[col])
			continue;
		if (v)
			fprintf(stderr, " %*llu", t->width[col],
				(unsigned long long)v[col]);
		else
			fprintf(stderr, " %*s", t->width[col],
				columns[col].name);
		fputs(v ? sign_after(t, col) : col < COL_MISSED ? "  " : "",
		      stderr);
	}
	fprintf(stderr, "%s%s\n", *end ? "  " : "", end);
}

static void total_add(struct sum *total, const struct sum *sum)
{
	total->total.hits += sum->total.hits;
	total->total.written += sum->total.written;
	total->total.filtered += sum->total.filtered;
	total->total.aggregated += sum->total.aggregated;
	total->total.lost_full += sum->total.lost_full;
	total->total.lost_nested += sum->total.lost_nested;
	total->total.lost_fault += sum->total.lost_fault;
	total->total.throttled += sum->total.throttled;
	if (sum->call)
		total->total.entered += sum->total.entered;
	total->missed += sum->missed;
	if (!sum->balanced)
		total->balanced = false;
}

/* Whether what was read is what was written and lost; says so. */
static bool print_stream(const struct sum *total,
			 const struct tap_reader_counts *c, __u64 pending)
{
	__u64 lost = total->total.lost_full + total->total.lost_nested;
	bool ok = c->events == total->total.written &&
		  c->lost + pending == lost;

	fprintf(stderr,
		"stream: %llu of %llu written records read, %llu of %llu losses told by %llu gap records: %s\n",
		(unsigned long long)c->events,
		(unsigned long long)total->total.written,
		(unsigned long long)c->lost, (unsigned long long)lost,
		(unsigned long long)c->gaps, ok ? "OK" : "COUNTERS MISMATCH");
	if (pending)
		fprintf(stderr,
			"stream: %llu losses found no room for a gap record\n",
			(unsigned long long)pending);
	if (c->skipped)
		fprintf(stderr, "stream: %llu bytes were no record\n",
			(unsigned long long)c->skipped);
	if (c->stalled)
		fprintf(stderr,
			"stream: %llu times a record was late and was not waited for\n",
			(unsigned long long)c->stalled);
	if (c->disordered)
		fprintf(stderr,
			"stream: %llu records came after a later one of another CPU\n",
			(unsigned long long)c->disordered);
	return ok && !c->skipped;
}

bool summary_print(const struct summary *sums,
		   const struct tap_reader_counts *counts, __u64 pending)
{
	struct sum total = { .balanced = true, .call = true };
	__u64 v[NR_COLS], under_way = 0;
	struct table table;
	size_t i, hidden = 0;

	for (i = 0; i < sums->nr; i++)
		total_add(&total, &sums->list[i]);
	table_measure(&table, sums, &total);
	fflush(stdout);
	print_row(&table, "EVENT", NULL, "");
	for (i = 0; i < sums->nr; i++) {
		const struct sum *sum = &sums->list[i];

		row_values(sum, v);
		under_way += v[COL_IN_FLIGHT];
		if (shown(sums, sum))
			print_row(&table, sum->event, v, verdict(sum));
		else
			hidden++;
	}
	if (sums->nr > 1) {
		row_values(&total, v);
		v[COL_IN_FLIGHT] = under_way;
		print_row(&table, "total", v, verdict(&total));
	}
	if (hidden)
		fprintf(stderr, "(and %zu probes without a hit)\n", hidden);
	if (counts && !print_stream(&total, counts, pending))
		return false;
	return total.balanced;
}

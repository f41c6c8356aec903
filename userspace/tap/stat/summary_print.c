// SPDX-License-Identifier: GPL-2.0
/*
 * The table of a summary:
 *
 *	EVENT          HITS = WRITTEN + FILTERED + ... | MISSED IN FLIGHT
 *	call:vfs_read  1200 =    1200 +        0 + ... |      0         0  OK
 *
 * Left of the bar, hits equal the sum of the other columns. The columns right of it
 * are not hits: events that the kernel skipped, and calls that had not returned.
 */
#include <stdlib.h>
#include <string.h>

#include "stat/probe_state.h"
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

static void row_values(const struct totals *totals, __u64 *v)
{
	const struct tap_counters *c = &totals->counters;
	__u64 matched = c->hits - c->filtered - c->lost_fault;

	v[COL_HITS] = c->hits;
	v[COL_WRITTEN] = c->written;
	v[COL_FILTERED] = c->filtered;
	v[COL_AGGREGATED] = c->aggregated;
	v[COL_FULL] = c->lost_full;
	v[COL_NESTED] = c->lost_nested;
	v[COL_FAULT] = c->lost_fault;
	v[COL_THROTTLED] = c->throttled;
	v[COL_MISSED] = totals->missed;
	/* A call that began before the probe may return without an entry. */
	v[COL_IN_FLIGHT] = totals->call && c->entered > matched ?
			   c->entered - matched : 0;
}

static bool shown(const struct summary *summary, const struct totals *totals)
{
	return summary->nr <= SHOW_ALL_UP_TO || totals->counters.hits ||
	       totals->missed || totals->counters.entered ||
	       !totals->balanced || totals->flags || probe_state_reason(totals->state);
}

static void print_verdict(const struct totals *totals)
{
	const char *reason = probe_state_reason(totals->state);

	if (!totals->balanced)
		fputs("  COUNTERS MISMATCH\n", stderr);
	else if (totals->flags & TAP_STATS_F_BPF)
		fprintf(stderr, "  BPF%s%s\n", reason ? ", " : "", reason ? reason : "");
	else
		fprintf(stderr, "  OK%s%s\n", reason ? ", " : "",
			reason ? reason : "");
}

static int digits(__u64 v)
{
	int n = 1;

	for (; v >= 10; v /= 10)
		n++;
	return n;
}

/**
 * struct layout - columns of the table
 * @event: width of the name
 * @width: of each column, 0 for one that is left out
 */
struct layout {
	int event;
	int width[NR_COLS];
};

/* The other columns are printed only if a probe has a value there. */
static bool always_shown(int col)
{
	return col == COL_HITS || col == COL_WRITTEN || col == COL_FILTERED ||
	       col == COL_FULL || col == COL_MISSED;
}

static void layout_measure(struct layout *t, const struct summary *summary,
			  const struct totals *all)
{
	__u64 v[NR_COLS];
	size_t i;
	int col, n;

	memset(t, 0, sizeof(*t));
	t->event = (int)strlen("EVENT");
	row_values(all, v);
	for (col = 0; col < NR_COLS; col++) {
		if (col == COL_IN_FLIGHT)
			v[col] = all->counters.entered;
		if (!always_shown(col) && !v[col])
			continue;
		t->width[col] = (int)strlen(columns[col].name);
		n = digits(v[col]);
		if (n > t->width[col])
			t->width[col] = n;
	}
	for (i = 0; i < summary->nr; i++) {
		n = (int)strlen(tap_spec_event(summary->list[i].spec));
		if (shown(summary, &summary->list[i]) && n > t->event)
			t->event = n < 60 ? n : 60;
	}
}

/* The sign behind a column. The bar stands behind the last one that is printed. */
static const char *sign_after(const struct layout *t, int col)
{
	int next = col + 1;

	if (col >= COL_MISSED)
		return "";
	while (next < COL_MISSED && !t->width[next])
		next++;
	return next >= COL_MISSED ? " |" : columns[col].after[0] == '=' ?
	       " =" : " +";
}

/* Without values: the heading. The caller ends the line. */
static void print_row(const struct layout *t, const char *event, const __u64 *v)
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
}

static void totals_merge(struct totals *all, const struct totals *totals)
{
	all->counters.hits += totals->counters.hits;
	all->counters.written += totals->counters.written;
	all->counters.filtered += totals->counters.filtered;
	all->counters.aggregated += totals->counters.aggregated;
	all->counters.lost_full += totals->counters.lost_full;
	all->counters.lost_nested += totals->counters.lost_nested;
	all->counters.lost_fault += totals->counters.lost_fault;
	all->counters.throttled += totals->counters.throttled;
	if (totals->call)
		all->counters.entered += totals->counters.entered;
	all->missed += totals->missed;
	all->flags |= totals->flags;
	if (!totals->balanced)
		all->balanced = false;
}

/* True if the reader got all that was written, and a report of all that was lost. */
static bool print_stream(const struct totals *all,
			 const struct tap_reader_counts *c, __u64 pending)
{
	__u64 lost = all->counters.lost_full + all->counters.lost_nested;
	bool ok = c->events == all->counters.written &&
		  c->lost + pending == lost;

	fprintf(stderr,
		"stream: %llu of %llu written records read, %llu of %llu lost events reported in %llu gap records: %s\n",
		(unsigned long long)c->events,
		(unsigned long long)all->counters.written,
		(unsigned long long)c->lost, (unsigned long long)lost,
		(unsigned long long)c->gaps, ok ? "OK" : "COUNTERS MISMATCH");
	if (pending)
		fprintf(stderr,
			"stream: %llu lost events not reported: the ring has no room for a gap record\n",
			(unsigned long long)pending);
	if (c->skipped)
		fprintf(stderr, "stream: %llu bytes skipped: they are not a valid record\n",
			(unsigned long long)c->skipped);
	if (c->stalled)
		fprintf(stderr,
			"stream: %llu times the reader did not wait any longer for an unfinished record\n",
			(unsigned long long)c->stalled);
	if (c->disordered)
		fprintf(stderr,
			"stream: %llu records printed after a later record of another CPU\n",
			(unsigned long long)c->disordered);
	return ok && !c->skipped;
}

bool summary_print(const struct summary *summary,
		   const struct tap_reader_counts *counts, __u64 pending)
{
	struct totals all = { .balanced = true, .call = true };
	__u64 v[NR_COLS], in_flight = 0;
	struct layout layout;
	size_t i, hidden = 0;

	for (i = 0; i < summary->nr; i++)
		totals_merge(&all, &summary->list[i]);
	layout_measure(&layout, summary, &all);
	fflush(stdout);
	print_row(&layout, "EVENT", NULL);
	fputc('\n', stderr);
	for (i = 0; i < summary->nr; i++) {
		const struct totals *totals = &summary->list[i];

		row_values(totals, v);
		in_flight += v[COL_IN_FLIGHT];
		if (!shown(summary, totals)) {
			hidden++;
			continue;
		}
		print_row(&layout, tap_spec_event(totals->spec), v);
		print_verdict(totals);
	}
	if (summary->nr > 1) {
		row_values(&all, v);
		v[COL_IN_FLIGHT] = in_flight;
		print_row(&layout, "total", v);
		print_verdict(&all);
	}
	if (hidden)
		fprintf(stderr, "(and %zu probes without hits)\n", hidden);
	if (all.flags & TAP_STATS_F_BPF)
		fputs("BPF: a BPF program on this event may have dropped hits before tapmod; they are not counted\n",
		      stderr);
	if (counts && !print_stream(&all, counts, pending))
		return false;
	return all.balanced;
}

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/metrics.h"
#include "stat/agg_histogram.h"
#include "stat/stat_metrics.h"

enum family {
	EVENTS,
	LOST,
	MISSED,
	ROWS,
	LEFT_OUT,
	SIGNED,
	/* Each is followed by that of durations, which are not negative; see family_of(). */
	TOTAL,
	TOTAL_NS,
	AVERAGE,
	AVERAGE_NS,
	LEAST,
	LEAST_NS,
	GREATEST,
	GREATEST_NS,
	DISTRIBUTION,
	DISTRIBUTION_NS,
	DROPPING,
	UNSEEN,
	UNSEEN_HITS,
	NR_FAMILIES,
};

/* No name has a type in it or ends like the parts of a histogram: promtool refuses these. */
static const struct metric_family families[NR_FAMILIES] = {
	[EVENTS] = { "tap_events_total", "counter", "Hits of an event that passed its condition." },
	[LOST] = { "tap_lost_total", "counter", "Hits of tap_events_total that were lost." },
	[MISSED] = { "tap_missed_total", "counter", "Hits and calls that the kernel skipped." },
	[ROWS] = { "tap_rows_total", "counter", "Hits by the keys of a table." },
	[LEFT_OUT] = { "tap_rows_left_out", "gauge", "Hits of keys that have no row here: --top, or no room in the table." },
	[SIGNED] = { "tap_value_signed", "gauge", "Sum of a signed value." },
	[TOTAL] = { "tap_value_total", "counter", "Sum of an unsigned value." },
	[TOTAL_NS] = { "tap_value_seconds_total", "counter", "Sum of durations." },
	[AVERAGE] = { "tap_value_average", "gauge", "Average of a value." },
	[AVERAGE_NS] = { "tap_value_average_seconds", "gauge", "Average of durations." },
	[LEAST] = { "tap_value_least", "gauge", "Minimum of a value." },
	[LEAST_NS] = { "tap_value_least_seconds", "gauge", "Minimum of durations." },
	[GREATEST] = { "tap_value_greatest", "gauge", "Maximum of a value." },
	[GREATEST_NS] = { "tap_value_greatest_seconds", "gauge", "Maximum of durations." },
	[DISTRIBUTION] = { "tap_value_distribution", "histogram", "Values by size." },
	[DISTRIBUTION_NS] = { "tap_value_distribution_seconds", "histogram", "Durations by size." },
	[DROPPING] = { "tap_dropping_seconds_total", "counter", "Time in which --budget dropped events." },
	[UNSEEN] = { "tap_unseen_seconds_total", "counter", "Time in which --budget disarmed the probes." },
	[UNSEEN_HITS] = { "tap_unseen_hits_total", "counter", "Hits that were not seen then, if they came as before: an estimate." },
};

/* The labels of a row, to which a sample may add more. */
struct labels {
	char *text;
	size_t len;
};

static FILE *begin(struct labels *l, const char *event)
{
	FILE *to = open_memstream(&l->text, &l->len);

	if (to)
		metrics_label(to, "event", event);
	return to;
}

static double number_of(const struct agg_rows *rows, unsigned int i, __u64 v)
{
	double number = tap_aggregation_is_signed(rows->a, i) ? (double)(__s64)v : (double)v;

	return tap_aggregation_value_field(rows->a, i)->format == TAP_FMT_NS ? number / 1e9 : number;
}

static enum family family_of(const struct agg_rows *rows, unsigned int i)
{
	bool ns = tap_aggregation_value_field(rows->a, i)->format == TAP_FMT_NS;
	enum family family = DISTRIBUTION;

	switch (tap_aggregation_kind(rows->a, i)) {
	case TAP_AGG_SUM:
		if (!ns && tap_aggregation_is_signed(rows->a, i) && !tap_aggregation_is_avg(rows->a, i))
			return SIGNED;
		family = tap_aggregation_is_avg(rows->a, i) ? AVERAGE : TOTAL;
		break;
	case TAP_AGG_MIN:
		family = LEAST;
		break;
	case TAP_AGG_MAX:
		family = GREATEST;
		break;
	default:
		break;
	}
	return family + ns;
}

/**
 * struct table - a table being written
 * @m: the text
 * @code: -ENOMEM, or 0
 */
struct table {
	struct metrics *m;
	int code;
};

/* Writes a bucket: "le" is the greatest number in it, so of [4, 8) it is 7. */
static void add_bucket(struct table *t, enum family family, const char *labels, const char *le, __u64 count)
{
	char *text;

	if (asprintf(&text, "%s,le=\"%s\"", labels, le) < 0) {
		t->code = -ENOMEM;
		return;
	}
	metrics_sample(t->m, family, "_bucket", text, (double)count);
	free(text);
}

/* Counts add up from the lowest bucket with hits to the highest one, and then to +Inf. */
static void add_histogram(struct table *t, const struct agg_rows *rows, const __u64 *row,
			  unsigned int i, const char *labels)
{
	const struct tap_aggregation *a = rows->a;
	unsigned int nr = tap_aggregation_nr_buckets(a, i), k, n, last = 0;
	enum family family = family_of(rows, i);
	__u64 sum = 0;
	char le[METRICS_NUMBER_MAX];

	for (k = 0; k < nr; k++)
		if (tap_aggregation_bucket_count(a, row, i, agg_rows_bucket(rows, i, k)))
			last = k;
	for (k = 0; k <= last && k < nr; k++) {
		struct tap_bucket b;

		n = agg_rows_bucket(rows, i, k);
		b = tap_aggregation_bucket(a, i, n);
		sum += tap_aggregation_bucket_count(a, row, i, n);
		if (!sum || b.highest)
			continue;
		metrics_number(le, number_of(rows, i, b.to - 1));
		add_bucket(t, family, labels, le, sum);
	}
	add_bucket(t, family, labels, "+Inf", sum);
	metrics_sample(t->m, family, "_count", labels, (double)sum);
}

static void add_value(struct table *t, const struct agg_rows *rows, const __u64 *row, unsigned int i,
		      const char *labels)
{
	char *text = NULL, column[16];
	__u64 value;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	if (!to) {
		t->code = -ENOMEM;
		return;
	}
	/* Two columns may have the same name. */
	snprintf(column, sizeof(column), "%u", i + 1);
	fprintf(to, "%s", labels);
	metrics_label(to, "column", column);
	metrics_label(to, "value", tap_aggregation_value_field(rows->a, i)->name);
	if (fclose(to))
		t->code = -ENOMEM;
	else if (agg_rows_is_histogram(rows, i))
		add_histogram(t, rows, row, i, text);
	else if (tap_aggregation_value(rows->a, row, i, &value))
		metrics_sample(t->m, family_of(rows, i), "", text, number_of(rows, i, value));
	free(text);
}

/* The text of a key, without the quotes of a string. "key_" keeps names apart from other labels. */
static void add_key(FILE *to, const struct agg_rows *rows, const __u64 *row, unsigned int i, char *buf)
{
	const struct tap_field *key = tap_aggregation_key(rows->a, i);
	size_t len;
	char *name;

	agg_rows_key(rows, row, i, buf, AGG_STACK_MAX);
	len = strlen(buf);
	if (len > 1 && buf[0] == '"' && buf[len - 1] == '"') {
		buf[len - 1] = '\0';
		memmove(buf, buf + 1, len - 1);
	}
	if (asprintf(&name, "key%u_%s", i + 1, key->name) < 0)
		return;
	metrics_label(to, name, buf);
	free(name);
}

static FILE *begin_table(struct labels *l, const struct agg_rows *rows)
{
	FILE *to = begin(l, rows->glob ? tap_spec_wanted(rows->spec) : tap_spec_event(rows->spec));
	char number[16];

	if (!to)
		return NULL;
	snprintf(number, sizeof(number), "%u", rows->number);
	metrics_label(to, "table", number);
	return to;
}

static void add_row(struct table *t, const struct agg_rows *rows, const __u64 *row)
{
	struct labels l = { 0 };
	FILE *to = begin_table(&l, rows);
	char *buf = malloc(AGG_STACK_MAX);
	const struct tap_field *key;
	unsigned int i;

	for (i = 0; to && buf && (key = tap_aggregation_key(rows->a, i)); i++)
		if (!(key->flags & TAP_FIELD_F_HIDDEN))
			add_key(to, rows, row, i, buf);
	free(buf);
	if (!to || !buf || fclose(to)) {
		t->code = -ENOMEM;
		return;
	}
	metrics_sample(t->m, ROWS, "", l.text, (double)tap_aggregation_count(rows->a, row));
	for (i = 0; i < tap_aggregation_nr_values(rows->a); i++)
		add_value(t, rows, row, i, l.text);
	free(l.text);
}

static void add_rows(const struct agg_rows *rows, void *arg)
{
	struct table *t = arg;
	struct labels l = { 0 };
	__u64 shown = 0;
	FILE *to;
	size_t i;

	for (i = 0; i < rows->nr; i++) {
		shown += tap_aggregation_count(rows->a, rows->list[i]);
		add_row(t, rows, rows->list[i]);
	}
	to = begin_table(&l, rows);
	if (!to || fclose(to))
		t->code = -ENOMEM;
	else
		metrics_sample(t->m, LEFT_OUT, "", l.text, (double)(rows->hits - shown));
	free(l.text);
}

/* A probe of many, such as those of a glob, is left out until it has hits. */
static int add_events(struct metrics *m, const struct summary *summary)
{
	size_t i;

	for (i = 0; i < summary->nr; i++) {
		const struct totals *totals = &summary->list[i];
		const struct tap_counters *c = &totals->counters;
		__u64 lost = summary_lost(c), count = c->written + c->aggregated + lost;
		struct labels l = { 0 };
		char number[24];
		FILE *to;

		if (summary->nr > STAT_SHOW_ALL && !count && !totals->missed)
			continue;
		to = begin(&l, tap_spec_event(totals->spec));
		if (!to)
			return -ENOMEM;
		/* An event may be given twice. */
		snprintf(number, sizeof(number), "%zu", i + 1);
		metrics_label(to, "probe", number);
		if (!fclose(to)) {
			metrics_sample(m, EVENTS, "", l.text, (double)count);
			metrics_sample(m, LOST, "", l.text, (double)lost);
			metrics_sample(m, MISSED, "", l.text, (double)totals->missed);
		}
		free(l.text);
	}
	return 0;
}

static int add_budget(struct metrics *m, const struct run *run)
{
	struct tap_budget b;
	int ret;

	if (!run->opts->budget)
		return 0;
	ret = tap_session_budget_read(run->session, &b);
	if (ret)
		return ret;
	metrics_sample(m, DROPPING, "", "", (double)b.out_dropping / 1e9);
	metrics_sample(m, UNSEEN, "", "", (double)b.out_paused / 1e9);
	metrics_sample(m, UNSEEN_HITS, "", "", (double)b.out_unseen);
	return 0;
}

int stat_metrics_write(const struct run *run, const struct summary *summary,
		       const struct agg_tables *tables, struct tap_error *err)
{
	struct agg_rows rows = { 0 };
	struct metrics m = { 0 };
	struct table t = { &m, 0 };
	char *text = NULL;
	size_t len;
	int ret = metrics_open(&m, families, NR_FAMILIES);

	if (!ret)
		ret = add_events(&m, summary);
	if (!ret && tables->nr)
		ret = agg_tables_rows(tables, &rows, true, false, STAT_METRICS_ROWS, add_rows, &t);
	if (!ret)
		ret = t.code ? t.code : add_budget(&m, run);
	if (!ret)
		ret = metrics_text(&m, &text, &len);
	if (ret)
		tap_error_set(err, ret, "%s", strerror(-ret));
	else
		ret = metrics_write(run->opts->metrics, text, len, err);
	free(text);
	metrics_close(&m);
	return ret;
}

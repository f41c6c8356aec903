// SPDX-License-Identifier: GPL-2.0
/*
 * tap stat: counts hits without writing records. The module counts, alone or by
 * keys, and tap reads its counters and tables; and counters of the processor and
 * the kernel.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "stat/counters.h"
#include "stat/counters_print.h"
#include "stat/spans.h"
#include "stat/stat_metrics.h"
#include "run/output.h"
#include "stat/summary.h"
#include "stat/tasks.h"
#include "stat/agg_tables.h"

#define SYNOPSIS "stat [-e EVENT | -e COUNTER,...]... [--by EXPR,...] [--hist EXPR]... [-p PID | -c CMD | -a] [OPTION]..."

/**
 * struct row - the line of an event
 * @count: hits that passed the condition
 * @lost: of @count, hits that were lost
 * @missed: hits and calls that the kernel skipped
 */
struct row {
	__u64 count;
	__u64 lost;
	__u64 missed;
};

/**
 * struct count - a run of tap stat
 * @run: the session
 * @out: standard output
 * @tables: the aggregations
 * @counters: counters of the processor and the kernel
 * @last: rows at the end of the previous interval, in the order of the summary
 * @begin: start of the run, CLOCK_MONOTONIC ns
 * @then: end of the previous interval, CLOCK_MONOTONIC ns
 * @next: end of this interval, CLOCK_MONOTONIC ns; 0 without --interval
 * @width: of the EVENT column
 */
struct count {
	struct run run;
	struct output out;
	struct agg_tables tables;
	struct counters counters;
	struct row *last;
	__u64 begin;
	__u64 then;
	__u64 next;
	int width;
};

static struct row row_of(const struct totals *totals, const struct row *last)
{
	const struct tap_counters *c = &totals->counters;
	__u64 lost = summary_lost(c);
	/*
	 * This equals hits - filtered, but that difference may decrease, even
	 * below 0, if it is read while a CPU counts. A sum of counters cannot.
	 */
	struct row row = {
		.count = c->written + c->aggregated + lost,
		.lost = lost,
		.missed = totals->missed,
	};

	/* The kernel counts these without atomics, so the number may decrease. */
	if (row.missed < last->missed)
		row.missed = last->missed;
	return row;
}

static void print_header(const struct count *s, FILE *to)
{
	fprintf(to, "%10s %-*s %12s %12s %8s %8s\n", "TIME", s->width, "EVENT",
		"COUNT", "PER SECOND", "LOST", "MISSED");
}

static void print_row(const struct count *s, FILE *to, const struct tap_spec *spec,
		      const struct row *row, __u64 ns, __u64 at, bool all)
{
	double seconds = (double)ns / 1e9, time = (double)at / 1e9;
	double rate = ns ? (double)row->count / seconds : 0;

	if (!s->run.opts->json) {
		fprintf(to, "%10.3f %-*s %12llu %12.1f %8llu %8llu\n", time,
			s->width, tap_spec_event(spec), (unsigned long long)row->count, rate,
			(unsigned long long)row->lost,
			(unsigned long long)row->missed);
		return;
	}
	fprintf(to, "{\"type\":\"stat\",\"time\":%.3f,\"seconds\":%.3f,",
		time, seconds);
	tool_json_event(to, spec);
	fprintf(to, ",\"count\":%llu,\"rate\":%.1f,\"lost\":%llu,\"missed\":%llu%s}\n",
		(unsigned long long)row->count, rate,
		(unsigned long long)row->lost, (unsigned long long)row->missed,
		all ? ",\"total\":true" : "");
}

/* Whether an event has a line of its own: it has no table, and is no side of a span that has one. */
static bool has_line(const struct options *opts, const struct tap_spec *spec)
{
	return !tap_spec_aggregates(spec) && !(options_table(opts, 0) && tap_spec_side(spec));
}

static void print_counts(struct count *s, FILE *to, const struct summary *summary,
			 bool all, __u64 ns, __u64 time)
{
	size_t i;

	for (i = 0; i < summary->nr; i++) {
		struct row row = row_of(&summary->list[i], &s->last[i]), d = row;

		if (!has_line(s->run.opts, summary->list[i].spec))
			continue;
		if (!all) {
			d.count -= s->last[i].count;
			d.lost -= s->last[i].lost;
			d.missed -= s->last[i].missed;
			s->last[i] = row;
		}
		if (summary->nr <= STAT_SHOW_ALL || d.count || d.lost ||
		    d.missed)
			print_row(s, to, summary->list[i].spec, &d, ns, time,
				  all);
	}
}

/* One table: of the interval, or with @all since the start of the run. */
static int print_table(struct count *s, FILE *to, const struct summary *summary,
		       bool all)
{
	/* Disabling many probes takes time in which they no longer count. */
	__u64 now = s->run.ended ? s->run.ended : run_now();
	__u64 ns = now - (all ? s->begin : s->then);
	const struct counters_moment moment = {
		to, all, ns, now - s->begin, s->width,
	};
	int ret = 0;

	if (s->last)
		print_counts(s, to, summary, all, ns, now - s->begin);
	if (s->tables.nr)
		ret = agg_tables_print(&s->tables, to, all, ns, now - s->begin);
	counters_print(&s->counters, &moment);
	if (!all)
		counters_next(&s->counters);
	s->then = now;
	return ret;
}

/* When something is printed: at the start, after an interval, at the end. */
enum moment { FIRST, NEXT, LAST };

static int print_moment(struct count *s, const struct summary *summary,
			enum moment moment, struct tap_error *err)
{
	const struct options *opts = s->run.opts;
	char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);
	int ret = to ? 0 : -ENOMEM;

	if (!to)
		goto out;
	if (moment == FIRST && !opts->json && s->last)
		print_header(s, to);
	/* The run may end in the middle of an interval. */
	if (moment == NEXT || (moment == LAST && opts->interval_ns))
		ret = print_table(s, to, summary, false);
	if (moment == LAST && opts->interval_ns && !opts->json)
		fputs("all together:\n", to);
	if (moment == LAST && !ret)
		ret = print_table(s, to, summary, true);
	if (fclose(to))
		ret = -ENOMEM;
	if (!ret)
		ret = output_write(&s->out, text, len);
	free(text);
out:
	return ret ? tap_error_set(err, ret, "cannot write: %s", strerror(-ret)) : 0;
}

static int stat_step(struct count *s, enum moment moment,
		     struct tap_error *err)
{
	struct summary summary;
	int ret;

	ret = summary_of_session(&summary, s->run.session, s->run.probes, err);
	run_user_update(&s->run);
	run_modules_reload(&s->run);
	if (!ret)
		ret = counters_read(&s->counters, err);
	if (!ret && s->tables.nr)
		ret = agg_tables_read(&s->tables, err);
	if (!ret)
		ret = print_moment(s, &summary, moment, err);
	if (!ret && s->run.opts->metrics)
		ret = stat_metrics_write(&s->run, &summary, &s->tables, err);
	if (!ret && moment == LAST) {
		ret = spans_print_open(&s->run, &s->out) ?: run_budget_json(&s->run, &s->out);
		if (ret)
			tap_error_set(err, ret, "cannot write: %s", strerror(-ret));
	}
	if (moment == LAST)
		run_stop(&s->run);
	if (!ret && moment == LAST && !s->run.opts->quiet && summary.nr)
		ret = summary_check(&summary, NULL, 0, err) ?: tasks_print_run(&s->run, err) ?:
		      spans_check(&s->run, err);
	summary_free(&summary);
	return ret;
}

static int stat_loop(struct count *s, struct tap_error *err)
{
	__u64 interval = s->run.opts->interval_ns;
	int ret = run_start(&s->run, err);

	if (ret)
		return ret;
	s->begin = s->run.begun;
	s->then = s->begin;
	s->next = interval ? s->begin + interval : 0;
	ret = print_moment(s, NULL, FIRST, err);
	while (!ret && !s->run.stopping) {
		ret = run_wait(&s->run, s->next);
		if (ret)
			return tap_error_set(err, ret, "cannot wait: %s",
					     strerror(-ret));
		if (!s->next || run_now() < s->next || s->run.stopping)
			continue;
		ret = stat_step(s, NEXT, err);
		/* Intervals that passed while tap slept are skipped. */
		while (s->next <= run_now())
			s->next += interval;
	}
	if (ret)
		return ret;
	ret = run_disable(&s->run);
	if (ret)
		return tap_explain(err, TAP_IOC_DISABLE, ret, NULL);
	return stat_step(s, LAST, err);
}

static int stat_open(struct count *s, const struct options *opts,
		     struct tap_error *err)
{
	const struct tap_probe *probe;
	size_t i;
	int ret = run_open(&s->run, opts, false, err);

	if (!ret)
		ret = run_build(&s->run, err);
	if (!ret)
		ret = counters_open(&s->counters, &s->run, err);
	if (ret)
		return ret;
	output_open(&s->out, &s->run);
	s->width = counters_width(&s->counters);
	if (options_table(opts, 0))
		ret = agg_tables_open(&s->tables, &s->run, err);
	for (i = 0; (probe = tap_probes_get(s->run.probes, i)); i++)
		if (has_line(opts, tap_probe_spec(probe)))
			break;
	if (ret || !probe)
		return ret;
	s->last = calloc(tap_probes_nr(s->run.probes), sizeof(*s->last));
	if (!s->last)
		return tap_error_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < tap_probes_nr(s->run.probes); i++) {
		size_t len = strlen(tap_probe_event(
					tap_probes_get(s->run.probes, i)));

		if (len > (size_t)s->width)
			s->width = len < 50 ? (int)len : 50;
	}
	return 0;
}

/* A glob of func: is one probe: only a key tells its functions apart. */
static bool counts_functions(const struct options *opts)
{
	struct tap_spec *spec;
	bool many = opts->nr_events && !options_table(opts, 0);
	size_t i;

	for (i = 0; i < opts->nr_events && many; i++) {
		/* run_open() reports errors in an event. */
		if (tap_spec_parse(opts->events[i], &spec, NULL))
			return false;
		many = tap_spec_type(spec) == TAP_PROBE_FUNC &&
		       tap_spec_glob(spec);
		tap_spec_free(spec);
	}
	return many;
}

int cmd_stat(int argc, char **argv)
{
	struct count s = { 0 };
	struct options opts;
	struct tap_error err;
	int ret, status;

	status = options_parse(&opts, argc, argv,
			       (OPT_SESSION & ~OPT_RING) | OPT_BUDGET | OPT_INTERVAL |
			       OPT_JSON | OPT_AGGREGATE | OPT_COUNTERS | OPT_OPEN | OPT_METRICS |
			       OPT_GATE,
			       SYNOPSIS);
	if (status < 0)
		status = counters_take(&s.counters, &opts);
	if (status < 0 && counts_functions(&opts))
		status = stat_args_by(&opts.stat, "func");
	if (status >= 0) {
		counters_close(&s.counters);
		options_free(&opts);
		return status;
	}
	ret = stat_open(&s, &opts, &err);
	if (!ret)
		ret = stat_loop(&s, &err);
	status = ret && ret != -EPIPE ? tool_fail(&err) : 0;
	if (!output_close(&s.out))
		status = TOOL_FAILED;
	agg_tables_close(&s.tables);
	counters_close(&s.counters);
	free(s.last);
	run_close(&s.run);
	options_free(&opts);
	return status;
}

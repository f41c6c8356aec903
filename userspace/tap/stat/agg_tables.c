// SPDX-License-Identifier: GPL-2.0
/*
 * Reading and printing the aggregations of a run. The module never resets them: an
 * interval is the difference of two readings.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stat/agg_rows.h"
#include "stat/agg_rows_json.h"
#include "stat/agg_tables.h"

static const struct tap_probe *probe_of(const struct agg_tables *tables,
					size_t i)
{
	return tap_probes_get(tables->run->probes, i);
}

/* Places of one event share a table if their rows have the same layout. */
static bool is_added(const struct agg_tables *tables, size_t i)
{
	const struct agg_table *t = &tables->list[i];

	return i && t[-1].now && tap_spec_same_event(tap_probe_spec(probe_of(tables, i)),
					tap_probe_spec(probe_of(tables, i - 1))) &&
	       tap_aggregation_same_layout(t->now, t[-1].now);
}

int agg_tables_open(struct agg_tables *tables, const struct run *run,
		    struct tap_error *err)
{
	const struct tap_probe *probe;
	size_t i;
	int ret = 0;

	tables->run = run;
	tables->list = calloc(tap_probes_nr(run->probes) + 1,
			      sizeof(*tables->list));
	if (!tables->list)
		return tap_error_set(err, -ENOMEM, "out of memory");
	for (i = 0; (probe = probe_of(tables, i)) && !ret; i++) {
		struct agg_table *t = &tables->list[i];

		if (tap_spec_side(tap_probe_spec(probe)))
			continue;
		ret = tap_aggregation_open(&t->now, probe);
		if (!ret)
			ret = tap_aggregation_open(&t->then, probe);
		if (ret)
			tap_error_set(err, ret,
				      "%s: this aggregation is not possible",
				      tap_probe_event(probe));
		else
			t->added = is_added(tables, i);
	}
	return ret;
}

int agg_tables_read(struct agg_tables *tables, struct tap_error *err)
{
	const struct run *run = tables->run;
	struct agg_table *first = NULL;
	const struct tap_probe *probe;
	size_t i;
	int ret;

	for (i = 0; (probe = probe_of(tables, i)); i++) {
		struct agg_table *t = &tables->list[i];
		struct tap_aggregation *old = t->then;

		if (!t->now)
			continue;
		t->then = t->now;
		t->now = old;
		ret = tap_aggregation_read(t->now, run->session);
		if (!t->added)
			first = t;
		else if (!ret)
			ret = tap_aggregation_add(first->now, t->now);
		if (ret == -EBADMSG)
			return tap_error_set(err, ret,
					     "%s: the answer of the module is invalid; the module and tap may be of different versions",
					     tap_probe_event(probe));
		if (ret)
			return tap_explain(err, TAP_IOC_READ, ret,
					   tap_probe_spec(probe));
	}
	return 0;
}

/* Rows are merged in a copy: the next difference needs them as they were read. */
static int print_rows(const struct agg_tables *tables, size_t i, bool all,
		      struct agg_rows *rows, FILE *to)
{
	const struct options *opts = tables->run->opts;
	struct tap_aggregation *own;
	int ret = tap_aggregation_dup(&own, tables->list[i].now);

	if (ret)
		return ret;
	if (!all)
		tap_aggregation_since(own, tables->list[i].then);
	rows->a = own;
	ret = tap_aggregation_unify(own, rows->format);
	if (!ret)
		ret = agg_rows_order(rows, opts->stat.top);
	if (ret)
		goto out;
	rows->spec = tap_probe_spec(probe_of(tables, i));
	if (opts->json)
		agg_rows_print_json(rows, to);
	else if (rows->hits || tap_probes_nr(tables->run->probes) <= STAT_SHOW_ALL)
		agg_rows_print(rows, to);
	free(rows->list);
out:
	tap_aggregation_close(own);
	return ret;
}

int agg_tables_print(const struct agg_tables *tables, FILE *to, bool all, __u64 ns,
		     __u64 time)
{
	const struct options *opts = tables->run->opts;
	const struct tap_formatter_opts format = {
		.size = sizeof(format),
		.json = opts->json,
		.resolve = run_resolve,
		.resolve_arg = tables->run,
		.resolve_user = tables->run->users ? tap_user_symbols_lookup :
						     NULL,
		.resolve_user_arg = tables->run->users,
	};
	struct agg_rows rows = {
		.format = &format, .time = time, .ns = ns,
		.all = all && opts->interval_ns,
	};
	size_t i;
	int ret = 0;

	if (!all && !opts->json)
		fprintf(to, "%.3f\n", (double)time / 1e9);
	for (i = 0; probe_of(tables, i) && !ret; i++)
		if (tables->list[i].now && !tables->list[i].added)
			ret = print_rows(tables, i, all, &rows, to);
	return ret;
}

void agg_tables_close(struct agg_tables *tables)
{
	size_t i;

	for (i = 0; tables->list && probe_of(tables, i); i++) {
		tap_aggregation_close(tables->list[i].now);
		tap_aggregation_close(tables->list[i].then);
	}
	free(tables->list);
	memset(tables, 0, sizeof(*tables));
}

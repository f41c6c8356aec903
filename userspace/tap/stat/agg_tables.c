// SPDX-License-Identifier: GPL-2.0
/*
 * Reading and printing the aggregations of a run. The module never resets them: an
 * interval is the difference of two readings.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "session/aggregation.h"
#include "stat/agg_rows.h"
#include "stat/agg_rows_json.h"
#include "stat/agg_rows_merge.h"
#include "spec/spec.h"
#include "stat/agg_tables.h"

/* Places of one event share a table if their rows have the same layout. */
static bool is_added(const struct agg_tables *tables, size_t i)
{
	const struct tap_probe *list = tables->run->probes.list;
	const struct agg_table *t = &tables->list[i];

	return i && tap_spec_same_event(&list[i].spec, &list[i - 1].spec) &&
	       t->now.row_words == t[-1].now.row_words &&
	       t->now.count_at == t[-1].now.count_at;
}

int agg_tables_open(struct agg_tables *tables, const struct run *run,
		    struct tap_error *err)
{
	size_t i;
	int ret = 0;

	tables->run = run;
	tables->list = calloc(run->probes.nr, sizeof(*tables->list));
	if (!tables->list)
		return tap_error_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < run->probes.nr && !ret; i++) {
		const struct tap_spec *spec = &run->probes.list[i].spec;
		struct agg_table *t = &tables->list[i];

		ret = spec->agg ? tap_aggregation_init(&t->now, spec->agg) :
				  -EINVAL;
		if (!ret)
			ret = tap_aggregation_init(&t->then, spec->agg);
		if (ret)
			tap_error_set(err, ret,
				      "%s: this aggregation is not possible",
				      spec->event);
		else
			t->added = is_added(tables, i);
	}
	return ret;
}

static int add_rows(struct tap_aggregation *to,
		    const struct tap_aggregation *from)
{
	__u64 *rows;

	if (!from->nr)
		return 0;
	rows = tap_aggregation_room(to, from->nr);
	if (!rows)
		return -ENOMEM;
	memcpy(rows, from->rows, from->nr * from->row_words * sizeof(*rows));
	to->nr += from->nr;
	tap_aggregation_merge(to);
	return 0;
}

int agg_tables_read(struct agg_tables *tables, struct tap_error *err)
{
	const struct run *run = tables->run;
	struct agg_table *first = NULL;
	size_t i;
	int ret;

	for (i = 0; i < run->probes.nr; i++) {
		const struct tap_probe *probe = &run->probes.list[i];
		struct agg_table *t = &tables->list[i];
		struct tap_aggregation old = t->then;

		t->then = t->now;
		t->now = old;
		ret = tap_aggregation_read(&t->now, run->session, probe->id);
		if (!t->added)
			first = t;
		else if (!ret)
			ret = add_rows(&first->now, &t->now);
		if (ret == -EBADMSG)
			return tap_error_set(err, ret,
					     "%s: the answer of the module is invalid; the module and tap may be of different versions",
					     probe->spec.event);
		if (ret)
			return tap_explain(err, TAP_IOC_READ, ret,
					   &probe->spec);
	}
	return 0;
}

/* The difference of the last two readings. */
static int difference(struct tap_aggregation *d, const struct agg_table *t)
{
	size_t size = t->now.nr * t->now.row_words * sizeof(*t->now.rows);

	*d = t->now;
	d->rows = malloc(size + 1);
	if (!d->rows)
		return -ENOMEM;
	if (size)
		memcpy(d->rows, t->now.rows, size);
	tap_aggregation_since(d, &t->then);
	return 0;
}

static int print_rows(const struct agg_tables *tables, size_t i, struct agg_rows *rows,
		      FILE *to)
{
	const struct options *opts = tables->run->opts;
	struct tap_aggregation own = { 0 };
	int ret = agg_rows_merge(rows, &own);

	if (!ret)
		ret = agg_rows_order(rows, opts->stat.top);
	if (ret)
		goto out;
	rows->event = tables->run->probes.list[i].spec.event;
	if (opts->json)
		agg_rows_print_json(rows, to);
	else if (rows->hits || tables->run->probes.nr <= STAT_SHOW_ALL)
		agg_rows_print(rows, to);
	free(rows->list);
out:
	tap_aggregation_free(&own);
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
	struct tap_aggregation d;
	size_t i;
	int ret = 0;

	if (!all && !opts->json)
		fprintf(to, "%.3f\n", (double)time / 1e9);
	for (i = 0; i < tables->run->probes.nr && !ret; i++) {
		if (tables->list[i].added)
			continue;
		rows.a = &tables->list[i].now;
		if (all) {
			ret = print_rows(tables, i, &rows, to);
			continue;
		}
		ret = difference(&d, &tables->list[i]);
		if (ret)
			break;
		rows.a = &d;
		ret = print_rows(tables, i, &rows, to);
		tap_aggregation_free(&d);
	}
	return ret;
}

void agg_tables_close(struct agg_tables *tables)
{
	size_t i;

	for (i = 0; tables->list && i < tables->run->probes.nr; i++) {
		tap_aggregation_free(&tables->list[i].now);
		tap_aggregation_free(&tables->list[i].then);
	}
	free(tables->list);
	memset(tables, 0, sizeof(*tables));
}

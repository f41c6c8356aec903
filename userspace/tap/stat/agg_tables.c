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

/*
 * Places of one event share a table if their rows have the same layout; so do the probes of a glob
 * whose key is func.
 */
static struct agg_table *shared(struct agg_tables *tables, const struct agg_table *t)
{
	size_t i;

	for (i = tables->nr; i--;) {
		struct agg_table *of = &tables->list[i];
		bool glob;

		if (of->probe == t->probe || of->index != t->index)
			continue;
		glob = tap_aggregation_same_glob(t->now, of->now);
		if (!glob && !tap_spec_same_event(tap_probe_spec(t->probe),
						  tap_probe_spec(of->probe)))
			break;
		if (tap_aggregation_same_layout(t->now, of->now))
			return of->first ? of->first : of;
		if (!glob)
			break;
	}
	return NULL;
}

/* Adds the tables of a probe. The list has room. */
static int add_tables(struct agg_tables *tables, const struct tap_probe *probe)
{
	const struct tap_spec *spec = tap_probe_spec(probe);
	const struct options *opts = tables->run->opts;
	unsigned int index = 0;
	size_t i;
	int ret;

	for (i = 0; index < tap_spec_nr_aggregations(spec); i++) {
		struct agg_table *t = &tables->list[tables->nr];

		*t = (struct agg_table) {
			.probe = probe, .args = options_table(opts, i), .index = index,
		};
		if (!stat_args_is_for(t->args, spec))
			continue;
		ret = tap_aggregation_open(&t->now, probe, index);
		if (!ret)
			t->first = shared(tables, t);
		/* Until here the list does not have it. */
		tables->nr++;
		if (!ret)
			ret = tap_aggregation_open(&t->then, probe, index);
		if (ret)
			return ret;
		index++;
	}
	return 0;
}

int agg_tables_open(struct agg_tables *tables, const struct run *run,
		    struct tap_error *err)
{
	const struct tap_probe *probe;
	size_t i, nr = 0;
	int ret = 0;

	tables->run = run;
	for (i = 0; (probe = tap_probes_get(run->probes, i)); i++)
		nr += tap_spec_nr_aggregations(tap_probe_spec(probe));
	tables->list = calloc(nr + 1, sizeof(*tables->list));
	if (!tables->list)
		return tap_error_set(err, -ENOMEM, "out of memory");
	for (i = 0; (probe = tap_probes_get(run->probes, i)) && !ret; i++) {
		ret = add_tables(tables, probe);
		if (ret)
			tap_error_set(err, ret,
				      "%s: this aggregation is not possible",
				      tap_probe_event(probe));
	}
	return ret;
}

int agg_tables_read(struct agg_tables *tables, struct tap_error *err)
{
	const struct run *run = tables->run;
	size_t i;
	int ret;

	for (i = 0; i < tables->nr; i++) {
		struct agg_table *t = &tables->list[i];
		struct tap_aggregation *old = t->then;

		t->then = t->now;
		t->now = old;
		ret = tap_aggregation_read(t->now, run->session);
		if (!ret && t->first)
			ret = tap_aggregation_add(t->first->now, t->now);
		if (ret == -EBADMSG)
			return tap_error_set(err, ret,
					     "%s: the answer of the module is invalid; the module and tap may be of different versions",
					     tap_probe_event(t->probe));
		if (ret)
			return tap_explain(err, TAP_IOC_READ, ret,
					   tap_probe_spec(t->probe));
	}
	return 0;
}

/* Rows are merged in a copy: the next difference needs them as they were read. */
static int give_rows(const struct agg_table *t, bool all, __u32 top, struct agg_rows *rows,
		     agg_rows_fn fn, void *arg)
{
	struct tap_aggregation *own;
	int ret = tap_aggregation_dup(&own, t->now);

	if (ret)
		return ret;
	if (!all)
		tap_aggregation_since(own, t->then);
	rows->a = own;
	ret = tap_aggregation_unify(own, rows->format);
	if (!ret)
		ret = agg_rows_order(rows, t->args->top ? t->args->top : top);
	if (ret)
		goto out;
	rows->spec = tap_probe_spec(t->probe);
	rows->glob = tap_aggregation_same_glob(t->now, t->now) && !tap_spec_name(rows->spec);
	rows->table = tap_spec_nr_aggregations(rows->spec) > 1 ? (int)t->index : -1;
	fn(rows, arg);
	free(rows->list);
out:
	tap_aggregation_close(own);
	return ret;
}

int agg_tables_rows(const struct agg_tables *tables, const struct agg_rows *when, bool all, bool json,
		    __u32 top, agg_rows_fn fn, void *arg)
{
	const struct tap_formatter_opts format = {
		.size = sizeof(format),
		.json = json,
		.resolve = run_resolve,
		.resolve_arg = tables->run,
		.resolve_user = tables->run->users ? tap_user_symbols_lookup :
						     NULL,
		.resolve_user_arg = tables->run->users,
	};
	struct agg_rows rows = *when;
	size_t i;
	int ret = 0;

	rows.format = &format;
	for (i = 0; i < tables->nr && !ret; i++) {
		if (tables->list[i].first)
			continue;
		rows.number++;
		ret = give_rows(&tables->list[i], all, top, &rows, fn, arg);
	}
	return ret;
}

/* Where print_rows() prints. */
struct printer {
	const struct run *run;
	FILE *to;
};

static void print_rows(const struct agg_rows *rows, void *arg)
{
	const struct printer *p = arg;

	if (p->run->opts->json)
		agg_rows_print_json(rows, p->to);
	else if (rows->hits || tap_probes_nr(p->run->probes) <= STAT_SHOW_ALL)
		agg_rows_print(rows, p->to);
}

int agg_tables_print(const struct agg_tables *tables, FILE *to, bool all, __u64 ns,
		     __u64 time)
{
	const struct options *opts = tables->run->opts;
	struct printer printer = { tables->run, to };
	struct agg_rows rows = {
		.time = time, .ns = ns, .all = all && opts->interval_ns,
	};

	if (!all && !opts->json)
		fprintf(to, "%.3f\n", (double)time / 1e9);
	return agg_tables_rows(tables, &rows, all, opts->json, 0, print_rows, &printer);
}

void agg_tables_close(struct agg_tables *tables)
{
	size_t i;

	for (i = 0; i < tables->nr; i++) {
		tap_aggregation_close(tables->list[i].now);
		tap_aggregation_close(tables->list[i].then);
	}
	free(tables->list);
	memset(tables, 0, sizeof(*tables));
}

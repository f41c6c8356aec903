// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of a file. They are printed as those of tap stat, which the kernel counts.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stat/agg_rows.h"
#include "stat/agg_rows_json.h"
#include "stat/file_tables.h"
#include "trace_file.h"

bool file_tables_wanted(const struct options *opts)
{
	return options_table(opts, 0);
}

static int add_tables(struct file_tables *tables, const struct tap_probe *probe,
		      struct tap_error *err)
{
	size_t first = tables->nr, i;
	const struct stat_args *args;
	struct file_table *t;
	int ret = 0;

	tables->first[tap_probe_id(probe)] = first;
	for (i = 0; !ret && (args = options_table(tables->opts, i)); i++) {
		if (!stat_args_is_for(args, tap_probe_spec(probe)))
			continue;
		t = realloc(tables->list, (tables->nr + 1) * sizeof(*t));
		if (!t)
			return tap_error_set(err, -ENOMEM, "out of memory");
		tables->list = t;
		t += tables->nr;
		*t = (struct file_table) {
			.probe = probe, .args = args, .index = (unsigned int)(tables->nr - first),
		};
		tables->nr++;
		ret = tap_tally_open(&t->tally, probe, tables->timebase, args->keys, args->nr_keys,
				     args->values, args->nr_values, err);
	}
	if (tables->nr == first + 1)
		tables->list[first].alone = true;
	return ret;
}

int file_tables_open(struct file_tables *tables, const struct options *opts,
		     const struct tap_file_reader *file,
		     bool (*wanted)(void *arg, const struct tap_probe *probe), void *arg,
		     struct tap_error *err)
{
	const struct tap_probes *probes = tap_file_probes(file);
	const struct tap_probe *probe;
	size_t i;
	int ret = 0;

	memset(tables, 0, sizeof(*tables));
	tables->opts = opts;
	tables->timebase = tap_file_timebase(file);
	tables->first = calloc(trace_file_ids(probes) + 1, sizeof(*tables->first));
	if (!tables->first)
		return tap_error_set(err, -ENOMEM, "out of memory");
	for (i = 0; !ret && (probe = tap_probes_get(probes, i)); i++)
		if (wanted(arg, probe))
			ret = add_tables(tables, probe, err);
	if (!ret && !tables->nr)
		return tap_error_set(err, -EINVAL,
				     "%s: --for names no event of this file; 'tap report --info %s' lists its events",
				     opts->file, opts->file);
	return ret;
}

int file_tables_event(struct file_tables *tables, const struct tap_event *ev)
{
	size_t i = tables->first[tap_probe_id(ev->probe)];
	int ret = 0;

	if (!tables->begin)
		tables->begin = ev->time;
	tables->end = ev->time;
	for (; !ret && i < tables->nr && tables->list[i].probe == ev->probe; i++)
		ret = tap_tally_event(tables->list[i].tally, ev);
	return ret;
}

/* The table of the same event to whose rows those of this probe are added; NULL: it is printed. */
static struct file_table *shared(const struct file_tables *tables, const struct file_table *t)
{
	struct file_table *other;

	for (other = tables->list; other < t; other++)
		if (other->args == t->args &&
		    tap_spec_same_event(tap_probe_spec(other->probe), tap_probe_spec(t->probe)) &&
		    tap_aggregation_same_layout(tap_tally_rows(other->tally), tap_tally_rows(t->tally)))
			return other;
	return NULL;
}

static int print_table(const struct file_tables *tables, const struct file_table *t,
		       const struct tap_formatter_opts *format, FILE *to)
{
	struct agg_rows rows = {
		.a = tap_tally_rows(t->tally), .spec = tap_probe_spec(t->probe), .format = format,
		.table = t->alone ? -1 : (int)t->index,
		.ns = tap_timebase_ns(tables->timebase, tables->end - tables->begin),
	};
	int ret = tap_aggregation_unify(tap_tally_rows(t->tally), format);

	if (!ret)
		ret = agg_rows_order(&rows, t->args->top);
	if (ret)
		return ret;
	if (tables->opts->json)
		agg_rows_print_json(&rows, to);
	else
		agg_rows_print(&rows, to);
	free(rows.list);
	return 0;
}

int file_tables_print(const struct file_tables *tables, const struct tap_formatter_opts *format,
		      FILE *to)
{
	struct file_table *first;
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < tables->nr; i++) {
		first = shared(tables, &tables->list[i]);
		if (first)
			ret = tap_aggregation_add(tap_tally_rows(first->tally),
						  tap_tally_rows(tables->list[i].tally));
	}
	for (i = 0; !ret && i < tables->nr; i++)
		if (!shared(tables, &tables->list[i]))
			ret = print_table(tables, &tables->list[i], format, to);
	return ret;
}

void file_tables_close(struct file_tables *tables)
{
	size_t i;

	for (i = 0; i < tables->nr; i++)
		tap_tally_close(tables->list[i].tally);
	free(tables->list);
	free(tables->first);
	memset(tables, 0, sizeof(*tables));
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The aggregations of all probes of a run: what was read last, and the time before.
 * Printing one of them is the task of agg_rows.h; summary.h has the relation of
 * the three.
 */
#ifndef _TOOL_STAT_AGG_TABLES_H
#define _TOOL_STAT_AGG_TABLES_H

#include "run/run.h"
#include "stat/agg_rows.h"

/* With more probes than this, only those with hits are printed. */
#define STAT_SHOW_ALL	20

/**
 * struct agg_table - one aggregation of a probe
 * @probe: the probe
 * @args: what it was made from
 * @index: which of the probe's aggregations
 * @now: as read last
 * @then: as read the time before
 * @first: the probe is another place of the event before it, and its rows are added to this
 *	table, which is before it in the list; else NULL
 */
struct agg_table {
	const struct tap_probe *probe;
	const struct stat_args *args;
	unsigned int index;
	struct tap_aggregation *now;
	struct tap_aggregation *then;
	struct agg_table *first;
};

/**
 * struct agg_tables - the aggregations of all probes
 * @run: the run
 * @list: in the order of the probe table
 * @nr: number of @list
 */
struct agg_tables {
	const struct run *run;
	struct agg_table *list;
	size_t nr;
};

/**
 * agg_tables_open() - allocate a table for each probe
 * @tables: filled in; end it with agg_tables_close()
 * @run: its probes were created
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int agg_tables_open(struct agg_tables *tables, const struct run *run,
		    struct tap_error *err);

/**
 * agg_tables_read() - read the aggregations; what was read before is kept as then
 * @tables: from agg_tables_open()
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int agg_tables_read(struct agg_tables *tables, struct tap_error *err);

/* Takes the rows of one table. */
typedef void (*agg_rows_fn)(const struct agg_rows *rows, void *arg);

/**
 * agg_tables_rows() - sort the rows of each table, and give them to a function
 * @tables: after agg_tables_read()
 * @when: the times; a copy is filled in
 * @all: totals since the start; else differences of the last two readings
 * @json: keys and values are formatted as JSON
 * @top: rows of a table without --top; 0 for all
 * @fn: called for each table
 * @arg: of @fn
 *
 * Return: 0 or -ENOMEM.
 */
int agg_tables_rows(const struct agg_tables *tables, const struct agg_rows *when, bool all, bool json,
		    __u32 top, agg_rows_fn fn, void *arg);

/**
 * agg_tables_print() - print a table for each event
 * @tables: after agg_tables_read()
 * @to: output
 * @all: print totals since the start; else differences of the last two readings
 * @ns: length of that time
 * @time: since the start of the run, ns
 *
 * Return: 0 or -ENOMEM.
 */
int agg_tables_print(const struct agg_tables *tables, FILE *to, bool all, __u64 ns,
		     __u64 time);

/**
 * agg_tables_close() - end it
 * @tables: may be all zero
 */
void agg_tables_close(struct agg_tables *tables);

#endif /* _TOOL_STAT_AGG_TABLES_H */

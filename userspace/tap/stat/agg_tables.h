/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The aggregations of all probes of a run: what was read last, and the time before.
 * Printing one of them is the task of agg_rows.h; summary.h has the relation of
 * the three.
 */
#ifndef _TOOL_STAT_AGG_TABLES_H
#define _TOOL_STAT_AGG_TABLES_H

#include "run/run.h"

/* With more probes than this, only those with hits are printed. */
#define STAT_SHOW_ALL	20

/**
 * struct agg_table - the aggregation of one probe
 * @now: as read last; NULL: the probe is a side of a span, which does not aggregate
 * @then: as read the time before
 * @added: the probe is another place of the event before it, and its rows were
 *	added to the table of that probe
 */
struct agg_table {
	struct tap_aggregation *now;
	struct tap_aggregation *then;
	bool added;
};

/**
 * struct agg_tables - the aggregations of all probes
 * @run: the run
 * @list: one for each entry of its probe table, in the same order
 */
struct agg_tables {
	const struct run *run;
	struct agg_table *list;
};

/**
 * agg_tables_open() - allocate a table for each probe
 * @tables: filled in; end it with agg_tables_close()
 * @run: its probes were created, and all of them aggregate but sides of spans
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

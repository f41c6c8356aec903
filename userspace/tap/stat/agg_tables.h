/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The aggregations of all probes of a run: what was read last, and the time before.
 * Printing one of them is the task of agg_rows.h; summary.h has the relation of
 * the three.
 */
#ifndef _TOOL_STAT_AGG_TABLES_H
#define _TOOL_STAT_AGG_TABLES_H

#include "run/run.h"

/* Of more probes than this, only those with a hit are shown. */
#define STAT_SHOW_ALL	20

/**
 * struct agg_table - the aggregation of one probe
 * @now: as it was read last
 * @then: as it was read before that
 * @added: it is a further place of the event before it, whose table has its rows
 */
struct agg_table {
	struct tap_aggregation now;
	struct tap_aggregation then;
	bool added;
};

/**
 * struct agg_tables - of all probes
 * @run: the run
 * @list: by the order of the probe table
 */
struct agg_tables {
	const struct run *run;
	struct agg_table *list;
};

/**
 * agg_tables_open() - begin with nothing read
 * @tables: filled in; end it with agg_tables_close()
 * @run: its probes were made, and all of them aggregate
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int agg_tables_open(struct agg_tables *tables, const struct run *run,
		    struct tap_error *err);

/**
 * agg_tables_read() - read them anew
 * @tables: the tables
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int agg_tables_read(struct agg_tables *tables, struct tap_error *err);

/**
 * agg_tables_print() - print them
 * @tables: the tables, read
 * @to: where to
 * @all: all that was counted; else what came between the last two readings
 * @ns: for how long that is
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

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The aggregations of all probes of a run, as they were read last and before.
 */
#ifndef _TOOL_TABLES_H
#define _TOOL_TABLES_H

#include "run/run.h"

/* Of more probes than this, only those with a hit are shown. */
#define TABLES_SHOW_ALL	20

/**
 * struct table - the aggregation of one probe
 * @now: as it was read last
 * @then: as it was read before that
 * @added: it is a further place of the event before it, whose table has its rows
 */
struct table {
	struct tap_aggregation now;
	struct tap_aggregation then;
	bool added;
};

/**
 * struct tables - of all probes
 * @run: the run
 * @list: by the order of the probe table
 */
struct tables {
	const struct run *run;
	struct table *list;
};

/**
 * tables_open() - begin with nothing read
 * @tables: filled in; end it with tables_close()
 * @run: its probes were made, and all of them aggregate
 * @err: the sentence on failure
 *
 * Return: 0 or -errno.
 */
int tables_open(struct tables *tables, const struct run *run,
		struct tap_error *err);

/**
 * tables_read() - read them anew
 * @tables: the tables
 * @err: the sentence on failure
 *
 * Return: 0 or -errno.
 */
int tables_read(struct tables *tables, struct tap_error *err);

/**
 * tables_print() - print them
 * @tables: the tables, read
 * @to: where to
 * @all: all that was counted; else what came between the last two readings
 * @ns: for how long that is
 * @time: since the begin of the run, ns
 *
 * Return: 0 or -ENOMEM.
 */
int tables_print(const struct tables *tables, FILE *to, bool all, __u64 ns,
		 __u64 time);

/**
 * tables_close() - end it
 * @tables: may be all zero
 */
void tables_close(struct tables *tables);

#endif /* _TOOL_TABLES_H */

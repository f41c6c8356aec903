/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tap stat counted, as metrics.
 */
#ifndef _TOOL_STAT_STAT_METRICS_H
#define _TOOL_STAT_STAT_METRICS_H

#include "stat/agg_tables.h"
#include "stat/summary.h"

/* Rows of a table without --top: each is a time series of its own. */
#define STAT_METRICS_ROWS	100

/**
 * stat_metrics_write() - write the totals since the start to a file
 * @run: its --openmetrics is the file, which is replaced
 * @summary: the counters of the probes
 * @tables: after agg_tables_read(); may have none
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int stat_metrics_write(const struct run *run, const struct summary *summary,
		       const struct agg_tables *tables, struct tap_error *err);

#endif /* _TOOL_STAT_STAT_METRICS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bars of one histogram.
 */
#ifndef _TOOL_STAT_AGG_HISTOGRAM_H
#define _TOOL_STAT_AGG_HISTOGRAM_H

#include "stat/agg_rows.h"

/**
 * agg_rows_bucket() - the buckets by size: the one of negative numbers is the last one in the module
 * @rows: the rows
 * @i: index of the value
 * @k: place, the lowest bucket first
 *
 * Return: its index.
 */
unsigned int agg_rows_bucket(const struct agg_rows *rows, unsigned int i, unsigned int k);

/**
 * agg_rows_histogram() - print the bars of a histogram
 * @rows: the rows
 * @row: one of them
 * @i: index of the value
 * @to: output
 */
void agg_rows_histogram(const struct agg_rows *rows, const __u64 *row, unsigned int i,
			FILE *to);

#endif /* _TOOL_STAT_AGG_HISTOGRAM_H */

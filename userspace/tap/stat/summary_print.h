/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of a summary.
 */
#ifndef _TOOL_STAT_SUMMARY_PRINT_H
#define _TOOL_STAT_SUMMARY_PRINT_H

#include "stat/summary.h"

/**
 * summary_print() - print the table to stderr, and whether the counters balance
 * @summary: the counters
 * @counts: what was read of the stream, NULL if it was not read
 * @pending: lost events that no gap record reports
 *
 * Return: true if all counters balance.
 */
bool summary_print(const struct summary *summary,
		   const struct tap_reader_counts *counts, __u64 pending);

#endif /* _TOOL_STAT_SUMMARY_PRINT_H */

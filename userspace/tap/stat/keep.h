/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lines of a summary about --keep.
 */
#ifndef _TOOL_STAT_KEEP_H
#define _TOOL_STAT_KEEP_H

#include "tool.h"

/**
 * keep_print() - print the counts
 * @counts: of the run or of the file
 * @total: events that were read
 *
 * Return: false if the counts do not add up.
 */
bool keep_print(const struct tap_keep_counts *counts, __u64 total);

#endif /* _TOOL_STAT_KEEP_H */

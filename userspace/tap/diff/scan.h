/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads a file into the table, twice: for what there is, and for when it was.
 */
#ifndef _TOOL_DIFF_SCAN_H
#define _TOOL_DIFF_SCAN_H

#include "diff/table.h"

struct diff;

/**
 * struct scan_span - when the events of a file were
 * @begin: raw time of the first one
 * @end: of the last one
 * @nr: how many were used
 */
struct scan_span {
	__u64 begin;
	__u64 end;
	__u64 nr;
};

/**
 * scan_file() - read a file for the first time
 * @d: the comparison
 * @file: %GOOD or %BAD
 * @err: the error message on failure
 *
 * The table gets its numbers, durations and losses, and the file its span and its length.
 *
 * Return: 0 or -errno.
 */
int scan_file(struct diff *d, int file, struct tap_error *err);

/**
 * scan_file_again() - read a file a second time
 * @d: the comparison, with the bounds of durations
 * @file: %GOOD or %BAD
 * @err: the error message on failure
 *
 * The table gets its blocks.
 *
 * Return: 0 or -errno.
 */
int scan_file_again(struct diff *d, int file, struct tap_error *err);

#endif /* _TOOL_DIFF_SCAN_H */

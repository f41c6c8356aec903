/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Spans at the end of a run: the totals of their tables, and what is still open.
 */
#ifndef _TOOL_STAT_SPANS_H
#define _TOOL_STAT_SPANS_H

#include <stdio.h>

#include "run/output.h"
#include "run/run.h"

/**
 * spans_check() - print the totals of the spans to stderr, and whether they add up; and what was
 *	missed at the entries of functions
 * @run: its probes are disabled; with --quiet this does nothing
 * @err: an error message on failure
 *
 * Return: 0; -EBADMSG if they do not add up; or another -errno.
 */
int spans_check(const struct run *run, struct tap_error *err);

/**
 * spans_print_open() - print what the spans began and did not end, with --open
 * @run: its probes are disabled
 * @out: the output
 *
 * As text, entries whose values and tasks are the same share a line.
 *
 * Return: 0 or -errno.
 */
int spans_print_open(const struct run *run, struct output *out);

/**
 * spans_check_file() - the same as spans_check(), from a trace file
 * @file: the file; spans without counts are left out
 * @err: an error message on failure
 *
 * Return: 0; -EBADMSG if they do not add up; or another -errno.
 */
int spans_check_file(const struct tap_file_reader *file, struct tap_error *err);

/**
 * spans_print_open_file() - the same as spans_print_open(), from a trace file
 * @file: the file
 * @json: print JSON
 * @to: where to
 *
 * Return: 0 or -errno.
 */
int spans_print_open_file(const struct tap_file_reader *file, bool json, FILE *to);

/**
 * spans_write() - append the spans of a run to a trace file
 * @run: its probes are disabled
 * @users: has seen all records; gets the addresses in open entries; may be NULL
 * @writer: the file
 *
 * Return: 0 or -errno.
 */
int spans_write(const struct run *run, struct tap_usym_collect *users,
		struct tap_file_writer *writer);

#endif /* _TOOL_STAT_SPANS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the commands that read a trace file share.
 */
#ifndef _TOOL_TRACE_FILE_H
#define _TOOL_TRACE_FILE_H

#include "tool.h"

/* Room for a date. */
#define TRACE_FILE_DATE_LEN	64

/**
 * trace_file_names() - take the clock, probes and symbol names from a trace file
 * @opts: its members for these are set, the others keep their values
 * @file: must stay open longer than @opts is used
 */
void trace_file_names(struct tap_formatter_opts *opts,
		      const struct tap_file_reader *file);

/**
 * trace_file_date() - when the file was recorded
 * @file: an open file
 * @buf: given the date, or "?"
 */
void trace_file_date(const struct tap_file_reader *file,
		     char buf[TRACE_FILE_DATE_LEN]);

#endif /* _TOOL_TRACE_FILE_H */

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
 * trace_file_date() - when the file was recorded
 * @file: an open file
 * @buf: given the date, or "?"
 */
void trace_file_date(const struct tap_file_reader *file,
		     char buf[TRACE_FILE_DATE_LEN]);

/**
 * trace_file_is() - whether an argument names an event of a file
 * @arg: the event's text, the name that the user gave it, TYPE:TARGET, or a glob of that
 * @spec: of the event
 *
 * Return: true if it does.
 */
bool trace_file_is(const char *arg, const struct tap_spec *spec);

/**
 * trace_file_wants() - whether arguments name an event of a file
 * @args: as for trace_file_is()
 * @nr: number of @args; 0: all events are named
 * @spec: of the event
 *
 * Return: true if one of them does.
 */
bool trace_file_wants(const char *const *args, size_t nr, const struct tap_spec *spec);

/**
 * trace_file_check() - whether arguments name any event of a file
 * @file: the file
 * @path: its name, for the error message
 * @args: as for trace_file_is()
 * @nr: number of @args; 0: all events are named
 * @err: the error message on failure
 *
 * Return: 0; -EINVAL if they name none.
 */
int trace_file_check(const struct tap_file_reader *file, const char *path, const char *const *args,
		     size_t nr, struct tap_error *err);

/**
 * trace_file_ids() - how many entries an array by id of a probe has
 * @probes: of the file
 *
 * Return: the greatest id and one more; 0 without probes.
 */
size_t trace_file_ids(const struct tap_probes *probes);

#endif /* _TOOL_TRACE_FILE_H */

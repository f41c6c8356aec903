/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables of tap report --by and the like: the events of a file, counted by key.
 */
#ifndef _TOOL_STAT_FILE_TABLES_H
#define _TOOL_STAT_FILE_TABLES_H

#include "run/options.h"

/**
 * struct file_table - a table of a probe
 * @probe: the probe
 * @args: what is counted by what
 * @index: which of the probe's tables
 * @alone: it is the only one
 * @tally: the events
 */
struct file_table {
	const struct tap_probe *probe;
	const struct stat_args *args;
	unsigned int index;
	bool alone;
	struct tap_tally *tally;
};

/**
 * struct file_tables - the tables of all probes
 * @opts: the command line
 * @list: the tables; those of a probe follow each other
 * @nr: number of @list
 * @first: index in @list of the first table of a probe, by its id
 * @timebase: of the file
 * @begin: raw time of the first event
 * @end: raw time of the last event
 */
struct file_tables {
	const struct options *opts;
	struct file_table *list;
	size_t nr;
	size_t *first;
	const struct tap_timebase *timebase;
	__u64 begin;
	__u64 end;
};

/**
 * file_tables_wanted() - whether the command line asks for tables
 * @opts: the command line
 *
 * Return: true if it does.
 */
bool file_tables_wanted(const struct options *opts);

/**
 * file_tables_open() - make the tables
 * @tables: filled in; end it with file_tables_close()
 * @opts: the command line
 * @file: the file
 * @wanted: whether a probe has tables
 * @arg: handed to @wanted
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int file_tables_open(struct file_tables *tables, const struct options *opts,
		     const struct tap_file_reader *file,
		     bool (*wanted)(void *arg, const struct tap_probe *probe), void *arg,
		     struct tap_error *err);

/**
 * file_tables_event() - count an event
 * @tables: the tables
 * @ev: an event that tap_decode() accepted
 *
 * Return: 0 or -ENOMEM.
 */
int file_tables_event(struct file_tables *tables, const struct tap_event *ev);

/**
 * file_tables_print() - print a table for each event
 * @tables: after all events
 * @format: names of addresses, as tap_file_names() sets them
 * @to: output
 *
 * Return: 0 or -ENOMEM.
 */
int file_tables_print(const struct file_tables *tables, const struct tap_formatter_opts *format,
		      FILE *to);

/**
 * file_tables_close() - end it
 * @tables: may be all zero
 */
void file_tables_close(struct file_tables *tables);

#endif /* _TOOL_STAT_FILE_TABLES_H */

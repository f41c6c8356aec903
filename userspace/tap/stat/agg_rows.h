/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One aggregation of agg_tables.h as rows: sorted, and formatted for printing.
 * summary.h has the relation of the three.
 */
#ifndef _TOOL_STAT_AGG_ROWS_H
#define _TOOL_STAT_AGG_ROWS_H

#include "tool.h"

/* Room for a key as text or JSON. */
#define AGG_KEY_MAX	8192
/* Room for a stack. */
#define AGG_STACK_MAX	(512 << 10)

/**
 * struct agg_rows - the rows of one event, ready to be printed
 * @a: the aggregation
 * @columns: the keys that are columns: neither hidden nor a stack
 * @nr_columns: number of @columns
 * @list: the rows to print, the greatest first; allocated
 * @nr: number of @list
 * @hidden: rows that --top leaves out
 * @other: the row of all keys that the table had no room for, or NULL
 * @hits: of all rows
 * @spec: the event
 * @glob: the rows are those of all probes of the event's glob
 * @number: of the run's tables, from 1 on
 * @table: which of the event's tables; -1: it has one
 * @format: options for printing keys and values
 * @time: since the start of the run, ns
 * @ns: length of the time that the rows cover
 * @all: totals since the start, in a run that also prints intervals
 */
struct agg_rows {
	const struct tap_aggregation *a;
	unsigned int columns[TAP_MAX_KEYS];
	unsigned int nr_columns;
	const __u64 **list;
	size_t nr;
	size_t hidden;
	const __u64 *other;
	__u64 hits;
	const struct tap_spec *spec;
	bool glob;
	unsigned int number;
	int table;
	const struct tap_formatter_opts *format;
	__u64 time;
	__u64 ns;
	bool all;
};

/**
 * agg_rows_order() - sort the rows
 * @rows: @a is set; sets the columns, @list, @nr, @hidden, @other and @hits
 * @top: number of rows to print; 0 for all
 *
 * Sorts by the first value if it is a number, else by the count.
 *
 * Return: 0 or -ENOMEM. Free @rows->list with free().
 */
int agg_rows_order(struct agg_rows *rows, __u32 top);

/**
 * agg_rows_print() - print them as a table, or as histograms if there are any
 * @rows: the rows
 * @to: output
 */
void agg_rows_print(const struct agg_rows *rows, FILE *to);

/**
 * agg_rows_is_histogram() - whether a value is one
 * @rows: the rows
 * @i: index of the value
 *
 * Return: true if it has buckets.
 */
bool agg_rows_is_histogram(const struct agg_rows *rows, unsigned int i);

/**
 * agg_rows_kind() - the statistic of a value: sum, average and so on
 * @rows: the rows
 * @i: index of the value
 *
 * Return: its name, e.g. "sum".
 */
const char *agg_rows_kind(const struct agg_rows *rows, unsigned int i);

/**
 * agg_rows_key() - format a key
 * @rows: the rows
 * @row: one of them
 * @i: index of the key
 * @buf: set to text or JSON
 * @size: bytes at @buf, at least %AGG_KEY_MAX; for a stack, %AGG_STACK_MAX
 */
void agg_rows_key(const struct agg_rows *rows, const __u64 *row, unsigned int i,
		  char *buf, size_t size);

/**
 * agg_rows_is_stack() - whether a key is a stack
 * @rows: the rows
 * @i: index of the key
 *
 * Return: true if it is one.
 */
bool agg_rows_is_stack(const struct agg_rows *rows, unsigned int i);

/**
 * agg_rows_number() - format a value that is one number
 * @rows: the rows
 * @i: index of the value
 * @value: the number
 * @buf: set to text or JSON; room for %AGG_KEY_MAX bytes
 */
void agg_rows_number(const struct agg_rows *rows, unsigned int i, __u64 value,
		     char *buf);

#endif /* _TOOL_STAT_AGG_ROWS_H */

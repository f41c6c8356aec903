/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the events of two files are compared by: events, keys, errors and callers.
 */
#ifndef _TOOL_DIFF_TABLE_H
#define _TOOL_DIFF_TABLE_H

#include "diff/histogram.h"
#include "diff/significance.h"
#include "tool.h"

/* More rows, or errors and callers, are refused: they bound the memory. */
#define TABLE_ROWS	4096
#define TABLE_KINDS	16384

/* The two files; an index. */
#define GOOD	0
#define BAD	1

/* Quantiles of durations that are compared; an index. */
#define QUANTILES	4
#define MEDIAN		1

/* What a bound of durations is for: this file is to be the faster, or the slower one. */
#define FASTER	0
#define SLOWER	1

/**
 * struct table_event - an event, by the name that is printed for it
 * @next: the event that was added before it
 * @order: how many were added before it
 * @name: its name; owned
 * @recorded: the file has it
 * @lost: how many of it the file lacks at most; %LOSSES_UNKNOWN
 */
struct table_event {
	struct table_event *next;
	size_t order;
	char *name;
	bool recorded[2];
	__u64 lost[2];
};

/**
 * struct table_side - the events of a row in one file
 * @nr: events
 * @durations: of those that have one
 * @quantile: of @durations
 * @bound: of each quantile, as %FASTER and as %SLOWER
 * @blocks: events by blocks of equal time
 * @above: events above each @bound, by blocks of equally many events with a duration
 * @seen: events with a duration so far, as the file is read again
 */
struct table_side {
	__u64 nr;
	struct histogram durations;
	double quantile[QUANTILES];
	double bound[QUANTILES][2];
	__u64 blocks[BLOCKS];
	__u64 above[QUANTILES][2][BLOCKS];
	__u64 seen;
};

struct table_kind;

/**
 * struct table_row - the events of one name and key
 * @next: the row that was added before it
 * @kinds: the kind that was added last
 * @event: the event
 * @key: the keys as text; empty without --by
 * @json: the same as an object of JSON
 * @of: in the files
 */
struct table_row {
	struct table_row *next;
	struct table_kind *kinds;
	struct table_event *event;
	char *key;
	char *json;
	struct table_side of[2];
};

enum table_kind_of {
	KIND_ERROR,
	KIND_CALLER,
};

/**
 * struct table_kind - some events of a row
 * @next: the one of the row that was added before it
 * @row: the row
 * @of: what they have in common: their error, or who called
 * @name: which one; owned
 * @nr: events in the files
 * @blocks: the same by blocks of equal time
 */
struct table_kind {
	struct table_kind *next;
	struct table_row *row;
	enum table_kind_of of;
	char *name;
	__u64 nr[2];
	__u64 blocks[2][BLOCKS];
};

/**
 * struct table - all of them; all zero at first
 * @events: the event that was added last
 * @rows: the row that was added last
 * @nr_rows: number of @rows
 * @nr_kinds: number of kinds
 * @row_tree: the rows, for tsearch(3)
 * @kind_tree: likewise
 */
struct table {
	struct table_event *events;
	struct table_row *rows;
	size_t nr_rows;
	size_t nr_kinds;
	void *row_tree;
	void *kind_tree;
};

/**
 * table_event() - find an event, or add it
 * @t: the table
 * @name: as it is printed
 *
 * Return: the event; NULL if there is no memory.
 */
struct table_event *table_event(struct table *t, const char *name);

/**
 * table_row() - find a row, or add it
 * @t: the table
 * @event: the event
 * @key: its keys
 * @json: of a row that is added; NULL: none is added
 * @row: set; NULL if there is none and @json is NULL
 * @err: the error message on failure
 *
 * Return: 0; -E2BIG beyond %TABLE_ROWS; -ENOMEM.
 */
int table_row(struct table *t, struct table_event *event, const char *key, const char *json,
	      struct table_row **row, struct tap_error *err);

/**
 * table_kind() - find a kind, or add it
 * @t: the table
 * @row: its row
 * @of: what it is
 * @name: which one
 * @kind: set
 * @err: the error message on failure
 *
 * Return: 0; -E2BIG beyond %TABLE_KINDS; -ENOMEM.
 */
int table_kind(struct table *t, struct table_row *row, enum table_kind_of of, const char *name,
	       struct table_kind **kind, struct tap_error *err);

/**
 * table_sort() - bring all into the order in which it is printed
 * @t: the table; complete
 *
 * The events are in the order of the files, the most frequent keys and kinds first.
 *
 * Return: 0 or -ENOMEM.
 */
int table_sort(struct table *t);

void table_free(struct table *t);

#endif /* _TOOL_DIFF_TABLE_H */

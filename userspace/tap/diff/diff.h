/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tap diff: whether two recordings differ.
 */
#ifndef _TOOL_DIFF_DIFF_H
#define _TOOL_DIFF_DIFF_H

#include "diff/finding.h"
#include "diff/scan.h"
#include "diff/table.h"

/* Exit status, as that of tap expect; 0: no difference was found. */
#define DIFF_DIFFERS	1
#define DIFF_UNKNOWN	2	/* what is missing could be a difference, or make up for one */
#define DIFF_TROUBLE	3	/* nothing was compared: stderr says why */

/* So probable is it, at most, that chance alone makes a difference. */
#define DIFF_LEVEL	0.01

/**
 * struct diff - two files
 * @path: the files
 * @events: the -e arguments
 * @nr_events: number of @events
 * @condition: --if, or NULL
 * @from_ns: --from, since the first event of a file, or 0
 * @to_ns: --to, likewise
 * @keys: --by
 * @nr_keys: number of @keys
 * @tolerance: differences up to this part are none, e.g. 0.025
 * @rate: events are counted per second
 * @table: what diff_run() compared
 * @span: of each file
 * @seconds: length of each file
 * @why: why it is not known what a file lacks; allocated; NULL: it is known
 * @no_result: events of each file for which @condition has no result
 * @findings: the result, in the order of the table
 * @nr: number of @findings
 * @few: rows with too few durations to be compared
 */
struct diff {
	const char *path[2];
	const char *const *events;
	size_t nr_events;
	const char *condition;
	__u64 from_ns;
	__u64 to_ns;
	const char *const *keys;
	unsigned int nr_keys;
	double tolerance;
	bool rate;
	struct table table;
	struct scan_span span[2];
	double seconds[2];
	char *why[2];
	__u64 no_result[2];
	struct finding *findings;
	size_t nr;
	size_t few;
};

/**
 * diff_run() - compare
 * @d: with what the command line has; end it with diff_free(), even on failure
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int diff_run(struct diff *d, struct tap_error *err);

/**
 * diff_status() - the exit status
 * @d: after diff_run()
 *
 * Return: 0, %DIFF_DIFFERS or %DIFF_UNKNOWN.
 */
int diff_status(const struct diff *d);

/* Whether anything is missing that could be a difference. */
bool diff_lacks(const struct diff *d);

/**
 * diff_print() - print a table of all rows, and the differences as sentences
 * @d: after diff_run()
 * @to: output
 */
void diff_print(const struct diff *d, FILE *to);

/**
 * diff_print_json() - print rows, differences and the verdict, an object a line
 * @d: after diff_run()
 * @to: output
 */
void diff_print_json(const struct diff *d, FILE *to);

void diff_free(struct diff *d);

#endif /* _TOOL_DIFF_DIFF_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between two files, and what was compared and does not.
 */
#ifndef _TOOL_DIFF_FINDING_H
#define _TOOL_DIFF_FINDING_H

#include "diff/table.h"

struct diff;

enum finding_what {
	FINDING_EVENTS,
	FINDING_DURATION,
	FINDING_ERROR,
	FINDING_CALLER,
};

/**
 * struct finding - a comparison
 * @what: of what
 * @row: the events
 * @kind: of an error or a caller
 * @quantile: of a duration: which one
 * @value: in the files: events, or nanoseconds
 * @ratio: the second divided by the first, per second with --rate, per event for errors; INFINITY if
 * the first is 0
 * @tested: chance was considered; else one file has none of it, which is enough
 * @p: so probable is this by chance, among all comparisons
 * @p_lost: the same if lost events speak against it
 * @differs: it is a difference
 * @certain: it is one whatever was lost
 */
struct finding {
	enum finding_what what;
	const struct table_row *row;
	const struct table_kind *kind;
	unsigned int quantile;
	double value[2];
	double ratio;
	bool tested;
	double p;
	double p_lost;
	bool differs;
	bool certain;
};

/* The shares of the quantiles of durations. */
extern const double finding_shares[QUANTILES];

/**
 * finding_bounds() - choose the bounds of durations that are counted
 * @d: after scan_file() of both files
 *
 * A bound divides the durations of both files, taken together, at its quantile, after those of the
 * file that is to be the faster one were made longer by the tolerance.
 */
void finding_bounds(struct diff *d);

/**
 * finding_make() - compare
 * @d: after scan_file_again() of both files; gets its findings
 *
 * Return: 0 or -ENOMEM.
 */
int finding_make(struct diff *d);

/**
 * finding_durations() - how many durations a row needs for a quantile
 * @quantile: which one
 *
 * Return: the least number, in each file.
 */
__u64 finding_durations(unsigned int quantile);

#endif /* _TOOL_DIFF_FINDING_H */

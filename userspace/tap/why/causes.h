/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the durations of calls are made of. The sums of all causes are the sum of the durations.
 */
#ifndef _TOOL_WHY_CAUSES_H
#define _TOOL_WHY_CAUSES_H

#include "tool.h"

/* Behind the parts of enum tap_task_part. */
#define CAUSE_UNACCOUNTED	TAP_NR_PARTS		/* of a divided call: in no part */
#define CAUSE_NOT_DIVIDED	(TAP_NR_PARTS + 1)	/* whole durations of the other calls */
#define NR_CAUSES		(TAP_NR_PARTS + 2)

/**
 * struct cause - a part of the durations
 * @sum: ticks
 * @max: the most in one call, ticks
 * @largest: calls whose largest part it is
 */
struct cause {
	__u64 sum;
	__u64 max;
	__u64 largest;
};

/**
 * struct causes - of all calls
 * @of: by enum tap_task_part, then CAUSE_*
 * @calls: number of calls
 * @duration: sum of their durations, ticks
 * @longest: the longest duration, ticks
 */
struct causes {
	struct cause of[NR_CAUSES];
	__u64 calls;
	__u64 duration;
	__u64 longest;
};

/**
 * causes_fit() - whether a division is possible
 * @division: from a record
 * @duration: ticks
 *
 * Return: false if it exceeds the duration, as only a damaged file has it.
 */
bool causes_fit(const struct tap_division *division, __u64 duration);

/**
 * causes_add() - add a call
 * @causes: at first all zero
 * @division: how it divides, causes_fit(); NULL: it is not divided
 * @duration: ticks
 *
 * Return: 0, or -EOVERFLOW if the sum of all durations overflows.
 */
int causes_add(struct causes *causes, const struct tap_division *division, __u64 duration);

/**
 * causes_ns() - the sums in nanoseconds
 * @causes: of all calls
 * @timebase: of the ticks
 * @ns: filled in, by cause
 *
 * They are rounded so that they add up to the duration: each differs by less than 1 ns from what it is.
 *
 * Return: the duration in nanoseconds.
 */
__u64 causes_ns(const struct causes *causes, const struct tap_timebase *timebase,
		__u64 ns[NR_CAUSES]);

/**
 * cause_name() - the name of a cause
 * @cause: enum tap_task_part or CAUSE_*
 *
 * Return: a static text.
 */
const char *cause_name(unsigned int cause);

#endif /* _TOOL_WHY_CAUSES_H */

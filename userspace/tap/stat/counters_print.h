/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Printing counters.
 */
#ifndef _TOOL_STAT_COUNTERS_PRINT_H
#define _TOOL_STAT_COUNTERS_PRINT_H

#include <stdio.h>

#include "stat/counters.h"

/**
 * struct counters_moment - what is printed of them
 * @to: where to
 * @all: all that was counted; else what came between the last two readings
 * @ns: for how long that is
 * @time: since the start of the run, ns
 * @width: of the EVENT column
 */
struct counters_moment {
	FILE *to;
	bool all;
	__u64 ns;
	__u64 time;
	int width;
};

/**
 * counters_width() - how wide their column is to be
 * @counters: of counters_open()
 *
 * Return: bytes of the longest name, within reason.
 */
int counters_width(const struct counters *counters);

/**
 * counters_print() - print them
 * @counters: of counters_read()
 * @moment: how
 */
void counters_print(const struct counters *counters,
		    const struct counters_moment *moment);

#endif /* _TOOL_STAT_COUNTERS_PRINT_H */

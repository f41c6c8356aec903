/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Printing counters.
 */
#ifndef _TOOL_STAT_COUNTERS_PRINT_H
#define _TOOL_STAT_COUNTERS_PRINT_H

#include <stdio.h>

#include "stat/counters.h"

/**
 * struct counters_moment - one printing of all counters
 * @to: output
 * @all: print totals since the start; else differences of the last two readings
 * @ns: length of that time
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
 * counters_width() - width of the COUNTER column
 * @counters: from counters_open()
 *
 * Return: bytes of the longest name, at most MAX_WIDTH.
 */
int counters_width(const struct counters *counters);

/**
 * counters_print() - print them
 * @counters: after counters_read()
 * @moment: when and how
 */
void counters_print(const struct counters *counters,
		    const struct counters_moment *moment);

#endif /* _TOOL_STAT_COUNTERS_PRINT_H */

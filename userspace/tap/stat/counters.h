/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters of the processor and the kernel, as tap stat reads them: they have no
 * hits, and a value at any time.
 */
#ifndef _TOOL_STAT_COUNTERS_H
#define _TOOL_STAT_COUNTERS_H

#include "run/run.h"

/**
 * struct counter - one counter
 * @name: as it was asked for
 * @perf: which one
 * @code: -errno, if this machine does not have it; else 0
 * @ids: its probes: one for all CPUs, or one for each thread of -p
 * @nr_ids: how many
 * @now: what they have counted: of all CPUs, or of each thread
 * @last: the same at the end of the interval before
 */
struct counter {
	char *name;
	struct tap_perf perf;
	int code;
	__u32 *ids;
	size_t nr_ids;
	struct tap_count *now;
	struct tap_count *last;
};

/**
 * struct counters - all of them
 * @list: in the order that they were asked for
 * @nr: how many
 * @run: the run
 * @slots: entries of @now and @last
 * @tasks: they are of tasks, not of CPUs
 */
struct counters {
	struct counter *list;
	size_t nr;
	const struct run *run;
	size_t slots;
	bool tasks;
};

/**
 * counters_take() - take the counters out of the -e arguments
 * @counters: filled in; end it with counters_close()
 * @opts: the command line; where it has no -e, there is a usual set
 *
 * Return: -1 to go on; else the exit status.
 */
int counters_take(struct counters *counters, struct options *opts);

/**
 * counters_open() - make their probes
 * @counters: of counters_take()
 * @run: of run_build(), nothing is enabled yet
 * @err: the error message on failure
 *
 * What this machine does not have is said, and left out as long as there is
 * something else.
 *
 * Return: 0 or -errno.
 */
int counters_open(struct counters *counters, const struct run *run,
		  struct tap_error *err);

/**
 * counters_read() - read them anew
 * @counters: of counters_open()
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int counters_read(struct counters *counters, struct tap_error *err);

/**
 * counters_next() - the interval is over
 * @counters: of counters_read()
 */
void counters_next(struct counters *counters);

/**
 * counters_close() - end it
 * @counters: may be all zero
 */
void counters_close(struct counters *counters);

#endif /* _TOOL_STAT_COUNTERS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters of the processor and the kernel in tap stat: probes without hits, whose
 * value can be read at any time.
 */
#ifndef _TOOL_STAT_COUNTERS_H
#define _TOOL_STAT_COUNTERS_H

#include "run/run.h"

/**
 * struct counter - one counter
 * @name: as typed
 * @perf: its type and configuration
 * @code: -errno if this machine does not have it; else 0
 * @ids: its probes: one for all CPUs, or one for each thread of -p
 * @nr_ids: number of @ids
 * @now: the values read last, one for each CPU or thread
 * @last: the values at the end of the previous interval
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
 * @list: in the order of the command line
 * @nr: number of @list
 * @run: the run
 * @slots: number of values in @now and @last of each counter
 * @tasks: they count in tasks, not on CPUs
 */
struct counters {
	struct counter *list;
	size_t nr;
	const struct run *run;
	size_t slots;
	bool tasks;
};

/**
 * counters_take() - move the counters out of the -e arguments
 * @counters: filled in; end it with counters_close()
 * @opts: the command line; without -e a default set of counters is used
 *
 * Return: -1 to go on; else the exit status.
 */
int counters_take(struct counters *counters, struct options *opts);

/**
 * counters_open() - create their probes
 * @counters: from counters_take()
 * @run: from run_build(); its probes are disabled
 * @err: the error message on failure
 *
 * A counter that this machine does not have is reported and left out; if no counter
 * and no probe is left, that is a failure.
 *
 * Return: 0 or -errno.
 */
int counters_open(struct counters *counters, const struct run *run,
		  struct tap_error *err);

/**
 * counters_read() - read the values
 * @counters: from counters_open()
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int counters_read(struct counters *counters, struct tap_error *err);

/**
 * counters_next() - start the next interval
 * @counters: after counters_read()
 */
void counters_next(struct counters *counters);

/**
 * counters_close() - end it
 * @counters: may be all zero
 */
void counters_close(struct counters *counters);

#endif /* _TOOL_STAT_COUNTERS_H */

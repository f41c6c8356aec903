/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The counters that --pmu adds to each record.
 */
#ifndef _TOOL_RUN_PMU_ARGS_H
#define _TOOL_RUN_PMU_ARGS_H

#include "tool.h"

/**
 * struct pmu_args - the counters of --pmu
 * @names: as typed; allocated
 * @events: what the names mean
 * @nr: number of @names and @events
 */
struct pmu_args {
	const char *names[TAP_MAX_PMU];
	struct tap_perf events[TAP_MAX_PMU];
	__u32 nr;
};

/**
 * pmu_args_parse() - add the counters of a --pmu
 * @args: all zero before the first call
 * @text: names with commas between them
 *
 * Return: -1 to go on; else the exit status, after printing an error message.
 */
int pmu_args_parse(struct pmu_args *args, const char *text);

/**
 * pmu_args_open() - add these counters to a session
 * @args: may be without counters
 * @session: a session that is set up
 * @err: the error message on failure: which counter failed, and why
 *
 * Return: 0 or -errno.
 */
int pmu_args_open(const struct pmu_args *args, struct tap_session *session,
		  struct tap_error *err);

/**
 * pmu_args_free() - free what it holds
 * @args: may be all zero
 */
void pmu_args_free(struct pmu_args *args);

#endif /* _TOOL_RUN_PMU_ARGS_H */

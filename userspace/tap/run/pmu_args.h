/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which counters each record shall have: --pmu.
 */
#ifndef _TOOL_RUN_PMU_ARGS_H
#define _TOOL_RUN_PMU_ARGS_H

#include "tool.h"

/**
 * struct pmu_args - counters as the command line has them
 * @names: of the counters; allocated
 * @events: what they are
 * @nr: how many
 */
struct pmu_args {
	const char *names[TAP_MAX_PMU];
	struct tap_perf events[TAP_MAX_PMU];
	__u32 nr;
};

/**
 * pmu_args_parse() - add the counters of a --pmu
 * @args: all zero at the begin
 * @text: names with commas between them
 *
 * Return: -1 to go on; else the exit status, an error was printed.
 */
int pmu_args_parse(struct pmu_args *args, const char *text);

/**
 * pmu_args_open() - give a session these counters
 * @args: complete; maybe none
 * @session: a session that is set up
 * @err: the sentence on failure: which of them cannot be had, and why
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

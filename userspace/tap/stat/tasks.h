/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lines of a summary about the table of tasks: --why and inside().
 */
#ifndef _TOOL_STAT_TASKS_H
#define _TOOL_STAT_TASKS_H

#include "run/run.h"

/**
 * tasks_print() - print what the table could not take, to stderr
 * @counts: of the run or of the file; NULL: there is no table
 *
 * What is 0 is left out.
 */
void tasks_print(const struct tap_tasks_read *counts);

/**
 * tasks_print_run() - the same of a run
 * @run: its probes are disabled
 * @err: an error message on failure
 *
 * Return: 0, also if the run has no such table; or -errno.
 */
int tasks_print_run(const struct run *run, struct tap_error *err);

#endif /* _TOOL_STAT_TASKS_H */

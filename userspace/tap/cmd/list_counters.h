/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Listing counters.
 */
#ifndef _TOOL_CMD_LIST_COUNTERS_H
#define _TOOL_CMD_LIST_COUNTERS_H

#include "tool.h"

/**
 * list_counters_asked() - whether an argument of tap list names counters
 * @text: the argument
 *
 * Return: true for counters, hardware, cache, software and pmu, which may be
 * followed by a colon and a glob.
 */
bool list_counters_asked(const char *text);

/**
 * list_counters() - list counters
 * @text: KIND[:GLOB]
 * @verbose: with aliases, and with counters that this machine does not have
 * @json: print one JSON object per line
 *
 * Return: 0, or the exit status after printing an error message.
 */
int list_counters(const char *text, bool verbose, bool json);

/**
 * counter_there() - whether this machine has a counter
 * @name: as perf list has it, or a PMU with its event
 *
 * Return: 0 if it has; -EACCES or -EPERM if the kernel does not say; else -errno.
 */
int counter_there(const char *name);

#endif /* _TOOL_CMD_LIST_COUNTERS_H */

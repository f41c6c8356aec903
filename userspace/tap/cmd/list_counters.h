/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which counters there are.
 */
#ifndef _TOOL_CMD_LIST_COUNTERS_H
#define _TOOL_CMD_LIST_COUNTERS_H

#include "tool.h"

/**
 * list_counters_asked() - whether an argument of tap list asks for counters
 * @text: the argument
 *
 * Return: true for counters, hardware, cache, software and pmu, which may be
 * followed by a colon and a glob.
 */
bool list_counters_asked(const char *text);

/**
 * list_counters() - list counters
 * @text: KIND[:GLOB]
 * @verbose: also those that this machine does not have, and all their names
 * @json: one JSON object a line
 *
 * Return: 0, or the exit status after an error was printed.
 */
int list_counters(const char *text, bool verbose, bool json);

/**
 * counter_there() - whether this machine has a counter
 * @name: its name
 *
 * Return: 0; -EACCES or -EPERM if that may not be known; else another -errno.
 */
int counter_there(const char *name);

#endif /* _TOOL_CMD_LIST_COUNTERS_H */

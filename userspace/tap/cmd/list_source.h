/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The source of a module or program, with what can be probed.
 */
#ifndef _TOOL_CMD_LIST_SOURCE_H
#define _TOOL_CMD_LIST_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * list_source() - print lines of the source
 * @target: as of tap_source_lines()
 * @debug: arguments of --debug
 * @nr_debug: number of @debug
 * @json: only lines that can be probed, as JSON
 *
 * Return: exit status.
 */
int list_source(const char *target, const char *const *debug, size_t nr_debug, bool json);

#endif /* _TOOL_CMD_LIST_SOURCE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What events take on this machine: measured by tap doctor --selftest, for --budget. The file is
 * of this boot, as /run is, and names the kernel.
 */
#ifndef _TOOL_RUN_COSTS_H
#define _TOOL_RUN_COSTS_H

#include "tool.h"

#define COSTS_DIR	"/run/tapmod"
#define COSTS_FILE	COSTS_DIR "/costs"

/**
 * costs_kind() - the name of a type of probes in the file
 * @type: enum tap_probe_type
 *
 * Return: the name that it has in events, or NULL: its events have no cost.
 */
const char *costs_kind(unsigned int type);

/**
 * costs_load() - the costs of this machine
 * @path: the file
 * @costs: filled in; a kind without a measured cost has the default
 *
 * Return: whether they were measured, with this kernel.
 */
bool costs_load(const char *path, struct tap_costs *costs);

/**
 * costs_store() - keep the costs of this machine
 * @path: the file; its directory is made
 * @costs: the costs
 *
 * Return: 0 or -errno.
 */
int costs_store(const char *path, const struct tap_costs *costs);

#endif /* _TOOL_RUN_COSTS_H */

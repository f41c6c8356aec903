/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of tap blame.
 */
#ifndef _TOOL_CMD_BLAME_EVENTS_H
#define _TOOL_CMD_BLAME_EVENTS_H

#include "run/options.h"

/**
 * struct blame_events - events that record calls which fail
 * @texts: their texts; allocated
 * @nr: number of @texts
 * @module: of -m, as the kernel writes it; allocated
 */
struct blame_events {
	char **texts;
	size_t nr;
	char *module;
};

/**
 * blame_events_open() - make the events of the command line
 * @events: filled in; end it with blame_events_close(), even on failure
 * @opts: -m and -e; its events become those of @events, and a file of -m one of --debug
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int blame_events_open(struct blame_events *events, struct options *opts, struct tap_error *err);

void blame_events_close(struct blame_events *events);

#endif /* _TOOL_CMD_BLAME_EVENTS_H */

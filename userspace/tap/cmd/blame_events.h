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

/**
 * blame_events_add_line() - add the event of a line
 * @events: a struct blame_events
 * @event: its text; copied. It is added once
 *
 * Return: 0 or -ENOMEM.
 */
int blame_events_add_line(void *events, const char *event);

/**
 * blame_events_use() - make the events those of a command line
 * @events: must stay as long as @opts
 * @opts: its events are replaced
 * @err: the error message on failure
 *
 * Return: 0 or -ENOMEM.
 */
int blame_events_use(const struct blame_events *events, struct options *opts, struct tap_error *err);

void blame_events_close(struct blame_events *events);

#endif /* _TOOL_CMD_BLAME_EVENTS_H */

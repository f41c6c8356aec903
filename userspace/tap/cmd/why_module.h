/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tap why -m: the functions of a module that others can call, as events.
 */
#ifndef _TOOL_CMD_WHY_MODULE_H
#define _TOOL_CMD_WHY_MODULE_H

#include "run/options.h"

/**
 * struct why_module - events of a module
 * @events: their texts, globs: what the kernel refuses is left out; allocated
 * @nr: number of @events
 */
struct why_module {
	char **events;
	size_t nr;
};

/**
 * why_module_open() - make the events
 * @m: filled in; end it with why_module_close(), also on failure
 * @opts: with @module and the paths of --debug
 * @err: an error message on failure, which says what to do
 *
 * Prints how many functions there are, unless with --quiet.
 *
 * Return: 0 or -errno.
 */
int why_module_open(struct why_module *m, const struct options *opts, struct tap_error *err);

/**
 * why_module_close() - free the events
 * @m: may be all zero
 */
void why_module_close(struct why_module *m);

#endif /* _TOOL_CMD_WHY_MODULE_H */

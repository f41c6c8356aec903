/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an event has to offer by name, as C declares it.
 */
#ifndef _TOOL_CMD_PROTOTYPE_H
#define _TOOL_CMD_PROTOTYPE_H

#include <stdio.h>

#include "types/scope.h"

/**
 * struct prototypes - where they come from, and which are missing
 * @types: of the running kernel; NULL if it has none
 * @none: why it has none; or ""
 * @missing: events that have none
 * @example: the first of them
 * @why: why that one has none
 */
struct prototypes {
	struct tap_types *types;
	struct tap_error none;
	size_t missing;
	char example[TAP_MAX_TARGET];
	char why[128];
};

/**
 * prototypes_open() - read the types of the running kernel
 * @p: filled in; to be ended with prototypes_close(). That there are none is no
 *	failure
 */
void prototypes_open(struct prototypes *p);

/**
 * prototypes_print() - print that of an event
 * @p: of prototypes_open()
 * @to: where to
 * @type: kind of the event
 * @module: of the function or raw tracepoint, "" for vmlinux; subsystem of a
 *	tracepoint
 * @name: its name
 * @json: as members of an object, each with a comma before it; else as lines
 *
 * Nothing is printed of an event that has none; it is counted.
 */
void prototypes_print(struct prototypes *p, FILE *to, enum tap_probe_type type,
		      const char *module, const char *name, bool json);

/**
 * prototypes_close() - say which are missing, and why
 * @p: may be all zero
 */
void prototypes_close(struct prototypes *p);

#endif /* _TOOL_CMD_PROTOTYPE_H */

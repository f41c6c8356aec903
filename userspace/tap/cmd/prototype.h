/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arguments and fields of an event, as C declarations.
 */
#ifndef _TOOL_CMD_PROTOTYPE_H
#define _TOOL_CMD_PROTOTYPE_H

#include <stdio.h>

#include <libtap.h>

/**
 * struct prototypes - the source of prototypes, and events that have none
 * @types: of the running kernel; NULL if out of memory
 * @none: why the kernel has no BTF; or ""
 * @missing: number of events without a prototype
 * @example: the first of them
 * @why: the reason for @example
 */
struct prototypes {
	struct tap_types *types;
	struct tap_error none;
	size_t missing;
	char example[TAP_MAX_TARGET];
	char why[400];
};

/**
 * prototypes_open() - read the types of the running kernel
 * @p: filled in, even if the kernel has no BTF; end it with prototypes_close()
 * @debug: the arguments of --debug
 * @nr_debug: number of @debug
 *
 * Return: 0; or an exit status, with the error printed.
 */
int prototypes_open(struct prototypes *p, const char *const *debug, size_t nr_debug);

/**
 * prototypes_print() - print the prototype of an event
 * @p: from prototypes_open()
 * @to: output
 * @type: type of the event
 * @module: of the function or raw tracepoint, "" for vmlinux; subsystem of a
 *	tracepoint
 * @name: as in the kernel, without the module
 * @json: as members of an object, each with a comma before it; else as lines
 *
 * An event without a prototype prints nothing, and is counted.
 */
void prototypes_print(struct prototypes *p, FILE *to, enum tap_probe_type type,
		      const char *module, const char *name, bool json);

/**
 * prototypes_print_emit() - print the fields of an event of a driver
 * @p: as for prototypes_print()
 * @to: as for prototypes_print()
 * @module: the driver
 * @name: of the event, without the module
 * @json: as for prototypes_print()
 */
void prototypes_print_emit(struct prototypes *p, FILE *to, const char *module, const char *name,
			   bool json);

/**
 * prototypes_close() - report the missing prototypes, and free @p
 * @p: may be all zero
 */
void prototypes_close(struct prototypes *p);

#endif /* _TOOL_CMD_PROTOTYPE_H */

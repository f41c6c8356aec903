/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Events of drivers that include <tapmod/emit.h>, from the notes of their modules. Private to
 * libtap and its tests.
 */
#ifndef _TAP_KERNEL_EMIT_H
#define _TAP_KERNEL_EMIT_H

#include "types/scope.h"

/* The section of a module, and the file of a loaded module in its directory of sysfs. */
#define TAP_EMIT_SECTION	".note.tapmod"
/* What the name of an event has in front of it as the name of a tracepoint. */
#define TAP_EMIT_PREFIX		"tap_emit_"

/**
 * struct tap_emit_field - a field of an event
 * @name: as in the source
 * @type: its type; of a struct behind a pointer only @stars and @tag say more
 * @stars: as in struct tap_name
 * @tag: as in struct tap_name
 */
struct tap_emit_field {
	char name[TAP_FIELD_NAME_LEN];
	struct tap_type type;
	unsigned int stars;
	char tag[40];
};

/**
 * struct tap_emit_event - an event of a driver
 * @name: without its module
 * @nr: number of @fields
 * @fields: in the order of the arguments
 */
struct tap_emit_event {
	char name[TAP_FIELD_NAME_LEN];
	unsigned int nr;
	struct tap_emit_field fields[TAP_MAX_ARGS];
};

/**
 * struct tap_emits - the events of one module
 * @list: by name; allocated
 * @nr: number of @list
 */
struct tap_emits {
	struct tap_emit_event *list;
	size_t nr;
};

int tap_emits_parse(struct tap_emits *emits, const char *module, const void *notes, size_t size,
		    struct tap_error *err);
int tap_emits_read(struct tap_emits *emits, const char *root, const char *module,
		   struct tap_error *err);
void tap_emits_free(struct tap_emits *emits);

#endif /* _TAP_KERNEL_EMIT_H */

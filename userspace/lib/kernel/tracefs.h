/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The events of the running kernel, as tracefs has them. Private to libtap and
 * its tool.
 */
#ifndef _TAP_KERNEL_TRACEFS_H
#define _TAP_KERNEL_TRACEFS_H

#include <stddef.h>

#include "types/scope.h"

/**
 * struct tap_events - the events there are
 * @names: SUBSYS:NAME, sorted
 * @nr: how many
 */
struct tap_events {
	char **names;
	size_t nr;
};

int tap_tracefs_root(char *root, size_t size, struct tap_error *err);

/* A root is where tracefs is mounted, or NULL: it is looked for. */
int tap_events_load(struct tap_events *events, const char *root,
		    struct tap_error *err);
void tap_events_free(struct tap_events *events);

/* The fields of tracepoint SUBSYS:NAME, but the common ones. */
int tap_scope_tracepoint(struct tap_scope *scope, const char *root,
			 const char *target, struct tap_error *err);

#endif /* _TAP_KERNEL_TRACEFS_H */

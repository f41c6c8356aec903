/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Events of the running kernel in tracefs, and of drivers in sysfs. Private to libtap and its tool.
 */
#ifndef _TAP_KERNEL_TRACEFS_H
#define _TAP_KERNEL_TRACEFS_H

#include <stddef.h>

#include "types/scope.h"

/**
 * struct tap_events - the names of events
 * @names: SUBSYS:NAME, or of a driver MODULE:NAME; sorted
 * @nr: number of @names
 */
struct tap_events {
	char **names;
	size_t nr;
};

int tap_tracefs_root(char *root, size_t size, struct tap_error *err);

/* @root is the mount point of tracefs, or NULL to find it. */
int tap_events_load(struct tap_events *events, const char *root,
		    struct tap_error *err);
int tap_events_find(struct tap_events *events, const char *root, const char *name);
int tap_events_emitted(struct tap_events *events, const char *root, struct tap_error *err);
void tap_events_free(struct tap_events *events);

/* The fields of tracepoint SUBSYS:NAME, without the common ones. */
int tap_scope_tracepoint(struct tap_scope *scope, const char *root,
			 const char *target, struct tap_error *err);

#endif /* _TAP_KERNEL_TRACEFS_H */

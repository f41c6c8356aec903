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

/* tracefs.c; a root is where tracefs is mounted, or NULL: it is looked for. */
int tap_events_load(struct tap_events *events, const char *root,
		    struct tap_error *err);
void tap_events_free(struct tap_events *events);

/* tracepoint_format.c: what a format file says */
int tap_scope_format(struct tap_scope *scope, const char *system,
		     const char *text, size_t len, struct tap_error *err);

/* resolve_tracepoint.c: the events that a spec names */
int tap_spec_expand_events(const struct tap_events *events,
			   const struct tap_spec *spec, struct tap_spec **list,
			   size_t *nr, struct tap_error *err);

#endif /* _TAP_KERNEL_TRACEFS_H */

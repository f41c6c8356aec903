/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * From a spec to its targets in the running kernel. Private to libtap and its tests.
 */
#ifndef _TAP_RESOLVE_RESOLVE_H
#define _TAP_RESOLVE_RESOLVE_H

#include <stddef.h>

#include <libtap.h>

#include "kernel/tracefs.h"
#include "spec/spec.h"

/* resolve.c */
int tap_spec_expand_in(struct tap_symbols *syms, struct tap_types *types,
		       const struct tap_spec *spec, struct tap_spec **list,
		       size_t *nr, struct tap_error *err);

/* resolve_syscall.c */
int tap_spec_expand_syscall(const struct tap_spec *spec,
			    struct tap_spec **list, size_t *nr,
			    struct tap_error *err);

/* resolve_tracepoint.c */
int tap_spec_expand_tracepoint(const struct tap_spec *spec,
			       struct tap_spec **list, size_t *nr,
			       struct tap_error *err);
int tap_spec_expand_events(const struct tap_events *events,
			   const struct tap_spec *spec, struct tap_spec **list,
			   size_t *nr, struct tap_error *err);

/* resolve_user.c */
int tap_spec_expand_user(const struct tap_spec *spec, struct tap_spec **list,
			 size_t *nr, struct tap_error *err);

/* resolve_span.c */
int tap_spec_expand_span(struct tap_symbols *syms, struct tap_types *types,
			 const struct tap_spec *spec, struct tap_spec **list,
			 size_t *nr, struct tap_error *err);

/* resolve_watchpoint.c */
int tap_spec_expand_watchpoint(const struct tap_spec *spec,
			       struct tap_spec **list, size_t *nr,
			       struct tap_error *err);

#endif /* _TAP_RESOLVE_RESOLVE_H */

/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * From a spec to its targets in the running kernel. Private to libtap and its tests.
 */
#ifndef _TAP_RESOLVE_RESOLVE_H
#define _TAP_RESOLVE_RESOLVE_H

#include <stddef.h>

#include <libtap.h>

#include "dwarf/source.h"
#include "kernel/tracefs.h"
#include "spec/spec.h"
#include "types/scope.h"

/* resolve.c */
int tap_spec_expand_in(struct tap_symbols *syms, struct tap_types *types,
		       const struct tap_spec *spec, struct tap_spec **list,
		       size_t *nr, struct tap_error *err);

/* resolve_known.c */
bool tap_spec_matches(const struct tap_spec *spec);
int tap_spec_expand_matching(struct tap_types *types, const struct tap_spec *spec,
			     struct tap_spec **list, size_t *nr, struct tap_error *err);

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
const char *tap_target_end(const char *target);
int tap_spec_expand_user(const struct tap_spec *spec, struct tap_spec **list,
			 size_t *nr, struct tap_error *err);

/**
 * struct tap_source - the places of a line or function of the source
 * @dwarf: the file that has them; belongs to the types
 * @places: the places
 */
struct tap_source {
	struct tap_dwarf *dwarf;
	struct tap_dwarf_places places;
};

/* resolve_source.c */
int tap_spec_expand_source(struct tap_types *types, const struct tap_spec *spec,
			   struct tap_source *source, struct tap_spec **list, size_t *nr,
			   struct tap_error *err);
int tap_spec_make_captures(const struct tap_source *source, struct tap_spec *list,
			   struct tap_error *err);
int tap_spec_find_lines(struct tap_types *types, const struct tap_spec *spec, unsigned int last,
			struct tap_source *source, struct tap_error *err);

/* resolve_scope.c */
int tap_spec_scope(struct tap_scope *scope, struct tap_types *types, const char *why,
		   const struct tap_spec *spec, struct tap_source *source, size_t i,
		   struct tap_error *err);
bool tap_spec_own_types(enum tap_probe_type type);

/* resolve_span.c */
int tap_spec_expand_span(struct tap_symbols *syms, struct tap_types *types,
			 const struct tap_spec *spec, struct tap_spec **list,
			 size_t *nr, struct tap_error *err);

/* resolve_watchpoint.c */
int tap_spec_expand_watchpoint(const struct tap_spec *spec,
			       struct tap_spec **list, size_t *nr,
			       struct tap_error *err);

/* resolve_user_watch.c */
int tap_spec_expand_user_watch(const struct tap_spec *spec,
			       struct tap_spec **list, size_t *nr,
			       struct tap_error *err);

#endif /* _TAP_RESOLVE_RESOLVE_H */

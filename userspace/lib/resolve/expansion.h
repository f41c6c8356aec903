/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A spec on its way to the functions and tracepoints that it names. Private to resolve/.
 */
#ifndef _TAP_RESOLVE_EXPANSION_H
#define _TAP_RESOLVE_EXPANSION_H

#include "resolve/resolve.h"
#include "spec/spec.h"

struct expansion {
	struct tap_symbols *syms;
	struct tap_types *types;	/* or NULL: makes its own if it needs them */
	struct tap_types *own;
	const struct tap_spec *spec;
	struct tap_target target;
	struct tap_spec *list;
	size_t nr;
	bool absent;	/* the module of the target is not loaded */
	struct tap_source source;
	char absent_name[TAP_FIELD_NAME_LEN];
	size_t absent_at;	/* places that lack it */
	struct tap_error *err;
};

/* resolve.c */
int tap_expansion_add(struct expansion *x, const char *module, const char *name);
int tap_expansion_no_memory(struct expansion *x);
int tap_expansion_too_many(struct expansion *x, size_t matched);
__attribute__((format(printf, 2, 3)))
void tap_expansion_warn(struct expansion *x, const char *fmt, ...);

/* resolve_absent.c */
int tap_expansion_types(struct expansion *x);
int tap_expand_clones(struct expansion *x);
int tap_expand_no_module(struct expansion *x);
int tap_expand_absent(struct expansion *x);
int tap_expand_absent_glob(struct expansion *x);

/* resolve_emit.c */
int tap_expand_emit(struct expansion *x);

#endif /* _TAP_RESOLVE_EXPANSION_H */

/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The names that an event gives to its expressions, by probe type. Private to libtap
 * and its tests.
 */
#ifndef _TAP_COMPILE_COMPILE_H
#define _TAP_COMPILE_COMPILE_H

#include "dwarf/source.h"
#include "spec/token.h"
#include "types/scope.h"

/* scope_proto.c: by prototype. Missing types are no error: scope->why has the reason. */
int tap_scope_open(struct tap_scope *scope, struct tap_types *types,
		   enum tap_probe_type type, const char *target,
		   struct tap_error *err);
int tap_scope_user(struct tap_scope *scope, struct tap_types *types, const struct tap_spec *spec,
		   struct tap_error *err);
int tap_scope_functions(struct tap_scope *scope, struct tap_error *err);
void tap_scope_close(struct tap_scope *scope);
int tap_scope_struct(const struct tap_scope *scope, const char *name, size_t len,
		     struct tap_type *type);
int tap_scope_enumerator(const struct tap_scope *scope, const char *name, size_t len,
			 __s64 *value);

/* scope_emit.c: the fields of an event of a driver */
struct tap_emits;
int tap_emits_find(struct tap_emits *emits, struct tap_types *types, const char *module,
		   struct tap_error *err);
int tap_scope_emit(struct tap_scope *scope, struct tap_types *types, const char *target,
		   struct tap_error *err);
void tap_scope_emit_structs(struct tap_scope *scope, const char *target);

/* scope_event.c: samples, watchpoints and marks */
int tap_scope_event(struct tap_scope *scope, const struct tap_spec *spec,
		    struct tap_error *err);
int tap_scope_watchpoint(struct tap_scope *scope, const struct tap_spec *spec,
			 struct tap_error *err);
int tap_scope_mark(struct tap_scope *scope, const struct tap_spec *spec,
		   struct tap_error *err);

/* scope_source.c: variables at a line */
int tap_scope_source(struct tap_scope *scope, struct tap_types *types, struct tap_dwarf *dwarf,
		     struct tap_dwarf_places *places, size_t which, struct tap_error *err);
const struct tap_name *tap_scope_elsewhere(const struct tap_scope *scope, struct tap_token t);
bool tap_scope_lost(const struct tap_scope *scope, char *buf, size_t size);
const char *tap_scope_absent(const struct tap_scope *scope);

/* scope_span.c */
int tap_scope_span(struct tap_scope *scope, const struct tap_spec *const sides[2],
		   const struct tap_span_table *table, struct tap_error *err);
unsigned int tap_span_first_word(const struct tap_spec *side, const struct tap_span_table *table);

/* scope_place.c: func of a glob, place of a line */
struct tap_value_names *tap_places_new(const struct tap_spec *list, size_t nr);
int tap_scope_place(struct tap_scope *scope, const char *name, struct tap_value_names *places,
		    size_t i);

/* scope_usdt.c: the arguments of a USDT probe */
int tap_scope_usdt(struct tap_scope *scope, const struct tap_spec *spec, struct tap_error *err);

#endif /* _TAP_COMPILE_COMPILE_H */

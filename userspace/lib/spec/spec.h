/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Building specs. Private to libtap and its tool.
 */
#ifndef _TAP_SPEC_SPEC_H
#define _TAP_SPEC_SPEC_H

#include <stdbool.h>
#include <stddef.h>

#include <libtap.h>

/* No function is longer. */
#define TAP_MAX_FUNCTION	0xffffff
/* Ops that the tool adds: tests and the hidden comm. */
#define TAP_SPEC_OWN_OPS	8
/* Outputs without those that the tool and the library add: comm, and the absent word. */
#define TAP_SPEC_MAX_VALUES	(TAP_MAX_OUTPUTS - 2)

bool tap_spec_same_event(const struct tap_spec *a, const struct tap_spec *b);
unsigned int tap_op_words(const struct tap_op *op);
int tap_spec_add_field(struct tap_spec *spec, const struct tap_field *field);
int tap_spec_copy(const struct tap_spec *from, const char *event,
		  const char *target, struct tap_spec *to);

/**
 * struct tap_target - a target in its parts
 * @module: "" if none was named
 * @name: function or tracepoint, perhaps a glob
 * @offset: from its start
 */
struct tap_target {
	char module[TAP_MAX_TARGET];
	char name[TAP_MAX_TARGET];
	uint32_t offset;
};

void tap_target_split(const char *text, struct tap_target *target);
bool tap_target_in_module(const struct tap_target *target, const char *module);

#endif /* _TAP_SPEC_SPEC_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel and the programs of the examples of docs/event-language.md.
 */
#ifndef _TEST_LIB_LANGUAGE_KERNEL_H
#define _TEST_LIB_LANGUAGE_KERNEL_H

#include "spec/spec.h"
#include "types/scope.h"

/* Opens and closes the types of that kernel. */
void language_open(void);
void language_close(void);

/* Opens the names for a parsed event. The caller closes @scope if this returns 0. */
int language_scope(struct tap_scope *scope, const struct tap_spec *spec, struct tap_error *err);

#endif /* _TEST_LIB_LANGUAGE_KERNEL_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel and the programs of the examples of docs/event-language.md.
 */
#ifndef _TEST_LIB_LANGUAGE_KERNEL_H
#define _TEST_LIB_LANGUAGE_KERNEL_H

#include "spec/spec.h"

/* Opens and closes the types of that kernel. */
void language_open(void);
void language_close(void);

/*
 * Makes the probes of a parsed event: of a span three, of others one. The caller ends them with
 * free_events() if this returns 0.
 */
int language_expand(const struct tap_spec *spec, struct tap_spec **list, size_t *nr,
		    struct tap_error *err);

#endif /* _TEST_LIB_LANGUAGE_KERNEL_H */

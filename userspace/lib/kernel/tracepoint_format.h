/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The fields of a tracepoint, from its format file in tracefs. Private to libtap and
 * its tests.
 */
#ifndef _TAP_KERNEL_TRACEPOINT_FORMAT_H
#define _TAP_KERNEL_TRACEPOINT_FORMAT_H

#include <stddef.h>

#include "types/scope.h"

int tap_scope_format(struct tap_scope *scope, const char *system,
		     const char *text, size_t len, struct tap_error *err);

#endif /* _TAP_KERNEL_TRACEPOINT_FORMAT_H */

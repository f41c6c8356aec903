/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Constants of system calls and signals by name. Private to libtap.
 */
#ifndef _TAP_KERNEL_CONSTANTS_H
#define _TAP_KERNEL_CONSTANTS_H

#include <libtap.h>

#include "types/scope.h"
#include "util/suggest.h"

int tap_constant_find(const char *name, size_t len, __u64 *value);
void tap_constants_suggest(struct tap_suggest *s);
void tap_constants_name(struct tap_scope *scope, const char *syscall);

#endif /* _TAP_KERNEL_CONSTANTS_H */

/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Structures of callers that begin with their size: libtap.h has the rule.
 */
#ifndef _TAP_UTIL_SIZED_H
#define _TAP_UTIL_SIZED_H

#include <stddef.h>

int tap_sized_read(void *to, size_t room, const void *from);
int tap_sized_write(void *to, const void *from, size_t room);

#endif /* _TAP_UTIL_SIZED_H */

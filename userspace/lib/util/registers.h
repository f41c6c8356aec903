/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Names of the registers of this architecture. Private to libtap.
 */
#ifndef _TAP_UTIL_REGISTERS_H
#define _TAP_UTIL_REGISTERS_H

#include <stddef.h>

#include "util/suggest.h"

int tap_register_offset(const char *name, size_t len);
void tap_register_suggest(struct tap_suggest *s);
const char *tap_register_list(void);

#endif /* _TAP_UTIL_REGISTERS_H */

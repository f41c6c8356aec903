/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Shell patterns over kernel names. Private to libtap and its tool.
 */
#ifndef _TAP_UTIL_GLOB_H
#define _TAP_UTIL_GLOB_H

#include <stdbool.h>
#include <stddef.h>

bool tap_glob_is(const char *text);
size_t tap_glob_literal(const char *pattern);
bool tap_glob_match(const char *pattern, const char *text);

#endif /* _TAP_UTIL_GLOB_H */

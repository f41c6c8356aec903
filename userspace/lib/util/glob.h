/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Shell patterns over kernel names. Private to libtap and its tool.
 */
#ifndef _TAP_UTIL_GLOB_H
#define _TAP_UTIL_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of a pattern with alternatives, and its final 0. */
#define TAP_GLOB_MAX	256
/* Alternatives of one pattern in all, so that matching it takes bounded time. */
#define TAP_GLOB_ALTERNATIVES	64

size_t tap_glob_braces(const char *text, size_t len);
bool tap_glob_is(const char *text);
size_t tap_glob_literal(const char *pattern);
bool tap_glob_match(const char *pattern, const char *text);

#endif /* _TAP_UTIL_GLOB_H */

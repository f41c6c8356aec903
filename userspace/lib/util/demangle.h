/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Demangles names of C++ and Rust. Private to libtap and its tool.
 */
#ifndef _TAP_UTIL_DEMANGLE_H
#define _TAP_UTIL_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

#define TAP_DEMANGLED_MAX	4096

bool tap_demangle(const char *name, bool bare, char buf[TAP_DEMANGLED_MAX]);

#endif /* _TAP_UTIL_DEMANGLE_H */

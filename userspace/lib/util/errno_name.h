/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Names of errors. Private to libtap and its tool.
 */
#ifndef _TAP_UTIL_ERRNO_NAME_H
#define _TAP_UTIL_ERRNO_NAME_H

#include <stddef.h>

/* The largest errno, MAX_ERRNO in the kernel. */
#define TAP_MAX_ERRNO	4095

const char *tap_errno_name(unsigned int number);
unsigned int tap_errno_number(const char *name, size_t len);

#endif /* _TAP_UTIL_ERRNO_NAME_H */

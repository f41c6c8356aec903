/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Functions of the running kernel, without its list of symbols. Private to libtap.
 */
#ifndef _TAP_KERNEL_KERNEL_FUNCTION_H
#define _TAP_KERNEL_KERNEL_FUNCTION_H

#include <stdbool.h>

bool tap_kernel_function_is_one_by(const char *path, const char *name);
bool tap_kernel_function_is_one(const char *name);

#endif /* _TAP_KERNEL_KERNEL_FUNCTION_H */

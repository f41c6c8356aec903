/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Value names: names of values or bits, shared by the fields that have them. Private
 * to libtap and its tool.
 */
#ifndef _TAP_UTIL_VALUE_NAMES_H
#define _TAP_UTIL_VALUE_NAMES_H

#include <libtap.h>

struct tap_value_names *tap_value_names_new(void);
int tap_value_names_add(struct tap_value_names *value_names, __u64 value, const char *name,
			size_t len);
struct tap_value_names *tap_value_names_get(struct tap_value_names *value_names);
void tap_value_names_put(struct tap_value_names *value_names);

#endif /* _TAP_UTIL_VALUE_NAMES_H */

/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Value names: names of values or bits, shared by the fields that have them. Private
 * to libtap and its tool.
 */
#ifndef _TAP_UTIL_VALUE_NAMES_H
#define _TAP_UTIL_VALUE_NAMES_H

#include <libtap.h>

struct tap_layout;

/**
 * struct tap_value_name - a name of a value, or of bits
 * @value: the value, or the bits that @name stands for
 * @name: as an enumerator or a flag is called in the kernel's sources
 */
struct tap_value_name {
	__u64 value;
	const char *name;
};

/**
 * struct tap_value_names - names of the values of a field; shared, never changed
 * @refs: references; each field that uses the names holds one
 * @nr: entries of @list
 * @list: in the order in which they are tried; but %TAP_FMT_VALUE_NAME first tries
 *	the entry whose index is the value
 * @layout: of a whole struct or array, whose members have their own value names; owned; else NULL
 */
struct tap_value_names {
	unsigned int refs;
	unsigned int nr;
	struct tap_value_name *list;
	struct tap_layout *layout;
};

struct tap_value_names *tap_value_names_new(void);
int tap_value_names_add(struct tap_value_names *value_names, __u64 value, const char *name,
			size_t len);
struct tap_value_names *tap_value_names_get(struct tap_value_names *value_names);
void tap_value_names_put(struct tap_value_names *value_names);

#endif /* _TAP_UTIL_VALUE_NAMES_H */

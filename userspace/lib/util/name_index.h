/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A hash table of names and their values. Several entries may have the same name.
 * Private to libtap.
 */
#ifndef _TAP_UTIL_NAME_INDEX_H
#define _TAP_UTIL_NAME_INDEX_H

#include <stddef.h>

#include <linux/types.h>

/**
 * struct tap_name_index_entry - a name and its value
 * @name: NULL: the slot is empty
 * @value: an id or an enumerator's value
 */
struct tap_name_index_entry {
	const char *name;
	__s64 value;
};

/**
 * struct tap_name_index - a hash table
 * @slots: NULL until tap_name_index_make()
 * @mask: number of slots, a power of two, less 1
 */
struct tap_name_index {
	struct tap_name_index_entry *slots;
	size_t mask;
};

int tap_name_index_make(struct tap_name_index *name_index, size_t nr);
void tap_name_index_free(struct tap_name_index *name_index);
void tap_name_index_add(struct tap_name_index *name_index, const char *name, __s64 value);
const struct tap_name_index_entry *
tap_name_index_find(const struct tap_name_index *name_index, const char *name, size_t len,
		    const struct tap_name_index_entry *last);

#endif /* _TAP_UTIL_NAME_INDEX_H */

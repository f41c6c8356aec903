// SPDX-License-Identifier: LGPL-2.1
/*
 * A hash table of names. Open addressing, at most half full, so that a search always
 * ends at an empty slot.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/name_index.h"

/* FNV-1a. */
static size_t hash_step(size_t hash, char c)
{
	return (hash ^ (unsigned char)c) * (size_t)0x100000001b3ULL;
}

#define HASH_BEGIN	((size_t)0xcbf29ce484222325ULL)

/**
 * tap_name_index_make() - allocate the slots
 * @name_index: all zero
 * @nr: upper bound of the entries that will be added
 *
 * Return: 0 or -ENOMEM.
 */
int tap_name_index_make(struct tap_name_index *name_index, size_t nr)
{
	size_t slots = 16;

	while (slots < nr * 2)
		slots *= 2;
	name_index->slots = calloc(slots, sizeof(*name_index->slots));
	if (!name_index->slots)
		return -ENOMEM;
	name_index->mask = slots - 1;
	return 0;
}

/**
 * tap_name_index_free() - free an index
 * @name_index: may be all zero; is all zero afterwards
 */
void tap_name_index_free(struct tap_name_index *name_index)
{
	free(name_index->slots);
	*name_index = (struct tap_name_index) { 0 };
}

/**
 * tap_name_index_add() - add an entry
 * @name_index: must have room for it
 * @name: must outlive the index; found after entries of the same name that were added
 *	before
 * @value: returned with the name
 */
void tap_name_index_add(struct tap_name_index *name_index, const char *name, __s64 value)
{
	size_t at = HASH_BEGIN;
	const char *p;

	for (p = name; *p; p++)
		at = hash_step(at, *p);
	for (at &= name_index->mask; name_index->slots[at].name;)
		at = (at + 1) & name_index->mask;
	name_index->slots[at] = (struct tap_name_index_entry) { name, value };
}

/**
 * tap_name_index_find() - find an entry
 * @name_index: may be all zero
 * @name: not terminated
 * @len: length of @name
 * @last: NULL; or the last result, to find the next entry of the same name
 *
 * Return: the entry, or NULL if there is none.
 */
const struct tap_name_index_entry *
tap_name_index_find(const struct tap_name_index *name_index, const char *name, size_t len,
		    const struct tap_name_index_entry *last)
{
	const struct tap_name_index_entry *e;
	size_t at = HASH_BEGIN, i;

	if (!name_index->slots)
		return NULL;
	if (last) {
		at = last - name_index->slots + 1;
	} else {
		for (i = 0; i < len; i++)
			at = hash_step(at, name[i]);
	}
	for (;; at++) {
		e = &name_index->slots[at & name_index->mask];
		if (!e->name)
			return NULL;
		if (!strncmp(e->name, name, len) && !e->name[len])
			return e;
	}
}

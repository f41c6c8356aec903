// SPDX-License-Identifier: GPL-2.0
/*
 * A hash table of texts. Numbers begin with 1 and follow each other.
 */
#include <stdlib.h>

#include "export/intern.h"

/* From here on it is full. A row adds some thousand texts at most: the frames of two stacks. */
#define FULL_NR	(INTERN_ENTRIES / 2)
#define FULL_BYTES	(1U << 20)

static __u32 hash_of(const char *data, size_t len)
{
	__u32 hash = 2166136261U;
	size_t i;

	for (i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)data[i]) * 16777619U;
	return hash ^ hash >> 15;
}

__u32 intern_number(struct intern *table, unsigned char kind, const void *data, size_t len,
		    bool *added)
{
	char *key = tap_buffer_room(&table->keys, len + 1);
	struct intern_entry *e;
	__u32 hash, i;

	*added = false;
	if (!table->entries)
		table->entries = calloc(INTERN_ENTRIES, sizeof(*table->entries));
	if (!key || !table->entries || table->nr == INTERN_ENTRIES - 1)
		return 0;
	*key = (char)kind;
	memcpy(key + 1, data, len++);
	hash = hash_of(key, len);
	for (i = hash % INTERN_ENTRIES; table->entries[i].number; i = (i + 1) % INTERN_ENTRIES) {
		e = &table->entries[i];
		if (e->hash == hash && e->len == len && !memcmp(table->keys.data + e->at, key, len))
			return e->number;
	}
	table->entries[i] = (struct intern_entry) {
		.at = table->keys.len, .len = len, .hash = hash, .number = ++table->nr,
	};
	table->keys.len += len;
	*added = true;
	return table->nr;
}

bool intern_full(const struct intern *table)
{
	return table->nr >= FULL_NR || table->keys.len >= FULL_BYTES;
}

void intern_clear(struct intern *table)
{
	if (table->entries)
		memset(table->entries, 0, INTERN_ENTRIES * sizeof(*table->entries));
	table->nr = 0;
	table->keys.len = 0;
}

void intern_free(struct intern *table)
{
	free(table->entries);
	tap_buffer_free(&table->keys);
	*table = (struct intern) { 0 };
}

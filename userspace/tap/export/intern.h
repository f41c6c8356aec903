/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers for texts that are written once.
 */
#ifndef _TOOL_EXPORT_INTERN_H
#define _TOOL_EXPORT_INTERN_H

#include <stdbool.h>

#include "util/buffer.h"

/* Entries of a table, a power of two. */
#define INTERN_ENTRIES	(1U << 14)

/**
 * struct intern_entry - a text
 * @at: of its kind and its bytes, in @keys
 * @len: bytes there
 * @hash: of them
 * @number: its number; 0: the entry is free
 */
struct intern_entry {
	size_t at;
	size_t len;
	__u32 hash;
	__u32 number;
};

/**
 * struct intern - a table of bounded size
 * @entries: a hash table of %INTERN_ENTRIES; allocated
 * @nr: texts in it
 * @keys: their bytes
 */
struct intern {
	struct intern_entry *entries;
	__u32 nr;
	struct tap_buffer keys;
};

/**
 * intern_number() - the number of a text
 * @table: all zero at first
 * @kind: texts of two kinds have different numbers
 * @data: its bytes
 * @len: how many
 * @added: set to whether it is new
 *
 * Return: the number, at least 1; 0 if out of memory.
 */
__u32 intern_number(struct intern *table, unsigned char kind, const void *data, size_t len,
		    bool *added);

/**
 * intern_full() - whether to begin again, so that memory is bounded
 * @table: a table
 *
 * Return: true if intern_clear() should be called. Until then the table goes on to work.
 */
bool intern_full(const struct intern *table);

/**
 * intern_clear() - forget all texts
 * @table: a table
 */
void intern_clear(struct intern *table);

/**
 * intern_free() - free a table
 * @table: all zero afterwards
 */
void intern_free(struct intern *table);

#endif /* _TOOL_EXPORT_INTERN_H */

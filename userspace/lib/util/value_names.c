// SPDX-License-Identifier: LGPL-2.1
/*
 * Value names: names of values or bits, shared by the fields that have them.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/layout.h"
#include "util/value_names.h"

/**
 * tap_value_names_new() - allocate an empty list of value names
 *
 * Return: the list with one reference, or NULL if out of memory.
 */
struct tap_value_names *tap_value_names_new(void)
{
	struct tap_value_names *value_names = calloc(1, sizeof(*value_names));

	if (value_names)
		value_names->refs = 1;
	return value_names;
}

/**
 * tap_value_names_add() - append a value name
 * @value_names: of tap_value_names_new(); must not be shared yet
 * @value: the value or the bits
 * @name: copied
 * @len: bytes of @name, without a final 0
 *
 * Return: 0 or -ENOMEM.
 */
int tap_value_names_add(struct tap_value_names *value_names, __u64 value, const char *name,
			size_t len)
{
	char *copy;

	if (!TAP_GROW(value_names->list, value_names->nr))
		return -ENOMEM;
	copy = strndup(name, len);
	if (!copy)
		return -ENOMEM;
	value_names->list[value_names->nr++] = (struct tap_value_name) { value, copy };
	return 0;
}

/**
 * tap_value_names_get() - take a reference
 * @value_names: may be NULL
 *
 * Return: @value_names.
 */
struct tap_value_names *tap_value_names_get(struct tap_value_names *value_names)
{
	if (value_names)
		value_names->refs++;
	return value_names;
}

/**
 * tap_value_names_put() - drop a reference; the last one frees the list
 * @value_names: may be NULL
 */
void tap_value_names_put(struct tap_value_names *value_names)
{
	unsigned int i;

	if (!value_names || --value_names->refs)
		return;
	for (i = 0; i < value_names->nr; i++)
		free((void *)(uintptr_t)value_names->list[i].name);
	free(value_names->list);
	tap_layout_free(value_names->layout);
	free(value_names);
}

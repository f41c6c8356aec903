// SPDX-License-Identifier: LGPL-2.1
/*
 * Labels: names of values or bits, shared by the fields that have them.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/value_names.h"

/**
 * tap_value_names_new() - make an empty list of labels
 *
 * Return: the list with one reference, or NULL out of memory.
 */
struct tap_value_names *tap_value_names_new(void)
{
	struct tap_value_names *labels = calloc(1, sizeof(*labels));

	if (labels)
		labels->refs = 1;
	return labels;
}

/**
 * tap_value_names_add() - append a label
 * @labels: of tap_value_names_new(); nobody else has seen it yet
 * @value: the value or the bits
 * @name: its name; copied
 * @len: bytes of @name, without a final 0
 *
 * Return: 0 or -ENOMEM.
 */
int tap_value_names_add(struct tap_value_names *labels, __u64 value, const char *name,
			size_t len)
{
	unsigned int nr = labels->nr;
	struct tap_value_name *list;
	char *copy;

	/* One by one, but the memory grows in powers of two. */
	if (!(nr & (nr - 1))) {
		list = reallocarray(labels->list, nr ? 2 * (size_t)nr : 1,
				    sizeof(*list));
		if (!list)
			return -ENOMEM;
		labels->list = list;
	}
	copy = strndup(name, len);
	if (!copy)
		return -ENOMEM;
	labels->list[labels->nr++] = (struct tap_value_name) { value, copy };
	return 0;
}

/**
 * tap_value_names_get() - take a reference
 * @labels: may be NULL
 *
 * Return: @labels.
 */
struct tap_value_names *tap_value_names_get(struct tap_value_names *labels)
{
	if (labels)
		labels->refs++;
	return labels;
}

/**
 * tap_value_names_put() - give a reference back; the last frees the list
 * @labels: may be NULL
 */
void tap_value_names_put(struct tap_value_names *labels)
{
	unsigned int i;

	if (!labels || --labels->refs)
		return;
	for (i = 0; i < labels->nr; i++)
		free((void *)(uintptr_t)labels->list[i].name);
	free(labels->list);
	free(labels);
}

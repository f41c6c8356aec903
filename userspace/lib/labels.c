// SPDX-License-Identifier: LGPL-2.1
/*
 * Labels: names of values or bits, shared by the fields that have them.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "labels.h"

/**
 * tap_labels_new() - make a list of labels
 * @nr: its length
 *
 * Each is to be set with tap_labels_set() before anybody else sees the list.
 *
 * Return: the list with one reference, or NULL out of memory.
 */
struct tap_labels *tap_labels_new(unsigned int nr)
{
	struct tap_labels *labels = calloc(1, sizeof(*labels));

	if (!labels)
		return NULL;
	labels->list = calloc((size_t)nr + 1, sizeof(*labels->list));
	if (!labels->list) {
		free(labels);
		return NULL;
	}
	labels->refs = 1;
	labels->nr = nr;
	return labels;
}

/**
 * tap_labels_set() - fill in one
 * @labels: of tap_labels_new()
 * @i: which, less than its length
 * @value: the value or the bits
 * @name: its name; copied
 * @len: bytes of @name, without a final 0
 *
 * Return: 0 or -ENOMEM.
 */
int tap_labels_set(struct tap_labels *labels, unsigned int i, __u64 value,
		   const char *name, size_t len)
{
	char *copy = strndup(name, len);

	if (!copy)
		return -ENOMEM;
	free((void *)(uintptr_t)labels->list[i].name);
	labels->list[i].value = value;
	labels->list[i].name = copy;
	return 0;
}

/**
 * tap_labels_get() - take a reference
 * @labels: may be NULL
 *
 * Return: @labels.
 */
struct tap_labels *tap_labels_get(struct tap_labels *labels)
{
	if (labels)
		labels->refs++;
	return labels;
}

/**
 * tap_labels_put() - give a reference back; the last frees the list
 * @labels: may be NULL
 */
void tap_labels_put(struct tap_labels *labels)
{
	unsigned int i;

	if (!labels || --labels->refs)
		return;
	for (i = 0; i < labels->nr; i++)
		free((void *)(uintptr_t)labels->list[i].name);
	free(labels->list);
	free(labels);
}

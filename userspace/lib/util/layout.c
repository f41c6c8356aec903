// SPDX-License-Identifier: LGPL-2.1
/*
 * The layout of a type: makes and frees the list of its nodes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/layout.h"
#include "util/value_names.h"

/**
 * tap_layout_add() - append a node
 * @layout: all zero at first; must not be shared yet
 * @node: copied; takes another reference of its value names
 * @len: bytes of the name of @node, without a final 0
 *
 * Return: the index of the node; -ENOMEM; -E2BIG if there are %TAP_LAYOUT_MAX.
 */
int tap_layout_add(struct tap_layout *layout, const struct tap_layout_node *node, size_t len)
{
	unsigned int nr = layout->nr;
	char *name;

	if (nr == TAP_LAYOUT_MAX)
		return -E2BIG;
	if (!TAP_GROW(layout->list, nr))
		return -ENOMEM;
	name = strndup(node->name, len);
	if (!name)
		return -ENOMEM;
	layout->list[nr] = *node;
	layout->list[nr].name = name;
	tap_value_names_get(node->value_names);
	return (int)layout->nr++;
}

/**
 * tap_layout_has() - whether a number of a format occurs
 * @layout: may be NULL
 * @format: the format
 *
 * Return: true if it does.
 */
bool tap_layout_has(const struct tap_layout *layout, enum tap_format format)
{
	unsigned int i;

	for (i = 0; layout && i < layout->nr; i++)
		if (layout->list[i].kind == TAP_LAYOUT_NUMBER && layout->list[i].format == format)
			return true;
	return false;
}

/**
 * tap_layout_free() - free a layout
 * @layout: may be NULL
 */
void tap_layout_free(struct tap_layout *layout)
{
	unsigned int i;

	if (!layout)
		return;
	for (i = 0; i < layout->nr; i++) {
		free(layout->list[i].name);
		tap_value_names_put(layout->list[i].value_names);
	}
	free(layout->list);
	free(layout);
}

// SPDX-License-Identifier: LGPL-2.1
/*
 * Names of values and keys that nobody named: the last member of the path, and more of the path
 * where two of them would have one name (prev->pid next->pid: prev_pid, next_pid). after() counts
 * as the part in front: file->f_pos after(file->f_pos): file_f_pos, after_f_pos.
 */
#include <errno.h>
#include <string.h>

#include "lang/lang.h"
#include "spec/ast.h"
#include "spec/spec.h"

/* Parts of a path that a name may have: more would be no help. */
#define MAX_PARTS	4

#define AFTER_LEN	strlen("after_")

/* The next shorter path: prev of prev->pid; NULL: @node is no path, or its first part. */
static const struct tap_node *shorter(const struct tap_node *node)
{
	do {
		if (node->kind != TAP_NODE_MEMBER && node->kind != TAP_NODE_CAST &&
		    node->kind != TAP_NODE_UNARY && node->kind != TAP_NODE_INDEX)
			return NULL;
		node = node->a;
	} while (node->kind != TAP_NODE_MEMBER && node->kind != TAP_NODE_NAME);
	return node;
}

/* Names @item by the last @parts members of its path; false if it has fewer. */
static bool name_by_path(struct tap_item *item, unsigned int parts)
{
	const struct tap_node *path[MAX_PARTS], *node = item->node;
	bool after = node->kind == TAP_NODE_CALL && node->value == TAP_FUNCTION_AFTER;
	size_t at = 0, len;
	unsigned int i;

	if (item->named)
		return false;
	if (after) {
		node = node->a;
		parts--;
	}
	if (node->kind == TAP_NODE_CALL && node->value == TAP_FUNCTION_JOIN)
		node = node->a;
	if (node->kind != TAP_NODE_MEMBER && node->kind != TAP_NODE_NAME)
		node = shorter(node);
	for (i = 0; i < parts; i++) {
		if (!node)
			return false;
		path[i] = node;
		node = shorter(node);
	}
	for (i = 0, len = parts - 1; i < parts; i++)
		len += path[i]->t.len;
	if (len + (after ? AFTER_LEN : 0) >= sizeof(item->name))
		return false;
	if (after) {
		memcpy(item->name, "after_", AFTER_LEN);
		at = AFTER_LEN;
	}
	while (parts--) {
		memcpy(item->name + at, path[parts]->t.at, path[parts]->t.len);
		at += path[parts]->t.len;
		item->name[at++] = '_';
	}
	item->name[at - 1] = '\0';
	return true;
}

static bool clashes(const struct tap_item *items, unsigned int nr, unsigned int i)
{
	unsigned int k;

	for (k = 0; k < nr; k++)
		if (k != i && !strcmp(items[k].name, items[i].name))
			return true;
	return false;
}

/**
 * tap_items_distinguish() - give values of one list different names
 * @p: for the error message; its text is set to that of the item
 * @what: "values" or "keys", for the error message
 * @items: the list; names that nobody chose may change
 * @nr: number of @items
 *
 * Return: 0, or -EINVAL with the error message set: two of them have one name.
 */
int tap_items_distinguish(struct tap_parser p, const char *what, struct tap_item *items,
			  unsigned int nr)
{
	bool same[TAP_SPEC_MAX_VALUES] = { false };
	unsigned int parts, i;

	for (parts = 2; parts <= MAX_PARTS; parts++) {
		/* Both of a pair are renamed, so look at all of them first. */
		for (i = 0; i < nr; i++)
			same[i] = clashes(items, nr, i);
		for (i = 0; i < nr; i++)
			if (same[i])
				name_by_path(&items[i], parts);
	}
	for (i = 0; i < nr; i++) {
		if (!clashes(items, i, i))
			continue;
		p.text = items[i].text;
		if (items[i].node->kind == TAP_NODE_BUILTIN &&
		    items[i].node->builtin == TAP_BUILTIN_ARGS)
			return tap_diag(&p, items[i].t.at, items[i].t.len, -EINVAL,
					"$args is there already; write it once");
		return tap_diag(&p, items[i].t.at, items[i].t.len, -EINVAL,
				"two %s have the name \"%s\"; rename one of them with NAME=...",
				what, items[i].name);
	}
	return 0;
}

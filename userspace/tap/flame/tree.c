// SPDX-License-Identifier: GPL-2.0
/*
 * The tree of a flame graph. Its depth comes from an untrusted file, so nothing here
 * recurses.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/buffer.h"
#include "flame/tree.h"

#define FIRST_SLOTS	1024

__u32 flame_hash(__u32 hash, const void *data, size_t len)
{
	const unsigned char *p = data;
	size_t i;

	/* FNV-1a */
	hash ^= 2166136261U;
	for (i = 0; i < len; i++)
		hash = (hash ^ p[i]) * 16777619U;
	return hash;
}

/* Keeps slots free, so that a search always ends at an empty slot. */
static int table_grow(struct flame_table *t)
{
	size_t nr = t->slots ? (t->mask + 1) * 2 : FIRST_SLOTS;
	struct flame_slot *slots;
	size_t i, at;

	if (t->slots && t->nr < t->mask / 2)
		return 0;
	slots = calloc(nr, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	for (i = 0; t->slots && i <= t->mask; i++) {
		if (!t->slots[i].value)
			continue;
		at = t->slots[i].hash & (nr - 1);
		while (slots[at].value)
			at = (at + 1) & (nr - 1);
		slots[at] = t->slots[i];
	}
	free(t->slots);
	t->slots = slots;
	t->mask = nr - 1;
	return 0;
}

/* The next slot from *at on that has this hash or is empty. */
static struct flame_slot *table_probe(const struct flame_table *t, __u32 hash,
				      size_t *at)
{
	struct flame_slot *slot;

	do {
		slot = &t->slots[*at & t->mask];
		++*at;
	} while (slot->value && slot->hash != hash);
	return slot;
}

static void table_set(struct flame_table *t, struct flame_slot *slot,
		      __u32 hash, size_t number)
{
	*slot = (struct flame_slot){ .hash = hash, .value = (__u32)number + 1 };
	t->nr++;
}

int flame_tree_init(struct flame_tree *tree)
{
	memset(tree, 0, sizeof(*tree));
	tree->room = FIRST_SLOTS;
	tree->nodes = calloc(tree->room, sizeof(*tree->nodes));
	if (!tree->nodes)
		return -ENOMEM;
	tree->nr = 1;
	return flame_tree_name(tree, "all", 3, &tree->nodes[0].frame.name);
}

void flame_tree_free(struct flame_tree *tree)
{
	free(tree->nodes);
	free(tree->text);
	free(tree->by_frame.slots);
	free(tree->by_name.slots);
	memset(tree, 0, sizeof(*tree));
}

static int text_grow(struct flame_tree *tree, size_t need)
{
	size_t room = tree->text_room ? tree->text_room : 65536;
	char *text;

	if (need > UINT32_MAX - tree->text_len)
		return -ENOMEM;
	while (room < tree->text_len + need)
		room *= 2;
	if (room == tree->text_room)
		return 0;
	text = realloc(tree->text, room);
	if (!text)
		return -ENOMEM;
	tree->text = text;
	tree->text_room = room;
	return 0;
}

int flame_tree_name(struct flame_tree *tree, const char *name, size_t len,
		    __u32 *number)
{
	struct flame_slot *slot;
	char *begin, *end, *p;
	__u32 hash;
	size_t at;

	/* Appended to the names; text_len includes it only if it is new. */
	if (text_grow(tree, 2 * len + 2) || table_grow(&tree->by_name))
		return -ENOMEM;
	begin = tree->text + tree->text_len;
	end = tap_put_text(begin, name, len, false);
	if (end == begin)
		*end++ = '?';
	for (p = begin; p < end; p++)
		if (*p == ';')
			*p = ':';
	*end++ = '\0';
	hash = flame_hash(0, begin, (size_t)(end - begin));
	at = hash;
	while ((slot = table_probe(&tree->by_name, hash, &at))->value) {
		if (strcmp(tree->text + slot->value - 1, begin))
			continue;
		*number = slot->value - 1;
		return 0;
	}
	*number = (__u32)tree->text_len;
	table_set(&tree->by_name, slot, hash, tree->text_len);
	tree->text_len += (size_t)(end - begin);
	return 0;
}

static int nodes_grow(struct flame_tree *tree)
{
	struct flame_node *nodes;

	if (tree->nr < tree->room)
		return 0;
	if (tree->room > UINT32_MAX / 2)
		return -ENOMEM;
	nodes = realloc(tree->nodes, 2 * tree->room * sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	tree->nodes = nodes;
	tree->room *= 2;
	return 0;
}

static bool same_frame(const struct flame_frame *a, const struct flame_frame *b)
{
	return a->name == b->name && a->kind == b->kind;
}

/* Moves *node to its child for this frame, which is created if it is new. */
static int tree_enter(struct flame_tree *tree, __u32 *node,
		      const struct flame_frame *frame)
{
	__u32 hash = flame_hash(flame_hash(0, node, sizeof(*node)), frame,
				sizeof(*frame));
	struct flame_slot *slot;
	size_t at = hash;

	if (nodes_grow(tree) || table_grow(&tree->by_frame))
		return -ENOMEM;
	while ((slot = table_probe(&tree->by_frame, hash, &at))->value) {
		const struct flame_node *n = &tree->nodes[slot->value - 1];

		if (n->parent != *node || !same_frame(&n->frame, frame))
			continue;
		*node = slot->value - 1;
		return 0;
	}
	tree->nodes[tree->nr] = (struct flame_node){
		.frame = *frame,
		.parent = *node,
		.depth = tree->nodes[*node].depth + 1,
	};
	table_set(&tree->by_frame, slot, hash, tree->nr);
	*node = (__u32)tree->nr++;
	return 0;
}

int flame_tree_add(struct flame_tree *tree, const struct flame_frame *frames,
		   unsigned int nr, __u64 weight)
{
	__u32 node = 0;
	unsigned int i;

	/* No weight in the tree exceeds the sum, so no other can overflow. */
	if (weight > UINT64_MAX - tree->sum)
		return -EOVERFLOW;
	for (i = 0; i < nr; i++)
		if (tree_enter(tree, &node, &frames[i]))
			return -ENOMEM;
	tree->nodes[node].self += weight;
	tree->sum += weight;
	return 0;
}

static int compare(const void *a, const void *b, void *arg)
{
	const struct flame_tree *tree = arg;
	const struct flame_node *x = &tree->nodes[*(const __u32 *)a];
	const struct flame_node *y = &tree->nodes[*(const __u32 *)b];

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	/* A name is stored once: equal names have equal numbers. */
	if (x->frame.name != y->frame.name)
		return strcmp(tree->text + x->frame.name,
			      tree->text + y->frame.name);
	return (int)x->frame.kind - (int)y->frame.kind;
}

int flame_tree_finish(struct flame_tree *tree)
{
	struct flame_node *nodes = tree->nodes;
	__u32 *order, node;
	size_t i;

	order = malloc(tree->nr * sizeof(*order));
	if (!order)
		return -ENOMEM;
	for (i = 0; i < tree->nr; i++)
		order[i] = (__u32)i;
	qsort_r(order + 1, tree->nr - 1, sizeof(*order), compare, tree);
	/* In reverse order, since each is put at the head of its list. */
	for (i = tree->nr - 1; i > 0; i--) {
		struct flame_node *n = &nodes[order[i]];

		n->sibling = nodes[n->parent].child;
		nodes[n->parent].child = order[i];
	}
	free(order);
	for (i = tree->nr; i-- > 0; ) {
		nodes[i].total += nodes[i].self;
		if (i)
			nodes[nodes[i].parent].total += nodes[i].total;
	}
	for (node = 0; ; ) {
		__u64 begin = nodes[node].begin;
		__u32 child = nodes[node].child;

		for (; child; child = nodes[child].sibling) {
			nodes[child].begin = begin;
			begin += nodes[child].total;
		}
		node = flame_tree_next(tree, node, true);
		if (!node)
			return 0;
	}
}

__u32 flame_tree_next(const struct flame_tree *tree, __u32 node, bool down)
{
	const struct flame_node *nodes = tree->nodes;

	if (down && nodes[node].child)
		return nodes[node].child;
	while (node && !nodes[node].sibling)
		node = nodes[node].parent;
	return nodes[node].sibling;
}

const char *flame_tree_text(const struct flame_tree *tree, __u32 node)
{
	return tree->text + tree->nodes[node].frame.name;
}

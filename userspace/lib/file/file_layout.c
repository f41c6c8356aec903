// SPDX-License-Identifier: LGPL-2.1
/*
 * Layouts of structs in a trace file: each belongs to a list of value names, to which the fields of
 * the probes refer.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file/file_internal.h"
#include "file/file_layout.h"
#include "spec/field.h"
#include "util/layout.h"
#include "util/value_names.h"

/* A name's length is one byte. */
#define NAME_BYTES	255

/**
 * tap_file_layout_write() - append a layout to the chunk
 * @buf: the chunk
 * @table: of tap_file_value_names_collect()
 * @number: of the list in @table that has the layout, from 1
 *
 * Return: 0, -E2BIG or -ENOMEM.
 */
int tap_file_layout_write(struct tap_buffer *buf, const struct tap_file_value_names_table *table,
			  unsigned int number)
{
	const struct tap_layout *layout = table->list[number - 1]->layout;
	struct tap_file_layout head = { .value_names = number, .nr = layout->nr };
	size_t len = sizeof(head) + layout->nr * sizeof(struct tap_file_layout_node);
	unsigned int i;
	char *p;
	int ret;

	for (i = 0; i < layout->nr; i++)
		len += 1 + strnlen(layout->list[i].name, NAME_BYTES);
	ret = tap_file_record_room(buf, len, &head.length, &p);
	if (ret)
		return ret;
	p = tap_put_mem(p, (const char *)&head, sizeof(head));
	for (i = 0; i < layout->nr; i++) {
		const struct tap_layout_node *node = &layout->list[i];
		const struct tap_file_layout_node n = {
			.kind = node->kind, .bits = node->bits, .is_signed = node->is_signed,
			.format = node->format, .size = node->size, .count = node->count,
			.bit = node->bit, .end = node->end,
			.value_names = tap_file_value_names_index(table, node->value_names),
		};

		p = tap_put_mem(p, (const char *)&n, sizeof(n));
	}
	for (i = 0; i < layout->nr; i++) {
		size_t n = strnlen(layout->list[i].name, NAME_BYTES);

		*p++ = (char)n;
		p = tap_put_mem(p, layout->list[i].name, n);
	}
	return 0;
}

static bool is_number(const struct tap_layout_node *node)
{
	return (node->size == 1 || node->size == 2 || node->size == 4 || node->size == 8) &&
	       node->bits <= 64 && tap_format_bytes[node->format];
}

/*
 * Whether node @i is valid, in @room bytes of what is around it, with at most @depth nodes in it.
 * The formatter follows a layout without checks of its own: parts must be in their node, and each
 * element of an array has at least a byte. A bitfield may reach beyond its node: the formatter looks
 * whether its bytes are known. Only a number is one: what has parts is in its node, and arrays in
 * arrays together have at most as many elements as the whole has bytes.
 */
static bool check(const struct tap_layout *layout, unsigned int i, __u64 room, unsigned int depth)
{
	const struct tap_layout_node *node = &layout->list[i];
	unsigned int k;

	if (!depth || node->end <= i || node->end > layout->nr || !node->size ||
	    tap_layout_bytes(node) > room || (node->bits && node->kind != TAP_LAYOUT_NUMBER))
		return false;
	switch (node->kind) {
	case TAP_LAYOUT_NUMBER:
		return node->end == i + 1 && is_number(node);
	case TAP_LAYOUT_TEXT:
	case TAP_LAYOUT_RAW:
		return node->end == i + 1;
	case TAP_LAYOUT_ARRAY:
		return node->count && node->end > i + 1 && layout->list[i + 1].end == node->end &&
		       check(layout, i + 1, node->size, depth - 1);
	case TAP_LAYOUT_STRUCT:
		for (k = i + 1; k < node->end; k = layout->list[k].end)
			if (layout->list[k].bit / 8 > node->size || layout->list[k].end > node->end ||
			    (!layout->list[k].bits && layout->list[k].bit % 8) ||
			    !check(layout, k, layout->list[k].bits ? UINT32_MAX :
				   node->size - layout->list[k].bit / 8, depth - 1))
				return false;
		return true;
	}
	return false;
}

static int add_node(struct tap_layout *layout, const struct tap_file_value_names_table *table,
		    const char *at, const char *name, size_t len)
{
	struct tap_layout_node node;
	struct tap_file_layout_node n;
	char text[NAME_BYTES + 1];
	int ret;

	memcpy(&n, at, sizeof(n));
	if (n.value_names > table->nr || n.format >= __TAP_FMT_MAX)
		return -EBADMSG;
	/* Control characters of a file must not reach the terminal. */
	*tap_put_text(text, name, len, false) = '\0';
	node = (struct tap_layout_node) {
		.name = text, .kind = n.kind, .bits = n.bits, .is_signed = n.is_signed & 1,
		.format = n.format, .size = n.size, .count = n.count, .bit = n.bit, .end = n.end,
		.value_names = n.value_names ? table->list[n.value_names - 1] : NULL,
	};
	/* A list that leads to itself would never be freed. */
	if (node.value_names && node.value_names->layout)
		return -EBADMSG;
	ret = tap_layout_add(layout, &node, strlen(text));
	return ret < 0 ? ret == -E2BIG ? -EBADMSG : ret : 0;
}

static int parse_layout(struct tap_layout *layout, const struct tap_file_value_names_table *table,
			const struct tap_file_layout *head, const char *p)
{
	const char *name = p + head->nr * sizeof(struct tap_file_layout_node);
	size_t left = head->length - sizeof(*head) - (size_t)(name - p);
	unsigned int i;
	int ret;

	for (i = 0; i < head->nr; i++) {
		/* The length that is checked is the one that is used: the file may change. */
		size_t n = left ? (unsigned char)tap_load_once(name) : 0;

		if (left < 1 + n)
			return -EBADMSG;
		ret = add_node(layout, table, p, name + 1, n);
		if (ret)
			return ret;
		p += sizeof(struct tap_file_layout_node);
		name += 1 + n;
		left -= 1 + n;
	}
	return check(layout, 0, UINT32_MAX * (__u64)UINT32_MAX, TAP_LAYOUT_DEPTH + 1) ? 0 : -EBADMSG;
}

/**
 * tap_file_layouts_parse() - read layouts, and give them to their lists of value names
 * @table: the lists of the file
 * @data: the chunk
 * @len: bytes of the chunk
 *
 * Return: 0, -EBADMSG or -ENOMEM.
 */
int tap_file_layouts_parse(struct tap_file_value_names_table *table, const char *data, size_t len)
{
	while (len) {
		struct tap_value_names *owner;
		struct tap_file_layout head;
		int ret;

		if (len < sizeof(head))
			return -EBADMSG;
		memcpy(&head, data, sizeof(head));
		if (head.length < sizeof(head) || head.length > len ||
		    head.length % TAP_FILE_ALIGN || !head.nr || head.nr > TAP_LAYOUT_MAX ||
		    head.nr > (head.length - sizeof(head)) / sizeof(struct tap_file_layout_node) ||
		    !head.value_names || head.value_names > table->nr)
			return -EBADMSG;
		owner = table->list[head.value_names - 1];
		/*
		 * Only fields, which come later, refer to a list with a layout. Nodes that do would
		 * make chains of layouts, which are freed by recursion.
		 */
		if (owner->nr || owner->layout || owner->refs > 1)
			return -EBADMSG;
		owner->layout = calloc(1, sizeof(*owner->layout));
		if (!owner->layout)
			return -ENOMEM;
		ret = parse_layout(owner->layout, table, &head, data + sizeof(head));
		if (ret)
			return ret;
		data += head.length;
		len -= head.length;
	}
	return 0;
}

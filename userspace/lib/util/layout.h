/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The layout of a type: its members, without the BTF or DWARF that they came from, so that a trace
 * file can hold it. Private to libtap.
 */
#ifndef _TAP_UTIL_LAYOUT_H
#define _TAP_UTIL_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include <libtap.h>

/* Upper bounds of the nodes of a layout, and of the nodes around one. */
#define TAP_LAYOUT_MAX		8192
#define TAP_LAYOUT_DEPTH	32
/* Elements of an array in a struct, or of an array of structs, that are shown. */
#define TAP_LAYOUT_SHOWN	16

/**
 * enum tap_layout_kind - what a node of a layout stands for
 * @TAP_LAYOUT_NUMBER: a number of @size bytes or @bits bits
 * @TAP_LAYOUT_TEXT: @size characters, up to a 0
 * @TAP_LAYOUT_RAW: @size bytes that have no format, such as a floating-point number
 * @TAP_LAYOUT_STRUCT: a struct or union; its members follow
 * @TAP_LAYOUT_ARRAY: @count elements; the node of one follows
 */
enum tap_layout_kind {
	TAP_LAYOUT_NUMBER,
	TAP_LAYOUT_TEXT,
	TAP_LAYOUT_RAW,
	TAP_LAYOUT_STRUCT,
	TAP_LAYOUT_ARRAY,
};

/**
 * struct tap_layout_node - a type or a member, followed by what it consists of
 * @name: of a member; "" for the whole and for elements; owned
 * @kind: enum tap_layout_kind
 * @bits: width of a bitfield; else 0
 * @is_signed: of a number
 * @format: of a number: how it is printed
 * @size: bytes; of an array: of one element
 * @count: of an array: elements
 * @bit: of a member: offset in bits from the start of the node around it; of one that is no
 *	bitfield a multiple of 8
 * @end: index of the node behind it and its parts
 * @value_names: of a number; owned; or NULL
 */
struct tap_layout_node {
	char *name;
	__u8 kind;
	__u8 bits;
	bool is_signed;
	enum tap_format format;
	__u32 size;
	__u32 count;
	__u32 bit;
	__u32 end;
	struct tap_value_names *value_names;
};

/**
 * struct tap_layout - the nodes of a type
 * @list: the type, then its parts, each before its own parts
 * @nr: number of @list
 */
struct tap_layout {
	struct tap_layout_node *list;
	unsigned int nr;
};

/* Bytes of all that the node stands for. */
static inline __u64 tap_layout_bytes(const struct tap_layout_node *node)
{
	return node->kind == TAP_LAYOUT_ARRAY ? (__u64)node->size * node->count : node->size;
}

int tap_layout_add(struct tap_layout *layout, const struct tap_layout_node *node, size_t len);
bool tap_layout_has(const struct tap_layout *layout, enum tap_format format);
void tap_layout_free(struct tap_layout *layout);

#endif /* _TAP_UTIL_LAYOUT_H */

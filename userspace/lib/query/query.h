/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Expressions on recorded events: bind.c makes them from text, evaluate.c has their values.
 * Private to libtap and its tests.
 */
#ifndef _TAP_QUERY_QUERY_H
#define _TAP_QUERY_QUERY_H

#include <libtap.h>

#include "spec/ast.h"
#include "spec/spec.h"

/**
 * enum tap_query_kind - a node
 * @TAP_QUERY_NUMBER: a constant
 * @TAP_QUERY_PATTERN: a text to compare with
 * @TAP_QUERY_FIELD: a value of the record
 * @TAP_QUERY_COMM: the name of the task
 * @TAP_QUERY_TGID: its process
 * @TAP_QUERY_TID: its thread
 * @TAP_QUERY_CPU: the CPU
 * @TAP_QUERY_FLAG: TAP_F_* of the record: @number
 * @TAP_QUERY_UNARY: operator @op on @a
 * @TAP_QUERY_BINARY: operator @op on @a and @b
 * @TAP_QUERY_COND: @a ? @b : @c
 * @TAP_QUERY_CAST: @a as a number of @number bytes
 * @TAP_QUERY_CALL: enum tap_function @number of @a and @b
 */
enum tap_query_kind {
	TAP_QUERY_NUMBER,
	TAP_QUERY_PATTERN,
	TAP_QUERY_FIELD,
	TAP_QUERY_COMM,
	TAP_QUERY_TGID,
	TAP_QUERY_TID,
	TAP_QUERY_CPU,
	TAP_QUERY_FLAG,
	TAP_QUERY_UNARY,
	TAP_QUERY_BINARY,
	TAP_QUERY_COND,
	TAP_QUERY_CAST,
	TAP_QUERY_CALL,
};

/**
 * struct tap_query_node - a node of an expression
 * @kind: enum tap_query_kind
 * @op: operator, enum tap_lexeme_kind
 * @is_unsigned: the value is
 * @raw: of a return value, all of the register: a cast says what it is
 * @number: see enum tap_query_kind
 * @field: of a value of the record
 * @pattern: with a final 0, for fnmatch(3); owned
 * @a: operand
 * @b: operand
 * @c: operand
 * @next: the node that was made before it
 */
struct tap_query_node {
	enum tap_query_kind kind;
	int op;
	bool is_unsigned;
	bool raw;
	__u64 number;
	const struct tap_field *field;
	char *pattern;
	const struct tap_query_node *a;
	const struct tap_query_node *b;
	const struct tap_query_node *c;
	struct tap_query_node *next;
};

/**
 * struct tap_query - an expression
 * @probe: of the events
 * @timebase: of the events
 * @root: the expression
 * @nodes: the node that was made last; owned
 * @name: of the value, as written or made from the text
 * @format: :FORMAT of a number; %TAP_FMT_AUTO without one
 * @formatted: the text has a :FORMAT
 * @text: room for a text while it is compared
 */
struct tap_query {
	const struct tap_probe *probe;
	const struct tap_timebase *timebase;
	const struct tap_query_node *root;
	struct tap_query_node *nodes;
	char name[TAP_FIELD_NAME_LEN];
	enum tap_format format;
	bool formatted;
	char text[TAP_MAX_STRING + 1];
};

/**
 * struct tap_query_value - the value of an expression of an event
 * @present: it has one
 * @text: of a text, else NULL
 * @number: of a number; whether it is signed is known of the expression
 */
struct tap_query_value {
	bool present;
	const char *text;
	__u64 number;
};

/**
 * tap_query_bind() - make an expression of one that was parsed
 * @query: see tap_query_open()
 * @probe: see tap_query_open()
 * @timebase: see tap_query_open()
 * @spec: to which the text was parsed, for error messages
 * @item: the parsed text; not used afterwards
 * @err: see tap_query_open()
 *
 * Return: as tap_query_open().
 */
int tap_query_bind(struct tap_query **query, const struct tap_probe *probe,
		   const struct tap_timebase *timebase, struct tap_spec *spec,
		   const struct tap_item *item, struct tap_error *err);
bool tap_query_is_text(const struct tap_query_node *node);
bool tap_query_is_number(const struct tap_query_node *node);

static inline bool tap_query_less(__u64 a, __u64 b, bool is_unsigned)
{
	return is_unsigned ? a < b : (__s64)a < (__s64)b;
}

/* The value of @node. A text is in @query->text until the next value is read. */
struct tap_query_value tap_query_value(struct tap_query *query, const struct tap_query_node *node,
				       const struct tap_event *ev);

#endif /* _TAP_QUERY_QUERY_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An assertion of tap expect, from its text.
 */
#ifndef _TOOL_EXPECT_ASSERTION_H
#define _TOOL_EXPECT_ASSERTION_H

#include "tool.h"

enum assertion_kind {
	ASSERTION_COUNT,
	ASSERTION_MAX,
	ASSERTION_MIN,
	ASSERTION_SUM,
	ASSERTION_AVG,
	ASSERTION_EVERY,
	ASSERTION_BEFORE,
};

enum assertion_op {
	ASSERTION_EQUAL,
	ASSERTION_NOT_EQUAL,
	ASSERTION_AT_MOST,
	ASSERTION_AT_LEAST,
	ASSERTION_LESS,
	ASSERTION_MORE,
};

/**
 * struct assertion - a sentence about events
 * @text: the whole text; not owned
 * @kind: which sentence it is
 * @op: of a number
 * @ref: the events, as trace_file_is() takes them; the second one of every and before
 * @value: the expression in the parentheses, or behind on; NULL without one
 * @limit: the number behind the operator, or behind within; NULL without one, and of a count
 * @count: the number of a count
 * @condition: of each of @ref, behind if; NULL without one
 */
struct assertion {
	const char *text;
	enum assertion_kind kind;
	enum assertion_op op;
	char *ref[2];
	char *value;
	char *limit;
	__u64 count;
	char *condition[2];
};

/**
 * assertion_parse() - read an assertion
 * @a: filled in; end it with assertion_free()
 * @text: must stay until then
 * @err: the error message on failure; it shows the place
 *
 * Expressions are not read: their names are those of a file.
 *
 * Return: 0; -EINVAL or -ENOMEM, with nothing to be freed.
 */
int assertion_parse(struct assertion *a, const char *text, struct tap_error *err);

/**
 * assertion_free() - free what it holds
 * @a: may be all zero
 */
void assertion_free(struct assertion *a);

/* Whether its events are compared one by one, so that it has two of them. */
static inline bool assertion_is_pair(const struct assertion *a)
{
	return a->kind == ASSERTION_EVERY || a->kind == ASSERTION_BEFORE;
}

#endif /* _TOOL_EXPECT_ASSERTION_H */

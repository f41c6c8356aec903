/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a row of an export has.
 */
#ifndef _TOOL_EXPORT_ROW_H
#define _TOOL_EXPORT_ROW_H

#include <stdlib.h>

#include "export/export.h"

/**
 * struct row_values - goes through the values of an event, with their fields
 * @row: of the event
 * @at: in its args
 * @next: the next field of the probe
 * @field: of the value
 * @name: of the value
 * @value: the value
 */
struct row_values {
	const struct row *row;
	const char *at;
	unsigned int next;
	const struct tap_field *field;
	struct json name;
	struct json value;
};

/**
 * row_values() - begin with the values of an event
 * @v: filled in
 * @row: an event
 */
void row_values(struct row_values *v, const struct row *row);

/**
 * row_values_next() - the next value
 * @v: @field, @name and @value are set
 *
 * Return: false at the end.
 */
bool row_values_next(struct row_values *v);

/**
 * row_is_stack() - whether a value is a stack of the event itself
 * @v: at a value
 * @kernel: set to the stack if it is the first one of the kernel; without text at first
 * @user: the same of the task's program
 *
 * Return: false if it is another value, or a stack that is absent. A stack of a wait is a value.
 */
bool row_is_stack(const struct row_values *v, struct json *kernel, struct json *user);

static inline bool row_has(const struct row *row, enum row_member member)
{
	return row->member[member].at && !json_is(&row->member[member], "null", 4);
}

/* The number of a member that the row has. */
static inline __u64 row_number(const struct row *row, enum row_member member)
{
	return strtoull(row->member[member].at, NULL, 10);
}

#endif /* _TOOL_EXPORT_ROW_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading the lines of JSON that libtap writes: objects without blanks, known to be valid.
 */
#ifndef _TOOL_EXPORT_JSON_H
#define _TOOL_EXPORT_JSON_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct json - the text of a value
 * @at: its first byte; a string has its quotes. NULL: there is no such value
 * @len: bytes
 */
struct json {
	const char *at;
	size_t len;
};

/**
 * json_members() - begin with the members of an object or the elements of an array
 * @value: the object or array
 *
 * Return: for json_member() or json_element().
 */
static inline const char *json_members(const struct json *value)
{
	return value->at + 1;
}

/**
 * json_member() - the next member of an object
 * @at: of json_members(); moved behind the member
 * @name: set to its name without quotes, as it is escaped
 * @value: set to its value
 *
 * Return: false at the end.
 */
bool json_member(const char **at, struct json *name, struct json *value);

/**
 * json_element() - the next element of an array
 * @at: of json_members(); moved behind the element
 * @value: set to it
 *
 * Return: false at the end.
 */
bool json_element(const char **at, struct json *value);

/**
 * json_text() - the bytes of a string
 * @text: the string without its quotes
 * @to: room for as many bytes as @text has
 *
 * Return: the end of what was written at @to.
 */
char *json_text(const struct json *text, char *to);

/* A string has quotes. */
static inline bool json_is_string(const struct json *value)
{
	return *value->at == '"';
}

/* The same without the quotes. */
static inline struct json json_inside(const struct json *value)
{
	return (struct json) { value->at + 1, value->len - 2 };
}

static inline bool json_is(const struct json *value, const char *text, size_t len)
{
	return value->len == len && !__builtin_memcmp(value->at, text, len);
}

#endif /* _TOOL_EXPORT_JSON_H */

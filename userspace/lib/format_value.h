/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * One value of a field as text or JSON.
 */
#ifndef _TAP_FORMAT_VALUE_H
#define _TAP_FORMAT_VALUE_H

#include "private.h"

/* The most that a number becomes, in either form; a symbol is cut to fit. */
#define TAP_VALUE_MAX	512

/* Whether it is printed below the line of its event. */
static inline bool tap_format_is_stack(enum tap_format format)
{
	return format == TAP_FMT_KSTACK || format == TAP_FMT_USTACK;
}

/* Whether an address of code is one of the kernel, not of a program. */
static inline bool tap_address_is_kernel(__u64 addr)
{
	return addr >> 63;
}

/* Whether it takes a process and a time to name its addresses. */
static inline bool tap_field_is_user(const struct tap_field *field)
{
	return field->format == TAP_FMT_USTACK ||
	       field->format == TAP_FMT_USYMBOL ||
	       field->element == TAP_FMT_USYMBOL;
}

bool tap_field_check(const struct tap_field *field, unsigned int words);
size_t tap_value_max(const struct tap_formatter_opts *opts,
		     const struct tap_field *field);
char *tap_put_value(char *p, const struct tap_formatter_opts *opts,
		    const struct tap_field *field,
		    const struct tap_event *ev);

/**
 * tap_put_function() - write the name of the function that an address is in
 * @p: room for %TAP_VALUE_MAX bytes
 * @opts: of the formatter: form, symbols
 * @v: the address
 *
 * Return: the place behind it.
 */
char *tap_put_function(char *p, const struct tap_formatter_opts *opts, __u64 v);

#endif /* _TAP_FORMAT_VALUE_H */

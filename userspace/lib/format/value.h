/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * One value of a field as text or JSON.
 */
#ifndef _TAP_FORMAT_VALUE_H
#define _TAP_FORMAT_VALUE_H

#include "util/util.h"

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

/* A record with one of these has values that are not what their words say. */
#define TAP_F_SPECIAL	(TAP_F_ABSENT | TAP_F_NO_RETURN | TAP_F_REDACTED)

/* Writes one number, narrowed to what its format looks at. */
typedef char *tap_number_writer(char *p, const struct tap_formatter_opts *opts,
				const struct tap_value_names *labels, __u64 v);

/**
 * struct tap_value_plan - how to write the values of a field
 * @put: of a plain number; NULL for any other value
 * @field: what it is
 * @offset: bytes from the begin of a record to the word
 * @shift: bits of the word that are not looked at
 * @is_signed: the bits that are, begin with a sign
 */
struct tap_value_plan {
	tap_number_writer *put;
	const struct tap_field *field;
	__u32 offset;
	__u8 shift;
	bool is_signed;
};

void tap_value_plan(struct tap_value_plan *plan, const struct tap_field *field);
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

static inline __u64 tap_extend(__u64 v, unsigned int shift, bool is_signed)
{
	v <<= shift;
	return is_signed ? (__u64)((__s64)v >> shift) : v >> shift;
}

/* As tap_put_value(); @ev was found to have all its slots by tap_decode(). */
static inline char *tap_put_planned(char *p,
				    const struct tap_formatter_opts *opts,
				    const struct tap_value_plan *plan,
				    const struct tap_event *ev)
{
	const char *word = (const char *)ev->data +
			   ((ev->pos + plan->offset) & ev->mask);

	if (!plan->put || ev->rec->flags & TAP_F_SPECIAL)
		return tap_put_value(p, opts, plan->field, ev);
	return plan->put(p, opts, plan->field->labels,
			 tap_extend(*(const __u64 *)(const void *)word,
				    plan->shift, plan->is_signed));
}

#endif /* _TAP_FORMAT_VALUE_H */

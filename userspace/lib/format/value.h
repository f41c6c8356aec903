/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * One value of a field as text or JSON.
 */
#ifndef _TAP_FORMAT_VALUE_H
#define _TAP_FORMAT_VALUE_H

#include "module/common/arith.h"
#include "spec/field.h"

/* The most that a number becomes, in either form; a symbol is cut to fit. */
#define TAP_VALUE_MAX	512

/* A record with one of these has values that are not what their words say. */
#define TAP_F_SPECIAL	(TAP_F_ABSENT | TAP_F_NO_RETURN | TAP_F_REDACTED)

/* Writes one number, narrowed to what its format looks at. */
typedef char *tap_number_writer(char *p, const struct tap_formatter_opts *opts,
				const struct tap_value_names *value_names, __u64 v);

/**
 * struct tap_value_plan - how to write the values of a field
 * @put: of a plain number; NULL for any other value
 * @field: what it is
 * @offset: bytes from the start of a record to the word
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
	return plan->put(p, opts, plan->field->value_names,
			 tap_arith_extend(*(const __u64 *)(const void *)word,
					  plan->shift, plan->is_signed));
}

#endif /* _TAP_FORMAT_VALUE_H */

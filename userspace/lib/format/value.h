/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * One value of a field as text or JSON.
 */
#ifndef _TAP_FORMAT_VALUE_H
#define _TAP_FORMAT_VALUE_H

#include "module/common/arith.h"
#include "spec/field.h"

/* Upper bound of a number in either form. A symbol is cut to fit. */
#define TAP_VALUE_MAX	512

/* In a record with one of these flags, words may not have the values of their fields. */
#define TAP_F_SPECIAL	(TAP_F_ABSENT | TAP_F_NO_RETURN | TAP_F_REDACTED)

/* Writes one number that is extended from the size of its format. Returns the end. */
typedef char *tap_number_writer(char *p, const struct tap_formatter_opts *opts,
				const struct tap_value_names *value_names, __u64 v);

/**
 * struct tap_value_plan - how to write the values of a field
 * @put: writer of a plain number; NULL for any other value
 * @field: of the probe; not owned
 * @offset: bytes from the start of a record to the word
 * @shift: number of high bits of the word that are not used
 * @is_signed: the used bits start with a sign
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

/* A value that is absent: @text, or null. @p has room for the longer one. */
char *tap_put_none(char *p, const struct tap_formatter_opts *opts, const char *text);

/* Writes a text with its quotes. @p has room for %TAP_PUT_CHAR_MAX bytes each, and 2 more. */
char *tap_put_quoted(char *p, const struct tap_formatter_opts *opts, const char *s, size_t len);

/* Writes a number as @format says. @p has room for tap_number_max() bytes. */
char *tap_put_number(char *p, const struct tap_formatter_opts *opts, enum tap_format format,
		     const struct tap_value_names *value_names, __u64 v);
size_t tap_number_max(const struct tap_formatter_opts *opts, enum tap_format format,
		      const struct tap_value_names *value_names);

/*
 * Writes the name of the function that contains the address @v. @p has room for
 * %TAP_VALUE_MAX bytes.
 */
char *tap_put_function(char *p, const struct tap_formatter_opts *opts, __u64 v);

/*
 * tap_put_value() with a plan. tap_decode() has checked that @ev has all its slots, but for those of
 * stacks, which have no plan->put.
 */
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

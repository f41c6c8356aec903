/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A field of a record: its layout, and what follows from its format. Private to libtap
 * and its tests.
 */
#ifndef _TAP_SPEC_FIELD_H
#define _TAP_SPEC_FIELD_H

#include <stdbool.h>

#include <libtap.h>

#include "module/common/arith.h"
#include "util/errno_name.h"
#include "util/layout.h"
#include "util/value_names.h"

static inline bool tap_format_is_stack(enum tap_format format)
{
	return format == TAP_FMT_KSTACK || format == TAP_FMT_USTACK;
}

/* Whether a value is printed below the line of its event. */
static inline bool tap_format_is_below(enum tap_format format)
{
	return tap_format_is_stack(format) || format == TAP_FMT_STRUCT ||
	       format == TAP_FMT_DIVISION;
}

/* Whether a value is the bytes of a struct, which its layout describes. */
static inline bool tap_format_is_struct(enum tap_format format)
{
	return format == TAP_FMT_STRUCT || format == TAP_FMT_DIFF;
}

/* Whether a value is the id of a stack, which is printed as the stack. */
static inline bool tap_format_is_stack_id(enum tap_format format)
{
	return format == TAP_FMT_KSTACK_ID || format == TAP_FMT_USTACK_ID;
}

/* Whether a code address is in the kernel, not in a program. */
static inline bool tap_address_is_kernel(__u64 addr)
{
	return addr >> 63;
}

/* The layout of a struct; NULL for other fields. */
static inline const struct tap_layout *tap_field_layout(const struct tap_field *field)
{
	return tap_format_is_struct(field->format) && field->value_names ?
	       field->value_names->layout : NULL;
}

/* Whether naming its addresses needs a process and a time. */
static inline bool tap_field_is_user(const struct tap_field *field)
{
	return field->format == TAP_FMT_USTACK || field->format == TAP_FMT_USTACK_ID ||
	       field->format == TAP_FMT_USYMBOL ||
	       field->element == TAP_FMT_USYMBOL ||
	       tap_layout_has(tap_field_layout(field), TAP_FMT_USYMBOL);
}

/* Whether a value of it may be an address in the kernel that is printed by its name. */
static inline bool tap_field_is_kernel(const struct tap_field *field)
{
	return field->format == TAP_FMT_KSTACK || field->format == TAP_FMT_KSTACK_ID ||
	       field->format == TAP_FMT_SYMBOL ||
	       field->format == TAP_FMT_FUNC || field->format == TAP_FMT_USYMBOL ||
	       field->element == TAP_FMT_SYMBOL || field->element == TAP_FMT_USYMBOL ||
	       tap_layout_has(tap_field_layout(field), TAP_FMT_SYMBOL) ||
	       tap_layout_has(tap_field_layout(field), TAP_FMT_USYMBOL);
}

/*
 * The value of a return register whose type is not known, as tap_expr_untyped_retval() has it: an
 * int function may leave the upper half of a register 0.
 */
static inline __u64 tap_untyped_retval(__u64 v)
{
	__s32 low = (__s32)v;

	return !(v >> 32) && low < 0 && low >= -TAP_MAX_ERRNO ? (__u64)(__s64)low : v;
}

/* Bytes of one number, or of an element of an array; 0: the format is not one of numbers. */
extern const __u8 tap_format_bytes[__TAP_FMT_MAX];

/*
 * Bytes of a word that are printed as one number: all, where names are looked up or any bit is
 * true. Of these formats tap_format_bytes has the bytes of an element.
 */
static inline unsigned int tap_format_width(enum tap_format format)
{
	switch (format) {
	case TAP_FMT_BOOL:
	case TAP_FMT_VALUE_NAME:
	case TAP_FMT_FLAGS:
	case TAP_FMT_CONSTANT:
		return 8;
	default:
		return tap_format_bytes[format];
	}
}

/*
 * The word of a single number, cut to the format that @element of struct tap_field has.
 * tap_field_check() has checked the field.
 */
static inline __u64 tap_field_cut(const struct tap_field *field, __u64 word)
{
	enum tap_format to = field->element;

	return tap_arith_extend(word, 64 - 8 * tap_format_bytes[to],
				to >= TAP_FMT_S8 && to <= TAP_FMT_S64);
}

bool tap_field_check(const struct tap_field *field, unsigned int words);

#endif /* _TAP_SPEC_FIELD_H */

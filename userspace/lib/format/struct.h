/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Whole structs, and what a call has changed in one, as text or JSON. Private to format/.
 */
#ifndef _TAP_FORMAT_STRUCT_H
#define _TAP_FORMAT_STRUCT_H

#include <libtap.h>

/* Upper bound of the text of a struct or of a difference. What is longer is cut, and says so. */
#define TAP_STRUCT_TEXT_MAX	(256 * 1024)

/*
 * The bound for a field: 512 characters a byte are enough for names and numbers, but not for many
 * members at the same place.
 */
static inline size_t tap_struct_max(const struct tap_field *field)
{
	size_t max = 8192 + 4096 * (size_t)field->words;

	return max < TAP_STRUCT_TEXT_MAX ? max : TAP_STRUCT_TEXT_MAX;
}

/*
 * These write at @p, which has room for tap_struct_max() bytes, and return the end. @field is
 * checked. @flags are those of the record.
 */
char *tap_put_struct(char *p, const struct tap_formatter_opts *opts, const struct tap_field *field,
		     const void *bytes, __u32 flags);
char *tap_put_no_struct(char *p, const struct tap_formatter_opts *opts,
			const struct tap_field *field);
char *tap_put_diff(char *p, const struct tap_formatter_opts *opts, const struct tap_field *field,
		   const void *before, const void *after, __u32 flags);

#endif /* _TAP_FORMAT_STRUCT_H */

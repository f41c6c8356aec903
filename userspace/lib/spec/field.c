// SPDX-License-Identifier: LGPL-2.1
/*
 * The layout of a field, and the sizes of formats.
 */
#include <string.h>

#include "spec/field.h"

const __u8 tap_format_bytes[__TAP_FMT_MAX] = {
	[TAP_FMT_AUTO] = 8,
	[TAP_FMT_U8] = 1,
	[TAP_FMT_U16] = 2,
	[TAP_FMT_U32] = 4,
	[TAP_FMT_U64] = 8,
	[TAP_FMT_S8] = 1,
	[TAP_FMT_S16] = 2,
	[TAP_FMT_S32] = 4,
	[TAP_FMT_S64] = 8,
	[TAP_FMT_X8] = 1,
	[TAP_FMT_X16] = 2,
	[TAP_FMT_X32] = 4,
	[TAP_FMT_X64] = 8,
	[TAP_FMT_CHAR] = 1,
	[TAP_FMT_DURATION] = 8,
	[TAP_FMT_RETVAL] = 8,
	[TAP_FMT_SYMBOL] = 8,
	[TAP_FMT_BOOL] = 1,
	[TAP_FMT_VALUE_NAME] = 4,
	[TAP_FMT_FLAGS] = 4,
	[TAP_FMT_ERRNO] = 8,
	[TAP_FMT_NS] = 8,
	[TAP_FMT_FUNC] = 8,
	[TAP_FMT_USYMBOL] = 8,
	[TAP_FMT_IP] = 4,
	[TAP_FMT_DEV] = 4,
	[TAP_FMT_CONSTANT] = 4,
};

/**
 * tap_field_check() - whether a field lies in a record and has a valid format
 * @field: not trusted: it may be from a file
 * @words: value words of the record
 *
 * Return: true if it can be printed.
 */
bool tap_field_check(const struct tap_field *field, unsigned int words)
{
	size_t bytes = field->words * 8U;

	if ((unsigned int)field->format >= __TAP_FMT_MAX ||
	    (unsigned int)field->element >= __TAP_FMT_MAX ||
	    !tap_format_bytes[field->element] || !field->words ||
	    field->word > words || field->words > words - field->word ||
	    field->output >= TAP_MAX_OUTPUTS ||
	    !memchr(field->name, 0, sizeof(field->name)))
		return false;
	switch (field->format) {
	case TAP_FMT_DIVISION:
		return !field->count && bytes == sizeof(struct tap_division);
	case TAP_FMT_COMM:
		return field->words == TAP_COMM_LEN / 8;
	case TAP_FMT_STRING:
	case TAP_FMT_KSTACK:
	case TAP_FMT_USTACK:
		return true;
	case TAP_FMT_KSTACK_ID:
	case TAP_FMT_USTACK_ID:
		return !field->count;
	case TAP_FMT_STRUCT:
	case TAP_FMT_DIFF:
		return tap_field_layout(field) && bytes <= TAP_MAX_STRING && field->count < words;
	case TAP_FMT_CHARS:
		return field->count <= bytes;
	case TAP_FMT_IP6:
	case TAP_FMT_UUID:
		return field->count == 16 && bytes == 16;
	case TAP_FMT_MAC:
		return field->count == 6 && bytes == 8;
	case TAP_FMT_DATA:
		return true;
	default:
		return field->count <= bytes / tap_format_bytes[field->element];
	}
}

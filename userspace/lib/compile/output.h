/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Values on their way into the record. Private to libtap.
 */
#ifndef _TAP_COMPILE_OUTPUT_H
#define _TAP_COMPILE_OUTPUT_H

#include "compile/sema.h"

/**
 * struct tap_output - a value on its way into the record
 * @item: what was asked for; NULL for values that tap adds
 * @field: how it is printed; its place is filled in at last
 * @op: the step for text and arrays, without its source; code 0: a word
 * @e: the word, or the address for @op; or NULL
 * @in_record: every record has it in @field's word; there is no step
 * @late: it is fetched at the return
 * @is_signed: of a word
 * @absent: its memory may be unreadable, and only %TAP_VAR_ABSENT would tell
 */
struct tap_output {
	const struct tap_item *item;
	struct tap_field field;
	struct tap_op op;
	const struct tap_expr *e;
	bool in_record;
	bool late;
	bool is_signed;
	bool absent;
};

int tap_output_make(struct tap_sema *t, const struct tap_item *item,
		    bool aggregate, struct tap_output *out);
int tap_output_retval(struct tap_sema *t, struct tap_output *out);

#endif /* _TAP_COMPILE_OUTPUT_H */

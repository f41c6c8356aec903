/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Outputs: values that go into the record. Private to libtap.
 */
#ifndef _TAP_COMPILE_OUTPUT_H
#define _TAP_COMPILE_OUTPUT_H

#include "compile/sema.h"

/**
 * struct tap_output - a value that goes into the record
 * @item: the value as written; NULL for values that tap adds
 * @field: how it is printed; its place in the record is filled in last
 * @op: the op for text and arrays, without its source; code 0: a word
 * @e: the word, or the address for @op; or NULL
 * @in_record: every record of the probe type has it in @field's word; no op is needed
 * @late: it is read at the return
 * @copied: @field is that of a side of a span: its number of the output is the side's
 * @is_signed: the word is signed
 * @absent: its memory may be unreadable; the record then needs %TAP_VAR_ABSENT
 * @is_place: which probe of a glob it is
 * @hold: its address is that of the entry, also if it is in memory that changes meanwhile
 * @same: an output before it whose words it has as well; or NULL
 */
struct tap_output {
	const struct tap_item *item;
	struct tap_field field;
	struct tap_op op;
	const struct tap_expr *e;
	bool in_record;
	bool late;
	bool copied;
	bool is_signed;
	bool absent;
	bool is_place;
	bool hold;
	const struct tap_output *same;
};

int tap_output_make(struct tap_sema *t, const struct tap_item *item,
		    bool aggregate, struct tap_output *out);
int tap_output_retval(struct tap_sema *t, struct tap_output *out);
enum tap_format tap_output_format(const struct tap_ctype *type, bool has_value_names);

#endif /* _TAP_COMPILE_OUTPUT_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * The values of a row, with the fields of its probe.
 */
#include "export/row.h"

/* The fields are in the order of the values, but not each has one. */
void row_values(struct row_values *v, const struct row *row)
{
	*v = (struct row_values) { .row = row, .at = json_members(&row->member[ROW_ARGS]) };
}

bool row_values_next(struct row_values *v)
{
	const __u32 unseen = TAP_FIELD_F_HIDDEN | TAP_FIELD_F_ABSENT | TAP_FIELD_F_OLD;
	bool entry = v->row->ev->rec->flags & TAP_F_ENTRY;

	do {
		v->field = tap_probe_field(v->row->ev->probe, v->next++);
	} while (v->field &&
		 (v->field->flags & unseen || (entry && v->field->flags & TAP_FIELD_F_RETURN)));
	return v->field && json_member(&v->at, &v->name, &v->value);
}

bool row_is_stack(const struct row_values *v, struct json *kernel, struct json *user)
{
	bool of_kernel = tool_is_kstack(v->field);
	struct json *stack = of_kernel ? kernel : user;

	if ((!of_kernel && !tool_is_ustack(v->field)) || stack->at ||
	    v->field->flags & TAP_FIELD_F_WAIT || *v->value.at != '[')
		return false;
	*stack = v->value;
	return true;
}

// SPDX-License-Identifier: LGPL-2.1
/*
 * What an event asks about tasks: what it is inside of, and how its duration divides.
 */
#include <errno.h>
#include <string.h>

#include "spec/ast.h"
#include "spec/probe_type.h"
#include "spec/spec.h"
#include "util/util.h"

/* The inside() number i of the event and of its sides; NULL: there are fewer. */
static struct tap_inside_text *inside_at(struct tap_ast *ast, unsigned int i)
{
	unsigned int side;

	if (!ast)
		return NULL;
	if (i < ast->nr_insides)
		return &ast->insides[i];
	i -= ast->nr_insides;
	for (side = 0; ast->span && side < 2; side++) {
		struct tap_ast *of = ast->span->side[side]->ast;

		if (i < of->nr_insides)
			return &of->insides[i];
		i -= of->nr_insides;
	}
	return NULL;
}

const char *tap_spec_inside_of(const struct tap_spec *spec, unsigned int i, bool *limited)
{
	const struct tap_inside_text *inside = inside_at(spec->ast, i);

	if (!inside)
		return NULL;
	if (limited)
		*limited = (inside->imm & TAP_INSIDE_ANY) != TAP_INSIDE_ANY;
	return inside->ref;
}

void tap_spec_set_inside(struct tap_spec *spec, unsigned int i, __u32 frame)
{
	struct tap_inside_text *inside = inside_at(spec->ast, i);

	if (inside)
		inside->frame = frame;
}

/* Whether the key of a side is the task. */
static bool key_is_task(const struct tap_ast *side)
{
	const struct tap_node *node = side->nr_keys == 1 ? side->keys[0].node : NULL;

	if (!node)
		return false;
	if (node->kind == TAP_NODE_NAME)
		return tap_token_is(node->t, "tid");
	return node->kind == TAP_NODE_BUILTIN && node->builtin == TAP_BUILTIN_VAR &&
	       node->value == TAP_VAR_TID;
}

int tap_spec_set_frame(struct tap_spec *spec, __u32 frame, struct tap_error *err)
{
	struct tap_span_text *span = spec->ast ? spec->ast->span : NULL;

	if (span) {
		if (!key_is_task(span->side[0]->ast) || !key_is_task(span->side[1]->ast))
			return tap_error_set(err, -EINVAL,
					     "inside(%s): the key of this span is not the task; only of a span on tid is an event inside",
					     spec->event);
		span->side[0]->frame = frame;
		span->side[1]->frame = frame;
		return 0;
	}
	if (!tap_probe_is_call(spec->type))
		return tap_error_set(err, -EINVAL,
				     "inside(%s): this event has no beginning and end; use call:, ucall:, syscall: or span:",
				     spec->event);
	spec->frame = frame;
	return 0;
}

__u32 tap_spec_frame(const struct tap_spec *spec)
{
	return spec->frame;
}

int tap_spec_why(struct tap_spec *spec, struct tap_error *err)
{
	if (!spec->ast)
		return tap_error_set(err, -EINVAL, "tap_spec_why() comes before tap_spec_expand()");
	if (spec->type == TAP_PROBE_FUNCGRAPH)
		return tap_error_set(err, -EOPNOTSUPP,
				     "%s: a call graph has no room for how a duration divides; use call:",
				     spec->event);
	if (!tap_probe_is_call(spec->type) && spec->type != TAP_PROBE_SPAN)
		return tap_error_set(err, -EOPNOTSUPP,
				     "%s: this event has no duration that could be divided; use call:, ucall:, syscall: or span:",
				     spec->event);
	spec->ast->why = true;
	return 0;
}

__u32 tap_spec_tasks(const struct tap_spec *spec)
{
	__u32 flags = spec->frame ? TAP_TASKS_F_FRAMES : 0;
	unsigned int i;

	for (i = 0; i < spec->nr_ops; i++) {
		const struct tap_op *op = &spec->ops[i];

		if (op->code == TAP_OP_DIVISION || op->code == TAP_OP_WAIT_STACK ||
		    (op->code == TAP_OP_VAR && op->off == TAP_VAR_DIVISION))
			flags |= TAP_TASKS_F_DIVISION;
		if (op->code == TAP_OP_VAR && op->off == TAP_VAR_INSIDE)
			flags |= TAP_TASKS_F_FRAMES;
	}
	return flags;
}

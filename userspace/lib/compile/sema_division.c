// SPDX-License-Identifier: LGPL-2.1
/*
 * The names of a divided duration (--why), and inside().
 */
#include <errno.h>
#include <string.h>

#include "compile/sema.h"
#include "spec/ast.h"

/* Names in front of a dot are those of enum tap_divided as well. */
static const struct {
	const char *name;
	enum tap_divided what;
} numbers[] = {
	{ "run", TAP_DIVIDED_PART + TAP_PART_RUN },
	{ "irq", TAP_DIVIDED_PART + TAP_PART_IRQ },
	{ "softirq", TAP_DIVIDED_PART + TAP_PART_SOFTIRQ },
	{ "preempted", TAP_DIVIDED_PART + TAP_PART_PREEMPTED },
	{ "lock", TAP_DIVIDED_PART + TAP_PART_LOCK },
	{ "io", TAP_DIVIDED_PART + TAP_PART_IO },
	{ "sleep", TAP_DIVIDED_PART + TAP_PART_SLEEP },
	{ "unaccounted", TAP_DIVIDED_UNACCOUNTED },
	{ "wait", TAP_DIVIDED_WAIT },
	{ "waker", TAP_DIVIDED_WAKER_TID },
	{ "holder", TAP_DIVIDED_HOLDER_TID },
};

static const struct {
	const char *of;
	const char *member;
	enum tap_place place;
	enum tap_divided what;
} members[] = {
	{ "wait", "stack", TAP_PLACE_STACK, 0 },
	{ "waker", "stack", TAP_PLACE_STACK, 1 },
	{ "waker", "comm", TAP_PLACE_DIVISION, TAP_DIVIDED_WAKER_COMM },
	{ "waker", "pid", TAP_PLACE_VALUE, TAP_DIVIDED_WAKER_TGID },
	{ "holder", "comm", TAP_PLACE_DIVISION, TAP_DIVIDED_HOLDER_COMM },
};

static void set_number(struct tap_sema *t, struct tap_value *v, enum tap_divided what)
{
	bool time = what <= TAP_DIVIDED_WAIT;

	v->place = TAP_PLACE_VALUE;
	v->type = tap_ctype_int(time ? 8 : 4, true);
	v->e = tap_expr_value(&t->pool, TAP_OP_VAR, 8, TAP_VAR_DIVISION, what);
	if (time)
		v->shown = TAP_FMT_NS;
}

/**
 * tap_type_divided() - a name of the divided duration
 * @t: the analysis
 * @name: as written, e.g. sleep
 * @v: its value
 *
 * Return: false if there is no such name, or the duration is not divided.
 */
bool tap_type_divided(struct tap_sema *t, struct tap_token name, struct tap_value *v)
{
	size_t i;

	for (i = 0; t->ast->why && i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (!tap_token_is(name, numbers[i].name))
			continue;
		set_number(t, v, numbers[i].what);
		return true;
	}
	return false;
}

/**
 * tap_type_divided_member() - wait.stack and the like
 * @t: the analysis
 * @node: a member of a name
 * @v: its value
 *
 * Return: false if it is none of these.
 */
bool tap_type_divided_member(struct tap_sema *t, const struct tap_node *node, struct tap_value *v)
{
	size_t i;

	if (!t->ast->why || node->arrow || node->a->kind != TAP_NODE_NAME ||
	    tap_type_name_in(t, node->a->t))
		return false;
	for (i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		if (!tap_token_is(node->a->t, members[i].of) ||
		    !tap_token_is(node->t, members[i].member))
			continue;
		if (members[i].place == TAP_PLACE_VALUE) {
			set_number(t, v, members[i].what);
			return true;
		}
		*v = (struct tap_value) {
			.place = members[i].place, .off = members[i].what,
			.waits = members[i].place == TAP_PLACE_STACK, .node = node,
		};
		return true;
	}
	return false;
}

/**
 * tap_type_inside() - type inside(...)
 * @t: the analysis
 * @node: the call
 * @v: its value: 0 or 1
 *
 * Return: 0, or -EINVAL with the error message set.
 */
int tap_type_inside(struct tap_sema *t, const struct tap_node *node, struct tap_value *v)
{
	const struct tap_inside_text *inside = &t->ast->insides[node->op];
	__u64 imm = inside->imm | inside->frame;
	bool after = t->pool.after;

	if (!t->condition && !tap_probe_is_call(t->p.spec->type))
		return SEMA_DIAG(t, node->all, "inside() is for conditions, and a value of whole calls; put it behind if");
	if (!inside->frame)
		return SEMA_DIAG(t, node->all, "there is no event %s that it could be inside of",
				 inside->ref);
	/* A sample interrupts what it is about. */
	if (t->p.spec->type == TAP_PROBE_EVENT)
		imm |= TAP_INSIDE_IRQ;
	/* Around a call is the same at its return, where the frame of its own has ended: only recorded calls pay. */
	t->pool.after |= !t->condition;
	tap_value_set(v, tap_expr_value(&t->pool, TAP_OP_VAR, 8, TAP_VAR_INSIDE, imm),
		      tap_ctype_bool());
	t->pool.after = after;
	return 0;
}

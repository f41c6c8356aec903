// SPDX-License-Identifier: LGPL-2.1
/*
 * The names at a line of the source: variables and parameters that the debug information has
 * there.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "compile/sema.h"
#include "dwarf/dwarf.h"

/* More than an event has values. */
#define MAX_OTHERS	64

/**
 * struct tap_locals - the variables at an instruction
 * @dwarf: the file; not owned
 * @places: all instructions of the event; not owned
 * @place: this one
 * @others: names that were used and that only other places have
 * @nr_others: number of @others
 * @absent: a variable that was used and that only other places have; or NULL
 */
struct tap_locals {
	struct tap_dwarf *dwarf;
	struct tap_dwarf_places *places;
	struct tap_dwarf_place *place;
	struct tap_name others[MAX_OTHERS];
	size_t nr_others;
	const char *absent;
};

/**
 * tap_scope_source() - the names at an instruction of the source
 * @scope: filled in; the caller has to call tap_scope_close()
 * @types: as for tap_scope_open()
 * @dwarf: the file with the code; must outlive the scope
 * @places: the instructions of the event; must outlive the scope
 * @which: the one whose names these are
 * @err: an error message on failure
 *
 * The type of a variable is read when it is used.
 *
 * Return: 0 or -ENOMEM.
 */
int tap_scope_source(struct tap_scope *scope, struct tap_types *types, struct tap_dwarf *dwarf,
		     struct tap_dwarf_places *places, size_t which, struct tap_error *err)
{
	struct tap_dwarf_place *place = &places->list[which];
	struct tap_locals *locals = calloc(1, sizeof(*locals));
	size_t i;

	*scope = (struct tap_scope) { .types = types, .dwarf = dwarf, .locals = locals };
	if (locals && !tap_dwarf_variables(place))
		scope->names = calloc(place->nr_variables + 1, sizeof(*scope->names));
	if (!scope->names) {
		tap_scope_close(scope);
		return tap_error_set(err, -ENOMEM, "out of memory");
	}
	locals->dwarf = dwarf;
	locals->places = places;
	locals->place = place;
	for (i = 0; i < place->nr_variables; i++) {
		struct tap_name *name = &scope->names[i];

		snprintf(name->name, sizeof(name->name), "%s", place->variables[i].name);
		name->kind = TAP_NAME_LOCAL;
	}
	scope->nr = place->nr_variables;
	return 0;
}

/**
 * tap_scope_elsewhere() - look a name up that only other places of the event have
 * @scope: of tap_scope_source(), or any other
 * @t: the name; this place has none of it
 *
 * Return: the name, or NULL.
 */
const struct tap_name *tap_scope_elsewhere(const struct tap_scope *scope, struct tap_token t)
{
	struct tap_locals *locals = scope->locals;
	struct tap_name *name;
	size_t i;

	for (i = 0; locals && i < locals->nr_others; i++)
		if (tap_token_is(t, locals->others[i].name))
			return &locals->others[i];
	for (i = 0; locals && i < locals->places->nr; i++)
		if (!tap_dwarf_variables(&locals->places->list[i]) &&
		    tap_dwarf_variable(&locals->places->list[i], t.at, t.len))
			break;
	if (!locals || i == locals->places->nr || t.len >= sizeof(name->name) ||
	    locals->nr_others == MAX_OTHERS)
		return NULL;
	name = &locals->others[locals->nr_others++];
	*name = (struct tap_name) { .kind = TAP_NAME_LOCAL };
	memcpy(name->name, t.at, t.len);
	return name;
}

/**
 * tap_scope_absent() - return a name that was used and cannot be read at this place
 * @scope: of tap_scope_source(), after its program was made
 *
 * Return: a name that another place of the event has; NULL if there is none.
 */
const char *tap_scope_absent(const struct tap_scope *scope)
{
	return scope->locals ? scope->locals->absent : NULL;
}

/* -------------------------------------------------------------------- locations */

static const struct tap_expr *make_term(struct tap_sema *t, const struct tap_dwarf_term *term,
					const struct tap_expr *const *e)
{
	struct tap_expr_pool *pool = &t->pool;

	switch (term->code) {
	case TAP_OP_IMM:
		return tap_expr_const(pool, term->value);
	case TAP_OP_REG:
		return tap_expr_value(pool, TAP_OP_REG, 8, (__s32)term->value, 0);
	case TAP_OP_LOAD:
		return tap_expr_load(pool, tap_sema_user(t), e[term->a], 0, term->size);
	case TAP_OP_CAPTURED:
		return tap_expr_captured(pool, e[term->a], (__u32)term->value);
	case TAP_OP_MOVE:
		return tap_expr_move(pool, e[term->a], term->size);
	case TAP_OP_JEQ:
	case TAP_OP_JNE:
	case TAP_OP_JLT:
	case TAP_OP_JLE:
	case TAP_OP_JGT:
	case TAP_OP_JGE:
		return tap_expr_compare(pool, term->code, term->size & TAP_OP_SIGNED, e[term->a],
					e[term->b]);
	}
	return tap_expr_arithmetic(pool, term->code, term->size & TAP_OP_SIGNED, e[term->a],
				   e[term->b]);
}

/* The expressions of all terms; NULL with the error message set. */
static int make_terms(struct tap_sema *t, const struct tap_dwarf_location *loc,
		      const struct tap_expr **e)
{
	unsigned int i;

	for (i = 0; i < loc->nr; i++) {
		e[i] = make_term(t, &loc->terms[i], e);
		if (!e[i])
			return -EINVAL;
	}
	return 0;
}

static int make_value(struct tap_sema *t, const struct tap_node *node,
		      const struct tap_dwarf_location *loc, struct tap_value *v)
{
	const struct tap_dwarf_term *last = &loc->terms[loc->nr - 1];
	const struct tap_expr *e[TAP_DWARF_MAX_TERMS];
	const struct tap_expr *base;
	__s64 off = 0;
	int ret = make_terms(t, loc, e);

	if (ret)
		return ret;
	base = e[loc->nr - 1];
	if (loc->memory) {
		if (last->code == TAP_OP_ADD && loc->terms[last->b].code == TAP_OP_IMM) {
			base = e[last->a];
			off = (__s64)loc->terms[last->b].value;
		}
		tap_value_memory(v, base, off, &v->type, tap_sema_user(t));
		return 0;
	}
	if (v->type.base.cls == TAP_TYPE_STRUCT || v->type.base.cls == TAP_TYPE_ARRAY)
		return SEMA_DIAG(t, node->t,
				 "%.*s is a whole struct or array in a register here; its members cannot be read",
				 QUOTE(node->t));
	v->place = TAP_PLACE_VALUE;
	v->off = 0;
	base = tap_expr_move(&t->pool, base, tap_ctype_step(&v->type));
	/* Not a constant: other places of the same event may have another number. */
	v->e = base->kind == TAP_EXPR_CONST ?
	       tap_expr_value(&t->pool, TAP_OP_IMM, 8, 0, base->imm) : base;
	return 0;
}

/* A variable of the name that can be read at another place of the event; or NULL. */
static const struct tap_dwarf_variable *elsewhere(const struct tap_locals *locals,
						  const char *name)
{
	Dwfl_Module *mod = tap_dwarf_module(locals->dwarf);
	const struct tap_dwarf_variable *variable;
	struct tap_dwarf_location loc;
	char why[200];
	size_t i;

	for (i = 0; i < locals->places->nr; i++) {
		struct tap_dwarf_place *place = &locals->places->list[i];

		if (tap_dwarf_variables(place))
			break;
		variable = tap_dwarf_variable(place, name, strlen(name));
		if (variable && !tap_dwarf_locate(mod, place, variable, &loc, why, sizeof(why)))
			return variable;
	}
	return NULL;
}

/* @code and @why are of tap_dwarf_locate(). */
static int no_location(struct tap_sema *t, const struct tap_node *node,
		       const struct tap_dwarf_variable *variable, int code, const char *why)
{
	struct tap_locals *locals = t->scope->locals;
	char lines[200] = "";

	if (code == -EOPNOTSUPP)
		return SEMA_DIAG(t, node->t, "%.*s cannot be read here: %s", QUOTE(node->t), why);
	if (variable)
		tap_dwarf_alive(tap_dwarf_module(locals->dwarf), locals->place, variable, lines,
				sizeof(lines));
	return SEMA_DIAG(t, node->t, "%.*s is optimised out here; %s%s", QUOTE(node->t),
			 *lines ? "alive at lines " : "no line of the function has it", lines);
}

/**
 * tap_type_local() - the value of a variable at a line
 * @t: the scope has it
 * @node: the name in the text
 * @name: of the scope: gets its type
 * @v: filled in
 *
 * Return: 0, or -EINVAL with the error message set.
 */
int tap_type_local(struct tap_sema *t, const struct tap_node *node, struct tap_name *name,
		   struct tap_value *v)
{
	struct tap_locals *locals = t->scope->locals;
	const struct tap_dwarf_variable *here, *other = NULL;
	struct tap_dwarf_location loc;
	char why[200] = "";
	int ret = -ENODATA;

	here = tap_dwarf_variable(locals->place, name->name, strlen(name->name));
	if (here)
		ret = tap_dwarf_locate(tap_dwarf_module(locals->dwarf), locals->place, here, &loc,
				       why, sizeof(why));
	if (ret)
		other = elsewhere(locals, name->name);
	if (ret && !other)
		return no_location(t, node, here, ret, why);
	tap_dwarf_variable_type(locals->dwarf, other ? other : here, &name->type);
	/* An array of variable length and an empty struct have no size, but are no number. */
	if (name->type.cls == TAP_TYPE_NONE)
		name->type = (struct tap_type) { .cls = TAP_TYPE_INT, .size = 8 };
	if (!name->value_names)
		name->value_names = tap_type_value_names(&name->type);
	v->type = (struct tap_ctype) { .base = name->type };
	if (!ret)
		return make_value(t, node, &loc, v);
	/* Memory that no one has: the value is absent, and a condition has no result. */
	locals->absent = other->name;
	tap_value_memory(v, tap_expr_const(&t->pool, 0), 0, &v->type, tap_sema_user(t));
	return 0;
}

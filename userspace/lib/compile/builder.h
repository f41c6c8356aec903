/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A program that is being built: program.c arranges what outputs.c has typed. Private to libtap.
 */
#ifndef _TAP_COMPILE_BUILDER_H
#define _TAP_COMPILE_BUILDER_H

#include "compile/codegen.h"
#include "compile/output.h"
#include "spec/probe_type.h"
#include "spec/spec.h"

/*
 * Each value may be a difference, which is two outputs. Outputs beyond the event's values: the
 * return value, stacks, counters and how the duration divides; for a funcgraph also the stack pointer and the task's name.
 */
#define TAP_BUILDER_OUTPUTS	(2 * TAP_SPEC_MAX_VALUES + 8 + TAP_MAX_PMU + \
			 TAP_MAX_AGGREGATES * (TAP_MAX_KEYS + TAP_MAX_AGGS))

/* A value of the entry that the return needs, its word in the record and its output. */
struct tap_spilled {
	const struct tap_expr *e;
	unsigned int word;
	unsigned int output;
};

/*
 * A program that is being built.
 *	@tests		parts of the condition that must all be true
 *	@nr_keys	of a side: outputs that are keys; they come first
 *	@keys_at, @aggs_at	of each aggregation: its first key and its first value
 *	@own, @own_nodes	values that the event does not name; allocated
 *	@absent		the word of absent values; a funcgraph has one each for its entry
 *			and its return
 */
struct tap_builder {
	struct tap_sema t;
	struct tap_codegen g;
	struct tap_spec *spec;
	const struct tap_ast *ast;
	const struct tap_expr *tests[TAP_MAX_DEPTH + 1];
	unsigned int nr_tests;
	struct tap_output outputs[TAP_BUILDER_OUTPUTS];
	unsigned int nr;
	unsigned int nr_keys;
	unsigned int keys_at[TAP_MAX_AGGREGATES];
	unsigned int aggs_at[TAP_MAX_AGGREGATES];
	struct tap_item *own;
	struct tap_node *own_nodes;
	struct tap_field absent[2];
	unsigned int nr_absent;
	struct tap_spilled spilled[TAP_MAX_OUTPUTS];
	unsigned int nr_spilled;
};

static inline bool tap_builder_is_call(const struct tap_builder *b)
{
	return tap_probe_is_call(b->spec->type);
}

/* Its values go into no record: into an aggregation, or into the table of a span. */
static inline bool tap_builder_keeps_apart(const struct tap_builder *b)
{
	return b->ast->nr_tables || b->ast->is_side;
}

/* A funcgraph that writes records also writes one at the entry. */
static inline bool tap_builder_has_entry_record(const struct tap_builder *b)
{
	return b->spec->type == TAP_PROBE_FUNCGRAPH && !b->ast->nr_tables;
}

/* Whether BTF has the function, and says that it returns nothing. */
static inline bool tap_builder_is_void(const struct tap_builder *b)
{
	const struct tap_scope *scope = b->t.scope;

	return scope->types && !*scope->why && scope->ret.cls == TAP_TYPE_NONE;
}

/* Whether the register of return values has none: as above, or it is e.g. a floating-point number. */
static inline bool tap_builder_no_retval(const struct tap_builder *b)
{
	return tap_builder_is_void(b) || b->t.scope->ret.cls == TAP_TYPE_OTHER;
}

static inline bool tap_builder_is_late(const struct tap_builder *b, const struct tap_expr *e)
{
	return tap_builder_is_call(b) && e->needs & TAP_NEEDS_RETURN;
}

int tap_builder_filter(struct tap_builder *b);
int tap_builder_outputs(struct tap_builder *b);

#endif /* _TAP_COMPILE_BUILDER_H */

// SPDX-License-Identifier: LGPL-2.1
/*
 * The program of one target: tests, then outputs. The program of a call has two parts.
 *
 * Tests and outputs that need only the entry run at the entry, so that a call which the
 * filter rejects costs nothing at its return. Those that need the duration or the
 * return value run at the return. Values of the entry that they need are spilled: the
 * entry appends them to the record, and the return reads them back.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "compile/aggregate.h"
#include "compile/codegen.h"
#include "compile/output.h"
#include "compile/program.h"
#include "kernel/syscalls.h"
#include "spec/probe_type.h"
#include "spec/spec.h"
#include "util/util.h"
#include "util/value_names.h"

/*
 * Outputs beyond the event's values: the return value, stacks and counters; for a
 * funcgraph also the stack pointer and the task's name.
 */
#define MAX_OUTPUTS	(TAP_SPEC_MAX_VALUES + 5 + TAP_MAX_PMU + \
			 TAP_MAX_AGGREGATES * (TAP_MAX_KEYS + TAP_MAX_AGGS))

/* A value of the entry that the return needs, and its word in the record. */
struct spilled {
	const struct tap_expr *e;
	unsigned int word;
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
struct builder {
	struct tap_sema t;
	struct tap_codegen g;
	struct tap_spec *spec;
	const struct tap_ast *ast;
	const struct tap_expr *tests[TAP_MAX_DEPTH + 1];
	unsigned int nr_tests;
	struct tap_output outputs[MAX_OUTPUTS];
	unsigned int nr;
	unsigned int nr_keys;
	unsigned int keys_at[TAP_MAX_AGGREGATES];
	unsigned int aggs_at[TAP_MAX_AGGREGATES];
	struct tap_item *own;
	struct tap_node *own_nodes;
	struct tap_field absent[2];
	unsigned int nr_absent;
	struct spilled spilled[TAP_MAX_OUTPUTS];
	unsigned int nr_spilled;
};

static bool is_call(const struct builder *b)
{
	return tap_probe_is_call(b->spec->type);
}

/* Its values go into no record: into an aggregation, or into the table of a span. */
static bool keeps_apart(const struct builder *b)
{
	return b->ast->nr_tables || b->ast->is_side;
}

/* A funcgraph that writes records also writes one at the entry. */
static bool has_entry_record(const struct builder *b)
{
	return b->spec->type == TAP_PROBE_FUNCGRAPH && !b->ast->nr_tables;
}

/* Whether BTF has the function, and says that it returns nothing. */
static bool is_void(const struct builder *b)
{
	const struct tap_scope *scope = b->t.scope;

	return scope->types && !*scope->why && scope->ret.cls == TAP_TYPE_NONE;
}

static bool is_late(const struct builder *b, const struct tap_expr *e)
{
	return is_call(b) && e->needs & TAP_NEEDS_RETURN;
}

/* ----------------------------------------------------- condition and outputs */

static int split_filter(struct builder *b, const struct tap_expr *e)
{
	int ret;

	if (e->kind == TAP_EXPR_AND) {
		ret = split_filter(b, e->a);
		return ret ? ret : split_filter(b, e->b);
	}
	if (b->nr_tests == ARRAY_SIZE(b->tests))
		return -E2BIG;
	b->tests[b->nr_tests++] = e;
	return 0;
}

static int make_filter(struct builder *b)
{
	const struct tap_node *filter = b->ast->filter;
	const struct tap_expr *e;
	int ret;

	if (!filter)
		return 0;
	b->t.p.text = b->ast->text;
	ret = tap_type_truth(&b->t, filter, &e);
	if (ret)
		return ret;
	if (e->kind == TAP_EXPR_CONST && !b->t.pool.failed)
		return SEMA_DIAG(&b->t, filter->all,
				 "this is always %s; a condition must depend on the event",
				 e->imm ? "true" : "false");
	ret = split_filter(b, e);
	if (ret)
		return tap_diag(&b->t.p, filter->all.at, filter->all.len, ret,
				"the condition has too many parts; split it into several events");
	return 0;
}

static int add_item(struct builder *b, const struct tap_item *item)
{
	struct tap_output *out = &b->outputs[b->nr++];

	b->t.p.text = item->text;
	return tap_output_make(&b->t, item, keeps_apart(b), out);
}

/*
 * A kretprobe or uretprobe has the return value in its first word. The first value that
 * names it sets its name and format; further ones read the same word.
 */
static int own_retval(struct builder *b)
{
	struct tap_output own;
	unsigned int i, first = b->nr;
	int ret;

	for (i = 0; i < b->nr; i++) {
		struct tap_output *out = &b->outputs[i];

		if (out->op.code || out->e->kind != TAP_EXPR_VALUE ||
		    out->e->code != TAP_OP_RETVAL)
			continue;
		if (first == b->nr)
			first = i;
		else
			out->in_record = true;
	}
	if (first == b->nr) {
		ret = tap_output_retval(&b->t, &b->outputs[b->nr++]);
		if (ret)
			return ret;
		if (is_void(b))
			b->outputs[first].field.flags = TAP_FIELD_F_HIDDEN;
	}
	own = b->outputs[first];
	memmove(b->outputs + 1, b->outputs, first * sizeof(own));
	b->outputs[0] = own;
	return 0;
}

/*
 * The return value of a call is in the record and is printed even if the event does not
 * name it; by its type if that is known and the word in the record is enough for it.
 */
static int type_retval(struct builder *b)
{
	struct tap_output *out = &b->outputs[b->nr];
	unsigned int i;
	int ret;

	if (b->t.scope->ret.cls == TAP_TYPE_NONE)
		return 0;
	for (i = 0; i < b->nr; i++)
		if (b->outputs[i].in_record &&
		    b->outputs[i].field.word == TAP_CALL_RETVAL)
			return 0;
	ret = tap_output_retval(&b->t, out);
	out->field.flags = TAP_FIELD_F_HIDDEN;
	if (!ret && out->in_record)
		b->nr++;
	else
		tap_value_names_put(out->field.value_names);
	return ret;
}

/*
 * An event with values of its own (a tracepoint, a system call, a USDT probe, a sample)
 * gets all of them if it names none. Values that cannot be shown are skipped.
 */
static int own_names(struct builder *b)
{
	const struct tap_scope *scope = b->t.scope;
	struct tap_error *err = b->t.p.err;
	size_t i;

	b->own = calloc(scope->nr + 1, sizeof(*b->own));
	b->own_nodes = calloc(scope->nr + 1, sizeof(*b->own_nodes));
	if (!b->own || !b->own_nodes)
		return tap_error_set(err, -ENOMEM, "out of memory");
	b->t.p.err = NULL;
	for (i = 0; i < scope->nr && b->nr < TAP_SPEC_MAX_VALUES -
	     b->ast->nr_stacks - b->ast->nr_pmu; i++) {
		const char *name = scope->names[i].name;
		struct tap_token t = { name, strlen(name) };

		if (scope->names[i].quiet)
			continue;
		b->own_nodes[i] = (struct tap_node) {
			.kind = TAP_NODE_NAME, .t = t, .all = t, .depth = 1,
		};
		b->own[i] = (struct tap_item) {
			.text = name, .t = t, .node = &b->own_nodes[i],
		};
		memcpy(b->own[i].name, name, t.len);
		if (add_item(b, &b->own[i])) {
			tap_value_names_put(b->outputs[--b->nr].field.value_names);
			b->outputs[b->nr].field.value_names = NULL;
		}
	}
	b->t.p.err = err;
	return 0;
}

/*
 * Addresses of a program are only meaningful within their process, so the process
 * becomes a key.
 */
static int add_keys(struct builder *b, const struct tap_item *keys, unsigned int nr)
{
	static const struct tap_node node = {
		.kind = TAP_NODE_BUILTIN, .builtin = TAP_BUILTIN_VAR,
		.value = TAP_VAR_TGID, .t = { "tgid", 4 }, .all = { "tgid", 4 },
	};
	static const struct tap_item tgid = {
		.text = "tgid", .name = "tgid", .t = { "tgid", 4 },
		.node = (struct tap_node *)&node,
	};
	unsigned int first = b->nr, i;
	bool addresses = false;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++) {
		ret = add_item(b, &keys[i]);
		addresses |= b->outputs[first + i].field.format == TAP_FMT_USTACK ||
			     b->outputs[first + i].field.format == TAP_FMT_USYMBOL;
	}
	if (b->ast->is_side)
		addresses = false;
	if (!ret && addresses && nr == TAP_MAX_KEYS)
		return SEMA_DIAG(&b->t, keys[i - 1].t,
				 "a key with addresses of a program allows at most %d keys; the process is added as a key",
				 TAP_MAX_KEYS - 1);
	if (!ret && addresses) {
		ret = add_item(b, &tgid);
		b->outputs[first + i].field.flags = TAP_FIELD_F_HIDDEN;
	}
	return ret;
}

static bool same_words(const struct tap_output *a, const struct tap_output *b)
{
	return !a->in_record && !b->in_record && a->late == b->late && a->copied == b->copied &&
	       !memcmp(&a->op, &b->op, sizeof(a->op)) && !a->e == !b->e &&
	       (!a->e || tap_expr_same(a->e, b->e));
}

/* The keys and values of one aggregation. The program outputs what several have in common once. */
static int add_table(struct builder *b, unsigned int k)
{
	const struct tap_table_text *table = &b->ast->tables[k];
	unsigned int i, n;
	int ret;

	b->keys_at[k] = b->nr;
	ret = add_keys(b, table->keys, table->nr_keys);
	b->aggs_at[k] = b->nr;
	for (i = 0; i < table->nr_aggs && !ret; i++)
		ret = add_item(b, &table->aggs[i]);
	for (i = b->keys_at[k]; i < b->nr && !ret; i++)
		for (n = 0; n < b->keys_at[k] && !b->outputs[i].same; n++)
			if (!b->outputs[n].same && same_words(&b->outputs[n], &b->outputs[i]))
				b->outputs[i].same = &b->outputs[n];
	return ret;
}

/* The function of a glob is the first value: the handlers in the module expect it there. */
static int own_function(struct builder *b)
{
	static const struct tap_node node = {
		.kind = TAP_NODE_NAME, .t = { "func", 4 }, .all = { "func", 4 },
		.depth = 1,
	};
	static const struct tap_item item = {
		.text = "func", .name = "func", .t = { "func", 4 },
		.node = (struct tap_node *)&node,
	};
	int ret = add_item(b, &item);

	b->outputs[0].field.flags = TAP_FIELD_F_HIDDEN;
	return ret;
}

/*
 * A reader of funcgraph records compares stack pointers to tell a nested call from one
 * whose caller's return was lost.
 */
static int own_frame(struct builder *b)
{
	static const struct tap_node nodes[] = {
		{ .kind = TAP_NODE_BUILTIN, .builtin = TAP_BUILTIN_STACK,
		  .t = { "$stack", 6 }, .all = { "$stack", 6 } },
		{ .kind = TAP_NODE_BUILTIN, .builtin = TAP_BUILTIN_COMM,
		  .t = { "$comm", 5 }, .all = { "$comm", 5 } },
	};
	static const struct tap_item items[] = {
		{ .text = "$stack", .name = "stack", .t = { "$stack", 6 },
		  .node = (struct tap_node *)&nodes[0] },
		{ .text = "$comm", .name = "comm", .t = { "$comm", 5 },
		  .node = (struct tap_node *)&nodes[1] },
	};
	int ret = add_item(b, &items[0]);

	if (ret)
		return ret;
	b->outputs[b->nr - 1].field.flags = TAP_FIELD_F_HIDDEN |
					    TAP_FIELD_F_FRAME;
	ret = add_item(b, &items[1]);
	b->outputs[b->nr - 1].field.flags = TAP_FIELD_F_HIDDEN;
	return ret;
}

static bool has_name(const struct builder *b, const char *name)
{
	unsigned int i;

	for (i = 0; i < b->nr; i++)
		if (!strcmp(b->outputs[i].field.name, name))
			return true;
	return false;
}

/* The duration of a span, in the ticks of the record; conditions have it in nanoseconds. */
static void own_duration(struct builder *b)
{
	b->outputs[b->nr++] = (struct tap_output) {
		.e = tap_expr_value(&b->t.pool, TAP_OP_FIELD, 8,
				    offsetof(struct tap_span_event, duration), 0),
		.field = {
			.name = "duration", .format = TAP_FMT_DURATION,
			.flags = TAP_FIELD_F_HIDDEN,
		},
	};
}

/*
 * The key and the values of a side are its last words, in this order: if a part of the key is
 * known at the return only, all are read there.
 */
static void order_side(struct builder *b)
{
	bool late = false;
	unsigned int i;

	for (i = 0; i < b->nr_keys; i++)
		late |= b->outputs[i].late;
	for (i = 0; i < b->nr && late; i++)
		b->outputs[i].late = true;
}

static int make_outputs(struct builder *b)
{
	const struct tap_ast *ast = b->ast;
	unsigned int i;
	int ret = 0;

	if (ast->nr_tables && ast->nr_values) {
		b->t.p.text = ast->text;
		return SEMA_DIAG(&b->t, ast->values[0].t,
				 "an aggregation shows no single events, so they have no values; make this a key");
	}
	if (b->spec->nr_addrs && !ast->nr_tables)
		ret = own_function(b);
	if (!ret)
		ret = add_keys(b, ast->keys, ast->nr_keys);
	b->nr_keys = b->nr;
	for (i = 0; i < ast->nr_tables && !ret; i++)
		ret = add_table(b, i);
	for (i = 0; i < ast->nr_values && !ret; i++)
		ret = add_item(b, &ast->values[i]);
	if (!ret && b->spec->type == TAP_PROBE_SPAN && !ast->nr_tables)
		own_duration(b);
	if (!ret && !ast->nr_values && !keeps_apart(b) &&
	    (b->spec->type == TAP_PROBE_TRACEPOINT ||
	     b->spec->type == TAP_PROBE_SYSCALL ||
	     b->spec->type == TAP_PROBE_USDT ||
	     b->spec->type == TAP_PROBE_EVENT ||
	     b->spec->type == TAP_PROBE_WATCHPOINT ||
	     b->spec->type == TAP_PROBE_MARK ||
	     b->spec->type == TAP_PROBE_SPAN))
		ret = own_names(b);
	for (i = 0; i < ast->nr_pmu && !ret && !ast->nr_tables; i++)
		if (!has_name(b, ast->pmu[i].name))
			ret = add_item(b, &ast->pmu[i]);
	for (i = 0; i < ast->nr_stacks && !ret; i++)
		ret = add_item(b, &ast->stacks[i]);
	if (!ret && tap_probe_is_return(b->spec->type) && !keeps_apart(b))
		ret = own_retval(b);
	if (!ret && has_entry_record(b))
		ret = own_frame(b);
	if (!ret && !keeps_apart(b) &&
	    (b->spec->type == TAP_PROBE_CALL || has_entry_record(b)))
		ret = type_retval(b);
	if (!ret && ast->is_side)
		order_side(b);
	return ret;
}

/* ----------------------------------------------------- values for the return */

/* Appends a value of the entry, or finds the word that already has it. */
static const struct tap_expr *append(struct builder *b,
				     const struct tap_expr *e)
{
	struct spilled *h = b->spilled;
	unsigned int i;

	for (i = 0; i < b->nr_spilled; i++)
		if (tap_expr_same(h[i].e, e))
			break;
	if (i == b->nr_spilled) {
		if (i == ARRAY_SIZE(b->spilled)) {
			b->g.full = true;
			return e;
		}
		h[i] = (struct spilled) { e, b->g.words };
		b->nr_spilled++;
		tap_codegen_output(&b->g, e);
	}
	return tap_expr_value(&b->t.pool, TAP_OP_WORD, 8, h[i].word, 0);
}

/* The expression with its values of the entry replaced by words of the record. */
static const struct tap_expr *spill(struct builder *b, const struct tap_expr *e)
{
	struct tap_expr_pool *pool = &b->t.pool;
	bool is_signed = e->size & TAP_OP_SIGNED;
	const struct tap_expr *x, *y;

	if (!(e->needs & TAP_NEEDS_ENTRY))
		return e;
	if (!(e->needs & TAP_NEEDS_RETURN) &&
	    (e->kind == TAP_EXPR_VALUE || e->kind == TAP_EXPR_LOAD ||
	     e->kind == TAP_EXPR_MATCH))
		return append(b, e);
	x = e->a ? spill(b, e->a) : NULL;
	y = e->b ? spill(b, e->b) : NULL;
	switch (e->kind) {
	case TAP_EXPR_CONST:
	case TAP_EXPR_VALUE:
		return e;
	case TAP_EXPR_LOAD:
		if (e->code >= TAP_OP_MATCH)
			return tap_expr_length(pool, e->code == TAP_OP_LENGTH_USER, x, e->off,
					       e->imm);
		return tap_expr_load(pool, e->code == TAP_OP_LOAD_USER, x,
				     e->off, e->size);
	case TAP_EXPR_MOVE:
		return tap_expr_unary(pool, e->code, x, e->size);
	case TAP_EXPR_ARITHMETIC:
		return tap_expr_arithmetic(pool, e->code, is_signed, x, y);
	case TAP_EXPR_COMPARE:
		return tap_expr_compare(pool, e->code, is_signed, x, y);
	case TAP_EXPR_MATCH:
		return tap_expr_match(pool, e->code, e->size & TAP_OP_GLOB, x,
				      e->off, e->imm);
	case TAP_EXPR_AND:
	case TAP_EXPR_OR:
	case TAP_EXPR_NOT:
		return tap_expr_logic(pool, e->kind, x, y);
	case TAP_EXPR_COND:
		return tap_expr_cond(pool, x, y, spill(b, e->c));
	}
	return e;
}

static void spill_all(struct builder *b)
{
	unsigned int i;

	for (i = 0; i < b->nr_tests; i++)
		if (is_late(b, b->tests[i]))
			b->tests[i] = spill(b, b->tests[i]);
	for (i = 0; i < b->nr; i++)
		if (b->outputs[i].late && b->outputs[i].e && !b->outputs[i].same)
			b->outputs[i].e = spill(b, b->outputs[i].e);
}

/* ------------------------------------------------------------------------ ops */

/* Reports a limit that was exceeded, at the value that exceeded it. */
static int check(struct builder *b, const struct tap_item *item)
{
	struct tap_token t = item ? item->t : b->ast->filter ?
			     b->ast->filter->all :
			     (struct tap_token) { b->ast->text, 1 };

	b->t.p.text = item ? item->text : b->ast->text;
	if (b->t.pool.failed && !b->t.pool.heavy)
		return tap_error_set(b->t.p.err, -ENOMEM, "out of memory");
	if (b->g.deep)
		return tap_diag(&b->t.p, t.at, t.len, -E2BIG,
				"this needs more than the %d registers of a program; split it",
				TAP_NR_REGISTERS);
	if (b->g.full || b->t.pool.heavy)
		return tap_diag(&b->t.p, t.at, t.len, -E2BIG,
				"with this the program has more than %d ops; split it into several events",
				TAP_MAX_OPS - TAP_SPEC_OWN_OPS);
	if (b->g.outputs > TAP_SPEC_MAX_VALUES)
		return tap_diag(&b->t.p, t.at, t.len, -E2BIG,
				"a probe has at most %d values, including values of the entry that a condition at the return needs",
				TAP_SPEC_MAX_VALUES);
	if (b->g.words > TAP_MAX_WORDS - 4)
		return tap_diag(&b->t.p, t.at, t.len, -E2BIG,
				"with this a record has more than %d bytes; shorten the texts: string[64], or the stacks: kstack[16]",
				8 * (TAP_MAX_WORDS - 4));
	if (keeps_apart(b) && b->g.words > TAP_MAX_AGG_WORDS)
		return tap_diag(&b->t.p, t.at, t.len, -E2BIG,
				"with this the keys and values are longer than %d bytes; shorten the texts: string[64], or the stacks: kstack[16]",
				8 * TAP_MAX_AGG_WORDS);
	return 0;
}

static int emit_tests(struct builder *b, bool late)
{
	unsigned int i;

	for (i = 0; i < b->nr_tests; i++)
		if (is_late(b, b->tests[i]) == late)
			tap_codegen_test(&b->g, b->tests[i]);
	return check(b, NULL);
}

static int emit_outputs(struct builder *b, bool late, bool *absent)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < b->nr && !ret; i++) {
		struct tap_output *out = &b->outputs[i];

		if (out->in_record || out->late != late)
			continue;
		if (out->same) {
			out->field.word = out->same->field.word;
			out->field.words = out->same->field.words;
			out->field.output = out->same->field.output;
			continue;
		}
		out->field.word = b->g.words;
		if (!out->copied)
			out->field.output = b->g.outputs;
		if (late && has_entry_record(b))
			out->field.flags |= TAP_FIELD_F_RETURN;
		*absent |= out->absent;
		if (out->op.code) {
			tap_codegen_bytes(&b->g, &out->op, out->e);
		} else {
			/* append() can use this word instead of appending the value again. */
			if (!late && is_call(b) &&
			    b->nr_spilled < ARRAY_SIZE(b->spilled))
				b->spilled[b->nr_spilled++] = (struct spilled) {
					out->e, b->g.words };
			tap_codegen_output(&b->g, out->e);
		}
		out->field.words = b->g.words - out->field.word;
		ret = check(b, out->item);
	}
	return ret;
}

/* An aggregation has no records; the module itself skips absent values. */
static void emit_absent(struct builder *b, bool late)
{
	if (b->ast->nr_tables)
		return;
	b->absent[b->nr_absent++] = (struct tap_field) {
		.name = "absent", .format = TAP_FMT_X64, .words = 1,
		.word = b->g.words, .output = b->g.outputs,
		.flags = TAP_FIELD_F_ABSENT |
			 (late && has_entry_record(b) ? TAP_FIELD_F_RETURN : 0),
	};
	tap_codegen_output(&b->g, tap_expr_value(&b->t.pool, TAP_OP_VAR, 8,
						 TAP_VAR_ABSENT, 0));
}

static int emit_all(struct builder *b)
{
	bool early_absent = false, late_absent = false, late = false;
	unsigned int i;
	int ret;

	for (i = 0; i < b->nr_tests; i++)
		late |= is_late(b, b->tests[i]);
	if (late && has_entry_record(b)) {
		b->t.p.text = b->ast->text;
		return SEMA_DIAG(&b->t, b->ast->filter->all,
				 "a funcgraph shows a call when it starts, so a condition cannot use the return value or the duration; use call:");
	}
	for (i = 0; i < b->nr; i++)
		late |= b->outputs[i].late && !b->outputs[i].in_record;
	ret = emit_tests(b, false);
	if (!ret)
		ret = emit_outputs(b, false, &early_absent);
	if (ret)
		return ret;
	if (late)
		spill_all(b);
	for (i = 0; i < b->nr; i++)
		late_absent |= b->outputs[i].late && b->outputs[i].absent;
	if (early_absent && (!late_absent || has_entry_record(b)))
		emit_absent(b, false);
	ret = check(b, NULL);
	if (ret || !late)
		return ret;
	tap_codegen_return(&b->g);
	ret = emit_tests(b, true);
	if (!ret)
		ret = emit_outputs(b, true, &late_absent);
	if (!ret && late_absent)
		emit_absent(b, true);
	return ret ? ret : check(b, NULL);
}

static int add_aggregates(struct builder *b)
{
	const struct tap_ast *ast = b->ast;
	struct tap_spec *spec = b->spec;
	int ret = 0;

	spec->agg = calloc(ast->nr_tables, sizeof(*spec->agg));
	if (!spec->agg)
		return tap_error_set(b->t.p.err, -ENOMEM, "out of memory");
	for (; spec->nr_aggs < ast->nr_tables && !ret; spec->nr_aggs++)
		ret = tap_aggregate_make(&b->t, &ast->tables[spec->nr_aggs],
					 b->outputs + b->keys_at[spec->nr_aggs],
					 b->aggs_at[spec->nr_aggs] - b->keys_at[spec->nr_aggs],
					 &spec->agg[spec->nr_aggs]);
	return ret;
}

static int add_fields(struct builder *b)
{
	static const struct tap_field none = {
		.name = "ret", .word = TAP_CALL_RETVAL, .words = 1,
		.format = TAP_FMT_X64,
		.flags = TAP_FIELD_F_HIDDEN | TAP_FIELD_F_VOID,
	};
	unsigned int i;
	int ret = 0;

	if (b->ast->nr_tables)
		return add_aggregates(b);
	if ((b->spec->type == TAP_PROBE_CALL || has_entry_record(b)) && is_void(b) &&
	    !b->ast->is_side)
		ret = tap_spec_add_field(b->spec, &none);
	for (i = 0; i < b->nr && !ret; i++) {
		if (b->outputs[i].in_record)
			b->outputs[i].field.words = 1;
		ret = tap_spec_add_field(b->spec, &b->outputs[i].field);
	}
	for (i = 0; i < b->nr_absent && !ret; i++)
		ret = tap_spec_add_field(b->spec, &b->absent[i]);
	return ret ? tap_error_set(b->t.p.err, ret, "out of memory") : 0;
}

/* Notes why the type of a return value is not known, if the program computes with one. */
static int note_untyped_retval(struct builder *b)
{
	bool guesses = false;
	unsigned int i;

	for (i = 0; i < b->nr_tests; i++)
		guesses |= tap_expr_guesses_retval(b->tests[i]);
	for (i = 0; i < b->nr; i++)
		guesses |= tap_expr_guesses_retval(b->outputs[i].e);
	/* Without a reason the type is known: void or a struct. */
	if (!guesses || !*b->t.scope->why)
		return 0;
	b->spec->untyped_retval = strdup(b->t.scope->why);
	return b->spec->untyped_retval ? 0 : -ENOMEM;
}

static int finish(struct builder *b)
{
	struct tap_spec *spec = b->spec;

	if (b->t.pool.failed || note_untyped_retval(b))
		return tap_error_set(b->t.p.err, -ENOMEM, "out of memory");
	spec->ops = malloc((b->g.nr + 1) * sizeof(*spec->ops));
	spec->data = malloc(b->t.data_len + 1);
	if (!spec->ops || !spec->data)
		return tap_error_set(b->t.p.err, -ENOMEM, "out of memory");
	memcpy(spec->ops, b->g.ops, b->g.nr * sizeof(*spec->ops));
	spec->nr_ops = b->g.nr;
	memcpy(spec->data, b->t.data, b->t.data_len);
	spec->data_len = b->t.data_len;
	return 0;
}

/**
 * tap_program_make() - make the program of a target
 * @spec: type and target, without a program; gets the ops, patterns, fields and the
 *	aggregation. The caller has to free it after an error
 * @ast: the values, condition and aggregation of the event
 * @scope: the names of the target
 * @of: prefix of error messages, or NULL
 * @err: an error message on failure
 *
 * Return: 0 or -errno.
 */
int tap_program_make(struct tap_spec *spec, const struct tap_ast *ast,
		     const struct tap_scope *scope, const char *of,
		     struct tap_error *err)
{
	struct builder *b = calloc(1, sizeof(*b));
	unsigned int i;
	int ret = -ENOMEM;

	if (!b)
		return tap_error_set(err, ret, "out of memory");
	b->spec = spec;
	b->ast = ast;
	b->t.p = (struct tap_parser) {
		.text = ast->text, .err = err, .spec = spec, .of = of,
	};
	b->t.scope = scope;
	b->t.ast = ast;
	b->t.pool.user_late = spec->type == TAP_PROBE_SYSCALL &&
			      tap_syscall_keeps_memory(spec->target);
	b->t.data = malloc(TAP_MAX_DATA);
	b->g.ops = calloc(TAP_MAX_OPS, sizeof(*b->g.ops));
	b->g.words = is_call(b) ? TAP_CALL_FETCHES : 0;
	if (b->t.data && b->g.ops)
		ret = make_filter(b);
	else
		tap_error_set(err, ret, "out of memory");
	if (!ret)
		ret = make_outputs(b);
	if (!ret)
		ret = emit_all(b);
	if (!ret)
		ret = add_fields(b);
	if (!ret)
		ret = finish(b);
	for (i = 0; i < b->nr; i++)
		tap_value_names_put(b->outputs[i].field.value_names);
	tap_expr_pool_free(&b->t.pool);
	free(b->t.data);
	free(b->g.ops);
	free(b->own);
	free(b->own_nodes);
	free(b);
	return ret;
}

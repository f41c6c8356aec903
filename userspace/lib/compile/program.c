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
#include "compile/builder.h"
#include "compile/program.h"
#include "kernel/syscalls.h"
#include "spec/field.h"
#include "spec/probe_type.h"
#include "spec/spec.h"
#include "util/util.h"
#include "util/value_names.h"

/* ----------------------------------------------------- values for the return */

/* Appends a value of the entry, or finds the word that already has it. */
static const struct tap_expr *append(struct tap_builder *b,
				     const struct tap_expr *e)
{
	struct tap_spilled *h = b->spilled;
	unsigned int i;

	for (i = 0; i < b->nr_spilled; i++)
		if (tap_expr_same(h[i].e, e))
			break;
	if (i == b->nr_spilled) {
		if (i == ARRAY_SIZE(b->spilled)) {
			b->g.full = true;
			return e;
		}
		h[i] = (struct tap_spilled) { e, b->g.words, b->g.outputs };
		b->nr_spilled++;
		tap_codegen_output(&b->g, e);
	}
	return tap_expr_value(&b->t.pool, TAP_OP_WORD, 8, h[i].word,
			      e->needs & TAP_NEEDS_MEMORY ? h[i].output + 1 : 0);
}

/* The expression with its values of the entry replaced by words of the record. */
static const struct tap_expr *spill(struct tap_builder *b, const struct tap_expr *e)
{
	struct tap_expr_pool *pool = &b->t.pool;
	bool is_signed = e->size & TAP_OP_SIGNED;
	const struct tap_expr *x, *y;

	if (!(e->needs & TAP_NEEDS_ENTRY))
		return e;
	if (e->kind == TAP_EXPR_VALUE || (!(e->needs & TAP_NEEDS_RETURN) &&
					  (e->kind == TAP_EXPR_LOAD || e->kind == TAP_EXPR_MATCH)))
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

static void spill_all(struct tap_builder *b)
{
	unsigned int i;

	for (i = 0; i < b->nr_tests; i++)
		if (tap_builder_is_late(b, b->tests[i]))
			b->tests[i] = spill(b, b->tests[i]);
	for (i = 0; i < b->nr; i++) {
		struct tap_output *out = &b->outputs[i];

		if (!out->late || !out->e || out->same)
			continue;
		out->e = out->hold && out->e->kind != TAP_EXPR_CONST ? append(b, out->e) :
								       spill(b, out->e);
	}
}

/* ------------------------------------------------------------------------ ops */

/* Reports a limit that was exceeded, at the value that exceeded it. */
static int check(struct tap_builder *b, const struct tap_item *item)
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
	if (tap_builder_keeps_apart(b) && b->g.words > TAP_MAX_AGG_WORDS)
		return tap_diag(&b->t.p, t.at, t.len, -E2BIG,
				"with this the keys and values are longer than %d bytes; shorten the texts: string[64], or the stacks: kstack[16]",
				8 * TAP_MAX_AGG_WORDS);
	return 0;
}

/* A call goes through the gate at its return, where its record is written. */
static bool has_late_gate(const struct tap_builder *b)
{
	return b->spec->gate && tap_builder_is_call(b) && !tap_builder_has_entry_record(b);
}

static void test_gate(struct tap_builder *b, enum tap_gate_step step)
{
	struct tap_expr_pool *pool = &b->t.pool;

	tap_codegen_test(&b->g, tap_expr_value(pool, TAP_OP_VAR, 8, TAP_VAR_GATE, step));
}

/*
 * The event that opens the gate does so at the first place where its condition is known: what
 * happens during a call that opens it is recorded.
 */
static void emit_gate(struct tap_builder *b, bool late)
{
	enum tap_gate_step step = b->spec->gate;
	bool two = has_late_gate(b), late_tests = false;
	unsigned int i;

	if (!step)
		return;
	for (i = 0; i < b->nr_tests; i++)
		late_tests |= tap_builder_is_late(b, b->tests[i]);
	if (step == TAP_GATE_OPEN && late == late_tests)
		test_gate(b, TAP_GATE_OPEN);
	if (late == two)
		test_gate(b, step == TAP_GATE_END ? TAP_GATE_END : TAP_GATE_TAKE);
	else if (!late && step != TAP_GATE_OPEN)
		test_gate(b, TAP_GATE_IS_OPEN);
}

static int emit_tests(struct tap_builder *b, bool late)
{
	unsigned int i;

	for (i = 0; i < b->nr_tests; i++)
		if (tap_builder_is_late(b, b->tests[i]) == late)
			tap_codegen_test(&b->g, b->tests[i]);
	emit_gate(b, late);
	return check(b, NULL);
}

static int emit_outputs(struct tap_builder *b, bool late, bool *absent)
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
		if (late && tap_builder_has_entry_record(b))
			out->field.flags |= TAP_FIELD_F_RETURN;
		if (out->field.format == TAP_FMT_DIFF)
			out->field.count = out[-1].field.word;
		*absent |= out->absent;
		if (out->op.code) {
			tap_codegen_bytes(&b->g, &out->op, out->e);
		} else {
			/* append() can use this word instead of appending the value again. */
			if (!late && tap_builder_is_call(b) &&
			    b->nr_spilled < ARRAY_SIZE(b->spilled))
				b->spilled[b->nr_spilled++] = (struct tap_spilled) {
					out->e, b->g.words, b->g.outputs };
			tap_codegen_output(&b->g, out->e);
		}
		out->field.words = b->g.words - out->field.word;
		ret = check(b, out->item);
	}
	return ret;
}

/* An aggregation has no records; the module itself skips absent values. */
static void emit_absent(struct tap_builder *b, bool late)
{
	if (b->ast->nr_tables)
		return;
	b->absent[b->nr_absent++] = (struct tap_field) {
		.name = "absent", .format = TAP_FMT_X64, .words = 1,
		.word = b->g.words, .output = b->g.outputs,
		.flags = TAP_FIELD_F_ABSENT |
			 (late && tap_builder_has_entry_record(b) ? TAP_FIELD_F_RETURN : 0),
	};
	tap_codegen_output(&b->g, tap_expr_value(&b->t.pool, TAP_OP_VAR, 8,
						 TAP_VAR_ABSENT, 0));
}

static int emit_all(struct tap_builder *b)
{
	bool early_absent = false, late_absent = false, late = has_late_gate(b);
	unsigned int i;
	int ret;

	for (i = 0; i < b->nr_tests; i++)
		late |= tap_builder_is_late(b, b->tests[i]);
	if (late && tap_builder_has_entry_record(b)) {
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
	if (early_absent && (!late_absent || tap_builder_has_entry_record(b)))
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

static int add_aggregates(struct tap_builder *b)
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

static int add_fields(struct tap_builder *b)
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
	if ((b->spec->type == TAP_PROBE_CALL || b->spec->type == TAP_PROBE_UCALL ||
	     tap_builder_has_entry_record(b)) && tap_builder_no_retval(b) && !b->ast->is_side)
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
static int note_untyped_retval(struct tap_builder *b)
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

static int finish(struct tap_builder *b)
{
	struct tap_spec *spec = b->spec;
	unsigned int i;

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
	for (i = 0; i < b->nr; i++)
		if (tap_format_is_stack_id(b->outputs[i].field.format))
			spec->stacks = b->ast->whole_stacks;
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
	struct tap_builder *b = calloc(1, sizeof(*b));
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
	b->g.words = tap_builder_is_call(b) ? TAP_CALL_FETCHES : 0;
	if (b->t.data && b->g.ops)
		ret = tap_builder_filter(b);
	else
		tap_error_set(err, ret, "out of memory");
	if (!ret)
		ret = tap_builder_outputs(b);
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

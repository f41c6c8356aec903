// SPDX-License-Identifier: LGPL-2.1
/*
 * What a program tests and outputs: the condition, keys, aggregated values and values of the event,
 * and those that it has without being asked.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "compile/builder.h"
#include "spec/field.h"
#include "util/util.h"
#include "util/value_names.h"

static int split_filter(struct tap_builder *b, const struct tap_expr *e)
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

/*
 * A condition that the type of the return value decides. Other functions of the same glob may return
 * another one, so it is no error, but a test. A function that returns a value is not rejected before
 * its return: others ask whether they are inside of it.
 */
static const struct tap_expr *decided_by_type(struct tap_builder *b, const struct tap_expr *e)
{
	bool after = b->t.pool.after;

	b->t.pool.after = !tap_builder_is_void(b);
	e = tap_expr_truth(&b->t.pool, tap_expr_value(&b->t.pool, TAP_OP_IMM, 8, 0, e->imm));
	b->t.pool.after = after;
	return e;
}

/**
 * tap_builder_filter() - type the condition of the event
 * @b: gets @tests
 *
 * Return: 0, or -errno with the error message set.
 */
int tap_builder_filter(struct tap_builder *b)
{
	const struct tap_node *filter = b->ast->filter;
	const struct tap_expr *e;
	int ret;

	if (!filter)
		return 0;
	b->t.p.text = b->ast->text;
	b->t.condition = true;
	b->t.by_type = false;
	ret = tap_type_truth(&b->t, filter, &e);
	b->t.condition = false;
	if (ret)
		return ret;
	if (e->kind == TAP_EXPR_CONST && b->t.by_type)
		e = decided_by_type(b, e);
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

static int add_item(struct tap_builder *b, const struct tap_item *item)
{
	struct tap_output *out = &b->outputs[b->nr++];
	int ret;

	b->t.p.text = item->text;
	ret = tap_output_make(&b->t, item, tap_builder_keeps_apart(b), out);
	if (ret || out->field.format != TAP_FMT_DIFF)
		return ret;
	/* The bytes at the entry, then those at the return. */
	out[1] = out[0];
	tap_value_names_get(out->field.value_names);
	b->nr++;
	out->field.format = TAP_FMT_STRUCT;
	out->field.flags = TAP_FIELD_F_OLD;
	out->late = false;
	out->hold = false;
	return 0;
}

/*
 * A kretprobe or uretprobe has the return value in its first word. The first value that
 * names it sets its name and format; further ones of the same width read the same word.
 */
static int own_retval(struct tap_builder *b)
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
		else if (tap_expr_same(out->e, b->outputs[first].e))
			out->in_record = true;
	}
	if (first == b->nr) {
		ret = tap_output_retval(&b->t, &b->outputs[b->nr++]);
		if (ret)
			return ret;
		if (tap_builder_no_retval(b))
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
static int type_retval(struct tap_builder *b)
{
	struct tap_output *out = &b->outputs[b->nr];
	unsigned int i;
	int ret;

	if (b->t.scope->ret.cls == TAP_TYPE_NONE || tap_builder_no_retval(b))
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

static bool is_args(const struct tap_item *item)
{
	return item->node->kind == TAP_NODE_BUILTIN && item->node->builtin == TAP_BUILTIN_ARGS;
}

/* Whether the text of the event has a value of this name. */
static bool in_text(const struct tap_builder *b, const char *name)
{
	unsigned int i;

	for (i = 0; i < b->ast->nr_values; i++)
		if (!is_args(&b->ast->values[i]) && !strcmp(b->ast->values[i].name, name))
			return true;
	return false;
}

/*
 * An event with values of its own (a tracepoint, a system call, a USDT probe, a sample)
 * gets all of them if it names none, and each event with $args. Values that cannot be shown
 * are skipped, and those that the event names itself.
 */
static int own_names(struct tap_builder *b)
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

		if (scope->names[i].quiet || in_text(b, name))
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
static int add_keys(struct tap_builder *b, const struct tap_item *keys, unsigned int nr)
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
		addresses |= tap_field_is_user(&b->outputs[first + i].field);
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
static int add_table(struct tap_builder *b, unsigned int k)
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
static int own_function(struct tap_builder *b)
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
static int own_frame(struct tap_builder *b)
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

static bool has_name(const struct tap_builder *b, const char *name)
{
	unsigned int i;

	for (i = 0; i < b->nr; i++)
		if (!strcmp(b->outputs[i].field.name, name))
			return true;
	return false;
}

/* How the duration divides, and the stacks of its longest wait. */
static void own_division(struct tap_builder *b)
{
	static const struct tap_output own[] = {
		{
			.op = { .code = TAP_OP_DIVISION }, .absent = true,
			.field = { .name = "why", .format = TAP_FMT_DIVISION },
		}, {
			.op = { .code = TAP_OP_WAIT_STACK, .imm = 8 * TAP_WAIT_FRAMES },
			.field = { .name = "wait.stack", .format = TAP_FMT_KSTACK,
				   .flags = TAP_FIELD_F_WAIT },
		}, {
			.op = { .code = TAP_OP_WAIT_STACK, .off = 1, .imm = 8 * TAP_WAIT_FRAMES },
			.field = { .name = "waker.stack", .format = TAP_FMT_KSTACK,
				   .flags = TAP_FIELD_F_WAIT },
		},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(own); i++) {
		b->outputs[b->nr] = own[i];
		b->outputs[b->nr++].late = tap_builder_is_call(b);
	}
}

/* The duration of a span, in the ticks of the record; conditions have it in nanoseconds. */
static void own_duration(struct tap_builder *b)
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
static void order_side(struct tap_builder *b)
{
	bool late = false;
	unsigned int i;

	for (i = 0; i < b->nr_keys; i++)
		late |= b->outputs[i].late;
	for (i = 0; i < b->nr && late; i++)
		b->outputs[i].late = true;
}

static int add_value(struct tap_builder *b, const struct tap_item *item)
{
	const struct tap_scope *scope = b->t.scope;

	if (!is_args(item))
		return add_item(b, item);
	b->t.p.text = item->text;
	if (!scope->nr && (*scope->why || !scope->types))
		return SEMA_DIAG(&b->t, item->t, "the arguments are not known%s%s; use $arg1 to $arg6",
				 *scope->why ? ": " : "", scope->why);
	return own_names(b);
}

/**
 * tap_builder_outputs() - type what the program outputs, in the order of the outputs
 * @b: gets @outputs and what belongs to them
 *
 * Return: 0, or -errno with the error message set.
 */
int tap_builder_outputs(struct tap_builder *b)
{
	const struct tap_ast *ast = b->ast;
	unsigned int i;
	int ret = 0;

	if (ast->nr_tables && ast->nr_values) {
		b->t.p.text = ast->values[0].text;
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
		ret = add_value(b, &ast->values[i]);
	if (!ret && b->spec->type == TAP_PROBE_SPAN && !ast->nr_tables)
		own_duration(b);
	if (!ret && !ast->nr_values && !tap_builder_keeps_apart(b) &&
	    (b->spec->emit || b->spec->type == TAP_PROBE_TRACEPOINT ||
	     b->spec->type == TAP_PROBE_SYSCALL ||
	     b->spec->type == TAP_PROBE_USDT ||
	     b->spec->type == TAP_PROBE_EVENT ||
	     tap_probe_is_watch(b->spec->type) ||
	     b->spec->type == TAP_PROBE_MARK ||
	     b->spec->type == TAP_PROBE_SPAN))
		ret = own_names(b);
	for (i = 0; i < ast->nr_pmu && !ret && !ast->nr_tables; i++)
		if (!has_name(b, ast->pmu[i].name))
			ret = add_item(b, &ast->pmu[i]);
	for (i = 0; i < ast->nr_stacks && !ret; i++)
		ret = add_item(b, &ast->stacks[i]);
	if (!ret && ast->why && !tap_builder_keeps_apart(b))
		own_division(b);
	if (!ret && tap_probe_is_return(b->spec->type) && !tap_builder_keeps_apart(b))
		ret = own_retval(b);
	if (!ret && tap_builder_has_entry_record(b))
		ret = own_frame(b);
	if (!ret && !tap_builder_keeps_apart(b) &&
	    (b->spec->type == TAP_PROBE_CALL || tap_builder_has_entry_record(b)))
		ret = type_retval(b);
	if (!ret && ast->is_side)
		order_side(b);
	return ret;
}

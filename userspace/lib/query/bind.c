// SPDX-License-Identifier: LGPL-2.1
/*
 * From the text of an expression to a tree over the values of a record.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/constants.h"
#include "lang/lang.h"
#include "lang/lexer.h"
#include "lang/pattern.h"
#include "query/query.h"
#include "spec/field.h"
#include "spec/probe_table.h"
#include "spec/probe_type.h"
#include "util/errno_name.h"
#include "util/util.h"

/* The binder: from the tree of the text to that of the query. */
struct binder {
	struct tap_query *q;
	struct tap_parser p;
};

#define BIND_DIAG(b, t, ...)	tap_diag(&(b)->p, (t).at, (t).len, -EINVAL, __VA_ARGS__)

static struct tap_query_node *new_node(struct binder *b, enum tap_query_kind kind)
{
	struct tap_query_node *node = calloc(1, sizeof(*node));

	if (!node)
		return NULL;
	node->kind = kind;
	node->next = b->q->nodes;
	b->q->nodes = node;
	return node;
}

/* Not shown as values: bits of what is absent, the bytes of a :diff at the entry. */
#define PRIVATE_FLAGS	(TAP_FIELD_F_ABSENT | TAP_FIELD_F_FRAME | TAP_FIELD_F_OLD)

/* How the return value of a call, which is no output of its program, is printed. */
static const struct tap_field *find_retval(const struct tap_spec *spec)
{
	static const struct tap_field of_call = {
		.format = TAP_FMT_RETVAL, .word = TAP_CALL_RETVAL, .words = 1,
	}, of_syscall = {
		.format = TAP_FMT_ERRNO, .word = TAP_CALL_RETVAL, .words = 1,
	};
	unsigned int i;

	for (i = 0; i < spec->nr_fields; i++)
		if (spec->fields[i].word == TAP_CALL_RETVAL)
			return spec->fields[i].flags & TAP_FIELD_F_VOID ? NULL : &spec->fields[i];
	return spec->type == TAP_PROBE_SYSCALL ? &of_syscall : &of_call;
}

static const struct tap_field *find_field(const struct tap_spec *spec, struct tap_token t)
{
	static const struct tap_field duration = {
		.format = TAP_FMT_DURATION, .word = TAP_CALL_DURATION, .words = 1,
	};
	unsigned int i;

	for (i = 0; i < spec->nr_fields; i++)
		if (!(spec->fields[i].flags & PRIVATE_FLAGS) &&
		    tap_token_is(t, spec->fields[i].name))
			return &spec->fields[i];
	if (!tap_probe_is_call(spec->type))
		return NULL;
	if (tap_token_is(t, "duration"))
		return &duration;
	return tap_token_is(t, "ret") || tap_token_is(t, "retval") ? find_retval(spec) : NULL;
}

/* Whether the number that a field is printed as has no sign, and all 64 bits. */
static bool field_is_unsigned(const struct tap_field *field)
{
	switch (field->format) {
	case TAP_FMT_U64:
	case TAP_FMT_X64:
	case TAP_FMT_DURATION:
	case TAP_FMT_NS:
	case TAP_FMT_SYMBOL:
	case TAP_FMT_USYMBOL:
	case TAP_FMT_FUNC:
	case TAP_FMT_FLAGS:
		return true;
	default:
		return false;
	}
}

/* What each record has beside its values; false: this one is not kept in records. */
static bool find_own(const struct tap_probe *probe, struct tap_token t, enum tap_query_kind *kind,
		     __u64 *number)
{
	enum tap_builtin builtin;

	if (tap_builtin_find(t, &builtin, number))
		return false;
	switch (builtin) {
	case TAP_BUILTIN_COMM:
		*kind = TAP_QUERY_COMM;
		return probe->comm_word >= 0;
	case TAP_BUILTIN_FLAG:
		*kind = TAP_QUERY_FLAG;
		return true;
	case TAP_BUILTIN_VAR:
		break;
	default:
		return false;
	}
	switch (*number) {
	case TAP_VAR_TGID:
		*kind = TAP_QUERY_TGID;
		return true;
	case TAP_VAR_TID:
		*kind = TAP_QUERY_TID;
		return true;
	case TAP_VAR_CPU:
		*kind = TAP_QUERY_CPU;
		return true;
	default:
		return false;
	}
}

/* A name of a value of one of the fields, an error, or a constant of a system call. */
static bool find_constant(const struct tap_spec *spec, struct tap_token t, __u64 *number)
{
	const struct tap_value_names *names;
	unsigned int i, k;

	for (i = 0; i < spec->nr_fields; i++) {
		names = spec->fields[i].value_names;
		for (k = 0; names && k < names->nr; k++) {
			if (!tap_token_is(t, names->list[k].name))
				continue;
			*number = names->list[k].value;
			return true;
		}
	}
	if (!tap_literal_find(t, number))
		return true;
	*number = tap_errno_number(t.at, t.len);
	return *number || !tap_constant_find(t.at, t.len, number);
}

static int no_name(struct binder *b, struct tap_token t)
{
	const struct tap_spec *spec = &b->q->probe->spec;
	char list[512] = "";
	unsigned int i;
	size_t at = 0;

	for (i = 0; i < spec->nr_fields && at < sizeof(list) - TAP_FIELD_NAME_LEN - 2; i++)
		if (!(spec->fields[i].flags & (PRIVATE_FLAGS | TAP_FIELD_F_HIDDEN)))
			at += (size_t)snprintf(list + at, sizeof(list) - at, "%s, ",
					       spec->fields[i].name);
	return BIND_DIAG(b, t, "%s: its records have no value \"%.*s\"; they have %s%scomm, pid, tid and cpu",
			 tap_spec_text(spec), QUOTE(t), list,
			 tap_probe_is_call(spec->type) ? "duration, retval, " : "");
}

static int bind_name(struct binder *b, struct tap_token t, struct tap_query_node **to)
{
	const struct tap_field *field = find_field(&b->q->probe->spec, t);
	enum tap_query_kind kind = TAP_QUERY_FIELD;
	struct tap_query_node *node;
	__u64 number = 0;

	if (t.len && *t.at == '$')
		return bind_name(b, (struct tap_token) { t.at + 1, t.len - 1 }, to);
	if (!field && !find_own(b->q->probe, t, &kind, &number)) {
		kind = TAP_QUERY_NUMBER;
		if (!find_constant(&b->q->probe->spec, t, &number))
			return no_name(b, t);
	}
	*to = node = new_node(b, kind);
	if (!node)
		return -ENOMEM;
	node->field = field;
	node->number = number;
	node->is_unsigned = field && field_is_unsigned(field);
	return 0;
}

bool tap_query_is_text(const struct tap_query_node *node)
{
	if (node->kind == TAP_QUERY_FIELD)
		return node->field->format == TAP_FMT_STRING ||
		       node->field->format == TAP_FMT_CHARS ||
		       node->field->format == TAP_FMT_COMM;
	return node->kind == TAP_QUERY_COMM;
}

bool tap_query_is_number(const struct tap_query_node *node)
{
	if (node->kind == TAP_QUERY_FIELD)
		return tap_format_bytes[node->field->format] && !node->field->count;
	return node->kind != TAP_QUERY_PATTERN && node->kind != TAP_QUERY_COMM;
}

static int bind_pattern(struct binder *b, const struct tap_node *from, struct tap_query_node **to)
{
	struct tap_pattern pattern;
	struct tap_query_node *node;
	int ret = tap_pattern_read(&b->p, from->t, &pattern);
	size_t i, len = 0;

	if (ret)
		return ret;
	*to = node = new_node(b, TAP_QUERY_PATTERN);
	if (node)
		node->pattern = malloc(2 * pattern.len + 1);
	if (!node || !node->pattern)
		return -ENOMEM;
	for (i = 0; i < pattern.len; i++) {
		/* A glob has them in front of what stands for itself; else all does. */
		if (!pattern.glob && strchr("*?[\\", pattern.text[i]))
			node->pattern[len++] = '\\';
		node->pattern[len++] = pattern.text[i];
	}
	node->pattern[len] = '\0';
	return 0;
}

static int need_number(struct binder *b, const struct tap_node *from,
		       const struct tap_query_node *node)
{
	if (tap_query_is_number(node))
		return 0;
	return BIND_DIAG(b, from->all, "this is not a number%s", tap_query_is_text(node) ?
			 "; a text can be compared with a text in quotes" : "");
}

static int bind(struct binder *b, const struct tap_node *from, struct tap_query_node **to);

static int bind_operand(struct binder *b, const struct tap_node *from,
			const struct tap_query_node **to)
{
	struct tap_query_node *node = NULL;
	int ret = bind(b, from, &node);

	*to = node;
	return ret ? ret : need_number(b, from, node);
}

/* TEXT == "pattern" or the other way round. */
static int bind_match(struct binder *b, const struct tap_node *from, struct tap_query_node *node)
{
	const struct tap_node *text = from->a, *pattern = from->b;
	struct tap_query_node *a = NULL, *p = NULL;
	int ret;

	if (text->kind == TAP_NODE_STRING) {
		text = from->b;
		pattern = from->a;
	}
	ret = bind(b, text, &a);
	if (!ret && !tap_query_is_text(a))
		return BIND_DIAG(b, text->all, "this is not a text, and cannot be compared with one");
	if (!ret)
		ret = bind_pattern(b, pattern, &p);
	node->a = a;
	node->b = p;
	return ret;
}

static int bind_binary(struct binder *b, const struct tap_node *from, struct tap_query_node *node)
{
	bool equality = from->op == TAP_LEX_EQ || from->op == TAP_LEX_NE;
	int ret;

	node->op = from->op;
	if (equality && (from->a->kind == TAP_NODE_STRING || from->b->kind == TAP_NODE_STRING))
		return bind_match(b, from, node);
	ret = bind_operand(b, from->a, &node->a);
	return ret ? ret : bind_operand(b, from->b, &node->b);
}

static int no_memory(struct binder *b, const struct tap_node *from)
{
	return BIND_DIAG(b, from->all, "this needs the kernel's memory or types: put it into the event when it is recorded");
}

static int bind_call(struct binder *b, const struct tap_node *from, struct tap_query_node *node)
{
	struct tap_query_node *text = NULL;
	int ret;

	node->number = from->value;
	switch (from->value) {
	case TAP_FUNCTION_STRLEN:
		ret = bind(b, from->a, &text);
		node->a = text;
		return ret || tap_query_is_text(text) ? ret :
		       BIND_DIAG(b, from->a->all, "this is not a text");
	case TAP_FUNCTION_MIN:
	case TAP_FUNCTION_MAX:
		ret = bind_operand(b, from->a, &node->a);
		return ret ? ret : bind_operand(b, from->b, &node->b);
	case TAP_FUNCTION_LOG2:
		return bind_operand(b, from->a, &node->a);
	default:
		return no_memory(b, from);
	}
}

static int bind_cast(struct binder *b, const struct tap_node *from, struct tap_query_node *node)
{
	const struct tap_type *type = &from->cast->type;
	struct tap_query_node *a = NULL;
	int ret;

	if (from->cast->stars || from->cast->tag.len ||
	    (type->cls != TAP_TYPE_INT && type->cls != TAP_TYPE_CHAR) ||
	    !type->size || type->size > 8)
		return BIND_DIAG(b, from->all, "a recorded value can be cast to numbers alone");
	node->number = type->size;
	node->op = type->is_signed;
	/* Fewer bytes become a number of 8, which is signed. */
	node->is_unsigned = !type->is_signed && type->size == 8;
	ret = bind(b, from->a, &a);
	node->a = a;
	if (ret)
		return ret;
	a->raw = a->kind == TAP_QUERY_FIELD;
	return need_number(b, from->a, a);
}

/* As in C: one unsigned operand makes the result unsigned; that of a comparison is not. */
static bool is_unsigned(const struct tap_query_node *node)
{
	bool a = node->a && node->a->is_unsigned, b = node->b && node->b->is_unsigned;

	switch (node->kind) {
	case TAP_QUERY_UNARY:
		return node->op != '!' && a;
	case TAP_QUERY_BINARY:
		if (node->op == TAP_LEX_SHL || node->op == TAP_LEX_SHR)
			return a;
		return node->op < TAP_LEX_EQ && node->op != '<' && node->op != '>' && (a || b);
	case TAP_QUERY_COND:
		return b || node->c->is_unsigned;
	case TAP_QUERY_CALL:
		return (node->number == TAP_FUNCTION_MIN || node->number == TAP_FUNCTION_MAX) &&
		       (a || b);
	default:
		return node->is_unsigned;
	}
}

static int bind_inner(struct binder *b, const struct tap_node *from, struct tap_query_node *node)
{
	int ret;

	switch (node->kind) {
	case TAP_QUERY_UNARY:
		if (from->op == '*' || from->op == '&')
			return no_memory(b, from);
		node->op = from->op;
		return bind_operand(b, from->a, &node->a);
	case TAP_QUERY_BINARY:
		return bind_binary(b, from, node);
	case TAP_QUERY_COND:
		ret = bind_operand(b, from->a, &node->a);
		if (!ret)
			ret = bind_operand(b, from->b, &node->b);
		return ret ? ret : bind_operand(b, from->c, &node->c);
	case TAP_QUERY_CAST:
		return bind_cast(b, from, node);
	default:
		return bind_call(b, from, node);
	}
}

static int bind(struct binder *b, const struct tap_node *from, struct tap_query_node **to)
{
	static const enum tap_query_kind kinds[] = {
		[TAP_NODE_UNARY] = TAP_QUERY_UNARY, [TAP_NODE_BINARY] = TAP_QUERY_BINARY,
		[TAP_NODE_COND] = TAP_QUERY_COND, [TAP_NODE_CAST] = TAP_QUERY_CAST,
		[TAP_NODE_CALL] = TAP_QUERY_CALL,
	};
	struct tap_query_node *node;
	int ret;

	/* A value that was recorded has the text of its expression as its name. */
	if (from->kind != TAP_NODE_NUMBER && find_field(&b->q->probe->spec, from->all))
		return bind_name(b, from->all, to);
	switch (from->kind) {
	case TAP_NODE_NUMBER:
		*to = node = new_node(b, TAP_QUERY_NUMBER);
		if (!node)
			return -ENOMEM;
		node->number = from->value;
		/* Of 4 bytes: it becomes a number of 8, which is signed. */
		node->is_unsigned = from->is_unsigned && from->wide;
		return 0;
	case TAP_NODE_NAME:
	case TAP_NODE_BUILTIN:
		return bind_name(b, from->t, to);
	case TAP_NODE_STRING:
		return BIND_DIAG(b, from->all, "a text can only be compared with a value, by == or !=");
	case TAP_NODE_MEMBER:
	case TAP_NODE_INDEX:
	case TAP_NODE_FETCH:
	case TAP_NODE_SYMBOL:
	case TAP_NODE_REGISTER:
		return no_name(b, from->all);
	default:
		*to = node = new_node(b, kinds[from->kind]);
		ret = node ? bind_inner(b, from, node) : -ENOMEM;
		if (!ret)
			node->is_unsigned = is_unsigned(node);
		return ret;
	}
}

/* What is printed cut is added up cut, as tap_output_make() does; of a bool any bit is true. */
static int set_format(struct binder *b, const struct tap_item *item)
{
	bool truth = item->as.format == TAP_FMT_BOOL;
	struct tap_query_node *node, *zero = NULL;
	struct tap_query *q = b->q;

	if (item->as.kind == TAP_AS_TYPE)
		return 0;
	if (item->as.kind != TAP_AS_NUMBER || item->as.count || item->as.swap || item->as.scale ||
	    !tap_query_is_number(q->root))
		return BIND_DIAG(b, item->as.t, "of a recorded value only the format of a number can be changed");
	q->format = item->as.format;
	q->formatted = true;
	node = new_node(b, truth ? TAP_QUERY_BINARY : TAP_QUERY_CAST);
	if (truth)
		zero = new_node(b, TAP_QUERY_NUMBER);
	if (!node || (truth && !zero))
		return -ENOMEM;
	node->a = q->root;
	node->b = zero;
	node->op = truth ? TAP_LEX_NE : !!(item->as.size & TAP_OP_SIGNED);
	node->number = item->as.size & 15;
	node->is_unsigned = !truth && item->as.size == 8;
	q->root = node;
	return 0;
}

int tap_query_bind(struct tap_query **query, const struct tap_probe *probe,
		   const struct tap_timebase *timebase, struct tap_spec *spec,
		   const struct tap_item *item, struct tap_error *err)
{
	struct tap_query *q = calloc(1, sizeof(*q));
	struct binder b = { .q = q, .p = { .text = item->text, .err = err, .spec = spec } };
	struct tap_query_node *root = NULL;
	int ret = -ENOMEM;

	if (q) {
		q->probe = probe;
		q->timebase = timebase;
		ret = bind(&b, item->node, &root);
	}
	if (!ret) {
		q->root = root;
		memcpy(q->name, item->name, sizeof(q->name));
		ret = set_format(&b, item);
	}
	if (!ret) {
		*query = q;
		return 0;
	}
	tap_query_close(q);
	return ret == -ENOMEM ? tap_error_set(err, ret, "out of memory") : ret;
}

int tap_query_open(struct tap_query **query, const struct tap_probe *probe,
		   const struct tap_timebase *timebase, const char *text, struct tap_error *err)
{
	struct tap_spec spec = { .type = probe->spec.type, .ast = tap_ast_new("") };
	const struct tap_parser p = { .text = text, .err = err, .spec = &spec };
	const struct tap_token t = { text, strlen(text) };
	struct tap_item item = { .text = text, .t = t };
	int ret;

	if (!spec.ast)
		return tap_error_set(err, -ENOMEM, "out of memory");
	if (t.len > TAP_MAX_TEXT)
		ret = tap_error_set(err, -E2BIG, "a condition is longer than %d bytes", TAP_MAX_TEXT);
	else
		ret = tap_expr_parse(&p, t, &item.node, NULL);
	if (!ret)
		ret = tap_query_bind(query, probe, timebase, &spec, &item, err);
	tap_ast_free(spec.ast);
	return ret;
}

void tap_query_close(struct tap_query *query)
{
	struct tap_query_node *node, *next;

	for (node = query ? query->nodes : NULL; node; node = next) {
		next = node->next;
		free(node->pattern);
		free(node);
	}
	free(query);
}

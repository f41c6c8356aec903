// SPDX-License-Identifier: LGPL-2.1
/*
 * The values of a probe in the event language: [NAME=]VALUE[:FORMAT] ..., and
 * the condition behind if.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lang/lang.h"
#include "spec/ast.h"
#include "spec/probe_type.h"
#include "spec/spec.h"
#include "util/util.h"

#define DIAG(t, ...)	tap_diag(p, (t).at, (t).len, -EINVAL, __VA_ARGS__)

/* ------------------------------------------------------------------- words */

/* Behind a quote that closes: as the lexer sees it, which tells of open ones. */
static const char *skip_quoted(const char *at)
{
	char quote = *at++;

	while (*at && *at != quote)
		at += at[0] == '\\' && at[1] ? 2 : 1;
	return *at ? at + 1 : at;
}

/* A value has blanks in parentheses and quotes only. */
static struct tap_token next_value(struct tap_parser *p)
{
	struct tap_token t;
	int depth = 0;

	while (isspace((unsigned char)*p->at))
		p->at++;
	t.at = p->at;
	while (*p->at && (depth > 0 || !isspace((unsigned char)*p->at))) {
		if (*p->at == '"' || *p->at == '\'') {
			p->at = skip_quoted(p->at);
			continue;
		}
		depth += *p->at == '(' || *p->at == '[';
		depth -= *p->at == ')' || *p->at == ']';
		p->at++;
	}
	t.len = p->at - t.at;
	return t;
}

/* The = behind a name, if there is one: none of ==, !=, <= and >=. */
static const char *find_equals(struct tap_token t)
{
	const char *at = t.at, *end = t.at + t.len;

	while (at < end && !strchr("(\"'[", *at)) {
		if (*at == '=' && at + 1 < end && at[1] == '=')
			at += 2;
		else if (*at == '=' && (at == t.at || !strchr("!<>", at[-1])))
			return at;
		else
			at++;
	}
	return NULL;
}

/* ------------------------------------------------------------------- names */

static int parse_name(const struct tap_parser *p, struct tap_token t,
		      char *name)
{
	size_t len = tap_word_len(t.at);

	if (!t.len)
		return tap_diag(p, t.at, 1, -EINVAL,
				"the name is missing before the =");
	if (len < t.len && strchr("+-*/%&|^", t.at[len]) && len + 1 == t.len)
		return tap_diag(p, t.at + len, 2, -EINVAL,
				"%c= would assign, which no expression does; == compares",
				t.at[len]);
	if (len < t.len || isdigit((unsigned char)*t.at))
		return tap_diag(p, t.at + (len < t.len ? len : 0), 1, -EINVAL,
				"a name has letters, digits and _ only, and begins with no digit");
	if (len >= TAP_FIELD_NAME_LEN)
		return DIAG(t, "a name has at most %d characters",
			    TAP_FIELD_NAME_LEN - 1);
	memcpy(name, t.at, len);
	name[len] = '\0';
	return 0;
}

static bool is_builtin(const struct tap_node *node, const char *name)
{
	struct tap_token t = node->t;

	if (node->kind == TAP_NODE_BUILTIN) {
		t.at++;
		t.len--;
	} else if (node->kind != TAP_NODE_NAME) {
		return false;
	}
	return tap_token_is(t, name);
}

/* Whether an expression is a stack; its depth may follow in brackets. */
static bool is_stack(const struct tap_node *node)
{
	if (node->kind == TAP_NODE_INDEX)
		node = node->a;
	return is_builtin(node, "kstack") || is_builtin(node, "ustack");
}

/* A value without a name has that of what it is. */
static int default_name(const struct tap_parser *p, struct tap_item *item)
{
	const struct tap_node *node = item->node;
	struct tap_token t = item->t;
	size_t i;

	while (node->kind == TAP_NODE_CAST ||
	       (node->kind == TAP_NODE_UNARY && strchr("*&", node->op)) ||
	       (node->kind == TAP_NODE_INDEX && is_stack(node)))
		node = node->a;
	if (is_builtin(node, "retval")) {
		t = (struct tap_token) { "ret", 3 };
	} else if (node->kind == TAP_NODE_NAME ||
		   node->kind == TAP_NODE_MEMBER) {
		t = node->t;
	} else if (node->kind == TAP_NODE_BUILTIN ||
		   node->kind == TAP_NODE_REGISTER) {
		t.at = node->t.at + 1;
		t.len = node->t.len - 1;
	}
	for (i = 0; i < t.len; i++)
		if (isspace((unsigned char)t.at[i]) || t.at[i] == '"' ||
		    t.at[i] == '=')
			break;
	if (i < t.len || t.len >= sizeof(item->name))
		return DIAG(item->t, "this value needs a name: NAME=...");
	memcpy(item->name, t.at, t.len);
	item->name[t.len] = '\0';
	return 0;
}

/* Reads one value: [NAME=]VALUE[:FORMAT]. */
static int parse_item(const struct tap_parser *p, struct tap_token t,
		      struct tap_item *item)
{
	const char *equals = find_equals(t);
	struct tap_token format;
	int ret;

	memset(item, 0, sizeof(*item));
	item->text = p->text;
	item->t = t;
	if (equals) {
		ret = parse_name(p, (struct tap_token) { t.at, equals - t.at },
				 item->name);
		if (ret)
			return ret;
		item->t.at = equals + 1;
		item->t.len = t.at + t.len - item->t.at;
		if (!item->t.len)
			return tap_diag(p, item->t.at, 1, -EINVAL,
					"the value is missing after the =");
	}
	ret = tap_expr_parse(p, item->t, &item->node, &format);
	if (!ret && format.len)
		ret = tap_as_parse(p, format, &item->as);
	if (ret)
		return ret;
	if (format.len)
		item->t.len = format.at - 1 - item->t.at;
	return *item->name ? 0 : default_name(p, item);
}

/**
 * tap_item_parse_text() - read a value that is not in the text of the event
 * @spec: its ast keeps a copy
 * @text: [NAME=]VALUE[:FORMAT]
 * @item: filled in
 * @err: an error message on failure
 *
 * Return: 0 or -errno.
 */
int tap_item_parse_text(struct tap_spec *spec, const char *text,
			struct tap_item *item, struct tap_error *err)
{
	struct tap_ast *ast = spec->ast;
	char *copy = strdup(text);
	struct tap_parser p = { .text = copy, .err = err, .spec = spec };
	struct tap_token t = { copy, 0 };

	if (!copy)
		return tap_error_set(err, -ENOMEM, "out of memory");
	ast->texts[ast->nr_texts++] = copy;
	t.len = strlen(copy);
	if (t.len > TAP_MAX_TEXT)
		return tap_error_set(err, -E2BIG,
				     "a key or value is longer than %d bytes",
				     TAP_MAX_TEXT);
	return parse_item(&p, t, item);
}

/*
 * A kretprobe and a call give the return value unasked, a call its duration:
 * under these names, unless they were asked for under others.
 */
static bool own_name(const struct tap_parser *p, const char *name)
{
	const struct tap_ast *ast = p->spec->ast;
	bool call = tap_probe_is_call(p->spec->type);
	const char *builtin;
	unsigned int i;

	if (call && !strcmp(name, "duration"))
		builtin = "duration";
	else if ((call || tap_probe_is_return(p->spec->type)) &&
		 !strcmp(name, "ret"))
		builtin = "retval";
	else
		return false;
	for (i = 0; i < ast->nr_values; i++)
		if (is_builtin(ast->values[i].node, builtin))
			return false;
	return true;
}

static int check_names(const struct tap_parser *p)
{
	const struct tap_ast *ast = p->spec->ast;
	const struct tap_item *values = ast->values;
	unsigned int i, k;

	for (i = 0; i < ast->nr_values; i++) {
		for (k = 0; k < i; k++)
			if (!strcmp(values[k].name, values[i].name))
				return DIAG(values[i].t,
					    "there is a value \"%s\" already; name one of them otherwise: NAME=...",
					    values[i].name);
		if (own_name(p, values[i].name))
			return DIAG(values[i].t,
				    "%s: gives \"%s\" by itself; name this value otherwise: NAME=...",
				    tap_spec_type_name(p->spec->type),
				    values[i].name);
	}
	return 0;
}

static int add_value(const struct tap_parser *p, struct tap_token t)
{
	struct tap_ast *ast = p->spec->ast;
	struct tap_item *values;

	if (ast->nr_values >= TAP_SPEC_MAX_VALUES)
		return tap_diag(p, t.at, t.len, -E2BIG,
				"a probe has at most %d values",
				TAP_SPEC_MAX_VALUES);
	values = realloc(ast->values, (ast->nr_values + 1) * sizeof(*values));
	if (!values)
		return tap_error_set(p->err, -ENOMEM, "out of memory");
	ast->values = values;
	/* The parser may look at the values so far, not at this one. */
	return parse_item(p, t, &values[ast->nr_values++]);
}

static int parse_filter(struct tap_parser *p, struct tap_token word)
{
	struct tap_token t = { p->at, strlen(p->at) };

	while (t.len && isspace((unsigned char)*t.at)) {
		t.at++;
		t.len--;
	}
	if (!t.len)
		return DIAG(word,
			    "the condition is missing behind this, e.g. if $arg3 > 4096");
	return tap_expr_parse(p, t, &p->spec->ast->filter, NULL);
}

int tap_spec_stack(struct tap_spec *spec, _Bool user, unsigned int frames,
		   struct tap_error *err)
{
	const char *name = user ? "ustack" : "kstack";
	struct tap_ast *ast = spec->ast;
	char text[32];
	unsigned int i;

	if (err)
		memset(err, 0, sizeof(*err));
	if (!ast || ast->nr_stacks == ARRAY_SIZE(ast->stacks))
		return tap_error_set(err, -EINVAL,
				     "a stack is asked for once, before the spec is expanded");
	for (i = 0; i < ast->nr_values; i++)
		if (!strcmp(ast->values[i].name, name))
			return 0;
	if (frames > TAP_MAX_STACK)
		return tap_error_set(err, -EINVAL,
				     "a stack has at most %d frames",
				     TAP_MAX_STACK);
	snprintf(text, sizeof(text), "$%s[%u]", name,
		 frames ? frames : TAP_DEFAULT_STACK);
	return tap_item_parse_text(spec, text, &ast->stacks[ast->nr_stacks++],
				   err);
}

/**
 * tap_values_parse() - read the values and the condition of a probe
 * @p: the text, read up to the end of the target; its spec has type, target
 *	and an ast
 *
 * Return: 0, or -errno with the error message set.
 */
int tap_values_parse(struct tap_parser *p)
{
	struct tap_token t;
	int ret = 0;

	while (!ret) {
		t = next_value(p);
		if (!t.len)
			break;
		if (tap_token_is(t, "if")) {
			ret = parse_filter(p, t);
			break;
		}
		ret = add_value(p, t);
	}
	return ret ? ret : check_names(p);
}

// SPDX-License-Identifier: LGPL-2.1
/*
 * Values, [NAME=]VALUE[:FORMAT] ..., and the condition after if.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lang/lexer.h"
#include "spec/ast.h"
#include "spec/probe_type.h"
#include "spec/spec.h"
#include "util/arch.h"
#include "util/util.h"

#define DIAG(t, ...)	tap_diag(p, (t).at, (t).len, -EINVAL, __VA_ARGS__)

/* ------------------------------------------------------------------- words */

/* The next value: it contains blanks only inside parentheses, brackets and quotes. */
struct tap_token tap_value_next(struct tap_parser *p)
{
	struct tap_token t;
	int depth = 0;

	while (isspace((unsigned char)*p->at))
		p->at++;
	t.at = p->at;
	while (*p->at && (depth > 0 || !isspace((unsigned char)*p->at))) {
		if (*p->at == '"' || *p->at == '\'') {
			p->at = tap_quoted_end(p->at);
			continue;
		}
		depth += *p->at == '(' || *p->at == '[';
		depth -= *p->at == ')' || *p->at == ']';
		p->at++;
	}
	t.len = p->at - t.at;
	return t;
}

/* The = after a name, if there is one. The = of ==, !=, <= and >= is not. */
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
				"%c= assigns, which an expression cannot do; use == to compare",
				t.at[len]);
	if (len < t.len || isdigit((unsigned char)*t.at))
		return tap_diag(p, t.at + (len < t.len ? len : 0), 1, -EINVAL,
				"a name can contain only letters, digits and _, and cannot begin with a digit");
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

/* A parameter may also be called ret: tap_output_make() looks. */
static bool is_retval(const struct tap_node *node)
{
	return is_builtin(node, "retval") || is_builtin(node, "ret");
}

/* A stack, with or without its depth in brackets. */
static bool is_stack(const struct tap_node *node)
{
	if (node->kind == TAP_NODE_INDEX)
		node = node->a;
	return is_builtin(node, "kstack") || is_builtin(node, "ustack");
}

/* Names a value after the variable, name or member that it reads. */
static int default_name(const struct tap_parser *p, struct tap_item *item)
{
	const struct tap_node *node = item->node;
	struct tap_token t = item->t;
	size_t i;

	while (node->kind == TAP_NODE_CAST ||
	       (node->kind == TAP_NODE_UNARY && strchr("*&", node->op)) ||
	       (node->kind == TAP_NODE_CALL && (node->value == TAP_FUNCTION_AFTER ||
						node->value == TAP_FUNCTION_JOIN)) ||
	       (node->kind == TAP_NODE_INDEX && is_stack(node)))
		node = node->a;
	if (is_retval(node)) {
		t = (struct tap_token) { "ret", 3 };
	} else if (node->kind == TAP_NODE_BUILTIN && node->builtin == TAP_BUILTIN_ARGS) {
		t = (struct tap_token) { "args", 4 };
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
		return DIAG(item->t, "this value needs a name; write NAME=...");
	memcpy(item->name, t.at, t.len);
	item->name[t.len] = '\0';
	return 0;
}

/*
 * :%pd and :%pD, which ftrace has for the name of a dentry and of an open file, stand for a path of
 * members. The ast keeps the text, which error messages show.
 */
static int parse_name_of(const struct tap_parser *p, struct tap_token format, struct tap_item *item)
{
	bool file = tap_token_is(format, "%pD");
	struct tap_parser of = *p;
	struct tap_token t;
	char *text;
	int ret;

	item->t.len = format.at - 1 - item->t.at;
	item->named = *item->name;
	ret = item->named ? 0 : default_name(p, item);
	if (ret)
		return ret;
	if (asprintf(&text, "((struct %s *)(%.*s))->%s", file ? "file" : "dentry", (int)item->t.len,
		     item->t.at, file ? "f_path.dentry->d_name.name" : "d_name.name") < 0 ||
	    tap_ast_keep(p->spec->ast, text))
		return tap_error_set(p->err, -ENOMEM, "out of memory");
	of.text = text;
	t = (struct tap_token) { text, strlen(text) };
	item->text = text;
	item->t = t;
	return tap_expr_parse(&of, t, &item->node, NULL);
}

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
	if (!ret && (tap_token_is(format, "%pd") || tap_token_is(format, "%pD")))
		return parse_name_of(p, format, item);
	if (!ret && format.len)
		ret = tap_as_parse(p, format, &item->as);
	if (ret)
		return ret;
	if (format.len)
		item->t.len = format.at - 1 - item->t.at;
	item->named = *item->name;
	if (item->node->kind == TAP_NODE_BUILTIN && item->node->builtin == TAP_BUILTIN_ARGS &&
	    (item->named || format.len))
		return DIAG(t, "$args stands for several values, so it takes no name and no format; give the single ones theirs, e.g. n=$arg1:x64");
	return *item->name ? 0 : default_name(p, item);
}

/*
 * Parses a value that is not part of the event's text. The ast of @spec keeps a copy of
 * the text.
 */
int tap_item_parse_text(struct tap_spec *spec, const char *text,
			struct tap_item *item, struct tap_error *err)
{
	struct tap_ast *ast = spec->ast;
	char *copy = strdup(text);
	struct tap_parser p = { .text = copy, .err = err, .spec = spec };
	struct tap_token t = { copy, 0 };
	int ret;

	if (tap_ast_keep(ast, copy))
		return tap_error_set(err, -ENOMEM, "out of memory");
	t.len = strlen(copy);
	if (t.len > TAP_MAX_TEXT)
		return tap_error_set(err, -E2BIG,
				     "a key or value is longer than %d bytes",
				     TAP_MAX_TEXT);
	ret = parse_item(&p, t, item);
	if (ret || !ast->span)
		return ret;
	tap_span_refer(ast);
	return item->named || item->node->kind != TAP_NODE_NAME ? 0 : default_name(&p, item);
}

/*
 * Each record of a kretprobe and a call has the return value, that of a call also the
 * duration. They have these names unless a value of the event reads them under another.
 */
static bool own_name(const struct tap_parser *p, const char *name)
{
	const struct tap_ast *ast = p->spec->ast;
	bool call = tap_probe_is_call(p->spec->type);
	bool duration = call && !strcmp(name, "duration");
	const struct tap_node *node;
	unsigned int i;

	if (!duration && ((!call && !tap_probe_is_return(p->spec->type)) ||
			  strcmp(name, "ret")))
		return false;
	for (i = 0; i < ast->nr_values; i++) {
		node = ast->values[i].node;
		if (duration ? is_builtin(node, "duration") : is_retval(node))
			return false;
	}
	return true;
}

static int check_names(const struct tap_parser *p)
{
	const struct tap_ast *ast = p->spec->ast;
	const struct tap_item *values = ast->values;
	unsigned int i;
	int ret = tap_items_distinguish(*p, "values", ast->values, ast->nr_values);

	if (ret)
		return ret;
	for (i = 0; i < ast->nr_values; i++) {
		if (own_name(p, values[i].name))
			return DIAG(values[i].t,
				    "each event of %s: already has a value \"%s\"; rename this one with NAME=...",
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
	/* parse_item() may look at the values before this one, but not at this one. */
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
			    "the condition is missing after this, e.g. if $arg3 > 4096");
	return tap_expr_parse(p, t, &p->spec->ast->filter, NULL);
}

int tap_spec_stack(struct tap_spec *spec, bool user, unsigned int frames,
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
				     "tap_spec_stack() can be called once for each stack, before tap_spec_expand()");
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

int tap_spec_stack_copy(struct tap_spec *spec, __u32 bytes, struct tap_error *err)
{
	const __u32 most = TAP_MAX_STACK_COPY - 8 * TAP_ARCH_DWARF_REGS;
	struct tap_ast *ast = spec->ast;
	unsigned int nr;
	int ret;

	if (bytes % 8 || bytes > most)
		return tap_error_set(err, -EINVAL,
				     "a copy of a stack has at most %u bytes, in multiples of 8", most);
	/* These keep what they know at the start of a call, where there is no room for a stack. */
	if (spec->type == TAP_PROBE_SPAN || spec->type == TAP_PROBE_FUNCGRAPH)
		return tap_error_set(err, -EOPNOTSUPP,
				     "%s: has no room for a copy of the stack; take the stack by frame pointers (--ustack)",
				     spec->event);
	if (ast && ast->nr_tables)
		return tap_error_set(err, -EOPNOTSUPP,
				     "a copy of the stack is no key; take the stack by frame pointers (--ustack)");
	nr = ast ? ast->nr_stacks : 0;
	ret = tap_spec_stack(spec, true, 1, err);
	if (!ret && ast->nr_stacks > nr)
		ast->stack_copy = bytes ? bytes : spec->type == TAP_PROBE_UCALL ?
				  TAP_DEFAULT_ENTRY_COPY : TAP_DEFAULT_STACK_COPY;
	return ret;
}

/*
 * Parses the values and the condition. The text was read up to the end of the target;
 * the spec has a type, a target and an ast.
 */
int tap_values_parse(struct tap_parser *p)
{
	struct tap_token t;
	int ret = 0;

	while (!ret) {
		t = tap_value_next(p);
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

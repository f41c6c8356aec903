// SPDX-License-Identifier: LGPL-2.1
/*
 * inside(EVENT), inside(EVENT, N), inside(EVENT, irq): its first argument is the name or the text of
 * an event, which is no expression.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lang/expr_parser.h"

#define USAGE	"write inside(EVENT), inside(EVENT, N) or inside(EVENT, irq), where EVENT is the name or the TYPE:TARGET of a call:, ucall:, syscall: or span:"

/* The most frames that may be in between: the field of TAP_INSIDE_BETWEEN() but TAP_INSIDE_ANY. */
#define MAX_BETWEEN	65534

/* The end of an argument: a comma or the closing bracket outside of brackets and quotes. */
static const char *argument_end(const char *p, const char *end)
{
	char quote = 0;
	int depth = 0;

	for (; p < end; p++) {
		if (quote) {
			if (*p == '\\' && p + 1 < end)
				p++;
			else if (*p == quote)
				quote = 0;
		} else if (*p == '"' || *p == '\'') {
			quote = *p;
		} else if (strchr("([{", *p)) {
			depth++;
		} else if (depth && strchr(")]}", *p)) {
			depth--;
		} else if (!depth && (*p == ',' || *p == ')')) {
			break;
		}
	}
	return p;
}

static struct tap_token trim(const char *at, const char *end)
{
	while (at < end && isspace((unsigned char)*at))
		at++;
	while (end > at && isspace((unsigned char)end[-1]))
		end--;
	return (struct tap_token) { at, (size_t)(end - at) };
}

/* "irq", or the most frames in between. */
static int parse_option(struct tap_expr_parser *e, struct tap_token t, __u64 *imm)
{
	__u64 n = 0;
	size_t i;

	if (tap_token_is(t, "irq")) {
		*imm |= TAP_INSIDE_IRQ;
		return 0;
	}
	for (i = 0; i < t.len && i < 6 && isdigit((unsigned char)t.at[i]); i++)
		n = n * 10 + (__u64)(t.at[i] - '0');
	if (!t.len || i < t.len || n > MAX_BETWEEN)
		return EXPR_DIAG(e, t, "this is neither irq nor a number of calls in between; " USAGE);
	*imm = (*imm & ~TAP_INSIDE_ANY) | TAP_INSIDE_BETWEEN(n);
	return 0;
}

static int keep(struct tap_expr_parser *e, struct tap_token ref, __u64 imm)
{
	struct tap_inside_text *list, *inside;
	struct tap_ast *ast = e->ast;
	char *text;

	list = realloc(ast->insides, (ast->nr_insides + 1) * sizeof(*list));
	if (!list)
		return tap_error_set(e->p->err, -ENOMEM, "out of memory");
	ast->insides = list;
	inside = &list[ast->nr_insides];
	text = strndup(ref.at, ref.len);
	if (!text || tap_ast_keep(ast, text))
		return tap_error_set(e->p->err, -ENOMEM, "out of memory");
	*inside = (struct tap_inside_text) { .ref = text, .imm = imm };
	ast->nr_insides++;
	return 0;
}

/**
 * tap_parse_inside() - parse inside(...)
 * @e: its token is the ( behind the name
 * @name: the token of the name
 * @node: set to the node; its @op is an index into @insides of the ast
 *
 * Return: 0 or -errno.
 */
int tap_parse_inside(struct tap_expr_parser *e, const struct tap_lexeme *name,
		     struct tap_node **node)
{
	const char *at = e->lexer.at, *end = e->lexer.end, *stop;
	struct tap_token open = e->x.t, ref = { at, 0 }, t;
	__u64 imm = TAP_INSIDE_ANY;
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret; i++, at = stop + 1) {
		stop = argument_end(at, end);
		if (stop == end)
			return EXPR_DIAG(e, open, "this ( is not closed");
		t = trim(at, stop);
		if (!i)
			ref = t;
		else
			ret = parse_option(e, t, &imm);
		if (*stop == ')')
			break;
	}
	if (!ret && !ref.len)
		ret = EXPR_DIAG(e, open, "the event is missing here; " USAGE);
	if (!ret)
		ret = keep(e, ref, imm);
	if (ret)
		return ret;
	/* The token in front of the next one is the closing bracket. */
	e->lexer.at = stop + 1;
	e->x.t = (struct tap_token) { stop, 1 };
	ret = tap_expr_advance(e, false);
	if (!ret)
		ret = tap_expr_node(e, TAP_NODE_CALL, name, NULL, NULL, node);
	if (ret)
		return ret;
	(*node)->value = TAP_FUNCTION_INSIDE;
	(*node)->op = (int)e->ast->nr_insides - 1;
	return 0;
}

// SPDX-License-Identifier: LGPL-2.1
/*
 * From tokens to a tree, with the precedences of C.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lang/expr_parser.h"

#define FUNCTIONS	"sizeof(), offsetof(), container_of(), min(), max(), bswap(), log2(), strlen(), ntop(), this_cpu_ptr(), this_cpu_read(), after(), join() and inside()"

/* Takes the token. @operand: the next one may start a value, see tap_lexer_next(). */
int tap_expr_advance(struct tap_expr_parser *e, bool operand)
{
	e->end = e->x.t.at + e->x.t.len;
	return tap_lexer_next(&e->lexer, operand, &e->x);
}

int tap_expr_too_deep(struct tap_expr_parser *e, struct tap_token t)
{
	return EXPR_DIAG(e, t,
			 "the expression is nested more than %d deep; split it",
			 TAP_MAX_DEPTH);
}

/* Makes a node of operands. Its token is the operator. */
int tap_expr_node(struct tap_expr_parser *e, enum tap_node_kind kind,
		  const struct tap_lexeme *x, struct tap_node *a,
		  struct tap_node *b, struct tap_node **node)
{
	struct tap_node *n = tap_ast_node(e->ast, kind, x->t);
	const char *begin = x->t.at;

	if (!n)
		return tap_error_set(e->p->err, -ENOMEM, "out of memory");
	n->op = x->kind;
	n->value = x->value;
	n->user = x->user;
	n->is_unsigned = x->is_unsigned;
	n->wide = x->wide;
	n->a = a;
	n->b = b;
	if (a && a->all.at < begin)
		begin = a->all.at;
	n->all.at = begin;
	n->all.len = e->end - begin;
	if (a && a->depth >= n->depth)
		n->depth = a->depth + 1;
	if (b && b->depth >= n->depth)
		n->depth = b->depth + 1;
	*node = n;
	return n->depth > TAP_MAX_DEPTH ? tap_expr_too_deep(e, x->t) : 0;
}

static int missing(struct tap_expr_parser *e)
{
	if (e->x.kind == TAP_LEX_ASSIGN && e->x.t.len == 1)
		return EXPR_DIAG(e, e->x.t,
				 "= assigns, which an expression cannot do; use == to compare");
	if (e->x.kind == TAP_LEX_END && *e->x.t.at)
		return EXPR_DIAG(e, e->x.t,
				 "an operand is missing here; put a value with blanks in parentheses, and a condition after if");
	return EXPR_DIAG(e, e->x.t, "an operand is missing %s",
			 e->x.kind == TAP_LEX_END ? "here" : "in front of this");
}

static int parse_expr(struct tap_expr_parser *e, struct tap_node **node);

static int close_with(struct tap_expr_parser *e, int closing, struct tap_token open)
{
	if (e->x.kind == closing)
		return tap_expr_advance(e, false);
	if (e->x.kind == TAP_LEX_END)
		return EXPR_DIAG(e, open, "this %.1s is not closed", open.at);
	return EXPR_DIAG(e, e->x.t, "an operator or a %c is missing in front of this",
			 closing);
}

/* --------------------------------------------------------------- functions */

static const struct {
	const char *name;
	enum tap_function function;
	const char *usage;
} functions[] = {
	{ "sizeof", TAP_FUNCTION_SIZEOF, "sizeof(struct NAME), or sizeof of a value" },
	{ "offsetof", TAP_FUNCTION_OFFSETOF, "offsetof(struct NAME, MEMBER)" },
	{ "container_of", TAP_FUNCTION_CONTAINER_OF, "container_of(POINTER, struct NAME, MEMBER)" },
	{ "min", TAP_FUNCTION_MIN, "min(VALUE, VALUE)" },
	{ "max", TAP_FUNCTION_MAX, "max(VALUE, VALUE)" },
	{ "bswap", TAP_FUNCTION_BSWAP, "bswap(VALUE)" },
	{ "log2", TAP_FUNCTION_LOG2, "log2(VALUE)" },
	{ "strlen", TAP_FUNCTION_STRLEN, "strlen(TEXT)" },
	{ "ntop", TAP_FUNCTION_NTOP, "ntop(ADDRESS)" },
	{ "this_cpu_ptr", TAP_FUNCTION_THIS_CPU_PTR, "this_cpu_ptr(POINTER)" },
	{ "this_cpu_read", TAP_FUNCTION_THIS_CPU_READ, "this_cpu_read(POINTER)" },
	{ "after", TAP_FUNCTION_AFTER, "after(VALUE)" },
	{ "join", TAP_FUNCTION_JOIN, "join(ARRAY), or join(ARRAY, COUNT)" },
};

static int usage(struct tap_expr_parser *e, const char *name, const char *text)
{
	return EXPR_DIAG(e, e->x.t, "this is no argument of %s; write %s", name, text);
}

/* sizeof(TYPE): the type is that of the call's node. */
static int parse_sizeof(struct tap_expr_parser *e, struct tap_node *call)
{
	struct tap_token words;

	if (!tap_begins_type(&e->x))
		return parse_expr(e, &call->a);
	call->cast = calloc(1, sizeof(*call->cast));
	if (!call->cast)
		return tap_error_set(e->p->err, -ENOMEM, "out of memory");
	return tap_parse_type(e, call->cast, &words);
}

/* "struct NAME, MEMBER" as the place of ((struct NAME *)0)->MEMBER. */
static int parse_place(struct tap_expr_parser *e, const char *name, const char *text,
		       struct tap_node **node)
{
	struct tap_lexeme op = { .kind = TAP_LEX_ARROW, .t = e->x.t };
	struct tap_token words;
	struct tap_node *b;
	int ret;

	if (!tap_begins_type(&e->x))
		return usage(e, name, text);
	ret = tap_expr_node(e, TAP_NODE_NUMBER, &op, NULL, NULL, &b);
	if (!ret)
		ret = tap_expr_cast_node(e, &op, b, node);
	if (ret)
		return ret;
	ret = tap_parse_type(e, (*node)->cast, &words);
	(*node)->cast->stars++;
	(*node)->t = words;
	(*node)->all = words;
	b->all = words;
	if (!ret && e->x.kind != ',')
		return usage(e, name, text);
	while (!ret && (e->x.kind == ',' || e->x.kind == '.' || e->x.kind == '[')) {
		op = e->x;
		if (op.kind == ',' && (*node)->kind != TAP_NODE_CAST)
			break;
		ret = tap_expr_advance(e, op.kind == '[');
		if (!ret && op.kind == '[') {
			ret = parse_expr(e, &b);
			if (!ret)
				ret = close_with(e, ']', op.t);
			if (!ret)
				ret = tap_expr_node(e, TAP_NODE_INDEX, &op, *node, b, node);
			continue;
		}
		if (!ret && e->x.kind != TAP_LEX_NAME)
			ret = EXPR_DIAG(e, e->x.t, "the name of a member is missing");
		op.t = e->x.t;
		if (!ret)
			ret = tap_expr_advance(e, false);
		if (!ret)
			ret = tap_expr_node(e, TAP_NODE_MEMBER, &op, *node, NULL, node);
		if (!ret)
			(*node)->arrow = op.kind == ',';
	}
	return ret;
}

static int parse_arguments(struct tap_expr_parser *e, struct tap_node *call, const char *name,
			   const char *text)
{
	int ret;

	switch ((enum tap_function)call->value) {
	case TAP_FUNCTION_SIZEOF:
		return parse_sizeof(e, call);
	case TAP_FUNCTION_OFFSETOF:
		return parse_place(e, name, text, &call->a);
	default:
		break;
	}
	ret = parse_expr(e, &call->a);
	if (!ret && call->value == TAP_FUNCTION_JOIN && e->x.kind == ',') {
		ret = tap_expr_advance(e, true);
		return ret ? ret : parse_expr(e, &call->b);
	}
	if (ret || call->value > TAP_FUNCTION_MAX)
		return ret;
	if (!ret && e->x.kind != ',')
		ret = e->x.kind == TAP_LEX_END ? 0 : usage(e, name, text);
	else if (!ret)
		ret = tap_expr_advance(e, true);
	if (!ret && e->x.kind != TAP_LEX_END)
		ret = call->value == TAP_FUNCTION_CONTAINER_OF ?
		      parse_place(e, name, text, &call->b) : parse_expr(e, &call->b);
	return ret;
}

/* The token is the ( behind the name of a function. */
static int parse_call(struct tap_expr_parser *e, const struct tap_lexeme *name, struct tap_node **node)
{
	struct tap_token open = e->x.t;
	struct tap_node *call;
	size_t i;
	int ret;

	if (tap_token_is(name->t, "inside"))
		return tap_parse_inside(e, name, node);
	for (i = 0; i < ARRAY_SIZE(functions); i++)
		if (tap_token_is(name->t, functions[i].name))
			break;
	if (i == ARRAY_SIZE(functions))
		return EXPR_DIAG(e, open, "an expression cannot call a function, except " FUNCTIONS);
	if (++e->depth > TAP_MAX_DEPTH)
		return tap_expr_too_deep(e, name->t);
	ret = tap_expr_node(e, TAP_NODE_CALL, name, NULL, NULL, &call);
	if (ret)
		return ret;
	call->value = functions[i].function;
	e->lexer.calls++;
	ret = tap_expr_advance(e, true);
	if (!ret)
		ret = parse_arguments(e, call, functions[i].name, functions[i].usage);
	if (!ret && e->x.kind != ')' && e->x.kind != TAP_LEX_END)
		ret = usage(e, functions[i].name, functions[i].usage);
	e->lexer.calls--;
	if (!ret)
		ret = close_with(e, ')', open);
	if (ret)
		return ret;
	e->depth--;
	/* Its own depth is known now. */
	if (call->a && call->a->depth >= call->depth)
		call->depth = call->a->depth + 1;
	if (call->b && call->b->depth >= call->depth)
		call->depth = call->b->depth + 1;
	call->all.len = e->end - call->all.at;
	*node = call;
	return call->depth > TAP_MAX_DEPTH ? tap_expr_too_deep(e, name->t) : 0;
}

/* ---------------------------------------------------------------- operands */

static int parse_leaf(struct tap_expr_parser *e, struct tap_node **node)
{
	static const enum tap_node_kind kinds[] = {
		[TAP_LEX_NAME] = TAP_NODE_NAME,
		[TAP_LEX_VARIABLE] = TAP_NODE_BUILTIN,
		[TAP_LEX_REGISTER] = TAP_NODE_REGISTER,
		[TAP_LEX_SYMBOL] = TAP_NODE_SYMBOL,
		[TAP_LEX_NUMBER] = TAP_NODE_NUMBER,
		[TAP_LEX_STRING] = TAP_NODE_STRING,
	};
	struct tap_lexeme x = e->x;
	int ret = tap_expr_advance(e, false);

	if (!ret && x.kind == TAP_LEX_NAME && e->x.kind == '(')
		return parse_call(e, &x, node);
	if (!ret)
		ret = tap_expr_node(e, kinds[x.kind], &x, NULL, NULL, node);
	if (!ret && x.kind == TAP_LEX_VARIABLE)
		ret = tap_variable_parse(e->p, *node);
	if (!ret && x.kind == TAP_LEX_REGISTER)
		ret = tap_register_parse(e->p, *node);
	if (!ret && ((*node)->kind == TAP_NODE_NAME || (x.kind == TAP_LEX_VARIABLE &&
							(*node)->builtin >= TAP_BUILTIN_CURRENT)))
		e->ast->names = true;
	return ret;
}

int tap_parse_primary(struct tap_expr_parser *e, struct tap_node **node)
{
	struct tap_lexeme open = e->x;
	struct tap_token tag, member;
	struct tap_node *a;
	int ret;

	if (open.kind > TAP_LEX_END && open.kind < TAP_LEX_FETCH)
		return parse_leaf(e, node);
	if (open.kind != TAP_LEX_FETCH && open.kind != '(')
		return missing(e);
	if (open.kind == '(' && tap_is_ftrace_cast(e->lexer.at, e->lexer.end, &tag, &member))
		return tap_parse_ftrace_cast(e, tag, member, node);
	ret = tap_expr_advance(e, true);
	if (ret)
		return ret;
	if (open.kind == '(' && tap_begins_type(&e->x))
		return tap_parse_cast(e, &open, node);
	ret = parse_expr(e, &a);
	if (ret)
		return ret;
	ret = close_with(e, ')', open.kind == '(' ? open.t :
			 (struct tap_token) { open.t.at + open.t.len, 1 });
	if (ret)
		return ret;
	if (open.kind == TAP_LEX_FETCH)
		return tap_expr_node(e, TAP_NODE_FETCH, &open, a, NULL, node);
	a->all.at = open.t.at;
	a->all.len = e->end - open.t.at;
	*node = a;
	return 0;
}

static int parse_postfix(struct tap_expr_parser *e, struct tap_node **node)
{
	struct tap_node *b;
	int ret = tap_parse_primary(e, node);

	while (!ret) {
		struct tap_lexeme op = e->x;

		if (op.kind == '.' || op.kind == TAP_LEX_ARROW) {
			ret = tap_expr_advance(e, false);
			if (!ret && e->x.kind != TAP_LEX_NAME)
				ret = EXPR_DIAG(e, e->x.t,
						"the name of a member is missing");
			if (ret)
				return ret;
			op.t = e->x.t;
			ret = tap_expr_advance(e, false);
			if (!ret)
				ret = tap_expr_node(e, TAP_NODE_MEMBER, &op, *node, NULL,
						    node);
			if (!ret)
				(*node)->arrow = op.kind == TAP_LEX_ARROW;
		} else if (op.kind == '[') {
			ret = tap_expr_advance(e, true);
			if (!ret)
				ret = parse_expr(e, &b);
			if (!ret)
				ret = close_with(e, ']', op.t);
			if (!ret)
				ret = tap_expr_node(e, TAP_NODE_INDEX, &op, *node, b,
						    node);
		} else if (op.kind == '(') {
			return EXPR_DIAG(e, op.t, "an expression cannot call a function, except "
					 FUNCTIONS);
		} else {
			return 0;
		}
	}
	return ret;
}

int tap_parse_unary(struct tap_expr_parser *e, struct tap_node **node)
{
	struct tap_lexeme op = e->x;
	struct tap_node *a;
	int ret;

	if (op.kind < ' ' || op.kind > '~' || !strchr("-+!~*&", op.kind))
		return parse_postfix(e, node);
	if (++e->depth > TAP_MAX_DEPTH)
		return tap_expr_too_deep(e, op.t);
	ret = tap_expr_advance(e, true);
	if (!ret)
		ret = tap_parse_unary(e, &a);
	e->depth--;
	return ret ? ret : tap_expr_node(e, TAP_NODE_UNARY, &op, a, NULL, node);
}

/* --------------------------------------------------------------- operators */

static unsigned int precedence(int op)
{
	switch (op) {
	case TAP_LEX_OR:
		return 1;
	case TAP_LEX_AND:
		return 2;
	case '|':
		return 3;
	case '^':
		return 4;
	case '&':
		return 5;
	case TAP_LEX_EQ:
	case TAP_LEX_NE:
		return 6;
	case '<':
	case '>':
	case TAP_LEX_LE:
	case TAP_LEX_GE:
		return 7;
	case TAP_LEX_SHL:
	case TAP_LEX_SHR:
		return 8;
	case '+':
	case '-':
		return 9;
	case '*':
	case '/':
	case '%':
		return 10;
	}
	return 0;
}

static int parse_binary(struct tap_expr_parser *e, unsigned int least,
			struct tap_node **node)
{
	struct tap_node *b;
	int ret = tap_parse_unary(e, node);

	while (!ret && precedence(e->x.kind) >= least) {
		struct tap_lexeme op = e->x;

		ret = tap_expr_advance(e, true);
		if (!ret)
			ret = parse_binary(e, precedence(op.kind) + 1, &b);
		if (!ret)
			ret = tap_expr_node(e, TAP_NODE_BINARY, &op, *node, b, node);
	}
	return ret;
}

static int parse_expr(struct tap_expr_parser *e, struct tap_node **node)
{
	struct tap_node *b, *c;
	struct tap_lexeme op;
	int ret;

	if (++e->depth > TAP_MAX_DEPTH)
		return tap_expr_too_deep(e, e->x.t);
	ret = parse_binary(e, 1, node);
	op = e->x;
	if (!ret && op.kind == '?') {
		ret = tap_expr_advance(e, true);
		if (!ret)
			ret = parse_expr(e, &b);
		if (!ret && e->x.kind != ':')
			ret = EXPR_DIAG(e, op.t, "this ? has no : after it");
		if (!ret)
			ret = tap_expr_advance(e, true);
		if (!ret)
			ret = parse_expr(e, &c);
		if (!ret)
			ret = tap_expr_node(e, TAP_NODE_COND, &op, *node, b, node);
		if (!ret) {
			(*node)->c = c;
			if (c->depth >= (*node)->depth)
				(*node)->depth = c->depth + 1;
			if ((*node)->depth > TAP_MAX_DEPTH)
				ret = tap_expr_too_deep(e, op.t);
		}
	}
	e->depth--;
	return ret;
}

static int left_over(struct tap_expr_parser *e)
{
	if (e->x.kind == TAP_LEX_ASSIGN)
		return EXPR_DIAG(e, e->x.t,
				 "%.*s assigns, which an expression cannot do; use == to compare",
				 QUOTE(e->x.t));
	if (e->x.kind == ')' || e->x.kind == ']')
		return EXPR_DIAG(e, e->x.t, "this %c has no opening one", e->x.kind);
	if (tap_token_is(e->x.t, "and") || tap_token_is(e->x.t, "or"))
		return EXPR_DIAG(e, e->x.t, "this operator is written as in C; use %s",
				 e->x.t.len == 2 ? "||" : "&&");
	return EXPR_DIAG(e, e->x.t, "an operator is missing in front of this");
}

/*
 * Parses an expression. @rest gets the text after a colon behind the expression, length
 * 0 without one; if @rest is NULL, nothing may follow. The nodes go to the ast of the
 * spec.
 */
int tap_expr_parse(const struct tap_parser *p, struct tap_token t,
		   struct tap_node **node, struct tap_token *rest)
{
	struct tap_expr_parser e = {
		.p = p,
		.ast = p->spec->ast,
		.lexer = { .p = p, .at = t.at, .end = t.at + t.len },
		.end = t.at,
	};
	int ret;

	/* tap_expr_advance() would take a token, and there is none yet. */
	ret = tap_lexer_next(&e.lexer, true, &e.x);
	if (!ret)
		ret = parse_expr(&e, node);
	if (ret)
		return ret;
	if (rest) {
		rest->at = e.lexer.at;
		rest->len = 0;
		if (e.x.kind == ':') {
			rest->len = e.lexer.end - rest->at;
			if (rest->len)
				return 0;
			return tap_as_parse(p, *rest, NULL);
		}
	}
	return e.x.kind == TAP_LEX_END ? 0 : left_over(&e);
}

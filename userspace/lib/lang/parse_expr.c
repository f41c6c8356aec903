// SPDX-License-Identifier: LGPL-2.1
/*
 * From tokens to a tree, with the precedences of C.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lang/lexer.h"
#include "spec/ast.h"
#include "util/util.h"

/*
 * An expression that is being parsed. @end is the end of the last token taken, @depth
 * the recursion depth of the parser itself.
 */
struct expr_parser {
	const struct tap_parser *p;
	struct tap_ast *ast;
	struct tap_lexer lexer;
	struct tap_lexeme x;
	const char *end;
	unsigned int depth;
};

#define FUNCTIONS	"sizeof(), offsetof(), container_of(), min(), max(), bswap(), log2(), strlen() and ntop()"

#define DIAG(e, t, ...)	\
	tap_diag((e)->p, (t).at, (t).len, -EINVAL, __VA_ARGS__)

/* Takes the token. @operand: the next one may start a value, see tap_lexer_next(). */
static int advance(struct expr_parser *e, bool operand)
{
	e->end = e->x.t.at + e->x.t.len;
	return tap_lexer_next(&e->lexer, operand, &e->x);
}

static int too_deep(struct expr_parser *e, struct tap_token t)
{
	return DIAG(e, t,
		    "the expression is nested more than %d deep; split it",
		    TAP_MAX_DEPTH);
}

/* Makes a node of operands. Its token is the operator. */
static int make(struct expr_parser *e, enum tap_node_kind kind,
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
	return n->depth > TAP_MAX_DEPTH ? too_deep(e, x->t) : 0;
}

static int missing(struct expr_parser *e)
{
	if (e->x.kind == TAP_LEX_ASSIGN && e->x.t.len == 1)
		return DIAG(e, e->x.t,
			    "= assigns, which an expression cannot do; use == to compare");
	if (e->x.kind == TAP_LEX_END && *e->x.t.at)
		return DIAG(e, e->x.t,
			    "an operand is missing here; put a value with blanks in parentheses, and a condition after if");
	return DIAG(e, e->x.t, "an operand is missing %s",
		    e->x.kind == TAP_LEX_END ? "here" : "in front of this");
}

static int parse_expr(struct expr_parser *e, struct tap_node **node);
static int parse_unary(struct expr_parser *e, struct tap_node **node);

static int close_with(struct expr_parser *e, int closing, struct tap_token open)
{
	if (e->x.kind == closing)
		return advance(e, false);
	if (e->x.kind == TAP_LEX_END)
		return DIAG(e, open, "this %.1s is not closed", open.at);
	return DIAG(e, e->x.t, "an operator or a %c is missing in front of this",
		    closing);
}

/* ------------------------------------------------------------------- casts */

static const struct {
	const char *name;
	enum tap_type_class cls;
	__u8 size;
	bool is_signed;
} base_types[] = {
	{ "u8", TAP_TYPE_INT, 1, false },
	{ "u16", TAP_TYPE_INT, 2, false },
	{ "u32", TAP_TYPE_INT, 4, false },
	{ "u64", TAP_TYPE_INT, 8, false },
	{ "s8", TAP_TYPE_INT, 1, true },
	{ "s16", TAP_TYPE_INT, 2, true },
	{ "s32", TAP_TYPE_INT, 4, true },
	{ "s64", TAP_TYPE_INT, 8, true },
	{ "__u8", TAP_TYPE_INT, 1, false },
	{ "__u16", TAP_TYPE_INT, 2, false },
	{ "__u32", TAP_TYPE_INT, 4, false },
	{ "__u64", TAP_TYPE_INT, 8, false },
	{ "__s8", TAP_TYPE_INT, 1, true },
	{ "__s16", TAP_TYPE_INT, 2, true },
	{ "__s32", TAP_TYPE_INT, 4, true },
	{ "__s64", TAP_TYPE_INT, 8, true },
	{ "uint8_t", TAP_TYPE_INT, 1, false },
	{ "uint16_t", TAP_TYPE_INT, 2, false },
	{ "uint32_t", TAP_TYPE_INT, 4, false },
	{ "uint64_t", TAP_TYPE_INT, 8, false },
	{ "int8_t", TAP_TYPE_INT, 1, true },
	{ "int16_t", TAP_TYPE_INT, 2, true },
	{ "int32_t", TAP_TYPE_INT, 4, true },
	{ "int64_t", TAP_TYPE_INT, 8, true },
	{ "size_t", TAP_TYPE_INT, 8, false },
	{ "ssize_t", TAP_TYPE_INT, 8, true },
	{ "uintptr_t", TAP_TYPE_INT, 8, false },
	{ "loff_t", TAP_TYPE_INT, 8, true },
	{ "pid_t", TAP_TYPE_INT, 4, true },
	{ "uid_t", TAP_TYPE_INT, 4, false },
	{ "gid_t", TAP_TYPE_INT, 4, false },
	{ "dev_t", TAP_TYPE_INT, 4, false },
	{ "gfp_t", TAP_TYPE_INT, 4, false },
	{ "umode_t", TAP_TYPE_INT, 2, false },
	{ "sector_t", TAP_TYPE_INT, 8, false },
	{ "dma_addr_t", TAP_TYPE_INT, 8, false },
	{ "bool", TAP_TYPE_BOOL, 1, false },
	{ "_Bool", TAP_TYPE_BOOL, 1, false },
	{ "void", TAP_TYPE_NONE, 0, false },
};

/* Words that make up the types of C. */
static const char *const c_words[] = {
	"unsigned", "signed", "char", "short", "int", "long", "const",
	"volatile", "struct", "union", "enum",
};

static int base_type(struct tap_token t)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(base_types); i++)
		if (tap_token_is(t, base_types[i].name))
			return i;
	return -1;
}

static bool begins_type(const struct tap_lexeme *x)
{
	size_t i;

	if (x->kind != TAP_LEX_NAME)
		return false;
	for (i = 0; i < ARRAY_SIZE(c_words); i++)
		if (tap_token_is(x->t, c_words[i]))
			return true;
	return base_type(x->t) >= 0;
}

static int parse_struct(struct expr_parser *e, struct tap_cast *cast)
{
	int ret = 0;

	if (tap_token_is(e->x.t, "enum"))
		return DIAG(e, e->x.t,
			    "a cast to an enum is not supported; enumerators can be compared with any number");
	ret = advance(e, false);
	if (ret)
		return ret;
	if (e->x.kind != TAP_LEX_NAME)
		return DIAG(e, e->x.t, "the name of the struct is missing");
	cast->tag = e->x.t;
	cast->type.cls = TAP_TYPE_STRUCT;
	return advance(e, false);
}

/* "unsigned long long" and the like, a type by name, or a struct. */
static int parse_words(struct expr_parser *e, struct tap_cast *cast)
{
	unsigned int shorts = 0, longs = 0;
	bool is_unsigned = false, is_char = false, is_signed = false;
	int ret = 0, base;

	while (!ret && e->x.kind == TAP_LEX_NAME) {
		struct tap_token t = e->x.t;

		if (tap_token_is(t, "struct") || tap_token_is(t, "union") ||
		    tap_token_is(t, "enum")) {
			ret = parse_struct(e, cast);
			continue;
		}
		base = base_type(t);
		if (base >= 0) {
			cast->type.cls = base_types[base].cls;
			cast->type.size = base_types[base].size;
			cast->type.is_signed = base_types[base].is_signed;
		} else if (tap_token_is(t, "__user")) {
			cast->user = true;
		} else if (!begins_type(&e->x)) {
			return DIAG(e, t,
				    "no type \"%.*s\"; cast to u8 to u64, s8 to s64, a type of C, or struct NAME *",
				    QUOTE(t));
		}
		is_unsigned |= tap_token_is(t, "unsigned");
		is_signed |= tap_token_is(t, "signed");
		is_char |= tap_token_is(t, "char");
		shorts += tap_token_is(t, "short");
		longs += tap_token_is(t, "long");
		if (cast->type.size == 0 && tap_token_is(t, "int"))
			cast->type.size = 4;
		ret = advance(e, false);
	}
	if (ret || cast->type.cls != TAP_TYPE_NONE)
		return ret;
	/* Neither a struct nor a named type: a type of C, or void. */
	if (!cast->type.size && !is_unsigned && !is_signed && !is_char &&
	    !shorts && !longs)
		return 0;
	cast->type.cls = is_char && !is_unsigned && !is_signed ?
			 TAP_TYPE_CHAR : TAP_TYPE_INT;
	cast->type.size = is_char ? 1 : shorts ? 2 : longs ? 8 : 4;
	cast->type.is_signed = !is_unsigned;
	return 0;
}

/* A type with its stars. @words gets its text. */
static int parse_type(struct expr_parser *e, struct tap_cast *cast, struct tap_token *words)
{
	int ret;

	words->at = e->x.t.at;
	ret = parse_words(e, cast);
	while (!ret && (e->x.kind == '*' ||
			(e->x.kind == TAP_LEX_NAME &&
			 (tap_token_is(e->x.t, "__user") ||
			  tap_token_is(e->x.t, "const"))))) {
		cast->stars += e->x.kind == '*';
		cast->user |= tap_token_is(e->x.t, "__user");
		ret = advance(e, false);
	}
	words->len = e->end - words->at;
	e->ast->names = true;
	return ret;
}

static int parse_cast(struct expr_parser *e, const struct tap_lexeme *open,
		      struct tap_node **node)
{
	struct tap_cast *cast = calloc(1, sizeof(*cast));
	struct tap_token words;
	struct tap_node *a;
	int ret;

	if (!cast)
		return tap_error_set(e->p->err, -ENOMEM, "out of memory");
	ret = parse_type(e, cast, &words);
	if (!ret && e->x.kind != ')')
		ret = DIAG(e, e->x.t, "a ) is missing in front of this");
	if (!ret && !cast->stars && (cast->type.cls == TAP_TYPE_STRUCT ||
				     cast->type.cls == TAP_TYPE_NONE))
		ret = DIAG(e, words,
			   "a value cannot be cast to this type; for a pointer write (%.*s *)",
			   QUOTE(words));
	if (!ret)
		ret = advance(e, true);
	if (!ret)
		ret = parse_unary(e, &a);
	if (!ret)
		ret = make(e, TAP_NODE_CAST, open, a, NULL, node);
	if (ret) {
		free(cast);
		return ret;
	}
	(*node)->t = words;
	(*node)->cast = cast;
	return 0;
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
};

static int usage(struct expr_parser *e, const char *name, const char *text)
{
	return DIAG(e, e->x.t, "this is no argument of %s; write %s", name, text);
}

/* sizeof(TYPE): the type is that of the call's node. */
static int parse_sizeof(struct expr_parser *e, struct tap_node *call)
{
	struct tap_token words;

	if (!begins_type(&e->x))
		return parse_expr(e, &call->a);
	call->cast = calloc(1, sizeof(*call->cast));
	if (!call->cast)
		return tap_error_set(e->p->err, -ENOMEM, "out of memory");
	return parse_type(e, call->cast, &words);
}

/* "struct NAME, MEMBER" as the place of ((struct NAME *)0)->MEMBER. */
static int parse_place(struct expr_parser *e, const char *name, const char *text,
		       struct tap_node **node)
{
	struct tap_lexeme op = { .kind = TAP_LEX_ARROW, .t = e->x.t };
	struct tap_token words;
	struct tap_node *b;
	int ret;

	if (!begins_type(&e->x))
		return usage(e, name, text);
	ret = make(e, TAP_NODE_NUMBER, &op, NULL, NULL, &b);
	if (!ret)
		ret = make(e, TAP_NODE_CAST, &op, b, NULL, node);
	if (ret)
		return ret;
	(*node)->cast = calloc(1, sizeof(*(*node)->cast));
	if (!(*node)->cast)
		return tap_error_set(e->p->err, -ENOMEM, "out of memory");
	ret = parse_type(e, (*node)->cast, &words);
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
		ret = advance(e, op.kind == '[');
		if (!ret && op.kind == '[') {
			ret = parse_expr(e, &b);
			if (!ret)
				ret = close_with(e, ']', op.t);
			if (!ret)
				ret = make(e, TAP_NODE_INDEX, &op, *node, b, node);
			continue;
		}
		if (!ret && e->x.kind != TAP_LEX_NAME)
			ret = DIAG(e, e->x.t, "the name of a member is missing");
		op.t = e->x.t;
		if (!ret)
			ret = advance(e, false);
		if (!ret)
			ret = make(e, TAP_NODE_MEMBER, &op, *node, NULL, node);
		if (!ret)
			(*node)->arrow = op.kind == ',';
	}
	return ret;
}

static int parse_arguments(struct expr_parser *e, struct tap_node *call, const char *name,
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
	if (ret || call->value > TAP_FUNCTION_MAX)
		return ret;
	if (!ret && e->x.kind != ',')
		ret = e->x.kind == TAP_LEX_END ? 0 : usage(e, name, text);
	else if (!ret)
		ret = advance(e, true);
	if (!ret && e->x.kind != TAP_LEX_END)
		ret = call->value == TAP_FUNCTION_CONTAINER_OF ?
		      parse_place(e, name, text, &call->b) : parse_expr(e, &call->b);
	return ret;
}

/* The token is the ( behind the name of a function. */
static int parse_call(struct expr_parser *e, const struct tap_lexeme *name, struct tap_node **node)
{
	struct tap_token open = e->x.t;
	struct tap_node *call;
	size_t i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(functions); i++)
		if (tap_token_is(name->t, functions[i].name))
			break;
	if (i == ARRAY_SIZE(functions))
		return DIAG(e, open, "an expression cannot call a function, except " FUNCTIONS);
	if (++e->depth > TAP_MAX_DEPTH)
		return too_deep(e, name->t);
	ret = make(e, TAP_NODE_CALL, name, NULL, NULL, &call);
	if (ret)
		return ret;
	call->value = functions[i].function;
	e->lexer.calls++;
	ret = advance(e, true);
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
	return call->depth > TAP_MAX_DEPTH ? too_deep(e, name->t) : 0;
}

/* ---------------------------------------------------------------- operands */

static int parse_leaf(struct expr_parser *e, struct tap_node **node)
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
	int ret = advance(e, false);

	if (!ret && x.kind == TAP_LEX_NAME && e->x.kind == '(')
		return parse_call(e, &x, node);
	if (!ret)
		ret = make(e, kinds[x.kind], &x, NULL, NULL, node);
	if (!ret && x.kind == TAP_LEX_VARIABLE)
		ret = tap_variable_parse(e->p, *node);
	if (!ret && x.kind == TAP_LEX_REGISTER)
		ret = tap_register_parse(e->p, *node);
	if (x.kind == TAP_LEX_NAME ||
	    (!ret && x.kind == TAP_LEX_VARIABLE && (*node)->builtin >= TAP_BUILTIN_CURRENT))
		e->ast->names = true;
	return ret;
}

static int parse_primary(struct expr_parser *e, struct tap_node **node)
{
	struct tap_lexeme open = e->x;
	struct tap_node *a;
	int ret;

	if (open.kind > TAP_LEX_END && open.kind < TAP_LEX_FETCH)
		return parse_leaf(e, node);
	if (open.kind != TAP_LEX_FETCH && open.kind != '(')
		return missing(e);
	ret = advance(e, true);
	if (ret)
		return ret;
	if (open.kind == '(' && begins_type(&e->x))
		return parse_cast(e, &open, node);
	ret = parse_expr(e, &a);
	if (ret)
		return ret;
	ret = close_with(e, ')', open.kind == '(' ? open.t :
			 (struct tap_token) { open.t.at + open.t.len, 1 });
	if (ret)
		return ret;
	if (open.kind == TAP_LEX_FETCH)
		return make(e, TAP_NODE_FETCH, &open, a, NULL, node);
	a->all.at = open.t.at;
	a->all.len = e->end - open.t.at;
	*node = a;
	return 0;
}

static int parse_postfix(struct expr_parser *e, struct tap_node **node)
{
	struct tap_node *b;
	int ret = parse_primary(e, node);

	while (!ret) {
		struct tap_lexeme op = e->x;

		if (op.kind == '.' || op.kind == TAP_LEX_ARROW) {
			ret = advance(e, false);
			if (!ret && e->x.kind != TAP_LEX_NAME)
				ret = DIAG(e, e->x.t,
					   "the name of a member is missing");
			if (ret)
				return ret;
			op.t = e->x.t;
			ret = advance(e, false);
			if (!ret)
				ret = make(e, TAP_NODE_MEMBER, &op, *node, NULL,
					   node);
			if (!ret)
				(*node)->arrow = op.kind == TAP_LEX_ARROW;
		} else if (op.kind == '[') {
			ret = advance(e, true);
			if (!ret)
				ret = parse_expr(e, &b);
			if (!ret)
				ret = close_with(e, ']', op.t);
			if (!ret)
				ret = make(e, TAP_NODE_INDEX, &op, *node, b,
					   node);
		} else if (op.kind == '(') {
			return DIAG(e, op.t, "an expression cannot call a function, except "
				    FUNCTIONS);
		} else {
			return 0;
		}
	}
	return ret;
}

static int parse_unary(struct expr_parser *e, struct tap_node **node)
{
	struct tap_lexeme op = e->x;
	struct tap_node *a;
	int ret;

	if (op.kind < ' ' || op.kind > '~' || !strchr("-+!~*&", op.kind))
		return parse_postfix(e, node);
	if (++e->depth > TAP_MAX_DEPTH)
		return too_deep(e, op.t);
	ret = advance(e, true);
	if (!ret)
		ret = parse_unary(e, &a);
	e->depth--;
	return ret ? ret : make(e, TAP_NODE_UNARY, &op, a, NULL, node);
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

static int parse_binary(struct expr_parser *e, unsigned int least,
			struct tap_node **node)
{
	struct tap_node *b;
	int ret = parse_unary(e, node);

	while (!ret && precedence(e->x.kind) >= least) {
		struct tap_lexeme op = e->x;

		ret = advance(e, true);
		if (!ret)
			ret = parse_binary(e, precedence(op.kind) + 1, &b);
		if (!ret)
			ret = make(e, TAP_NODE_BINARY, &op, *node, b, node);
	}
	return ret;
}

static int parse_expr(struct expr_parser *e, struct tap_node **node)
{
	struct tap_node *b, *c;
	struct tap_lexeme op;
	int ret;

	if (++e->depth > TAP_MAX_DEPTH)
		return too_deep(e, e->x.t);
	ret = parse_binary(e, 1, node);
	op = e->x;
	if (!ret && op.kind == '?') {
		ret = advance(e, true);
		if (!ret)
			ret = parse_expr(e, &b);
		if (!ret && e->x.kind != ':')
			ret = DIAG(e, op.t, "this ? has no : after it");
		if (!ret)
			ret = advance(e, true);
		if (!ret)
			ret = parse_expr(e, &c);
		if (!ret)
			ret = make(e, TAP_NODE_COND, &op, *node, b, node);
		if (!ret) {
			(*node)->c = c;
			if (c->depth >= (*node)->depth)
				(*node)->depth = c->depth + 1;
			if ((*node)->depth > TAP_MAX_DEPTH)
				ret = too_deep(e, op.t);
		}
	}
	e->depth--;
	return ret;
}

static int left_over(struct expr_parser *e)
{
	if (e->x.kind == TAP_LEX_ASSIGN)
		return DIAG(e, e->x.t,
			    "%.*s assigns, which an expression cannot do; use == to compare",
			    QUOTE(e->x.t));
	if (e->x.kind == ')' || e->x.kind == ']')
		return DIAG(e, e->x.t, "this %c has no opening one", e->x.kind);
	if (tap_token_is(e->x.t, "and") || tap_token_is(e->x.t, "or"))
		return DIAG(e, e->x.t, "this operator is written as in C; use %s",
			    e->x.t.len == 2 ? "||" : "&&");
	return DIAG(e, e->x.t, "an operator is missing in front of this");
}

/*
 * Parses an expression. @rest gets the text after a colon behind the expression, length
 * 0 without one; if @rest is NULL, nothing may follow. The nodes go to the ast of the
 * spec.
 */
int tap_expr_parse(const struct tap_parser *p, struct tap_token t,
		   struct tap_node **node, struct tap_token *rest)
{
	struct expr_parser e = {
		.p = p,
		.ast = p->spec->ast,
		.lexer = { .p = p, .at = t.at, .end = t.at + t.len },
		.end = t.at,
	};
	int ret;

	/* advance() would take a token, and there is none yet. */
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

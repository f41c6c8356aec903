/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The parser of expressions: parse_expr.c has operators and operands, parse_cast.c types and casts.
 * Private to them.
 */
#ifndef _TAP_LANG_EXPR_PARSER_H
#define _TAP_LANG_EXPR_PARSER_H

#include "lang/lexer.h"
#include "spec/ast.h"
#include "util/util.h"

/*
 * An expression that is being parsed. @end is the end of the last token taken, @depth
 * the recursion depth of the parser itself.
 */
struct tap_expr_parser {
	const struct tap_parser *p;
	struct tap_ast *ast;
	struct tap_lexer lexer;
	struct tap_lexeme x;
	const char *end;
	unsigned int depth;
};

#define EXPR_DIAG(e, t, ...)	\
	tap_diag((e)->p, (t).at, (t).len, -EINVAL, __VA_ARGS__)

/* parse_expr.c */
int tap_expr_advance(struct tap_expr_parser *e, bool operand);
int tap_expr_too_deep(struct tap_expr_parser *e, struct tap_token t);
int tap_expr_node(struct tap_expr_parser *e, enum tap_node_kind kind, const struct tap_lexeme *x,
		  struct tap_node *a, struct tap_node *b, struct tap_node **node);
int tap_parse_unary(struct tap_expr_parser *e, struct tap_node **node);
int tap_parse_primary(struct tap_expr_parser *e, struct tap_node **node);

/* parse_inside.c */
int tap_parse_inside(struct tap_expr_parser *e, const struct tap_lexeme *name,
		     struct tap_node **node);

/* parse_cast.c */
bool tap_begins_type(const struct tap_lexeme *x);
int tap_parse_type(struct tap_expr_parser *e, struct tap_cast *cast, struct tap_token *words);
int tap_expr_cast_node(struct tap_expr_parser *e, const struct tap_lexeme *x, struct tap_node *a,
		       struct tap_node **node);
int tap_parse_cast(struct tap_expr_parser *e, const struct tap_lexeme *open, struct tap_node **node);
bool tap_is_ftrace_cast(const char *at, const char *end, struct tap_token *tag,
			struct tap_token *member);
int tap_parse_ftrace_cast(struct tap_expr_parser *e, struct tap_token tag, struct tap_token member,
			  struct tap_node **node);

#endif /* _TAP_LANG_EXPR_PARSER_H */

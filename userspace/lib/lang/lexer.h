/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Expressions in tokens. Private to libtap and its tool.
 */
#ifndef _TAP_LANG_LEXER_H
#define _TAP_LANG_LEXER_H

#include "lang/lang.h"

/**
 * enum tap_lexeme_kind - what a token of an expression is; an operator of one
 *	character is that character
 * @TAP_LEX_END: the end of the text
 * @TAP_LEX_NAME: a name
 * @TAP_LEX_VARIABLE: $NAME
 * @TAP_LEX_REGISTER: %NAME
 * @TAP_LEX_SYMBOL: @NAME or @ADDRESS, perhaps with an offset
 * @TAP_LEX_NUMBER: a number or a character
 * @TAP_LEX_STRING: text in double quotes
 * @TAP_LEX_FETCH: +OFFSET( or -OFFSET(, perhaps with a u before the offset
 * @TAP_LEX_ASSIGN: = or an operator that ends with it
 * @TAP_LEX_EQ: ==
 * @TAP_LEX_NE: !=
 * @TAP_LEX_LE: <=
 * @TAP_LEX_GE: >=
 * @TAP_LEX_AND: &&
 * @TAP_LEX_OR: ||
 * @TAP_LEX_SHL: <<
 * @TAP_LEX_SHR: >>
 * @TAP_LEX_ARROW: ->
 */
enum tap_lexeme_kind {
	TAP_LEX_END,
	TAP_LEX_NAME,
	TAP_LEX_VARIABLE,
	TAP_LEX_REGISTER,
	TAP_LEX_SYMBOL,
	TAP_LEX_NUMBER,
	TAP_LEX_STRING,
	TAP_LEX_FETCH,
	TAP_LEX_ASSIGN,

	TAP_LEX_EQ = 256,
	TAP_LEX_NE,
	TAP_LEX_LE,
	TAP_LEX_GE,
	TAP_LEX_AND,
	TAP_LEX_OR,
	TAP_LEX_SHL,
	TAP_LEX_SHR,
	TAP_LEX_ARROW,
};

/**
 * struct tap_lexeme - a token of an expression
 * @kind: enum tap_lexeme_kind, or the character of an operator
 * @t: where it stands; of a variable or a register with the $ or %
 * @value: of a number; offset of a symbol or a fetch
 * @is_unsigned: of a number: as in C
 * @wide: of a number: it has 8 bytes rather than 4, as in C
 * @user: of a fetch: from user memory
 */
struct tap_lexeme {
	int kind;
	struct tap_token t;
	__u64 value;
	bool is_unsigned;
	bool wide;
	bool user;
};

/**
 * struct tap_lexer - an expression on its way into tokens
 * @p: the text around it, for faults
 * @at: how far it was read
 * @end: where it ends
 */
struct tap_lexer {
	const struct tap_parser *p;
	const char *at;
	const char *end;
};

int tap_lexer_next(struct tap_lexer *l, bool operand, struct tap_lexeme *x);
int tap_lexer_escape(const char **at, const char *end);
__u64 tap_lexer_unit(struct tap_token unit);

#endif /* _TAP_LANG_LEXER_H */

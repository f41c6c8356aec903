/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Tokens of an expression. Private to libtap and its tool.
 */
#ifndef _TAP_LANG_LEXER_H
#define _TAP_LANG_LEXER_H

#include "lang/lang.h"

/*
 * The kind of a token. An operator of one character is that character.
 *	TAP_LEX_SYMBOL	@NAME or @ADDRESS, perhaps with an offset
 *	TAP_LEX_NUMBER	also a character in single quotes
 *	TAP_LEX_STRING	text in double quotes
 *	TAP_LEX_FETCH	+OFFSET( or -OFFSET(, perhaps with u before the offset
 *	TAP_LEX_ASSIGN	= or an operator that ends with it; always an error
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
 * @t: the token in the text; variables and registers include their $ or %
 * @value: the number, or the offset of a symbol or a fetch
 * @is_unsigned: the number is unsigned by the rules of C
 * @wide: the number has 8 bytes rather than 4 by the rules of C
 * @user: the fetch reads user memory
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
 * struct tap_lexer - state of the lexer in one expression
 * @p: the text around the expression, for tap_diag()
 * @at: the first character that is not yet read
 * @end: end of the expression
 * @calls: calls around @at: in one, a comma is a token
 */
struct tap_lexer {
	const struct tap_parser *p;
	const char *at;
	const char *end;
	unsigned int calls;
};

int tap_lexer_next(struct tap_lexer *l, bool operand, struct tap_lexeme *x);
int tap_lexer_escape(const char **at, const char *end);
const char *tap_quoted_end(const char *at);
__u64 tap_lexer_unit(struct tap_token unit);
int tap_lexer_fraction(struct tap_token digits, __u64 factor, __u64 *value);

#endif /* _TAP_LANG_LEXER_H */

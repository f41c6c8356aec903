// SPDX-License-Identifier: LGPL-2.1
/*
 * The lexer: operators of C and fetches of ftrace.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "lang/lexer.h"
#include "util/util.h"

static int diag(const struct tap_lexer *l, const char *at, size_t len,
		const char *says)
{
	return tap_diag(l->p, at, len, -EINVAL, "%s", says);
}

static size_t name_len(const char *at, const char *end)
{
	size_t len = tap_word_len(at);

	return len < (size_t)(end - at) ? len : (size_t)(end - at);
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/* Reads a number with its prefix and moves *at behind its last digit. */
static int read_digits(struct tap_lexer *l, const char **at, __u64 *value,
		       bool *decimal)
{
	const char *from = *at, *c = from;
	unsigned int base = 10;
	__u64 n = 0;

	if (*c == '0' && l->end - c > 2 && (c[1] | 0x20) == 'x' &&
	    digit(c[2]) < 16) {
		base = 16;
		c += 2;
	} else if (*c == '0' && l->end - c > 1 && isdigit((unsigned char)c[1])) {
		base = 8;
	}
	for (; c < l->end && (unsigned int)digit(*c) < base; c++)
		if (__builtin_mul_overflow(n, base, &n) ||
		    __builtin_add_overflow(n, (__u64)digit(*c), &n))
			return diag(l, from, name_len(from, l->end),
				    "the number does not fit into 64 bits");
	if (base == 8 && c < l->end && isdigit((unsigned char)*c))
		return diag(l, from, name_len(from, l->end),
			    "this is an octal number, as it begins with 0, and cannot contain 8 or 9; remove the 0");
	*at = c;
	*value = n;
	*decimal = base == 10;
	return 0;
}

/**
 * tap_lexer_unit() - the factor of a unit of time or of size
 * @unit: the word after a number; may be empty
 *
 * Return: the factor of the number, or 0 if there is no such unit.
 */
__u64 tap_lexer_unit(struct tap_token unit)
{
	static const struct {
		const char *name;
		__u64 factor;
	} units[] = {
		{ "", 1 }, { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 },
		{ "s", 1000000000 }, { "K", 1 << 10 }, { "M", 1 << 20 },
		{ "G", 1 << 30 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (tap_token_is(unit, units[i].name))
			return units[i].factor;
	return 0;
}

__u64 tap_unit_factor(const char *unit)
{
	return tap_lexer_unit((struct tap_token) { unit, strlen(unit) });
}

/**
 * tap_lexer_fraction() - add the digits behind the point of a number
 * @digits: the digits; may be empty
 * @factor: of the number's unit
 * @value: the number before the point, times @factor; gets the sum
 *
 * Return: 0; -EINVAL if the sum is not a whole number; -ERANGE if it does not fit.
 */
int tap_lexer_fraction(struct tap_token digits, __u64 factor, __u64 *value)
{
	unsigned __int128 part = 0, scale = 1;
	size_t i;

	while (digits.len && digits.at[digits.len - 1] == '0')
		digits.len--;
	/* 10^19 fits into 64 bits, so that part * factor fits into 128. */
	if (digits.len > 19)
		return -EINVAL;
	for (i = 0; i < digits.len; i++) {
		part = part * 10 + (unsigned int)(digits.at[i] - '0');
		scale *= 10;
	}
	part *= factor;
	if (part % scale)
		return -EINVAL;
	return __builtin_add_overflow(*value, (__u64)(part / scale), value) ? -ERANGE : 0;
}

/* The point and the digits behind a number, if there are any. Moves the lexer behind them. */
static struct tap_token lex_fraction(struct tap_lexer *l)
{
	struct tap_token t = { l->at, 0 };

	if (l->end - l->at < 2 || *l->at != '.' || !isdigit((unsigned char)l->at[1]))
		return t;
	for (t.at++; t.at + t.len < l->end && isdigit((unsigned char)t.at[t.len]); t.len++)
		;
	l->at = t.at + t.len;
	return t;
}

static int add_fraction(struct tap_lexer *l, struct tap_lexeme *x, struct tap_token fraction,
			struct tap_token unit, bool decimal)
{
	__u64 factor = tap_lexer_unit(unit);
	int ret;

	if (!decimal)
		return diag(l, x->t.at, x->t.len,
			    "a number with a point is decimal, and does not begin with 0x or 0");
	if (!unit.len)
		return diag(l, x->t.at, x->t.len,
			    "a number with a point needs a unit: ns us ms s K M or G; there are no other fractions");
	ret = tap_lexer_fraction(fraction, factor, &x->value);
	if (ret == -EINVAL)
		return tap_diag(l->p, x->t.at, x->t.len, ret, "this is not a whole number of %s",
				strchr("KMG", *unit.at) ? "bytes" : "nanoseconds");
	return ret ? diag(l, x->t.at, x->t.len, "the number does not fit into 64 bits") : 0;
}

static int lex_number(struct tap_lexer *l, struct tap_lexeme *x)
{
	struct tap_token unit, fraction;
	bool decimal, c_like = true;
	__u64 factor;
	size_t i;
	int ret;

	x->kind = TAP_LEX_NUMBER;
	ret = read_digits(l, &l->at, &x->value, &decimal);
	if (ret)
		return ret;
	fraction = lex_fraction(l);
	unit.at = l->at;
	unit.len = name_len(l->at, l->end);
	l->at += unit.len;
	x->t.len = l->at - x->t.at;
	factor = tap_lexer_unit(unit);
	if (factor) {
		if (__builtin_mul_overflow(x->value, factor, &x->value))
			return diag(l, x->t.at, x->t.len,
				    "the number does not fit into 64 bits");
		ret = fraction.len ? add_fraction(l, x, fraction, unit, decimal) : 0;
		if (ret)
			return ret;
		/* Times and sizes are numbers of 64 bits: 3*1s does not fit into an int. */
		x->wide |= unit.len != 0;
		unit.len = 0;
	}
	for (i = 0; i < unit.len; i++) {
		c_like &= strchr("uUlL", unit.at[i]) != NULL;
		x->is_unsigned |= (unit.at[i] | 0x20) == 'u';
		x->wide |= (unit.at[i] | 0x20) == 'l';
	}
	if (!c_like || unit.len > 3 || (unit.len && fraction.len))
		return tap_diag(l->p, unit.at, unit.len, -EINVAL,
				"no unit \"%.*s\"; a number is decimal, or hexadecimal with 0x, and may end with ns us ms s K M or G",
				QUOTE(unit));
	/* Size alone does not make a decimal number unsigned. */
	x->wide |= x->value >> 32 != 0;
	if (!x->wide && x->value >> 31) {
		x->is_unsigned |= !decimal;
		x->wide = !x->is_unsigned;
	}
	x->is_unsigned |= x->value >> 63 != 0;
	return 0;
}

/*
 * Reads one character of quoted text and moves *at behind it. Returns -EINVAL for an
 * unknown escape.
 */
int tap_lexer_escape(const char **at, const char *end)
{
	static const char from[] = "ntr0\\'\"", to[] = "\n\t\r\0\\'\"";
	const char *found;
	int high, low;
	char c = *(*at)++;

	if (c != '\\')
		return (unsigned char)c;
	if (*at == end)
		return -EINVAL;
	c = *(*at)++;
	if (c == 'x' && end - *at >= 2) {
		high = digit((*at)[0]);
		low = digit((*at)[1]);
		*at += 2;
		return high < 16 && low < 16 ? high * 16 + low : -EINVAL;
	}
	found = memchr(from, c, sizeof(from) - 1);
	return found ? to[found - from] : -EINVAL;
}

static int lex_quoted(struct tap_lexer *l, struct tap_lexeme *x)
{
	char quote = *l->at++;
	const char *c = l->at;
	int value;

	while (l->at < l->end && *l->at != quote)
		l->at += *l->at == '\\' && l->at + 1 < l->end ? 2 : 1;
	if (l->at == l->end)
		return diag(l, x->t.at, 1, "the quote is not closed");
	l->at++;
	x->t.len = l->at - x->t.at;
	x->kind = TAP_LEX_STRING;
	if (quote == '"')
		return 0;
	x->kind = TAP_LEX_NUMBER;
	value = x->t.len > 2 ? tap_lexer_escape(&c, l->at - 1) : -EINVAL;
	if (c != l->at - 1)
		return diag(l, x->t.at, x->t.len,
			    "single quotes hold one character; put text in double quotes");
	if (value < 0)
		return diag(l, x->t.at, x->t.len,
			    "unknown escape; use one of \\n \\t \\r \\0 \\\\ \\' \\\" and \\xNN");
	/* char is signed on x86 and unsigned on arm64; ASCII is the same on both. */
	x->value = value;
	return 0;
}

/* +8( -16( +u8( start a fetch. Without the parenthesis + and - are operators. */
static bool lex_fetch(struct tap_lexer *l, struct tap_lexeme *x, int *ret)
{
	const char *c = l->at + 1;
	bool decimal;

	x->user = c < l->end && *c == 'u';
	c += x->user;
	if (c < l->end && *c == '(' && (*l->at == '+' || x->user)) {
		*ret = diag(l, l->at, c - l->at,
			    "the offset is missing; write +0(ADDRESS), or +u0(ADDRESS) for user memory");
		return true;
	}
	if (c >= l->end || !isdigit((unsigned char)*c))
		return false;
	*ret = read_digits(l, &c, &x->value, &decimal);
	if (*ret)
		return true;
	if (c >= l->end || *c != '(')
		return false;
	if (x->value > INT32_MAX)
		*ret = diag(l, l->at, c - l->at,
			    "the offset does not fit into 31 bits");
	x->kind = TAP_LEX_FETCH;
	x->value = *l->at == '-' ? -x->value : x->value;
	x->t.len = c - l->at;
	l->at = c + 1;
	return true;
}

static int lex_symbol(struct tap_lexer *l, struct tap_lexeme *x)
{
	const char *c = l->at + 1;
	bool minus, decimal;
	__u64 offset = 0;
	int ret;

	while (c < l->end && (isalnum((unsigned char)*c) ||
			      strchr("_.$", *c)))
		c++;
	x->kind = TAP_LEX_SYMBOL;
	x->t.len = c - x->t.at;
	if (x->t.len == 1)
		return diag(l, x->t.at, 1,
			    "the name is missing after the @; @SYMBOL reads the memory at a kernel symbol");
	if (l->end - c > 1 && (*c == '+' || *c == '-') &&
	    isdigit((unsigned char)c[1])) {
		minus = *c++ == '-';
		ret = read_digits(l, &c, &offset, &decimal);
		if (ret)
			return ret;
		if (offset > INT32_MAX)
			return diag(l, x->t.at, c - x->t.at,
				    "the offset does not fit into 31 bits");
		offset = minus ? -offset : offset;
	}
	x->value = offset;
	l->at = c;
	return 0;
}

static const struct {
	const char *text;
	int kind;
} operators[] = {
	{ "<<=", TAP_LEX_ASSIGN }, { ">>=", TAP_LEX_ASSIGN },
	{ "==", TAP_LEX_EQ }, { "!=", TAP_LEX_NE },
	{ "<=", TAP_LEX_LE }, { ">=", TAP_LEX_GE },
	{ "&&", TAP_LEX_AND }, { "||", TAP_LEX_OR },
	{ "<<", TAP_LEX_SHL }, { ">>", TAP_LEX_SHR },
	{ "->", TAP_LEX_ARROW },
	{ "+=", TAP_LEX_ASSIGN }, { "-=", TAP_LEX_ASSIGN },
	{ "*=", TAP_LEX_ASSIGN }, { "/=", TAP_LEX_ASSIGN },
	{ "%=", TAP_LEX_ASSIGN }, { "&=", TAP_LEX_ASSIGN },
	{ "|=", TAP_LEX_ASSIGN }, { "^=", TAP_LEX_ASSIGN },
	{ "=", TAP_LEX_ASSIGN },
};

static int lex_operator(struct tap_lexer *l, struct tap_lexeme *x)
{
	size_t i, len;

	for (i = 0; i < ARRAY_SIZE(operators); i++) {
		len = strlen(operators[i].text);
		if (len > (size_t)(l->end - l->at) ||
		    memcmp(operators[i].text, l->at, len))
			continue;
		x->kind = operators[i].kind;
		x->t.len = len;
		l->at += len;
		return 0;
	}
	if (!strchr(l->calls ? "+-*/%&|^~!<>?:.()[]," : "+-*/%&|^~!<>?:.()[]", *l->at)) {
		if (*l->at == ',')
			return diag(l, l->at, 1,
				    "unexpected comma; separate values by spaces, and give each event its own -e");
		return diag(l, l->at, 1,
			    "this character has no meaning in an expression");
	}
	x->kind = *l->at++;
	return 0;
}

/*
 * Takes the next token. With @operand a value may start here: % then starts a register,
 * and + or - may start a fetch.
 */
int tap_lexer_next(struct tap_lexer *l, bool operand, struct tap_lexeme *x)
{
	int ret = 0;
	char c;

	memset(x, 0, sizeof(*x));
	while (l->at < l->end && isspace((unsigned char)*l->at))
		l->at++;
	x->t.at = l->at;
	if (l->at == l->end)
		return 0;
	x->t.len = 1;
	c = *l->at;
	if (isdigit((unsigned char)c))
		return lex_number(l, x);
	/* A constant, as ftrace writes it. */
	if (c == '\\' && operand && l->end - l->at > 1 && isdigit((unsigned char)l->at[1])) {
		l->at++;
		return lex_number(l, x);
	}
	if (c == '"' || c == '\'')
		return lex_quoted(l, x);
	if (isalpha((unsigned char)c) || c == '_') {
		x->kind = TAP_LEX_NAME;
		x->t.len = name_len(l->at, l->end);
		l->at += x->t.len;
		return 0;
	}
	if (c == '$' || (c == '%' && operand)) {
		x->kind = c == '$' ? TAP_LEX_VARIABLE : TAP_LEX_REGISTER;
		l->at++;
		x->t.len += name_len(l->at, l->end);
		l->at += x->t.len - 1;
		/* $arg*, as ftrace spells $args. */
		if (tap_token_is(x->t, "$arg") && l->at < l->end && *l->at == '*') {
			l->at++;
			x->t.len++;
		}
		return 0;
	}
	if (c == '@' && operand)
		return lex_symbol(l, x);
	if ((c == '+' || c == '-') && operand && lex_fetch(l, x, &ret))
		return ret;
	x->user = false;
	x->value = 0;
	return lex_operator(l, x);
}

/*
 * The end of the quoted text that begins at @at, by the rules of the lexer. The lexer reports a
 * quote that is not closed.
 */
const char *tap_quoted_end(const char *at)
{
	char quote = *at++;

	while (*at && *at != quote)
		at += at[0] == '\\' && at[1] ? 2 : 1;
	return *at ? at + 1 : at;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The sentences of tap expect:
 *	REF count OP N [if COND]
 *	REF max|min|sum|avg(EXPR) OP VALUE [if COND]
 *	no REF [if COND]
 *	every REF [if COND] to REF [if COND] on KEY [within TIME]
 *	REF [if COND] before REF [if COND] [on KEY]
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "expect/assertion.h"
#include "lang/lexer.h"

/* Columns of a text that are shown in an error message. */
#define SHOWN	160

/**
 * struct reader - a text being read
 * @text: its begin
 * @at: the rest, not read yet
 * @err: for the error message
 */
struct reader {
	const char *text;
	const char *at;
	struct tap_error *err;
};

static int wrong(const struct reader *r, const char *at, const char *what)
{
	int column = (int)(at - r->text);

	if (column > SHOWN)
		return tap_error_set(r->err, -EINVAL, "%s, at '%.60s'", what, at);
	return tap_error_set(r->err, -EINVAL, "%s\n  %.*s\n  %*s^", what, SHOWN, r->text, column, "");
}

static int keep(const struct reader *r, char **to, const char *at, size_t len)
{
	while (len && isspace((unsigned char)at[len - 1]))
		len--;
	*to = strndup(at, len);
	return *to ? 0 : tap_error_set(r->err, -ENOMEM, "out of memory");
}

static void skip_blanks(struct reader *r)
{
	while (isspace((unsigned char)*r->at))
		r->at++;
}

/* Reads a word if it is next, with no letter behind it. */
static bool take(struct reader *r, const char *word)
{
	size_t len = strlen(word);

	skip_blanks(r);
	if (strncmp(r->at, word, len) || isalnum((unsigned char)r->at[len]) || r->at[len] == '_')
		return false;
	r->at += len;
	return true;
}

static int take_ref(struct reader *r, char **ref)
{
	const char *at;

	skip_blanks(r);
	at = r->at;
	while (*r->at && !isspace((unsigned char)*r->at))
		r->at++;
	if (at == r->at)
		return wrong(r, at, "an event is missing: give its name, TYPE:TARGET or a glob of that");
	return keep(r, ref, at, (size_t)(r->at - at));
}

/* The rest of the text, up to @end if there is one. */
static int take_expr(struct reader *r, const char *end, char **expr)
{
	const char *at;

	skip_blanks(r);
	at = r->at;
	r->at = end ? end : at + strlen(at);
	if (at >= r->at)
		return wrong(r, at, "an expression is missing, e.g. pid or (u64)req");
	return keep(r, expr, at, (size_t)(r->at - at));
}

static int take_op(struct reader *r, enum assertion_op *op)
{
	static const char *const ops[] = {
		[ASSERTION_EQUAL] = "==", [ASSERTION_NOT_EQUAL] = "!=", [ASSERTION_AT_MOST] = "<=",
		[ASSERTION_AT_LEAST] = ">=", [ASSERTION_LESS] = "<", [ASSERTION_MORE] = ">",
	};
	unsigned int i;

	skip_blanks(r);
	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		if (strncmp(r->at, ops[i], strlen(ops[i])))
			continue;
		r->at += strlen(ops[i]);
		*op = i;
		return 0;
	}
	return wrong(r, r->at, "give ==, !=, <, <=, > or >=, and a number");
}

/* A number with a unit; the event language reads it. A value of an event is none. */
static int take_number(struct reader *r, char **number)
{
	const char *at;

	skip_blanks(r);
	at = r->at;
	r->at += *r->at == '-';
	if (!isdigit((unsigned char)*r->at))
		return wrong(r, at, "give a number, e.g. 12, 2ms, 1.5us or 4K");
	while (isalnum((unsigned char)*r->at) || *r->at == '.')
		r->at++;
	return keep(r, number, at, (size_t)(r->at - at));
}

static int take_count(struct reader *r, __u64 *count)
{
	char *end;

	skip_blanks(r);
	errno = 0;
	*count = strtoull(r->at, &end, 10);
	if (errno || !isdigit((unsigned char)*r->at) || (*end && !isspace((unsigned char)*end)))
		return wrong(r, r->at, "give a number of events, e.g. 12");
	r->at = end;
	return 0;
}

static int take_end(struct reader *r, const char *what)
{
	skip_blanks(r);
	return *r->at ? wrong(r, r->at, what) : 0;
}

static int take_condition(struct reader *r, struct assertion *a)
{
	if (take(r, "if"))
		return take_expr(r, NULL, &a->condition[0]);
	return take_end(r, "the assertion ends here; only 'if COND' may follow");
}

static bool is_word(const char *at, const char *word)
{
	size_t len = strlen(word);

	return isspace((unsigned char)at[0]) && !strncmp(at + 1, word, len) &&
	       (!at[1 + len] || isspace((unsigned char)at[1 + len]));
}

/*
 * The ) of a ( that was read, or, with @word, the blank in front of that word. Neither is looked
 * for in further parentheses, texts and characters. NULL if there is none.
 */
static const char *end_of(const char *at, const char *word)
{
	unsigned int depth = 0;

	while (*at) {
		if (*at == '"' || *at == '\'') {
			at = tap_quoted_end(at);
			continue;
		}
		if (*at == '(')
			depth++;
		else if (*at == ')' && !depth--)
			return word ? NULL : at;
		else if (word && !depth && is_word(at, word))
			return at;
		at++;
	}
	return NULL;
}

/* A condition up to the word behind it, or up to the end. */
static int take_condition_to(struct reader *r, const char *word, char **condition)
{
	if (!take(r, "if"))
		return 0;
	return take_expr(r, end_of(r->at, word), condition);
}

static int parse_value(struct reader *r, struct assertion *a)
{
	const char *end;
	int ret;

	skip_blanks(r);
	if (*r->at != '(')
		return wrong(r, r->at, "a value in parentheses is missing, e.g. max(duration)");
	end = end_of(++r->at, NULL);
	if (!end)
		return wrong(r, r->at - 1, "this ( has no )");
	ret = take_expr(r, end, &a->value);
	r->at = end + 1;
	if (!ret)
		ret = take_op(r, &a->op);
	if (!ret)
		ret = take_number(r, &a->limit);
	return ret ? ret : take_condition(r, a);
}

static int parse_every(struct reader *r, struct assertion *a)
{
	const char *within;
	int ret = take_ref(r, &a->ref[0]);

	a->kind = ASSERTION_EVERY;
	if (!ret)
		ret = take_condition_to(r, "to", &a->condition[0]);
	if (!ret && !take(r, "to"))
		ret = wrong(r, r->at, "'to' and an event are missing: every REF to REF on KEY");
	if (!ret)
		ret = take_ref(r, &a->ref[1]);
	if (!ret)
		ret = take_condition_to(r, "on", &a->condition[1]);
	if (!ret && !take(r, "on"))
		ret = wrong(r, r->at, "'on' and a value that both events have are missing, e.g. on pid");
	if (ret)
		return ret;
	within = end_of(r->at, "within");
	ret = take_expr(r, within, &a->value);
	if (ret || !within)
		return ret;
	take(r, "within");
	ret = take_number(r, &a->limit);
	return ret ? ret : take_end(r, "the assertion ends here");
}

static int parse_before(struct reader *r, struct assertion *a)
{
	int ret = take_ref(r, &a->ref[1]);

	a->kind = ASSERTION_BEFORE;
	if (!ret)
		ret = take_condition_to(r, "on", &a->condition[1]);
	if (ret)
		return ret;
	if (take(r, "on"))
		return take_expr(r, NULL, &a->value);
	return take_end(r, "the assertion ends here; only 'if COND' and 'on KEY' may follow");
}

static int parse_event(struct reader *r, struct assertion *a)
{
	static const struct {
		const char *name;
		enum assertion_kind kind;
	} values[] = {
		{ "max", ASSERTION_MAX }, { "min", ASSERTION_MIN }, { "sum", ASSERTION_SUM },
		{ "avg", ASSERTION_AVG },
	};
	int ret = take_ref(r, &a->ref[0]);
	size_t i;

	if (ret)
		return ret;
	if (take(r, "count")) {
		ret = take_op(r, &a->op);
		if (!ret)
			ret = take_count(r, &a->count);
		return ret ? ret : take_condition(r, a);
	}
	if (take(r, "before"))
		return parse_before(r, a);
	if (take(r, "if")) {
		ret = take_expr(r, end_of(r->at, "before"), &a->condition[0]);
		if (!ret && !take(r, "before"))
			ret = wrong(r, r->at,
				    "'before' and an event are missing; of a number the condition stands at the end");
		return ret ? ret : parse_before(r, a);
	}
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		a->kind = values[i].kind;
		if (take(r, values[i].name))
			return parse_value(r, a);
	}
	return wrong(r, r->at, "behind an event give count, max(), min(), sum(), avg() or before");
}

int assertion_parse(struct assertion *a, const char *text, struct tap_error *err)
{
	struct reader r = { text, text, err };
	int ret;

	memset(a, 0, sizeof(*a));
	a->text = text;
	if (take(&r, "every")) {
		ret = parse_every(&r, a);
	} else if (take(&r, "no")) {
		/* Its count is 0. */
		ret = take_ref(&r, &a->ref[0]);
		if (!ret)
			ret = take_condition(&r, a);
	} else {
		ret = parse_event(&r, a);
	}
	if (ret)
		assertion_free(a);
	return ret;
}

void assertion_free(struct assertion *a)
{
	free(a->ref[0]);
	free(a->ref[1]);
	free(a->value);
	free(a->limit);
	free(a->condition[0]);
	free(a->condition[1]);
	memset(a, 0, sizeof(*a));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Parsing --by, --sum and the like. libtap parses the expressions in them.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lang/lexer.h"
#include "run/stat_args.h"

/* A copy that stat_args_free() frees. */
static char *keep(struct stat_args *args, const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		tool_error("out of memory");
	else
		args->texts[args->nr_texts++] = copy;
	return copy;
}

/* The next comma outside of brackets and quotes, or the end. */
static char *key_end(char *p)
{
	char quote = 0;
	int depth = 0;

	for (; *p; p++) {
		if (quote) {
			if (*p == '\\' && p[1])
				p++;
			else if (*p == quote)
				quote = 0;
		} else if (*p == '"' || *p == '\'') {
			quote = *p;
		} else if (*p == '(' || *p == '[') {
			depth++;
		} else if (*p == ')' || *p == ']') {
			depth--;
		} else if (*p == ',' && depth <= 0) {
			break;
		}
	}
	return p;
}

int stat_args_by(struct stat_args *args, const char *text)
{
	char *p, *end;

	/* Each text has at least one key: so @texts cannot overflow. */
	if (args->nr_keys >= TAP_MAX_KEYS) {
		tool_error("--by '%s': at most %d keys", text, TAP_MAX_KEYS);
		return TOOL_USAGE;
	}
	p = keep(args, text);
	if (!p)
		return TOOL_FAILED;
	for (;; p = end + 1) {
		bool last;

		end = key_end(p);
		last = !*end;
		*end = '\0';
		if (end == p) {
			tool_error("--by '%s': a key is missing; separate expressions with commas, e.g. --by comm,pid",
				   text);
			return TOOL_USAGE;
		}
		if (args->nr_keys >= TAP_MAX_KEYS) {
			tool_error("--by '%s': at most %d keys", text,
				   TAP_MAX_KEYS);
			return TOOL_USAGE;
		}
		args->keys[args->nr_keys++] = p;
		if (last)
			break;
	}
	args->wanted = true;
	return -1;
}

/* The digits behind the point of a number whose digits before it end at @end. */
static struct tap_token fraction(const char *number, const char *end)
{
	struct tap_token digits = { end + 1, 0 };

	number += *number == '-' || *number == '+';
	if (*end == '.' && (*number != '0' || number + 1 == end))
		while (isdigit((unsigned char)digits.at[digits.len]))
			digits.len++;
	return digits;
}

/* Cuts ":NUMBER", with a unit of time or size, off the end of a text. */
static bool take_number(char *text, __s64 *number)
{
	char *colon = strrchr(text, ':'), *end;
	struct tap_token digits;
	__u64 factor, part = 0;

	if (!colon)
		return false;
	errno = 0;
	*number = strtoll(colon + 1, &end, 0);
	if (errno || end == colon + 1)
		return false;
	digits = fraction(colon + 1, end);
	if (digits.len)
		end += 1 + digits.len;
	factor = tap_unit_factor(end);
	if (!factor || __builtin_mul_overflow(*number, factor, number))
		return false;
	if (digits.len && (!*end || tap_lexer_fraction(digits, factor, &part)))
		return false;
	/* The sign is that of the text, as -0 has none. */
	if (colon[1] == '-' ? __builtin_sub_overflow(*number, (__s64)part, number) :
			      __builtin_add_overflow(*number, (__s64)part, number))
		return false;
	*colon = '\0';
	return true;
}

static int parse_linear(struct tap_spec_value *value, char *expr,
			const char *text)
{
	__s64 from, to, step, width, buckets;

	if (!take_number(expr, &step) || !take_number(expr, &to) ||
	    !take_number(expr, &from)) {
		tool_error("--lhist '%s': give EXPR:MIN:MAX:STEP, e.g. count:0:4096:256 or duration:0:1ms:50us",
			   text);
		return TOOL_USAGE;
	}
	if (step <= 0 || to <= from ||
	    __builtin_sub_overflow(to, from, &width)) {
		tool_error("--lhist '%s': MAX must be above MIN, and STEP above 0",
			   text);
		return TOOL_USAGE;
	}
	buckets = width / step + (width % step != 0);
	if (buckets > TAP_MAX_BUCKETS) {
		tool_error("--lhist '%s': %lld steps from MIN to MAX, at most %d are possible; use a larger STEP",
			   text, (long long)buckets, TAP_MAX_BUCKETS);
		return TOOL_USAGE;
	}
	value->base = from;
	value->step = (__u64)step;
	value->buckets = (__u16)buckets;
	return -1;
}

int stat_args_value(struct stat_args *args, const char *option,
		    enum tap_agg_kind kind, bool avg, const char *text)
{
	struct tap_spec_value *value;
	char *expr;
	int ret = -1;

	if (args->nr_values >= TAP_MAX_AGGS) {
		tool_error("%s '%s': at most %d values besides the count",
			   option, text, TAP_MAX_AGGS);
		return TOOL_USAGE;
	}
	expr = keep(args, text);
	if (!expr)
		return TOOL_FAILED;
	value = &args->values[args->nr_values++];
	*value = (struct tap_spec_value) {
		.size = sizeof(*value),
		.kind = (__u16)kind,
		.avg = avg,
		.expr = expr,
	};
	if (kind == TAP_AGG_LHIST)
		ret = parse_linear(value, expr, text);
	if (ret == -1 && !*expr) {
		tool_error("%s '%s': the expression is missing; give one, e.g. %s duration",
			   option, text, option);
		ret = TOOL_USAGE;
	}
	args->wanted = true;
	return ret;
}

__u32 stat_args_entries(const struct stat_args *args)
{
	__u32 wanted = args->entries ? args->entries : STAT_ENTRIES;
	__u32 entries = 1;

	while (args->nr_keys && entries < wanted)
		entries *= 2;
	return entries;
}

bool stat_args_is_for(const struct stat_args *args, const struct tap_spec *spec)
{
	const char *name = args->event, *text = tap_spec_wanted(spec), *colon;
	struct tap_spec *same;
	bool is;

	if (!name || !strcmp(name, tap_spec_event(spec)) || !strcmp(name, text))
		return true;
	colon = strchr(text, ':');
	if (tap_spec_type(spec) == TAP_PROBE_SPAN && colon && !strcmp(name, colon + 1))
		return true;
	/* Types and numbers have several spellings: tp:, +16. */
	if (!strchr(name, ':') || tap_spec_parse(name, &same, NULL))
		return false;
	is = !strcmp(tap_spec_text(same), text);
	tap_spec_free(same);
	return is;
}

void stat_args_free(struct stat_args *args)
{
	unsigned int i;

	for (i = 0; i < args->nr_texts; i++)
		free(args->texts[i]);
	memset(args, 0, sizeof(*args));
}

// SPDX-License-Identifier: LGPL-2.1
/*
 * Places of the source:
 *	line:[MODULE:|PATH:]FILE:LINE	line:[MODULE:|PATH:]FUNCTION:+LINES
 *	inline:MODULE:FUNCTION		uinline:PATH:FUNCTION
 * The PATH of a line has a slash or is in quotes, a MODULE has none. resolve_source.c looks them up in the debug information.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lang/target.h"
#include "spec/probe_type.h"

#define LINE	"line:FILE.c:LINE or line:FUNCTION:+LINES, e.g. line:mydrv.c:212"
#define INLINE	"inline:MODULE:FUNCTION, e.g. inline:mydrv:mydrv_wait_ready"
#define UINLINE	"uinline:PATH:FUNCTION, e.g. uinline:./app:wait_ready"

/* The first colon that is not of "::"; NULL if there is none. */
static const char *find_colon(struct tap_token t)
{
	const char *at, *end = t.at + t.len;

	for (at = t.at; at < end; at++) {
		if (*at != ':')
			continue;
		if (at + 1 == end || at[1] != ':')
			return at;
		at++;
	}
	return NULL;
}

static const char *last_colon(struct tap_token t)
{
	return memrchr(t.at, ':', t.len);
}

/* Splits what stands before the line. */
static void split_name(const struct tap_spec *spec, struct tap_token t,
		       struct tap_source_target *target)
{
	const char *quote = tap_path_quote(t);
	const char *colon = quote ? quote + 1 : find_colon(t);

	target->name = t;
	if (!colon || colon == t.at + t.len || *colon != ':')
		return;
	if (quote)
		target->module = (struct tap_token) { t.at + 1, quote - t.at - 1 };
	else
		target->module = (struct tap_token) { t.at, colon - t.at };
	target->is_path = spec->source == TAP_SOURCE_INLINE ? tap_probe_is_user(spec->type) :
			  quote || memchr(t.at, '/', target->module.len);
	target->name = (struct tap_token) { colon + 1, t.at + t.len - colon - 1 };
}

static int parse_line(struct tap_parser *p, struct tap_token t, struct tap_source_target *target)
{
	unsigned long n = 0;
	size_t i;

	target->is_function = t.len && *t.at == '+';
	if (target->is_function) {
		t.at++;
		t.len--;
	}
	for (i = 0; i < t.len && isdigit((unsigned char)t.at[i]) && n <= INT_MAX; i++)
		n = n * 10 + (t.at[i] - '0');
	if (!t.len || i < t.len)
		return tap_diag(p, t.at, t.len ? t.len : 1, -EINVAL,
				"the last part must be the number of a line; write " LINE);
	if (n > INT_MAX || (!n && !target->is_function))
		return tap_diag(p, t.at, t.len, -EINVAL, "no file has a line of this number");
	target->line = (unsigned int)n;
	return 0;
}

static int check_module(const struct tap_parser *p, const struct tap_source_target *target)
{
	struct tap_token t = target->module;
	const char *begin = t.len ? t.at : target->name.at;
	size_t i;

	if (target->name.len && *begin == '"')
		return tap_diag(p, begin, 1, -EINVAL,
				"a quote and a colon end a path in quotes: line:\"./my app\":app.c:12");
	if (!t.at || target->is_path)
		return 0;
	for (i = 0; i < t.len; i++)
		if (!isalnum((unsigned char)t.at[i]) && t.at[i] != '_' && t.at[i] != '-')
			return tap_diag(p, t.at, t.len, -EINVAL,
					"\"%.*s\" is not the name of a module; the path of a program has a slash, e.g. ./app",
					QUOTE(t));
	if (t.len)
		return 0;
	return tap_diag(p, t.at, 1, -EINVAL, "the name of the module is missing");
}

static int check_name(const struct tap_parser *p, const struct tap_source_target *target)
{
	const char *what = target->is_function ? "function" : "file";
	struct tap_token t = target->name;
	size_t i;

	if (!t.len)
		return tap_diag(p, t.at, 1, -EINVAL, "the name of the %s is missing", what);
	for (i = 0; i < t.len; i++)
		if (strchr("*?[]{},", t.at[i]) || iscntrl((unsigned char)t.at[i]))
			return tap_diag(p, t.at + i, 1, -EINVAL,
					"one %s is named in full: globs are for functions that have a symbol",
					what);
	return 0;
}

static int check_inline(const struct tap_parser *p, struct tap_token t,
			const struct tap_source_target *target)
{
	if (!target->module.at)
		return tap_diag(p, t.at, t.len ? t.len : 1, -EINVAL,
				tap_probe_is_user(p->spec->type) ?
				"uinline: needs a program or library and a function; write " UINLINE :
				"inline: needs a module and a function; write " INLINE);
	if (tap_probe_is_user(p->spec->type) || !memchr(t.at, '/', target->module.len))
		return 0;
	return tap_diag(p, t.at, target->module.len, -EINVAL,
			"inline: is for modules; for a program write " UINLINE);
}

/* The text with the module as the kernel names it: snd-pcm is snd_pcm. */
static int set_text(struct tap_parser *p, struct tap_token t,
		    const struct tap_source_target *target)
{
	const char *type = p->spec->source == TAP_SOURCE_LINE ? "line" :
			   tap_probe_is_user(p->spec->type) ? "uinline" : "inline";
	size_t i;

	p->spec->target = strndup(t.at, t.len);
	if (!p->spec->target)
		return tap_error_set(p->err, -ENOMEM, "out of memory");
	for (i = 0; target->module.at && !target->is_path && i < target->module.len; i++)
		if (p->spec->target[i] == '-')
			p->spec->target[i] = '_';
	if (asprintf(&p->spec->event, "%s:%s", type, p->spec->target) < 0) {
		p->spec->event = NULL;
		return tap_error_set(p->err, -ENOMEM, "out of memory");
	}
	if (target->is_path)
		p->spec->type = TAP_PROBE_UPROBE;
	return 0;
}

/**
 * tap_source_parse() - parse a place of the source, and set the target of the spec
 * @p: the text; its spec has the source
 * @t: the text after the type
 *
 * Return: 0 or -errno, with the error message set.
 */
int tap_source_parse(struct tap_parser *p, struct tap_token t)
{
	struct tap_source_target target = { .is_function = true };
	struct tap_token name = t;
	const char *colon = last_colon(t);
	int ret = 0;

	if (p->spec->source == TAP_SOURCE_LINE) {
		if (!colon || !t.len)
			return tap_diag(p, t.at, t.len ? t.len : 1, -EINVAL,
					"line: needs a file and a line; write " LINE);
		ret = parse_line(p, (struct tap_token) { colon + 1, t.at + t.len - colon - 1 },
				 &target);
		name.len = colon - t.at;
	}
	split_name(p->spec, name, &target);
	if (!ret && p->spec->source == TAP_SOURCE_INLINE)
		ret = check_inline(p, t, &target);
	if (!ret)
		ret = check_module(p, &target) ?: check_name(p, &target);
	return ret ? ret : set_text(p, t, &target);
}

/**
 * tap_source_split() - split the target of a spec that was parsed
 * @spec: its source is not %TAP_SOURCE_NONE
 * @target: filled in; points into the text
 */
void tap_source_split(const struct tap_spec *spec, struct tap_source_target *target)
{
	struct tap_token t = { spec->target, strlen(spec->target) };
	const char *colon = last_colon(t);

	*target = (struct tap_source_target) { .is_function = true };
	if (spec->source == TAP_SOURCE_LINE) {
		target->is_function = colon[1] == '+';
		target->line = (unsigned int)atoi(colon + 1 + target->is_function);
		target->last = target->line;
		t.len = colon - t.at;
	}
	split_name(spec, t, target);
}

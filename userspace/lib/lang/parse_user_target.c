// SPDX-License-Identifier: LGPL-2.1
/*
 * A place in a program:
 *	PATH:FUNC[+OFFSET]	PATH:"FUNC"[+OFFSET]	PATH:0xOFFSET
 *	PATH:[PROVIDER:]NAME
 * FUNC may contain the colons and parameters of C++ and Rust, and in quotes also
 * blanks. PATH in quotes may contain colons and blanks. resolve_user.c checks whether
 * the place exists.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lang/target.h"
#include "spec/probe_type.h"
#include "spec/spec.h"
#include "util/glob.h"

/* The + before an offset, but not the + of operator+, operator++ or operator+=. */
static const char *find_plus(struct tap_token t)
{
	static const char name[] = "operator";
	const size_t len = sizeof(name) - 1;
	const char *at, *end = t.at + t.len;

	for (at = t.at; at < end; at++) {
		if (*at != '+')
			continue;
		if (at - t.at < (ptrdiff_t)len || memcmp(at - len, name, len))
			return at;
		at += at + 1 < end && (at[1] == '+' || at[1] == '=');
	}
	return NULL;
}

/**
 * tap_user_target_split() - split a place in a program into its parts
 * @type: probe type; only a USDT probe has a provider
 * @t: the text; need not be valid
 * @target: filled in; points into the text
 */
void tap_user_target_split(enum tap_probe_type type, struct tap_token t,
			   struct tap_user_target *target)
{
	const char *end = t.at + t.len, *at = memchr(t.at, ':', t.len);
	const char *close = tap_path_quote(t);
	struct tap_token rest;

	*target = (struct tap_user_target) {
		.file = t, .path = t, .name.at = end,
	};
	if (close) {
		at = close + 1 < end && close[1] == ':' ? close + 1 : NULL;
		target->path = (struct tap_token) { t.at + 1, close - t.at - 1 };
	}
	if (!at)
		return;
	target->file.len = at - t.at;
	if (!close)
		target->path = target->file;
	rest = (struct tap_token) { at + 1, end - at - 1 };
	if (type == TAP_PROBE_USDT) {
		at = memchr(rest.at, ':', rest.len);
		if (at) {
			target->provider = rest;
			target->provider.len = at - rest.at;
			rest = (struct tap_token) { at + 1, end - at - 1 };
		}
	}
	target->name = rest;
	at = rest.len && *rest.at == '"' ?
	     memchr(rest.at + 1, '"', rest.len - 1) : NULL;
	if (at) {
		target->quoted = true;
		target->name.at = rest.at + 1;
		target->name.len = at - target->name.at;
		rest = (struct tap_token) { at + 1, end - at - 1 };
	}
	at = find_plus(rest);
	if (!at)
		return;
	if (!target->quoted)
		target->name.len = at - target->name.at;
	target->offset = (struct tap_token) { at + 1, end - at - 1 };
}

/**
 * tap_user_target_glob() - whether a target may match several places
 * @target: the place
 *
 * Return: true if its name or provider is a glob.
 */
bool tap_user_target_glob(const struct tap_user_target *target)
{
	const struct tap_token t = target->name, p = target->provider;
	size_t i;

	for (i = 0; i < t.len && !target->quoted; i++)
		if (strchr("*?[", t.at[i]) || tap_glob_braces(t.at + i, t.len - i))
			return true;
	for (i = 0; i < p.len; i++)
		if (strchr("*?[", p.at[i]))
			return true;
	return false;
}

bool tap_spec_glob(const struct tap_spec *spec)
{
	struct tap_user_target target;

	if (spec->type == TAP_PROBE_EVENT || spec->type == TAP_PROBE_MARK)
		return false;
	/* A line has several places. */
	if (spec->source)
		return true;
	if (spec->type == TAP_PROBE_SPAN)
		return spec->ast && (tap_spec_glob(spec->ast->span->side[0]) ||
				     tap_spec_glob(spec->ast->span->side[1]));
	if (!tap_probe_is_user(spec->type))
		return tap_glob_is(spec->target);
	tap_user_target_split(spec->type, (struct tap_token) {
		spec->target, strlen(spec->target) }, &target);
	return tap_user_target_glob(&target);
}

/**
 * tap_spec_inside() - whether a user probe is inside a function
 * @spec: parsed or expanded
 *
 * Return: true if the probe is at an offset, where the argument registers may have
 * changed.
 */
bool tap_spec_inside(const struct tap_spec *spec)
{
	const char *text = strchr(spec->event, ':') + 1;
	struct tap_user_target target;

	if (spec->source)
		return true;
	tap_user_target_split(spec->type, (struct tap_token) {
		text, strlen(text) }, &target);
	return target.offset.at;
}

/* Checks the characters of a USDT probe, a provider, or a glob of them. */
static int check_usdt(struct tap_parser *p, struct tap_token t, const char *what)
{
	size_t i, len, braces = 0;

	if (!t.len)
		return tap_diag(p, t.at, 1, -EINVAL,
				"the name of the %s is missing", what);
	for (i = 0; i < t.len; i++) {
		len = strcmp(what, "provider") ? tap_glob_braces(t.at + i, t.len - i) : 0;
		if (i + len > braces && len)
			braces = i + len;
		if (isalnum((unsigned char)t.at[i]) ||
		    strchr("_-.$*?[]!^", t.at[i]) ||
		    (i < braces && strchr("{,}", t.at[i])))
			continue;
		if (t.at[i] == ':')
			return tap_diag(p, t.at + i, 1, -EINVAL,
					"one colon too many; write usdt:PATH:NAME or usdt:PATH:PROVIDER:NAME");
		return tap_diag(p, t.at + i, 1, -EINVAL,
				"the name of a %s cannot contain this character",
				what);
	}
	return 0;
}

/* A C++ name may contain any character in its parentheses and angle brackets. */
static int check_function(struct tap_parser *p,
			  const struct tap_user_target *target)
{
	struct tap_token t = target->name;
	int round = 0, angle = 0;
	size_t i, braces = 0;

	if (!t.len)
		return tap_diag(p, t.at - target->quoted, 1, -EINVAL,
				"the name of the function is missing");
	for (i = 0; i < t.len; i++) {
		round += (t.at[i] == '(') - (t.at[i] == ')');
		angle += (t.at[i] == '<') - (t.at[i] == '>');
		if (iscntrl((unsigned char)t.at[i]) ||
		    (t.at[i] == '"' && target->quoted))
			return tap_diag(p, t.at + i, 1, -EINVAL,
					"the name of a function cannot contain this character");
		if (target->quoted)
			continue;
		if (t.at[i] == '"')
			return tap_diag(p, t.at + i, 1, -EINVAL,
					i ? "put the quotes around the whole name" :
					"the quote is not closed");
		if (i >= braces && tap_glob_braces(t.at + i, t.len - i))
			braces = i + tap_glob_braces(t.at + i, t.len - i);
		if (t.at[i] == ',' && round <= 0 && angle <= 0 && i >= braces)
			return tap_diag(p, t.at + i, 1, -EINVAL,
					"unexpected comma; separate values by spaces, and give each event its own -e");
	}
	if (round > 0 && !target->quoted)
		return tap_diag(p, t.at, t.len, -EINVAL,
				"this parenthesis is not closed; put a name with blanks in quotes: \"f(int, char)\"");
	return 0;
}

/* Only an offset may follow the name. */
static int check_behind(struct tap_parser *p,
			const struct tap_user_target *target,
			struct tap_token t)
{
	const char *at = target->name.at + target->name.len + target->quoted;
	struct tap_token off = target->offset;

	if (off.at && off.at == at + 1)
		return 0;
	if (off.at || at < t.at + t.len)
		return tap_diag(p, at, 1, -EINVAL,
				"unexpected text after the name in quotes; only +OFFSET or a blank can follow");
	return 0;
}

static int parse_offset(struct tap_parser *p,
			const struct tap_user_target *target, __u64 *offset)
{
	struct tap_token t = target->offset, name = target->name;
	int ret;

	*offset = 0;
	if (!t.at)
		return 0;
	if (p->spec->type == TAP_PROBE_USDT)
		return tap_diag(p, t.at - 1, t.len + 1, -EINVAL,
				"a USDT probe has no offset");
	ret = tap_offset_parse(p, t, TAP_MAX_FUNCTION, offset);
	if (ret || !*offset)
		return ret;
	if (p->spec->type != TAP_PROBE_UPROBE && p->spec->type != TAP_PROBE_USER_WATCH)
		return tap_diag(p, t.at - 1, t.len + 1, -EINVAL,
				"%s: probes a whole function and takes no offset; probe an instruction with uprobe:",
				tap_spec_type_name(p->spec->type));
	if (tap_user_target_glob(target))
		return tap_diag(p, t.at - 1, t.len + 1, -EINVAL,
				"an offset needs one function, not a glob");
	if (isdigit((unsigned char)*name.at))
		return tap_diag(p, t.at - 1, t.len + 1, -EINVAL,
				"the target is already an offset in the file; add the two numbers");
	return 0;
}

static int check_place(struct tap_parser *p, struct tap_token t)
{
	__u64 offset;

	if (t.len < 2 || t.at[0] != '0' || (t.at[1] | 0x20) != 'x')
		return tap_diag(p, t.at, t.len, -EINVAL,
				"a function's name cannot begin with a digit; write an offset in the file in hexadecimal after 0x");
	return tap_offset_parse(p, t, INT64_MAX, &offset);
}

/*
 * Parses a place in a program and sets the target of the spec. @t is the text after the
 * type.
 */
int tap_user_target_parse(struct tap_parser *p, struct tap_token t)
{
	const char *type = tap_spec_type_name(p->spec->type);
	bool usdt = p->spec->type == TAP_PROBE_USDT;
	struct tap_user_target target;
	struct tap_token head = t;
	char *text, plus[32] = "";
	__u64 offset;
	int ret;

	tap_user_target_split(p->spec->type, t, &target);
	if (t.len && *t.at == '"' && target.path.at == t.at)
		return tap_diag(p, t.at, 1, -EINVAL, "the quote is not closed");
	if (target.file.len == t.len)
		return tap_diag(p, t.at, t.len, -EINVAL,
				usdt ? "the file or the USDT probe is missing; write %s:PATH:NAME, e.g. %s:python3:gc__start" :
				"the file or the function is missing; write %s:PATH:FUNC, e.g. %s:libc:malloc",
				type, type);
	if (!target.path.len)
		return tap_diag(p, t.at, 1, -EINVAL,
				"the program or library is missing; write %s:PATH:...",
				type);
	if (usdt && target.provider.at)
		ret = check_usdt(p, target.provider, "provider");
	else
		ret = 0;
	if (!ret)
		ret = parse_offset(p, &target, &offset);
	if (!ret && usdt)
		ret = check_usdt(p, target.name, "USDT probe");
	else if (!ret)
		ret = check_function(p, &target);
	if (!ret && !target.quoted)
		ret = tap_target_braces(p, target.name);
	if (!ret)
		ret = check_behind(p, &target, t);
	if (!ret && !usdt && !target.quoted &&
	    isdigit((unsigned char)*target.name.at))
		ret = check_place(p, target.name);
	if (ret)
		return ret;
	if (target.offset.at)
		head.len = target.offset.at - 1 - t.at;
	if (offset)
		snprintf(plus, sizeof(plus), "+0x%llx",
			 (unsigned long long)offset);
	if (asprintf(&text, "%.*s%s", (int)head.len, head.at, plus) < 0)
		return tap_error_set(p->err, -ENOMEM, "out of memory");
	ret = tap_parse_target_text(p, text);
	free(text);
	return ret;
}

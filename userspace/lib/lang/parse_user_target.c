// SPDX-License-Identifier: LGPL-2.1
/*
 * A place in a program, in the event language:
 *
 *	PATH:FUNC[+OFFSET]	PATH:"FUNC"[+OFFSET]	PATH:0xOFFSET
 *	PATH:[PROVIDER:]NAME
 *
 * FUNC may have colons, as C++ and Rust have them, and parameters; in quotes
 * also blanks. PATH may have colons and blanks in quotes. Whether the place exists
 * is asked in resolve_user.c.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lang/target.h"
#include "spec/probe_type.h"
#include "spec/spec.h"
#include "util/glob.h"

/* The + of an offset; that of an operator follows its name. */
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
 * tap_user_target_split() - take a place in a program apart
 * @type: event source
 * @t: the text; what is wrong with it is not looked at
 * @target: filled in
 */
void tap_user_target_split(enum tap_probe_type type, struct tap_token t,
			   struct tap_user_target *target)
{
	const char *end = t.at + t.len, *at = memchr(t.at, ':', t.len);
	const char *close = t.len && *t.at == '"' ?
			    memchr(t.at + 1, '"', t.len - 1) : NULL;
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
 * tap_user_target_glob() - whether it may be several places
 * @target: the place
 *
 * Return: true if a glob is in it.
 */
bool tap_user_target_glob(const struct tap_user_target *target)
{
	const struct tap_token t = target->name, p = target->provider;
	size_t i;

	for (i = 0; i < t.len && !target->quoted; i++)
		if (strchr("*?[", t.at[i]))
			return true;
	for (i = 0; i < p.len; i++)
		if (strchr("*?[", p.at[i]))
			return true;
	return false;
}

/**
 * tap_spec_glob() - whether what was asked for may be several targets
 * @spec: of tap_spec_parse()
 *
 * Return: true if its target is a glob.
 */
bool tap_spec_glob(const struct tap_spec *spec)
{
	struct tap_user_target target;

	if (spec->type == TAP_PROBE_EVENT || spec->type == TAP_PROBE_MARK)
		return false;
	if (!tap_probe_is_user(spec->type))
		return tap_glob_is(spec->target);
	tap_user_target_split(spec->type, (struct tap_token) {
		spec->target, strlen(spec->target) }, &target);
	return tap_user_target_glob(&target);
}

/**
 * tap_spec_inside() - whether a program's probe is inside a function
 * @spec: parsed or expanded
 *
 * Return: true if it is at an offset, so that arguments are not in place.
 */
bool tap_spec_inside(const struct tap_spec *spec)
{
	const char *text = strchr(spec->event, ':') + 1;
	struct tap_user_target target;

	tap_user_target_split(spec->type, (struct tap_token) {
		text, strlen(text) }, &target);
	return target.offset.at;
}

/* What stands in a name of a USDT probe or its provider, or in a glob. */
static int check_usdt(struct tap_parser *p, struct tap_token t, const char *what)
{
	size_t i;

	if (!t.len)
		return tap_diag(p, t.at, 1, -EINVAL,
				"the name of the %s is missing", what);
	for (i = 0; i < t.len; i++) {
		if (isalnum((unsigned char)t.at[i]) ||
		    strchr("_-.$*?[]!^", t.at[i]))
			continue;
		if (t.at[i] == ':')
			return tap_diag(p, t.at + i, 1, -EINVAL,
					"one colon too many: it is usdt:PATH:NAME or usdt:PATH:PROVIDER:NAME");
		return tap_diag(p, t.at + i, 1, -EINVAL,
				"a name of a %s does not contain this character",
				what);
	}
	return 0;
}

/* A name of C++ may have anything in its parentheses and angles. */
static int check_function(struct tap_parser *p,
			  const struct tap_user_target *target)
{
	struct tap_token t = target->name;
	int round = 0, angle = 0;
	size_t i;

	if (!t.len)
		return tap_diag(p, t.at - target->quoted, 1, -EINVAL,
				"the name of the function is missing");
	for (i = 0; i < t.len; i++) {
		round += (t.at[i] == '(') - (t.at[i] == ')');
		angle += (t.at[i] == '<') - (t.at[i] == '>');
		if (iscntrl((unsigned char)t.at[i]) ||
		    (t.at[i] == '"' && target->quoted))
			return tap_diag(p, t.at + i, 1, -EINVAL,
					"a name of a function does not contain this character");
		if (target->quoted)
			continue;
		if (t.at[i] == '"')
			return tap_diag(p, t.at + i, 1, -EINVAL,
					i ? "quotes are around the whole name" :
					"the quote is not closed");
		if (t.at[i] == ',' && round <= 0 && angle <= 0)
			return tap_diag(p, t.at + i, 1, -EINVAL,
					"no commas: values are separated by spaces, several events take a -e each");
	}
	if (round > 0 && !target->quoted)
		return tap_diag(p, t.at, t.len, -EINVAL,
				"a name with blanks stands in quotes: \"f(int, char)\"");
	return 0;
}

/* What is behind the name: nothing, or an offset. */
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
				"behind the name in quotes an offset with + may follow, or a blank");
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
	if (p->spec->type != TAP_PROBE_UPROBE)
		return tap_diag(p, t.at - 1, t.len + 1, -EINVAL,
				"%s: works on a whole function, it takes no offset; an instruction is probed with uprobe:",
				tap_spec_type_name(p->spec->type));
	if (tap_user_target_glob(target))
		return tap_diag(p, t.at - 1, t.len + 1, -EINVAL,
				"an offset needs one function, not a glob");
	if (isdigit((unsigned char)*name.at))
		return tap_diag(p, t.at - 1, t.len + 1, -EINVAL,
				"this is an offset in the file already: add them up");
	return 0;
}

/* PATH:0xOFFSET */
static int check_place(struct tap_parser *p, struct tap_token t)
{
	__u64 offset;

	if (t.len < 2 || t.at[0] != '0' || (t.at[1] | 0x20) != 'x')
		return tap_diag(p, t.at, t.len, -EINVAL,
				"no name of a function begins with a digit; an offset in the file is hexadecimal after 0x");
	return tap_offset_parse(p, t, INT64_MAX, &offset);
}

/**
 * tap_user_target_parse() - read a place in a program
 * @p: the text; its spec has a type, and gets a target
 * @t: what follows the type
 *
 * Return: 0, or -errno with the error message set.
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
				usdt ? "which USDT probe in which program or library? It is %s:PATH:NAME, e.g. %s:python3:gc__start" :
				"which function in which program or library? It is %s:PATH:FUNC, e.g. %s:libc:malloc",
				type, type);
	if (!target.path.len)
		return tap_diag(p, t.at, 1, -EINVAL,
				"the program or library is missing: %s:PATH:...",
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
	ret = tap_spec_target(p, text);
	free(text);
	return ret;
}

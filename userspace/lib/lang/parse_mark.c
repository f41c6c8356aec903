// SPDX-License-Identifier: LGPL-2.1
/*
 * Events that user space writes: "mark", by any program or script; "interval:UNIT:N"
 * and "file:PATH[:FIELD]", by the owner of the session, at an interval, for its own
 * probe.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "lang/lang.h"
#include "util/util.h"

#define INTERVAL	"interval:"
#define FILE_VALUE	"file:"

static const struct {
	const char *name;
	__u64 ns;
	__u32 most;
} units[] = {
	{ "s", 1000000000, 86400 },
	{ "ms", 1000000, 86400000 },
};

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static int parse_interval(struct tap_parser *p, struct tap_token t)
{
	const char *colon = memchr(t.at, ':', t.len);
	struct tap_token unit = { t.at, colon ? (size_t)(colon - t.at) : t.len };
	struct tap_token n = { t.at + unit.len, 0 };
	__u64 value = 0;
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (tap_token_is(unit, units[i].name))
			break;
	if (i == ARRAY_SIZE(units))
		return tap_diag(p, t.at, unit.len ? unit.len : 1, -EINVAL,
				"the unit of an interval must be s or ms, e.g. interval:s:1 or interval:ms:100");
	if (colon)
		n = (struct tap_token) { colon + 1, t.len - unit.len - 1 };
	for (k = 0; k < n.len && k < 10; k++) {
		if (n.at[k] < '0' || n.at[k] > '9')
			break;
		value = value * 10 + (__u64)(n.at[k] - '0');
	}
	if (!n.len || k < n.len || !value || value > units[i].most)
		return tap_diag(p, n.at, n.len ? n.len : 1, -EINVAL,
				"the length of the interval must be a number from 1 to %u, e.g. interval:%s:%d",
				units[i].most, units[i].name, i ? 100 : 1);
	return 0;
}

static int parse_file(struct tap_parser *p, struct tap_token t)
{
	if (!t.len || *t.at != '/')
		return tap_diag(p, t.at, t.len ? t.len : 1, -EINVAL,
				"file: needs an absolute path; to select one line, add a colon and the start of the line, e.g. file:/proc/meminfo:MemFree");
	if (t.len + strlen(FILE_VALUE) >= TAP_MAX_TARGET)
		return tap_diag(p, t.at, t.len, -EINVAL,
				"the name is longer than %zu characters",
				TAP_MAX_TARGET - 1 - strlen(FILE_VALUE));
	return 0;
}

/* Parses an event that user space writes and sets the spec's target. */
int tap_spec_mark(struct tap_parser *p, struct tap_token word)
{
	const char *colon = memchr(word.at, ':', word.len);
	struct tap_token name = { word.at, colon ? (size_t)(colon - word.at) :
						   word.len };
	struct tap_token t = { name.at + name.len + !!colon,
			       word.len - name.len - !!colon };
	char text[sizeof(INTERVAL) + TAP_MAX_TARGET];
	int ret = 0;

	/* Quotes allow a field with blanks: file:"/proc/cpuinfo:cpu MHz". */
	if (t.len > 2 && t.at[0] == '"' && t.at[t.len - 1] == '"') {
		t.at++;
		t.len -= 2;
	}
	if (tap_token_is(name, "interval"))
		ret = parse_interval(p, t);
	else if (tap_token_is(name, "file"))
		ret = parse_file(p, t);
	else if (colon)
		ret = tap_diag(p, colon, t.len + 1, -EINVAL,
			       "a mark has no name; select marks with a condition: mark if text == \"begin*\"");
	if (ret)
		return ret;
	snprintf(text, sizeof(text), "%.*s%s%.*s", (int)name.len, name.at,
		 colon ? ":" : "", (int)t.len, t.at);
	p->spec->event = strdup(text);
	p->spec->target = strdup(text);
	if (p->spec->event && p->spec->target)
		return 0;
	return tap_error_set(p->err, -ENOMEM, "out of memory");
}

__u64 tap_spec_interval(const struct tap_spec *spec)
{
	const char *at = spec->target + strlen(INTERVAL);
	size_t i, len;

	if (!begins(spec->target, INTERVAL))
		return 0;
	for (i = 0; i < ARRAY_SIZE(units); i++) {
		len = strlen(units[i].name);
		if (begins(at, units[i].name) && at[len] == ':')
			return strtoull(at + len + 1, NULL, 10) * units[i].ns;
	}
	return 0;
}

const char *tap_spec_value_file(const struct tap_spec *spec)
{
	return begins(spec->target, FILE_VALUE) ?
	       spec->target + strlen(FILE_VALUE) : NULL;
}

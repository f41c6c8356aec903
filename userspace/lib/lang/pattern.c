// SPDX-License-Identifier: LGPL-2.1
/*
 * Text in quotes with which a text is compared: its escapes, and whether it is a pattern.
 */
#include <errno.h>

#include "lang/lexer.h"
#include "lang/pattern.h"

static bool is_special(char c)
{
	return c == '*' || c == '?' || c == '[';
}

/* Skips escapes as the lexer does. The closing quote ends the loop. */
static bool has_glob(struct tap_token t)
{
	size_t i;

	for (i = 1; i + 1 < t.len; i++) {
		if (t.at[i] == '\\')
			i++;
		else if (is_special(t.at[i]))
			return true;
	}
	return false;
}

static int read_set(const struct tap_parser *parser, const char **at, const char *end,
		    struct tap_pattern *p)
{
	const char *open = *at, *close = open + 1;

	close += close < end && (*close == '!' || *close == '^');
	close += close < end && *close == ']';
	while (close < end && *close != ']')
		close++;
	if (close == end)
		return tap_diag(parser, *at, 1, -EINVAL,
				"this [ has no ]; write \\[ for the character");
	for (; *at <= close; (*at)++) {
		if (p->len == sizeof(p->text))
			return -E2BIG;
		/* Globs of the kernel know ! but not ^. */
		p->text[p->len++] = *at == open + 1 && **at == '^' ? '!' : **at;
	}
	return 0;
}

int tap_pattern_read(const struct tap_parser *parser, struct tap_token token,
		     struct tap_pattern *p)
{
	const char *at = token.at + 1, *end = token.at + token.len - 1;
	int c, ret = 0;

	p->glob = has_glob(token);
	p->len = 0;
	while (at < end && !ret) {
		const char *from = at;
		bool escaped = *at == '\\';

		if (p->glob && *at == '[') {
			ret = read_set(parser, &at, end, p);
			continue;
		}
		if (escaped && at + 1 < end && is_special(at[1])) {
			c = at[1];
			at += 2;
		} else {
			c = tap_lexer_escape(&at, end);
		}
		if (c < 0)
			return tap_diag(parser, from, 2, -EINVAL,
					"unknown escape; use one of \\n \\t \\r \\\\ \\\" \\xNN, or in a glob \\* \\? \\[");
		if (!c)
			return tap_diag(parser, from, 2, -EINVAL,
					"text in the kernel ends at a 0 byte and cannot contain one");
		if (p->len + 2 > sizeof(p->text))
			ret = -E2BIG;
		else if (p->glob && (c == '\\' || (escaped && is_special(c))))
			p->text[p->len++] = '\\';
		if (!ret)
			p->text[p->len++] = c;
	}
	if (ret == -E2BIG)
		return tap_diag(parser, token.at, token.len, ret,
				"the text is longer than %d characters",
				TAP_MAX_PATTERN - 1);
	return ret;
}

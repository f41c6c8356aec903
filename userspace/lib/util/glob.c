// SPDX-License-Identifier: LGPL-2.1
/*
 * Shell patterns over kernel names: * ? [a-z] [!a-z].
 *
 * fnmatch(3) depends on the locale. This makes it ten times slower over the names of a
 * kernel, and one pattern could match differently elsewhere.
 */
#include <string.h>

#include "util/glob.h"

/**
 * tap_glob_is() - whether a text is a pattern
 * @text: from the user
 *
 * Return: true if it contains a character that is special in patterns.
 */
bool tap_glob_is(const char *text)
{
	return text[strcspn(text, "*?[")] != '\0';
}

/**
 * tap_glob_literal() - return the length of the literal start of a pattern
 * @pattern: the pattern
 *
 * Return: the number of characters before the first special one.
 */
size_t tap_glob_literal(const char *pattern)
{
	return strcspn(pattern, "*?[");
}

/*
 * Matches a character against the set after a '['. Sets @end behind the ']', or to NULL
 * if there is none: then '[' is literal.
 */
static bool match_set(const char *p, char c, const char **end)
{
	bool negated = *p == '!' || *p == '^';
	bool found = false;
	const char *first;

	p += negated;
	/* A ']' at the start is a member. */
	for (first = p; *p && (*p != ']' || p == first); p++) {
		if (p[1] == '-' && p[2] && p[2] != ']') {
			found |= c >= p[0] && c <= p[2];
			p += 2;
		} else {
			found |= c == *p;
		}
	}
	*end = *p ? p + 1 : NULL;
	return found != negated;
}

/**
 * tap_glob_match() - match a whole name
 * @pattern: see the top of this file
 * @text: the name
 *
 * Only the last '*' is retried: an earlier one cannot match anything that the last one
 * cannot. So the time is at most the product of both lengths.
 *
 * Return: true if all of @text matches.
 */
bool tap_glob_match(const char *pattern, const char *text)
{
	const char *star = NULL, *resume = NULL;
	const char *end;

	while (*text) {
		if (*pattern == '*') {
			star = ++pattern;
			resume = text;
			continue;
		}
		if (*pattern == '[') {
			bool hit = match_set(pattern + 1, *text, &end);

			if (end ? hit : *text == '[') {
				pattern = end ? end : pattern + 1;
				text++;
				continue;
			}
		} else if (*pattern == '?' || *pattern == *text) {
			pattern++;
			text++;
			continue;
		}
		if (!star)
			return false;
		pattern = star;
		text = ++resume;
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

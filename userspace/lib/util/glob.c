// SPDX-License-Identifier: LGPL-2.1
/*
 * Shell patterns over kernel names: * ? [a-z] [!a-z].
 *
 * fnmatch(3) knows locales, which costs ten times as much over the names of a
 * whole kernel and could make the same pattern match differently elsewhere.
 */
#include <string.h>

#include "util/glob.h"

/**
 * tap_glob_is() - whether a text is a pattern rather than a name
 * @text: from the user
 *
 * Return: true if it holds a character that a pattern gives a meaning.
 */
bool tap_glob_is(const char *text)
{
	return text[strcspn(text, "*?[")] != '\0';
}

/**
 * tap_glob_literal() - how much of a pattern is a plain beginning
 * @pattern: the pattern
 *
 * Return: the number of characters before the first that is not literal.
 */
size_t tap_glob_literal(const char *pattern)
{
	return strcspn(pattern, "*?[");
}

/*
 * Matches one character against the set that begins behind a '['. Sets @end to
 * what follows the ']', or to NULL if there is none: then '[' is no set.
 */
static bool match_set(const char *p, char c, const char **end)
{
	bool negated = *p == '!' || *p == '^';
	bool found = false;
	const char *first;

	p += negated;
	/* A ']' that comes first is a member. */
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
 * @pattern: as described above
 * @text: the name
 *
 * Goes back to the last '*' alone, which suffices since an earlier one could
 * take nothing that the last one cannot; so the time is at most the product
 * of both lengths.
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

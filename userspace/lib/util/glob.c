// SPDX-License-Identifier: LGPL-2.1
/*
 * Shell patterns over kernel names: * ? [a-z] [!a-z] {a,b}.
 *
 * Braces are alternatives only if they have a comma that no other brackets enclose: names of C++ and
 * Rust have braces too, such as {lambda(int, int)#1} and {{closure}}.
 *
 * fnmatch(3) depends on the locale. This makes it ten times slower over the names of a
 * kernel, and one pattern could match differently elsewhere.
 */
#include <string.h>

#include "util/glob.h"

/**
 * tap_glob_braces() - the end of alternatives in braces
 * @text: begins with the brace, or with any other character; not terminated
 * @len: bytes of @text
 *
 * Return: the number of bytes up to and with the closing brace; 0 if these are no alternatives.
 */
size_t tap_glob_braces(const char *text, size_t len)
{
	bool comma = false;
	int depth = 0;
	size_t i;

	for (i = 0; i < len && text[i] && (i || *text == '{'); i++) {
		if (strchr("{([<", text[i]))
			depth++;
		comma |= text[i] == ',' && depth == 1;
		if (strchr("})]>", text[i]) && !--depth)
			return comma && text[i] == '}' ? i + 1 : 0;
	}
	return 0;
}

/* The first alternatives of a pattern, or NULL. */
static const char *find_braces(const char *pattern)
{
	const char *at = strchr(pattern, '{');

	while (at && !tap_glob_braces(at, strlen(at)))
		at = strchr(at + 1, '{');
	return at;
}

/**
 * tap_glob_is() - whether a text is a pattern
 * @text: from the user
 *
 * Return: true if it contains a character that is special in patterns.
 */
bool tap_glob_is(const char *text)
{
	return text[strcspn(text, "*?[")] != '\0' || find_braces(text);
}

/**
 * tap_glob_literal() - return the length of the literal start of a pattern
 * @pattern: the pattern
 *
 * Return: the number of characters before the first special one.
 */
size_t tap_glob_literal(const char *pattern)
{
	const char *braces = find_braces(pattern);
	size_t len = strcspn(pattern, "*?[");

	return braces && (size_t)(braces - pattern) < len ? (size_t)(braces - pattern) : len;
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

/*
 * Matches a pattern without alternatives.
 *
 * Only the last '*' is retried: an earlier one cannot match anything that the last one
 * cannot. So the time is at most the product of both lengths.
 */
static bool match(const char *pattern, const char *text)
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

/* Matches a pattern with each of the alternatives at @braces in it. */
static bool match_braces(const char *pattern, const char *braces, const char *text)
{
	size_t len = strlen(pattern), before = braces - pattern;
	size_t all = tap_glob_braces(braces, strlen(braces));
	const char *at = braces + 1, *end = braces + all - 1;
	char one[TAP_GLOB_MAX];

	if (len >= sizeof(one))
		return false;
	memcpy(one, pattern, before);
	while (at <= end) {
		const char *next = at;
		int depth = 0;

		while (next < end && (*next != ',' || depth)) {
			depth += strchr("{([<", *next) ? 1 : strchr("})]>", *next) ? -1 : 0;
			next++;
		}
		memcpy(one + before, at, next - at);
		strcpy(one + before + (next - at), end + 1);
		if (tap_glob_match(one, text))
			return true;
		at = next + 1;
	}
	return false;
}

/**
 * tap_glob_match() - match a whole name
 * @pattern: see the top of this file
 * @text: the name
 *
 * Return: true if all of @text matches.
 */
bool tap_glob_match(const char *pattern, const char *text)
{
	const char *braces = find_braces(pattern);
	size_t start;

	if (!braces)
		return match(pattern, text);
	/* Most names are dismissed here: a list of all symbols is matched at once. */
	start = tap_glob_literal(pattern);
	return !strncmp(pattern, text, start) && match_braces(pattern, braces, text);
}

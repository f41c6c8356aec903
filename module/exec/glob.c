// SPDX-License-Identifier: GPL-2.0
/*
 * Globs of programs. The rules of handler.h hold.
 */
#include <linux/kprobes.h>
#include <linux/string.h>

#include "exec/glob.h"

/*
 * Matches a character with a set of a glob. *pattern is behind the [; moves behind the ]. A
 * [ without ] is an ordinary character.
 */
static bool tap_glob_set(const u8 **pattern, const u8 *end, u8 c)
{
	const u8 *p = *pattern;
	bool not = p < end && (*p == '!' || *p == '^');
	bool found = false, first = true;

	if (not)
		p++;
	for (; p < end && (*p != ']' || first); p++, first = false) {
		if (p + 2 < end && p[1] == '-' && p[2] != ']') {
			found |= c >= p[0] && c <= p[2];
			p += 2;
		} else {
			found |= c == *p;
		}
	}
	if (p == end)
		return c == '[';
	*pattern = p + 1;
	return found != not;
}
NOKPROBE_SYMBOL(tap_glob_set);

/* Matches a character with the pattern's next element, which is not a star. */
static bool tap_glob_one(const u8 **pattern, const u8 *end, u8 c)
{
	const u8 *p = *pattern;

	switch (*p++) {
	case '?':
		*pattern = p;
		return true;
	case '[':
		*pattern = p;
		return tap_glob_set(pattern, end, c);
	case '\\':
		if (p < end)
			p++;
		break;
	}
	*pattern = p;
	return p[-1] == c;
}
NOKPROBE_SYMBOL(tap_glob_one);

/* Ordinary characters at the start of a part of a glob. */
static size_t tap_glob_literal(const u8 *p, const u8 *end)
{
	const u8 *start = p;

	while (p < end && *p != '*' && *p != '?' && *p != '[' && *p != '\\')
		p++;
	return p - start;
}
NOKPROBE_SYMBOL(tap_glob_literal);

#define TAP_NO_TAIL	SIZE_MAX

/* Characters that the rest of a glob matches; TAP_NO_TAIL if there is a star in it. */
static size_t tap_glob_tail(const u8 *p, const u8 *end)
{
	size_t len = 0;

	for (; p < end; len++) {
		if (*p == '*')
			return TAP_NO_TAIL;
		/* Whatever the result, p moves to the next element. */
		tap_glob_one(&p, end, 0);
	}
	return len;
}
NOKPROBE_SYMBOL(tap_glob_tail);

/* The first place of len > 0 characters in a text; NULL if there is none. */
static const u8 *tap_glob_find(const u8 *s, const u8 *stop, const u8 *what, size_t len)
{
	const u8 first = *what;

	for (stop -= len; s <= stop; s++) {
		size_t i = 1;

		if (*s != first)
			continue;
		while (i < len && s[i] == what[i])
			i++;
		if (i == len)
			return s;
	}
	return NULL;
}
NOKPROBE_SYMBOL(tap_glob_find);

/**
 * tap_glob() - match a text with a glob
 * @p: the glob, as glob(7) has it
 * @pattern: bytes of @p
 * @s: the text
 * @len: bytes of @s, at most %TAP_MAX_PATTERN
 *
 * It backtracks only to the last star, and from there to the next place of the ordinary
 * characters behind it. What follows the last star has a fixed length, and is compared
 * with the end of the text alone. tap_cost_glob() bounds the instructions.
 *
 * Context: any.
 * Return: whether the whole text matches.
 */
bool tap_glob(const u8 *p, size_t pattern, const u8 *s, size_t len)
{
	const u8 *end = p + pattern, *stop = s + len;
	const u8 *star = NULL, *from = NULL;
	size_t literal = tap_glob_literal(p, end);

	if (literal > len || memcmp(p, s, literal))
		return false;
	p += literal;
	s += literal;
	while (s < stop || p < end) {
		if (p < end && *p == '*') {
			size_t tail = tap_glob_tail(++p, end);

			if (tail != TAP_NO_TAIL) {
				if (tail > stop - s)
					return false;
				s = stop - tail;
				star = NULL;
				continue;
			}
			star = p;
			from = s;
			literal = tap_glob_literal(star, end);
		} else if (p < end && s < stop && tap_glob_one(&p, end, *s)) {
			s++;
			continue;
		} else {
			if (!star || from >= stop)
				return false;
			from++;
		}
		/* Behind a star: here, or at the first place behind the last one. */
		if (literal) {
			from = tap_glob_find(from, stop, star, literal);
			if (!from)
				return false;
		}
		p = star + literal;
		s = from + literal;
	}
	return true;
}
NOKPROBE_SYMBOL(tap_glob);

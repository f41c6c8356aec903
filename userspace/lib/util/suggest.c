// SPDX-License-Identifier: LGPL-2.1
/*
 * "Did you mean": names near to one that was not found.
 *
 * The distance is the number of characters inserted, deleted, changed or swapped with
 * their neighbour. If no name is near, names that contain the wanted one are offered,
 * those that start with it first.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "util/suggest.h"

/* Ranks of names that are not near but contain the wanted one; the length is added. */
#define RANK_BEGINS	0x10000
#define RANK_HOLDS	0x20000

/**
 * tap_suggest_begin() - start a search
 * @s: filled in
 * @want: the name that was not found
 * @len: its length; a name that is too long gets no suggestions
 */
void tap_suggest_begin(struct tap_suggest *s, const char *want, size_t len)
{
	memset(s, 0, sizeof(*s));
	if (len >= sizeof(s->want))
		return;
	memcpy(s->want, want, len);
	s->len = len;
	/* Short names are all near to each other, so the bound is lower. */
	s->bound = len <= 2 ? 0 : len <= 4 ? 1 : len <= 12 ? 2 : 3;
}

/**
 * tap_suggest_any() - start a search that takes the first names as examples
 * @s: filled in
 */
void tap_suggest_any(struct tap_suggest *s)
{
	memset(s, 0, sizeof(*s));
	s->any = true;
}

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int m = a < b ? a : b;

	return m < c ? m : c;
}

/*
 * The distance of two names, or a value above @bound if it exceeds @bound. Cells
 * farther than @bound from the diagonal exceed it, so they are not computed.
 */
static unsigned int distance(const char *a, size_t alen, const char *b,
			     size_t blen, unsigned int bound)
{
	/* Three rows: for i - 2, i - 1 and i characters of a. */
	uint8_t rows[3][TAP_SUGGEST_NAME + 1];
	uint8_t *before = rows[0], *above = rows[1], *row = rows[2], *spare;
	const uint8_t far = bound + 1;
	unsigned int best, last = 0;
	size_t i, j, from, to;

	if ((alen > blen ? alen - blen : blen - alen) > bound)
		return far;
	memset(rows, far, sizeof(rows));
	for (j = 0; j <= blen && j <= bound; j++)
		above[j] = j;
	for (i = 1; i <= alen; i++) {
		best = far;
		from = i > bound ? i - bound : 0;
		to = i + bound < blen ? i + bound : blen;
		if (from == 0) {
			row[0] = i <= bound ? i : far;
			best = row[0];
			from = 1;
		} else {
			row[from - 1] = far;
		}
		for (j = from; j <= to; j++) {
			unsigned int d;

			d = min3(above[j] + 1, row[j - 1] + 1,
				 above[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] && before[j - 2] + 1u < d)
				d = before[j - 2] + 1;
			row[j] = d < far ? d : far;
			if (row[j] < best)
				best = row[j];
		}
		if (to < blen)
			row[to + 1] = far;
		/* One row is not enough: a swap refers to the row before it. */
		if (best > bound && last >= bound)
			return far;
		last = best;
		spare = before;
		before = above;
		above = row;
		row = spare;
	}
	return above[blen];
}

static bool holds(const char *name, size_t len, const char *part, size_t plen)
{
	const char *end = name + len - plen + 1;

	for (; (name = memchr(name, *part, end - name)); name++)
		if (!memcmp(name, part, plen))
			return true;
	return false;
}

/* Whether two names of the same length are permutations of each other. */
static bool shuffled(const char *a, const char *b, size_t len)
{
	int letters[256] = { 0 };
	size_t i;

	for (i = 0; i < len; i++) {
		letters[(unsigned char)a[i]]++;
		letters[(unsigned char)b[i]]--;
	}
	for (i = 0; i < len; i++)
		if (letters[(unsigned char)a[i]])
			return false;
	return true;
}

static bool known(const struct tap_suggest *s, const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		if (!strncmp(s->best[i].name, name, len) &&
		    !s->best[i].name[len])
			return true;
	return false;
}

/**
 * tap_suggest_offer() - offer a name
 * @s: a search
 * @name: a name that exists; copied
 * @len: its length, or the length of its part that counts
 */
void tap_suggest_offer(struct tap_suggest *s, const char *name, size_t len)
{
	unsigned int rank, i;

	if ((!s->len && !s->any) || !len || len >= TAP_SUGGEST_NAME)
		return;
	if (s->any) {
		if (s->nr == TAP_SUGGEST_MAX)
			return;
		memcpy(s->best[s->nr].name, name, len);
		s->best[s->nr++].name[len] = '\0';
		return;
	}
	rank = distance(s->want, s->len, name, len, s->bound);
	if (rank <= s->bound) {
		s->bound = rank;
		/* Swapped letters are a more frequent typing error than changed ones. */
		rank = 2 * rank + !(len == s->len &&
				    shuffled(name, s->want, len));
		/* One nearer name is a better answer than three others. */
		if (s->nr && s->best[0].rank > rank)
			s->nr = 0;
		else if (s->nr && s->best[0].rank < rank)
			return;
	} else {
		if (s->nr && s->best[0].rank < RANK_BEGINS)
			return;
		if (s->len < 3 || len <= s->len)
			return;
		if (!memcmp(name, s->want, s->len))
			rank = RANK_BEGINS + len;
		else if (holds(name, len, s->want, s->len))
			rank = RANK_HOLDS + len;
		else
			return;
	}
	for (i = s->nr; i && s->best[i - 1].rank > rank; i--)
		;
	if (i == TAP_SUGGEST_MAX || known(s, name, len))
		return;
	if (s->nr < TAP_SUGGEST_MAX)
		s->nr++;
	memmove(&s->best[i + 1], &s->best[i],
		(s->nr - 1 - i) * sizeof(s->best[0]));
	memcpy(s->best[i].name, name, len);
	s->best[i].name[len] = '\0';
	s->best[i].rank = rank;
}

/**
 * tap_suggest_text() - write the result as a question
 * @s: a search
 * @prefix: written before each name
 * @suffix: written after each name
 * @buf: set to the text
 * @size: bytes at @buf
 *
 * Return: @buf, with "; did you mean a, b or c?", or empty if nothing is near.
 */
const char *tap_suggest_text(const struct tap_suggest *s, const char *prefix,
			     const char *suffix, char *buf, size_t size)
{
	unsigned int i;
	size_t at = 0;
	int n;

	buf[0] = '\0';
	for (i = 0; i < s->nr; i++) {
		n = snprintf(buf + at, size - at, "%s%s%s%s",
			     i == 0 ? "; did you mean " :
			     i == s->nr - 1 ? " or " : ", ",
			     prefix, s->best[i].name, suffix);
		if (n < 0 || (size_t)n + 1 >= size - at) {
			/* Names that do not fit are left out. */
			buf[at] = '\0';
			break;
		}
		at += n;
	}
	if (at) {
		buf[at] = '?';
		buf[at + 1] = '\0';
	}
	return buf;
}

/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * "Did you mean": names near to one that was not found. Private to libtap and its tool.
 */
#ifndef _TAP_UTIL_SUGGEST_H
#define _TAP_UTIL_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

#define TAP_SUGGEST_MAX		3
#define TAP_SUGGEST_NAME	128

/**
 * struct tap_suggest - the nearest of the names offered so far
 * @want: the name that was not found
 * @len: bytes of @want; 0: it was too long
 * @bound: the largest distance that is still of interest
 * @any: take the first names instead of the nearest
 * @nr: entries of @best
 * @best: the names, best first
 */
struct tap_suggest {
	char want[TAP_SUGGEST_NAME];
	size_t len;
	unsigned int bound;
	bool any;
	unsigned int nr;
	struct {
		char name[TAP_SUGGEST_NAME];
		unsigned int rank;
	} best[TAP_SUGGEST_MAX];
};

void tap_suggest_begin(struct tap_suggest *s, const char *want, size_t len);
void tap_suggest_any(struct tap_suggest *s);
void tap_suggest_offer(struct tap_suggest *s, const char *name, size_t len);
const char *tap_suggest_text(const struct tap_suggest *s, const char *prefix,
			     const char *suffix, char *buf, size_t size);

#endif /* _TAP_UTIL_SUGGEST_H */

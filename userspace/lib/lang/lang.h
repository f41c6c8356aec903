/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What the files that read the event language share. Private to libtap.
 */
#ifndef _TAP_LANG_LANG_H
#define _TAP_LANG_LANG_H

#include <stdbool.h>
#include <stddef.h>

#include <libtap.h>

#define TAP_LATER	"not supported yet by this version"

/**
 * struct tap_token - a part of the text
 * @at: its begin
 * @len: its length
 */
struct tap_token {
	const char *at;
	size_t len;
};

/**
 * struct tap_parser - one text on its way to a spec
 * @text: all of it
 * @at: how far it was read
 * @err: the sentence on failure
 * @spec: what is being made; its type and target count
 * @of: what the sentence begins with, or NULL: the target of a glob that does
 *	not fit
 */
struct tap_parser {
	const char *text;
	const char *at;
	struct tap_error *err;
	struct tap_spec *spec;
	const char *of;
};

int tap_diag(const struct tap_parser *p, const char *at, size_t len, int code,
	     const char *fmt, ...) __attribute__((format(printf, 5, 6)));
bool tap_token_is(struct tap_token t, const char *word);
int tap_token_shown(struct tap_token t);
size_t tap_word_len(const char *text);
struct tap_token tap_token_next(struct tap_parser *p);

/* For "%.*s" in a sentence. */
#define QUOTE(t)	tap_token_shown(t), (t).at

#endif /* _TAP_LANG_LANG_H */

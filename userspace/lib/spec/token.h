/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A part of the text of an event. The tree of an event keeps such parts, so it is
 * data of the spec. Private to libtap and its tool.
 */
#ifndef _TAP_SPEC_TOKEN_H
#define _TAP_SPEC_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct tap_token - a part of the text
 * @at: its begin
 * @len: its length
 */
struct tap_token {
	const char *at;
	size_t len;
};

bool tap_token_is(struct tap_token t, const char *word);
size_t tap_word_len(const char *text);

#endif /* _TAP_SPEC_TOKEN_H */

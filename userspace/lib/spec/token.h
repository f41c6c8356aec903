/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A part of the text of an event. The nodes of an ast have such parts. Private to libtap
 * and its tool.
 */
#ifndef _TAP_SPEC_TOKEN_H
#define _TAP_SPEC_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct tap_token - a part of the text
 * @at: points into the text, which has no 0 behind the part
 * @len: bytes
 */
struct tap_token {
	const char *at;
	size_t len;
};

bool tap_token_is(struct tap_token t, const char *word);
size_t tap_word_len(const char *text);

#endif /* _TAP_SPEC_TOKEN_H */

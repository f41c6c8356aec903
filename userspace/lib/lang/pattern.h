/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Text in quotes with which a text is compared. Private to libtap.
 */
#ifndef _TAP_LANG_PATTERN_H
#define _TAP_LANG_PATTERN_H

#include "lang/lang.h"

/**
 * struct tap_pattern - text in quotes after escapes
 * @glob: it contains * ? or [ without a \ before it; @text then has a \ before characters that
 *	stand for themselves
 * @len: bytes of @text
 * @text: without a final 0
 */
struct tap_pattern {
	bool glob;
	size_t len;
	char text[TAP_MAX_PATTERN];
};

/**
 * tap_pattern_read() - read the text of a %TAP_LEX_STRING
 * @parser: for the error message
 * @token: with its quotes
 * @p: filled in
 *
 * Return: 0, -EINVAL or -E2BIG with the error message set.
 */
int tap_pattern_read(const struct tap_parser *parser, struct tap_token token,
		     struct tap_pattern *p);

#endif /* _TAP_LANG_PATTERN_H */

// SPDX-License-Identifier: LGPL-2.1
/*
 * Tokens: parts of the text of an event.
 */
#include <ctype.h>
#include <string.h>

#include "spec/token.h"

/**
 * tap_token_is() - compare with a word
 * @t: a token
 * @word: a word that ends with 0
 *
 * Return: true if they are equal.
 */
bool tap_token_is(struct tap_token t, const char *word)
{
	return strlen(word) == t.len && !memcmp(t.at, word, t.len);
}

/**
 * tap_word_len() - length of the name that a text begins with
 * @text: the text
 *
 * Return: the number of letters, digits and underscores.
 */
size_t tap_word_len(const char *text)
{
	size_t n = 0;

	while (isalnum((unsigned char)text[n]) || text[n] == '_')
		n++;
	return n;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shell completion: what may stand in the place of a word.
 *
 * A candidate is a line on standard output: the whole word, and behind a tab a few words about it.
 * ":files" and ":commands" are lines that leave the word to the shell.
 */
#ifndef _TOOL_CMD_COMPLETE_H
#define _TOOL_CMD_COMPLETE_H

#include <stdbool.h>
#include <stddef.h>

/* Names printed for one word. More are cut at the next _; if that is not enough, none is printed. */
#define COMPLETE_MAX	400

/**
 * struct names - names that begin with what was typed
 * @list: copies of them
 * @nr: number of @list
 * @failed: out of memory
 */
struct names {
	char **list;
	size_t nr;
	bool failed;
};

/**
 * names_add() - add a name
 * @names: zero at first
 * @name: need not end with 0; is copied
 * @len: bytes of @name
 * @end: is appended; e.g. ":"
 */
void names_add(struct names *names, const char *name, size_t len, const char *end);

/**
 * names_print() - print the names as candidates, sorted, each once; and free them
 * @names: zero afterwards
 * @word: its first @len bytes precede each name
 * @len: bytes of @word
 * @typed: bytes that were typed of the name
 */
void names_print(struct names *names, const char *word, size_t len, size_t typed);

/**
 * candidate_print() - print a candidate if it begins with what was typed
 * @word: what was typed
 * @before: bytes of @word that precede @name
 * @name: of a command, a function, a value ...
 * @end: is appended
 * @about: a description, or NULL
 */
void candidate_print(const char *word, size_t before, const char *name, const char *end,
		     const char *about);

#endif /* _TOOL_CMD_COMPLETE_H */

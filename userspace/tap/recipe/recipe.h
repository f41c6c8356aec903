/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recipes: files with a command line of tap, a description and options.
 *
 *	# a comment
 *	about: Which files are opened, and does it fail?
 *	option: --failed  only those that fail
 *	  if: retval < 0
 *	option: --path=TEXT  the path; * and ? match anything
 *	  if: filename == "${path}"
 *	run: trace -e 'syscall:{open,openat} filename flags ${if}'
 *
 * The words behind "run:" are split at blanks outside single quotes; indented lines continue it. Then
 * ${NAME} is replaced by the value of an option or argument, ${if} by "if" and the conditions of the
 * options that were given, ${and} by the same behind "&&". A value can neither end a word nor begin or
 * change an option, and its type says which characters it may have.
 */
#ifndef _TOOL_RECIPE_RECIPE_H
#define _TOOL_RECIPE_RECIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <libtap.h>

#define RECIPE_MAX_OPTIONS	16
#define RECIPE_MAX_WORDS	64
/* Bytes of a file. */
#define RECIPE_MAX_SIZE		16384
/* Bytes of a value on the command line. */
#define RECIPE_MAX_VALUE	200

enum recipe_type {
	RECIPE_FLAG,		/* has no value */
	RECIPE_NUMBER,
	RECIPE_TIME,		/* a number and ns, us, ms or s */
	RECIPE_TEXT,		/* between double quotes of the language */
	RECIPE_FUNCTION,	/* [MODULE:]GLOB */
	RECIPE_PATH,
	RECIPE_MODULE,
	RECIPE_VALUE,		/* a name or $argN, and members */
	RECIPE_NR_TYPES
};

/**
 * struct recipe_option - an option or an argument
 * @name: without the dashes; of an argument in capitals
 * @type: what its value may be
 * @about: its description
 * @preset: the value if none is given, or NULL
 * @condition: "if:", or NULL
 * @argument: it stands behind the name of the recipe, and must be given
 * @value: what was given, or NULL
 * @line: where it is in the file
 */
struct recipe_option {
	char *name;
	enum recipe_type type;
	char *about;
	char *preset;
	char *condition;
	bool argument;
	const char *value;
	unsigned int line;
};

/**
 * struct recipe - a file that was read
 * @path: the file, for messages
 * @name: of the recipe; @path if it was read from a file that was named
 * @about: the question that it answers
 * @options: the arguments in their order, and the options
 * @nr_options: number of @options
 * @words: what stands behind "run:"
 * @lines: of each of @words: its line
 * @nr_words: number of @words
 * @text: the file; all strings above are in it
 */
struct recipe {
	const char *path;
	const char *name;
	char *about;
	struct recipe_option options[RECIPE_MAX_OPTIONS];
	size_t nr_options;
	char *words[RECIPE_MAX_WORDS];
	unsigned int lines[RECIPE_MAX_WORDS];
	size_t nr_words;
	char *text;
};

/**
 * recipe_parse() - read the text of a recipe
 * @r: filled in; recipe_free() frees @text also after a failure
 * @path: the file, for messages; must stay
 * @name: the name of the recipe; must stay
 * @text: allocated; is changed, and belongs to @r
 * @err: why it failed, with the line
 *
 * Return: 0 or -errno.
 */
int recipe_parse(struct recipe *r, const char *path, const char *name, char *text,
		 struct tap_error *err);

/**
 * recipe_free() - free the text of a recipe
 * @r: of recipe_parse()
 */
void recipe_free(struct recipe *r);

/**
 * recipe_option() - find an option or an argument
 * @r: a recipe
 * @name: need not end with 0
 * @len: bytes of @name
 *
 * Return: NULL if there is none.
 */
struct recipe_option *recipe_option(struct recipe *r, const char *name, size_t len);

/**
 * recipe_argument() - find the argument in a place
 * @r: a recipe
 * @nr: 0 for the first
 *
 * Return: NULL if there are fewer.
 */
struct recipe_option *recipe_argument(struct recipe *r, size_t nr);

/**
 * recipe_type_name() - how a type is written: "TIME"
 * @type: a type
 *
 * Return: NULL for flags.
 */
const char *recipe_type_name(enum recipe_type type);

/**
 * recipe_type_find() - find a type by its name
 * @name: as written
 *
 * Return: a type, or %RECIPE_NR_TYPES.
 */
enum recipe_type recipe_type_find(const char *name);

/**
 * recipe_check() - test a value
 * @o: the option
 * @value: what was given for it
 * @err: what is wrong with it, and what may be given
 *
 * Return: 0 or -EINVAL.
 */
int recipe_check(const struct recipe_option *o, const char *value, struct tap_error *err);

/**
 * recipe_give() - take the arguments and options of a command line
 * @r: their values are kept
 * @argc: number of @argv
 * @argv: what follows the name of the recipe; the strings must stay
 * @rest: the words that are for the command; room for @argc
 * @nr_rest: number of @rest
 * @err: why it failed
 *
 * Return: 0 or -errno.
 */
int recipe_give(struct recipe *r, int argc, char **argv, char **rest, size_t *nr_rest,
		struct tap_error *err);

/**
 * recipe_expand() - make the words of the command
 * @r: with its values
 * @argv: room for %RECIPE_MAX_WORDS; the first is the command; free each with free()
 * @nr: number of @argv, also after a failure
 * @err: why it failed
 *
 * Return: 0 or -errno.
 */
int recipe_expand(const struct recipe *r, char **argv, size_t *nr, struct tap_error *err);

/**
 * recipe_quote() - print a word as a shell takes it
 * @to: where to
 * @word: any text
 */
void recipe_quote(FILE *to, const char *word);

/**
 * recipe_help() - print the description, the arguments and the options
 * @to: where to
 * @r: a recipe
 */
void recipe_help(FILE *to, struct recipe *r);

/**
 * recipe_find() - read a recipe by its name
 * @r: filled in; end it with recipe_free()
 * @name: as typed
 * @path: room for the path of the file
 * @size: bytes of @path
 * @err: why it failed; with near names
 *
 * Return: 0 or -errno.
 */
int recipe_find(struct recipe *r, const char *name, char *path, size_t size,
		struct tap_error *err);

/**
 * recipe_read() - read a recipe from a file
 * @r: filled in; end it with recipe_free()
 * @path: the file; must stay
 * @err: why it failed
 *
 * Return: 0 or -errno.
 */
int recipe_read(struct recipe *r, const char *path, struct tap_error *err);

/**
 * recipe_each() - name the recipes of all directories, sorted; those that are hidden are left out
 * @each: is called for each name, with the path of its file
 * @arg: for @each
 *
 * Return: 0 or -ENOMEM.
 */
int recipe_each(void (*each)(const char *name, const char *path, void *arg), void *arg);

#endif /* _TOOL_RECIPE_RECIPE_H */

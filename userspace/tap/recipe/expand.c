// SPDX-License-Identifier: GPL-2.0
/*
 * From a recipe and what was given for it to the command line of another command.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "recipe/recipe.h"
#include "tool.h"

/* Columns of the help: the names, and their descriptions. */
#define HELP_NAME	2
#define HELP_TEXT	27

/* ------------------------------------------------------- the command line */

/* The option that a word is, or NULL; *value is what stands behind its =. */
static struct recipe_option *option_of(struct recipe *r, const char *word, const char **value)
{
	struct recipe_option *o;
	size_t len;

	*value = NULL;
	if (strncmp(word, "--", 2))
		return NULL;
	len = strcspn(word + 2, "=");
	if (word[2 + len])
		*value = word + 2 + len + 1;
	o = recipe_option(r, word + 2, len);
	return o && !o->argument ? o : NULL;
}

static int give_option(struct recipe_option *o, const char *value, struct tap_error *err)
{
	int ret;

	if (o->type == RECIPE_FLAG) {
		if (value)
			return tap_error_set(err, -EINVAL, "--%s takes no value", o->name);
		o->value = "";
		return 0;
	}
	ret = recipe_check(o, value, err);
	if (!ret)
		o->value = value;
	return ret;
}

int recipe_give(struct recipe *r, int argc, char **argv, char **rest, size_t *nr_rest,
		struct tap_error *err)
{
	struct recipe_option *o;
	size_t nr_arguments = 0;
	const char *value;
	int i, ret = 0;

	*nr_rest = 0;
	for (i = 0; i < argc && !ret; i++) {
		o = option_of(r, argv[i], &value);
		if (o) {
			if (!value && o->type != RECIPE_FLAG) {
				if (++i == argc)
					return tap_error_set(err, -EINVAL, "--%s needs a value", o->name);
				value = argv[i];
			}
			ret = give_option(o, value, err);
			continue;
		}
		/* Behind the first option of the command a word may be the value of one. */
		if (!*nr_rest && argv[i][0] != '-') {
			o = recipe_argument(r, nr_arguments++);
			if (!o)
				return tap_error_set(err, -EINVAL, "'%s' is one argument too many; 'tap run --help %s%s' shows the arguments",
						     argv[i], r->name == r->path ? "-f " : "", r->name);
			ret = give_option(o, argv[i], err);
			continue;
		}
		rest[(*nr_rest)++] = argv[i];
	}
	o = recipe_argument(r, nr_arguments);
	if (!ret && o)
		ret = tap_error_set(err, -EINVAL, "%s needs %s, %s; arguments stand in front of the options",
				    r->name, o->name, o->about);
	return ret;
}

/* --------------------------------------------------------------- the words */

static const char *value_of(const struct recipe_option *o)
{
	return o->value ? o->value : o->preset;
}

/* Writes a text; ${NAME} becomes the value. */
static void put_text(FILE *to, const struct recipe *r, const char *text, size_t len)
{
	const char *at, *end = text + len;
	const struct recipe_option *o;
	size_t n;

	for (; text < end; text = at + 2 + n + 1) {
		at = strstr(text, "${");
		if (!at || at >= end) {
			fwrite(text, 1, (size_t)(end - text), to);
			return;
		}
		fwrite(text, 1, (size_t)(at - text), to);
		n = strcspn(at + 2, "}");
		/* recipe_parse() has found each name. */
		o = recipe_option((struct recipe *)r, at + 2, n);
		fputs(value_of(o), to);
	}
}

/*
 * Writes the conditions of the options that were given, behind a blank and @first. || and ?: bind
 * weaker than the && between two of them.
 */
static void put_conditions(FILE *to, const struct recipe *r, const char *first)
{
	const struct recipe_option *o;
	size_t i;

	for (i = 0; i < r->nr_options; i++) {
		bool parts;

		o = &r->options[i];
		if (!o->condition || !o->value)
			continue;
		parts = strstr(o->condition, "||") || strchr(o->condition, '?');
		fprintf(to, " %s %s", first, parts ? "(" : "");
		put_text(to, r, o->condition, strlen(o->condition));
		if (parts)
			putc(')', to);
		first = "&&";
	}
}

/* Writes a word. The blank in front of ${if} and ${and} goes with it. */
static void put_word(FILE *to, const struct recipe *r, const char *word)
{
	const char *at, *first;
	size_t len;

	for (at = strstr(word, "${"); at; at = strstr(at + 2, "${")) {
		first = !strncmp(at, "${if}", 5) ? "if" : !strncmp(at, "${and}", 6) ? "&&" : NULL;
		if (!first)
			continue;
		len = (size_t)(at - word);
		put_text(to, r, word, len - (len && word[len - 1] == ' '));
		put_conditions(to, r, first);
		word = strchr(at, '}') + 1;
	}
	put_text(to, r, word, strlen(word));
}

int recipe_expand(const struct recipe *r, char **argv, size_t *nr, struct tap_error *err)
{
	size_t len;
	FILE *to;

	for (*nr = 0; *nr < r->nr_words; ++*nr) {
		argv[*nr] = NULL;
		to = open_memstream(&argv[*nr], &len);
		if (to)
			put_word(to, r, r->words[*nr]);
		if (!to || fclose(to)) {
			free(argv[*nr]);
			return tap_error_set(err, -ENOMEM, "out of memory");
		}
	}
	return 0;
}

/* -------------------------------------------------------------- for people */

void recipe_quote(FILE *to, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,%@";

	if (*word && !word[strspn(word, plain)]) {
		fputs(word, to);
		return;
	}
	putc('\'', to);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", to);
		else
			putc(*word, to);
	}
	putc('\'', to);
}

static void print_option(FILE *to, const struct recipe_option *o)
{
	const char *type = o->argument ? NULL : recipe_type_name(o->type);
	char *name = NULL, *about = NULL;

	if (asprintf(&name, "%s%s%s%s", o->argument ? "" : "    --", o->name, type ? " " : "",
		     type ? type : "") < 0)
		return;
	if (asprintf(&about, "%s%s%s", o->about, o->preset ? "; default " : "",
		     o->preset ? o->preset : "") < 0) {
		free(name);
		return;
	}
	fprintf(to, "%*s%-24s", HELP_NAME, "", name);
	if (strlen(name) > HELP_TEXT - HELP_NAME - 2)
		fprintf(to, "\n%*s", HELP_TEXT - 1, "");
	putc(' ', to);
	tool_wrap(to, about, HELP_TEXT, HELP_TEXT);
	free(name);
	free(about);
}

void recipe_help(FILE *to, struct recipe *r)
{
	const struct recipe_option *o;
	size_t i, n;

	fprintf(to, "usage: tap run %s%s", r->name == r->path ? "-f " : "", r->name);
	for (n = 0; (o = recipe_argument(r, n)); n++)
		fprintf(to, " %s", o->name);
	fputs(" [OPTION]...\n\n", to);
	tool_wrap(to, r->about, 0, 0);
	if (n)
		fputs("\narguments:\n", to);
	for (i = 0; (o = recipe_argument(r, i)); i++)
		print_option(to, o);
	if (r->nr_options > n)
		fputs("\noptions:\n", to);
	for (i = 0; i < r->nr_options; i++)
		if (!r->options[i].argument)
			print_option(to, &r->options[i]);
	fprintf(to, "\nOther options are those of 'tap %s'.\n", r->words[0]);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Shell completion of tap run: names of recipes, their arguments and options. Behind the name the
 * options of the command that the recipe runs may stand as well.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/complete.h"
#include "cmd/complete_recipe.h"
#include "cmd/complete_target.h"
#include "recipe/recipe.h"

static void complete_name(const char *name, const char *path, void *word)
{
	struct tap_error err;
	struct recipe r;

	if (!recipe_read(&r, path, &err))
		candidate_print(word, 0, name, "", r.about);
	recipe_free(&r);
}

static void complete_type(const struct recipe_option *o, const char *word)
{
	if (o->type == RECIPE_FUNCTION)
		complete_function(word);
	else if (o->type == RECIPE_MODULE)
		complete_module(word, 0);
	else if (o->type == RECIPE_PATH)
		puts(":files");
}

static void complete_options(const struct recipe *r, const char *word)
{
	char name[64];
	size_t i;

	for (i = 0; i < r->nr_options; i++) {
		snprintf(name, sizeof(name), "--%s", r->options[i].name);
		if (!r->options[i].argument)
			candidate_print(word, 0, name, "", r->options[i].about);
	}
}

/* The option that a word is, with or without a value behind it; or NULL. */
static struct recipe_option *option_of(struct recipe *r, const char *word)
{
	struct recipe_option *o = strncmp(word, "--", 2) ? NULL : recipe_option(r, word + 2, strcspn(word + 2, "="));

	return o && !o->argument ? o : NULL;
}

/* The option whose value follows a word, or NULL. */
static struct recipe_option *before_value(struct recipe *r, const char *word)
{
	struct recipe_option *o = strchr(word, '=') ? NULL : option_of(r, word);

	return o && o->type != RECIPE_FLAG ? o : NULL;
}

/* The words behind the name; the last is the one to complete. */
static void complete_behind(struct recipe *r, int argc, char **argv)
{
	struct recipe_option *o = argc > 1 ? before_value(r, argv[argc - 2]) : NULL;
	const char *word = argv[argc - 1];
	size_t nr_arguments = 0;
	bool own = true;
	char **words;
	int i;

	if (o) {
		complete_type(o, word);
		return;
	}
	for (i = 0; i < argc - 1 && own; i++) {
		if (before_value(r, argv[i]))
			i++;
		else if (argv[i][0] != '-')
			nr_arguments++;
		else
			own = option_of(r, argv[i]);
	}
	if (*word == '-')
		complete_options(r, word);
	o = own ? recipe_argument(r, nr_arguments) : NULL;
	if (o && *word != '-') {
		complete_type(o, word);
		return;
	}
	words = calloc((size_t)argc + 1, sizeof(*words));
	if (!words)
		return;
	words[0] = r->words[0];
	memcpy(words + 1, argv, (size_t)argc * sizeof(*words));
	tool_complete(argc + 1, words);
	free(words);
}

bool complete_recipe(int argc, char **argv)
{
	const char *file = NULL;
	char path[PATH_MAX];
	struct tap_error err;
	struct recipe r;
	int i, ret;

	for (i = 1; i < argc - 1 && argv[i][0] == '-'; i++)
		if ((!strcmp(argv[i], "-f") || !strcmp(argv[i], "--file")) && i + 1 < argc - 1)
			file = argv[++i];
	if (!file && i == argc - 1) {
		if (argv[i][0] == '-' || !strcmp(argv[i - 1], "-f") || !strcmp(argv[i - 1], "--file"))
			return false;
		recipe_each(complete_name, argv[i]);
		return true;
	}
	ret = file ? recipe_read(&r, file, &err) : recipe_find(&r, argv[i++], path, sizeof(path), &err);
	if (!ret && i < argc)
		complete_behind(&r, argc - i, argv + i);
	recipe_free(&r);
	return true;
}

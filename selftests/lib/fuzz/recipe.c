// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of recipes. An input is a file, and behind a 0 byte the words of a command line, each ended by a 0
 * byte. Of a recipe and words that are accepted, no value may become more than a part of one word.
 */
#include <string.h>

#include "recipe/recipe.h"
#include "selftests/lib/fuzz/fuzz.h"

#define MAX_WORDS	32

static void need(bool holds)
{
	if (!holds)
		abort();
}

/* What ends a word of the event language, or begins another part of an event or a word of a shell. */
static const char evil[] = " \t\n\r\v\f'\"`\\,;|&(){}[]<!#~^\001\177\200\377";

/* A value that was taken has none of these, and would not have been taken with one. */
static void check_value(const struct recipe_option *o)
{
	char changed[RECIPE_MAX_VALUE + 2];
	struct tap_error err;
	size_t len, at;
	const char *c;

	if (!o->value || o->type == RECIPE_FLAG)
		return;
	len = strlen(o->value);
	need(len && len <= RECIPE_MAX_VALUE && *o->value != '-' && !strpbrk(o->value, evil));
	need(o->type == RECIPE_VALUE || !strpbrk(o->value, "$>"));
	at = (unsigned char)o->value[len - 1] % (len + 1);
	for (c = evil; *c; c++) {
		memcpy(changed, o->value, at);
		changed[at] = *c;
		strcpy(changed + at + 1, o->value + at);
		need(recipe_check(o, changed, &err));
	}
}

static void use(struct recipe *r, int argc, char **argv)
{
	char *rest[MAX_WORDS], *words[RECIPE_MAX_WORDS];
	struct tap_error err = { 0 };
	size_t nr, i;

	if (recipe_give(r, argc, argv, rest, &nr, &err)) {
		need(*err.text);
		return;
	}
	need(nr <= (size_t)argc);
	for (i = 0; i < r->nr_options; i++)
		check_value(&r->options[i]);
	if (recipe_expand(r, words, &nr, &err))
		abort();
	/* As many words as the file has: no value has made another one. */
	need(nr == r->nr_words && nr);
	for (i = 0; i < nr; i++) {
		/* A value neither makes an option of a word that is none, nor -c of one that is. */
		need((words[i][0] == '-') == (r->words[i][0] == '-') || r->words[i][0] == '$');
		need(strncmp(words[i], "-c", 2));
		free(words[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tap_error err = { 0 };
	char *argv[MAX_WORDS], *copy, *text, *at;
	struct recipe r;
	FILE *null;
	int argc = 0;

	copy = malloc(size + 1);
	need(copy);
	memcpy(copy, data, size);
	copy[size] = '\0';
	/* The words are beyond the text. */
	for (at = copy + strlen(copy) + 1; at < copy + size && argc < MAX_WORDS; at += strlen(at) + 1)
		argv[argc++] = at;
	text = strdup(copy);
	need(text);
	if (recipe_parse(&r, "FILE", "NAME", text, &err)) {
		need(!strncmp(err.text, "FILE:", 5));
	} else {
		use(&r, argc, argv);
		null = fopen("/dev/null", "w");
		need(null);
		recipe_help(null, &r);
		fclose(null);
	}
	recipe_free(&r);
	free(copy);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The types of options of a recipe, and which values they take.
 *
 * A value becomes a part of an event. So it has no character that ends a word of the language or
 * begins another part of an event: no blank, quote, comma, bracket or backslash.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "recipe/recipe.h"

#define LETTERS	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define DIGITS	"0123456789"

/**
 * struct type - a type of values
 * @name: as in a recipe
 * @chars: what a value may consist of
 * @about: for messages
 */
struct type {
	const char *name;
	const char *chars;
	const char *about;
};

static const struct type types[RECIPE_NR_TYPES] = {
	[RECIPE_FLAG] = { NULL, "", "no value" },
	[RECIPE_NUMBER] = { "NUMBER", DIGITS, "a number, e.g. 16" },
	[RECIPE_TIME] = { "TIME", DIGITS ".nums", "a number with ns, us, ms or s, e.g. 10ms" },
	[RECIPE_TEXT] = { "TEXT", LETTERS DIGITS "./:*?@%+=-",
			  "letters, digits and ./:*?@%+=-_; ? stands for any other character" },
	[RECIPE_FUNCTION] = { "FUNCTION", LETTERS DIGITS ".*?:",
			      "the name of a function, with * and ? as a pattern, e.g. vfs_* or MODULE:*" },
	[RECIPE_PATH] = { "PATH", LETTERS DIGITS "./+-@", "the name or path of a program or library" },
	[RECIPE_MODULE] = { "MODULE", LETTERS DIGITS "-", "the name of a module" },
	[RECIPE_VALUE] = { "VALUE", LETTERS DIGITS "$.->",
			   "a name that the event has, e.g. file->f_inode or $arg1" },
};

/* Words that are no names in an event. */
static const char *const reserved[] = { "if", "from", "to", "on", "having", "in" };

const char *recipe_type_name(enum recipe_type type)
{
	return types[type].name;
}

enum recipe_type recipe_type_find(const char *name)
{
	enum recipe_type type;

	for (type = RECIPE_FLAG + 1; type < RECIPE_NR_TYPES; type++)
		if (!strcmp(name, types[type].name))
			break;
	return type;
}

/* Digits, and at most one point between them. */
static size_t number_len(const char *value)
{
	size_t len = strspn(value, DIGITS), more;

	if (!len || value[len] != '.')
		return len;
	more = strspn(value + len + 1, DIGITS);
	return more ? len + 1 + more : 0;
}

static bool is_time(const char *value)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	size_t len = number_len(value), i;

	for (i = 0; len && i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(value + len, units[i]))
			return true;
	return false;
}

/* One colon at most, with a name on both sides. */
static bool is_function(const char *value)
{
	const char *colon = strchr(value, ':');

	return !isdigit((unsigned char)*value) &&
	       (!colon || (colon != value && colon[1] && !strchr(colon + 1, ':')));
}

/* Names with . or -> between them; a $ in front of the first. */
static bool is_value(const char *value)
{
	size_t len;

	if (*value == '$')
		value++;
	for (;;) {
		len = strspn(value, LETTERS DIGITS);
		if (!len || isdigit((unsigned char)*value))
			return false;
		value += len;
		if (!*value)
			return true;
		if (*value == '.')
			value++;
		else if (!strncmp(value, "->", 2))
			value += 2;
		else
			return false;
	}
}

static bool is_reserved(const char *value)
{
	size_t i;

	for (i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (!strcmp(value, reserved[i]))
			return true;
	return false;
}

static bool is_of_type(enum recipe_type type, const char *value)
{
	switch (type) {
	case RECIPE_TIME:
		return is_time(value);
	case RECIPE_FUNCTION:
		return is_function(value);
	case RECIPE_VALUE:
		return is_value(value);
	default:
		return true;
	}
}

int recipe_check(const struct recipe_option *o, const char *value, struct tap_error *err)
{
	const struct type *t = &types[o->type];
	const char *dashes = o->argument ? "" : "--";
	size_t len = strlen(value), ok = strspn(value, t->chars);

	if (!len)
		return tap_error_set(err, -EINVAL, "%s%s is empty; give %s", dashes, o->name, t->about);
	if (len > RECIPE_MAX_VALUE)
		return tap_error_set(err, -EINVAL, "%s%s is longer than %d characters; give a pattern with *",
				     dashes, o->name, RECIPE_MAX_VALUE);
	if (*value == '-')
		return tap_error_set(err, -EINVAL, "%s%s '%s' looks like an option; give %s", dashes, o->name,
				     value, t->about);
	if (ok < len && isprint((unsigned char)value[ok]))
		return tap_error_set(err, -EINVAL, "%s%s '%s' has a '%c', which could change the meaning of the event; give %s",
				     dashes, o->name, value, value[ok], t->about);
	if (ok < len)
		return tap_error_set(err, -EINVAL, "%s%s has a character that is not printable ASCII; give %s",
				     dashes, o->name, t->about);
	if (is_reserved(value))
		return tap_error_set(err, -EINVAL, "%s%s '%s' is a word of the event language; give %s", dashes,
				     o->name, value, t->about);
	if (!is_of_type(o->type, value))
		return tap_error_set(err, -EINVAL, "%s%s '%s': give %s", dashes, o->name, value, t->about);
	return 0;
}

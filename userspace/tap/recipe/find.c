// SPDX-License-Identifier: GPL-2.0
/*
 * The files of recipes: in which directories they are, and reading one.
 *
 * A recipe of the user hides one of the machine of that name, which hides an installed one. Those that
 * are installed lie beside the program: BINDIR/../share/tapmod/recipes.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recipe/recipe.h"
#include "util/suggest.h"

#define SUFFIX		".recipe"
#define NR_DIRS		3

/* False if there is no such directory on this machine, or its path is too long. */
static bool directory(unsigned int nr, char *dir, size_t size)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char program[PATH_MAX];
	ssize_t len;
	int n = -1;

	switch (nr) {
	case 0:
		/* The specification of XDG has relative paths ignored. */
		if (config && *config == '/')
			n = snprintf(dir, size, "%s/tapmod/recipes", config);
		else if (home && *home == '/')
			n = snprintf(dir, size, "%s/.config/tapmod/recipes", home);
		break;
	case 1:
		n = snprintf(dir, size, "/etc/tapmod/recipes");
		break;
	case 2:
		len = readlink("/proc/self/exe", program, sizeof(program) - 1);
		if (len <= 0)
			break;
		program[len] = '\0';
		*strrchr(program, '/') = '\0';
		n = snprintf(dir, size, "%s/../share/tapmod/recipes", program);
		break;
	}
	return n > 0 && (size_t)n < size;
}

/* Letters, digits, - and _; no path. */
static bool is_name(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) && !(i && (name[i] == '-' || name[i] == '_')))
			return false;
	return len;
}

/* The path of a recipe in a directory, if it is there. */
static bool path_in(unsigned int nr, const char *name, size_t len, char *path, size_t size)
{
	char dir[PATH_MAX];
	int n;

	if (!directory(nr, dir, sizeof(dir)))
		return false;
	n = snprintf(path, size, "%s/%.*s" SUFFIX, dir, (int)len, name);
	return n > 0 && (size_t)n < size && !access(path, F_OK);
}

static bool find(const char *name, size_t len, char *path, size_t size)
{
	unsigned int nr;

	for (nr = 0; nr < NR_DIRS; nr++)
		if (path_in(nr, name, len, path, size))
			return true;
	return false;
}

/* ------------------------------------------------------------------ a list */

/**
 * struct names - names of recipes
 * @list: each is allocated
 * @nr: number of @list
 * @failed: out of memory
 */
struct names {
	char **list;
	size_t nr;
	bool failed;
};

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_name(struct names *names, const char *name, size_t len)
{
	char **list = realloc(names->list, (names->nr + 1) * sizeof(*list));

	if (list)
		names->list = list;
	if (list)
		list[names->nr] = strndup(name, len);
	if (!list || !list[names->nr])
		names->failed = true;
	else
		names->nr++;
}

static void add_directory(struct names *names, const char *path)
{
	const size_t end = strlen(SUFFIX);
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		size_t len = strlen(entry->d_name);

		if (len > end && !strcmp(entry->d_name + len - end, SUFFIX) &&
		    is_name(entry->d_name, len - end))
			add_name(names, entry->d_name, len - end);
	}
	if (dir)
		closedir(dir);
}

int recipe_each(void (*each)(const char *name, const char *path, void *arg), void *arg)
{
	struct names names = { 0 };
	char path[PATH_MAX];
	unsigned int nr;
	size_t i;

	for (nr = 0; nr < NR_DIRS; nr++)
		if (directory(nr, path, sizeof(path)))
			add_directory(&names, path);
	if (names.nr)
		qsort(names.list, names.nr, sizeof(*names.list), compare);
	for (i = 0; i < names.nr; i++) {
		if ((!i || strcmp(names.list[i - 1], names.list[i])) &&
		    find(names.list[i], strlen(names.list[i]), path, sizeof(path)))
			each(names.list[i], path, arg);
	}
	for (i = 0; i < names.nr; i++)
		free(names.list[i]);
	free(names.list);
	return names.failed ? -ENOMEM : 0;
}

/* ------------------------------------------------------------------ a file */

static char *read_text(const char *path, struct tap_error *err)
{
	char *text = malloc(RECIPE_MAX_SIZE + 1);
	size_t len = 0;
	FILE *f;

	if (!text) {
		tap_error_set(err, -ENOMEM, "out of memory");
		return NULL;
	}
	errno = 0;
	f = fopen(path, "re");
	if (f) {
		len = fread(text, 1, RECIPE_MAX_SIZE + 1, f);
		if (!ferror(f))
			errno = 0;
		fclose(f);
	}
	if (errno)
		tap_error_set(err, -errno, "cannot read %s: %s", path, strerror(errno));
	else if (len > RECIPE_MAX_SIZE)
		tap_error_set(err, -EFBIG, "%s has more than %d bytes: it is not a recipe", path, RECIPE_MAX_SIZE);
	else if (memchr(text, 0, len))
		tap_error_set(err, -EINVAL, "%s has a 0 byte: it is not a recipe", path);
	else
		goto out;
	free(text);
	return NULL;
out:
	text[len] = '\0';
	return text;
}

static int read_as(struct recipe *r, const char *path, const char *name, struct tap_error *err)
{
	char *text;

	*r = (struct recipe) { .path = path };
	err->code = -EINVAL;
	text = read_text(path, err);
	return text ? recipe_parse(r, path, name, text, err) : err->code;
}

int recipe_read(struct recipe *r, const char *path, struct tap_error *err)
{
	return read_as(r, path, path, err);
}

static void offer(const char *name, const char *path, void *arg)
{
	(void)path;
	tap_suggest_offer(arg, name, strlen(name));
}

int recipe_find(struct recipe *r, const char *name, char *path, size_t size, struct tap_error *err)
{
	struct tap_suggest near;
	char text[128];

	*r = (struct recipe) { .name = name };
	if (is_name(name, strlen(name)) && find(name, strlen(name), path, size))
		return read_as(r, path, name, err);
	if (strchr(name, '/'))
		return tap_error_set(err, -ENOENT, "'%s' is a path; -f reads a file: 'tap run -f %s'", name, name);
	tap_suggest_begin(&near, name, strlen(name));
	recipe_each(offer, &near);
	tap_suggest_text(&near, "", "", text, sizeof(text));
	return tap_error_set(err, -ENOENT, "no recipe '%s'%s 'tap run --list' shows them", name,
			     *text ? text : ";");
}

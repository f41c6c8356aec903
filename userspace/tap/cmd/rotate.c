// SPDX-License-Identifier: GPL-2.0
/*
 * The files of tap record --daemon. The directory is read each time a file begins. So files of an
 * earlier recorder count towards --rotate-keep, too, and are removed when there are too many.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/rotate.h"
#include "tool.h"

#define SUFFIX		".tap"
/* "." and a number in front of the suffix. */
#define NUMBER_ROOM	24

/* Calls @each for all files of the recorder, in no order. 0 or -errno. */
static int each_file(const struct rotate *rotate,
		     void (*each)(void *arg, unsigned long number, const char *name, int dir),
		     void *arg)
{
	const char *slash = memrchr(rotate->path, '/', rotate->stem);
	size_t len = slash ? (size_t)(slash - rotate->path) + 1 : 0;
	const char *stem = rotate->path + len;
	size_t stem_len = rotate->stem - len;
	char *name = len ? strndup(rotate->path, len) : strdup(".");
	DIR *dir = name ? opendir(name) : NULL;
	struct dirent *entry;
	unsigned long number;
	int ret = dir ? 0 : -errno;
	char *end;

	free(name);
	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, stem, stem_len) || entry->d_name[stem_len] != '.')
			continue;
		number = strtoul(entry->d_name + stem_len + 1, &end, 10);
		if (number && entry->d_name[stem_len + 1] != '-' && !strcmp(end, SUFFIX))
			each(arg, number, entry->d_name, dirfd(dir));
	}
	if (dir)
		closedir(dir);
	return ret;
}

static void find_last(void *arg, unsigned long number, const char *name, int dir)
{
	struct rotate *rotate = arg;

	(void)name;
	(void)dir;
	if (number > rotate->number)
		rotate->number = number;
}

static void remove_old(void *arg, unsigned long number, const char *name, int dir)
{
	const struct rotate *rotate = arg;

	if (number + rotate->opts->rotate.keep > rotate->number)
		return;
	if (unlinkat(dir, name, 0) && errno != ENOENT)
		tool_error("%s: an old file cannot be removed: %s", name, strerror(errno));
}

int rotate_open(struct rotate *rotate, const struct options *opts, struct tap_error *err)
{
	size_t len = strlen(opts->output);
	int ret;

	rotate->opts = opts;
	rotate->stem = len - (len > strlen(SUFFIX) &&
			      !strcmp(opts->output + len - strlen(SUFFIX), SUFFIX) ?
			      strlen(SUFFIX) : 0);
	rotate->path = calloc(1, len + NUMBER_ROOM + sizeof(SUFFIX));
	if (!rotate->path)
		return tap_error_set(err, -ENOMEM, "out of memory");
	memcpy(rotate->path, opts->output, rotate->stem);
	ret = each_file(rotate, find_last, rotate);
	return ret ? tap_error_set(err, ret, "-o %s: its directory cannot be read: %s",
				   opts->output, strerror(-ret)) : 0;
}

const char *rotate_next(struct rotate *rotate)
{
	rotate->number++;
	snprintf(rotate->path + rotate->stem, NUMBER_ROOM + sizeof(SUFFIX), ".%06lu%s",
		 rotate->number, SUFFIX);
	return rotate->path;
}

void rotate_begin(struct rotate *rotate, __u64 now)
{
	/* By the time of the last turn: the turns do not drift. */
	if (!rotate->next)
		rotate->next = now;
	while (rotate->next <= now)
		rotate->next += rotate->opts->rotate.age_ns;
	each_file(rotate, remove_old, rotate);
}

bool rotate_is_due(const struct rotate *rotate, __u64 bytes, __u64 now)
{
	return bytes >= rotate->opts->rotate.size || now >= rotate->next;
}

void rotate_close(struct rotate *rotate)
{
	free(rotate->path);
	rotate->path = NULL;
}

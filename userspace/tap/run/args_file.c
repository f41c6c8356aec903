// SPDX-License-Identifier: GPL-2.0
/*
 * Arguments in a file, for services.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run/args_file.h"
#include "tool.h"

/* Adds the lines of @args->text to @args->argv, which has room for them. */
static void add_lines(struct args_file *args)
{
	char *line, *rest = args->text, *end;

	while ((line = strsep(&rest, "\n"))) {
		while (isspace((unsigned char)*line))
			line++;
		for (end = line + strlen(line); end > line && isspace((unsigned char)end[-1]); end--)
			;
		*end = '\0';
		if (*line && *line != '#')
			args->argv[args->argc++] = line;
	}
	args->argv[args->argc] = NULL;
}

/* Reads a file to its end, or to a byte that is 0. NULL with errno set. */
static char *read_text(const char *path)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t room = 0;

	if (f && getdelim(&text, &room, '\0', f) < 0 && !ferror(f) && !text)
		text = strdup("");
	if (f && ferror(f)) {
		free(text);
		text = NULL;
	}
	if (f)
		fclose(f);
	return text;
}

int args_file_read(struct args_file *args, int argc, char **argv)
{
	const char *path = argc > 2 && !strcmp(argv[argc - 2], "--args") ? argv[argc - 1] : NULL;
	size_t lines = 1;
	const char *p;

	memset(args, 0, sizeof(*args));
	if (path) {
		args->text = read_text(path);
		if (!args->text) {
			tool_error("--args %s: %s", path, strerror(errno));
			return TOOL_USAGE;
		}
		argc -= 2;
	}
	for (p = args->text; p && *p; p++)
		lines += *p == '\n';
	args->argv = calloc((size_t)argc + lines + 1, sizeof(*args->argv));
	if (!args->argv) {
		tool_error("out of memory");
		return TOOL_FAILED;
	}
	memcpy(args->argv, argv, (size_t)argc * sizeof(*argv));
	args->argc = argc;
	if (path)
		add_lines(args);
	return -1;
}

void args_file_free(struct args_file *args)
{
	free(args->argv);
	free(args->text);
	memset(args, 0, sizeof(*args));
}

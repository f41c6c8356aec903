// SPDX-License-Identifier: GPL-2.0
/*
 * Source lines of functions of modules, in a run. The debug information of a module is read at its
 * first frame, and a line takes many look-ups in it.
 */
#include <stdlib.h>
#include <string.h>

#include "run/run.h"

#define LINES	1024

/* A name and what it became. @name is NULL in a free entry. */
struct run_line {
	char *name;
	char *text;
};

struct run_lines {
	struct tap_types *types;
	struct run_line cache[LINES];
};

void run_lines_close(struct run *run)
{
	size_t i;

	if (!run->lines)
		return;
	for (i = 0; i < LINES; i++) {
		free(run->lines->cache[i].name);
		free(run->lines->cache[i].text);
	}
	tap_types_free(run->lines->types);
	free(run->lines);
	run->lines = NULL;
}

static struct run_lines *lines_of(struct run *run)
{
	size_t i;

	if (!run->lines) {
		run->lines = calloc(1, sizeof(*run->lines));
		if (run->lines)
			run->lines->types = tap_types_new();
		/* Their paths were checked when the events were read. */
		for (i = 0; run->lines && run->lines->types && i < run->opts->nr_debug; i++)
			tap_types_add_debug(run->lines->types, run->opts->debug[i], NULL);
	}
	return run->lines && run->lines->types ? run->lines : NULL;
}

void run_line(struct run *run, __u64 addr, char *name, size_t size)
{
	struct run_line *line;
	struct run_lines *lines;
	char text[1024];

	if (!strchr(name, '['))
		return;
	lines = lines_of(run);
	if (!lines)
		return;
	line = &lines->cache[(addr ^ addr >> 12) % LINES];
	if (!line->name || !line->text || strcmp(line->name, name)) {
		snprintf(text, sizeof(text), "%s", name);
		tap_types_line(lines->types, text, sizeof(text));
		free(line->name);
		free(line->text);
		line->name = strdup(name);
		line->text = strdup(text);
		if (!line->name || !line->text)
			return;
	}
	/* The inlined functions all, or none. */
	if (strlen(line->text) < size)
		memcpy(name, line->text, strlen(line->text) + 1);
}

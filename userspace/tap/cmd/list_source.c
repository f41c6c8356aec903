// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the source of a module or program, with a mark at the lines that can be probed.
 *
 * The source is a file of this machine, which need not be the one that was compiled.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libtap.h>

#include "cmd/list_source.h"
#include "tool.h"

/**
 * struct source - what is printed
 * @file: the source; NULL if it cannot be read
 * @opened: it was tried to open @file
 * @json: as JSON
 * @first: the first line to print
 * @last: the last one
 * @line: the last line that was read from @file
 * @text: the line
 * @size: bytes of @text
 */
struct source {
	FILE *file;
	bool opened;
	bool json;
	unsigned int first;
	unsigned int last;
	unsigned int line;
	char *text;
	size_t size;
};

/* Reads the next line, without its end; false at the end of the file. */
static bool next_line(struct source *s)
{
	ssize_t len = s->file ? getline(&s->text, &s->size, s->file) : -1;

	if (len < 0)
		return false;
	s->line++;
	while (len && (s->text[len - 1] == '\n' || s->text[len - 1] == '\r'))
		s->text[--len] = '\0';
	return true;
}

/* A tab is a tab, other characters that a terminal obeys are shown as "?". */
static void print_text(const char *text)
{
	for (; *text; text++)
		putchar(*text == '\t' || (unsigned char)*text >= ' ' ? *text : '?');
	putchar('\n');
}

/* Prints the lines before @line, at which no probe can be, and reads @line itself. */
static void read_to(struct source *s, unsigned int line)
{
	while (s->line < line && next_line(s)) {
		if (s->line < s->first || s->line == line)
			continue;
		printf("  %6u  ", s->line);
		print_text(s->text);
	}
}

static void open_source(struct source *s, const char *path)
{
	s->opened = true;
	s->file = fopen(path, "re");
	if (s->json)
		return;
	printf("# %s\n", path);
	if (!s->file)
		tool_error("%s: %s; its lines are listed without their text", path,
			   strerror(errno));
}

/* Names with newlines between them: with @between instead, or as an array of JSON. */
static void print_names(const char *names, const char *between, bool json)
{
	char *copy = strdup(names), *rest = copy, *name;

	if (json)
		putchar('[');
	while (*names && (name = strsep(&rest, "\n"))) {
		if (name != copy)
			fputs(between, stdout);
		if (json)
			tool_json(stdout, name);
		else
			fputs(name, stdout);
	}
	if (json)
		putchar(']');
	free(copy);
}

static void print_json(const struct tap_source_line *line)
{
	fputs("{\"file\":", stdout);
	tool_json(stdout, line->path);
	printf(",\"line\":%u,\"places\":%u,\"functions\":", line->line, line->places);
	print_names(line->functions, ",", true);
	fputs(",\"inlined_into\":", stdout);
	print_names(line->inlined, ",", true);
	fputs(",\"variables\":", stdout);
	print_names(line->variables, ",", true);
	fputs(",\"at_entry\":", stdout);
	print_names(line->at_entry, ",", true);
	puts("}");
}

static int print_line(const struct tap_source_line *line, void *arg)
{
	struct source *s = arg;

	if (!s->opened)
		open_source(s, line->path);
	if (s->json) {
		print_json(line);
		return 0;
	}
	read_to(s, line->line);
	printf("* %6u  ", line->line);
	print_text(s->file && s->line == line->line ? s->text : "");
	fputs("          in ", stdout);
	print_names(line->functions, ", ", false);
	fputs(*line->inlined ? ", inlined into " : "", stdout);
	print_names(line->inlined, ", ", false);
	fputs(*line->variables ? ": " : "", stdout);
	print_names(line->variables, " ", false);
	fputs(*line->at_entry ? "; as at the entry: " : "", stdout);
	print_names(line->at_entry, " ", false);
	putchar('\n');
	return 0;
}

/* Which lines are printed; tap_source_lines() checks the target. */
static void set_range(struct source *s, const char *target)
{
	const char *colon = strrchr(target, ':'), *dash;

	s->first = 1;
	s->last = UINT_MAX;
	if (!colon || !isdigit((unsigned char)colon[1]))
		return;
	s->first = strtoul(colon + 1, NULL, 10);
	dash = strchr(colon, '-');
	s->last = dash ? strtoul(dash + 1, NULL, 10) : s->first;
}

int list_source(const char *target, const char *const *debug, size_t nr_debug, bool json)
{
	struct tap_types *types = tap_types_new();
	struct source s = { .json = json };
	struct tap_error err = { 0 };
	int ret = types ? 0 : tap_error_set(&err, -ENOMEM, "out of memory");
	size_t i;

	for (i = 0; i < nr_debug && !ret; i++)
		ret = tap_types_add_debug(types, debug[i], &err);
	set_range(&s, target);
	if (!ret)
		ret = tap_source_lines(types, target, print_line, &s, &err);
	if (ret)
		tool_error("%s", err.text);
	while (!ret && !json && s.line < s.last && next_line(&s)) {
		printf("  %6u  ", s.line);
		print_text(s.text);
	}
	if (s.file)
		fclose(s.file);
	free(s.text);
	tap_types_free(types);
	return ret ? TOOL_FAILED : 0;
}

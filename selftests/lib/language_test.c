// SPDX-License-Identifier: GPL-2.0
/*
 * Feeds the examples of docs/event-language.md to the parser and the compiler. In a fence "tap" each
 * line is an event that is accepted. In a fence "diff"
 *
 *	- EVENT		is refused; a - alone is the empty text
 *	! MESSAGE	with exactly this first line of the message
 *	+ EVENT		and this is accepted instead
 *
 * An EVENT may end with " --by EXPR", " --sum EXPR", " --kstack=N" and " --pmu NAME", as the options
 * of "tap stat" and "tap trace". {TEXT*N} is TEXT N times, with # replaced by the number of each.
 * selftests/static/refusals finds messages that the document lacks.
 *
 * usage: language [DOCUMENT]
 *	  language --fill DOCUMENT	prints the document with the actual messages
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lang/lang.h"
#include "module/common/program_cost.h"
#include "selftests/lib/check.h"
#include "selftests/lib/harness.h"
#include "selftests/lib/language_kernel.h"
#include "util/util.h"

#define DOCUMENT	"docs/event-language.md"
#define MOST_OPTIONS	8

static bool fill;

/* -------------------------------------------------------------- the parser */

/* The options after an event. */
struct options {
	const char *keys[MOST_OPTIONS];
	const char *pmu[MOST_OPTIONS];
	struct tap_spec_value values[MOST_OPTIONS];
	unsigned int nr_keys, nr_pmu, nr_values;
	const char *frames;
};

static void cut_options(char *text, struct options *o)
{
	static const char *const names[] = { " --by ", " --sum ", " --pmu ", " --kstack=" };
	char *at, *next, *found;
	size_t i;

	*o = (struct options) { 0 };
	while (1) {
		found = NULL;
		for (i = 0; i < ARRAY_SIZE(names); i++) {
			/* Finds the last one: options are cut from the end. */
			for (at = strstr(text, names[i]); at; at = next) {
				next = strstr(at + 1, names[i]);
				if (!next && (!found || at > found))
					found = at;
			}
		}
		if (!found)
			return;
		*found = '\0';
		at = found + 3;
		at += strcspn(at, " =") + 1;
		switch (found[3]) {
		case 'b':
			o->keys[o->nr_keys++] = at;
			break;
		case 's':
			o->values[o->nr_values++] = (struct tap_spec_value) {
				.size = sizeof(o->values[0]), .kind = TAP_AGG_SUM, .expr = at };
			break;
		case 'p':
			o->pmu[o->nr_pmu++] = at;
			break;
		default:
			o->frames = at;
		}
		if (o->nr_keys == MOST_OPTIONS || o->nr_values == MOST_OPTIONS ||
		    o->nr_pmu == MOST_OPTIONS)
			abort();
	}
}

/* Options were cut from the end, so they are in reverse order. */
static void reverse(const char **list, unsigned int nr)
{
	const char *swap;
	unsigned int i;

	for (i = 0; i < nr / 2; i++) {
		swap = list[i];
		list[i] = list[nr - 1 - i];
		list[nr - 1 - i] = swap;
	}
}

/* Expands each {TEXT*N}. */
static char *expand(const char *event)
{
	const char *open, *close, *times, *at;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int n, i;

	if (!f)
		abort();
	while ((open = strchr(event, '{')) && (close = strchr(open, '}'))) {
		for (times = close; *times != '*' && times > open; times--)
			;
		/* Braces of the language, which have alternatives. */
		if (times == open) {
			fwrite(event, close + 1 - event, 1, f);
			event = close + 1;
			continue;
		}
		fwrite(event, open - event, 1, f);
		n = atoi(times + 1);
		for (i = 0; i < n; i++) {
			for (at = open + 1; at < times; at++) {
				if (*at == '#')
					fprintf(f, "%d", i);
				else
					fputc(*at, f);
			}
		}
		event = close + 1;
	}
	fputs(event, f);
	fclose(f);
	return text;
}

/* Returns 0, or -errno with the error message. */
static int try(const char *event, struct tap_error *err)
{
	char *text = expand(event);
	struct tap_spec *list = NULL;
	struct tap_spec spec;
	struct options o;
	size_t nr = 0, i;
	int ret;

	cut_options(text, &o);
	reverse(o.keys, o.nr_keys);
	reverse(o.pmu, o.nr_pmu);
	ret = tap_spec_parse_into(&spec, text, err);
	if (ret)
		goto out;
	if (o.nr_pmu)
		ret = tap_spec_pmu(&spec, o.pmu, o.nr_pmu, err);
	if (!ret && o.frames)
		ret = tap_spec_stack(&spec, false, (unsigned int)atoi(o.frames), err);
	if (!ret && (o.nr_keys || o.nr_values))
		ret = tap_spec_aggregate(&spec, o.keys, o.nr_keys, o.values, o.nr_values, 64, err);
	if (!ret)
		ret = language_expand(&spec, &list, &nr, err);
	/* The module would refuse it. */
	for (i = 0; i < nr && !ret; i++)
		if (tap_program_cost(list[i].ops, list[i].nr_ops, list[i].data, 0) > TAP_MAX_COST)
			ret = tap_explain(err, TAP_IOC_CREATE, -EFBIG, &list[i]);
	free_events(list, nr);
	tap_spec_clear(&spec);
out:
	free(text);
	return ret;
}

/* ------------------------------------------------------------ the document */

/* State of the reader: the fence, and the error message of the last refused event. */
struct reader {
	enum { NO_FENCE, ACCEPTED, REFUSED, OTHER } fence;
	char want[1024];
	unsigned int line, nr_accepted, nr_refused;
};

static void accepted(struct reader *r, const char *event)
{
	struct tap_error err = { 0 };
	int ret = try(event, &err);

	r->nr_accepted++;
	check(!ret, "line %u: accepted: %s", r->line, event);
	if (ret)
		printf("# %s\n", err.text);
}

static void refused(struct reader *r, const char *event)
{
	struct tap_error err = { 0 };
	int ret = try(event, &err);

	check(!*r->want, "line %u: the event before it shows its message", r->line);
	r->nr_refused++;
	check(ret && ret == err.code, "line %u: refused: %s", r->line, event);
	snprintf(r->want, sizeof(r->want), "%.*s",
		 ret ? (int)strcspn(err.text, "\n") : 0, err.text);
	if (fill)
		printf("! %s\n", r->want);
}

static void message(struct reader *r, const char *text)
{
	bool good = *r->want && !strcmp(text, r->want);

	check(good, "line %u: says: %s", r->line, text);
	if (!good)
		printf("# got: %s\n", r->want);
	*r->want = '\0';
}

static void read_line(struct reader *r, const char *line)
{
	r->line++;
	if (fill && !(r->fence == REFUSED && !strncmp(line, "! ", 2)))
		printf("%s\n", line);
	if (!strncmp(line, "```", 3)) {
		check(!*r->want || fill, "line %u: the event before it shows its message", r->line);
		*r->want = '\0';
		r->fence = r->fence != NO_FENCE ? NO_FENCE : !strcmp(line + 3, "tap") ? ACCEPTED :
			   !strcmp(line + 3, "diff") ? REFUSED : OTHER;
		return;
	}
	if (r->fence == ACCEPTED && *line)
		accepted(r, line);
	if (r->fence != REFUSED || !*line)
		return;
	if (!strncmp(line, "- ", 2) || !strcmp(line, "-"))
		refused(r, line[1] ? line + 2 : "");
	else if (!strncmp(line, "! ", 2) && !fill)
		message(r, line + 2);
	else if (!strncmp(line, "+ ", 2))
		accepted(r, line + 2);
	else
		check(fill, "line %u: begins with -, ! or +: %s", r->line, line);
	if (fill)
		*r->want = '\0';
}

int main(int argc, char **argv)
{
	struct reader r = { 0 };
	const char *path = DOCUMENT;
	char *line = NULL;
	size_t size = 0;
	FILE *f;

	fill = argc > 2 && !strcmp(argv[1], "--fill");
	if (argc > 1)
		path = argv[argc - 1];
	check_quiet = true;
	f = fopen(path, "r");
	if (!f) {
		perror(path);
		return 1;
	}
	language_open();
	while (getline(&line, &size, f) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		read_line(&r, line);
	}
	free(line);
	fclose(f);
	language_close();
	if (fill)
		return check_failures() != 0;
	check(r.fence == NO_FENCE, "the last fence is closed");
	/* A document without its fences must fail. */
	check(r.nr_accepted >= 100, "%u accepted events, at least 100", r.nr_accepted);
	check(r.nr_refused >= 150, "%u refused events, at least 150", r.nr_refused);
	return check_end();
}

// SPDX-License-Identifier: GPL-2.0
/*
 * tap merge: prints the events of several trace files by the time of day. What may stand in the
 * wrong place, as the clocks are not exact enough, is marked.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "merge/merge.h"
#include "pager.h"
#include "run/options.h"
#include "util/buffer.h"

#define SYNOPSIS "merge FILE FILE... [--skew SECONDS] [--json] [-q]"

/**
 * struct merge_out - the output
 * @formatters: of each file
 * @text: of the event being printed
 * @width: of the column of the machines
 * @json: one object a line
 */
struct merge_out {
	struct tap_formatter **formatters;
	struct tap_buffer text;
	int width;
	bool json;
};

static int take(void *arg, const char *data, size_t len)
{
	struct merge_out *out = arg;
	char *to = tap_buffer_room(&out->text, len);

	if (!to)
		return -ENOMEM;
	if (!len)	/* there is no header of JSON, and @data may be NULL */
		return 0;
	memcpy(to, data, len);
	out->text.len += len;
	return 0;
}

static int open_formatters(struct merge_out *out, const struct merge *m)
{
	struct tap_formatter_opts opts = {
		.size = sizeof(opts), .write = take, .write_arg = out, .json = out->json,
		.color = !out->json && tool_color(STDOUT_FILENO), .times = TAP_TIMES_WALL,
	};
	size_t i;
	int ret = 0;

	out->formatters = calloc(m->nr, sizeof(*out->formatters));
	if (!out->formatters)
		return -ENOMEM;
	for (i = 0; i < m->nr && !ret; i++) {
		int len = (int)strlen(m->sources[i].label);

		out->width = len > out->width ? len : out->width;
		ret = tap_file_names(m->sources[i].file, &opts);
		if (!ret)
			ret = tap_formatter_open(&out->formatters[i], &opts);
	}
	return ret;
}

static void print_json(struct merge_out *out, const struct merge_source *s, bool uncertain)
{
	fputs("{\"host\":", stdout);
	tool_json(stdout, s->label);
	if (s->error == WALL_UNKNOWN)
		fputs(",\"error_ns\":null", stdout);
	else
		printf(",\"error_ns\":%llu", (unsigned long long)s->error);
	printf(",\"uncertain\":%s,", uncertain ? "true" : "false");
	/* Behind the { of the event. */
	fwrite(out->text.data + 1, 1, out->text.len - 1, stdout);
}

/* An event may have several lines; the others belong to the first one. */
static void print_text(struct merge_out *out, const char *label, bool uncertain)
{
	const char *at = out->text.data, *end = at + out->text.len, *next;

	for (; at < end; at = next) {
		next = memchr(at, '\n', (size_t)(end - at));
		next = next ? next + 1 : end;
		printf("%-*s %c ", out->width, label, uncertain ? '~' : ' ');
		fwrite(at, 1, (size_t)(next - at), stdout);
		label = "";
		uncertain = false;
	}
}

static int print_event(struct merge_out *out, const struct merge *m, struct merge_source *s,
		       bool uncertain)
{
	struct tap_formatter *fmt = out->formatters[s - m->sources];
	int ret;

	out->text.len = 0;
	tap_formatter_timebase(fmt, &s->wall.base);
	ret = tap_formatter_event(fmt, &s->ev);
	if (!ret)
		ret = tap_formatter_flush(fmt);
	if (ret || !out->text.len)
		return ret;
	if (out->json)
		print_json(out, s, uncertain);
	else
		print_text(out, s->label, uncertain);
	return ferror(stdout) ? -EPIPE : 0;
}

static int print_header(struct merge_out *out)
{
	int ret = tap_formatter_header(out->formatters[0]);

	if (!ret)
		ret = tap_formatter_flush(out->formatters[0]);
	if (!ret && !out->json)
		print_text(out, "HOST", false);
	return ret;
}

static int print_events(struct merge_out *out, struct merge *m)
{
	int ret = open_formatters(out, m);
	struct merge_source *s;
	bool uncertain;

	if (!ret)
		ret = print_header(out);
	while (!ret && (s = merge_next(m, &uncertain)))
		ret = print_event(out, m, s, uncertain);
	return ret;
}

static void free_out(struct merge_out *out, const struct merge *m)
{
	size_t i;

	for (i = 0; out->formatters && i < m->nr; i++)
		tap_formatter_close(out->formatters[i]);
	free(out->formatters);
	tap_buffer_free(&out->text);
}

/* How exact each clock is. */
static void print_clocks(struct merge *m)
{
	size_t i;

	fflush(stdout);
	for (i = 0; i < m->nr; i++) {
		struct merge_source *s = &m->sources[i];
		double between = (double)wall_between(&s->wall) / 1e6;

		if (s->wall.sync == WALL_UNKNOWN)
			fprintf(stderr, "merge: %s (%s): the clock was not synchronised: its events have no certain place; --skew SECONDS says how far it is from the others at most\n",
				s->path, s->label);
		else
			fprintf(stderr, "merge: %s (%s): the clock was within %.3f ms, and %.3f ms more between %zu samples\n",
				s->path, s->label, (double)s->wall.sync / 1e6, between, s->wall.nr);
	}
	fprintf(stderr, "merge: %llu events of %zu files; %llu of them, marked with ~, may have happened before one in front of them\n",
		(unsigned long long)m->events, m->nr, (unsigned long long)m->uncertain);
}

/* Returns the exit status. */
static int print_troubles(const struct merge *m)
{
	int status = 0;
	size_t i;

	for (i = 0; i < m->nr; i++) {
		const struct merge_source *s = &m->sources[i];

		if (s->undecoded)
			tool_error("%s: %llu records match no probe and were not printed", s->path,
				   (unsigned long long)s->undecoded);
		if (tap_file_cut(s->file))
			tool_error("%s: %s", s->path, tap_file_cut(s->file));
		if (s->undecoded || tap_file_cut(s->file))
			status = TOOL_FAILED;
	}
	return status;
}

static int merge(const struct options *opts)
{
	struct merge_out out = { .json = opts->json };
	struct tap_error err;
	struct merge m;
	int ret, status;

	if (merge_open(&m, opts->args, opts->nr_args, opts->skew_ns ? opts->skew_ns : WALL_UNKNOWN,
		       &err)) {
		merge_close(&m);
		return tool_fail(&err);
	}
	pager_open();
	ret = print_events(&out, &m);
	status = print_troubles(&m);
	if (ret && ret != -EPIPE) {
		tool_error("cannot write the events: %s", strerror(-ret));
		status = TOOL_FAILED;
	}
	if (!ret && !opts->quiet)
		print_clocks(&m);
	free_out(&out, &m);
	merge_close(&m);
	return status;
}

int cmd_merge(int argc, char **argv)
{
	struct options opts;
	int status;

	status = options_parse(&opts, argc, argv, OPT_ARGS | OPT_JSON | OPT_QUIET | OPT_SKEW,
			       SYNOPSIS);
	if (status < 0 && opts.nr_args < 2) {
		tool_error("give at least two files; 'tap report FILE' prints one");
		status = TOOL_USAGE;
	}
	if (status < 0)
		status = merge(&opts);
	options_free(&opts);
	return status;
}

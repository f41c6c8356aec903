// SPDX-License-Identifier: GPL-2.0
/*
 * tap why: traces calls with divided durations, and says at the end why they were slow. tap report
 * --why does the same with a file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/why_module.h"
#include "run/run.h"
#include "stat/spans.h"
#include "stat/summary.h"
#include "why/why.h"

#define SYNOPSIS "why FUNC | EVENT | -m MODULE [-n N] [-o FILE] [-p PID | [-a] -c CMD] [OPTION]..."

/**
 * struct why_run - calls being traced
 * @run: the session
 * @why: what is known of them
 * @event: "call:FUNC", if a function was named; allocated
 * @module: events of -m
 */
struct why_run {
	struct run run;
	struct why *why;
	char *event;
	struct why_module module;
};

/* Whether a text is an event and not only the name of a function. */
static bool is_event(const char *text)
{
	bool is = tap_spec_name_len(text);
	char *named;

	/* Only in front of a known type there can be a name. */
	if (is || asprintf(&named, "x=%s", text) < 0)
		return is;
	is = tap_spec_name_len(named);
	free(named);
	return is;
}

/* Makes the events of the command line. Returns -1, or the exit status. */
static int take_events(struct why_run *w, struct options *opts)
{
	if (!opts->file && !opts->nr_events && !opts->module) {
		tool_error("nothing to look at; name a function or an event, e.g. tap why vfs_read, or a module with -m");
		return TOOL_USAGE;
	}
	if (opts->times == TAP_TIMES_DELTA) {
		tool_error("--time delta: the calls of the report do not follow each other; give boot or wall");
		return TOOL_USAGE;
	}
	opts->why = true;
	if (!opts->file)
		return -1;
	if (!is_event(opts->file) && asprintf(&w->event, "call:%s", opts->file) < 0) {
		w->event = NULL;
		tool_error("out of memory");
		return TOOL_FAILED;
	}
	/* It has room for each argument of the command. */
	opts->events[opts->nr_events++] = w->event ? w->event : opts->file;
	return -1;
}

/* Adds the functions of -m to the events. */
static int take_module(struct why_run *w, struct options *opts, struct tap_error *err)
{
	int ret;

	if (!opts->module)
		return 0;
	ret = why_module_open(&w->module, opts, err);
	if (ret)
		return ret;
	ret = options_add_events(opts, w->module.events, w->module.nr);
	return ret ? tap_error_set(err, ret, "out of memory") : 0;
}

static int why_start(struct why_run *w, const struct options *opts, struct tap_error *err)
{
	int ret = run_open(&w->run, opts, true, err);

	if (!ret)
		ret = run_build(&w->run, err);
	if (ret)
		return ret;
	return why_open(&w->why, w->run.probes, opts->rows, err);
}

static int why_loop(struct why_run *w, struct tap_error *err)
{
	int ret = run_start(&w->run, err);

	if (ret)
		return ret;
	if (!w->run.opts->quiet)
		run_say_end(&w->run);
	ret = run_read_to_end(&w->run, why_event, w->why);
	return ret ? tap_error_set(err, ret, "%s", ret == -EOVERFLOW ?
				   "the sum of all durations is more than 584 years" : strerror(-ret)) : 0;
}

/* False after printing an error message. */
static bool why_finish(struct why_run *w)
{
	const struct options *opts = w->run.opts;
	struct tap_reader_counts counts = { .size = sizeof(counts) };
	struct why_out out = {
		.to = stdout,
		.format = {
			.size = sizeof(out.format),
			.json = opts->json,
			.color = !opts->json && tool_color(STDOUT_FILENO),
			.times = opts->times,
			.timebase = tap_reader_timebase(w->run.reader),
			.probes = w->run.probes,
			.resolve = run_resolve, .resolve_arg = &w->run,
			.resolve_user = w->run.users ? tap_user_symbols_lookup : NULL,
			.resolve_user_arg = w->run.users,
		},
	};
	int ret;

	tap_reader_counts(w->run.reader, &counts);
	out.lost = counts.lost + w->run.pending;
	ret = why_print(w->why, &out);
	if (!ret && opts->output && !why_draw(w->why, &out, opts->output))
		return false;
	if (ret && ret != -EPIPE)
		tool_error("cannot print the report: %s", strerror(-ret));
	return !ret;
}

static int why_summary(struct why_run *w, struct tap_error *err)
{
	if (w->run.undecoded)
		tool_error("%llu records match no probe and are missing here",
			   (unsigned long long)w->run.undecoded);
	return summary_of_run(&w->run, err) ?: spans_check(&w->run, err);
}

int cmd_why(int argc, char **argv)
{
	struct why_run w = { 0 };
	struct options opts;
	struct tap_error err;
	bool good = true;
	int ret, status;

	status = options_parse(&opts, argc, argv,
			       (OPT_SESSION & ~(OPT_WHY | OPT_EVERY)) | OPT_LIMIT | OPT_JSON |
			       OPT_TIME | OPT_ENTRIES | OPT_FILE | OPT_CAUSES | OPT_MODULE, SYNOPSIS);
	if (status < 0)
		status = take_events(&w, &opts);
	if (status < 0 && take_module(&w, &opts, &err))
		status = tool_fail(&err);
	if (status >= 0)
		goto out_events;
	ret = why_start(&w, &opts, &err);
	if (!ret)
		ret = why_loop(&w, &err);
	if (!ret) {
		good = why_finish(&w);
		ret = why_summary(&w, &err);
	}
	status = ret ? tool_fail(&err) : good ? 0 : TOOL_FAILED;
	why_close(w.why);
	run_close(&w.run);
out_events:
	why_module_close(&w.module);
	free(w.event);
	options_free(&opts);
	return status;
}

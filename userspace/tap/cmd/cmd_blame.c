// SPDX-License-Identifier: GPL-2.0
/*
 * tap blame: traces calls that fail, and says at the end which function returned the error first.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "blame/blame.h"
#include "cmd/blame_events.h"
#include "cmd/cmd.h"
#include "cmd/cmd_record.h"
#include "run/run.h"
#include "stat/summary.h"

#define SYNOPSIS "blame -m MODULE | -e EVENT... [--json] [-p PID | [-a] -c CMD] [OPTION]..."

/**
 * struct blame_run - failing calls being traced
 * @run: the session
 * @blame: what is known of them
 * @types: where the debug information of modules is
 * @events: the events
 */
struct blame_run {
	struct run run;
	struct blame *blame;
	struct tap_types *types;
	struct blame_events events;
};

static int blame_start(struct blame_run *b, const struct options *opts, struct tap_error *err)
{
	struct tap_formatter_opts names = { .size = sizeof(names) };
	int ret = run_open(&b->run, opts, true, err);
	size_t i;

	if (!ret)
		ret = run_build(&b->run, err);
	b->types = tap_types_new();
	if (!ret && !b->types)
		ret = tap_error_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < opts->nr_debug && !ret; i++)
		ret = tap_types_add_debug(b->types, opts->debug[i], err);
	if (ret)
		return ret;
	names.timebase = tap_reader_timebase(b->run.reader);
	names.resolve = run_resolve;
	names.resolve_arg = &b->run;
	return blame_open(&b->blame, b->run.probes, &names, b->types, err);
}

static int blame_loop(struct blame_run *b, struct tap_error *err)
{
	int ret = run_start(&b->run, err);

	if (ret)
		return ret;
	run_say_end(&b->run);
	ret = run_read_to_end(&b->run, blame_event, b->blame);
	return ret ? tap_error_set(err, ret, "%s", strerror(-ret)) : 0;
}

/* The exit status. */
static int blame_finish(struct blame_run *b)
{
	struct tap_reader_counts counts = { .size = sizeof(counts) };
	struct blame_out out = { .to = stdout, .json = b->run.opts->json };
	struct tap_error err;
	int status;

	tap_reader_counts(b->run.reader, &counts);
	out.lost = counts.lost + b->run.pending;
	status = blame_print(b->blame, &out);
	if (fflush(stdout) && errno != EPIPE) {
		tool_error("cannot print the report: %s", strerror(errno));
		return BLAME_TROUBLE;
	}
	if (b->run.undecoded)
		tool_error("%llu records match no probe and are missing here",
			   (unsigned long long)b->run.undecoded);
	if (summary_of_run(&b->run, &err)) {
		tool_fail(&err);
		return BLAME_TROUBLE;
	}
	return status;
}

int cmd_blame(int argc, char **argv)
{
	struct blame_run b = { 0 };
	struct options opts;
	struct tap_error err;
	int status;

	status = options_parse(&opts, argc, argv,
			       (OPT_SESSION & ~(OPT_WHY | OPT_EVERY | OPT_STACK | OPT_PMU)) |
			       OPT_LIMIT | OPT_JSON | OPT_BLAME, SYNOPSIS);
	if (status > 0)
		status = BLAME_TROUBLE;
	if (status < 0 && !opts.module && !opts.nr_events) {
		tool_error("nothing to look at; name a module with -m, or a function with -e, e.g. -e call:drv_open");
		status = BLAME_TROUBLE;
	}
	if (status >= 0) {
		options_free(&opts);
		return status;
	}
	/* A module has hundreds of functions: a line for each is of no use. */
	opts.quiet = true;
	if (blame_events_open(&b.events, &opts, &err)) {
		tool_fail(&err);
		status = BLAME_TROUBLE;
	} else if (opts.output) {
		status = record_run(&opts, NULL, NULL, argc, argv) ? BLAME_TROUBLE : 0;
	} else if (blame_start(&b, &opts, &err) ||
		   blame_loop(&b, &err)) {
		tool_fail(&err);
		status = BLAME_TROUBLE;
	} else {
		status = blame_finish(&b);
	}
	blame_close(b.blame);
	tap_types_free(b.types);
	run_close(&b.run);
	blame_events_close(&b.events);
	options_free(&opts);
	return status;
}

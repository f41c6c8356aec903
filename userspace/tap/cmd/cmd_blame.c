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

#define SYNOPSIS "blame -m MODULE | -e EVENT... [--also GLOB]... [--null] [--again] [--json] [-p PID | [-a] -c CMD] [OPTION]..."

/**
 * struct blame_run - failing calls being traced
 * @run: the session
 * @blame: what is known of them
 */
struct blame_run {
	struct run run;
	struct blame *blame;
};

static int trace(struct blame_run *b, const struct options *opts, struct tap_types *types,
		 struct tap_error *err)
{
	struct tap_formatter_opts names = { .size = sizeof(names) };
	int ret = run_open(&b->run, opts, true, err);

	if (!ret)
		ret = run_build(&b->run, err);
	if (ret)
		return ret;
	names.timebase = tap_reader_timebase(b->run.reader);
	names.resolve = run_resolve;
	names.resolve_arg = &b->run;
	ret = blame_open(&b->blame, b->run.probes, &names, types, err);
	if (!ret)
		ret = run_start(&b->run, err);
	if (ret)
		return ret;
	run_say_end(&b->run);
	ret = run_read_to_end(&b->run, blame_event, b->blame);
	return ret ? tap_error_set(err, ret, "%s", strerror(-ret)) : 0;
}

/* Says what was counted, and what is missing. */
static int say_totals(struct blame_run *b, struct tap_error *err)
{
	if (b->run.undecoded)
		tool_error("%llu records match no probe and are missing here",
			   (unsigned long long)b->run.undecoded);
	return summary_of_run(&b->run, err);
}

/*
 * The other run of --again, if there is something to decide. @has: set to the run that has the
 * report: the other one only if all failures came again.
 */
static int again(struct blame_run runs[2], struct blame_run **has, struct blame_events *events,
		 struct options *opts, struct tap_types *types, struct tap_error *err)
{
	size_t nr = events->nr;
	int ret;

	if (!opts->again || runs[0].run.interrupted)
		return 0;
	ret = blame_again(runs[0].blame, blame_events_add_line, events);
	if (ret)
		return tap_error_set(err, ret, "out of memory");
	if (events->nr == nr)
		return 0;
	tool_error("%s runs again, with probes at %zu lines", opts->command, events->nr - nr);
	ret = blame_events_use(events, opts, err);
	if (!ret)
		ret = say_totals(&runs[0], err);
	if (ret)
		return ret;
	if (trace(&runs[1], opts, types, err)) {
		tool_fail(err);
		tool_error("no line is decided; the report is that of the first run");
	} else if (blame_has_all(runs[1].blame, runs[0].blame)) {
		*has = &runs[1];
	} else {
		tool_error("the failures of the first run did not all come again, so no line is decided; the report is that of the first run");
	}
	return 0;
}

/* The exit status. */
static int blame_finish(struct blame_run *b, bool quiet)
{
	struct tap_reader_counts counts = { .size = sizeof(counts) };
	struct blame_out out = { .to = stdout, .json = b->run.opts->json, .quiet = quiet };
	struct tap_error err;
	int status;

	tap_reader_counts(b->run.reader, &counts);
	out.lost = counts.lost + b->run.pending;
	status = blame_print(b->blame, &out);
	if (fflush(stdout) && errno != EPIPE) {
		tool_error("cannot print the report: %s", strerror(errno));
		return BLAME_TROUBLE;
	}
	if (say_totals(b, &err)) {
		tool_fail(&err);
		return BLAME_TROUBLE;
	}
	return status;
}

/* The debug information of modules. */
static int open_types(struct tap_types **types, const struct options *opts, struct tap_error *err)
{
	size_t i;
	int ret = 0;

	*types = tap_types_new();
	if (!*types)
		return tap_error_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < opts->nr_debug && !ret; i++)
		ret = tap_types_add_debug(*types, opts->debug[i], err);
	return ret;
}

/* Why the options do not go together; NULL: they do. */
static const char *check(const struct options *opts)
{
	if (!opts->module && !opts->nr_events)
		return "nothing to look at; name a module with -m, or a function with -e, e.g. -e call:drv_open";
	if (opts->again && !opts->command)
		return "--again needs -c CMD: it runs the command once more";
	if (opts->again && opts->output)
		return "--again and -o exclude each other: the second run is made for the lines of a report";
	return NULL;
}

int cmd_blame(int argc, char **argv)
{
	struct blame_events events = { 0 };
	struct blame_run runs[2] = { 0 }, *has = &runs[0];
	struct tap_types *types = NULL;
	struct options opts;
	struct tap_error err;
	const char *why;
	bool quiet;
	int status;

	tool_trouble = BLAME_TROUBLE;
	status = options_parse(&opts, argc, argv,
			       (OPT_SESSION & ~(OPT_WHY | OPT_EVERY | OPT_STACK | OPT_PMU)) |
			       OPT_LIMIT | OPT_JSON | OPT_BLAME, SYNOPSIS);
	if (status > 0)
		status = BLAME_TROUBLE;
	why = status < 0 ? check(&opts) : NULL;
	if (why) {
		tool_error("%s", why);
		status = BLAME_TROUBLE;
	}
	if (status >= 0) {
		options_free(&opts);
		return status;
	}
	if (!opts.quiet && !opts.output)
		tool_error("the calls that fail take at most %zu MiB of memory; those without room are counted",
			   (blame_memory() + (1U << 20) - 1) >> 20);
	/* A module has hundreds of functions: a line for each is of no use. */
	quiet = opts.quiet;
	opts.quiet = true;
	status = BLAME_TROUBLE;
	if (blame_events_open(&events, &opts, &err))
		tool_fail(&err);
	else if (opts.output)
		status = record_run(&opts, NULL, NULL, argc, argv) ? BLAME_TROUBLE : 0;
	else if (open_types(&types, &opts, &err) || trace(&runs[0], &opts, types, &err) ||
		 again(runs, &has, &events, &opts, types, &err))
		tool_fail(&err);
	else
		status = blame_finish(has, quiet);
	blame_close(runs[0].blame);
	blame_close(runs[1].blame);
	tap_types_free(types);
	run_close(&runs[0].run);
	run_close(&runs[1].run);
	blame_events_close(&events);
	options_free(&opts);
	return status;
}

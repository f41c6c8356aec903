// SPDX-License-Identifier: GPL-2.0
/*
 * tap trace: prints events as they happen, sorted by time across all CPUs.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "run/describe.h"
#include "run/kmsg.h"
#include "run/output.h"
#include "stat/spans.h"
#include "stat/summary.h"

#define SYNOPSIS "trace -e EVENT... [--keep EVENT]... [-p PID | [-a] -c CMD] [OPTION]..."

/**
 * struct trace - a live trace
 * @run: the session
 * @out: standard output
 * @formatter: writes to @out
 * @kmsg: levels and devices of printk; NULL: there is no such event
 */
struct trace {
	struct run run;
	struct output out;
	struct tap_formatter *formatter;
	struct kmsg *kmsg;
};

static int trace_event(void *arg, struct tap_event *ev)
{
	struct trace *t = arg;

	return tap_formatter_event(t->formatter, ev);
}

static int trace_give(void *arg, struct tap_event *ev)
{
	struct trace *t = arg;

	return t->run.keep ? tap_keep_event(t->run.keep, ev) : trace_event(t, ev);
}

static int trace_rest(void *arg)
{
	struct trace *t = arg;
	int ret = run_read_rest(&t->run, trace_give, t);

	return ret ? ret : tap_formatter_flush(t->formatter);
}

static int trace_open(struct trace *t, const struct options *opts, int argc, char **argv,
		      struct tap_error *err)
{
	struct tap_formatter_opts fo = {
		.size = sizeof(fo),
		.write = output_write,
		.write_arg = &t->out,
		.json = opts->json,
		.color = !opts->json && tool_color(STDOUT_FILENO),
		.times = opts->times,
		.resolve = run_resolve,
		.resolve_user = tap_user_symbols_lookup,
	};
	struct tap_keep_opts keep = { .size = sizeof(keep), .give = trace_event, .arg = t };
	struct tap_file_info info;
	int ret = run_open(&t->run, opts, true, err);

	if (!ret)
		ret = run_build(&t->run, err);
	if (!ret)
		ret = run_keep_open(&t->run, &keep, err);
	if (ret)
		return ret;
	describe_fill(&info, argc, argv);
	describe_run(&t->run, &info);
	output_open(&t->out, &t->run);
	fo.resolve_arg = &t->run;
	fo.resolve_user_arg = t->run.users;
	if (!t->run.users)
		fo.resolve_user = NULL;
	fo.timebase = tap_reader_timebase(t->run.reader);
	fo.probes = t->run.probes;
	t->kmsg = kmsg_open(t->run.probes, opts->json);
	if (t->kmsg)
		fo.more = kmsg_put;
	fo.more_arg = t->kmsg;
	ret = tap_formatter_open(&t->formatter, &fo);
	if (ret)
		tap_error_set(err, ret, "cannot open the formatter: %s",
			      strerror(-ret));
	return ret;
}

static int trace_loop(struct trace *t, struct tap_error *err)
{
	int ret = run_start(&t->run, err), stop;

	if (ret)
		return ret;
	ret = tap_formatter_header(t->formatter);
	if (!ret)
		ret = tap_formatter_flush(t->formatter);
	while (!ret && !t->run.stopping) {
		ret = run_wait(&t->run, 0);
		if (!ret)
			ret = run_read(&t->run, trace_give, t);
		if (!ret)
			ret = tap_formatter_flush(t->formatter);
	}
	stop = run_disable(&t->run);
	if (!ret)
		ret = stop;
	if (!ret)
		ret = run_drain(&t->run, trace_rest, t);
	if (!ret && t->run.keep)
		ret = tap_keep_end(t->run.keep);
	if (!ret)
		ret = spans_print_open(&t->run, &t->out);
	if (!ret)
		ret = run_budget_json(&t->run, &t->out);
	run_stop(&t->run);
	if (ret)
		tap_error_set(err, ret, "cannot write the trace: %s",
			      strerror(-ret));
	return ret;
}

static int trace_summary(struct trace *t, struct tap_error *err)
{
	if (t->run.undecoded)
		tool_error("%llu records match no probe and were not printed",
			   (unsigned long long)t->run.undecoded);
	return summary_of_run(&t->run, err) ?: spans_check(&t->run, err);
}

int cmd_trace(int argc, char **argv)
{
	struct trace t = { 0 };
	struct options opts;
	struct tap_error err;
	int ret, status;

	status = options_parse(&opts, argc, argv,
			       OPT_SESSION | OPT_LIMIT | OPT_BUDGET | OPT_JSON | OPT_OPEN | OPT_TIME |
			       OPT_ENTRIES | OPT_SIDES | OPT_KEEP | OPT_GATE | OPT_PANIC, SYNOPSIS);
	if (status >= 0) {
		options_free(&opts);
		return status;
	}
	ret = trace_open(&t, &opts, argc, argv, &err);
	if (!ret)
		ret = trace_loop(&t, &err);
	/* The reader of the output closed the pipe: not an error. */
	if (ret == -EPIPE)
		ret = 0;
	else if (!ret)
		ret = trace_summary(&t, &err);
	status = ret ? tool_fail(&err) : 0;
	if (!output_close(&t.out))
		status = TOOL_FAILED;
	tap_formatter_close(t.formatter);
	kmsg_close(t.kmsg);
	run_close(&t.run);
	options_free(&opts);
	return status;
}

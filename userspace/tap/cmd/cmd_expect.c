// SPDX-License-Identifier: GPL-2.0
/*
 * tap expect: whether assertions are true of the events of a file, or of a run that is recorded for
 * it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/cmd_record.h"
#include "expect/expect.h"

#define SYNOPSIS "expect FILE | [-a] -c CMD -e EVENT... [--fast] [OPTION]... 'ASSERTION'... [--junit FILE]"

/* False after an error message. */
static bool write_junit(const struct expect *x, const char *path)
{
	FILE *to = fopen(path, "we");
	bool bad;

	if (to) {
		expect_junit(x, to);
		bad = ferror(to);
		if (!fclose(to) && !bad)
			return true;
	}
	tool_error("cannot write %s: %s", path, strerror(errno));
	return false;
}

/* The verdicts are printed even if they cannot be written as XML as well. */
static int judge(struct expect *x, const struct options *opts)
{
	struct tap_error err;

	if (expect_judge(x, &err)) {
		tool_fail(&err);
		return EXPECT_TROUBLE;
	}
	expect_ktap(x, stdout);
	if (opts->junit && !write_junit(x, opts->junit))
		return EXPECT_TROUBLE;
	return expect_status(x);
}

static int record_to(struct expect *x, const char *dir, const struct options *opts, int argc,
		     char **argv)
{
	const struct record_watch watch = {
		.open = expect_watch_open,
		.event = opts->fast ? expect_watch_event : NULL,
		.seen = opts->fast ? expect_watch_seen : NULL,
		.close = expect_watch_close,
		.arg = x,
	};
	int status = EXPECT_TROUBLE;
	char *path;

	if (asprintf(&path, "%s/trace.tap", dir) < 0) {
		tool_error("out of memory");
		return status;
	}
	x->path = path;
	x->name = opts->command ? opts->command : "this run";
	if (!record_run(opts, path, &watch, argc, argv))
		status = judge(x, opts);
	unlink(path);
	free(path);
	return status;
}

/* Records to a directory of its own: somebody else could take the name of a file. */
static int record_and_judge(struct expect *x, const struct options *opts, int argc, char **argv)
{
	int status = EXPECT_TROUBLE;
	char *dir;

	if (asprintf(&dir, "%s/tap-expect-XXXXXX", tool_tmpdir()) < 0) {
		tool_error("out of memory");
		return status;
	}
	if (mkdtemp(dir)) {
		status = record_to(x, dir, opts, argc, argv);
		rmdir(dir);
	} else {
		tool_error("cannot make %s: %s; set TMPDIR to a directory with room for the events",
			   dir, strerror(errno));
	}
	free(dir);
	return status;
}

/* Returns -1, or the exit status. */
static int check_options(const struct options *opts)
{
	const char *why = NULL;

	if (!opts->nr_events && opts->command)
		why = "nothing to probe; name an event with -e, e.g. -e call:drv_open";
	else if (!opts->nr_events && !opts->nr_args)
		why = "no file given; give FILE, or -c CMD and -e EVENT";
	else if (opts->fast && !opts->nr_events)
		why = "--fast is for a run; give -c CMD and -e EVENT";
	else if (opts->nr_args < 1 + !opts->nr_events)
		why = "no assertion given, e.g. 'call:drv_open count == 12'";
	else if (opts->nr_events && !opts->command && !opts->pid && !opts->duration_ns)
		why = "the run has no end; give -c CMD, -p PID or --duration SEC";
	if (!why)
		return -1;
	tool_error("%s", why);
	return EXPECT_TROUBLE;
}

int cmd_expect(int argc, char **argv)
{
	struct expect x = { 0 };
	struct options opts;
	struct tap_error err;
	int status;

	tool_trouble = EXPECT_TROUBLE;
	status = options_parse(&opts, argc, argv,
			       OPT_SESSION | OPT_LIMIT | OPT_ENTRIES | OPT_SIDES | OPT_EXPECT |
			       OPT_ARGS,
			       SYNOPSIS);
	if (status > 0)
		status = EXPECT_TROUBLE;
	if (status < 0)
		status = check_options(&opts);
	if (status >= 0) {
		options_free(&opts);
		return status;
	}
	x.texts = opts.args + !opts.nr_events;
	x.nr = opts.nr_args - !opts.nr_events;
	if (expect_parse(&x, &err)) {
		tool_fail(&err);
		status = EXPECT_TROUBLE;
	} else if (opts.nr_events) {
		status = record_and_judge(&x, &opts, argc, argv);
	} else {
		x.path = opts.args[0];
		x.name = opts.args[0];
		status = judge(&x, &opts);
	}
	expect_free(&x);
	options_free(&opts);
	return status;
}

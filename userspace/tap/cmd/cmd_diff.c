// SPDX-License-Identifier: GPL-2.0
/*
 * tap diff: compares two trace files. Needs neither the module nor the machine that recorded them.
 */
#include <string.h>

#include "cmd/cmd.h"
#include "diff/diff.h"
#include "run/options.h"

#define SYNOPSIS "diff GOOD BAD [--by EXPR,...] [-e EVENT]... [--if COND] [--from SECONDS] [--to SECONDS] [--tolerance PERCENT] [--rate] [--json]"

/* Of --tolerance. */
#define DEFAULT_TOLERANCE	2.5

static int compare(const struct options *opts)
{
	struct diff d = {
		.path = { opts->args[0], opts->args[1] },
		.events = opts->events, .nr_events = opts->nr_events,
		.condition = opts->condition, .from_ns = opts->from_ns, .to_ns = opts->to_ns,
		.keys = opts->stat.keys, .nr_keys = opts->stat.nr_keys,
		.tolerance = (opts->diff.given ? opts->diff.tolerance : DEFAULT_TOLERANCE) / 100,
		.rate = opts->diff.rate,
	};
	struct tap_error err;
	int status = DIFF_TROUBLE;

	if (diff_run(&d, &err)) {
		tool_fail(&err);
		goto out_free;
	}
	if (opts->json)
		diff_print_json(&d, stdout);
	else
		diff_print(&d, stdout);
	status = diff_status(&d);
out_free:
	diff_free(&d);
	return status;
}

/* Returns -1, or the exit status. */
static int check_options(const struct options *opts)
{
	const char *why = NULL;

	if (opts->nr_args < 2)
		why = "two files are compared: give GOOD and BAD";
	else if (opts->nr_args > 2)
		why = "two files are compared; an event or a condition that contains blanks needs quotes";
	else if (opts->to_ns && opts->to_ns <= opts->from_ns)
		why = "--to must be after --from";
	if (!why)
		return -1;
	tool_error("%s", why);
	return DIFF_TROUBLE;
}

int cmd_diff(int argc, char **argv)
{
	struct options opts;
	int status;

	tool_trouble = DIFF_TROUBLE;
	status = options_parse(&opts, argc, argv, OPT_DIFF | OPT_ARGS | OPT_JSON, SYNOPSIS);
	if (status > 0)
		status = DIFF_TROUBLE;
	if (status < 0)
		status = check_options(&opts);
	if (status < 0)
		status = compare(&opts);
	options_free(&opts);
	return status;
}

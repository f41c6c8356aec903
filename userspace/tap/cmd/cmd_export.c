// SPDX-License-Identifier: GPL-2.0
/*
 * tap export: writes a trace file in the format of another tool. Needs neither the module nor the
 * machine that recorded it.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "export/export.h"
#include "run/options.h"
#include "trace_file.h"

#define SYNOPSIS "export FILE --to ctf|json|perfetto|pprof|tsv [-o OUT] [-e EVENT]... [-q]"

static bool to_stdout(const struct options *opts)
{
	return !opts->output || !strcmp(opts->output, "-");
}

/* Returns -1, or the exit status. */
static int check_options(const struct options *opts, const struct export_format *to)
{
	if (!to)
		return TOOL_USAGE;
	if (to->directory && to_stdout(opts)) {
		tool_error("%s is a directory; give it with -o DIR", to->name);
		return TOOL_USAGE;
	}
	if (!to->binary || !to_stdout(opts) || !isatty(STDOUT_FILENO))
		return -1;
	tool_error("not writing %s to a terminal; use -o FILE", to->name);
	return TOOL_USAGE;
}

static void select_events(struct export *x, const struct options *opts)
{
	const struct tap_probe *probe;
	size_t i;

	for (i = 0; (probe = tap_probes_get(x->probes, i)); i++) {
		if (tap_probe_id(probe) >= EXPORT_IDS ||
		    !trace_file_wants(opts->events, opts->nr_events, tap_probe_spec(probe)))
			continue;
		x->wanted[tap_probe_id(probe)] = true;
	}
}

static int export_file(const struct options *opts, const struct export_format *to)
{
	struct export *x = calloc(1, sizeof(*x));
	struct tap_error err;
	int status = TOOL_FAILED;

	if (!x) {
		tool_error("out of memory");
		return TOOL_FAILED;
	}
	x->path = opts->file;
	x->to = to;
	x->quiet = opts->quiet;
	if (tap_file_open(&x->file, opts->file, &err) ||
	    trace_file_check(x->file, x->path, opts->events, opts->nr_events, &err)) {
		tool_fail(&err);
		goto out_free;
	}
	x->probes = tap_file_probes(x->file);
	select_events(x, opts);
	status = export_run(x, opts->output);
out_free:
	tap_file_close(x->file);
	free(x);
	return status;
}

int cmd_export(int argc, char **argv)
{
	const struct export_format *to;
	struct options opts;
	int status;

	status = options_parse(&opts, argc, argv, OPT_FILE | OPT_EXPORT | OPT_QUIET, SYNOPSIS);
	if (status < 0) {
		to = export_format(opts.to ? opts.to : "");
		status = check_options(&opts, to);
	}
	if (status < 0)
		status = export_file(&opts, to);
	options_free(&opts);
	return status;
}

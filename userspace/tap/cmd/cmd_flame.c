// SPDX-License-Identifier: GPL-2.0
/*
 * tap flame: draws the stacks of a trace file as a flame graph. Needs neither the
 * module nor the machine that recorded it.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "flame/fold.h"
#include "flame/graph.h"
#include "run/options.h"
#include "trace_file.h"

#define SYNOPSIS "flame FILE [-o OUT] [--folded] [--lines] [-e EVENT]... [--weight count|duration] [--title TEXT] [-q]"

/**
 * struct flame - a flame graph being made
 * @opts: the command line
 * @file: the file
 * @fold: its stacks
 * @undecoded: records that match no probe
 */
struct flame {
	const struct options *opts;
	struct tap_file_reader *file;
	struct flame_fold fold;
	__u64 undecoded;
};

/* False after printing an error message if the events have no stack or duration. */
static bool check_events(const struct flame *f)
{
	const struct tap_probes *probes = tap_file_probes(f->file);
	bool stacks = false, durations = false;
	struct tap_error err;
	size_t i;

	if (trace_file_check(f->file, f->opts->file, f->opts->events, f->opts->nr_events, &err)) {
		tool_fail(&err);
		return false;
	}
	for (i = 0; i < tap_probes_nr(probes); i++) {
		const struct tap_spec *spec =
			tap_probe_spec(tap_probes_get(probes, i));

		if (!trace_file_wants(f->opts->events, f->opts->nr_events, spec))
			continue;
		stacks |= flame_has_stack(spec);
		durations |= flame_has_duration(spec);
	}
	if (!stacks)
		tool_error("%s: its events have no stacks; record with --kstack, --ustack or both",
			   f->opts->file);
	else if (f->opts->by_duration && !durations)
		tool_error("%s: its events have no durations; record call:, funcgraph:, ucall: or syscall: events",
			   f->opts->file);
	else
		return true;
	return false;
}

static int fold_events(struct flame *f)
{
	const struct tap_probes *probes = tap_file_probes(f->file);
	struct tap_event ev;
	int ret = 0;

	while (!ret && tap_file_next(f->file, &ev)) {
		int bad = tap_decode(probes, &ev);

		if (bad && bad != -EOPNOTSUPP)	/* a record of a later version */
			f->undecoded++;
		else if (!bad && ev.probe &&
			 trace_file_wants(f->opts->events, f->opts->nr_events,
					  tap_probe_spec(ev.probe)))
			ret = flame_fold_event(&f->fold, &ev);
	}
	return ret ? ret : flame_tree_finish(&f->fold.tree);
}

static bool to_stdout(const struct options *opts)
{
	return !opts->output || !strcmp(opts->output, "-");
}

/* The file is opened last, so that an earlier failure does not truncate it. */
static bool print_graph(const struct flame *f)
{
	const struct tap_file_info *info = tap_file_info(f->file);
	struct flame_svg svg = {
		.tree = &f->fold.tree,
		.title = f->opts->title ? f->opts->title : info->command,
		.duration = f->fold.duration,
	};
	char subtitle[320], when[TRACE_FILE_DATE_LEN];

	trace_file_date(f->file, when);
	snprintf(subtitle, sizeof(subtitle), "%s, %s %s, %s", info->nodename,
		 info->sysname, info->release, when);
	svg.subtitle = subtitle;
	return flame_write(&svg, f->opts->folded, f->opts->output);
}

static void print_summary(const struct flame *f)
{
	const struct flame_fold *fold = &f->fold;
	struct tap_reader_counts counts = { .size = sizeof(counts) };

	tap_file_counts(f->file, &counts);
	if (counts.lost)
		tool_error("%llu events were lost while recording and are missing here",
			   (unsigned long long)counts.lost);
	if (fold->stackless)
		tool_error("%llu of %llu events had no stack",
			   (unsigned long long)fold->stackless,
			   (unsigned long long)fold->events);
	if (fold->timeless)
		tool_error("%llu of %llu events had a stack but no duration",
			   (unsigned long long)fold->timeless,
			   (unsigned long long)fold->events);
	tool_error("all frames add up to %llu %s",
		   (unsigned long long)fold->tree.nodes[0].total,
		   fold->duration ? "ns" : "events");
}

/* The whole part of a truncated file is drawn; the exit status is a failure. */
static bool check_file(const struct flame *f)
{
	if (f->undecoded)
		tool_error("%s: %llu records match no probe and are missing here",
			   f->opts->file, (unsigned long long)f->undecoded);
	if (tap_file_cut(f->file))
		tool_error("%s: %s", f->opts->file, tap_file_cut(f->file));
	return !f->undecoded && !tap_file_cut(f->file);
}

static bool flame_run(struct flame *f)
{
	struct flame_fold *fold = &f->fold;
	bool good;
	int ret;

	if (!check_events(f))
		return false;
	fold->duration = f->opts->by_duration;
	fold->lines = f->opts->lines;
	fold->names.size = sizeof(fold->names);
	ret = tap_file_names(f->file, &fold->names);
	if (!ret)
		ret = flame_tree_init(&fold->tree);
	if (!ret)
		ret = fold_events(f);
	if (ret) {
		tool_error(ret == -EOVERFLOW ?
			   "%s: the sum of its durations is more than 584 years" :
			   "%s: out of memory", f->opts->file);
		return false;
	}
	good = check_file(f);
	if (!f->opts->quiet)
		print_summary(f);
	if (!fold->tree.sum) {
		tool_error("%s: there is nothing to draw", f->opts->file);
		return false;
	}
	return print_graph(f) && good;
}

int cmd_flame(int argc, char **argv)
{
	struct flame f = { 0 };
	struct options opts;
	struct tap_error err;
	int status;

	status = options_parse(&opts, argc, argv,
			       OPT_FILE | OPT_FLAME | OPT_QUIET, SYNOPSIS);
	if (status >= 0) {
		options_free(&opts);
		return status;
	}
	if (!opts.folded && to_stdout(&opts) && isatty(STDOUT_FILENO)) {
		tool_error("not writing SVG to a terminal; use -o FILE or --folded");
		options_free(&opts);
		return TOOL_USAGE;
	}
	f.opts = &opts;
	if (tap_file_open(&f.file, opts.file, &err))
		status = tool_fail(&err);
	else
		status = flame_run(&f) ? 0 : TOOL_FAILED;
	flame_tree_free(&f.fold.tree);
	tap_file_close(f.file);
	options_free(&opts);
	return status;
}

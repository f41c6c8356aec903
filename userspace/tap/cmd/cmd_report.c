// SPDX-License-Identifier: GPL-2.0
/*
 * tap report: prints the events of a trace file. Needs neither the module nor the
 * machine that recorded it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "blame/blame.h"
#include "cmd/cmd.h"
#include "flight/flight.h"
#include "run/options.h"
#include "pager.h"
#include "trace_file.h"
#include "trace_select.h"
#include "vmcore.h"
#include "stat/file_tables.h"
#include "stat/keep.h"
#include "stat/spans.h"
#include "stat/summary.h"
#include "stat/summary_print.h"
#include "stat/tasks.h"
#include "why/why.h"

#define SYNOPSIS "report FILE [--json | --info] [-e EVENT]... [--if COND] [--from SECONDS] [--to SECONDS] [--by EXPR,...] [--sum EXPR] [--hist EXPR] [--top N] [--keep EVENT]... [--open] [--time boot|wall|delta] [--why [-n N] [-o FILE]] [--blame [--debug FILE|DIR]...] [--window N] [--vmcore [--session ID] [-o FILE.tap]] [-q]"

/**
 * struct report - the events of a file being printed
 * @opts: the command line
 * @file: the file
 * @formatter: writes to standard output
 * @events: the -e arguments
 * @select: which events are used
 * @tables: --by and the like
 * @keep: keeps what belongs to --keep; NULL: all is printed
 * @why: says why calls were slow; NULL: the events are printed
 * @blame: says which functions failed first; NULL: the events are printed
 * @types: of its modules
 * @window: the last window whose heading was printed
 * @undecoded: records that match no probe
 * @disarmed: how often --budget disarmed the probes and armed them again
 * @unseen: hits that were not seen meanwhile, as estimated
 * @core: with --vmcore: the session of the dump
 */
struct report {
	const struct options *opts;
	struct tap_file_reader *file;
	struct tap_formatter *formatter;
	const char **events;
	struct trace_select select;
	struct file_tables tables;
	struct tap_keep *keep;
	struct why *why;
	struct blame *blame;
	struct tap_types *types;
	size_t window;
	__u64 undecoded;
	__u64 disarmed;
	__u64 unseen;
	struct vmcore core;
};

static void print_program(const struct tap_file_program *program)
{
	unsigned int i;

	printf("program   %s: %u functions, %u lines", program->path,
	       program->functions, program->lines);
	if (program->build_id_len)
		printf(", build-id ");
	for (i = 0; i < program->build_id_len; i++)
		printf("%02x", program->build_id[i]);
	puts(program->replaced ? "; replaced since" : "");
}

static void print_info(const struct tap_file_reader *file)
{
	const struct tap_file_info *info = tap_file_info(file);
	const struct tap_probes *probes = tap_file_probes(file);
	static const char * const clocks[] = {
		[TAP_CLOCK_MONO] = "kernel's monotonic clock",
		[TAP_CLOCK_TSC] = "x86 time stamp counter",
		[TAP_CLOCK_ARCH] = "arm64 counter",
		[TAP_CLOCK_TSC_ORDERED] = "x86 time stamp counter, read in order",
	};
	const struct tap_timebase *tb = tap_file_timebase(file);
	struct tap_file_program program = { .size = sizeof(program) };
	char when[TRACE_FILE_DATE_LEN];
	size_t i;

	trace_file_date(file, when);
	printf("recorded  %s\n", when);
	printf("by        %s (tap %s)\n", info->command, info->tool);
	printf("on        %s, %u CPUs, pages of %u bytes\n", info->nodename,
	       info->nr_cpus, info->page_size);
	printf("kernel    %s %s %s %s\n", info->sysname, info->release,
	       info->version, info->machine);
	printf("clock     %s, %.6f MHz\n", clocks[tb->clock],
	       1e3 / ((double)tb->mult / (double)(1ULL << tb->shift)));
	for (i = 0; i < tap_probes_nr(probes); i++) {
		const struct tap_spec *spec = tap_probe_spec(tap_probes_get(probes, i));
		const char *name = tap_spec_name(spec);

		printf("probe     %s%s%s\n", name ? name : "", name ? "=" : "",
		       tap_spec_text(spec));
	}
	for (i = 0; !tap_file_program(file, (__u32)i, &program); i++)
		print_program(&program);
}

/* An event that was kept, perhaps long after it was read. */
static int report_event(void *arg, struct tap_event *ev)
{
	struct report *r = arg;

	tap_file_names_at(r->file, ev->time);
	return tap_formatter_event(r->formatter, ev);
}

static int check_window(const struct report *r, struct tap_error *err)
{
	size_t nr = 0;

	if (!r->opts->window || tap_file_get_window(r->file, r->opts->window))
		return 0;
	while (tap_file_get_window(r->file, nr + 1))
		nr++;
	if (!nr)
		return tap_error_set(err, -ENOENT,
				     "%s: has no windows; 'tap record --flight' writes them", r->opts->file);
	return tap_error_set(err, -ENOENT, "%s: has %zu windows, and no window %u", r->opts->file, nr,
			     r->opts->window);
}

/* Those of --keep are in the same list, but do not select. */
static int open_select(struct report *r, struct tap_error *err)
{
	const struct options *opts = r->opts;
	size_t i;

	r->events = calloc(opts->nr_events + 1, sizeof(*r->events));
	if (!r->events)
		return tap_error_set(err, -ENOMEM, "out of memory");
	r->select = (struct trace_select) {
		.path = opts->file, .events = r->events, .condition = opts->condition,
		.from_ns = opts->from_ns, .to_ns = opts->to_ns,
	};
	for (i = 0; i < opts->nr_events; i++)
		if (!opts->verdict[i])
			r->events[r->select.nr_events++] = opts->events[i];
	return trace_select_open(&r->select, r->file, err);
}

/* Each --keep names events of the file that have a begin and an end. */
static int open_keep(struct report *r, struct tap_error *err)
{
	const struct options *opts = r->opts;
	const struct tap_probes *probes = tap_file_probes(r->file);
	struct tap_keep_opts keep = {
		.size = sizeof(keep), .memory = opts->keep_memory, .probes = probes,
		.ordered = true, .give = report_event, .arg = r,
	};
	const struct tap_probe *probe;
	size_t i, k, nr;

	if (tap_keep_open(&r->keep, &keep))
		return tap_error_set(err, -ENOMEM, "--keep-memory: there is no memory of %llu MiB; give less",
				     (unsigned long long)keep.memory >> 20);
	for (k = 0; k < opts->nr_events; k++) {
		if (!opts->verdict[k])
			continue;
		for (i = 0, nr = 0; (probe = tap_probes_get(probes, i)); i++)
			if (trace_file_is(opts->events[k], tap_probe_spec(probe)))
				nr += !tap_keep_verdict(r->keep, probe);
		if (!nr)
			return tap_error_set(err, -EINVAL,
					     "%s: no event of this file with a begin and an end (call:, ucall:, syscall:, span:) matches --keep %s; 'tap report --info %s' lists its events",
					     opts->file, opts->events[k], opts->file);
	}
	return 0;
}

static void add_unseen(struct report *r, const struct tap_event *ev)
{
	if (ev->probe || ev->rec->kind != TAP_KIND_NOTICE ||
	    ev->rec->value[TAP_NOTICE_WHAT] != TAP_NOTICE_UNSEEN)
		return;
	r->disarmed++;
	r->unseen = tool_sum(r->unseen, ev->rec->value[TAP_NOTICE_COUNT]);
}

/* Gives all events that are used to @give. */
static int each_event(struct report *r, int (*give)(void *arg, struct tap_event *ev), void *arg)
{
	const struct tap_probes *probes = tap_file_probes(r->file);
	struct tap_event ev;
	int ret = 0;

	while (!ret && tap_file_next(r->file, &ev)) {
		int bad = tap_decode(probes, &ev);

		if (!bad)
			add_unseen(r, &ev);
		if (r->opts->window && tap_file_event_window(r->file) != r->opts->window)
			continue;
		if (!bad && trace_select_uses(&r->select, &ev))
			ret = give(arg, &ev);
		else if (bad && bad != -EOPNOTSUPP)	/* of a later version */
			r->undecoded++;
	}
	return ret;
}

/* Prints the headings of all windows up to that one. */
static int print_windows(struct report *r, size_t to)
{
	const struct tap_window_info *info;
	int ret = 0;

	while (!ret && r->window < to && (info = tap_file_get_window(r->file, r->window + 1))) {
		r->window++;
		if (!r->opts->window || r->opts->window == r->window)
			ret = tap_formatter_window(r->formatter, r->window, info);
	}
	return ret;
}

static int keep_or_print(void *arg, struct tap_event *ev)
{
	struct report *r = arg;
	int ret;

	if (r->keep)
		return tap_keep_event(r->keep, ev);
	ret = print_windows(r, tap_file_event_window(r->file));
	return ret ? ret : tap_formatter_event(r->formatter, ev);
}

static struct tap_formatter_opts format_of(const struct report *r)
{
	return (struct tap_formatter_opts) {
		.size = sizeof(struct tap_formatter_opts),
		.fd = STDOUT_FILENO,
		.json = r->opts->json,
		.color = !r->opts->json && tool_color(STDOUT_FILENO),
		.times = r->opts->times,
	};
}

static int open_why(struct report *r, struct tap_error *err)
{
	const struct tap_probes *probes = tap_file_probes(r->file);

	if (!why_knows(probes))
		return tap_error_set(err, -ENODATA,
				     "%s: its events do not say how their durations divide; record them with --why: tap record --why -e call:...",
				     r->opts->file);
	return why_open(&r->why, probes, r->opts->rows, err);
}

/* @drawn: set to false after an error message if -o could not be written. */
static int print_why(struct report *r, bool *drawn)
{
	struct tap_reader_counts counts = { .size = sizeof(counts) };
	struct why_out out = { .to = stdout, .format = format_of(r), .file = r->file };
	int ret = tap_file_names(r->file, &out.format);

	if (!ret)
		ret = each_event(r, why_event, r->why);
	tap_file_counts(r->file, &counts);
	out.lost = counts.lost;
	if (!ret)
		ret = why_print(r->why, &out);
	if (!ret && r->opts->output)
		*drawn = why_draw(r->why, &out, r->opts->output);
	return ret;
}

static int open_blame(struct report *r, struct tap_error *err)
{
	const struct tap_probes *probes = tap_file_probes(r->file);
	struct tap_formatter_opts names = format_of(r);
	size_t i, nr = 0;
	int ret;

	for (i = 0; i < tap_probes_nr(probes); i++)
		nr += blame_knows(tap_probes_get(probes, i));
	if (!nr)
		return tap_error_set(err, -ENODATA,
				     "%s: its events do not say which calls are outermost; record them with tap blame -o FILE",
				     r->opts->file);
	r->types = tap_types_new();
	if (!r->types || tap_file_names(r->file, &names))
		return tap_error_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < r->opts->nr_debug; i++) {
		ret = tap_types_add_debug(r->types, r->opts->debug[i], err);
		if (ret)
			return ret;
	}
	names.json = false;
	return blame_open(&r->blame, probes, &names, r->types, err);
}

/* @status: set to the exit status. */
static int print_blame(struct report *r, int *status)
{
	struct tap_reader_counts counts = { .size = sizeof(counts) };
	struct blame_out out = { .to = stdout, .json = r->opts->json, .quiet = r->opts->quiet };
	int ret;

	tool_trouble = BLAME_TROUBLE;
	ret = each_event(r, blame_event, r->blame);
	tap_file_counts(r->file, &counts);
	out.lost = counts.lost;
	if (!ret)
		*status = blame_print(r->blame, &out);
	return ret;
}

static bool has_tables(void *arg, const struct tap_probe *probe)
{
	const struct report *r = arg;

	return r->select.from[tap_probe_id(probe)].wanted;
}

static int count_event(void *arg, struct tap_event *ev)
{
	struct report *r = arg;

	return ev->probe ? file_tables_event(&r->tables, ev) : 0;
}

static int print_tables(struct report *r)
{
	struct tap_formatter_opts fo = format_of(r);
	int ret = tap_file_names(r->file, &fo);

	if (!ret)
		ret = each_event(r, count_event, r);
	return ret ? ret : file_tables_print(&r->tables, &fo, stdout);
}

static int print_events(struct report *r)
{
	struct tap_formatter_opts fo = format_of(r);
	int ret = tap_file_names(r->file, &fo);

	if (!ret)
		ret = tap_formatter_open(&r->formatter, &fo);
	if (ret)
		return ret;
	ret = tap_formatter_header(r->formatter);
	if (!ret)
		ret = each_event(r, keep_or_print, r);
	if (!ret && r->keep)
		ret = tap_keep_end(r->keep);
	else if (!ret)
		ret = print_windows(r, SIZE_MAX);
	if (!ret)
		ret = tap_formatter_flush(r->formatter);
	tap_formatter_close(r->formatter);
	return ret;
}

/* False after printing an error message if the file has no valid summary. */
static bool print_summary(const struct report *r)
{
	struct tap_keep_counts kept = { .size = sizeof(kept) };
	struct tap_reader_counts counts = { .size = sizeof(counts) };
	const struct tap_file_reader *file = r->file;
	const char *path = r->opts->file;
	struct summary summary;
	struct tap_error err;
	bool is_flight;
	__u64 events;
	int ret = summary_of_file(&summary, file);

	tap_file_counts(file, &counts);
	if (r->opts->vmcore) {
		summary_free(&summary);
		return vmcore_print(&r->core, counts.lost);
	}
	/* A recorder that was killed has no counts of its windows. */
	is_flight = tap_file_get_window(file, 1) || tap_file_get_flight(file);
	events = counts.events;
	/* Those that were not kept while recording were read as well. */
	if (!tap_file_get_keep(file, &kept))
		counts.events += kept.not_kept;
	if (ret == -ENOENT && !tap_file_cut(file) && tap_file_info(file)->flags & TAP_FILE_INFO_F_PART) {
		ret = 0;
		if (!r->opts->json)
			fprintf(stderr, "%llu records, %llu lost; a file of --daemon has no totals\n",
				(unsigned long long)events, (unsigned long long)counts.lost);
	} else if (ret == -ENOENT) {
		tool_error("%s: the file has no counters of its probes, so there is no summary",
			   path);
	} else if (ret) {
		tool_error("out of memory");
	} else if (!summary_print(&summary, is_flight ? NULL : &counts, 0)) {
		tool_error("%s: the counters do not add up", path);
		ret = -EBADMSG;
	}
	summary_free(&summary);
	if (r->disarmed)
		fprintf(stderr,
			"budget: the probes were disarmed %llu times; about %llu hits, if they came as before, are in no figure\n",
			(unsigned long long)r->disarmed, (unsigned long long)r->unseen);
	if (!ret && tap_file_get_flight(file))
		flight_print(tap_file_get_flight(file));
	if (!ret && !tap_file_get_keep(file, &kept) && !keep_print(&kept, counts.events))
		ret = -EBADMSG;
	if (!ret && r->keep && !tap_keep_counts(r->keep, &kept) && !keep_print(&kept, events))
		ret = -EBADMSG;
	if (!ret)
		tasks_print(tap_file_get_tasks(file));
	if (!ret && spans_check_file(file, &err)) {
		tool_error("%s: %s", path, err.text);
		ret = -EBADMSG;
	}
	return !ret;
}

/* Returns -1, or the exit status. */
static int check_options(const struct options *opts)
{
	const char *why = NULL;

	if (opts->info && opts->json)
		why = "--info and --json exclude each other: --info has no JSON output";
	else if (opts->info && opts->open)
		why = "--info and --open exclude each other: --open lists what is behind the events";
	else if (opts->info && opts->keep)
		why = "--info and --keep exclude each other: --info prints no events";
	else if ((opts->why || opts->blame) && (opts->info || opts->open || opts->keep))
		why = "--why and --blame print a report of all events: leave out --info, --open and --keep";
	else if (opts->why && opts->blame)
		why = "--why and --blame exclude each other: each is a report of its own";
	else if (opts->nr_debug && !opts->blame)
		why = "--debug belongs to --blame: add it";
	else if (opts->why && opts->times == TAP_TIMES_DELTA)
		why = "--time delta: the calls of the report do not follow each other; give boot or wall";
	else if (options_table(opts, 0) && (opts->info || opts->open || opts->keep || opts->why || opts->blame))
		why = "--by, --sum and the like print tables: leave out --info, --open, --keep, --why and --blame";
	else if (opts->info && (opts->nr_events || opts->condition || opts->from_ns || opts->to_ns))
		why = "--info prints no events: leave out -e, --if, --from and --to";
	else if (opts->to_ns && opts->to_ns <= opts->from_ns)
		why = "--to must be after --from";
	else if (opts->session && !opts->vmcore)
		why = "--session belongs to --vmcore: add it";
	else if (opts->vmcore && opts->why && opts->output)
		why = "-o is the trace file of --vmcore: report --why -o from that file afterwards";
	else if (!opts->why && (opts->rows || (opts->output && !opts->vmcore)))
		why = "-n and -o belong to --why: add it";
	if (!why)
		return -1;
	tool_error("%s", why);
	return TOOL_USAGE;
}

int cmd_report(int argc, char **argv)
{
	struct options opts;
	struct report r = { .opts = &opts };
	struct tap_error err;
	bool drawn = true;
	int blamed = 0, ret = 0, status;

	status = options_parse(&opts, argc, argv,
			       OPT_FILE | OPT_JSON | OPT_QUIET | OPT_INFO | OPT_OPEN | OPT_TIME |
			       OPT_KEEP | OPT_CAUSES | OPT_REPORT_WHY | OPT_SELECT | OPT_VMCORE |
			       OPT_WINDOW,
			       SYNOPSIS);
	if (status < 0)
		status = check_options(&opts);
	if (status >= 0) {
		options_free(&opts);
		return status;
	}
	if ((opts.vmcore && vmcore_open(&r.core, opts.file, opts.session, opts.output, &err)) ||
	    tap_file_open(&r.file, opts.vmcore ? r.core.path : opts.file, &err) ||
	    check_window(&r, &err) || open_select(&r, &err) ||
	    (opts.keep && open_keep(&r, &err)) || (opts.why && open_why(&r, &err)) ||
	    (opts.blame && open_blame(&r, &err)) ||
	    (file_tables_wanted(&opts) &&
	     file_tables_open(&r.tables, &opts, r.file, has_tables, &r, &err))) {
		status = tool_fail(&err);
		goto out_close;
	}
	if (!opts.vmcore || !opts.output)
		pager_open();
	if (opts.info)
		print_info(r.file);
	else if (opts.vmcore && opts.output)
		ret = 0;
	else if (opts.why)
		ret = print_why(&r, &drawn);
	else if (opts.blame)
		ret = print_blame(&r, &blamed);
	else if (file_tables_wanted(&opts))
		ret = print_tables(&r);
	else
		ret = print_events(&r);
	if (!ret && opts.open)
		ret = spans_print_open_file(r.file, opts.json, stdout);
	status = drawn ? blamed : TOOL_FAILED;
	if (ret && ret != -EPIPE) {
		tool_error("cannot write the events: %s", strerror(-ret));
		status = TOOL_FAILED;
	}
	if (!ret && !opts.info && !opts.quiet)
		trace_select_print(&r.select);
	if (r.undecoded) {
		tool_error("%s: %llu records match no probe and were not printed",
			   opts.file, (unsigned long long)r.undecoded);
		status = TOOL_FAILED;
	}
	if (tap_file_cut(r.file)) {
		tool_error("%s: %s", opts.file, tap_file_cut(r.file));
		status = TOOL_FAILED;
	} else if (!ret && !opts.info && !opts.quiet && !print_summary(&r)) {
		status = TOOL_FAILED;
	}
out_close:
	tap_keep_close(r.keep);
	why_close(r.why);
	blame_close(r.blame);
	tap_types_free(r.types);
	file_tables_close(&r.tables);
	trace_select_close(&r.select);
	free(r.events);
	tap_file_close(r.file);
	vmcore_close(&r.core);
	options_free(&opts);
	return status;
}

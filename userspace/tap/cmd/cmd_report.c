// SPDX-License-Identifier: GPL-2.0
/*
 * tap report: prints the events of a trace file. Needs neither the module nor the
 * machine that recorded it.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "run/options.h"
#include "trace_file.h"
#include "stat/spans.h"
#include "stat/summary.h"
#include "stat/summary_print.h"

#define SYNOPSIS "report FILE [--json | --info] [--open] [--time boot|wall|delta] [-q]"

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

static int print_events(struct tap_file_reader *file, bool json, __u32 times,
			__u64 *undecoded)
{
	struct tap_formatter_opts fo = {
		.size = sizeof(fo),
		.fd = STDOUT_FILENO,
		.json = json,
		.color = !json && tool_color(STDOUT_FILENO),
		.times = times,
	};
	struct tap_formatter *formatter;
	struct tap_event ev;
	int ret;

	ret = tap_file_names(file, &fo);
	if (!ret)
		ret = tap_formatter_open(&formatter, &fo);
	if (ret)
		return ret;
	ret = tap_formatter_header(formatter);
	while (!ret && tap_file_next(file, &ev)) {
		int bad = tap_decode(fo.probes, &ev);

		if (!bad)
			ret = tap_formatter_event(formatter, &ev);
		else if (bad != -EOPNOTSUPP)	/* of a later version */
			++*undecoded;
	}
	if (!ret)
		ret = tap_formatter_flush(formatter);
	tap_formatter_close(formatter);
	return ret;
}

/* False after printing an error message if the file has no valid summary. */
static bool print_summary(const struct tap_file_reader *file, const char *path)
{
	struct tap_reader_counts counts = { .size = sizeof(counts) };
	struct summary summary;
	struct tap_error err;
	int ret = summary_of_file(&summary, file);

	tap_file_counts(file, &counts);
	if (ret == -ENOENT) {
		tool_error("%s: the file has no counters of its probes, so there is no summary",
			   path);
	} else if (ret) {
		tool_error("out of memory");
	} else if (!summary_print(&summary, &counts, 0)) {
		tool_error("%s: the counters do not add up", path);
		ret = -EBADMSG;
	}
	summary_free(&summary);
	if (!ret && spans_check_file(file, &err)) {
		tool_error("%s: %s", path, err.text);
		ret = -EBADMSG;
	}
	return !ret;
}

int cmd_report(int argc, char **argv)
{
	struct tap_file_reader *file;
	struct options opts;
	struct tap_error err;
	__u64 undecoded = 0;
	int ret = 0, status;

	status = options_parse(&opts, argc, argv,
			       OPT_FILE | OPT_JSON | OPT_QUIET | OPT_INFO | OPT_OPEN | OPT_TIME,
			       SYNOPSIS);
	if (status >= 0) {
		options_free(&opts);
		return status;
	}
	if (opts.info && (opts.json || opts.open)) {
		tool_error(opts.json ?
			   "--info and --json exclude each other: --info has no JSON output" :
			   "--info and --open exclude each other: --open lists what is behind the events");
		options_free(&opts);
		return TOOL_USAGE;
	}
	if (tap_file_open(&file, opts.file, &err)) {
		options_free(&opts);
		return tool_fail(&err);
	}
	if (opts.info)
		print_info(file);
	else
		ret = print_events(file, opts.json, opts.times, &undecoded);
	if (!ret && opts.open)
		ret = spans_print_open_file(file, opts.json, stdout);
	status = 0;
	if (ret && ret != -EPIPE) {
		tool_error("cannot write the events: %s", strerror(-ret));
		status = TOOL_FAILED;
	}
	if (undecoded) {
		tool_error("%s: %llu records match no probe and were not printed",
			   opts.file, (unsigned long long)undecoded);
		status = TOOL_FAILED;
	}
	if (tap_file_cut(file)) {
		tool_error("%s: %s", opts.file, tap_file_cut(file));
		status = TOOL_FAILED;
	} else if (!ret && !opts.info && !opts.quiet &&
		   !print_summary(file, opts.file)) {
		status = TOOL_FAILED;
	}
	tap_file_close(file);
	options_free(&opts);
	return status;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * tap report: the events of a trace file. Needs neither the module nor the
 * machine that recorded.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "options.h"
#include "sums.h"

#define SYNOPSIS "report FILE [--json] [--info] [-q]"

static int resolve(const void *file, __u64 addr, char *buf, size_t len)
{
	return tap_file_lookup(file, addr, buf, len);
}

static int print_info(const struct tap_file_reader *file)
{
	const struct tap_file_info *info = tap_file_info(file);
	const struct tap_probes *probes = tap_file_probes(file);
	static const char * const clocks[] = {
		"kernel's monotonic clock", "x86 time stamp counter",
		"arm64 virtual counter",
	};
	const struct tap_timebase *tb = tap_file_timebase(file);
	time_t date = (time_t)info->date;
	char when[64] = "?";
	struct tm tm;
	size_t i;

	if (gmtime_r(&date, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC", &tm);
	printf("recorded  %s\n", when);
	printf("by        %s (tap %s)\n", info->command, info->tool);
	printf("on        %s, %u CPUs, pages of %u bytes\n", info->nodename,
	       info->nr_cpus, info->page_size);
	printf("kernel    %s %s %s %s\n", info->sysname, info->release,
	       info->version, info->machine);
	printf("clock     %s, %.6f MHz\n", clocks[tb->clock],
	       1e3 / ((double)tb->mult / (double)(1ULL << tb->shift)));
	for (i = 0; i < probes->nr; i++)
		printf("probe     %s\n", probes->list[i].spec.event);
	return fflush(stdout) ? -errno : 0;
}

static int print_events(struct tap_file_reader *file, bool json,
			__u64 *undecoded)
{
	struct tap_formatter_opts fo = {
		.size = sizeof(fo),
		.fd = STDOUT_FILENO,
		.json = json,
		.color = !json && tool_color(STDOUT_FILENO),
		.timebase = tap_file_timebase(file),
		.probes = tap_file_probes(file),
		.resolve = resolve,
		.resolve_arg = file,
	};
	struct tap_formatter *formatter;
	struct tap_event ev;
	int ret = tap_formatter_open(&formatter, &fo);

	if (ret)
		return ret;
	ret = tap_formatter_header(formatter);
	while (!ret && tap_file_next(file, &ev)) {
		if (tap_decode(fo.probes, &ev))
			++*undecoded;
		else
			ret = tap_formatter_event(formatter, &ev);
	}
	if (!ret)
		ret = tap_formatter_flush(formatter);
	tap_formatter_close(formatter);
	return ret;
}

/* False if something is wrong with the file. */
static bool print_sums(const struct tap_file_reader *file)
{
	struct tap_reader_counts counts;
	struct sums sums;
	bool ok;

	tap_file_counts(file, &counts);
	if (sums_of_file(&sums, file)) {
		sums_free(&sums);
		tool_error("no sums: the file has no counters of its probes");
		return false;
	}
	ok = sums_print(&sums, &counts, 0);
	sums_free(&sums);
	return ok;
}

int cmd_report(int argc, char **argv)
{
	struct tap_file_reader *file;
	struct options opts;
	struct tap_error err;
	__u64 undecoded = 0;
	int ret, status;

	status = options_parse(&opts, argc, argv,
			       OPT_FILE | OPT_JSON | OPT_QUIET | OPT_INFO,
			       SYNOPSIS);
	if (status >= 0) {
		options_free(&opts);
		return status;
	}
	if (tap_file_open(&file, opts.file, &err)) {
		options_free(&opts);
		return tool_fail(&err);
	}
	signal(SIGPIPE, SIG_IGN);
	ret = opts.info ? print_info(file) :
			  print_events(file, opts.json, &undecoded);
	status = 0;
	if (ret && ret != -EPIPE) {
		tool_error("writing the events: %s", strerror(-ret));
		status = TOOL_FAILED;
	}
	if (undecoded) {
		tool_error("%s: %llu records fit no probe and were not printed",
			   opts.file, (unsigned long long)undecoded);
		status = TOOL_FAILED;
	}
	if (tap_file_cut(file)) {
		tool_error("%s: %s", opts.file, tap_file_cut(file));
		status = TOOL_FAILED;
	} else if (!ret && !opts.info && !opts.quiet && !print_sums(file)) {
		tool_error("%s: the counts do not add up", opts.file);
		status = TOOL_FAILED;
	}
	tap_file_close(file);
	options_free(&opts);
	return status;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Trace files: read to the end, each event printed as text and as JSON, each table
 * looked at.
 */
#include "selftests/lib/fuzz/fuzz.h"
#include <libtap.h>

static struct tap_formatter *formatter(struct tap_file_reader *file, bool json)
{
	static int null = -1;
	struct tap_formatter_opts opts = {
		.size = sizeof(opts),
		.json = json,
		.timebase = tap_file_timebase(file),
		.probes = tap_file_probes(file),
	};
	struct tap_formatter *fmt;

	if (null < 0)
		null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	opts.fd = null;
	if (tap_formatter_open(&fmt, &opts))
		abort();
	return fmt;
}

static void read_events(struct tap_file_reader *file)
{
	struct tap_formatter *text = formatter(file, false), *json = formatter(file, true);
	char name[256];
	struct tap_event ev;

	while (tap_file_next(file, &ev)) {
		tap_file_lookup(file, ev.time, name, sizeof(name));
		tap_file_lookup_user(file, ev.rec->tgid, ev.time, ev.time, name,
				     sizeof(name));
		if (tap_decode(tap_file_probes(file), &ev))
			continue;
		tap_formatter_event(text, &ev);
		tap_formatter_event(json, &ev);
	}
	tap_formatter_flush(text);
	tap_formatter_flush(json);
	tap_formatter_close(text);
	tap_formatter_close(json);
}

/* Each word of the counters is read, so that the sanitizers see where it is. */
static __u64 sum_of(const struct tap_file_stats *stats)
{
	__u64 sum = 0;
	__u32 cpu;

	for (cpu = 0; cpu < stats->nr_cpus; cpu++)
		sum += stats->counters[cpu].hits ^ stats->counters[cpu].entered;
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct tap_file_program program;
	const struct tap_probes *probes;
	struct tap_file_reader *file;
	struct tap_error err = { 0 };
	struct tap_file_stats stats;
	size_t i;

	if (tap_file_open(&file, fuzz_store("trace", data, size), &err)) {
		if (!*err.text)
			abort();
		return 0;
	}
	tap_file_cut(file);
	read_events(file);
	for (i = 0; !tap_file_program(file, (__u32)i, &program); i++)
		;
	probes = tap_file_probes(file);
	for (i = 0; i < probes->nr; i++)
		if (!tap_file_get_stats(file, probes->list[i].id, &stats) &&
		    sum_of(&stats) == 1)
			puts("#");
	tap_file_close(file);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of trace files: reads to the end, prints each event as text and as JSON, and reads each
 * table.
 */
#include "selftests/lib/file_sums.h"
#include "selftests/lib/fuzz/fuzz.h"
#include <libtap.h>

#include "spec/probe_table.h"

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

static int keep_event(void *text, struct tap_event *ev)
{
	return tap_formatter_event(text, ev);
}

/* Every event with a duration is a verdict. By time or not depends on the file. */
static struct tap_keep *keep(struct tap_file_reader *file, struct tap_formatter *text)
{
	const struct tap_probes *probes = tap_file_probes(file);
	struct tap_keep_opts opts = {
		.size = sizeof(opts), .memory = TAP_KEEP_MIN_MEMORY, .probes = probes,
		.ordered = probes->nr % 2, .give = keep_event, .arg = text,
	};
	struct tap_keep *keep;
	size_t i;

	if (tap_keep_open(&keep, &opts))
		abort();
	for (i = 0; i < probes->nr; i++)
		tap_keep_verdict(keep, &probes->list[i]);
	return keep;
}

static void read_events(struct tap_file_reader *file)
{
	struct tap_formatter *text = formatter(file, false), *json = formatter(file, true);
	struct tap_formatter *kept = formatter(file, false);
	struct tap_keep *k = keep(file, kept);
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
		tap_keep_event(k, &ev);
	}
	tap_keep_end(k);
	tap_keep_close(k);
	tap_formatter_close(kept);
	tap_formatter_flush(text);
	tap_formatter_flush(json);
	tap_formatter_close(text);
	tap_formatter_close(json);
}

/* Formats each open entry of a span. */
static void read_span(const struct tap_file_reader *file, const struct tap_probe *probe)
{
	const struct tap_span_read *read = tap_file_get_span(file, probe->id);
	struct tap_formatter_opts opts = { .size = sizeof(opts) };
	const struct tap_field *field;
	static char buf[64 << 10];
	const __u64 *words;
	unsigned int k;
	__u32 i;

	if (!read || tap_file_names(file, &opts))
		return;
	words = (const __u64 *)(uintptr_t)read->words;
	for (i = 0; i < read->out_entries && i < 100; i++, words += read->out_entry_words)
		for (k = 0; (field = tap_spec_open_field(&probe->spec, k)); k++)
			tap_format_words(&opts, field, words + field->word, buf, sizeof(buf));
}

/* Reads each counter, so that the sanitizers check its address. */
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
	static struct tap_file_program program = { .size = sizeof(program) };
	const struct tap_probes *probes;
	struct tap_file_reader *file;
	struct tap_error err = { 0 };
	struct tap_file_stats stats = { .size = sizeof(stats) };
	struct tap_keep_counts kept = { .size = sizeof(kept) };
	uint8_t *copy = malloc(size + 1);
	const char *path;
	size_t i;

	if (!copy)
		abort();
	memcpy(copy, data, size);
	/* Else hardly an input gets behind the checksums; a byte that is not used decides. */
	if (size < sizeof(struct tap_file_header) || data[sizeof(struct tap_file_header) - 1] != 1)
		file_resum((char *)copy, size);
	path = fuzz_store("trace", copy, size);
	free(copy);
	if (tap_file_open(&file, path, &err)) {
		if (!*err.text)
			abort();
		return 0;
	}
	tap_file_cut(file);
	tap_file_get_keep(file, &kept);
	tap_file_get_tasks(file);
	read_events(file);
	for (i = 0; !tap_file_program(file, (__u32)i, &program); i++)
		;
	probes = tap_file_probes(file);
	for (i = 0; i < probes->nr; i++) {
		if (!tap_file_get_stats(file, probes->list[i].id, &stats) &&
		    sum_of(&stats) == 1)
			puts("#");
		read_span(file, &probes->list[i]);
	}
	tap_file_close(file);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of the totals of spans: trace files in which one law is broken, given to tap report. All
 * commands check the laws by the same function. And of the names of tasks in what is open.
 */
#include "selftests/lib/fake_ring.h"

#include <sys/wait.h>

#include "selftests/lib/check.h"
#include "selftests/lib/fake_symbols.h"
#include "selftests/lib/tmpfile.h"
#include "spec/field.h"

#define TOOL	"build/tap"

static char dir[] = "/tmp/tap-spans-test-XXXXXX";
static char path[64], said_path[64];

/* The probes, by id: a span with its sides, and one that is no side. */
enum { SPAN = 1, FROM, FROM_OTHER, TO, NO_SIDE, END };

/**
 * struct counts - the numbers of a file
 * @span: of the span's table
 * @of: counters of the probes, by id
 */
struct counts {
	struct tap_span_read span;
	struct tap_counters of[END];
};

/* begins 17 = 8 + 4 + 3 + 2, ends 11 = 6 + 5, opened 8 = 6 + 1 + 1, ended 6 = hits 6 = 4 + 2 */
static const struct counts right = {
	.span = {
		.id = SPAN, .out_entry_words = sizeof(struct tap_span_event) / 8 + 1,
		.out_opened = 8, .out_restarted = 4, .out_full = 3, .out_busy = 2, .out_ended = 6,
		.out_unmatched = 5, .out_unmatched_busy = 1, .out_cleared = 1, .out_open = 1,
	},
	.of = {
		[SPAN] = { .hits = 6, .aggregated = 4, .filtered = 2 },
		[FROM] = { .hits = 11, .aggregated = 10, .filtered = 1 },
		[FROM_OTHER] = { .hits = 7, .aggregated = 7 },
		[TO] = { .hits = 12, .aggregated = 11, .lost_fault = 1 },
		[NO_SIDE] = { .hits = 100, .aggregated = 100 },
	},
};

static void fill_probes(struct tap_probes *probes)
{
	const struct tap_field key = FIELD("key", U64, sizeof(struct tap_span_event) / 8, 1);
	struct tap_spec_span *span;
	int id;

	for (id = SPAN; id < END; id++)
		fake_probe(probes, id, id == SPAN ? TAP_PROBE_SPAN : TAP_PROBE_KPROBE,
			   id == SPAN ? "span:one" : "kprobe:helper", 1, &key, 0);
	probes->list[FROM - 1].spec.side = TAP_SIDE_FROM;
	probes->list[FROM_OTHER - 1].spec.side = TAP_SIDE_FROM;
	probes->list[TO - 1].spec.side = TAP_SIDE_TO;
	span = calloc(1, sizeof(*span));
	if (!span)
		abort();
	probes->list[SPAN - 1].spec.span = span;
	span->refs = 1;
	span->open = malloc(sizeof(key));
	if (!span->open)
		abort();
	span->open[0] = key;
	span->nr_open = 1;
	span->nr_open_keys = 1;
}

static void write_file(const struct counts *counts)
{
	struct tap_symbols *syms = load_symbols(dir, "ffffffff81000000 T _stext\n");
	struct tap_file_info info = { .size = sizeof(info), .nr_cpus = 1, .page_size = 4096 };
	struct tap_file_stats stats = {
		.size = sizeof(stats), .state = TAP_STATE_DISABLED, .nr_cpus = 1,
	};
	struct tap_probes probes = { 0 };
	struct tap_file_writer *w;
	struct tap_error err;
	struct fake f;

	fake_init(&f, 1, 4096, 0);
	fill_probes(&probes);
	if (tap_file_create(&w, path, &err) ||
	    tap_file_begin(w, &info, &f.meta, &probes, syms, &err) ||
	    tap_file_time(w, &(struct tap_time) { .out_mono = 1 }) ||
	    tap_file_span(w, &probes, &counts->span))
		abort();
	for (stats.id = SPAN; stats.id < END; stats.id++) {
		stats.counters = &counts->of[stats.id];
		if (tap_file_stats(w, &stats))
			abort();
	}
	if (tap_file_finish(w))
		abort();
	tap_probes_clear(&probes);
	tap_symbols_free(syms);
	fake_free(&f);
}

/* Runs tap report; returns its exit status. said: what it wrote to stderr, or with options to stdout. */
static int report(const char *options, char *said, size_t room)
{
	char command[256];
	size_t len;
	int status;
	FILE *f;

	snprintf(command, sizeof(command), TOOL " report %s %s %s>%s %s/dev/null", path, options,
		 *options ? "" : "2", said_path, *options ? "2>" : ">");
	status = system(command);
	f = fopen(said_path, "r");
	if (!f)
		abort();
	len = fread(said, 1, room - 1, f);
	said[len] = '\0';
	fclose(f);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The line of the span in the table of spans, which is behind that of the probes. */
static const char *span_line(const char *said)
{
	const char *table = strstr(said, "\nSPAN ");

	return table ? strstr(table, "\nspan:one ") : NULL;
}

static void test_right(void)
{
	char said[4096];
	const char *line;

	write_file(&right);
	check(!report("", said, sizeof(said)), "right numbers: exit status 0");
	line = span_line(said);
	check(line && strstr(line, "17 =        8 +         4 +       3 +    2 |       11 =        6 +         5 |        1  OK\n"),
	      "right numbers: the line");
	check(!strstr(said, "MISMATCH") && !strstr(said, "add up"), "right numbers: no complaint");
}

#define OFF(member)	offsetof(struct counts, member)
/* One event more of a side; the counters of the side itself still add up. */
#define MORE(id)	OFF(of[id].hits), OFF(of[id].aggregated)
#define NOTHING		OFF(span.words)

/* Each number of a law, larger by one. No other law has it, but for opened and ended. */
static const struct {
	const char *what;
	size_t first;
	size_t second;
} broken[] = {
	{ "begins: one more begin", MORE(FROM) },
	{ "begins: one more begin of the other side", MORE(FROM_OTHER) },
	{ "begins: one more restarted", OFF(span.out_restarted), NOTHING },
	{ "begins: one more without room", OFF(span.out_full), NOTHING },
	{ "begins: one more busy", OFF(span.out_busy), NOTHING },
	{ "begins: one more opened, and open", OFF(span.out_opened), OFF(span.out_open) },
	{ "ends: one more end", MORE(TO) },
	{ "ends: one more unmatched", OFF(span.out_unmatched), NOTHING },
	{ "opened: one more open", OFF(span.out_open), NOTHING },
	{ "opened: one more cleared", OFF(span.out_cleared), NOTHING },
	{ "ended: one more hit", MORE(SPAN) },
};

static void test_broken(void)
{
	char said[4096];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(broken); i++) {
		struct counts counts = right;
		const char *line;

		++*(__u64 *)((char *)&counts + broken[i].first);
		if (broken[i].second != NOTHING)
			++*(__u64 *)((char *)&counts + broken[i].second);
		write_file(&counts);
		check(report("", said, sizeof(said)) == 1, "%s: exit status 1", broken[i].what);
		line = span_line(said);
		check(line && strstr(line, "  COUNTERS MISMATCH\n"), "%s: in its line", broken[i].what);
		check(strstr(said, "the counters of a span do not add up: this is a bug in tapmod"),
		      "%s: the message", broken[i].what);
	}
}

/* The law of the span's own events is one of all probes. */
static void test_own_events(void)
{
	struct counts counts = right;
	char said[4096];

	counts.of[SPAN].aggregated++;
	write_file(&counts);
	check(report("", said, sizeof(said)) == 1, "one more aggregated than ended: exit status 1");
	check(strstr(said, "COUNTERS MISMATCH"), "one more aggregated than ended: in the table");
	check(strstr(said, "the counters do not add up"), "one more aggregated than ended: the message");
}

/* A task may have set its name to any bytes. */
static void test_open_comm(void)
{
	__u64 words[sizeof(struct tap_span_event) / 8 + 1] = { 0 };
	struct counts counts = right;
	char said[4096];

	memcpy(((struct tap_span_event *)(void *)words)->from_comm, "a\xff\xf0\x9f\x98\x80\"b\x1b", 9);
	counts.span.out_entries = 1;
	counts.span.words = (__u64)(uintptr_t)words;
	write_file(&counts);
	check(!report("--open --json", said, sizeof(said)), "a name of any bytes as JSON: exit status 0");
	check(strstr(said, "\"comm\":\"a\\ufffd\xf0\x9f\x98\x80\\\"b\\u001b\",\"tid\""), "a name of any bytes as JSON: %s", said);
	check(!report("--open", said, sizeof(said)), "a name of any bytes as text: exit status 0");
	check(strstr(said, "from.comm=\"a?\xf0\x9f\x98\x80\\\"b?\"\n"), "a name of any bytes as text: %s", said);
}

int main(void)
{
	native_dir(dir);
	snprintf(path, sizeof(path), "%s/spans.tap", dir);
	snprintf(said_path, sizeof(said_path), "%s/said", dir);
	test_right();
	test_broken();
	test_own_events();
	test_open_comm();
	unlink(path);
	unlink(said_path);
	rmdir(dir);
	return check_end();
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of call graphs in text and JSON, from records made here. Built with address and
 * undefined behaviour sanitizers.
 */
#include <linux/tap.h>
#include <stdlib.h>
#include <string.h>

#include "selftests/lib/check.h"
#include "spec/probe_table.h"
#include "util/util.h"

/* Width of the columns that all events have, before the duration. */
#define PREFIX		44
#define TICKS		1000

/* Value words of the records. */
enum {
	WORD_ARG	= TAP_CALL_FETCHES,
	WORD_FRAME,
	WORD_ABSENT,
	WORD_LATE,
	WORDS,
};

static struct tap_probes probes;
static struct tap_formatter *fmt;
static char output[1 << 20];
static size_t length;
static __u64 now;

static int write_output(void *arg, const char *data, size_t len)
{
	(void)arg;
	memcpy(output + length, data, len);
	length += len;
	output[length] = '\0';
	return 0;
}

static void begin_times(bool json, __u32 times)
{
	static const struct tap_timebase tb = { .mult = 1 };
	struct tap_formatter_opts opts = {
		.size = sizeof(opts), .json = json, .timebase = &tb,
		.probes = &probes, .write = write_output, .times = times,
	};

	tap_formatter_close(fmt);
	length = 0;
	now = 0;
	*output = '\0';
	if (tap_formatter_open(&fmt, &opts))
		abort();
}

static void begin(bool json)
{
	begin_times(json, TAP_TIMES_BOOT);
}

/**
 * struct step - an event
 * @probe: id of the probe
 * @flags: flags of the record
 * @frame: the stack pointer
 * @tid: id of the task
 * @cpu: the CPU
 * @lasted: ticks since the entry; for a return
 */
struct step {
	unsigned int probe;
	__u32 flags;
	__u64 frame;
	__u32 tid;
	__u32 cpu;
	__u64 lasted;
};

static void event(const struct step *s)
{
	struct {
		struct tap_record rec;
		struct tap_slot more;
	} r = {
		.rec = {
			.time = now += TICKS, .slots = 2,
			.probe = (__u16)s->probe, .flags = s->flags,
			.tid = s->tid, .tgid = s->tid,
			.value = { s->lasted, s->lasted ? 5 : 0, 7, s->frame },
		},
		.more.value = { 0, 9 },
	};
	struct tap_event ev = {
		.rec = &r.rec, .data = &r, .mask = ~0ULL, .time = r.rec.time,
		.cpu = s->cpu, .slots = 2,
	};

	if (s->flags & TAP_F_ENTRY)
		r.more.value[WORD_LATE - TAP_FIRST_VALUES] = 0;
	if (tap_decode(&probes, &ev) || tap_formatter_event(fmt, &ev))
		abort();
}

static void lost(void)
{
	struct tap_record r = {
		.time = now += TICKS, .slots = 1, .kind = TAP_KIND_GAP,
		.value = { 3, 3, now, 0 },
	};
	struct tap_event ev = {
		.rec = &r, .data = &r, .mask = ~0ULL, .time = r.time, .slots = 1,
	};

	if (tap_decode(&probes, &ev) || tap_formatter_event(fmt, &ev))
		abort();
}

/* Later entries override earlier ones on purpose. */
#pragma GCC diagnostic ignored "-Woverride-init"

#define IN(_probe, _frame, ...)	\
	event(&(struct step) { .probe = (_probe), .frame = (_frame), \
	      .flags = TAP_F_ENTRY, .tid = 10, __VA_ARGS__ })
#define OUT(_probe, _frame, ...) \
	event(&(struct step) { .probe = (_probe), .frame = (_frame), \
	      .lasted = 2 * TICKS, .tid = 10, __VA_ARGS__ })

/* The lines so far, without the columns of all events. */
static const char *lines(void)
{
	static char text[sizeof(output)];
	const char *line = output;
	char *to = text;

	if (tap_formatter_flush(fmt))
		abort();
	while (*line) {
		size_t len = strcspn(line, "\n") + 1;
		size_t skip = len > PREFIX && *line == ' ' ? PREFIX : 0;

		memcpy(to, line + skip, len - skip);
		to += len - skip;
		line += len;
	}
	*to = '\0';
	length = 0;
	*output = '\0';
	return text;
}

static void expect(const char *expected, const char *what)
{
	const char *got = lines();

	check(!strcmp(got, expected), "%s", what);
	if (strcmp(got, expected))
		printf("# got\n%s# expected\n%s", got, expected);
}

static void add_probe(__u32 id, enum tap_probe_type type, const char *event,
		      bool is_void)
{
	static const struct tap_field fields[] = {
		{ .name = "arg", .format = TAP_FMT_U64, .word = WORD_ARG,
		  .words = 1 },
		{ .name = "stack", .format = TAP_FMT_X64, .word = WORD_FRAME,
		  .words = 1, .output = 1,
		  .flags = TAP_FIELD_F_HIDDEN | TAP_FIELD_F_FRAME },
		{ .name = "absent", .format = TAP_FMT_X64, .word = WORD_ABSENT,
		  .words = 1, .flags = TAP_FIELD_F_ABSENT },
		{ .name = "late", .format = TAP_FMT_U64, .word = WORD_LATE,
		  .words = 1, .output = 2, .flags = TAP_FIELD_F_RETURN },
		{ .name = "ret", .format = TAP_FMT_X64, .word = TAP_CALL_RETVAL,
		  .words = 1, .flags = TAP_FIELD_F_HIDDEN | TAP_FIELD_F_VOID },
	};
	struct tap_probe probe = { .id = id, .words = WORDS, .slots = 2 };
	const char *colon = strchr(event, ':');

	probe.spec.type = type;
	probe.spec.event = strdup(event);
	probe.spec.target = strdup(colon + 1);
	probe.spec.nr_fields = ARRAY_SIZE(fields) - !is_void;
	probe.spec.fields = calloc(ARRAY_SIZE(fields), sizeof(*fields));
	if (!probe.spec.fields)
		abort();
	memcpy(probe.spec.fields, fields, probe.spec.nr_fields * sizeof(*fields));
	if (tap_probes_add(&probes, &probe))
		abort();
}

static void test_calls(void)
{
	begin(false);
	IN(1, 900);
	IN(2, 800);
	OUT(2, 800);
	IN(3, 800);
	OUT(3, 800);
	OUT(1, 900);
	expect("          outer(arg=7) {\n"
	       "  2.000us   inner(arg=7) = 5; late=9\n"
	       "  2.000us   nothing(arg=7); late=9\n"
	       "  2.000us } = 5; late=9 // outer\n",
	       "calls within a call; a call without calls is one line");

	begin(false);
	if (tap_formatter_header(fmt))
		abort();
	IN(1, 900, .tid = 4711);
	OUT(1, 900, .tid = 4711);
	if (tap_formatter_flush(fmt))
		abort();
	check(!strcmp(output,
		      "          TIME CPU COMM                 TID  DURATION CALL\n"
		      "      0.000000   0 -                   4711   2.000us outer(arg=7) = 5; late=9\n"),
	      "a call has the header, and the time of its entry");

	/* A call on one line has the time of its entry, and one line before it. */
	begin_times(false, TAP_TIMES_DELTA);
	now = 1000000;
	IN(1, 900);
	now += 5000000;
	IN(2, 800);
	OUT(2, 800);
	if (tap_formatter_flush(fmt))
		abort();
	check(!strcmp(output,
		      "      0.000000   0 -                     10           outer(arg=7) {\n"
		      "      0.005000   0 -                     10   2.000us   inner(arg=7) = 5; late=9\n"),
	      "a graph with differences of times");

	begin(false);
	IN(1, 900);
	expect("          outer(arg=7) {\n", "an open call is printed at its entry");
	OUT(1, 900);
	expect("  2.000us } = 5; late=9 // outer\n", "its return is printed later");

	begin(false);
	IN(1, 900);
	IN(1, 800, .flags = TAP_F_ENTRY | TAP_F_NESTED);
	OUT(1, 800, .flags = TAP_F_NESTED);
	OUT(1, 900);
	expect("          outer(arg=7) {\n"
	       "  2.000us   outer(arg=7) = 5; late=9 [nested]\n"
	       "  2.000us } = 5; late=9 // outer\n",
	       "a recursive call");

	begin(false);
	IN(1, 900);
	IN(2, 900);
	OUT(2, 900);
	OUT(1, 900);
	expect("          outer(arg=7) {\n"
	       "  2.000us   inner(arg=7) = 5; late=9\n"
	       "  2.000us } = 5; late=9 // outer\n",
	       "a function that ends with a jump to another one");
}

static void test_tasks(void)
{
	begin(false);
	IN(1, 900);
	IN(1, 9900, .tid = 11, .cpu = 1);
	IN(2, 800);
	OUT(2, 800);
	OUT(1, 9900, .tid = 11, .cpu = 1);
	OUT(1, 900);
	expect("          outer(arg=7) {\n"
	       "\n"
	       "          outer(arg=7) {\n"
	       "\n"
	       "  2.000us   inner(arg=7) = 5; late=9\n"
	       "\n"
	       "  2.000us } = 5; late=9 // outer\n"
	       "\n"
	       "  2.000us } = 5; late=9 // outer\n",
	       "calls of two tasks are separate");

	begin(false);
	IN(1, 900, .tid = 0);
	IN(1, 900, .tid = 0, .cpu = 1);
	OUT(1, 900, .tid = 0);
	expect("          outer(arg=7) {\n"
	       "\n"
	       "          outer(arg=7) {\n"
	       "\n"
	       "  2.000us } = 5; late=9 // outer\n",
	       "idle tasks of two CPUs are separate");

	begin(false);
	IN(1, 900);
	IN(2, 400, .flags = TAP_F_ENTRY | TAP_F_SOFTIRQ);
	IN(3, 300, .flags = TAP_F_ENTRY | (1U << 16));
	OUT(1, 900);
	IN(2, 400, .flags = TAP_F_ENTRY | TAP_F_SOFTIRQ);
	OUT(2, 400, .flags = TAP_F_SOFTIRQ);
	expect("          outer(arg=7) {\n"
	       "\n"
	       "          inner(arg=7) { [softirq]\n"
	       "\n"
	       "          nothing(arg=7) { [irq]\n"
	       "\n"
	       "  2.000us } = 5; late=9 // outer\n"
	       "\n"
	       "  2.000us inner(arg=7) = 5; late=9 [softirq]\n",
	       "an interrupt has its own calls, which end before the interrupted call continues");
}

static void test_losses(void)
{
	begin(false);
	IN(1, 900);
	IN(2, 800);
	lost();
	IN(2, 700);
	OUT(2, 700);
	OUT(1, 900);
	expect("          outer(arg=7) {\n"
	       "            inner(arg=7) {\n"
	       "-- 3 events lost on CPU 0 (ring full), since 0.000003 --\n"
	       "  2.000us inner(arg=7) = 5; late=9\n"
	       "  2.000us } = 5; late=9 // outer\n",
	       "after a loss no call is open");

	begin(false);
	IN(1, 900);
	IN(2, 800);
	IN(3, 850);
	OUT(3, 850);
	OUT(1, 900);
	expect("          outer(arg=7) {\n"
	       "            inner(arg=7) {\n"
	       "  2.000us   nothing(arg=7); late=9\n"
	       "  2.000us } = 5; late=9 // outer\n",
	       "later calls are not within a call that never returned");

	begin(false);
	IN(1, 900);
	IN(1, 900);
	OUT(1, 900);
	expect("          outer(arg=7) {\n"
	       "  2.000us outer(arg=7) = 5; late=9\n",
	       "also if the later call is of the same function with the same frame");

	begin(false);
	IN(1, 900);
	IN(3, 200000);
	OUT(3, 200000);
	expect("          outer(arg=7) {\n"
	       "  2.000us nothing(arg=7); late=9\n",
	       "also if the later call is on another stack");

	begin(false);
	IN(1, 900);
	OUT(2, 800);
	IN(3, 700);
	OUT(1, 900);
	OUT(1, 900);
	expect("          outer(arg=7) {\n"
	       "  2.000us   } = 5; late=9 // inner\n"
	       "            nothing(arg=7) {\n"
	       "  2.000us } = 5; late=9 // outer\n"
	       "  2.000us } = 5; late=9 // outer\n",
	       "a return without its entry, and a return after lost entries");

	begin(false);
	IN(1, 0);
	IN(2, 0);
	OUT(2, 0);
	IN(3, 0);
	OUT(1, 0);
	expect("          outer(arg=7) {\n"
	       "  2.000us   inner(arg=7) = 5; late=9\n"
	       "            nothing(arg=7) {\n"
	       "  2.000us } = 5; late=9 // outer\n",
	       "without frames the order of records determines the nesting");
}

/* Deeper than any stack of the kernel. */
static void test_depth(void)
{
	unsigned int i;

	begin(false);
	for (i = 0; i < 1000; i++)
		IN(1 + i % 2, 60000 - 8 * i);
	for (; i--;)
		OUT(1 + i % 2, 60000 - 8 * i);
	lines();
	IN(1, 60000);
	expect("          outer(arg=7) {\n", "a thousand nested calls and their returns");
	begin(false);
	for (i = 1; i < 2000; i++)
		IN(1, 900, .tid = i, .cpu = i % 8);
	for (i = 1; i < 2000; i++)
		OUT(1, 900, .tid = i, .cpu = i % 8);
	lines();
	IN(1, 900, .tid = 7);
	expect("\n          outer(arg=7) {\n", "thousands of tasks");
}

static void test_absent(void)
{
	struct {
		struct tap_record rec;
		struct tap_slot more;
	} r = {
		.rec = {
			.time = 5000, .slots = 2, .probe = 1, .tid = 10,
			.flags = TAP_F_ENTRY | TAP_F_ABSENT,
			.value = { 0, 0, 0, 900 },
		},
		.more.value = { 1 },
	};
	struct tap_event ev = {
		.rec = &r.rec, .data = &r, .mask = ~0ULL, .time = 5000, .slots = 2,
	};

	begin(false);
	if (tap_decode(&probes, &ev) || tap_formatter_event(fmt, &ev))
		abort();
	expect("          outer(arg=(absent)) { [absent]\n",
	       "a value that could not be read at the entry");
}

static void test_json(void)
{
	begin(true);
	IN(1, 900);
	IN(3, 800);
	OUT(3, 800);
	OUT(1, 900);
	expect("{\"type\":\"event\",\"time\":0.000001000,\"time_ns\":1000,\"cpu\":0,\"tid\":10,\"pid\":10,\"event\":\"funcgraph:outer\",\"call\":\"entry\",\"depth\":0,\"args\":{\"arg\":7},\"flags\":[]}\n"
	       "{\"type\":\"event\",\"time\":0.000002000,\"time_ns\":2000,\"cpu\":0,\"tid\":10,\"pid\":10,\"event\":\"funcgraph:module:nothing\",\"call\":\"entry\",\"depth\":1,\"args\":{\"arg\":7},\"flags\":[]}\n"
	       "{\"type\":\"event\",\"time\":0.000003000,\"time_ns\":3000,\"cpu\":0,\"tid\":10,\"pid\":10,\"event\":\"funcgraph:module:nothing\",\"call\":\"return\",\"depth\":1,\"duration_ns\":2000,\"args\":{\"arg\":7,\"late\":9},\"flags\":[]}\n"
	       "{\"type\":\"event\",\"time\":0.000004000,\"time_ns\":4000,\"cpu\":0,\"tid\":10,\"pid\":10,\"event\":\"funcgraph:outer\",\"call\":\"return\",\"depth\":0,\"duration_ns\":2000,\"ret\":5,\"args\":{\"arg\":7,\"late\":9},\"flags\":[]}\n",
	       "JSON has entries and returns with their depth");
}

/* Together with other events, calls have the columns of an event. */
static void test_mixed(void)
{
	add_probe(4, TAP_PROBE_CALL, "call:other", false);
	begin(false);
	IN(1, 900);
	event(&(struct step) { .probe = 4, .tid = 10, .lasted = 2 * TICKS });
	OUT(1, 900);
	expect("          outer(arg=7) {\n"
	       "call:other   2.000us ret=5 arg=7 late=9\n"
	       "  2.000us } = 5; late=9 // outer\n",
	       "an event of another kind between entry and return");
}

int main(void)
{
	add_probe(1, TAP_PROBE_FUNCGRAPH, "funcgraph:outer", false);
	add_probe(2, TAP_PROBE_FUNCGRAPH, "funcgraph:inner", false);
	add_probe(3, TAP_PROBE_FUNCGRAPH, "funcgraph:module:nothing", true);
	test_calls();
	test_tasks();
	test_losses();
	test_depth();
	test_absent();
	test_json();
	test_mixed();
	tap_formatter_close(fmt);
	tap_probes_clear(&probes);
	return check_end();
}

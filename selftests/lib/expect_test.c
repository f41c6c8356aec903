// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of tap expect, with sanitizers: a story of a driver for which twelve assertions hold,
 * and twelve changes of it that flip one of them each. Lost events, error messages and the command.
 */
#include "selftests/lib/fake_ring.h"

#include <errno.h>
#include <unistd.h>

#include "selftests/lib/check.h"
#include "selftests/lib/story.h"
#include "selftests/lib/tmpfile.h"
#include "expect/expect.h"
#include "util/util.h"

#define TOOL	"build/userspace-san/tap"
#define ROUNDS	12
#define ROUND	10000000ULL
#define MS	1000000ULL
#define MOST	(3 * ROUNDS + 16)

enum { OPEN = 1, RELEASE, XMIT, ERROR, PROBE, END };

/**
 * struct story - a trace
 * @step: the events, in the order in which they are written
 * @nr: number of @step
 * @missed: of each probe
 * @flags: likewise
 * @cut: bytes that the file lacks at its end
 * @end: time of the end of the recording; 0: there is none
 */
struct story {
	struct step step[MOST];
	unsigned int nr;
	__u64 missed[END];
	__u32 flags[END];
	unsigned int cut;
	__u64 end;
};

static char dir[] = "/tmp/tap-expect-test-XXXXXX";
static char path[64], out_path[64], junit_path[64];

static void add(struct story *s, __u64 time, __u32 probe, __u32 pid, __u64 duration, __u64 value)
{
	if (s->nr == MOST)
		abort();
	s->step[s->nr++] = (struct step) {
		.time = time, .probe = probe, .pid = pid, .duration = duration, .value = value,
	};
}

/* Events of file i: opened, sent, released, by one of three processes. */
static void tell(struct story *s)
{
	unsigned int i;

	memset(s, 0, sizeof(*s));
	s->end = ROUNDS * ROUND + 10 * MS;
	add(s, 100, PROBE, 1, 0, 0);
	for (i = 0; i < ROUNDS; i++) {
		__u64 t = 1000 + i * ROUND;
		__u32 pid = 1000 + i % 3;

		add(s, t, OPEN, pid, 500, 0xf00 + i);
		add(s, t + 2 * MS, XMIT, pid, MS, 100);
		add(s, t + 3 * MS, RELEASE, pid, 400, 0xf00 + i);
	}
}

/* The nth event of a probe, from 0. */
static struct step *nth(struct story *s, __u32 probe, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		if (s->step[i].probe == probe && !n--)
			return &s->step[i];
	abort();
}

static void make_probes(struct tap_probes *probes)
{
	const struct tap_field file = FIELD("file", X64, 2, 1), len = FIELD("len", U64, 2, 1);
	const struct tap_field code = FIELD("code", S32, 2, 1), other = FIELD("file", S64, 2, 1);

	fake_probe(probes, OPEN, TAP_PROBE_CALL, "call:drv_open", 3, &other, 1);
	fake_probe(probes, RELEASE, TAP_PROBE_CALL, "call:drv_release", 3, &file, 1);
	fake_probe(probes, XMIT, TAP_PROBE_CALL, "call:drv_xmit", 3, &len, 1);
	fake_probe(probes, ERROR, TAP_PROBE_KPROBE, "kprobe:drv_error", 3, &code, 1);
	fake_probe(probes, PROBE, TAP_PROBE_KPROBE, "kprobe:drv_probe", 3, &code, 0);
}

static void write_story(const struct story *s)
{
	story_write(&(struct story_file) {
		.path = path, .step = s->step, .nr = s->nr, .make_probes = make_probes, .ids = END,
		.missed = s->missed, .flags = s->flags, .cut = s->cut, .end = s->end,
	});
}

static enum verdict judge(const char *text)
{
	struct expect x = { .path = path, .name = "story", .texts = &text, .nr = 1 };
	struct tap_error err;
	enum verdict verdict;

	if (expect_parse(&x, &err) || expect_judge(&x, &err)) {
		printf("%s: %s\n", text, err.text);
		expect_free(&x);
		return -1;
	}
	verdict = x.list[0].judgement.verdict;
	expect_free(&x);
	return verdict;
}

/* ------------------------------------------------ twelve assertions and changes */

static const char *const assertions[] = {
	"call:drv_open count == 12",
	"call:drv_xmit max(duration) < 2ms",
	"call:drv_xmit min(len) >= 64",
	"call:drv_xmit sum(len) == 1200",
	"call:drv_xmit avg(duration) <= 1ms",
	"every call:drv_open to call:drv_release on file",
	"every call:drv_open to call:drv_release on pid within 4ms",
	"no kprobe:drv_error",
	"no call:drv_xmit if retval < 0",
	"kprobe:drv_probe before call:drv_open",
	"call:drv_open before call:drv_xmit on pid",
	"call:drv_xmit count > 11",
};

#define NR	ARRAY_SIZE(assertions)

static void change(struct story *s, unsigned int which)
{
	const __u64 last = 1000 + ROUNDS * ROUND;
	struct step step;

	switch (which) {
	case 0:
		add(s, last, OPEN, 1000, 1, 1);
		add(s, last + 1, RELEASE, 1000, 1, 1);
		break;
	case 1:
		nth(s, XMIT, 5)->duration = 2 * MS;
		nth(s, XMIT, 6)->duration = 0;
		break;
	case 2:
		nth(s, XMIT, 1)->value = 63;
		nth(s, XMIT, 2)->value = 137;
		break;
	case 3:
		nth(s, XMIT, 11)->value++;
		break;
	case 4:
		nth(s, XMIT, 0)->duration++;
		break;
	case 5:
		nth(s, RELEASE, 7)->value = 0xbad;
		break;
	case 6:
		nth(s, RELEASE, 3)->time += 2 * MS;
		break;
	case 7:
		add(s, last, ERROR, 1000, 0, 5);
		break;
	case 8:
		nth(s, XMIT, 4)->retval = (__u64)-EIO;
		break;
	case 9:
		step = s->step[0];
		step.time = s->step[1].time;
		s->step[0] = s->step[1];
		s->step[0].time = 100;
		s->step[1] = step;
		nth(s, XMIT, 0)->time = 200;
		nth(s, RELEASE, 0)->time = 300;
		s->step[1].time = 150;
		break;
	case 10:
		nth(s, XMIT, 8)->pid = 4711;
		break;
	case 11:
		nth(s, XMIT, 3)->value = 200;
		nth(s, XMIT, 2)->probe = PROBE;
		break;
	}
}

static void test_changes(void)
{
	unsigned int i, k;
	struct story s;

	tell(&s);
	write_story(&s);
	for (i = 0; i < NR; i++)
		check(judge(assertions[i]) == VERDICT_HOLDS, "%s: holds", assertions[i]);
	for (i = 0; i < NR; i++) {
		tell(&s);
		change(&s, i);
		write_story(&s);
		for (k = 0; k < NR; k++)
			check(judge(assertions[k]) == (k == i ? VERDICT_FAILS : VERDICT_HOLDS),
			      "change %u: %s: %s", i + 1, assertions[k], k == i ? "fails" : "holds");
	}
}

/* --------------------------------------------------------------------- losses */

/* One event of each assertion is taken out of the ring, and the ring's count of losses has it. */
static void test_one_lost(void)
{
	static const __u32 probe[NR] = {
		OPEN, XMIT, XMIT, XMIT, XMIT, OPEN, OPEN, ERROR, XMIT, PROBE, OPEN, XMIT,
	};
	struct story s;
	unsigned int i;

	for (i = 0; i < NR; i++) {
		tell(&s);
		if (probe[i] == ERROR)
			add(&s, ROUNDS * ROUND + 2000, ERROR, 1, 0, 0);
		nth(&s, probe[i], 0)->lost = true;
		write_story(&s);
		check(judge(assertions[i]) == VERDICT_UNKNOWN, "one lost: %s: unknown", assertions[i]);
	}
}

/* What becomes of an assertion if an event of @lost is lost, from 0, and after @change, from 1. */
static const struct {
	__u32 lost;
	unsigned int n;
	unsigned int change;
	const char *text;
	enum verdict verdict;
} losses[] = {
	{ OPEN, 0, 0, "call:drv_open count <= 5", VERDICT_FAILS },
	{ OPEN, 0, 0, "call:drv_open count <= 11", VERDICT_UNKNOWN },
	{ OPEN, 0, 0, "call:drv_open count <= 12", VERDICT_HOLDS },
	{ OPEN, 0, 0, "call:drv_open count >= 11", VERDICT_HOLDS },
	{ OPEN, 0, 0, "call:drv_open count >= 13", VERDICT_FAILS },
	{ OPEN, 0, 0, "call:drv_open count != 13", VERDICT_HOLDS },
	{ OPEN, 0, 0, "call:drv_open count != 11", VERDICT_UNKNOWN },
	{ OPEN, 0, 0, "call:drv_open count < 12", VERDICT_UNKNOWN },
	{ OPEN, 0, 1, "call:drv_open count == 12", VERDICT_UNKNOWN },
	{ OPEN, 0, 0, "no call:drv_open", VERDICT_FAILS },
	{ OPEN, 0, 0, "call:drv_* count == 36", VERDICT_UNKNOWN },
	{ OPEN, 0, 0, "call:drv_xmit count == 12", VERDICT_HOLDS },
	{ XMIT, 0, 2, "call:drv_xmit max(duration) < 2ms", VERDICT_FAILS },
	{ XMIT, 0, 0, "call:drv_xmit max(duration) >= 1ms", VERDICT_HOLDS },
	{ XMIT, 0, 0, "call:drv_xmit max(duration) > 1ms", VERDICT_UNKNOWN },
	{ XMIT, 0, 0, "call:drv_xmit min(duration) <= 1ms", VERDICT_HOLDS },
	{ XMIT, 1, 3, "call:drv_xmit min(len) >= 64", VERDICT_UNKNOWN },
	{ XMIT, 5, 3, "call:drv_xmit min(len) >= 64", VERDICT_FAILS },
	{ XMIT, 0, 0, "call:drv_xmit sum(len) <= 1000", VERDICT_FAILS },
	{ XMIT, 0, 0, "call:drv_xmit sum(len) >= 1100", VERDICT_HOLDS },
	{ XMIT, 0, 0, "call:drv_xmit sum(len) == 1100", VERDICT_UNKNOWN },
	{ XMIT, 0, 0, "call:drv_xmit avg(len) < 91", VERDICT_FAILS },
	{ XMIT, 0, 0, "call:drv_xmit avg(len) < 92", VERDICT_UNKNOWN },
	{ XMIT, 0, 0, "call:drv_xmit avg(len) == 100", VERDICT_UNKNOWN },
	{ XMIT, 0, 0, "call:drv_xmit sum(retval) == 0", VERDICT_UNKNOWN },
	/* The value of one of the two probes may be negative; the last event is the other's. */
	{ OPEN, 0, 0, "call:drv_*e* sum(file) >= 5", VERDICT_UNKNOWN },
	{ RELEASE, 0, 0, "call:drv_release sum(file) >= 5", VERDICT_HOLDS },
	{ XMIT, 0, 9, "no call:drv_xmit if retval < 0", VERDICT_FAILS },
	/* Parentheses and quotes that are characters. */
	{ OPEN, 5, 0, "call:drv_open if pid != '(' && pid != '\"' before call:drv_xmit on pid",
	  VERDICT_HOLDS },
	{ XMIT, 0, 0, "call:drv_xmit sum((len == ')') ? 1 : 0) >= 0", VERDICT_UNKNOWN },
	/* A release that was lost could end the wait of its file, but not of one opened later. */
	{ RELEASE, 7, 0, "every call:drv_open to call:drv_release on file", VERDICT_UNKNOWN },
	{ RELEASE, 2, 6, "every call:drv_open to call:drv_release on file", VERDICT_FAILS },
	{ RELEASE, 9, 6, "every call:drv_open to call:drv_release on file", VERDICT_UNKNOWN },
	/* After a release was lost its process waits to the end, but another one does not. */
	{ RELEASE, 1, 7, "every call:drv_open to call:drv_release on pid within 4ms", VERDICT_FAILS },
	{ RELEASE, 0, 7, "every call:drv_open to call:drv_release on pid within 4ms", VERDICT_UNKNOWN },
	{ RELEASE, 0, 0, "every call:drv_open to call:drv_release on pid within 4ms", VERDICT_UNKNOWN },
	{ XMIT, 0, 7, "every call:drv_open to call:drv_release on pid within 4ms", VERDICT_FAILS },
	{ OPEN, 11, 7, "every call:drv_open to call:drv_release on pid within 4ms", VERDICT_FAILS },
	{ OPEN, 11, 11, "call:drv_open before call:drv_xmit on pid", VERDICT_FAILS },
	{ OPEN, 2, 11, "call:drv_open before call:drv_xmit on pid", VERDICT_UNKNOWN },
	{ XMIT, 2, 0, "call:drv_open before call:drv_xmit on pid", VERDICT_UNKNOWN },
	{ OPEN, 5, 0, "call:drv_open before call:drv_xmit on pid", VERDICT_HOLDS },
};

static void test_losses(void)
{
	struct story s;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(losses); i++) {
		tell(&s);
		if (losses[i].change)
			change(&s, losses[i].change - 1);
		nth(&s, losses[i].lost, losses[i].n)->lost = true;
		write_story(&s);
		check(judge(losses[i].text) == losses[i].verdict, "losses %u: %s: %d", i,
		      losses[i].text, losses[i].verdict);
	}
}

static void test_other_losses(void)
{
	struct story s;

	tell(&s);
	s.missed[OPEN] = 1;
	write_story(&s);
	check(judge("call:drv_open count == 12") == VERDICT_UNKNOWN, "missed: unknown");
	check(judge("call:drv_open count <= 13") == VERDICT_HOLDS, "missed: at most one more");
	check(judge("call:drv_xmit count == 12") == VERDICT_HOLDS, "missed: of this event alone");
	tell(&s);
	s.flags[XMIT] = TAP_STATS_F_BPF;
	write_story(&s);
	check(judge("call:drv_xmit count <= 100") == VERDICT_UNKNOWN, "dropped by BPF: unknown");
	check(judge("call:drv_xmit count <= 5") == VERDICT_FAILS, "dropped by BPF: fails all the same");
	tell(&s);
	s.cut = 8;
	write_story(&s);
	check(judge("no kprobe:drv_error") == VERDICT_UNKNOWN, "a file that was cut: unknown");
	check(judge("call:drv_open count < 12") == VERDICT_FAILS, "a file that was cut: fails");
	tell(&s);
	change(&s, 10);
	nth(&s, XMIT, 8)->lost = true;
	s.step[1].lost = true;
	write_story(&s);
	check(judge("call:drv_xmit max(len) > 200") == VERDICT_UNKNOWN, "two losses");
	check(judge("kprobe:drv_error max(code) < 5") == VERDICT_FAILS, "no event has a value: fails");
}

/* A call that did not return has no duration: the value is not known. */
static void test_absent(void)
{
	struct story s;

	tell(&s);
	write_story(&s);
	check(judge("call:drv_xmit max(len / (len - 100)) < 5") == VERDICT_UNKNOWN,
	      "a value without a result");
	check(judge("no call:drv_xmit if len / (len - 100)") == VERDICT_UNKNOWN,
	      "a condition without one");
	check(judge("every call:drv_open to call:drv_release on 1 / (file - 0xf00)") ==
	      VERDICT_UNKNOWN, "a key without one");
	check(judge("call:drv_open count == 12 if file >= 0xf00") == VERDICT_HOLDS, "all have one");
}

/* ----------------------------------------------- conditions of pairs, and the end */

static void test_conditions(void)
{
	struct story s;

	tell(&s);
	nth(&s, OPEN, 3)->retval = (__u64)-ENOMEM;
	nth(&s, RELEASE, 3)->value = 0xbad;
	nth(&s, XMIT, 3)->pid = 4711;
	write_story(&s);
	check(judge("every call:drv_open to call:drv_release on file") == VERDICT_FAILS,
	      "an open that failed has no release");
	check(judge("every call:drv_open if retval >= 0 to call:drv_release on file") == VERDICT_HOLDS,
	      "each open that did not fail has one");
	check(judge("every call:drv_open if (retval == 0) to call:drv_release if retval < 0 on file") ==
	      VERDICT_FAILS, "no release with an error");
	check(judge("every call:drv_open if retval == 0 to call:drv_release if retval == 0 on file within 4ms") ==
	      VERDICT_HOLDS, "two conditions and a time");
	check(judge("call:drv_open before call:drv_xmit on pid") == VERDICT_FAILS, "a stranger sends");
	check(judge("call:drv_open before call:drv_xmit if pid != 4711 on pid") == VERDICT_HOLDS,
	      "all others have opened");
	check(judge("call:drv_open if retval < 0 before call:drv_xmit") == VERDICT_FAILS,
	      "no open with an error before the first one");
	check(judge("every call:drv_open if retval / (file - 0xf00) == 0 to call:drv_release on pid") ==
	      VERDICT_UNKNOWN, "a condition of the first event without a result");
	check(judge("every call:drv_open to call:drv_release if 1 / (file - 0xbad) < 9 on pid") ==
	      VERDICT_UNKNOWN, "a condition of the second event without one");
}

/* The last process does not release: it waits since 7 ms when the recording ends. */
static void test_end(void)
{
	struct story s;

	tell(&s);
	s.end = nth(&s, OPEN, ROUNDS - 1)->time + 7 * MS;
	nth(&s, RELEASE, ROUNDS - 1)->probe = ERROR;
	write_story(&s);
	check(judge("every call:drv_open to call:drv_release on pid within 6ms") == VERDICT_FAILS,
	      "the time was over at the end: fails");
	check(judge("every call:drv_open to call:drv_release on pid within 8ms") == VERDICT_UNKNOWN,
	      "it was not over: unknown");
	check(judge("every call:drv_open to call:drv_release on pid") == VERDICT_FAILS,
	      "without a time the end is the end");
	s.end = 0;
	write_story(&s);
	check(judge("every call:drv_open to call:drv_release on pid within 6ms") == VERDICT_UNKNOWN,
	      "it is not known when the recording ended: unknown");
}

/* --------------------------------------------------------------------- a run */

/**
 * struct live - a run, as record_run() makes it
 * @x: its assertions
 * @file: has the events
 * @texts: of @x
 * @stopped: number of events after which it was ended; 0: never
 */
struct live {
	struct expect x;
	struct tap_file_reader *file;
	const char *texts[2];
	unsigned int stopped;
};

/* Each event is followed by a look at what failed. */
static void watch_events(struct live *l)
{
	struct tap_event ev;
	unsigned int nr = 0;

	while (!l->stopped && tap_file_next(l->file, &ev)) {
		if (tap_decode(tap_file_probes(l->file), &ev))
			abort();
		nr++;
		if (expect_watch_event(&l->x, &ev) || expect_watch_seen(&l->x, ev.time))
			l->stopped = nr;
	}
	if (!l->stopped && expect_watch_seen(&l->x, tap_file_end(l->file)))
		l->stopped = nr + 1;
}

static unsigned int watch(struct live *l, const char *first, const char *second)
{
	struct tap_error err;

	memset(l, 0, sizeof(*l));
	l->texts[0] = first;
	l->texts[1] = second;
	l->x = (struct expect) { .path = path, .name = "run", .texts = l->texts, .nr = 2 };
	if (expect_parse(&l->x, &err) || tap_file_open(&l->file, path, &err) ||
	    expect_watch_open(&l->x, tap_file_probes(l->file), tap_file_timebase(l->file), &err)) {
		printf("%s\n", err.text);
		abort();
	}
	watch_events(l);
	expect_watch_close(&l->x);
	tap_file_close(l->file);
	if (expect_judge(&l->x, &err))
		abort();
	return l->stopped;
}

static enum verdict of(const struct live *l, unsigned int i)
{
	return l->x.list[i].judgement.verdict;
}

static void test_fast(void)
{
	static const char every[] = "every call:drv_open to call:drv_release on pid within 4ms";
	struct live l;
	struct story s;

	tell(&s);
	write_story(&s);
	check(!watch(&l, "call:drv_open count == 12", every) && !of(&l, 0) && !of(&l, 1),
	      "fast: what holds ends no run");
	expect_free(&l.x);
	check(watch(&l, "call:drv_open count <= 4", "call:drv_xmit count == 12") == 1 + 3 * 4 + 1 &&
	      of(&l, 0) == VERDICT_FAILS && of(&l, 1) == VERDICT_STOPPED &&
	      expect_status(&l.x) == EXPECT_FAILS, "fast: the fifth of at most 4 ends it");
	expect_free(&l.x);
	check(watch(&l, "call:drv_open count > 99", "call:drv_open before kprobe:drv_probe") == 1 &&
	      of(&l, 0) == VERDICT_STOPPED && of(&l, 1) == VERDICT_FAILS,
	      "fast: the first event, of the second assertion");
	expect_free(&l.x);
	check(!watch(&l, "call:drv_open count > 99", every) && of(&l, 0) == VERDICT_FAILS && !of(&l, 1),
	      "fast: more may come until the end");
	expect_free(&l.x);
	nth(&s, RELEASE, 3)->probe = ERROR;
	write_story(&s);
	/* The next event of all is the open of another process, 6 ms after the time was over. */
	check(watch(&l, every, "call:drv_open count == 12") == 1 + 3 * 4 + 1 &&
	      of(&l, 0) == VERDICT_FAILS && of(&l, 1) == VERDICT_STOPPED,
	      "fast: a release that did not come in time");
	expect_free(&l.x);
	tell(&s);
	nth(&s, RELEASE, ROUNDS - 1)->probe = ERROR;
	s.end = nth(&s, OPEN, ROUNDS - 1)->time + 7 * MS;
	write_story(&s);
	check(watch(&l, every, "no call:drv_open if pid == 1") == 1 + 3 * ROUNDS + 1 &&
	      of(&l, 0) == VERDICT_FAILS, "fast: no event at all comes after it");
	expect_free(&l.x);
}

/* --------------------------------------------------------------------- texts */

static void test_errors(void)
{
	static const struct {
		const char *text;
		const char *why;
		unsigned int column;
	} cases[] = {
		{ "", "an event is missing", 0 },
		{ "call:x", "give count, max(), min(), sum(), avg() or before", 6 },
		{ "call:x cuont == 1", "give count, max()", 7 },
		{ "call:x count = 1", "give ==, !=", 13 },
		{ "call:x count ==", "give a number of events", 15 },
		{ "call:x count == 1K", "give a number of events", 16 },
		{ "call:x count == 1 iff a", "only 'if COND' may follow", 18 },
		{ "call:x count == 1 if", "an expression is missing", 20 },
		{ "call:x max duration < 1", "a value in parentheses is missing", 11 },
		{ "call:x max(duration < 1", "this ( has no )", 10 },
		{ "call:x max() < 1", "an expression is missing", 11 },
		{ "call:x max(a) < b", "give a number, e.g. 12, 2ms", 16 },
		{ "no", "an event is missing", 2 },
		{ "every call:x", "'to' and an event are missing", 12 },
		{ "every call:x to call:y", "'on' and a value that both events have", 22 },
		{ "every call:x to call:y on within 1ms", "an expression is missing", 26 },
		{ "every call:x to call:y on pid within x", "give a number", 37 },
		{ "call:x before", "an event is missing", 13 },
		{ "call:x before call:y in pid", "only 'if COND' and 'on KEY' may follow", 21 },
		{ "every call:x if a call:y on pid", "'to' and an event are missing", 31 },
		{ "every call:x if to call:y on pid", "an expression is missing", 16 },
		{ "every call:x to call:y if a == 1", "'on' and a value that both events have", 32 },
		{ "call:x if a < 3 count == 1", "of a number the condition stands at the end", 26 },
		{ "call:x if a before call:y if on b", "an expression is missing", 29 },
	};
	struct tap_error err;
	struct assertion a;
	char mark[80];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(mark, sizeof(mark), "\n  %*s^", cases[i].column, "");
		check(assertion_parse(&a, cases[i].text, &err) == -EINVAL &&
		      strstr(err.text, cases[i].why) && strstr(err.text, mark),
		      "'%s' is refused: %.60s", cases[i].text, err.text);
	}
}

/* Runs the tool; returns its exit status. Its output is at out_path. */
static int run(const char *args)
{
	return story_run(out_path, "%s expect %s", TOOL, args);
}

static bool said(const char *text)
{
	return story_has(out_path, text);
}

static void test_command(void)
{
	char args[400];
	struct story s;

	tell(&s);
	nth(&s, XMIT, 0)->duration = 3 * MS;
	nth(&s, OPEN, 3)->lost = true;
	write_story(&s);
	snprintf(args, sizeof(args),
		 "%s 'kprobe:drv_probe count == 1' 'call:drv_xmit max(duration) < 2ms' 'call:drv_open count == 12' --junit %s",
		 path, junit_path);
	check(run(args) == 1, "one fails: status 1");
	check(said("KTAP version 1\n1..3\n# 1 events\nok 1 kprobe:drv_probe count == 1\n"), "KTAP: holds");
	check(said("# max is 3.000ms in 12 events\n# ") && said(" call:drv_xmit ") &&
	      said("\nnot ok 2 call:drv_xmit max(duration) < 2ms\n"), "KTAP: fails, with the event");
	check(said("# 11 events; 1 events of call:drv_open were lost\nnot ok 3 call:drv_open count == 12 # ERROR unknown\n"),
	      "KTAP: unknown");
	check(said("# Totals: pass:1 fail:1 xfail:0 xpass:0 skip:0 error:1\n"), "KTAP: totals");
	check(story_has(junit_path, "tests=\"3\" failures=\"1\" errors=\"1\" skipped=\"0\">\n") &&
	      story_has(junit_path, "name=\"kprobe:drv_probe count == 1\"/>") &&
	      story_has(junit_path, "name=\"call:drv_xmit max(duration) &lt; 2ms\">\n      <failure message=\"max is 3.000ms") &&
	      story_has(junit_path, "<error message=\"11 events; 1 events"), "JUnit");
	snprintf(args, sizeof(args), "%s 'call:drv_open count == 12'", path);
	check(run(args) == 2, "unknown: status 2");
	snprintf(args, sizeof(args), "%s 'no kprobe:drv_error if code == 1 # 2'", path);
	check(run(args) == 3 && said("^"), "a wrong condition: status 3");
	snprintf(args, sizeof(args), "%s 'no kprobe:drv_error'", path);
	check(run(args) == 0, "holds: status 0");
	snprintf(args, sizeof(args), "%s 'no kprobe:drv_eror'", path);
	check(run(args) == 3 && said("no event is 'kprobe:drv_eror'"), "no such event: status 3");
	snprintf(args, sizeof(args), "--fast %s 'no kprobe:drv_error'", path);
	check(run(args) == 3 && said("--fast is for a run"), "--fast of a file: status 3");
	check(run("") == 3 && said("no file given"), "no file: status 3");
	check(run(path) == 3 && said("no assertion given"), "no assertion: status 3");
	check(run("--nonesuch") == 3, "a wrong option: status 3");
	check(run("/nonesuch.tap 'no a'") == 3, "no such file: status 3");
	check(run("-c true 'no a'") == 3 && said("name an event with -e"), "no event: status 3");
	check(run("-e call:x 'no a'") == 3 && said("the run has no end"), "a run without an end: status 3");
}

int main(void)
{
	native_dir(dir);
	snprintf(path, sizeof(path), "%s/story.tap", dir);
	snprintf(out_path, sizeof(out_path), "%s/out", dir);
	snprintf(junit_path, sizeof(junit_path), "%s/junit.xml", dir);
	test_changes();
	test_one_lost();
	test_losses();
	test_other_losses();
	test_absent();
	test_conditions();
	test_end();
	test_fast();
	test_errors();
	test_command();
	unlink(path);
	unlink(out_path);
	unlink(junit_path);
	rmdir(dir);
	return check_end();
}

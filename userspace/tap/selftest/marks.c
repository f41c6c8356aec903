// SPDX-License-Identifier: GPL-2.0
/*
 * What user space writes into the stream: marks, ticks and values of files.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "run/ticker.h"
#include "selftest/selftest.h"

#define NR_MARKS	100
#define TICK_MS		10
#define TICKS		10
#define VALUE_FILE	"/proc/sys/kernel/pid_max"

static const struct rig_opts any_task = { .any_task = true };

static void compare_mark(struct rig *rig, const struct tap_event *ev)
{
	unsigned int *seen = rig->arg;
	char text[32] = "", want[32];
	__u64 words[3];
	unsigned int i;

	for (i = 0; i < 3; i++)
		words[i] = tap_event_word(ev, 1 + i);
	memcpy(text, words, sizeof(words));
	snprintf(want, sizeof(want), "mark %u", (*seen)++);
	if (strcmp(text, want))
		test_fail(rig->t, "text of a mark: expected \"%s\", got \"%.24s\"", want, text);
}

static void mark_test(struct selftest *st)
{
	unsigned int seen = 0, i;
	struct selftest_test t;
	__u32 heard, all = 0;
	char text[32];
	struct rig rig;
	int ret = 0;

	test_begin(&t, st, "mark");
	if (!test_can(&t, TAP_FEATURE_MARK, "this module has no marks")) {
		test_end(&t);
		return;
	}
	/* Written to this probe alone: other sessions hear nothing. */
	if (!rig_open(&rig, &t, 64 << 10) && !rig_add(&rig, &any_task, "mark text:string[24]") &&
	    !rig_start(&rig)) {
		rig.event = compare_mark;
		rig.arg = &seen;
		for (i = 0; i < NR_MARKS && !ret; i++) {
			heard = 0;
			snprintf(text, sizeof(text), "mark %u", i);
			ret = tap_session_mark(rig.session, rig.ids[0], text,
					       (__u32)strlen(text), &heard);
			all += heard;
		}
		if (ret)
			test_fail(&t, "a mark: %s", strerror(-ret));
		rig_stop(&rig);
		test_equal(&t, "marks that were heard", NR_MARKS, all);
		test_equal(&t, "records", NR_MARKS, rig.records);
		test_note(&t, "%u of %d marks, texts", (unsigned int)rig.records, NR_MARKS);
	}
	rig_close(&rig);
	test_end(&t);
}

/* Runs the ticker for a known time, in milliseconds; returns whether it did. */
static bool tick(struct rig *rig, unsigned int ms)
{
	struct timespec time = { 0, ms * 1000000L };
	struct ticker *ticker = NULL;
	struct tap_error err = { 0 };
	int ret;

	ret = ticker_open(&ticker, rig->session, rig->probes, 1000000000ULL, &err);
	if (!ret)
		ret = ticker_start(ticker, &err);
	if (ret)
		test_fail(rig->t, "%s", err.text);
	else
		nanosleep(&time, NULL);
	ticker_stop(ticker);
	ticker_close(ticker);
	return !ret;
}

static void add_ticks(struct rig *rig, const struct tap_event *ev)
{
	__u64 *ticks = rig->arg;

	/* Ticks that were skipped before this one. */
	*ticks += 1 + tap_event_word(ev, 0);
}

static void interval_test(struct selftest *st)
{
	struct selftest_test t;
	__u64 ticks = 0, begin;
	double expected;
	struct rig rig;

	test_begin(&t, st, "interval");
	if (!test_can(&t, TAP_FEATURE_MARK, "this module has no marks")) {
		test_end(&t);
		return;
	}
	if (!rig_open(&rig, &t, 64 << 10) &&
	    !rig_add(&rig, &any_task, "interval:ms:%d missed", TICK_MS) && !rig_start(&rig)) {
		rig.event = add_ticks;
		rig.arg = &ticks;
		begin = machine_now();
		tick(&rig, TICKS * TICK_MS);
		expected = (double)(machine_now() - begin) / 1e6 / TICK_MS;
		rig_stop(&rig);
		if (ticks < TICKS / 2 || ticks > expected + 1)
			test_fail(&t, "ticks: expected %d to %.0f, got %llu", TICKS / 2,
				  expected + 1, (unsigned long long)ticks);
		test_note(&t, "%llu ticks, %llu of them missed, in %.1f periods",
			  (unsigned long long)ticks, (unsigned long long)(ticks - rig.records),
			  expected);
	}
	rig_close(&rig);
	test_end(&t);
}

struct file_value {
	unsigned int right;
	__u64 want;
	__u64 got;
};

static void compare_value(struct rig *rig, const struct tap_event *ev)
{
	struct file_value *v = rig->arg;

	v->got = tap_event_word(ev, 0);
	v->right += v->got == v->want;
}

/* It is read at the start and at the end. */
static void file_test(struct selftest *st)
{
	struct file_value v = { 0 };
	struct selftest_test t;
	char text[32];
	struct rig rig;

	test_begin(&t, st, "file");
	if (!test_can(&t, TAP_FEATURE_MARK, "this module has no marks")) {
		test_end(&t);
		return;
	}
	if (!machine_line(VALUE_FILE, text, sizeof(text))) {
		test_skip(&t, VALUE_FILE " cannot be read");
		test_end(&t);
		return;
	}
	v.want = strtoull(text, NULL, 10);
	if (!rig_open(&rig, &t, 64 << 10) &&
	    !rig_add(&rig, &any_task, "file:" VALUE_FILE " value") && !rig_start(&rig)) {
		rig.event = compare_value;
		rig.arg = &v;
		tick(&rig, 1);
		rig_stop(&rig);
		test_equal(&t, "records", 2, rig.records);
		if (v.right != rig.records)
			test_equal(&t, "value of " VALUE_FILE, v.want, v.got);
		test_note(&t, "%u of 2 readings, value", v.right);
	}
	rig_close(&rig);
	test_end(&t);
}

void marks_test(struct selftest *st)
{
	mark_test(st);
	interval_test(st);
	file_test(st);
}

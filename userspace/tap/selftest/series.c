// SPDX-License-Identifier: GPL-2.0
/*
 * A series: a kind of probe has a known number of events, and each record is compared.
 */
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "selftest/selftest.h"

/* Records that may be missing between two. */
#define MAX_MISSING	250

/**
 * struct series_state - a series that runs
 * @series: what is compared
 * @tid: of this thread
 * @seen: records so far
 * @next: the event of the next record: of a return or any other, of an entry
 * @others: records of other processes
 * @durations: sum of the durations, ticks
 * @longest: of the durations, ticks
 */
struct series_state {
	const struct series *series;
	__u32 tid;
	unsigned int seen;
	unsigned int next[2];
	unsigned int others;
	__u64 durations;
	__u64 longest;
};

static void compare_word(struct rig *rig, const struct tap_event *ev, const char *what,
			 unsigned int i, int word, __u64 expected)
{
	char name[48];

	if (word < 0 || tap_event_word(ev, (unsigned int)word) == expected)
		return;
	snprintf(name, sizeof(name), "%s of event %u", what, i);
	test_equal(rig->t, name, expected, tap_event_word(ev, (unsigned int)word));
}

static void compare_head(struct rig *rig, const struct series_state *s,
			 const struct tap_event *ev, unsigned int i)
{
	const struct tap_record *rec = ev->rec;
	/* A stack may be longer than what is asked for. */
	__u32 wrong = TAP_F_HARDIRQ | TAP_F_SOFTIRQ | TAP_F_NMI | TAP_F_ABSENT;

	if (rec->tid != s->tid || rec->tgid != (__u32)getpid())
		test_fail(rig->t, "task of event %u: expected %u/%u, got %u/%u", i, s->tid,
			  (__u32)getpid(), rec->tid, rec->tgid);
	if (rig->cpu_of[i] >= 0)
		test_equal(rig->t, "CPU of a record", (__u64)rig->cpu_of[i], ev->cpu);
	if (rec->flags & wrong)
		test_fail(rig->t, "flags of event %u: %#x, expected a task's context and all values",
			  i, rec->flags);
	if (ev->time < rig->begin)
		test_fail(rig->t, "time of event %u: %llu ns before the probe was enabled", i,
			  (unsigned long long)rig_ns(rig, rig->begin - ev->time));
}

/*
 * The number of the event of a record. If records are missing, the value is that of a later one; that they
 * are missing is found by their number.
 */
static unsigned int identify(struct series_state *s, const struct tap_event *ev, bool entry)
{
	const struct series *series = s->series;
	bool by_arg = series->arg >= 0;
	unsigned int i = s->next[entry], at;
	__u64 value;

	if (by_arg || !entry) {
		value = tap_event_word(ev, (unsigned int)(by_arg ? series->arg : series->ret));
		for (at = i; at < i + MAX_MISSING && at < SELFTEST_HITS; at++)
			if ((by_arg ? series->trigger->arg : series->trigger->ret)(at) == value)
				break;
		if (at < i + MAX_MISSING && at < SELFTEST_HITS)
			i = at;
	}
	s->next[entry] = i + 1;
	return i;
}

static void compare(struct rig *rig, const struct tap_event *ev)
{
	struct series_state *s = rig->arg;
	const struct series *series = s->series;
	bool entry = series->graph && ev->rec->flags & TAP_F_ENTRY;
	unsigned int i;

	if (series->all && ev->rec->tgid != (__u32)getpid()) {
		s->others++;
		return;
	}
	s->seen++;
	i = identify(s, ev, entry);
	if (i >= SELFTEST_HITS)
		return;
	compare_head(rig, s, ev, i);
	compare_word(rig, ev, "argument", i, series->arg, series->trigger->arg(i));
	if (!entry)
		compare_word(rig, ev, "return value", i, series->ret, series->trigger->ret(i));
	if (series->call && !entry) {
		__u64 duration = tap_event_word(ev, TAP_CALL_DURATION);

		s->durations += duration;
		if (duration > s->longest)
			s->longest = duration;
	}
	if (series->check)
		series->check(rig, ev, i);
}

static void conclude(struct rig *rig, struct series_state *s, unsigned int n, double baseline)
{
	const struct series *series = s->series;
	unsigned int records = series->graph ? 2 * n : n;
	struct tap_counters sum;
	__u64 longest = rig_ns(rig, s->longest);

	test_equal(rig->t, "records", records, s->seen);
	if (series->graph && s->next[0] != s->next[1])
		test_fail(rig->t, "last entry is of event %u, last return of event %u",
			  s->next[1] - 1, s->next[0] - 1);
	rig_sum(rig, 0, &sum);
	test_equal(rig->t, "records written", records + s->others, sum.written);
	test_equal(rig->t, "events lost", 0, sum.lost_full + sum.lost_nested + sum.lost_fault +
		   sum.throttled);
	if (series->call && rig->records && !s->durations)
		test_fail(rig->t, "durations: all of them are 0");
	if (series->call && longest > rig->took)
		test_fail(rig->t, "longest duration: %llu ns, but all events took %llu ns",
			  (unsigned long long)longest, (unsigned long long)rig->took);
	test_note(rig->t, "%u of %u records%s%s%s", s->seen, records,
		  series->arg >= 0 ? ", arguments" : "", series->ret >= 0 ? ", return values" : "",
		  series->call ? ", durations" : "");
	test_note(rig->t, "%.0f ns an event", rig->per_hit > baseline ? rig->per_hit - baseline : 0);
	costs_note(rig->t->st, series->name, rig->per_hit - baseline);
}

/* Makes the events; the records of each batch are compared. */
static void run(struct rig *rig, struct series_state *s, unsigned int n, double baseline)
{
	rig->event = compare;
	rig->arg = s;
	/* Batches are compared while the events go on: cpu_of[] must have them. */
	if (rig_start(rig) || rig_hit(rig, s->series->trigger, n))
		return;
	rig_stop(rig);
	conclude(rig, s, n, baseline);
}

void series_test(struct selftest *st, const struct series *series, const char *event,
		 unsigned int n)
{
	const struct rig_opts opts = { .any_task = series->all };
	struct series_state s = { .series = series, .tid = (__u32)syscall(SYS_gettid) };
	const struct trigger *trigger = series->trigger;
	struct selftest_test t;
	double baseline;
	struct rig rig;
	int ret;

	test_begin(&t, st, series->name);
	if (selftest_stopped() || !test_can(&t, series->feature, series->without)) {
		test_end(&t);
		return;
	}
	ret = trigger->open ? trigger->open() : 0;
	if (ret) {
		test_skip(&t, "what it is tested with is not available: %s", strerror(-ret));
		test_end(&t);
		return;
	}
	/* Pages can be touched once. */
	baseline = trigger->close == trigger_pages.close ? 0 : rig_baseline(st, trigger);
	if (!rig_open(&rig, &t, 64 << 10) && !rig_add(&rig, &opts, "%s", event))
		run(&rig, &s, n, baseline);
	rig_close(&rig);
	if (trigger->close)
		trigger->close();
	test_end(&t);
}

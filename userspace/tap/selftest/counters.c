// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of the kernel and of the processor: samples, counts, and their values in
 * records.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "selftest/selftest.h"

#define NO_PERF		"this kernel was built without CONFIG_PERF_EVENTS"
#define LOOPS		100000000ULL
#define LOOP_INSNS	2
/* Many instructions a sample: an emulator may look at its counters once a tick. */
#define SAMPLES		20
#define PROFILE_HZ	200
#define PROFILE_NS	100000000ULL

/* Page faults of the pages that the trigger touches; others are filtered. */
static void software_test(struct selftest *st)
{
	static const struct series software = {
		"software", TAP_FEATURE_PERF, NO_PERF, &trigger_pages,
		.arg = 0, .ret = -1,
	};
	__u64 from, to;
	char event[160];

	if (trigger_pages.open())
		return;
	from = trigger_page(0);
	to = trigger_page(SELFTEST_HITS);
	snprintf(event, sizeof(event),
		 "software:page-faults:1 addr if addr >= %#llx && addr < %#llx",
		 (unsigned long long)from, (unsigned long long)to);
	series_test(st, &software, event, SELFTEST_HITS);
}

/* As many samples must be of this process as its CPU time says. */
static void profile_test(struct selftest *st)
{
	struct selftest_test t;
	__u64 begin, spent;
	double expected;
	struct rig rig;

	test_begin(&t, st, "profile");
	if (!test_can(&t, TAP_FEATURE_PERF, NO_PERF)) {
		test_end(&t);
		return;
	}
	if (!rig_open(&rig, &t, 64 << 10) &&
	    !rig_add(&rig, NULL, "profile:hz:%d ip", PROFILE_HZ) && !rig_start(&rig)) {
		begin = machine_cpu_time();
		do {
			trigger_instructions(100000);
			spent = machine_cpu_time() - begin;
		} while (spent < PROFILE_NS && !selftest_stopped());
		rig_stop(&rig);
		expected = (double)spent * PROFILE_HZ / 1e9;
		/* A clock event that comes late is no second sample. */
		if (rig.records < expected / 3 - 1 || rig.records > 1.5 * expected + 3)
			test_fail(&t, "samples: expected about %.0f in %.0f ms of a CPU, got %llu",
				  expected, (double)spent / 1e6, (unsigned long long)rig.records);
		test_note(&t, "%llu samples in %.0f ms of a CPU, about %.0f expected",
			  (unsigned long long)rig.records, (double)spent / 1e6, expected);
	}
	rig_close(&rig);
	test_end(&t);
}

/* A counter of this task that is exact: page faults. */
static void count_test(struct selftest *st)
{
	struct tap_count before, after;
	struct selftest_test t;
	struct rig rig;
	__u64 faults;
	unsigned int i;
	int ret;

	test_begin(&t, st, "count");
	if (!test_can(&t, TAP_FEATURE_PERF, NO_PERF)) {
		test_end(&t);
		return;
	}
	ret = rig_open(&rig, &t, 0) || rig_add_counter(&rig, "page-faults") ||
	      rig_start(&rig);
	if (!ret && !trigger_pages.open()) {
		/* The first call touches what the calls themselves need. */
		ret = tap_session_count(rig.session, rig.ids[0], &before, 1);
		ret = ret ? ret : tap_session_count(rig.session, rig.ids[0], &before, 1);
		for (i = 0; i < SELFTEST_HITS; i++)
			trigger_pages.hit(i);
		ret = ret ? ret : tap_session_count(rig.session, rig.ids[0], &after, 1);
		trigger_pages.close();
		if (ret)
			test_fail(&t, "the counter cannot be read: %s", strerror(-ret));
		faults = ret ? 0 : after.value - before.value;
		/* The kernel may take a few more, to balance NUMA nodes for one. */
		if (!ret && (faults < SELFTEST_HITS || faults > SELFTEST_HITS + 20))
			test_equal(&t, "page faults", SELFTEST_HITS, faults);
		test_note(&t, "%llu page faults counted at %d new pages",
			  (unsigned long long)faults, SELFTEST_HITS);
	}
	rig_close(&rig);
	test_end(&t);
}

static int add_pmu(struct rig *rig, const char *name, unsigned int nr)
{
	struct tap_perf events[TAP_MAX_PMU];
	unsigned int i;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++)
		ret = tap_perf_parse(name, &events[i], NULL);
	return ret ? ret : tap_session_pmu(rig->session, events, nr);
}

struct pmu_state {
	__u64 sum;
	__u64 most;
	unsigned int ones;
	unsigned int absent;
};

static void check_pmu(struct rig *rig, const struct tap_event *ev)
{
	struct pmu_state *s = rig->arg;
	__u64 value = tap_event_word(ev, TAP_CALL_FETCHES);

	if (ev->rec->flags & TAP_F_ABSENT) {
		s->absent++;
		return;
	}
	s->sum += value;
	s->ones += value == 1;
	if (value > s->most)
		s->most = value;
}

/* A counter of the kernel in each record: one page fault in each call. */
static void pmu_software_test(struct selftest *st)
{
	static const char *const names[] = { "page-faults" };
	static const struct rig_opts opts = { .pmu = names, .nr_pmu = 1 };
	struct pmu_state s = { 0 };
	struct selftest_test t;
	__u64 offset = 0;
	struct rig rig;
	int ret;

	test_begin(&t, st, "pmu-software");
	if (!test_can(&t, TAP_FEATURE_PERF | TAP_FEATURE_UPROBE, NO_PERF " or CONFIG_UPROBES") ||
	    trigger_pages.open()) {
		test_end(&t);
		return;
	}
	trigger_place(&offset);
	ret = rig_open(&rig, &t, 64 << 10);
	if (!ret) {
		ret = add_pmu(&rig, names[0], 1);
		if (ret)
			test_fail(&t, "counters of the session: %s", strerror(-ret));
	}
	rig.event = check_pmu;
	rig.arg = &s;
	if (!ret && !rig_add(&rig, &opts, "ucall:/proc/self/exe:%#llx",
			     (unsigned long long)offset) &&
	    !rig_start(&rig) && !rig_hit(&rig, &trigger_pages, SELFTEST_HITS)) {
		rig_stop(&rig);
		test_equal(&t, "records", SELFTEST_HITS, rig.records);
		/* A call that was switched out has no number; a page of the tracer may be new. */
		if (s.ones + s.absent < SELFTEST_HITS - SELFTEST_HITS / 10)
			test_fail(&t, "page faults in a call: expected 1 each, got it in %u of %u calls, sum %llu",
				  s.ones, SELFTEST_HITS, (unsigned long long)s.sum);
		test_note(&t, "1 page fault in %u of %u calls, %u without a number", s.ones,
			  SELFTEST_HITS, s.absent);
	}
	rig_close(&rig);
	trigger_pages.close();
	test_end(&t);
}

/* ------------------------------------------------------- of the processor */

static bool has_counter(struct selftest_test *t, const char *name)
{
	int ret;

	if (!test_can(t, TAP_FEATURE_PERF, NO_PERF))
		return false;
	ret = t->st->counter_there(name);
	if (ret == -EACCES || ret == -EPERM)
		test_skip(t, "perf_event_open() of \"%s\" is not permitted (run it as root)", name);
	else if (ret)
		test_skip(t, "the processor has no counter \"%s\" here (a virtual machine without a PMU?): %s",
			  name, strerror(-ret));
	return !ret;
}

static void compare_instructions(struct selftest_test *t, const struct tap_count *before,
				 const struct tap_count *after, double tolerance)
{
	__u64 enabled = after->enabled - before->enabled;
	__u64 running = after->running - before->running;
	double insns;

	if (!running) {
		test_skip(t, "the counter never ran: all of the processor's are taken");
		return;
	}
	insns = (double)(after->value - before->value) * (double)enabled / (double)running;
	if (insns < (1 - tolerance) * LOOPS * LOOP_INSNS ||
	    insns > (1.1 + tolerance) * LOOPS * LOOP_INSNS)
		test_fail(t, "instructions: expected %llu, got %.0f", LOOPS * LOOP_INSNS, insns);
}

/* Instructions of a loop of known length, by a counter that is read. */
static void hardware_count_test(struct selftest *st)
{
	struct tap_count before, after;
	struct selftest_test t;
	struct rig rig;
	int ret;

	test_begin(&t, st, "hardware-count");
	if (!has_counter(&t, "instructions:u")) {
		test_end(&t);
		return;
	}
	ret = rig_open(&rig, &t, 0) || rig_add_counter(&rig, "instructions:u") ||
	      rig_start(&rig);
	if (!ret) {
		/* Where processors are of several kinds, a counter is one of the first kind. */
		machine_pin(st, st->cpus[0]);
		ret = tap_session_count(rig.session, rig.ids[0], &before, 1);
		trigger_instructions(LOOPS);
		ret = ret ? ret : tap_session_count(rig.session, rig.ids[0], &after, 1);
		machine_unpin(st);
		if (ret)
			test_fail(&t, "the counter cannot be read: %s", strerror(-ret));
		else
			compare_instructions(&t, &before, &after, 0.02);
		test_note(&t, "%llu instructions counted in a loop of %llu%s",
			  (unsigned long long)(after.value - before.value), LOOPS * LOOP_INSNS,
			  after.running < after.enabled ? ", multiplexed" : "");
	}
	rig_close(&rig);
	test_end(&t);
}

/* More counters than most processors have: they take turns, and are scaled. */
static void multiplex_test(struct selftest *st)
{
	struct tap_count before[SELFTEST_PROBES], after[SELFTEST_PROBES];
	struct selftest_test t;
	double least = 1, share;
	struct rig rig;
	unsigned int i;
	int ret;

	test_begin(&t, st, "hardware-many");
	if (!has_counter(&t, "instructions:u")) {
		test_end(&t);
		return;
	}
	ret = rig_open(&rig, &t, 0);
	for (i = 0; i < SELFTEST_PROBES && !ret; i++)
		ret = rig_add_counter(&rig, "instructions:u");
	if (!ret && !rig_start(&rig)) {
		machine_pin(st, st->cpus[0]);
		for (i = 0; i < rig.nr && !ret; i++)
			ret = tap_session_count(rig.session, rig.ids[i], &before[i], 1);
		trigger_instructions(LOOPS);
		for (i = 0; i < rig.nr && !ret; i++)
			ret = tap_session_count(rig.session, rig.ids[i], &after[i], 1);
		machine_unpin(st);
		if (ret)
			test_fail(&t, "a counter cannot be read: %s", strerror(-ret));
		for (i = 0; i < rig.nr && !ret; i++) {
			/* Before it runs the first time there is nothing to scale. */
			compare_instructions(&t, &before[i], &after[i], 0.5);
			share = (double)(after[i].running - before[i].running) /
				(double)(after[i].enabled - before[i].enabled);
			least = share < least ? share : least;
		}
		test_note(&t, "%u counters at once, each counted %.0f %% of the time or more",
			  rig.nr, 100 * least);
	}
	rig_close(&rig);
	test_end(&t);
}

/* The same loop in samples. */
static void hardware_sample_test(struct selftest *st)
{
	const __u64 period = LOOPS * LOOP_INSNS / SAMPLES;
	struct selftest_test t;
	struct rig rig;

	test_begin(&t, st, "hardware");
	if (!has_counter(&t, "instructions:u")) {
		test_end(&t);
		return;
	}
	if (!rig_open(&rig, &t, 64 << 10) &&
	    !rig_add(&rig, NULL, "hardware:instructions:u:%llu ip", (unsigned long long)period) &&
	    !rig_start(&rig)) {
		machine_pin(st, st->cpus[0]);
		trigger_instructions(LOOPS);
		machine_unpin(st);
		rig_stop(&rig);
		if (rig.records < SAMPLES - 3 || rig.records > SAMPLES + 3)
			test_fail(&t, "samples: expected %d, got %llu", SAMPLES,
				  (unsigned long long)rig.records);
		test_note(&t, "%llu samples, %d expected", (unsigned long long)rig.records,
			  SAMPLES);
	}
	rig_close(&rig);
	test_end(&t);
}

/* Instructions of each call of a kernel function, in its record. */
static void pmu_hardware_test(struct selftest *st)
{
	static const char *const names[] = { "instructions" };
	static const struct rig_opts opts = { .pmu = names, .nr_pmu = 1 };
	struct pmu_state s = { 0 };
	struct selftest_test t;
	struct rig rig;
	int ret;

	test_begin(&t, st, "pmu-hardware");
	if (!has_counter(&t, names[0]) || !*st->function || trigger_lseek.open()) {
		test_end(&t);
		return;
	}
	ret = rig_open(&rig, &t, 64 << 10);
	if (!ret) {
		ret = add_pmu(&rig, names[0], 1);
		if (ret == -ENOSPC)
			test_skip(&t, "all counters of the processor are taken (perf, or the NMI watchdog)");
		else if (ret)
			test_fail(&t, "counters of the session: %s", strerror(-ret));
	}
	rig.event = check_pmu;
	rig.arg = &s;
	if (!ret && !rig_add(&rig, &opts, "call:%s", st->function) && !rig_start(&rig) &&
	    !rig_hit(&rig, &trigger_lseek, SELFTEST_HITS)) {
		rig_stop(&rig);
		test_equal(&t, "records", SELFTEST_HITS, rig.records);
		if (s.absent == rig.records)
			test_fail(&t, "instructions of a call: no call has a number");
		else if (s.sum < 5 * (rig.records - s.absent) ||
			 s.sum > 20000 * (rig.records - s.absent))
			test_fail(&t, "instructions of a call: expected 5 to 20000, got %llu on average",
				  (unsigned long long)(s.sum / (rig.records - s.absent)));
		else
			test_note(&t, "%llu instructions a call, %u of %u calls without a number",
				  (unsigned long long)(s.sum / (rig.records - s.absent)),
				  s.absent, SELFTEST_HITS);
	}
	rig_close(&rig);
	trigger_lseek.close();
	test_end(&t);
}

void counters_test(struct selftest *st)
{
	software_test(st);
	profile_test(st);
	count_test(st);
	pmu_software_test(st);
	hardware_count_test(st);
	multiplex_test(st);
	hardware_sample_test(st);
	pmu_hardware_test(st);
}

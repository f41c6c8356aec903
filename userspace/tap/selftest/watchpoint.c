// SPDX-License-Identifier: GPL-2.0
/*
 * A watchpoint on kernel memory that only this process writes: the position of an open
 * file, which lseek() sets. Where it lies is found by its value, so that no types are needed.
 */
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "selftest/selftest.h"

#define FILE_WORDS	40	/* longer than struct file */

struct position {
	__u64 value[2];
	__u64 candidates;
	__u64 file;
	unsigned int seen;
};

/* The first event knows no value; then the file has the offset of the event before. */
static void find(struct rig *rig, const struct tap_event *ev)
{
	struct position *p = rig->arg;
	unsigned int i, n = p->seen++;

	p->file = tap_event_word(ev, 0);
	if (!n)
		p->candidates = (1ULL << FILE_WORDS) - 1;
	for (i = 0; i < FILE_WORDS && n; i++)
		if (tap_event_word(ev, 1 + i) != trigger_lseek.arg(n - 1))
			p->candidates &= ~(1ULL << i);
}

/* Address of the position; 0 if it was not found. */
static __u64 find_position(struct selftest_test *t)
{
	struct position p = { .value = { 0 } };
	struct rig rig;

	if (!rig_open(&rig, t, 64 << 10) &&
	    !rig_add(&rig, NULL, "kprobe:%s $arg1 words=$arg1:u64[%u]", t->st->function, FILE_WORDS)) {
		rig.event = find;
		rig.arg = &p;
		if (!rig_start(&rig))
			rig_hit(&rig, &trigger_lseek, 8);
	}
	rig_close(&rig);
	if (t->status == SELFTEST_SKIP || t->status == SELFTEST_FAIL)
		return 0;
	if (!p.candidates || p.candidates & (p.candidates - 1)) {
		test_fail(t, "the position of an open file: expected in one word of it, found in %d",
			  __builtin_popcountll(p.candidates));
		return 0;
	}
	return p.file + 8 * (unsigned int)__builtin_ctzll(p.candidates);
}

/* Each write changes the value from that of the event before. */
static void compare(struct rig *rig, const struct tap_event *ev)
{
	unsigned int *seen = rig->arg, i = (*seen)++;

	test_equal(rig->t, "new value", trigger_lseek.arg(i), tap_event_word(ev, 1));
	if (i)
		test_equal(rig->t, "old value", trigger_lseek.arg(i - 1), tap_event_word(ev, 0));
}

/*
 * A processor that executes the instruction again after the trap may trap twice, if an interrupt
 * comes in between.
 */
static void compare_sum(struct selftest_test *t, bool records, __u64 sum)
{
	unsigned int more = records ? 0 : SELFTEST_HITS / 100;

	if (sum < SELFTEST_HITS || sum > SELFTEST_HITS + more)
		test_equal(t, "writes", SELFTEST_HITS, sum);
	test_note(t, records ? "%llu of %d writes, old and new values" :
		  "%llu counted at %d writes; this processor can record none",
		  (unsigned long long)sum, SELFTEST_HITS);
}

void watchpoint_test(struct selftest *st)
{
	bool records = st->info.out_features & TAP_FEATURE_WATCHPOINT;
	struct rig_opts opts = { .any_task = !records, .count = !records };
	struct tap_counters sum;
	struct selftest_test t;
	unsigned int seen = 0;
	__u64 address;
	struct rig rig;

	test_begin(&t, st, "watchpoint");
	if (!test_can(&t, TAP_FEATURE_PERF | TAP_FEATURE_KPROBE,
		      "this kernel was built without CONFIG_PERF_EVENTS or CONFIG_KPROBES") ||
	    !*st->function || trigger_lseek.open()) {
		test_end(&t);
		return;
	}
	address = find_position(&t);
	/* The search left another value there than the first event will. */
	if (address && !rig_open(&rig, &t, 64 << 10)) {
		rig.event = compare;
		rig.arg = &seen;
		if (!rig_add(&rig, &opts, "watchpoint:%#llx:8:w%s", (unsigned long long)address,
			     records ? " old new" : "") &&
		    !rig_start(&rig) && !rig_hit(&rig, &trigger_lseek, SELFTEST_HITS)) {
			rig_stop(&rig);
			rig_sum(&rig, 0, &sum);
			compare_sum(&t, records, records ? rig.records : sum.aggregated);
		}
		rig_close(&rig);
	}
	trigger_lseek.close();
	test_end(&t);
}

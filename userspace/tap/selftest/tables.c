// SPDX-License-Identifier: GPL-2.0
/*
 * What the kernel does with events besides recording them: conditions and aggregations.
 */
#include <string.h>

#include "selftest/selftest.h"

#define NR_KEYS		8
#define SIZE		.size = sizeof(struct tap_spec_value)
#define KEY_SHIFT	12	/* of the steps of trigger_lseek's argument */

static bool can(struct selftest_test *t)
{
	if (!test_can(t, TAP_FEATURE_KPROBE, "it is tested with a kprobe"))
		return false;
	if (!*t->st->function || trigger_lseek.open()) {
		test_skip(t, "it is tested with a kprobe, and no function was found for one");
		return false;
	}
	return true;
}

/* Half of the events must pass each condition, and the right half. */
static void check_condition(struct rig *rig, const struct tap_event *ev)
{
	__u64 value = tap_event_word(ev, 0);
	bool passes = ev->rec->probe == rig->ids[0] ? value >> KEY_SHIFT & 1 :
		      value >= trigger_lseek.arg(SELFTEST_HITS / 2);

	if (!passes)
		test_fail(rig->t, "a record that the condition rejects: value %#llx",
			  (unsigned long long)value);
}

/* Two conditions at the same function: by a bit, and by order. */
static void condition_test(struct selftest *st)
{
	struct tap_counters bit, order;
	struct selftest_test t;
	struct rig rig;
	int ret;

	test_begin(&t, st, "condition");
	if (!can(&t)) {
		test_end(&t);
		return;
	}
	ret = rig_open(&rig, &t, 64 << 10);
	rig.event = check_condition;
	if (!ret &&
	    !rig_add(&rig, NULL, "kprobe:%s $arg2 if $arg2 & %#x", st->function,
		     1U << KEY_SHIFT) &&
	    !rig_add(&rig, NULL, "kprobe:%s $arg2 if $arg2 >= %#llx", st->function,
		     (unsigned long long)trigger_lseek.arg(SELFTEST_HITS / 2)) &&
	    !rig_start(&rig) && !rig_hit(&rig, &trigger_lseek, SELFTEST_HITS)) {
		rig_stop(&rig);
		rig_sum(&rig, 0, &bit);
		rig_sum(&rig, 1, &order);
		test_equal(&t, "records with the bit", SELFTEST_HITS / 2, bit.written);
		test_equal(&t, "records in order", SELFTEST_HITS / 2, order.written);
		test_equal(&t, "records read", SELFTEST_HITS, rig.records);
		/* Other processes are filtered as well. */
		if (bit.filtered < SELFTEST_HITS / 2 || order.filtered < SELFTEST_HITS / 2)
			test_equal(&t, "events filtered", SELFTEST_HITS, bit.filtered +
				   order.filtered);
		test_note(&t, "2 x %llu of %d events pass, %llu and %llu filtered",
			  (unsigned long long)bit.written, SELFTEST_HITS,
			  (unsigned long long)bit.filtered, (unsigned long long)order.filtered);
	}
	rig_close(&rig);
	trigger_lseek.close();
	test_end(&t);
}

/* What the table must have for a key. */
struct expected {
	__u64 count;
	__u64 sum;
	__u64 min;
	__u64 max;
};

static void expect(__u64 key, struct expected *e)
{
	unsigned int i;

	*e = (struct expected) { .min = ~0ULL };
	for (i = 0; i < SELFTEST_HITS; i++) {
		__u64 value = trigger_lseek.arg(i) >> KEY_SHIFT;

		if (value % NR_KEYS != key)
			continue;
		e->count++;
		e->sum += value;
		e->min = value < e->min ? value : e->min;
		e->max = value > e->max ? value : e->max;
	}
}

static void compare_value(struct selftest_test *t, const struct tap_aggregation *a,
			  const __u64 *row, unsigned int i, const char *what, __u64 expected)
{
	__u64 value = 0;

	if (!tap_aggregation_value(a, row, i, &value))
		test_fail(t, "%s: the table has none", what);
	else
		test_equal(t, what, expected, value);
}

static void compare_table(struct selftest_test *t, const struct tap_aggregation *a)
{
	size_t nr = tap_aggregation_nr_rows(a), i;
	unsigned int key = tap_aggregation_key(a, 0)->word, n;
	struct expected e;

	test_equal(t, "keys", NR_KEYS, nr);
	for (i = 0; i < nr; i++) {
		const __u64 *row = tap_aggregation_row(a, i);
		__u64 buckets = 0;

		expect(row[key], &e);
		test_equal(t, "count of a key", e.count, tap_aggregation_count(a, row));
		compare_value(t, a, row, 0, "sum of a key", e.sum);
		compare_value(t, a, row, 1, "least value of a key", e.min);
		compare_value(t, a, row, 2, "greatest value of a key", e.max);
		for (n = 0; n < tap_aggregation_nr_buckets(a, 3); n++)
			buckets += tap_aggregation_bucket_count(a, row, 3, n);
		test_equal(t, "histogram of a key", e.count, buckets);
	}
}

static void aggregation_test(struct selftest *st)
{
	static const char *const keys[] = { "key=($arg2>>12)&7" };
	static const struct tap_spec_value values[] = {
		{ SIZE, .kind = TAP_AGG_SUM, .expr = "$arg2>>12" },
		{ SIZE, .kind = TAP_AGG_MIN, .expr = "$arg2>>12" },
		{ SIZE, .kind = TAP_AGG_MAX, .expr = "$arg2>>12" },
		{ SIZE, .kind = TAP_AGG_HIST, .expr = "$arg2>>12" },
	};
	static const struct rig_opts opts = {
		.keys = keys, .nr_keys = 1, .values = values, .nr_values = 4,
	};
	struct tap_aggregation *a;
	struct tap_counters sum;
	struct selftest_test t;
	struct rig rig;
	int ret;

	test_begin(&t, st, "aggregation");
	if (!can(&t)) {
		test_end(&t);
		return;
	}
	if (!rig_open(&rig, &t, 0) && !rig_add(&rig, &opts, "kprobe:%s", st->function) &&
	    !rig_start(&rig) && !rig_hit(&rig, &trigger_lseek, SELFTEST_HITS)) {
		rig_stop(&rig);
		rig_sum(&rig, 0, &sum);
		test_equal(&t, "events aggregated", SELFTEST_HITS, sum.aggregated);
		test_equal(&t, "records", 0, rig.records);
		ret = tap_aggregation_open(&a, rig_probe(&rig, 0), 0);
		if (!ret) {
			ret = tap_aggregation_read(a, rig.session);
			if (!ret)
				compare_table(&t, a);
			tap_aggregation_close(a);
		}
		if (ret)
			test_fail(&t, "the table cannot be read: %s", strerror(-ret));
		test_note(&t, "%llu events in %d keys: counts, sums, bounds, histograms, %.0f ns an event",
			  (unsigned long long)sum.aggregated, NR_KEYS, rig.per_hit);
	}
	rig_close(&rig);
	trigger_lseek.close();
	test_end(&t);
}

void tables_test(struct selftest *st)
{
	condition_test(st);
	aggregation_test(st);
}

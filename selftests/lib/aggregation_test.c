// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of merging the tables of an aggregation: events are counted into tables of several
 * CPUs, in the layout of uapi/linux/tap_aggregate.h, and once more by a simple model; the rows must
 * be equal.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "spec/spec.h"
#include "session/aggregation.h"
#include "session/stacks.h"
#include "selftests/lib/check.h"

#define NR_CPUS		4
#define NR_HITS		20000
#define NR_IDS		37	/* number of different keys */
#define NR_VALUES	7

/* Keys of one and of two words, and a value of each kind. */
static const struct tap_spec_agg spec = {
	.aggregate = {
		.nr_keys = 2,
		.nr_aggs = NR_VALUES,
		.keys = { { 0, 1 }, { 1, 2 } },
		.entries = 64,
	},
	.aggs = {
		{ .kind = TAP_AGG_SUM, .flags = TAP_AGG_F_SIGNED },
		{ .kind = TAP_AGG_SUM, .flags = TAP_AGG_F_SIGNED },
		{ .kind = TAP_AGG_MIN, .flags = TAP_AGG_F_SIGNED },
		{ .kind = TAP_AGG_MAX, .flags = TAP_AGG_F_SIGNED },
		{ .kind = TAP_AGG_MIN },
		{ .kind = TAP_AGG_HIST, .flags = TAP_AGG_F_SIGNED },
		{ .kind = TAP_AGG_LHIST, .flags = TAP_AGG_F_SIGNED,
		  .buckets = 10, .base = (__u64)-50, .step = 10 },
	},
	.avg = { [1] = true },
};

/* The expected values of a key. */
struct model {
	__u64 count;
	__u64 absent;
	__s64 sum;
	__s64 min;
	__s64 max;
	__u64 umin;
	__u64 log2[TAP_HIST_BUCKETS];
	__u64 linear[12];
};

/* Finds the bucket whose bounds include the value. */
static unsigned int bucket_of(const struct tap_aggregation *a, unsigned int i,
			      __s64 value)
{
	unsigned int n, found = ~0U;

	for (n = 0; n < a->value_words[i]; n++) {
		struct tap_bucket b = tap_aggregation_bucket(a, i, n);

		/* For a signed value the bucket of 2^63 and more stays empty. */
		if (a->agg->aggs[i].kind == TAP_AGG_HIST && n == 64)
			continue;
		if ((b.lowest || value >= (__s64)b.from) &&
		    (b.highest || value < (__s64)b.to)) {
			if (found != ~0U)
				return ~0U;
			found = n;
		}
	}
	return found;
}

static void hit(const struct tap_aggregation *a, __u64 *row,
		struct model *m, __s64 value, bool absent)
{
	unsigned int i;

	row[a->count_at]++;
	m->count++;
	if (absent) {
		m->absent++;
		for (i = 0; i < NR_VALUES; i++)
			row[a->value_at[i] + a->value_words[i]]++;
		return;
	}
	row[a->value_at[0]] += (__u64)value;
	row[a->value_at[1]] += (__u64)value;
	if (value < (__s64)row[a->value_at[2]])
		row[a->value_at[2]] = (__u64)value;
	if (value > (__s64)row[a->value_at[3]])
		row[a->value_at[3]] = (__u64)value;
	if ((__u64)value < row[a->value_at[4]])
		row[a->value_at[4]] = (__u64)value;
	row[a->value_at[5] + (value < 0 ? TAP_HIST_BUCKETS - 1U :
			      value ? 64U - (unsigned int)__builtin_clzll((__u64)value) : 0)]++;
	row[a->value_at[6] + (value < -50 ? 0U : value >= 50 ? 11U :
			      1 + (unsigned int)(value + 50) / 10)]++;

	m->sum += value;
	if (value < m->min)
		m->min = value;
	if (value > m->max)
		m->max = value;
	if ((__u64)value < m->umin)
		m->umin = (__u64)value;
	m->log2[bucket_of(a, 5, value)]++;
	m->linear[bucket_of(a, 6, value)]++;
}

static void fresh_row(const struct tap_aggregation *a, __u64 *row, __u64 id,
		      __u64 flags)
{
	memset(row, 0, a->row_words * sizeof(*row));
	row[0] = flags;
	/* The order differs from that of the ids, and some words are equal. */
	row[1] = flags ? 0 : id % 3;
	row[2] = flags ? 0 : id << 60;
	row[3] = flags ? 0 : id;
	row[a->value_at[2]] = INT64_MAX;
	row[a->value_at[3]] = (__u64)INT64_MIN;
	row[a->value_at[4]] = UINT64_MAX;
}

/* Rows of all CPUs, some with a key twice; the last id stands for all other keys. */
static void fill(struct tap_aggregation *a, struct model *models,
		 unsigned int nr_hits)
{
	unsigned int cpu, id, i;

	for (cpu = 0; cpu < NR_CPUS; cpu++)
		for (id = 0; id < NR_IDS + 1 + NR_IDS / 2; id++) {
			unsigned int key = id > NR_IDS ? id - NR_IDS - 1 : id;
			__u64 *row = tap_aggregation_room(a, 1);

			fresh_row(a, row, key, key == NR_IDS);
			for (i = 0; i < nr_hits; i++) {
				__s64 v = (__s64)(random() % 200) - 100;

				if (random() % 4 == 0)
					v *= (__s64)1 << random() % 40;
				hit(a, row, &models[key], v, key % 5 == 4 ||
				    random() % 10 == 0);
			}
			a->nr++;
		}
}

static const __u64 *row_of(const struct tap_aggregation *a, __u64 id)
{
	size_t i;

	for (i = 0; i < a->nr; i++) {
		const __u64 *row = a->rows + i * a->row_words;

		if (id == NR_IDS ? row[0] == TAP_ENTRY_OTHER :
		    !row[0] && row[1] == id % 3 && row[2] == id << 60 &&
		    row[3] == id)
			return row;
	}
	return NULL;
}

static bool row_is(const struct tap_aggregation *a, const __u64 *row,
		   const struct model *m)
{
	__u64 has = m->count - m->absent, v;

	if (row[a->count_at] != m->count ||
	    memcmp(row + a->value_at[5], m->log2, sizeof(m->log2)) ||
	    memcmp(row + a->value_at[6], m->linear, sizeof(m->linear)))
		return false;
	if (!has)
		return !tap_aggregation_value(a, row, 0, &v) &&
		       !tap_aggregation_value(a, row, 1, &v) &&
		       !tap_aggregation_value(a, row, 2, &v);
	return tap_aggregation_value(a, row, 0, &v) && v == (__u64)m->sum &&
	       tap_aggregation_value(a, row, 1, &v) &&
	       (__s64)v == m->sum / (__s64)has &&
	       tap_aggregation_value(a, row, 2, &v) && (__s64)v == m->min &&
	       tap_aggregation_value(a, row, 3, &v) && (__s64)v == m->max &&
	       tap_aggregation_value(a, row, 4, &v) && v == m->umin;
}

static struct model *new_models(void)
{
	struct model *models = calloc(NR_IDS + 1, sizeof(*models));
	unsigned int id;

	for (id = 0; id <= NR_IDS; id++) {
		models[id].min = INT64_MAX;
		models[id].max = INT64_MIN;
		models[id].umin = UINT64_MAX;
	}
	return models;
}

static void check_rows(const struct tap_aggregation *a,
		       const struct model *models, const char *what)
{
	unsigned int id, wrong = 0;
	size_t i;

	for (id = 0; id <= NR_IDS; id++) {
		const __u64 *row = row_of(a, id);

		if (row ? !row_is(a, row, &models[id]) : models[id].count != 0)
			wrong++;
	}
	check(!wrong, "%s: %u of %d keys are wrong", what, wrong, NR_IDS + 1);
	for (i = 1; i < a->nr; i++)
		if (memcmp(a->rows + i * a->row_words,
			   a->rows + (i - 1) * a->row_words,
			   4 * sizeof(__u64)) == 0)
			break;
	check(i >= a->nr, "%s: each key occurs once", what);
	check(a->nr && a->rows[(a->nr - 1) * a->row_words] == TAP_ENTRY_OTHER,
	      "%s: the row of all other keys is last", what);
}

static void test_merge(void)
{
	struct model *models = new_models();
	struct tap_aggregation a;

	check(!tap_aggregation_init(&a, &spec), "a specification is accepted");
	check(a.count_at == 4 && a.value_at[0] == 5 && a.value_at[1] == 7 &&
	      a.row_words == 5 + 5 * 2 + 67 + 13, "a row has as many words as an entry");
	tap_aggregation_merge(&a);
	check(!a.nr, "without tables there are no rows");
	fill(&a, models, NR_HITS / NR_CPUS / NR_IDS);
	tap_aggregation_merge(&a);
	check(a.nr == NR_IDS + 1, "%zu rows", a.nr);
	check_rows(&a, models, "merged");
	tap_aggregation_merge(&a);
	check_rows(&a, models, "merged again");
	tap_aggregation_clear(&a);
	free(models);
}

/* Keys that are new, or without events since then, at the start and the end of the rows. */
static void test_since(void)
{
	struct model *all = new_models(), *late = new_models();
	struct tap_aggregation then, now;
	unsigned int id;
	size_t i, k;

	tap_aggregation_init(&then, &spec);
	tap_aggregation_init(&now, &spec);
	fill(&then, all, 20);
	tap_aggregation_merge(&then);
	memcpy(tap_aggregation_room(&now, then.nr), then.rows,
	       then.nr * then.row_words * sizeof(__u64));
	now.nr = then.nr;
	/* Removes some keys from the earlier rows. */
	for (i = k = 0; i < then.nr; i++) {
		__u64 *row = then.rows + i * then.row_words;

		if (row[3] % 4 == 1)
			continue;
		memmove(then.rows + k++ * then.row_words, row,
			then.row_words * sizeof(__u64));
	}
	then.nr = k;
	for (id = 0; id <= NR_IDS; id++) {
		__u64 *row = (__u64 *)row_of(&now, id);
		bool fresh = id != NR_IDS && id % 4 == 1;

		if (fresh)
			late[id] = all[id];
		late[id].min = all[id].min;
		late[id].max = all[id].max;
		late[id].umin = all[id].umin;
		if (id % 3 != 2)
			hit(&now, row, &late[id], -7, false);
	}
	tap_aggregation_since(&now, &then);
	check_rows(&now, late, "since");
	for (i = 0; i < now.nr; i++)
		if (!now.rows[i * now.row_words + now.count_at])
			break;
	check(i == now.nr, "keys without an event since then have no row");
	tap_aggregation_since(&now, &now);
	check(!now.nr, "no rows since now");
	tap_aggregation_clear(&now);
	tap_aggregation_clear(&then);
	free(all);
	free(late);
}

static void test_refused(void)
{
	struct tap_aggregation a;
	struct tap_spec_agg wrong;

	wrong = spec;
	wrong.aggregate.nr_aggs = TAP_MAX_AGGS + 1;
	check(tap_aggregation_init(&a, &wrong) == -EINVAL, "too many values");
	wrong = spec;
	wrong.aggregate.nr_keys = TAP_MAX_KEYS + 1;
	check(tap_aggregation_init(&a, &wrong) == -EINVAL, "too many keys");
	wrong = spec;
	wrong.aggregate.keys[0].words = TAP_MAX_AGG_WORDS;
	check(tap_aggregation_init(&a, &wrong) == -EINVAL, "a key that is too long");
	wrong = spec;
	wrong.aggs[3].kind = 99;
	check(tap_aggregation_init(&a, &wrong) == -EINVAL, "unknown kind");
	wrong = spec;
	wrong.aggs[6].buckets = TAP_MAX_BUCKETS + 1;
	check(tap_aggregation_init(&a, &wrong) == -EINVAL,
	      "too many buckets");
	wrong.aggs[6].buckets = 0;
	check(tap_aggregation_init(&a, &wrong) == -EINVAL, "no buckets");
}

/* The words of stack n; every third one is like its predecessor. */
static unsigned int stack_of(__u64 n, __u64 *words)
{
	unsigned int nr = 1 + (n - n % 3) % TAP_MAX_STACK, i;

	for (i = 0; i < nr; i++)
		words[i] = i + n / 3 * 1000 + (n % 3 == 1);
	return nr;
}

static void test_stacks(void)
{
	enum { NR = 3000 };
	struct tap_stacks *stacks = tap_stacks_new();
	struct tap_stacks *more = tap_stacks_get(stacks);
	const struct tap_stack *stack;
	__u64 words[1 + TAP_MAX_STACK];
	unsigned int n, nr, wrong = 0, missing = 0;

	check(!tap_stacks_find(stacks, 5) && !tap_stacks_find(NULL, 5) &&
	      !tap_stacks_words(NULL, 5), "no stack in an empty table");
	for (n = 2; n < NR; n++) {
		nr = stack_of(n, words);
		/* Ids as a table has them, with a gap behind each. */
		if (tap_stacks_add(stacks, n * 100, words, nr))
			missing++;
	}
	for (n = 2; n < NR; n++) {
		nr = stack_of(n, words);
		stack = tap_stacks_find(stacks, n * 100);
		if (!stack || tap_stacks_find(stacks, n * 100 + 1)) {
			missing++;
			continue;
		}
		wrong += stack->id != n * 100 ||
			 memcmp(tap_stacks_words(stacks, n * 100), words, nr * sizeof(*words));
		/* Stacks 3k and 3k + 2 are equal; of 2 the first one is not there. */
		wrong += stack->same != (n % 3 == 2 && n > 2 ? n - 2 : n) * 100;
	}
	check(!missing, "%u stacks are not found", missing);
	check(!wrong, "%u stacks are wrong", wrong);
	tap_stacks_put(stacks);
	check(tap_stacks_words(more, 300) != NULL, "stacks stay for who holds them");
	tap_stacks_put(more);
}

/* Buckets in units: 1, 2 ... 512, 1000, 2000 ... 512000, and so on without gaps. */
static void test_decimal(void)
{
	static const struct {
		unsigned int n;
		__u64 from, to;
	} some[] = {
		{ 0, 0, 1 }, { 1, 1, 2 }, { 2, 2, 4 }, { 10, 512, 1000 }, { 11, 1000, 2000 }, { 12, 2000, 4000 },
		{ 20, 512000, 1000000 }, { 21, 1000000, 2000000 }, { 30, 512000000, 1000000000 },
		{ 31, 1000000000, 2000000000 }, { 41, 1024000000000, 2048000000000 },
		{ 63, 1000000000ULL << 32, 1000000000ULL << 33 },
	};
	struct tap_spec_agg decimal = spec;
	struct tap_aggregation a;
	struct tap_bucket b, next;
	bool gap = false;
	unsigned int i;

	decimal.aggs[5].flags |= TAP_AGG_F_DECIMAL;
	if (tap_aggregation_init(&a, &decimal)) {
		check(false, "decimal buckets");
		return;
	}
	for (i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		b = tap_aggregation_bucket(&a, 5, some[i].n);
		check(b.from == some[i].from && b.to == some[i].to && !b.lowest && !b.highest,
		      "decimal bucket %u: from %llu", some[i].n, b.from);
	}
	for (i = 0; i < 64; i++) {
		b = tap_aggregation_bucket(&a, 5, i);
		next = tap_aggregation_bucket(&a, 5, i + 1);
		gap |= b.to != next.from || b.from >= b.to;
	}
	check(!gap && next.highest, "decimal buckets have no gaps");
	check(tap_aggregation_bucket(&a, 5, TAP_HIST_BUCKETS - 1).lowest, "negative values");
	tap_aggregation_clear(&a);
}

int main(void)
{
	srandom(1);
	test_decimal();
	test_merge();
	test_since();
	test_refused();
	test_stacks();
	return check_end();
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of aggregations: the tables hold what was called, on each CPU and to the last event,
 * with tables of any size, and while they are read.
 */
#include "selftests/module/tap_harness.h"

#define TARGET		"tap_target_add"
/* Most words of an entry in these tests. */
#define MAX_ENTRY	512
#define MAX_ROWS	4096
#define NR_CALLS	1000

/* Ops: register 0 becomes the number of the call, modulo 2^n, and so on. */
#define OP_NUMBER	OP(TAP_OP_ARG, 0, 0, 8, 0, 0)
#define OP_WITH(_code, _imm)						\
	OP(_code, 0, TAP_OP_IMM_SRC, 8, 0, _imm)
#define OP_GIVE		OP(TAP_OP_MOVE, TAP_OP_OUT, 0, 8, 0, 0)

FIXTURE(aggregate)
{
	struct test_session s;
	int target;
	__u64 *words;
	__u64 *rows;
	unsigned int nr_rows;
	unsigned int row_words;
};

FIXTURE_SETUP(aggregate)
{
	test_setup();
	test_session_open(_metadata, &self->s, 4096);
	self->words = calloc(MAX_ROWS * 16, sizeof(__u64));
	self->rows = calloc(MAX_ROWS * 16, sizeof(__u64));
	ASSERT_NE(NULL, self->words);
	ASSERT_NE(NULL, self->rows);
}

FIXTURE_TEARDOWN(aggregate)
{
	free(self->words);
	free(self->rows);
	test_teardown();
}

/* An aggregation by the first word, without values. */
static struct tap_aggregate by_first_word(__u32 entries)
{
	return (struct tap_aggregate){
		.size = sizeof(struct tap_aggregate),
		.nr_keys = 1,
		.keys = { { 0, 1 } },
		.entries = entries,
	};
}

static int _test_create_aggregate(int fd, __u32 *id, __u32 type,
				  const char *target, struct tap_aggregate *how,
				  const struct tap_op *ops, __u32 nr_ops)
{
	struct tap_create create = test_create_arg(type, target, ops, nr_ops);
	int ret;

	create.aggregate = (uintptr_t)how;
	ret = ioctl(fd, TAP_IOC_CREATE, &create);
	if (!ret && id)
		*id = create.out_id;
	return ret;
}
#define test_create_aggregate(id, how, ...)				\
	ASSERT_EQ(0, _test_create_aggregate(self->s.fd, id, TAP_PROBE_KPROBE, \
					    TARGET, how, OPS(__VA_ARGS__))) \
		TH_LOG("cannot create: %s", strerror(errno))

static int _test_ioctl_read(int fd, __u32 id, __u32 cpu, __u32 from,
			    __u64 *words, __u32 nr_words, struct tap_read *read)
{
	*read = (struct tap_read){
		.size = sizeof(*read),
		.id = id,
		.cpu = cpu,
		.from = from,
		.words = (uintptr_t)words,
		.nr_words = nr_words,
	};
	return ioctl(fd, TAP_IOC_READ, read);
}

static __u64 *test_row(FIXTURE_DATA(aggregate) *self, unsigned int i)
{
	return self->rows + i * self->row_words;
}

/*
 * Appends the table of a CPU to the rows. Entries with the same flags and the same key of
 * @words words are added up. So no value may be a minimum or maximum if events came on several
 * CPUs.
 */
static void test_read_cpu(struct __test_metadata *_metadata,
			  FIXTURE_DATA(aggregate) *self, __u32 id, __u32 cpu,
			  unsigned int key_words, __u32 room)
{
	struct tap_read read = {};
	unsigned int i, k, w;

	do {
		ASSERT_EQ(0, _test_ioctl_read(self->s.fd, id, cpu, read.out_next,
					      self->words, room, &read));
		self->row_words = read.out_entry_words;
		ASSERT_LE(read.out_entries * read.out_entry_words, room);
		for (i = 0; i < read.out_entries; i++) {
			__u64 *entry = self->words + i * self->row_words;

			for (k = 0; k < self->nr_rows; k++)
				if (!memcmp(test_row(self, k), entry,
					    (1 + key_words) * sizeof(__u64)))
					break;
			ASSERT_LT(k * self->row_words, MAX_ROWS * 16);
			if (k == self->nr_rows) {
				memcpy(test_row(self, k), entry,
				       self->row_words * sizeof(__u64));
				self->nr_rows++;
				continue;
			}
			for (w = 1 + key_words; w < self->row_words; w++)
				test_row(self, k)[w] += entry[w];
		}
	} while (read.out_next);
}

static void test_read_all(struct __test_metadata *_metadata,
			  FIXTURE_DATA(aggregate) *self, __u32 id,
			  unsigned int key_words)
{
	unsigned int cpu;

	self->nr_rows = 0;
	for (cpu = 0; cpu < self->s.nr_rings; cpu++)
		test_read_cpu(_metadata, self, id, cpu, key_words, MAX_ROWS);
}

/* Sum of a word over all rows. */
static __u64 test_total(FIXTURE_DATA(aggregate) *self, unsigned int word)
{
	__u64 total = 0;
	unsigned int i;

	for (i = 0; i < self->nr_rows; i++)
		total += test_row(self, i)[word];
	return total;
}

TEST_F(aggregate, counts_each_key_on_its_own_cpu)
{
	struct tap_aggregate how = by_first_word(64);
	unsigned int cpu, i, nr_cpus = 2;
	struct tap_counters counters;
	__u32 id;

	test_need_cpus(2);
	test_create_aggregate(&id, &how, OP_NUMBER, OP_WITH(TAP_OP_AND, 15), OP_GIVE);
	test_ioctl_enable(id);
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		ASSERT_EQ(0, test_pin(cpu));
		test_target_call(TAP_TARGET_ADD, NR_CALLS + cpu * 16);
	}
	for (cpu = 0; cpu < self->s.nr_rings; cpu++) {
		self->nr_rows = 0;
		test_read_cpu(_metadata, self, id, cpu, 1, MAX_ROWS);
		EXPECT_EQ(cpu < nr_cpus ? 16 : 0, self->nr_rows);
		if (self->nr_rows)
			EXPECT_EQ(3, self->row_words);
		for (i = 0; i < self->nr_rows; i++) {
			__u64 *row = test_row(self, i);

			EXPECT_EQ(0, row[0]);
			EXPECT_LT(row[1], 16);
			EXPECT_EQ((NR_CALLS + 15 - row[1]) / 16 + cpu, row[2]);
		}
	}
	counters = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(2 * NR_CALLS + 16, counters.aggregated);
	EXPECT_EQ(0, counters.written);
}

/* Reading with a buffer of one word more than an entry gives the same. */
TEST_F(aggregate, is_read_in_pieces_of_any_size)
{
	struct tap_aggregate how = by_first_word(1024);
	unsigned int room;
	__u32 id;

	test_create_aggregate(&id, &how, OP_ARG(0));
	test_ioctl_enable(id);
	ASSERT_EQ(0, test_pin(0));
	test_target_call(TAP_TARGET_ADD, 300);
	for (room = 3; room < 20; room++) {
		unsigned int i;

		self->nr_rows = 0;
		test_read_cpu(_metadata, self, id, 0, 1, room);
		EXPECT_EQ(300, self->nr_rows);
		for (i = 0; i < self->nr_rows; i++)
			EXPECT_EQ(1, test_row(self, i)[2]);
	}
}

#define BASE	(-100LL)
#define STEP	37
#define BUCKETS	20

static struct tap_aggregate without_keys(const struct tap_agg *aggs, unsigned int nr)
{
	return (struct tap_aggregate) {
		.size = sizeof(struct tap_aggregate),
		.nr_aggs = nr,
		.entries = 1,
		.aggs = (uintptr_t)aggs,
		.agg_size = sizeof(aggs[0]),
	};
}

/*
 * Each kind of value, signed and unsigned, of 7 * i - 300; compared with the same sums made
 * here.
 */
TEST_F(aggregate, keeps_sums_extremes_and_histograms)
{
	const struct tap_agg aggs[] = {
		{ .kind = TAP_AGG_SUM },
		{ .kind = TAP_AGG_MIN, .flags = TAP_AGG_F_SIGNED },
		{ .kind = TAP_AGG_MAX, .flags = TAP_AGG_F_SIGNED },
		{ .kind = TAP_AGG_MIN },
		{ .kind = TAP_AGG_MAX },
		{ .kind = TAP_AGG_HIST, .flags = TAP_AGG_F_SIGNED },
		{ .kind = TAP_AGG_HIST },
		{ .kind = TAP_AGG_LHIST, .flags = TAP_AGG_F_SIGNED,
		  .buckets = BUCKETS, .base = BASE, .step = STEP },
	};
	__u64 want[MAX_ENTRY] = { 0, NR_CALLS, 0, 0, INT64_MAX, 0, INT64_MIN, 0,
				  UINT64_MAX, 0, 0, 0 };
	struct tap_aggregate how = without_keys(aggs, ARRAY_SIZE(aggs));
	__u64 *hist = want + 12, *uhist = hist + 67, *lhist = uhist + 67;
	unsigned int i;
	__u32 id;

	for (i = 0; i < NR_CALLS; i++) {
		__s64 v = 7LL * i - 300, from;

		want[2] += v;
		if (v < (__s64)want[4])
			want[4] = v;
		if (v > (__s64)want[6])
			want[6] = v;
		if ((__u64)v < want[8])
			want[8] = v;
		if ((__u64)v > want[10])
			want[10] = v;
		hist[v < 0 ? 65 : v ? 64 - __builtin_clzll(v) : 0]++;
		uhist[v ? 64 - __builtin_clzll(v) : 0]++;
		if (v < BASE) {
			lhist[0]++;
			continue;
		}
		for (from = BASE; from < BASE + STEP * BUCKETS; from += STEP)
			if (v >= from && v < from + STEP)
				lhist[1 + (from - BASE) / STEP]++;
		if (v >= from)
			lhist[1 + BUCKETS]++;
	}
	test_create_aggregate(&id, &how, OP_NUMBER, OP_WITH(TAP_OP_MUL, 7),
			      OP_WITH(TAP_OP_SUB, 300), OP_GIVE);
	test_ioctl_enable(id);
	ASSERT_EQ(0, test_pin(0));
	test_target_call(TAP_TARGET_ADD, NR_CALLS);
	test_read_cpu(_metadata, self, id, 0, 0, MAX_ROWS);
	ASSERT_EQ(1, self->nr_rows);
	ASSERT_EQ(12 + 2 * 67 + BUCKETS + 3, self->row_words);
	for (i = 0; i < self->row_words; i++)
		EXPECT_EQ(want[i], test_row(self, 0)[i]) TH_LOG("word %u", i);
	/* There were no events on other CPUs, so their tables are empty. */
	self->nr_rows = 0;
	for (i = 1; i < self->s.nr_rings; i++)
		test_read_cpu(_metadata, self, id, i, 0, MAX_ROWS);
	EXPECT_EQ(0, self->nr_rows);
}

/* _base * 2^i - 1 at call 2i, _base * 2^i at the next one. */
#define SHIFTED(_base)					\
	OP_NUMBER,					\
	OP(TAP_OP_IMM, 1, 0, 8, 0, (_base)),		\
	OP(TAP_OP_MOVE, 2, 0, 8, 0, 0),			\
	OP(TAP_OP_SHR, 2, TAP_OP_IMM_SRC, 8, 0, 1),	\
	OP(TAP_OP_SHL, 1, 2, 8, 0, 0),			\
	OP_WITH(TAP_OP_AND, 1),				\
	OP(TAP_OP_ADD, 1, 0, 8, 0, 0),			\
	OP(TAP_OP_SUB, 1, TAP_OP_IMM_SRC, 8, 0, 1),	\
	OP(TAP_OP_MOVE, TAP_OP_OUT, 1, 8, 0, 0)

/* Values at both ends of each bucket of a histogram. */
TEST_F(aggregate, puts_each_power_of_two_where_it_belongs)
{
	const struct tap_agg agg = { .kind = TAP_AGG_HIST };
	struct tap_aggregate how = {
		.size = sizeof(how),
		.nr_aggs = 1,
		.entries = 1,
		.aggs = (uintptr_t)&agg,
		.agg_size = sizeof(agg),
	};
	unsigned int i;
	__u64 *row;
	__u32 id;

	/* 2^i - 1, then 2^i, for i from 0 to 63. */
	test_create_aggregate(&id, &how, SHIFTED(1));
	test_ioctl_enable(id);
	ASSERT_EQ(0, test_pin(0));
	test_target_call(TAP_TARGET_ADD, 128);
	test_read_cpu(_metadata, self, id, 0, 0, MAX_ROWS);
	ASSERT_EQ(1, self->nr_rows);
	row = test_row(self, 0);
	EXPECT_EQ(128, row[1]);
	/* 0 is counted once; a bucket has 2^i and 2^(i + 1) - 1; the last one has no 2^64 - 1. */
	for (i = 0; i < TAP_HIST_BUCKETS; i++)
		EXPECT_EQ(i == 0 || i == 64 ? 1 : i == 65 ? 0 : 2, row[2 + i])
			TH_LOG("bucket %u", i);
}

/* The bucket of a value, by the bounds that the header has. */
static unsigned int decimal_bucket(__u64 value)
{
	static const __u64 units[] = { 1, 1000, 1000000, 1000000000 };
	unsigned int n = 0, i;

	for (i = 1; i <= 64; i++) {
		unsigned int u = i <= 30 ? (i - 1) / 10 : 3;

		if (value >= units[u] << (i - 1 - 10 * u))
			n = i;
	}
	return n;
}

/* Values at both ends of each bucket with units. 5^3, 5^6 and 5^9 lead to powers of 1000. */
TEST_F(aggregate, puts_each_power_of_two_of_a_unit_where_it_belongs)
{
	static const unsigned int bases[] = { 1, 125, 15625, 1953125 };
	const struct tap_agg aggs[] = {
		{ .kind = TAP_AGG_HIST, .flags = TAP_AGG_F_DECIMAL },
		{ .kind = TAP_AGG_HIST, .flags = TAP_AGG_F_DECIMAL | TAP_AGG_F_SIGNED },
	};
	struct tap_aggregate how = without_keys(aggs, ARRAY_SIZE(aggs));
	unsigned int i, k;
	__u32 id;

	ASSERT_EQ(0, test_pin(0));
	for (k = 0; k < ARRAY_SIZE(bases); k++) {
		__u64 want[TAP_HIST_BUCKETS] = { 0 }, negative = 0, *row;

		/* b * 2^i - 1, then b * 2^i; modulo 2^64. */
		test_create_aggregate(&id, &how, SHIFTED(bases[k]));
		test_ioctl_enable(id);
		test_target_call(TAP_TARGET_ADD, 128);
		test_ioctl_disable(id);
		for (i = 0; i < 128; i++) {
			__u64 value = ((__u64)bases[k] << (i >> 1)) - 1 + (i & 1);

			want[decimal_bucket(value)]++;
			negative += (__s64)value < 0;
		}
		self->nr_rows = 0;
		test_read_cpu(_metadata, self, id, 0, 0, MAX_ROWS);
		ASSERT_EQ(1, self->nr_rows);
		row = test_row(self, 0);
		for (i = 0; i < TAP_HIST_BUCKETS; i++)
			EXPECT_EQ(want[i], row[2 + i]) TH_LOG("%u: bucket %u", bases[k], i);
		/* Unsigned, negative values are the largest. */
		want[64] -= negative;
		want[65] = negative;
		row += TAP_HIST_BUCKETS + 1;
		for (i = 0; i < TAP_HIST_BUCKETS; i++)
			EXPECT_EQ(want[i], row[2 + i]) TH_LOG("%u: signed bucket %u", bases[k], i);
	}
}

TEST_F(aggregate, takes_names_and_several_words_as_keys)
{
	struct tap_aggregate how = {
		.size = sizeof(how),
		.nr_keys = 3,
		.keys = { { 1, 2 }, { 0, 1 }, { 3, 1 } },
		.entries = 256,
	};
	unsigned int i;
	__u32 id;

	test_create_aggregate(&id, &how, OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_CPU, 0),
			      OP_COMM, OP_NUMBER, OP_WITH(TAP_OP_AND, 3), OP_GIVE);
	test_ioctl_enable(id);
	ASSERT_EQ(0, test_pin(0));
	test_target_call(TAP_TARGET_ADD, 400);
	ASSERT_EQ(0, test_write_file("/proc/self/comm", "another_name_15"));
	test_target_call(TAP_TARGET_ADD, 40);
	test_read_all(_metadata, self, id, 4);
	EXPECT_EQ(8, self->nr_rows);
	EXPECT_EQ(6, self->row_words);
	for (i = 0; i < self->nr_rows; i++) {
		__u64 *row = test_row(self, i);
		bool second = !memcmp(&row[1], "another_name_15", 16);

		if (!second)
			EXPECT_EQ(0, memcmp(&row[1], "aggregate_test\0", 16));
		EXPECT_EQ(0, row[3]);
		EXPECT_LT(row[4], 4);
		EXPECT_EQ(second ? 10 : 100, row[5]);
	}
}

/* 1000 keys for 8 entries, with a full chain. */
TEST_F(aggregate, that_is_full_counts_the_rest_as_others)
{
	const struct tap_agg aggs[] = {
		{ .kind = TAP_AGG_SUM },
		{ .kind = TAP_AGG_HIST },
	};
	struct tap_aggregate how = by_first_word(8);
	unsigned int i, others = 0;
	__u32 id;

	how.nr_aggs = ARRAY_SIZE(aggs);
	how.aggs = (uintptr_t)aggs;
	how.agg_size = sizeof(aggs[0]);
	test_create_aggregate(&id, &how, OP_ARG(0));
	test_ioctl_enable(id);
	ASSERT_EQ(0, test_pin(0));
	test_target_call(TAP_TARGET_ADD, NR_CALLS);
	test_target_call(TAP_TARGET_ADD, NR_CALLS);
	test_read_all(_metadata, self, id, 1);
	EXPECT_EQ(9, self->nr_rows);
	for (i = 0; i < self->nr_rows; i++) {
		__u64 *row = test_row(self, i);

		if (!(row[0] & TAP_ENTRY_OTHER)) {
			EXPECT_EQ(2, row[2]);
			EXPECT_EQ(2 * row[1], row[3]);
			continue;
		}
		others++;
		EXPECT_EQ(0, row[1]);
		EXPECT_EQ(2 * NR_CALLS - 16, row[2]);
	}
	EXPECT_EQ(1, others);
	EXPECT_EQ(2 * NR_CALLS, test_total(self, 2));
	EXPECT_EQ((__u64)NR_CALLS * (NR_CALLS - 1), test_total(self, 3));
	EXPECT_EQ(2 * NR_CALLS, test_counters(_metadata, &self->s, id).aggregated);
}

TEST_F(aggregate, counts_hits_without_a_word_apart)
{
	const struct tap_agg aggs[] = {
		{ .kind = TAP_AGG_SUM, .word = 1 },
		{ .kind = TAP_AGG_MIN, .word = 1, .flags = TAP_AGG_F_SIGNED },
		{ .kind = TAP_AGG_MAX, .word = 1 },
		{ .kind = TAP_AGG_SUM, .word = 2 },
	};
	struct tap_aggregate how = by_first_word(4);
	const __u64 want[] = { 0, 0, 100, 0, 100, INT64_MAX, 100, 0, 100, 4950, 0 };
	unsigned int i;
	__u32 id;

	how.nr_aggs = ARRAY_SIZE(aggs);
	how.aggs = (uintptr_t)aggs;
	how.agg_size = sizeof(aggs[0]);
	/* An absent value is 0 in a key. */
	test_create_aggregate(&id, &how, OP_NUMBER,
			      OP(TAP_OP_LOAD, TAP_OP_OUT, 0, 8, 0, 0),
			      OP(TAP_OP_LOAD, TAP_OP_OUT, 0, 8, 8, 0),
			      OP_GIVE);
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_ADD, 100);
	test_read_all(_metadata, self, id, 1);
	ASSERT_EQ(1, self->nr_rows);
	ASSERT_EQ(ARRAY_SIZE(want), self->row_words);
	for (i = 0; i < ARRAY_SIZE(want); i++)
		EXPECT_EQ(want[i], test_row(self, 0)[i]) TH_LOG("word %u", i);
}

/* The same if the program outputs only the key. */
TEST_F(aggregate, may_have_what_is_absent_as_its_key)
{
	struct tap_aggregate how = by_first_word(4);
	__u32 id;

	/* The argument of each call is no address. */
	how.keys[0].word = 1;
	test_create_aggregate(&id, &how, OP_NUMBER,
			      OP(TAP_OP_LOAD, TAP_OP_OUT, 0, 8, 0, 0),
			      OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_ABSENT, 0));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_ADD, NR_CALLS);
	test_ioctl_disable(id);
	test_read_all(_metadata, self, id, 1);
	ASSERT_EQ(1, self->nr_rows);
	EXPECT_EQ(1, test_row(self, 0)[1]);
	EXPECT_EQ(NR_CALLS, test_row(self, 0)[2]);
}

TEST_F(aggregate, of_calls_has_their_results_and_durations)
{
	const struct tap_agg agg = { .kind = TAP_AGG_MIN };
	struct tap_aggregate how = {
		.size = sizeof(how),
		.nr_keys = 1,
		.keys = { { TAP_CALL_RETVAL, 1 } },
		.nr_aggs = 1,
		.entries = 64,
		.aggs = (uintptr_t)&agg,
		.agg_size = sizeof(agg),
	};
	unsigned int i;
	__u32 id;

	ASSERT_EQ(0, _test_create_aggregate(self->s.fd, &id, TAP_PROBE_CALL, TARGET,
					    &how, OPS(OP_ARG(0))));
	test_ioctl_enable(id);
	ASSERT_EQ(0, test_pin(0));
	test_target_call(TAP_TARGET_ADD, 50);
	test_target_call(TAP_TARGET_ADD, 50);
	test_read_all(_metadata, self, id, 1);
	EXPECT_EQ(50, self->nr_rows);
	for (i = 0; i < self->nr_rows; i++) {
		EXPECT_LE(TAP_TARGET_ADDEND, test_row(self, i)[1]);
		EXPECT_EQ(2, test_row(self, i)[2]);
		EXPECT_LT(0, test_row(self, i)[3]);
		EXPECT_GT(1000000000, test_row(self, i)[3]);
	}
}

/* Events come from two CPUs; each read returns at least what the one before it did. */
TEST_F(aggregate, loses_nothing_while_it_is_read)
{
	const struct tap_agg agg = { .kind = TAP_AGG_SUM };
	struct tap_aggregate how = by_first_word(256);
	__u64 last = 0, now, calls, begin = test_now_ms();
	struct tap_counters counters;
	unsigned int rounds = 0;
	__u32 id;

	test_need_cpus(2);
	how.nr_aggs = 1;
	how.aggs = (uintptr_t)&agg;
	how.agg_size = sizeof(agg);
	test_create_aggregate(&id, &how, OP_NUMBER, OP_WITH(TAP_OP_AND, 127), OP_GIVE);
	test_ioctl_enable(id);
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_STORM, TAP_TARGET_ADD,
				  0, 0, NULL));
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_STORM, TAP_TARGET_ADD,
				  0, 1, NULL));
	while (test_now_ms() < begin + 2000) {
		test_read_all(_metadata, self, id, 1);
		now = test_total(self, 2);
		EXPECT_LE(last, now);
		last = now;
		rounds++;
	}
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_CALM, 0, 0, 0, &calls));
	test_ioctl_disable(id);
	test_read_all(_metadata, self, id, 1);
	counters = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(128, self->nr_rows);
	EXPECT_EQ(calls, test_total(self, 2));
	EXPECT_EQ(calls, counters.aggregated);
	EXPECT_LT(10, rounds);
	EXPECT_LT(0, last);
	TH_LOG("%llu calls, read %u times meanwhile", calls, rounds);
}

/* Allocations, in tasks and in interrupts of these tasks, into few entries. */
TEST_F(aggregate, adds_up_where_hits_interrupt_hits)
{
	const struct tap_agg aggs[] = {
		{ .kind = TAP_AGG_SUM, .word = 1 },
		{ .kind = TAP_AGG_HIST },
	};
	struct tap_aggregate how = by_first_word(64);
	__u64 sum = 0, begin = test_now_ms();
	struct tap_counters counters;
	unsigned int i;
	__u32 id;

	how.nr_aggs = ARRAY_SIZE(aggs);
	how.aggs = (uintptr_t)aggs;
	how.agg_size = sizeof(aggs[0]);
	ASSERT_EQ(0, _test_create_aggregate(self->s.fd, &id, TAP_PROBE_RAWTP,
					    "kmem_cache_free", &how,
					    OPS(OP_ARG(1), OP(TAP_OP_IMM, TAP_OP_OUT, 0, 8, 0, 1))));
	test_ioctl_enable(id);
	while (test_now_ms() < begin + 1500) {
		for (i = 0; i < 20; i++)
			close(open("/proc/self/stat", O_RDONLY));
		test_target_call(TAP_TARGET_SOFTIRQ, 1);
	}
	test_ioctl_disable(id);
	test_read_all(_metadata, self, id, 1);
	counters = test_counters(_metadata, &self->s, id);
	EXPECT_LT(100, counters.hits);
	EXPECT_EQ(counters.hits, counters.aggregated);
	EXPECT_EQ(counters.hits, test_total(self, 2));
	EXPECT_EQ(counters.hits, test_total(self, 3));
	for (i = 0; i < TAP_HIST_BUCKETS; i++)
		sum += test_total(self, 5 + i);
	EXPECT_EQ(counters.hits, sum);
}

/**
 * struct wrong - an aggregation that must be refused
 * @what: the error in it
 * @how: the aggregation, for a program that outputs two words
 * @agg: its value, if it has one
 */
struct wrong {
	const char *what;
	struct tap_aggregate how;
	struct tap_agg agg;
};

#define SUM	{ .kind = TAP_AGG_SUM }

static const struct wrong wrongs[] = {
	{ "a flag", { .flags = 1, .entries = 1 }, SUM },
	{ "too many keys", { .nr_keys = 5, .entries = 8 }, SUM },
	{ "too many values", { .nr_aggs = 9, .entries = 1 }, SUM },
	{ "no entries", { .entries = 0 }, SUM },
	{ "no power of two", { .nr_keys = 1, .keys = { { 0, 1 } }, .entries = 12 }, SUM },
	{ "too many entries",
	  { .nr_keys = 1, .keys = { { 0, 1 } }, .entries = TAP_MAX_ENTRIES * 2 }, SUM },
	{ "entries without keys", { .entries = 2 }, SUM },
	{ "a key of no words", { .nr_keys = 1, .entries = 2 }, SUM },
	{ "a key that begins beyond the words",
	  { .nr_keys = 1, .keys = { { 2, 1 } }, .entries = 2 }, SUM },
	{ "a key that ends beyond the words",
	  { .nr_keys = 1, .keys = { { 1, 2 } }, .entries = 2 }, SUM },
	{ "a key without end",
	  { .nr_keys = 1, .keys = { { 1, 65535 } }, .entries = 2 }, SUM },
	{ "a key beyond the number of keys",
	  { .nr_keys = 1, .keys = { { 0, 1 }, { 1, 1 } }, .entries = 2 }, SUM },
	{ "no kind", { .nr_aggs = 1, .entries = 1 }, { .kind = 0 } },
	{ "an unknown kind", { .nr_aggs = 1, .entries = 1 }, { .kind = 6 } },
	{ "a value's flag", { .nr_aggs = 1, .entries = 1 },
	  { .kind = TAP_AGG_SUM, .flags = TAP_AGG_F_DECIMAL << 1 } },
	{ "units of a sum", { .nr_aggs = 1, .entries = 1 },
	  { .kind = TAP_AGG_SUM, .flags = TAP_AGG_F_DECIMAL } },
	{ "a value beyond the words", { .nr_aggs = 1, .entries = 1 },
	  { .kind = TAP_AGG_SUM, .word = 2 } },
	{ "buckets of a sum", { .nr_aggs = 1, .entries = 1 },
	  { .kind = TAP_AGG_SUM, .buckets = 1 } },
	{ "a base of a maximum", { .nr_aggs = 1, .entries = 1 },
	  { .kind = TAP_AGG_MAX, .base = 1 } },
	{ "steps by powers of two", { .nr_aggs = 1, .entries = 1 },
	  { .kind = TAP_AGG_HIST, .step = 1 } },
	{ "a linear histogram without buckets", { .nr_aggs = 1, .entries = 1 },
	  { .kind = TAP_AGG_LHIST, .step = 1 } },
	{ "one without steps", { .nr_aggs = 1, .entries = 1 },
	  { .kind = TAP_AGG_LHIST, .buckets = 1 } },
	{ "one with too many buckets", { .nr_aggs = 1, .entries = 1 },
	  { .kind = TAP_AGG_LHIST, .buckets = TAP_MAX_BUCKETS + 1, .step = 1 } },
};

TEST_F(aggregate, that_is_malformed_is_refused_and_nothing_is_made)
{
	struct tap_aggregate how = by_first_word(4);
	struct tap_probe_info info;
	unsigned int i;
	__u32 id;

	for (i = 0; i < ARRAY_SIZE(wrongs); i++) {
		how = wrongs[i].how;
		how.size = sizeof(how);
		how.aggs = (uintptr_t)&wrongs[i].agg;
		how.agg_size = sizeof(wrongs[i].agg);
		errno = 0;
		EXPECT_EQ(-1, _test_create_aggregate(self->s.fd, NULL,
						     TAP_PROBE_KPROBE, TARGET, &how,
						     OPS(OP_ARG(0), OP_ARG(1))));
		EXPECT_EQ(EINVAL, errno) TH_LOG("%s", wrongs[i].what);
	}
	EXPECT_ERRNO(ENOENT, _test_ioctl_probe_info(self->s.fd, 1, NULL, 0, &info));
	how = by_first_word(4);
	test_create_aggregate(&id, &how, OP_ARG(0));
	EXPECT_EQ(1, id);
}

TEST_F(aggregate, has_a_size_of_its_own)
{
	struct {
		struct tap_aggregate how;
		__u64 tail;
	} arg = { .how = by_first_word(4) };

#define test_size(_size)						\
	(arg.how.size = (_size),					\
	 _test_create_aggregate(self->s.fd, NULL, TAP_PROBE_KPROBE, TARGET, \
				&arg.how, OPS(OP_ARG(0))))
	EXPECT_ERRNO(EINVAL, test_size(0));
	EXPECT_ERRNO(EINVAL, test_size(sizeof(arg.how) - 1));
	EXPECT_EQ(0, test_size(sizeof(arg)));
	arg.tail = 1ULL << 63;
	EXPECT_EQ(0, test_size(sizeof(arg.how)));
	EXPECT_ERRNO(E2BIG, test_size(sizeof(arg)));
	EXPECT_ERRNO(E2BIG, test_size(4097));
}

/* The array of values as a program built with later headers has it, and the reverse. */
TEST_F(aggregate, has_values_of_the_size_that_the_caller_says)
{
	struct {
		struct tap_agg agg;
		__u64 tail;
	} later[2] = {
		{ .agg = { .kind = TAP_AGG_SUM } }, { .agg = { .kind = TAP_AGG_MAX } },
	};
	struct tap_aggregate how = by_first_word(4);
	__u32 id;

	how.nr_aggs = 2;
	how.aggs = (uintptr_t)later;
#define test_values(_size)						\
	(how.agg_size = (_size),					\
	 _test_create_aggregate(self->s.fd, &id, TAP_PROBE_KPROBE, TARGET, &how, \
				OPS(OP_ARG(0), OP_ARG(1))))
	EXPECT_ERRNO(EINVAL, test_values(0));
	EXPECT_ERRNO(EINVAL, test_values(sizeof(struct tap_agg) - 1));
	/* With today's size, the tail of the first value is the second one. */
	EXPECT_ERRNO(EINVAL, test_values(sizeof(struct tap_agg)));
	EXPECT_ERRNO(E2BIG, test_values(4097));
	later[1].tail = 1ULL << 63;
	EXPECT_ERRNO(E2BIG, test_values(sizeof(later[0])));
	later[1].tail = 0;
	ASSERT_EQ(0, test_values(sizeof(later[0])));
	test_ioctl_enable(id);
	ASSERT_EQ(0, test_pin(0));
	test_target_call(TAP_TARGET_ADD, 3);
	test_read_cpu(_metadata, self, id, 0, 0, MAX_ROWS);
	/* Flags, key, count, sum, maximum, each with the number of absent ones. */
	EXPECT_EQ(3 + 2 * 2, self->row_words);
	/* Without values, 0 or a valid size. */
	how.nr_aggs = 0;
	EXPECT_EQ(0, test_values(0));
	EXPECT_EQ(0, test_values(sizeof(later[0])));
	EXPECT_ERRNO(EINVAL, test_values(sizeof(struct tap_agg) - 1));
	how.__reserved = 1;
	EXPECT_ERRNO(EINVAL, test_values(sizeof(struct tap_agg)));
}

TEST_F(aggregate, does_not_go_with_counting_alone_or_a_bad_address)
{
	struct tap_aggregate how = by_first_word(4);
	const struct tap_op ops[] = { OP_ARG(0) };
	struct tap_create create = test_create_arg(TAP_PROBE_KPROBE, TARGET, ops, 1);

	create.aggregate = (uintptr_t)&how;
	create.flags = TAP_CREATE_F_COUNT;
	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	create.flags = 0;
	create.aggregate = 8;
	EXPECT_ERRNO(EFAULT, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	create.aggregate = (uintptr_t)&how;
	how.nr_aggs = 1;
	how.agg_size = sizeof(struct tap_agg);
	EXPECT_ERRNO(EFAULT, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	how.nr_aggs = 0;
	EXPECT_EQ(0, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
}

TEST_F(aggregate, is_asked_for_in_the_right_way)
{
	struct tap_aggregate how = by_first_word(4);
	struct tap_read read;
	__u64 words[3];
	__u32 id, plain;

	test_create_aggregate(&id, &how, OP_ARG(0));
	test_ioctl_create(&plain, TAP_PROBE_KPROBE, TARGET, OP_ARG(0));
#define test_read(_id, _cpu, _from, _words, _nr)			\
	_test_ioctl_read(self->s.fd, _id, _cpu, _from, _words, _nr, &read)
	EXPECT_ERRNO(ENODATA, test_read(plain, 0, 0, words, 3));
	EXPECT_ERRNO(ENOENT, test_read(99, 0, 0, words, 3));
	EXPECT_ERRNO(ENOENT, test_read(0, 0, 0, words, 3));
	EXPECT_ERRNO(EINVAL, test_read(id, self->s.nr_rings, 0, words, 3));
	EXPECT_ERRNO(EINVAL, test_read(id, -1, 0, words, 3));
	EXPECT_ERRNO(EINVAL, test_read(id, 0, 5, words, 3));
	EXPECT_ERRNO(EINVAL, test_read(id, 0, 0, words, 2));
	EXPECT_EQ(0, test_read(id, 0, 4, words, 3));
	/* The table is still empty. */
	EXPECT_EQ(0, test_read(id, 0, 0, NULL, 3));
	test_ioctl_enable(id);
	ASSERT_EQ(0, test_pin(0));
	test_target_call(TAP_TARGET_ADD, 4);
	EXPECT_ERRNO(EFAULT, test_read(id, 0, 0, NULL, 3));
	EXPECT_EQ(0, test_read(id, 0, 0, words, 3));
	EXPECT_EQ(1, read.out_entries);
	EXPECT_NE(0, read.out_next);
}

/* Three aggregations; the second begins behind more bytes than the module knows. */
struct several {
	struct tap_aggregate by_low;
	__u64 tail;
	struct tap_aggregate by_none;
	struct tap_aggregate by_both;
};

#define SEVERAL(_aggs)							\
	(struct several) {						\
		.by_low = { .size = sizeof(struct tap_aggregate) + 8, .nr_keys = 1,	\
			    .keys = { { 0, 1 } }, .entries = 64 },	\
		.by_none = { .size = sizeof(struct tap_aggregate), .entries = 1,	\
			     .nr_aggs = ARRAY_SIZE(_aggs), .aggs = (uintptr_t)(_aggs),	\
			     .agg_size = sizeof((_aggs)[0]) },		\
		.by_both = { .size = sizeof(struct tap_aggregate), .nr_keys = 2,	\
			     .keys = { { 1, 1 }, { 0, 1 } }, .entries = 8 },	\
	}

/* Reads a table of all CPUs, each alone; returns the sum of its counts and sets the rows. */
static __u64 test_read_table(struct __test_metadata *_metadata, FIXTURE_DATA(aggregate) *self,
			     __u32 id, __u32 index, unsigned int count_at, unsigned int *rows)
{
	struct tap_read read;
	__u64 total = 0;
	unsigned int i;
	__u32 cpu;

	*rows = 0;
	for (cpu = 0; cpu < self->s.nr_rings; cpu++) {
		read = (struct tap_read) {
			.size = sizeof(read), .id = id, .cpu = cpu, .index = index,
			.words = (uintptr_t)self->words, .nr_words = MAX_ROWS,
		};
		ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_READ, &read));
		for (i = 0; i < read.out_entries; i++)
			total += self->words[i * read.out_entry_words + count_at];
		*rows += read.out_entries;
	}
	return total;
}

TEST_F(aggregate, has_the_events_of_its_probe_in_each_of_several)
{
	const struct tap_agg aggs[] = { { .kind = TAP_AGG_MAX, .word = 1 } };
	struct several how = SEVERAL(aggs);
	const struct tap_op ops[] = {
		OP_NUMBER, OP_WITH(TAP_OP_AND, 15), OP_GIVE, OP_ARG(0),
	};
	struct tap_create create = test_create_arg(TAP_PROBE_KPROBE, TARGET, ops, ARRAY_SIZE(ops));
	struct tap_counters counters;
	unsigned int rows[3], cpu;

	create.aggregate = (uintptr_t)&how;
	create.nr_aggregates = 3;
	ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	test_ioctl_enable(create.out_id);
	for (cpu = 0; cpu < 2 && cpu < self->s.nr_rings; cpu++) {
		if (test_pin(cpu))
			break;
		test_target_call(TAP_TARGET_ADD, NR_CALLS);
	}
	test_ioctl_disable(create.out_id);
	counters = test_counters(_metadata, &self->s, create.out_id);
	EXPECT_EQ(cpu * NR_CALLS, counters.aggregated);
	EXPECT_EQ(counters.hits, counters.aggregated);
	EXPECT_EQ(counters.hits, test_read_table(_metadata, self, create.out_id, 0, 2, &rows[0]));
	EXPECT_EQ(counters.hits, test_read_table(_metadata, self, create.out_id, 1, 1, &rows[1]));
	EXPECT_EQ(NR_CALLS - 1, self->words[2]);
	/* It has no room for most keys: they are counted together. */
	EXPECT_EQ(counters.hits, test_read_table(_metadata, self, create.out_id, 2, 3, &rows[2]));
	EXPECT_EQ(16 * cpu, rows[0]);
	EXPECT_EQ(cpu, rows[1]);
	EXPECT_EQ(9 * cpu, rows[2]);
}

/* The same where events interrupt events. */
TEST_F(aggregate, adds_up_in_several_where_hits_interrupt_hits)
{
	const struct tap_agg aggs[] = { { .kind = TAP_AGG_HIST } };
	struct several how = SEVERAL(aggs);
	const struct tap_op ops[] = { OP_ARG(1), OP_ARG(0) };
	struct tap_create create = test_create_arg(TAP_PROBE_RAWTP, "kmem_cache_free", ops, 2);
	__u64 begin = test_now_ms();
	struct tap_counters counters;
	unsigned int i, rows;

	create.aggregate = (uintptr_t)&how;
	create.nr_aggregates = 3;
	ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	test_ioctl_enable(create.out_id);
	while (test_now_ms() < begin + 500) {
		for (i = 0; i < 20; i++)
			close(open("/proc/self/stat", O_RDONLY));
		test_target_call(TAP_TARGET_SOFTIRQ, 1);
	}
	test_ioctl_disable(create.out_id);
	counters = test_counters(_metadata, &self->s, create.out_id);
	EXPECT_LT(100, counters.hits);
	EXPECT_EQ(counters.hits, counters.aggregated);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(counters.hits, test_read_table(_metadata, self, create.out_id, i,
							 i == 1 ? 1 : i + 2 - (i > 1), &rows));
}

#define test_several(_from, _nr)						\
	(create.aggregate = (uintptr_t)(_from), create.nr_aggregates = (_nr),	\
	 ioctl(self->s.fd, TAP_IOC_CREATE, &create))

TEST_F(aggregate, of_several_has_a_size_of_its_own)
{
	const struct tap_agg aggs[] = { { .kind = TAP_AGG_SUM } };
	struct several how = SEVERAL(aggs);
	const struct tap_op ops[] = { OP_ARG(0), OP_ARG(1) };
	struct tap_create create = test_create_arg(TAP_PROBE_KPROBE, TARGET, ops, 2);

	how.tail = 1;
	EXPECT_ERRNO(E2BIG, test_several(&how, 3));
	how.tail = 0;
	EXPECT_EQ(0, test_several(&how, 3));
}

TEST_F(aggregate, is_one_of_at_most_so_many)
{
	const struct tap_agg aggs[] = { { .kind = TAP_AGG_SUM } };
	struct tap_aggregate same[TAP_MAX_AGGREGATES + 1];
	struct several how = SEVERAL(aggs);
	const struct tap_op ops[] = { OP_ARG(0), OP_ARG(1) };
	struct tap_create create = test_create_arg(TAP_PROBE_KPROBE, TARGET, ops, 2);
	struct tap_read read = { .size = sizeof(read), .nr_words = 64 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(same); i++)
		same[i] = by_first_word(4);
	EXPECT_ERRNO(EINVAL, test_several(same, TAP_MAX_AGGREGATES + 1));
	EXPECT_ERRNO(EINVAL, test_several(NULL, 1));
	how.by_both.flags = 1;
	EXPECT_ERRNO(EINVAL, test_several(&how, 3));
	EXPECT_EQ(0, test_several(same, TAP_MAX_AGGREGATES));
	read.id = create.out_id;
	read.words = (uintptr_t)self->words;
	read.index = TAP_MAX_AGGREGATES - 1;
	EXPECT_EQ(0, ioctl(self->s.fd, TAP_IOC_READ, &read));
	read.index = TAP_MAX_AGGREGATES;
	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_READ, &read));
	read.index = 0;
	read.__reserved = 1;
	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_READ, &read));
	EXPECT_EQ(0, test_several(same, 0));
	read = (struct tap_read) { .size = sizeof(read), .id = create.out_id, .nr_words = 64,
				   .words = (uintptr_t)self->words, .index = 1 };
	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_READ, &read));
}

/* Tables count against memory_max; deleting a probe frees its part. */
TEST_F(aggregate, takes_no_more_memory_than_it_may)
{
	const struct tap_agg agg = { .kind = TAP_AGG_LHIST, .buckets = TAP_MAX_BUCKETS,
				     .step = 1 };
	struct tap_aggregate how = by_first_word(TAP_MAX_ENTRIES);
	__u32 ids[16];
	unsigned int nr, most;

	how.nr_aggs = 1;
	how.aggs = (uintptr_t)&agg;
	how.agg_size = sizeof(agg);
	ASSERT_EQ(0, test_write_file(TEST_MEMORY_MAX, "96M"));
	EXPECT_ERRNO(ENOMEM, _test_create_aggregate(self->s.fd, NULL, TAP_PROBE_KPROBE,
						    TARGET, &how, OPS(OP_ARG(0))));
	/* About 8 KiB each: 8 MiB for all CPUs together. */
	how.entries = 1024;
	while (how.entries * self->s.meta->nr_made > 1024)
		how.entries /= 2;
	for (nr = 0; nr < ARRAY_SIZE(ids); nr++)
		if (_test_create_aggregate(self->s.fd, &ids[nr], TAP_PROBE_KPROBE,
					   TARGET, &how, OPS(OP_ARG(0))))
			break;
	EXPECT_EQ(ENOMEM, errno);
	most = (96ULL << 20) / (self->s.meta->nr_made * (how.entries + 1) *
				(3 + TAP_MAX_BUCKETS + 3) * 8ULL);
	/* The rings of the session count as well. */
	EXPECT_GE(most, nr);
	EXPECT_LE(most - 1, nr);
	ASSERT_LT(0, nr);
	test_ioctl_delete(ids[0]);
	test_create_aggregate(&ids[0], &how, OP_ARG(0));
	ASSERT_EQ(0, test_write_file(TEST_MEMORY_MAX, "0"));
}

TEST_HARNESS_MAIN

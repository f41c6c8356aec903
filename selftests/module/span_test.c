// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of spans: which events of two sides become one, with which words, what becomes of all
 * others, and that every number adds up. The sides are marks, so each event is one of the test.
 */
#include <linux/perf_event.h>

#include "selftests/module/tap_harness.h"

#define OWN		"interval:s:1"

/* Words of a mark: the key, and a value. */
#define OP_FIELD(off)	OP(TAP_OP_FIELD, TAP_OP_OUT, 0, 8, off, 0)

/* Words of the span's own data. */
#define AT(member)	((int)offsetof(struct tap_span_event, member))
#define WORDS		((int)sizeof(struct tap_span_event))
#define OP_KEY		OP_FIELD(WORDS)
#define OP_FROM		OP_FIELD(WORDS + 8)
#define OP_TO		OP_FIELD(WORDS + 16)
#define OP_DURATION	OP_FIELD(AT(duration))
#define OP_FROM_TIME	OP_FIELD(AT(from_time))

FIXTURE(span)
{
	struct test_session s;
	__u32 id;
	__u32 from;
	__u32 to;
};

FIXTURE_SETUP(span)
{
	self->s.fd = -1;
	test_need_root();
	test_session_open(_metadata, &self->s, 1 << 16);
}

FIXTURE_TEARDOWN(span)
{
	test_session_close(&self->s);
}

static struct tap_span_table table_of(__u16 mode, __u32 entries)
{
	return (struct tap_span_table) {
		.size = sizeof(struct tap_span_table), .mode = mode, .nr_keys = 1,
		.from_words = 1, .to_words = 1, .entries = entries,
	};
}

static int create_span(int fd, __u32 *id, const struct tap_span_table *table,
		       const struct tap_op *ops, __u32 nr_ops)
{
	struct tap_create create = test_create_arg(TAP_PROBE_SPAN, "test", ops, nr_ops);
	int ret;

	create.span = (uintptr_t)table;
	ret = ioctl(fd, TAP_IOC_CREATE, &create);
	if (!ret)
		*id = create.out_id;
	return ret;
}

static int create_side(int fd, __u32 *id, __u32 span, __u32 side, __u32 type,
		       const char *target, const struct tap_op *ops, __u32 nr_ops)
{
	struct tap_create create = test_create_arg(type, target, ops, nr_ops);
	int ret;

	create.span_id = span;
	create.side = side;
	ret = ioctl(fd, TAP_IOC_CREATE, &create);
	if (!ret && id)
		*id = create.out_id;
	return ret;
}

/* A span of marks with a key and a value each, and a program of the span. */
#define test_span(_mode, _entries, ...)					\
	({								\
		const struct tap_span_table _table = table_of(_mode, _entries); \
		ASSERT_EQ(0, create_span(self->s.fd, &self->id, &_table,	\
					 OPS(__VA_ARGS__)))		\
			TH_LOG("no span: %s", strerror(errno));		\
		ASSERT_EQ(0, create_side(self->s.fd, &self->from, self->id, TAP_SIDE_FROM, \
					 TAP_PROBE_MARK, OWN,		\
					 OPS(OP_FIELD(0), OP_FIELD(8))));	\
		ASSERT_EQ(0, create_side(self->s.fd, &self->to, self->id, TAP_SIDE_TO, \
					 TAP_PROBE_MARK, OWN,		\
					 OPS(OP_FIELD(0), OP_FIELD(8))));	\
		test_ioctl_enable(0);					\
	})

static int write_mark(int fd, __u32 id, __u64 key, __u64 value)
{
	const __u64 data[] = { key, value };
	struct tap_mark mark = {
		.size = sizeof(mark), .id = id, .data = (uintptr_t)data, .len = sizeof(data),
	};

	return ioctl(fd, TAP_IOC_MARK, &mark);
}
#define test_from(key, value)	ASSERT_EQ(0, write_mark(self->s.fd, self->from, key, value))
#define test_to(key, value)	ASSERT_EQ(0, write_mark(self->s.fd, self->to, key, value))

static int read_span(int fd, __u32 id, struct tap_span_read *read)
{
	memset(read, 0, sizeof(*read));
	read->size = sizeof(*read);
	read->id = id;
	return ioctl(fd, TAP_IOC_SPAN, read);
}

/* Reads the counts, and checks that they add up. */
#define test_counts(_read)						\
	({								\
		struct tap_counters _from, _to, _span;			\
		_from = test_counters(_metadata, &self->s, self->from);	\
		_to = test_counters(_metadata, &self->s, self->to);	\
		_span = test_counters(_metadata, &self->s, self->id);	\
		ASSERT_EQ(0, read_span(self->s.fd, self->id, _read));	\
		EXPECT_EQ(_from.aggregated, (_read)->out_opened +	\
			  (_read)->out_restarted + (_read)->out_full + (_read)->out_busy); \
		EXPECT_EQ(_to.aggregated, (_read)->out_ended + (_read)->out_unmatched); \
		EXPECT_EQ((_read)->out_opened, (_read)->out_ended +	\
			  (_read)->out_cleared + (_read)->out_open);	\
		EXPECT_EQ(_span.hits, (_read)->out_ended);		\
	})

/* The same of a span whose sides make records: not aggregated, but written or lost. */
#define test_recorded_counts(_read)					\
	({								\
		struct tap_counters _from, _to;				\
		_from = test_counters(_metadata, &self->s, self->from);	\
		_to = test_counters(_metadata, &self->s, self->to);	\
		ASSERT_EQ(0, read_span(self->s.fd, self->id, _read));	\
		EXPECT_EQ(0, _from.aggregated + _to.aggregated);	\
		EXPECT_EQ(_from.written + _from.lost_full + _from.lost_nested,	\
			  (_read)->out_opened + (_read)->out_restarted + \
			  (_read)->out_full + (_read)->out_busy);	\
		EXPECT_EQ(_to.written + _to.lost_full + _to.lost_nested,	\
			  (_read)->out_ended + (_read)->out_unmatched);	\
		EXPECT_EQ((_read)->out_opened, (_read)->out_ended +	\
			  (_read)->out_cleared + (_read)->out_open);	\
	})

TEST_F(span, two_events_become_one)
{
	struct tap_span_read read;
	struct test_record rec;
	struct tap_info info;

	test_ioctl_info(&info);
	EXPECT_TRUE(info.out_features & TAP_FEATURE_SPAN);
	test_span(TAP_SPAN_RESTART, 64, OP_DURATION, OP_FROM_TIME,
		  OP(TAP_OP_FIELD, TAP_OP_OUT, 0, 4, AT(from_tid), 0),
		  OP(TAP_OP_FIELD, TAP_OP_OUT, 0, 4, AT(from_tgid), 0),
		  OP(TAP_OP_FIELD, TAP_OP_OUT, 0, 4, AT(from_cpu), 0),
		  OP(TAP_OP_FIELD, TAP_OP_OUT, 0, 4, AT(from_flags), 0),
		  OP(TAP_OP_FIELD_BYTES, TAP_OP_OUT, 0, 0, AT(from_comm), TAP_COMM_LEN),
		  OP_KEY, OP_FROM, OP_TO);
	ASSERT_EQ(0, test_pin(0));
	test_from(77, 1);
	test_to(78, 2);
	ASSERT_EQ(0, test_pin(sysconf(_SC_NPROCESSORS_ONLN) - 1));
	test_to(77, 3);
	test_to(77, 4);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(self->id, rec.probe);
	EXPECT_EQ(sysconf(_SC_NPROCESSORS_ONLN) - 1, rec.cpu);
	EXPECT_EQ((__u32)gettid(), rec.tid);
	/* Exactly: the "from" event was at this time. */
	EXPECT_EQ(rec.time, rec.word[1] + rec.word[0]);
	EXPECT_LT(0, rec.word[0]);
	EXPECT_EQ((__u32)gettid(), rec.word[2]);
	EXPECT_EQ((__u32)getpid(), rec.word[3]);
	EXPECT_EQ(0, rec.word[4]);
	EXPECT_EQ(0, rec.word[5]);
	EXPECT_EQ(0, strncmp((char *)&rec.word[6], "span_test", 9));
	EXPECT_EQ(77, rec.word[8]);
	EXPECT_EQ(1, rec.word[9]);
	EXPECT_EQ(3, rec.word[10]);
	EXPECT_FALSE(rec.broken);
	EXPECT_FALSE(test_session_next(&self->s, &rec));
	test_counts(&read);
	EXPECT_EQ(1, read.out_opened);
	EXPECT_EQ(1, read.out_ended);
	EXPECT_EQ(2, read.out_unmatched);
	EXPECT_EQ(0, read.out_unmatched_busy);
	EXPECT_EQ(0, read.out_open);
}

/* Events of other probes, just before the first event and just behind the second. */
TEST_F(span, its_time_is_that_of_its_events)
{
	__u64 begin, end, duration, from_time;
	struct test_record rec;
	__u32 raw;

	test_ioctl_create(&raw, TAP_PROBE_MARK, OWN, OP_FIELD(0));
	test_span(TAP_SPAN_RESTART, 64, OP_DURATION, OP_FROM_TIME);
	ASSERT_EQ(0, write_mark(self->s.fd, raw, 1, 0));
	test_from(5, 0);
	ASSERT_EQ(0, write_mark(self->s.fd, raw, 2, 0));
	ASSERT_EQ(0, write_mark(self->s.fd, raw, 3, 0));
	test_to(5, 0);
	ASSERT_EQ(0, write_mark(self->s.fd, raw, 4, 0));
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	begin = rec.time;
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	end = rec.time;
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	ASSERT_EQ(3, rec.word[0]);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	ASSERT_EQ(self->id, rec.probe);
	duration = rec.word[0];
	from_time = rec.word[1];
	EXPECT_EQ(rec.time - from_time, duration);
	EXPECT_LE(begin, from_time);
	EXPECT_GE(end, from_time);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(4, rec.word[0]);
	EXPECT_GE(rec.time, from_time + duration);
}

/* The key, the value, and the name of the task: what a side with records has at its end. */
#define RECORD_OPS	OPS(OP_FIELD(0), OP_FIELD(8), OP(TAP_OP_COMM, TAP_OP_OUT, 0, 0, 0, 0))

static int create_recorded(int fd, __u32 *id, __u32 span, __u32 side, const struct tap_op *ops,
			   __u32 nr_ops)
{
	struct tap_create create = test_create_arg(TAP_PROBE_MARK, OWN, ops, nr_ops);
	int ret;

	create.flags = TAP_CREATE_F_RECORD;
	create.span_id = span;
	create.side = side;
	ret = ioctl(fd, TAP_IOC_CREATE, &create);
	if (!ret)
		*id = create.out_id;
	return ret;
}

/* As test_span(), with sides that make records. */
#define test_recorded_span(_mode, ...)					\
	({								\
		const struct tap_span_table _table = table_of(_mode, 64);	\
		ASSERT_EQ(0, create_span(self->s.fd, &self->id, &_table,	\
					 OPS(__VA_ARGS__)));		\
		ASSERT_EQ(0, create_recorded(self->s.fd, &self->from, self->id,	\
					     TAP_SIDE_FROM, RECORD_OPS)); \
		ASSERT_EQ(0, create_recorded(self->s.fd, &self->to, self->id, \
					     TAP_SIDE_TO, RECORD_OPS));	\
		test_ioctl_enable(0);					\
	})

#define RECORDED_KEYS	5
#define RECORDED	2000

/* Computes each span from the records of its two events: they are equal to the tick. */
TEST_F(span, its_duration_is_that_of_two_records)
{
	static const __u16 modes[] = { TAP_SPAN_RESTART, TAP_SPAN_FIRST };
	unsigned int nr = sysconf(_SC_NPROCESSORS_ONLN), m, i, spans;
	struct { __u64 time, value; bool open; } at[RECORDED_KEYS];
	struct { __u64 duration, key, value; bool expected; } span;
	struct tap_span_read read;
	struct test_record rec;
	__u64 seed = 1;

	for (m = 0; m < ARRAY_SIZE(modes); m++) {
		test_recorded_span(modes[m], OP_DURATION, OP_FROM_TIME, OP_KEY, OP_FROM);
		memset(at, 0, sizeof(at));
		memset(&span, 0, sizeof(span));
		for (i = 0, spans = 0; i < RECORDED; i++) {
			seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
			ASSERT_EQ(0, test_pin((seed >> 33) % nr));
			ASSERT_EQ(0, write_mark(self->s.fd, seed >> 63 ? self->from : self->to,
						(seed >> 40) % RECORDED_KEYS, i));
			ASSERT_TRUE(test_session_next(&self->s, &rec));
			ASSERT_GT(RECORDED_KEYS, rec.word[0]);
			ASSERT_EQ(i, rec.word[1]);
			EXPECT_EQ(0, strncmp((char *)&rec.word[2], "span_test", 9));
			if (rec.probe == self->from) {
				if (modes[m] == TAP_SPAN_FIRST && at[rec.word[0]].open)
					continue;
				at[rec.word[0]].time = rec.time;
				at[rec.word[0]].value = i;
				at[rec.word[0]].open = true;
				continue;
			}
			ASSERT_EQ(self->to, rec.probe);
			span.key = rec.word[0];
			span.value = at[span.key].value;
			span.duration = rec.time - at[span.key].time;
			span.expected = at[span.key].open;
			at[span.key].open = false;
			ASSERT_EQ(span.expected, test_session_next(&self->s, &rec));
			if (!span.expected)
				continue;
			ASSERT_EQ(self->id, rec.probe);
			EXPECT_EQ(span.duration, rec.word[0]);
			EXPECT_EQ(at[span.key].time, rec.word[1]);
			EXPECT_EQ(span.key, rec.word[2]);
			EXPECT_EQ(span.value, rec.word[3]);
			spans++;
		}
		EXPECT_LT(RECORDED / 8, spans);
		test_recorded_counts(&read);
		EXPECT_EQ(spans, read.out_ended);
		test_ioctl_disable(0);
		test_ioctl_delete(self->from);
		test_ioctl_delete(self->to);
		test_ioctl_delete(self->id);
	}
}

/* Records of sides find no room: the span goes on, and each of them is counted. */
TEST_F(span, goes_on_where_records_of_its_sides_are_lost)
{
	struct tap_span_read read;
	struct tap_counters from;
	unsigned int i;

	test_recorded_span(TAP_SPAN_RESTART, OP_DURATION);
	ASSERT_EQ(0, test_pin(0));
	for (i = 0; i < RECORDED; i++) {
		test_from(i % 3, i);
		test_to(i % 3, i);
	}
	test_recorded_counts(&read);
	EXPECT_EQ(RECORDED, read.out_ended);
	from = test_counters(_metadata, &self->s, self->from);
	EXPECT_EQ(RECORDED, from.hits);
	EXPECT_LT(0, from.written);
	EXPECT_LT(0, from.lost_full);
}

#define COUNTED_PAGES	7
#define COUNTED_ROUNDS	200

/* Faults of so many pages that were not touched yet. */
static void fault(unsigned int nr)
{
	size_t size = sysconf(_SC_PAGESIZE), len = COUNTED_PAGES * size, i;
	char *pages = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return;
	madvise(pages, len, MADV_NOHUGEPAGE);
	for (i = 0; i < nr; i++)
		((volatile char *)pages)[i * size] = 1;
	munmap(pages, len);
}

/* A counter is one CPU's: it has grown by what one task did there without a pause, or is absent. */
TEST_F(span, counts_what_happened_between_its_events)
{
	const struct tap_perf faults = {
		.size = sizeof(faults), .type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS,
	};
	struct tap_pmu pmu = {
		.size = sizeof(pmu), .events = (uintptr_t)&faults, .nr_events = 1,
	};
	unsigned int i, sure = 0, last = sysconf(_SC_NPROCESSORS_ONLN) - 1;
	struct test_record rec;
	int status;
	pid_t pid;

	ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_PMU, &pmu));
	test_span(TAP_SPAN_RESTART, 64, OP(TAP_OP_PMU, TAP_OP_OUT, 0, 8, 0, 0),
		  OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_ABSENT, 0));
	ASSERT_EQ(0, test_pin(0));
	for (i = 0; i < COUNTED_ROUNDS; i++) {
		test_from(i, 0);
		fault(i % COUNTED_PAGES);
		test_to(i, 0);
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_EQ(!!(rec.flags & TAP_F_ABSENT), !!(rec.flags & TAP_F_DESCHEDULED));
		EXPECT_EQ(!!(rec.flags & TAP_F_ABSENT), rec.word[1]);
		/* The first rounds have faults of their own. */
		if (rec.flags & TAP_F_ABSENT || i < COUNTED_PAGES)
			continue;
		EXPECT_EQ(i % COUNTED_PAGES, rec.word[0]);
		sure++;
	}
	EXPECT_LT(0, sure);
	test_from(1, 0);
	usleep(1000);
	test_to(1, 0);
	if (last) {
		test_from(2, 0);
		ASSERT_EQ(0, test_pin(last));
		test_to(2, 0);
		ASSERT_EQ(0, test_pin(0));
	}
	test_from(3, 0);
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		test_to(3, 0);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	for (i = 0; i < (last ? 3 : 2); i++) {
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_TRUE(rec.flags & TAP_F_ABSENT);
		EXPECT_TRUE(rec.flags & TAP_F_DESCHEDULED);
		EXPECT_EQ(last && i == 1, !!(rec.flags & TAP_F_MIGRATED));
		EXPECT_EQ(0, rec.word[0]);
		EXPECT_EQ(1, rec.word[1]);
	}
}

/* Which of three "from" events an end belongs to. */
TEST_F(span, restart_takes_the_last_begin)
{
	struct tap_span_read read;
	struct test_record rec;

	test_span(TAP_SPAN_RESTART, 64, OP_FROM, OP_TO);
	test_from(9, 1);
	test_from(9, 2);
	test_from(9, 3);
	test_to(9, 10);
	test_to(9, 11);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(3, rec.word[0]);
	EXPECT_EQ(10, rec.word[1]);
	EXPECT_FALSE(test_session_next(&self->s, &rec));
	test_counts(&read);
	EXPECT_EQ(1, read.out_opened);
	EXPECT_EQ(2, read.out_restarted);
	EXPECT_EQ(1, read.out_unmatched);
}

TEST_F(span, first_takes_the_first_begin)
{
	struct tap_span_read read;
	struct test_record rec;

	test_span(TAP_SPAN_FIRST, 64, OP_FROM, OP_TO);
	test_from(9, 1);
	test_from(9, 2);
	test_to(9, 10);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(1, rec.word[0]);
	EXPECT_FALSE(test_session_next(&self->s, &rec));
	test_counts(&read);
	EXPECT_EQ(1, read.out_restarted);
}

TEST_F(span, stack_ends_the_innermost)
{
	struct tap_span_read read;
	struct test_record rec;
	unsigned int i;

	/* More than a line of the table has room for, with others that share the lines. */
	test_span(TAP_SPAN_STACK, 1024, OP_FROM, OP_TO);
	for (i = 0; i < 20; i++) {
		test_from(9, i);
		test_from(1000 + i, i);
	}
	for (i = 20; i--;) {
		test_to(9, i);
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_EQ(i, rec.word[0]);
		EXPECT_EQ(i, rec.word[1]);
	}
	test_to(9, 0);
	EXPECT_FALSE(test_session_next(&self->s, &rec));
	test_counts(&read);
	EXPECT_EQ(40, read.out_opened);
	EXPECT_EQ(20, read.out_ended);
	EXPECT_EQ(20, read.out_open);
	EXPECT_EQ(0, read.out_restarted);
	EXPECT_EQ(0, read.out_cleared);
}

TEST_F(span, a_key_is_used_again_and_again)
{
	struct tap_span_read read;
	unsigned int i;

	test_span(TAP_SPAN_RESTART, 8, OP_FROM, OP_TO);
	for (i = 0; i < 500; i++) {
		test_from(i % 3, i);
		test_to(i % 3, i);
	}
	test_counts(&read);
	EXPECT_EQ(500, read.out_ended);
	EXPECT_EQ(0, read.out_open);
}

TEST_F(span, what_finds_no_room_is_counted)
{
	struct tap_span_read read;
	__u64 i;

	/* The smallest table: two lines of eight entries. */
	test_span(TAP_SPAN_RESTART, 1, OP_FROM, OP_TO);
	for (i = 0; i < 30; i++)
		test_from(i, i);
	test_counts(&read);
	EXPECT_EQ(16, read.out_opened);
	EXPECT_EQ(14, read.out_full);
	EXPECT_EQ(16, read.out_open);
	/* The open ones end, and leave room. */
	for (i = 0; i < 30; i++)
		test_to(i, i);
	test_counts(&read);
	EXPECT_EQ(16, read.out_ended);
	EXPECT_EQ(14, read.out_unmatched);
	for (i = 100; i < 116; i++)
		test_from(i, i);
	test_counts(&read);
	EXPECT_EQ(32, read.out_opened);
	EXPECT_EQ(14, read.out_full);
}

/* Fields are read at any offset, up to the end of the last of the 16 entries. */
TEST_F(span, the_last_bytes_of_each_entry_are_read)
{
	struct test_record rec;
	__u64 i;

	test_span(TAP_SPAN_RESTART, 1, OP(TAP_OP_FIELD, TAP_OP_OUT, 0, 4, WORDS + 20, 0));
	for (i = 0; i < 16; i++)
		test_from(i, 0);
	for (i = 0; i < 16; i++) {
		test_to(i, i << 32);
		ASSERT_TRUE(test_session_next(&self->s, &rec) && rec.word[0] == i);
	}
}

TEST_F(span, the_program_tests_the_pair)
{
	struct tap_span_read read;
	struct test_record rec;

	/* having to.value == 5 */
	test_span(TAP_SPAN_RESTART, 8,
		  OP(TAP_OP_FIELD, 0, 0, 8, WORDS + 16, 0),
		  OP_REJECT_IF(TAP_OP_JNE, 0, 5),
		  OP_DURATION, OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_DURATION, 0), OP_FROM);
	test_from(1, 10);
	test_to(1, 4);
	test_from(1, 11);
	test_to(1, 5);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(11, rec.word[2]);
	EXPECT_EQ(test_ticks_to_ns(&self->s, rec.word[0]), rec.word[1]);
	EXPECT_FALSE(test_session_next(&self->s, &rec));
	test_counts(&read);
	EXPECT_EQ(2, read.out_ended);
	EXPECT_EQ(1, test_counters(_metadata, &self->s, self->id).filtered);
	EXPECT_EQ(1, test_counters(_metadata, &self->s, self->id).written);
}

TEST_F(span, open_entries_can_be_read)
{
	const unsigned int head = sizeof(struct tap_span_event) / 8;
	struct tap_span_read read;
	__u64 words[3 * 64], seen = 0;
	unsigned int i, n = 0;
	__u64 key;

	test_span(TAP_SPAN_RESTART, 64, OP_FROM);
	for (key = 0; key < 10; key++)
		test_from(key, key * 100);
	test_to(3, 0);
	memset(&read, 0, sizeof(read));
	read.size = sizeof(read);
	read.id = self->id;
	read.words = (uintptr_t)words;
	read.nr_words = 2 * (head + 2);
	/* Two entries a call. */
	do {
		ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_SPAN, &read));
		ASSERT_EQ(head + 2, read.out_entry_words);
		ASSERT_GE(2, read.out_entries);
		EXPECT_EQ(9, read.out_open);
		for (i = 0; i < read.out_entries; i++) {
			const __u64 *entry = words + i * read.out_entry_words;
			const struct tap_span_event *event = (const void *)entry;

			ASSERT_GT(10, entry[head]);
			EXPECT_EQ(entry[head] * 100, entry[head + 1]);
			EXPECT_EQ((__u32)gettid(), event->from_tid);
			EXPECT_LT(0, event->duration);
			EXPECT_FALSE(seen & BIT(entry[head]));
			seen |= BIT(entry[head]);
			n++;
		}
		read.from = read.out_next;
	} while (read.out_next);
	EXPECT_EQ(9, n);
	EXPECT_EQ(0x3f7, seen);

	read.from = 1 << 20;
	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_SPAN, &read));
	read.from = 0;
	read.nr_words = head + 1;
	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_SPAN, &read));
	read.nr_words = head + 2;
	read.words = 0;
	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_SPAN, &read));
	read.words = TEST_NOT_OURS;
	EXPECT_ERRNO(EFAULT, ioctl(self->s.fd, TAP_IOC_SPAN, &read));
	EXPECT_ERRNO(ENODATA, read_span(self->s.fd, self->from, &read));
	EXPECT_ERRNO(ENOENT, read_span(self->s.fd, 999, &read));
}

/* Ends are counted by their values: the words of a span go into an aggregation. */
TEST_F(span, ends_can_be_aggregated)
{
	struct tap_span_table table = table_of(TAP_SPAN_RESTART, 64);
	struct tap_agg agg = { .kind = TAP_AGG_SUM, .word = 1 };
	struct tap_aggregate aggregate = {
		.size = sizeof(aggregate), .nr_keys = 1, .keys = { { .words = 1 } },
		.nr_aggs = 1, .entries = 16, .aggs = (uintptr_t)&agg, .agg_size = sizeof(agg),
	};
	const struct tap_op ops[] = { OP_FROM, OP_TO };
	struct tap_create create = test_create_arg(TAP_PROBE_SPAN, "test", ops, 2);
	struct tap_span_read read;
	__u64 words[64], sum = 0, count = 0;
	unsigned int cpu, i;

	create.span = (uintptr_t)&table;
	create.aggregate = (uintptr_t)&aggregate;
	ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	self->id = create.out_id;
	ASSERT_EQ(0, create_side(self->s.fd, &self->from, self->id, TAP_SIDE_FROM,
				 TAP_PROBE_MARK, OWN, OPS(OP_FIELD(0), OP_FIELD(8))));
	ASSERT_EQ(0, create_side(self->s.fd, &self->to, self->id, TAP_SIDE_TO,
				 TAP_PROBE_MARK, OWN, OPS(OP_FIELD(0), OP_FIELD(8))));
	test_ioctl_enable(0);
	for (i = 0; i < 6; i++) {
		test_from(i, 42);
		test_to(i, i);
	}
	for (cpu = 0; cpu < self->s.nr_rings; cpu++) {
		struct tap_read tables = {
			.size = sizeof(tables), .id = self->id, .cpu = cpu,
			.words = (uintptr_t)words, .nr_words = ARRAY_SIZE(words),
		};

		ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_READ, &tables));
		for (i = 0; i < tables.out_entries; i++) {
			EXPECT_EQ(42, words[i * tables.out_entry_words + 1]);
			count += words[i * tables.out_entry_words + 2];
			sum += words[i * tables.out_entry_words + 3];
		}
	}
	EXPECT_EQ(6, count);
	EXPECT_EQ(15, sum);
	test_counts(&read);
	EXPECT_EQ(6, test_counters(_metadata, &self->s, self->id).aggregated);
}

#define test_err_span(_errno, ...)					\
	({								\
		struct tap_span_table _t = table_of(TAP_SPAN_RESTART, 64);	\
		__u32 _id;						\
		__VA_ARGS__;						\
		EXPECT_ERRNO(_errno, create_span(self->s.fd, &_id, &_t, OPS(OP_KEY))); \
	})
#define test_err_side(_errno, span, side, type, target, ...)		\
	EXPECT_ERRNO(_errno, create_side(self->s.fd, NULL, span, side, type, target, \
					 OPS(__VA_ARGS__)))

TEST_F(span, what_does_not_fit_is_refused)
{
	struct tap_create create;
	struct tap_span_read read;
	__u32 mark;

	test_err_span(EINVAL, _t.size = 8);
	test_err_span(EINVAL, _t.flags = 1);
	test_err_span(EINVAL, _t.mode = 4);
	test_err_span(EINVAL, _t.mode = TAP_SPAN_CAPTURE, _t.to_words = 0);
	test_err_span(EINVAL, _t.mode = TAP_SPAN_CAPTURE, _t.nr_keys = 2);
	test_err_span(EINVAL, _t.mode = TAP_SPAN_CAPTURE, _t.nr_keys = 2, _t.to_words = 0,
		      _t.from_words = 0);
	test_err_span(EINVAL, _t.nr_keys = 0);
	test_err_span(EINVAL, _t.nr_keys = 64);
	test_err_span(EINVAL, _t.from_words = 64);
	test_err_span(EINVAL, _t.to_words = 64);
	test_err_span(EINVAL, _t.entries = 0);
	test_err_span(EINVAL, _t.entries = TAP_MAX_SPAN_ENTRIES + 1);
	test_err_span(EINVAL, _t.__reserved = 1);
	/* The program reads beyond the words of the table. */
	create = test_create_arg(TAP_PROBE_SPAN, "test", OPS(OP_FIELD(WORDS + 24)));
	{
		struct tap_span_table table = table_of(TAP_SPAN_RESTART, 64);

		create.span = (uintptr_t)&table;
		EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
		create.span = TEST_NOT_OURS;
		EXPECT_ERRNO(EFAULT, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
		create.span = 0;
		EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
		create = test_create_arg(TAP_PROBE_MARK, OWN, NULL, 0);
		create.span = (uintptr_t)&table;
		EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	}

	test_span(TAP_SPAN_RESTART, 64, OP_KEY);
	test_ioctl_create(&mark, TAP_PROBE_MARK, OWN, OP_FIELD(0));
	test_err_side(ENOENT, 999, TAP_SIDE_TO, TAP_PROBE_MARK, OWN, OP_FIELD(0), OP_FIELD(8));
	test_err_side(ENODATA, mark, TAP_SIDE_TO, TAP_PROBE_MARK, OWN, OP_FIELD(0), OP_FIELD(8));
	test_err_side(EINVAL, self->id, 0, TAP_PROBE_MARK, OWN, OP_FIELD(0), OP_FIELD(8));
	test_err_side(EINVAL, self->id, 3, TAP_PROBE_MARK, OWN, OP_FIELD(0), OP_FIELD(8));
	test_err_side(EINVAL, 0, TAP_SIDE_TO, TAP_PROBE_MARK, OWN, OP_FIELD(0), OP_FIELD(8));
	/* Too few words. */
	test_err_side(EINVAL, self->id, TAP_SIDE_TO, TAP_PROBE_MARK, OWN, OP_FIELD(0));
	create = test_create_arg(TAP_PROBE_MARK, OWN, OPS(OP_FIELD(0), OP_FIELD(8)));
	create.span_id = self->id;
	create.side = TAP_SIDE_TO;
	create.flags = TAP_CREATE_F_COUNT;
	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_CREATE, &create));

	/* Records are of sides alone, whose program ends with the words of the name. */
	create.flags = TAP_CREATE_F_RECORD;
	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	create.span_id = 0;
	create.side = 0;
	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_CREATE, &create));

	/* A span with sides stays. */
	test_err_ioctl_delete(EBUSY, self->id);
	test_ioctl_delete(self->from);
	test_err_ioctl_delete(EBUSY, self->id);
	test_ioctl_delete(self->to);
	test_ioctl_delete(self->id);
	EXPECT_ERRNO(ENOENT, read_span(self->s.fd, self->id, &read));
}

/* A side of the kernel, whose key is behind a pointer that cannot be followed. */
TEST_F(span, an_absent_key_is_a_loss)
{
	struct tap_span_table table = table_of(TAP_SPAN_RESTART, 64);
	struct tap_counters c;
	int target;

	test_need_target();
	table.from_words = 0;
	ASSERT_EQ(0, create_span(self->s.fd, &self->id, &table, OPS(OP_KEY)));
	ASSERT_EQ(0, create_side(self->s.fd, &self->from, self->id, TAP_SIDE_FROM,
				 TAP_PROBE_KPROBE, "tap_target_add",
				 OPS(OP(TAP_OP_IMM, 0, 0, 8, 0, 16),
				     OP(TAP_OP_LOAD, TAP_OP_OUT, 0, 8, 0, 0))));
	test_ioctl_enable(0);
	target = open(TAP_TARGET_DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, target);
	ASSERT_EQ(0, _test_target(target, TAP_TARGET_CALL, TAP_TARGET_ADD, 5, 0, NULL));
	close(target);
	test_ioctl_disable(0);
	c = test_counters(_metadata, &self->s, self->from);
	EXPECT_EQ(5, c.hits);
	EXPECT_EQ(5, c.lost_fault);
	EXPECT_EQ(0, c.aggregated);
}

/* The key of a call is its return value; a mark ends it. */
TEST_F(span, a_call_opens_by_what_it_returns)
{
	struct tap_span_table table = table_of(TAP_SPAN_RESTART, 64);
	struct test_record rec;
	__u64 result;
	int target;

	test_need_target();
	ASSERT_EQ(0, create_span(self->s.fd, &self->id, &table, OPS(OP_KEY, OP_FROM, OP_TO)));
	/* The argument is read at the entry, and repeated behind the key. */
	ASSERT_EQ(0, create_side(self->s.fd, &self->from, self->id, TAP_SIDE_FROM,
				 TAP_PROBE_CALL, "tap_target_add",
				 OPS(OP_ARG(0), OP(TAP_OP_RETURN, 0, 0, 0, 0, 0), OP_RETVAL,
				     OP(TAP_OP_WORD, TAP_OP_OUT, 0, 8, TAP_CALL_FETCHES, 0))));
	ASSERT_EQ(0, create_side(self->s.fd, &self->to, self->id, TAP_SIDE_TO,
				 TAP_PROBE_MARK, OWN, OPS(OP_FIELD(0), OP_FIELD(8))));
	test_ioctl_enable(0);
	target = open(TAP_TARGET_DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, target);
	ASSERT_EQ(0, _test_target(target, TAP_TARGET_CALL, TAP_TARGET_ADD, 1, 0, &result));
	close(target);
	test_to(result, 8);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(result, rec.word[0]);
	EXPECT_EQ(8, rec.word[2]);
}

/* Keys are compared as they are, whatever the opener may see of them. */
TEST_F(span, addresses_are_keys_without_being_seen)
{
	const __u64 address = 0xffff888012345678ULL;
	const unsigned int head = sizeof(struct tap_span_event) / 8;
	struct tap_span_read read;
	struct test_record rec;
	__u64 words[64], value;
	int status;
	pid_t pid;

	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		ASSERT_EQ(0, test_keep_caps(BIT(CAP_PERFMON) | BIT(CAP_SYS_ADMIN)));
		test_session_close(&self->s);
		test_session_open(_metadata, &self->s, 1 << 16);
		test_span(TAP_SPAN_RESTART, 64, OP_KEY, OP_FROM);
		test_from(address, 1);
		test_from(address + 8, 2);
		test_to(address + 8, 3);
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_EQ(0, rec.word[0]);
		EXPECT_EQ(2, rec.word[1]);
		EXPECT_TRUE(rec.flags & TAP_F_REDACTED);
		EXPECT_FALSE(test_session_next(&self->s, &rec));
		memset(&read, 0, sizeof(read));
		read.size = sizeof(read);
		read.id = self->id;
		read.words = (uintptr_t)words;
		read.nr_words = ARRAY_SIZE(words);
		ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_SPAN, &read));
		ASSERT_EQ(1, read.out_entries);
		EXPECT_EQ(0, words[head]);
		EXPECT_EQ(1, words[head + 1]);
		/* The same with records of the sides. */
		test_ioctl_disable(0);
		test_recorded_span(TAP_SPAN_RESTART, OP_KEY);
		test_from(address, 1);
		test_to(address + 8, 2);
		for (value = 1; value <= 2; value++) {
			ASSERT_TRUE(test_session_next(&self->s, &rec));
			EXPECT_EQ(0, rec.word[0]);
			EXPECT_EQ(value, rec.word[1]);
			EXPECT_TRUE(rec.flags & TAP_F_REDACTED);
		}
		EXPECT_FALSE(test_session_next(&self->s, &rec));
		_exit(_metadata->exit_code != KSFT_PASS);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

#define RACE_MARKS	3000

/* Captures: the table, its side, and a probe that looks a value up. */

static const struct tap_op capture_side[] = {
	OP_FIELD(0), OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_TASK, 0), OP_FIELD(8),
};

static const struct tap_op capture_look[] = {
	OP(TAP_OP_FIELD, 0, 0, 8, 0, 0), OP(TAP_OP_CAPTURED, TAP_OP_OUT, 0, 8, 0, 0),
};

static int create_look(int fd, __u32 *id, __u32 capture, const struct tap_op *ops, __u32 nr)
{
	struct tap_create create = test_create_arg(TAP_PROBE_MARK, OWN, ops, nr);
	int ret;

	create.capture_id = capture;
	ret = ioctl(fd, TAP_IOC_CREATE, &create);
	if (!ret)
		*id = create.out_id;
	return ret;
}

/* self->to looks into the capture self->id of the side self->from, which has the given program. */
#define test_capture_of(_entries, _type, _target, _ops, _nr)		\
	({								\
		struct tap_span_table _table = table_of(TAP_SPAN_CAPTURE, _entries); \
		_table.nr_keys = 2;					\
		_table.to_words = 0;					\
		ASSERT_EQ(0, create_span(self->s.fd, &self->id, &_table, NULL, 0)); \
		ASSERT_EQ(0, create_side(self->s.fd, &self->from, self->id, TAP_SIDE_FROM, \
					 _type, _target, _ops, _nr));	\
		ASSERT_EQ(0, create_look(self->s.fd, &self->to, self->id, capture_look, \
					 ARRAY_SIZE(capture_look)));	\
		test_ioctl_enable(0);					\
	})
#define test_capture(_entries)						\
	test_capture_of(_entries, TAP_PROBE_MARK, OWN, capture_side, ARRAY_SIZE(capture_side))

/* Looks the value of a frame up; it must be @_value, or absent. */
#define test_look(_frame, _value)					\
	({								\
		struct test_record _rec;				\
		test_to(_frame, 0);					\
		ASSERT_TRUE(test_session_next(&self->s, &_rec));	\
		EXPECT_FALSE(_rec.flags & TAP_F_ABSENT);		\
		EXPECT_EQ((__u64)(_value), _rec.word[0]);		\
	})
#define test_look_none(_frame)						\
	({								\
		struct test_record _rec;				\
		test_to(_frame, 0);					\
		ASSERT_TRUE(test_session_next(&self->s, &_rec));	\
		EXPECT_TRUE(_rec.flags & TAP_F_ABSENT);			\
		EXPECT_EQ(0, _rec.word[0]);				\
	})

TEST_F(span, a_capture_has_the_last_entry_of_each_frame)
{
	struct tap_span_read read;
	__u64 i;

	test_capture(64);
	test_look_none(77);
	test_from(77, 1);
	test_look(77, 1);
	test_look(77, 1);
	test_look_none(78);
	/* A frame inside another one, and the same frame again. */
	test_from(78, 2);
	test_look(78, 2);
	test_look(77, 1);
	test_from(77, 3);
	test_look(77, 3);
	for (i = 100; i < 150; i++)
		test_from(i, 10 * i);
	for (i = 100; i < 150; i++)
		test_look(i, 10 * i);
	test_look(77, 3);
	ASSERT_EQ(0, read_span(self->s.fd, self->id, &read));
	EXPECT_EQ(52, read.out_opened);
	EXPECT_EQ(1, read.out_restarted);
	EXPECT_EQ(52, read.out_open);
	EXPECT_EQ(2, read.out_unmatched);
	EXPECT_EQ(0, read.out_full + read.out_busy + read.out_cleared + read.out_ended);
}

struct other_task {
	int fd;
	__u32 from;
	__u32 to;
};

static void *write_other(void *arg)
{
	const struct other_task *other = arg;

	write_mark(other->fd, other->to, 77, 0);
	write_mark(other->fd, other->from, 77, 2);
	write_mark(other->fd, other->to, 77, 0);
	return NULL;
}

/* Another task has the same frame: programs have such, in two processes. */
TEST_F(span, a_capture_tells_tasks_apart)
{
	struct other_task other;
	struct test_record rec;
	pthread_t thread;

	test_capture(64);
	test_from(77, 1);
	other = (struct other_task) { self->s.fd, self->from, self->to };
	ASSERT_EQ(0, pthread_create(&thread, NULL, write_other, &other));
	pthread_join(thread, NULL);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_TRUE(rec.flags & TAP_F_ABSENT);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(2, rec.word[0]);
	test_look(77, 1);
}

/* The table has 32 places, and a key may be in any of them. */
TEST_F(span, a_full_capture_drops_the_oldest)
{
	struct tap_span_read read;
	__u64 i;

	test_capture(16);
	for (i = 0; i < 100; i++)
		test_from(i, i);
	for (i = 0; i < 68; i++)
		test_look_none(i);
	for (; i < 100; i++)
		test_look(i, i);
	ASSERT_EQ(0, read_span(self->s.fd, self->id, &read));
	EXPECT_EQ(100, read.out_opened);
	EXPECT_EQ(68, read.out_cleared);
	EXPECT_EQ(32, read.out_open);
	EXPECT_EQ(68, read.out_unmatched);
}

/* What was there before its side was disabled may be of a frame that is gone. */
TEST_F(span, a_capture_that_was_disabled_begins_anew)
{
	test_capture(64);
	test_from(77, 1);
	test_look(77, 1);
	test_ioctl_disable(self->from);
	test_look_none(77);
	test_ioctl_enable(self->from);
	test_look_none(77);
	test_from(77, 2);
	test_look(77, 2);
}

#if defined(__x86_64__)
/*
 * The side is a function that the handler of another kprobe calls, too: the kernel misses that
 * call, and the entry of the call before it is not that of the frame any more.
 */
TEST_F(span, a_missed_entry_makes_values_absent)
{
	const struct tap_op side[] = {
		OP(TAP_OP_IMM, TAP_OP_OUT, 0, 8, 0, 77),
		OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_TASK, 0),
		OP(TAP_OP_IMM, TAP_OP_OUT, 0, 8, 0, 4711),
	};
	struct tap_probe_info info;
	struct tap_stats stats;
	struct test_record rec;
	__u32 caller, nested;
	int target;

	test_need_target();
	test_capture_of(64, TAP_PROBE_KPROBE, "copy_from_kernel_nofault", side, ARRAY_SIZE(side));
	test_ioctl_probe_info(self->from, NULL, 0, &info);
	test_ioctl_create(&caller, TAP_PROBE_MARK, OWN, OP(TAP_OP_IMM, 1, 0, 8, 0, info.out_address),
			  OP(TAP_OP_STRING, TAP_OP_OUT, 1, 0, 0, 8));
	test_ioctl_create(&nested, TAP_PROBE_KPROBE, "tap_target_add",
			  OP(TAP_OP_IMM, 1, 0, 8, 0, info.out_address),
			  OP(TAP_OP_STRING, TAP_OP_OUT, 1, 0, 0, 8));
	test_ioctl_enable(0);
	ASSERT_EQ(0, write_mark(self->s.fd, caller, 0, 0));
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	test_look(77, 4711);
	target = open(TAP_TARGET_DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, target);
	ASSERT_EQ(0, _test_target(target, TAP_TARGET_CALL, TAP_TARGET_ADD, 1, 0, NULL));
	close(target);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	test_ioctl_stats(self->from, NULL, 0, &stats);
	EXPECT_LE(1, stats.out_nmissed);
	test_look_none(77);
	ASSERT_EQ(0, write_mark(self->s.fd, caller, 0, 0));
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	test_look(77, 4711);
}
#endif

TEST_F(span, what_is_no_capture_is_refused)
{
	struct tap_op op = OP(TAP_OP_CAPTURED, TAP_OP_OUT, 0, 8, 0, 0);
	__u32 id;

	test_capture(64);
	EXPECT_ERRNO(ENOENT, create_look(self->s.fd, &id, 999, &op, 1));
	EXPECT_ERRNO(ENODATA, create_look(self->s.fd, &id, self->from, &op, 1));
	/* The program has no table, or reads beyond its values. */
	EXPECT_ERRNO(EOPNOTSUPP, create_look(self->s.fd, &id, 0, &op, 1));
	op.off = 1;
	EXPECT_ERRNO(EINVAL, create_look(self->s.fd, &id, self->id, &op, 1));
	op.off = -1;
	EXPECT_ERRNO(EINVAL, create_look(self->s.fd, &id, self->id, &op, 1));
	/* One side, of the types that can be. */
	EXPECT_ERRNO(EEXIST, create_side(self->s.fd, NULL, self->id, TAP_SIDE_FROM, TAP_PROBE_MARK,
					 OWN, capture_side, ARRAY_SIZE(capture_side)));
	EXPECT_ERRNO(EOPNOTSUPP, create_side(self->s.fd, NULL, self->id, TAP_SIDE_TO,
					     TAP_PROBE_MARK, OWN, capture_side, 2));
	/* The side and the table stay as long as somebody looks into it. */
	test_err_ioctl_delete(EBUSY, self->from);
	test_err_ioctl_delete(EBUSY, self->id);
	test_ioctl_delete(self->to);
	test_err_ioctl_delete(EBUSY, self->id);
	test_ioctl_delete(self->from);
	EXPECT_ERRNO(EOPNOTSUPP, create_side(self->s.fd, NULL, self->id, TAP_SIDE_FROM,
					     TAP_PROBE_KRETPROBE, "vfs_read", capture_side, 3));
	test_ioctl_delete(self->id);
	/* A span of another mode. */
	test_span(TAP_SPAN_RESTART, 64, OP_KEY);
	op.off = 0;
	EXPECT_ERRNO(ENODATA, create_look(self->s.fd, &id, self->id, &op, 1));
}

struct capture_racer {
	pthread_t thread;
	int fd;
	__u32 from;
	__u32 to;
	__u64 id;
};

/* Each thread has more frames than the table, which its last one survives or not. */
static void *capture_race(void *arg)
{
	struct capture_racer *r = arg;
	unsigned int i;

	for (i = 0; i < RACE_MARKS; i++) {
		write_mark(r->fd, r->from, i % 40, r->id << 32 | i % 40);
		write_mark(r->fd, r->to, i % 40, 0);
	}
	return NULL;
}

/* Tasks on all CPUs whose entries replace each other: a value is that of the frame, or absent. */
TEST_F(span, a_capture_is_never_wrong_in_races)
{
	unsigned int nr = sysconf(_SC_NPROCESSORS_ONLN), i, seen = 0;
	struct capture_racer racers[16];
	struct tap_span_read read;
	struct test_record rec;
	const struct tap_op look[] = {
		OP(TAP_OP_FIELD, 0, 0, 8, 0, 0), OP(TAP_OP_MOVE, TAP_OP_OUT, 0, 8, 0, 0),
		OP(TAP_OP_CAPTURED, TAP_OP_OUT, 0, 8, 0, 0),
	};

	test_need_cpus(2);
	if (nr > 16)
		nr = 16;
	test_capture(16);
	test_ioctl_delete(self->to);
	ASSERT_EQ(0, create_look(self->s.fd, &self->to, self->id, look, ARRAY_SIZE(look)));
	test_ioctl_enable(0);
	for (i = 0; i < nr; i++) {
		racers[i] = (struct capture_racer) {
			.fd = self->s.fd, .from = self->from, .to = self->to, .id = i,
		};
		ASSERT_EQ(0, pthread_create(&racers[i].thread, NULL, capture_race, &racers[i]));
	}
	for (i = 0; i < nr; i++)
		pthread_join(racers[i].thread, NULL);
	test_ioctl_disable(0);
	while (test_session_next(&self->s, &rec)) {
		if (rec.probe != self->to || rec.flags & TAP_F_ABSENT)
			continue;
		seen++;
		EXPECT_EQ(rec.word[0], rec.word[1] & 0xffffffff);
	}
	EXPECT_LT(0, seen);
	ASSERT_EQ(0, read_span(self->s.fd, self->id, &read));
	EXPECT_EQ(nr * RACE_MARKS, read.out_opened + read.out_restarted + read.out_busy);
	EXPECT_EQ(read.out_opened, read.out_cleared + read.out_open);
	EXPECT_EQ(0, read.out_full);
}

struct racer {
	pthread_t thread;
	int fd;
	__u32 from;
	__u32 to;
	unsigned int cpu;
	__u64 seed;
};

static void *race(void *arg)
{
	struct racer *r = arg;
	unsigned int i;

	test_pin(r->cpu);
	for (i = 0; i < RACE_MARKS; i++) {
		r->seed = r->seed * 6364136223846793005ULL + 1442695040888963407ULL;
		write_mark(r->fd, r->seed >> 63 ? r->from : r->to, (r->seed >> 40) % 5, i);
	}
	return NULL;
}

/* CPUs that open and end the same few keys: whatever happens, it is counted. */
TEST_F(span, races_are_counted)
{
	static const __u16 modes[] = { TAP_SPAN_RESTART, TAP_SPAN_FIRST, TAP_SPAN_STACK };
	unsigned int nr = sysconf(_SC_NPROCESSORS_ONLN), i, m;
	struct racer racers[16];
	struct tap_span_read read;

	test_need_cpus(2);
	if (nr > 16)
		nr = 16;
	for (m = 0; m < ARRAY_SIZE(modes); m++) {
		test_span(modes[m], 16, OP_FROM);
		for (i = 0; i < nr; i++) {
			racers[i] = (struct racer) {
				.fd = self->s.fd, .from = self->from, .to = self->to, .cpu = i,
				.seed = 77 * i + m,
			};
			ASSERT_EQ(0, pthread_create(&racers[i].thread, NULL, race, &racers[i]));
		}
		for (i = 0; i < nr; i++)
			pthread_join(racers[i].thread, NULL);
		test_ioctl_disable(0);
		test_counts(&read);
		EXPECT_EQ(nr * RACE_MARKS, read.out_opened + read.out_restarted + read.out_full +
			  read.out_busy + read.out_ended + read.out_unmatched);
		test_ioctl_delete(self->from);
		test_ioctl_delete(self->to);
		test_ioctl_delete(self->id);
	}
}

TEST_HARNESS_MAIN

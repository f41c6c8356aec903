// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the table of stacks: an id stands for one stack, from whichever context and CPU, and
 * every event has an id, or is counted.
 */
#include "selftests/module/stack_harness.h"

#define INNER		"tap_target_inner"
#define ADD		"tap_target_add"

#define OP_KSTACK_ID	OP(TAP_OP_KSTACK, TAP_OP_OUT, 0, 8, 0, 8 * TAP_MAX_STACK)
#define OP_USTACK_ID	OP(TAP_OP_USTACK, TAP_OP_OUT, 0, 8, 0, 8 * TAP_MAX_STACK)

/* Calls of a program whose stack differs in each of these bits. */
#define BITS		9
#define STACKS		(1U << BITS)
/* How often each thread makes each of them. */
#define ROUNDS		4

#define MAX_ROWS	4096
/* More frames than the stacks of a record have. */
#define WHOLE		16

FIXTURE(stacks)
{
	struct test_session s;
	int target;
};

FIXTURE_SETUP(stacks)
{
	test_setup();
	test_session_open(_metadata, &self->s, 1 << 18);
}

FIXTURE_TEARDOWN(stacks)
{
	test_teardown();
}

static int make_table(int fd, __u32 entries, __u32 words)
{
	const struct tap_stack_table table = {
		.size = sizeof(table), .entries = entries, .words = words,
	};

	return ioctl(fd, TAP_IOC_STACKS, &table);
}

static int read_stack(int fd, __u64 id, __u64 *words, __u32 nr, struct tap_stack_read *read)
{
	*read = (struct tap_stack_read) {
		.size = sizeof(*read), .id = id, .words = (uintptr_t)words, .nr_words = nr,
	};
	return ioctl(fd, TAP_IOC_STACK, read);
}

/* A probe that counts its events by the one word of its program. */
#define test_create_rows(_id, _type, _target, ...)			\
	({								\
		struct tap_aggregate _how = {				\
			.size = sizeof(_how), .nr_keys = 1,		\
			.keys = { { .words = 1 } }, .entries = MAX_ROWS, \
		};							\
		struct tap_create _create =				\
			test_create_arg(_type, _target, OPS(__VA_ARGS__)); \
		_create.aggregate = (uintptr_t)&_how;			\
		ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_CREATE, &_create)); \
		*(_id) = _create.out_id;				\
	})

/**
 * struct row - a stack, with the events of all its ids
 * @words: of the stack
 * @nr: number of @words; 0: the row of TAP_STACK_NO_ROOM, or of no stack
 * @ids: how many ids it has
 * @count: events
 */
struct row {
	__u64 words[1 + TAP_MAX_STACK];
	__u32 nr;
	unsigned int ids;
	__u64 count;
};

/* The rows of a probe, as a reader makes them: by the frames. */
static struct rows {
	struct row row[MAX_ROWS];
	unsigned int nr;
	__u64 seen[4 * MAX_ROWS];
	unsigned int nr_seen;
	__u64 sum;
	__u64 no_room;
	__u64 none;
} rows;

static bool add_row(const struct test_session *s, __u64 id, __u64 count)
{
	__u64 words[1 + TAP_MAX_STACK];
	struct tap_stack_read read;
	struct row *row = rows.row;
	unsigned int i;

	rows.sum += count;
	if (!id)
		rows.none += count;
	if (id == TAP_STACK_NO_ROOM)
		rows.no_room += count;
	if (id <= TAP_STACK_NO_ROOM)
		return true;
	if (read_stack(s->fd, id, words, ARRAY_SIZE(words), &read))
		return false;
	for (i = 0; i < rows.nr; i++, row++)
		if (row->nr == read.out_nr_words && !memcmp(row->words, words, row->nr * 8))
			break;
	if (i == MAX_ROWS)
		return false;
	if (i == rows.nr) {
		*row = (struct row) { .nr = read.out_nr_words };
		memcpy(row->words, words, row->nr * 8);
		rows.nr++;
	}
	for (i = 0; i < rows.nr_seen && rows.seen[i] != id; i++)
		;
	if (i == rows.nr_seen && i < ARRAY_SIZE(rows.seen)) {
		rows.seen[rows.nr_seen++] = id;
		row->ids++;
	}
	row->count += count;
	return true;
}

static void read_rows(struct __test_metadata *_metadata, const struct test_session *s, __u32 id)
{
	static __u64 words[3 * (MAX_ROWS + 1)];
	unsigned int cpu, i;

	memset(&rows, 0, sizeof(rows));
	for (cpu = 0; cpu < s->nr_rings; cpu++) {
		struct tap_read read = {
			.size = sizeof(read), .id = id, .cpu = cpu,
			.words = (uintptr_t)words, .nr_words = ARRAY_SIZE(words),
		};

		ASSERT_EQ(0, ioctl(s->fd, TAP_IOC_READ, &read));
		ASSERT_EQ(0, read.out_next);
		for (i = 0; i < read.out_entries; i++)
			ASSERT_TRUE(add_row(s, words[3 * i + 1], words[3 * i + 2]))
				TH_LOG("id %llu: %s", words[3 * i + 1], strerror(errno));
	}
}

#define test_counts(_read)	ASSERT_EQ(0, read_stack(self->s.fd, 0, NULL, 0, _read))

TEST_F(stacks, must_be_asked_for_rightly)
{
	struct tap_stack_read read;
	__u64 words[2] = { 0 };

	/* Without a table. */
	test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, INNER, OP_KSTACK_ID);
	EXPECT_ERRNO(ENODATA, read_stack(self->s.fd, 0, NULL, 0, &read));
	EXPECT_ERRNO(EINVAL, make_table(self->s.fd, 0, 0));
	EXPECT_ERRNO(EINVAL, make_table(self->s.fd, TAP_MAX_STACKS + 1, 0));
	EXPECT_ERRNO(EINVAL, make_table(self->s.fd, 1, TAP_MAX_STACK_WORDS + 1));
	ASSERT_EQ(0, make_table(self->s.fd, 16, 0));
	EXPECT_ERRNO(EBUSY, make_table(self->s.fd, 16, 0));

	test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, INNER,
			      OP(TAP_OP_KSTACK, TAP_OP_OUT, 0, 4, 0, 8));
	test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, INNER,
			      OP(TAP_OP_KSTACK, TAP_OP_OUT, 0, 8 | TAP_OP_SIGNED, 0, 8));
	test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, INNER,
			      OP(TAP_OP_KSTACK, 0, 0, 8, 0, 8));
	test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, INNER,
			      OP(TAP_OP_USTACK, TAP_OP_OUT, 0, 8, 0, 8 * 128));

	ASSERT_EQ(0, read_stack(self->s.fd, 0, NULL, 0, &read));
	EXPECT_EQ(0, read.out_stored);
	EXPECT_EQ(0, read.out_words);
	EXPECT_EQ(0, read.out_no_room);
	EXPECT_ERRNO(ENOENT, read_stack(self->s.fd, TAP_STACK_NO_ROOM, words, 2, &read));
	EXPECT_ERRNO(ENOENT, read_stack(self->s.fd, 2, words, 2, &read));
	EXPECT_ERRNO(ENOENT, read_stack(self->s.fd, 16 * 32 + 2, words, 2, &read));
	EXPECT_ERRNO(ENOENT, read_stack(self->s.fd, -1ULL, words, 2, &read));
	EXPECT_ERRNO(EINVAL, read_stack(self->s.fd, 2, words, 0, &read));
	EXPECT_ERRNO(EINVAL, read_stack(self->s.fd, 2, NULL, 2, &read));
}

/* The stack of an id, and that in a record. */
static void expect_stack(struct __test_metadata *_metadata, int fd, __u64 id,
			 const __u64 *stack, struct tap_stack_read *read)
{
	__u64 words[1 + TAP_MAX_STACK];

	ASSERT_LT(TAP_STACK_NO_ROOM, id);
	ASSERT_EQ(0, read_stack(fd, id, words, ARRAY_SIZE(words), read));
	ASSERT_EQ(1 + (stack[0] & TAP_TEXT_LEN) / 8, read->out_nr_words);
	EXPECT_LT(3, read->out_nr_words);
	EXPECT_EQ(0, memcmp(words, stack, read->out_nr_words * 8));
}

/* A record has the stack twice: by its id, and whole. A stack that is cut is another one. */
TEST_F(stacks, are_what_a_record_has)
{
	__u64 words[1 + TAP_MAX_STACK], kid = 0, uid = 0, cut = 0, end;
	struct tap_stack_read read;
	struct test_record rec;
	__u32 kernel, user;
	unsigned int i;

	ASSERT_EQ(0, make_table(self->s.fd, 16, 0));
	test_ioctl_create(&kernel, TAP_PROBE_KPROBE, INNER, OP_KSTACK_ID, OP_KSTACK(WHOLE),
			  OP(TAP_OP_KSTACK, TAP_OP_OUT, 0, 8, 0, 8 * 2), OP_ARG(0));
	test_ioctl_create(&user, TAP_PROBE_KPROBE, INNER, OP_USTACK_ID, OP_USTACK(WHOLE));
	test_ioctl_enable(0);
	test_target_call(TAP_TARGET_CHAIN, 3);
	for (i = 0; i < 6; i++) {
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		expect_stack(_metadata, self->s.fd, rec.word[0], rec.word + 1, &read);
		if (rec.probe == user) {
			EXPECT_TRUE(!uid || uid == rec.word[0]);
			uid = rec.word[0];
			continue;
		}
		EXPECT_TRUE(rec.flags & TAP_F_TRUNCATED);
		EXPECT_TRUE(!kid || kid == rec.word[0]);
		kid = rec.word[0];
		cut = rec.word[2 + WHOLE];
		ASSERT_EQ(0, read_stack(self->s.fd, cut, words, ARRAY_SIZE(words), &read));
		EXPECT_EQ(3, read.out_nr_words);
		EXPECT_EQ(16 | TAP_TEXT_TRUNCATED, words[0]);
		EXPECT_EQ(0, memcmp(words + 1, rec.word + 2, 16));
	}
	EXPECT_TRUE(kid != uid && cut != kid && uid != cut);
	EXPECT_EQ(3, read.out_stored);
	EXPECT_EQ(0, read.out_no_room);
	/* A reader with less room. */
	words[1] = 77;
	ASSERT_EQ(0, read_stack(self->s.fd, kid, words, 1, &read));
	EXPECT_LT(3, read.out_nr_words);
	EXPECT_EQ(77, words[1]);
	end = TAP_STACK_NO_ROOM + 1 + read.out_words;
	/* A word in a stack, and what is behind the last one, are none. */
	EXPECT_ERRNO(ENOENT, read_stack(self->s.fd, kid + 1, words, 1, &read));
	EXPECT_ERRNO(ENOENT, read_stack(self->s.fd, end, words, 1, &read));
	EXPECT_ERRNO(EFAULT, read_stack(self->s.fd, kid, (void *)TEST_NOT_OURS, 1, &read));
}

/* A task without a program, and an opener who may not see addresses. */
TEST_F(stacks, that_are_absent_have_the_id_0)
{
	struct tap_stack_read read;
	struct test_session s;
	struct test_record rec;
	__u32 id;

	ASSERT_EQ(0, make_table(self->s.fd, 16, 0));
	test_ioctl_create(&id, TAP_PROBE_RAWTP, "sched_switch",
			  OP(TAP_OP_VAR, 0, 0, 8, TAP_VAR_TID, 0),
			  OP_REJECT_IF(TAP_OP_JNE, 0, 0), OP_USTACK_ID);
	test_ioctl_enable(id);
	usleep(100000);
	test_ioctl_disable(id);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(0, rec.word[0]);
	EXPECT_TRUE(rec.flags & TAP_F_ABSENT);
	ASSERT_EQ(0, read_stack(self->s.fd, 0, NULL, 0, &read));
	EXPECT_EQ(0, read.out_stored);

	ASSERT_EQ(0, test_keep_caps(BIT(CAP_DAC_OVERRIDE) | BIT(CAP_PERFMON)));
	test_session_open(_metadata, &s, 65536);
	ASSERT_EQ(0, make_table(s.fd, 16, 0));
	ASSERT_EQ(0, _test_ioctl_create(s.fd, NULL, TAP_PROBE_KPROBE, INNER,
					OPS(OP_KSTACK_ID, OP_USTACK_ID)));
	ASSERT_EQ(0, _test_ioctl_enable(s.fd, 0));
	test_target_call(TAP_TARGET_CHAIN, 1);
	ASSERT_TRUE(test_session_next(&s, &rec));
	EXPECT_EQ(TAP_F_REDACTED | TAP_F_ABSENT, rec.flags & (TAP_F_REDACTED | TAP_F_ABSENT));
	EXPECT_EQ(0, rec.word[0]);
	EXPECT_LT(TAP_STACK_NO_ROOM, rec.word[1]);
	test_session_close(&s);
}

/* A function that calls itself: at each depth the stack is another one. */
TEST_F(stacks, of_several_contexts_add_up)
{
	const unsigned int depth = TAP_TARGET_MAX_DEPTH;
	struct tap_stack_read read;
	unsigned int i, frames = 0;
	__u32 deep, chain;

	ASSERT_EQ(0, make_table(self->s.fd, 256, 0));
	test_create_rows(&deep, TAP_PROBE_KPROBE, "tap_target_recurse", OP_KSTACK_ID);
	test_create_rows(&chain, TAP_PROBE_KPROBE, INNER, OP_KSTACK_ID);
	test_ioctl_enable(0);
	for (i = 0; i < 3; i++) {
		struct tap_target_run run = {
			.function = TAP_TARGET_CHAIN, .count = 5 + i, .arg = { i },
		};

		test_target_call(TAP_TARGET_RECURSE, depth);
		ASSERT_EQ(0, ioctl(self->target, TAP_TARGET_CALL, &run));
	}
	test_ioctl_disable(0);
	read_rows(_metadata, &self->s, deep);
	EXPECT_EQ(3 * (depth + 1), rows.sum);
	EXPECT_EQ(rows.sum, test_counters(_metadata, &self->s, deep).hits);
	EXPECT_EQ(depth + 1, rows.nr);
	for (i = 0; i < rows.nr; i++) {
		EXPECT_EQ(3, rows.row[i].count);
		if (rows.row[i].nr > frames)
			frames = rows.row[i].nr;
	}
	EXPECT_LT(depth + 3, frames);
	/* Softirqs and hard interrupts; they interrupt different places. */
	read_rows(_metadata, &self->s, chain);
	EXPECT_EQ(5 + 6 + 7, rows.sum);
	EXPECT_LE(3, rows.nr);
	EXPECT_EQ(0, rows.none + rows.no_room);
	test_counts(&read);
	EXPECT_EQ(0, read.out_no_room);
	EXPECT_LE(depth + 1 + rows.nr, read.out_stored);
}

/* ------------------------------------------------- many stacks of a program */

#define FUNCTION	static __attribute__((noinline, noclone, used))

/**
 * struct walk - calls along all paths of two functions
 * @target: the target module
 * @path: the path: bit n is the function at depth n
 * @failed: a call failed
 */
struct walk {
	int target;
	unsigned int path;
	bool failed;
};

FUNCTION void walk_one(struct walk *walk, unsigned int depth);

FUNCTION void walk_zero(struct walk *walk, unsigned int depth)
{
	struct tap_target_run run = { .function = TAP_TARGET_ADD, .count = 1 };

	if (depth == BITS)
		walk->failed |= ioctl(walk->target, TAP_TARGET_CALL, &run);
	else if (walk->path >> depth & 1)
		walk_one(walk, depth + 1);
	else
		walk_zero(walk, depth + 1);
	asm volatile("" : : : "memory");
}

FUNCTION void walk_one(struct walk *walk, unsigned int depth)
{
	if (depth == BITS || !(walk->path >> depth & 1))
		walk_zero(walk, depth + (depth < BITS));
	else
		walk_one(walk, depth + 1);
	asm volatile("" : : : "memory");
}

struct walker {
	pthread_t thread;
	unsigned int cpu;
	struct walk walk;
};

static void *walk_all(void *arg)
{
	struct walker *w = arg;
	unsigned int i;

	test_pin(w->cpu);
	for (i = 0; i < ROUNDS * STACKS; i++) {
		w->walk.path = i % STACKS;
		walk_zero(&w->walk, 0);
	}
	return NULL;
}

static void walk_on_cpus(struct __test_metadata *_metadata, int target, unsigned int nr)
{
	struct walker walkers[2] = { 0 };
	unsigned int i;

	ASSERT_GE(ARRAY_SIZE(walkers), nr);
	for (i = 0; i < nr; i++) {
		walkers[i].cpu = i % (unsigned int)sysconf(_SC_NPROCESSORS_ONLN);
		walkers[i].walk.target = target;
		ASSERT_EQ(0, pthread_create(&walkers[i].thread, NULL, walk_all, &walkers[i]));
	}
	for (i = 0; i < nr; i++) {
		pthread_join(walkers[i].thread, NULL);
		EXPECT_FALSE(walkers[i].walk.failed);
	}
}

/* Counts the calls of two CPUs along all paths by their stack; returns the probe. */
static __u32 walk_rows(struct __test_metadata *_metadata, FIXTURE_DATA(stacks) *self)
{
	__u32 id;

	test_create_rows(&id, TAP_PROBE_KPROBE, ADD, OP_USTACK_ID);
	test_ioctl_enable(id);
	walk_on_cpus(_metadata, self->target, 2);
	test_ioctl_disable(id);
	read_rows(_metadata, &self->s, id);
	EXPECT_EQ(2 * ROUNDS * STACKS, rows.sum);
	return id;
}

TEST_F(stacks, of_two_cpus_are_the_same)
{
	struct tap_stack_read read;
	unsigned int i, ids = 0;
	__u32 id;

	ASSERT_EQ(0, make_table(self->s.fd, 4 * STACKS, 0));
	id = walk_rows(_metadata, self);
	EXPECT_EQ(rows.sum, test_counters(_metadata, &self->s, id).aggregated);
	EXPECT_EQ(STACKS, rows.nr);
	for (i = 0; i < rows.nr; i++) {
		EXPECT_EQ(2 * ROUNDS, rows.row[i].count);
		ids += rows.row[i].ids;
	}
	EXPECT_EQ(0, rows.none + rows.no_room);
	test_counts(&read);
	EXPECT_EQ(ids, read.out_stored);
	EXPECT_EQ(0, read.out_no_room);
	TH_LOG("%u stacks, stored %llu times", rows.nr, read.out_stored);
}

/* Of places there is less than of stacks; then of words. */
TEST_F(stacks, that_find_no_room_are_counted)
{
	struct tap_stack_read read;
	struct test_session s;

	ASSERT_EQ(0, make_table(self->s.fd, 1, 1 << 16));
	walk_rows(_metadata, self);
	test_counts(&read);
	/* The smallest table has 64 places. */
	EXPECT_EQ(64, read.out_stored);
	EXPECT_EQ(read.out_no_room, rows.no_room);
	EXPECT_EQ(rows.sum - rows.no_room, 2 * ROUNDS * rows.nr);
	EXPECT_GE(64, rows.nr);
	EXPECT_LE(32, rows.nr);

	s = self->s;
	test_session_open(_metadata, &self->s, 1 << 16);
	ASSERT_EQ(0, make_table(self->s.fd, 4 * STACKS, 20 * 32));
	walk_rows(_metadata, self);
	test_counts(&read);
	EXPECT_EQ(read.out_no_room, rows.no_room);
	EXPECT_GE(20 * 32, read.out_words);
	EXPECT_LE(19 * 32 - 32, read.out_words);
	EXPECT_LT(20, rows.nr);
	EXPECT_GT(64, rows.nr);
	test_session_close(&s);
}

TEST_F(stacks, take_memory_of_the_bound)
{
	struct tap_info before, with, after;
	int fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, _test_ioctl_info(fd, &before));
	ASSERT_EQ(0, make_table(fd, 1000, 0));
	ASSERT_EQ(0, _test_ioctl_info(fd, &with));
	/* 2048 places, and 32 words for each stack. */
	EXPECT_LE(before.out_memory_used + 8 * (2048 + 32 * 1000), with.out_memory_used);
	close(fd);
	test_ioctl_info(&after);
	EXPECT_EQ(before.out_memory_used, after.out_memory_used);

	ASSERT_EQ(0, test_write_file(TEST_MEMORY_MAX, "1048576"));
	fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);
	EXPECT_ERRNO(ENOMEM, make_table(fd, TAP_MAX_STACKS, 0));
	ASSERT_EQ(0, _test_ioctl_info(fd, &after));
	EXPECT_LE(32ULL * 8 * TAP_MAX_STACKS, after.out_memory_refused);
	/* It is as if nothing had been tried. */
	ASSERT_EQ(0, test_write_file(TEST_MEMORY_MAX, "0"));
	EXPECT_EQ(0, make_table(fd, 16, 0));
	close(fd);
}

/* Interrupts that arrive while stacks are stored: the clock samples each CPU. */
TEST_F(stacks, are_stored_in_interrupts_of_what_stores_them)
{
	const struct tap_perf perf = {
		.size = sizeof(perf), .type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK, .period = 50000,
	};
	struct tap_aggregate how = {
		.size = sizeof(how), .nr_keys = 2, .keys = { { 0, 1 }, { 1, 1 } },
		.entries = MAX_ROWS,
	};
	struct tap_create create =
		test_create_arg(TAP_PROBE_EVENT, "clock", OPS(OP_KSTACK_ID, OP_USTACK_ID));
	static __u64 words[4 * (MAX_ROWS + 1)];
	struct tap_stack_read counts;
	struct tap_counters sum;
	__u64 hits = 0;
	unsigned int cpu, i;
	__u32 id;

	ASSERT_EQ(0, make_table(self->s.fd, 8 * STACKS, 0));
	test_create_rows(&id, TAP_PROBE_KPROBE, ADD, OP_USTACK_ID);
	create.perf = (uintptr_t)&perf;
	create.aggregate = (uintptr_t)&how;
	ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_CREATE, &create)) TH_LOG("%s", strerror(errno));
	test_ioctl_enable(0);
	walk_on_cpus(_metadata, self->target, 2);
	test_ioctl_disable(0);
	read_rows(_metadata, &self->s, id);
	EXPECT_EQ(2 * ROUNDS * STACKS, rows.sum);
	test_counts(&counts);
	EXPECT_EQ(STACKS + (rows.no_room != 0), rows.nr + (rows.no_room != 0));
	for (cpu = 0; cpu < self->s.nr_rings; cpu++) {
		struct tap_read read = {
			.size = sizeof(read), .id = create.out_id, .cpu = cpu,
			.words = (uintptr_t)words, .nr_words = ARRAY_SIZE(words),
		};

		ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_READ, &read));
		for (i = 0; i < read.out_entries; i++) {
			hits += words[4 * i + 3];
			/* Each id in a row can be read. */
			ASSERT_TRUE(add_row(&self->s, words[4 * i + 1], 0));
			ASSERT_TRUE(add_row(&self->s, words[4 * i + 2], 0));
		}
	}
	sum = test_counters(_metadata, &self->s, create.out_id);
	EXPECT_LT(0, hits);
	EXPECT_EQ(sum.aggregated, hits);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the ring as the kernel writes it: wrapping, full, with invalid tails of a reader,
 * and with writers that interrupt each other; every loss is reported.
 */
#include "selftests/module/tap_harness.h"

/* A function that each timer interrupt calls. */
#if defined(__x86_64__) || defined(__i386__)
#define TIMER_EVENT	"local_timer_entry"
#else
#define TIMER_EVENT	"irq_handler_entry"
#endif

#define RING_SLOTS	64
#define RING_BYTES	(RING_SLOTS * TAP_SLOT_SIZE)

FIXTURE(ring)
{
	struct test_session s;
	struct test_ring *ring;	/* of CPU 0, where everything happens */
	int target;
};

FIXTURE_SETUP(ring)
{
	test_setup();
	test_session_open(_metadata, &self->s, RING_BYTES);
	self->ring = &self->s.ring[0];
	ASSERT_EQ(0, test_pin(0));
}

FIXTURE_TEARDOWN(ring)
{
	test_teardown();
}

/* The kernel's position in a ring, which may change at any time. */
static __u64 ring_head(const struct test_ring *ring)
{
	return __atomic_load_n(&ring->head->head, __ATOMIC_RELAXED);
}

static __u64 ring_lost(const struct test_ring *ring)
{
	return __atomic_load_n(&ring->head->lost, __ATOMIC_RELAXED);
}

static __u64 ring_bad_tail(const struct test_ring *ring)
{
	return __atomic_load_n(&ring->head->bad_tail, __ATOMIC_RELAXED);
}

static void set_tail(struct test_ring *ring, __u64 tail)
{
	__atomic_store_n(&ring->tail->tail, tail, __ATOMIC_RELEASE);
}

TEST_F(ring, is_filled_to_its_last_slot_and_no_further)
{
	struct test_record rec;
	struct tap_counters c;
	__u64 i;
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add", OP_ARG(0));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_ADD, RING_SLOTS);
	EXPECT_EQ(RING_BYTES, ring_head(self->ring));
	EXPECT_EQ(0, ring_lost(self->ring));
	test_target_call(TAP_TARGET_ADD, 1000);
	EXPECT_EQ(RING_BYTES, ring_head(self->ring));
	EXPECT_EQ(1000, ring_lost(self->ring));
	EXPECT_EQ(0, ring_bad_tail(self->ring));
	c = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(RING_SLOTS, c.written);
	EXPECT_EQ(1000, c.lost_full);
	EXPECT_EQ(0, c.lost_nested);
	/* The oldest records stay. */
	for (i = 0; i < RING_SLOTS; i++) {
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_EQ(i, rec.word[0]);
	}
	EXPECT_FALSE(test_session_next(&self->s, &rec));
}

TEST_F(ring, tells_a_loss_before_the_next_record)
{
	struct tap_time before, after;
	struct test_record rec;
	__u64 i;
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add", OP_ARG(0));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_ADD, RING_SLOTS);
	test_ioctl_time(&before);
	test_target_call(TAP_TARGET_ADD, 7);
	test_ioctl_time(&after);
	for (i = 0; i < RING_SLOTS; i++)
		ASSERT_TRUE(test_session_next(&self->s, &rec));
	test_target_call(TAP_TARGET_ADD, 2);

	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(TAP_KIND_GAP, rec.kind);
	EXPECT_EQ(0, rec.probe);
	EXPECT_EQ(1, rec.slots);
	EXPECT_EQ(0, rec.flags);
	EXPECT_EQ(0, rec.tid);
	EXPECT_EQ(7, rec.word[TAP_GAP_LOST]);
	EXPECT_EQ(7, rec.word[TAP_GAP_TOTAL]);
	EXPECT_LT(before.out_raw, rec.word[TAP_GAP_BEGIN]);
	EXPECT_GT(after.out_raw, rec.word[TAP_GAP_BEGIN]);
	EXPECT_LT(after.out_raw, rec.time);
	EXPECT_EQ(0, rec.word[TAP_GAP_RESERVED]);
	for (i = 0; i < 2; i++) {
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_EQ(TAP_KIND_EVENT, rec.kind);
		EXPECT_EQ(i, rec.word[0]);
	}

	/* The next loss is counted from there. */
	test_target_call(TAP_TARGET_ADD, RING_SLOTS + 5);
	for (i = 0; i < RING_SLOTS; i++)
		ASSERT_TRUE(test_session_next(&self->s, &rec));
	test_target_call(TAP_TARGET_ADD, 1);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(TAP_KIND_GAP, rec.kind);
	EXPECT_EQ(5, rec.word[TAP_GAP_LOST]);
	EXPECT_EQ(12, rec.word[TAP_GAP_TOTAL]);
}

TEST_F(ring, without_room_for_the_gap_and_the_record_loses_the_record)
{
	struct test_record rec;
	__u64 i;
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add", OP_ARG(0));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_ADD, RING_SLOTS + 1);
	/* One slot is free for two records. */
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	test_target_call(TAP_TARGET_ADD, 1);
	EXPECT_EQ(2, ring_lost(self->ring));
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	test_target_call(TAP_TARGET_ADD, 1);
	EXPECT_EQ(2, ring_lost(self->ring));
	for (i = 2; i < RING_SLOTS; i++) {
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_EQ(i, rec.word[0]);
	}
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(2, rec.word[TAP_GAP_LOST]);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(TAP_KIND_EVENT, rec.kind);
}

TEST_F(ring, tells_a_last_loss_when_asked_to)
{
	struct test_record rec;
	__u64 pending, gaps = 0;
	__u32 id;

	/* Nothing is pending. */
	test_ioctl_flush(&pending);
	EXPECT_EQ(0, pending);
	EXPECT_FALSE(test_session_next(&self->s, &rec));

	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add", OP_ARG(0));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_ADD, RING_SLOTS + 9);
	test_ioctl_disable(id);
	/* There is still no room; flush itself loses nothing. */
	test_ioctl_flush(&pending);
	EXPECT_EQ(9, pending);
	test_ioctl_flush(&pending);
	EXPECT_EQ(9, pending);
	EXPECT_EQ(9, ring_lost(self->ring));
	EXPECT_EQ(RING_SLOTS, test_session_drain(&self->s, &gaps));
	EXPECT_EQ(0, gaps);
	test_ioctl_flush(&pending);
	EXPECT_EQ(0, pending);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(TAP_KIND_GAP, rec.kind);
	EXPECT_EQ(9, rec.word[TAP_GAP_LOST]);
	EXPECT_FALSE(test_session_next(&self->s, &rec));
	test_ioctl_flush(&pending);
	EXPECT_EQ(0, pending);
	EXPECT_FALSE(test_session_next(&self->s, &rec));
}

TEST_F(ring, tells_the_losses_of_every_cpu_when_asked_to)
{
	__u64 pending, gaps = 0;
	unsigned int cpu;
	__u32 id;

	test_need_cpus(2);
	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add", OP_ARG(0));
	test_ioctl_enable(id);
	for (cpu = 0; cpu < 2; cpu++) {
		ASSERT_EQ(0, test_pin(cpu));
		test_target_call(TAP_TARGET_ADD, RING_SLOTS + 100 + cpu);
	}
	test_ioctl_disable(id);
	test_ioctl_flush(&pending);
	EXPECT_EQ(201, pending);
	EXPECT_EQ(2 * RING_SLOTS, test_session_drain(&self->s, &gaps));
	test_ioctl_flush(&pending);
	EXPECT_EQ(0, pending);
	test_session_drain(&self->s, &gaps);
	EXPECT_EQ(201, gaps);
}

/* Records of five slots, which do not divide the ring's size, several times around. */
TEST_F(ring, wraps_records_of_many_slots_round_its_end)
{
	enum { FETCHES = 6 + 1 + 21 };
	struct tap_op ops[FETCHES];
	struct tap_probe_info info;
	struct test_record rec;
	unsigned int i, turn, calls = 0;
	__u64 time = 0;
	__u32 id;

	for (i = 0; i < 6; i++)
		ops[i] = OP_ARG(i);
	ops[6] = OP_COMM;
	for (; i < FETCHES - 1; i++)
		ops[i + 1] = OP_REG(8 * (i - 6));
	ASSERT_EQ(0, _test_ioctl_create(self->s.fd, &id, TAP_PROBE_KPROBE,
					"tap_target_six", ops, FETCHES));
	test_ioctl_probe_info(id, NULL, 0, &info);
	ASSERT_EQ(5, info.out_slots);
	test_ioctl_enable(id);
	for (turn = 0; turn < 500; turn++) {
		unsigned int nr = 1 + turn % 12;

		test_target_call(TAP_TARGET_SIX, nr);
		calls += nr;
		while (nr--) {
			ASSERT_TRUE(test_session_next(&self->s, &rec));
			ASSERT_FALSE(rec.broken);
			ASSERT_EQ(5, rec.slots);
			EXPECT_LE(time, rec.time);
			time = rec.time;
			for (i = 0; i < 6; i++)
				ASSERT_EQ(TAP_TARGET_ARG(i), rec.word[i]);
			ASSERT_EQ(0, memcmp("ring_test", &rec.word[6], 10));
			/* Words that no op outputs are zero. */
			for (i = info.out_words; i < 4 + 4 * 7; i++)
				ASSERT_EQ(0, rec.word[i]);
		}
		ASSERT_FALSE(test_session_next(&self->s, &rec));
	}
	EXPECT_EQ(calls, test_counters(_metadata, &self->s, id).written);
	EXPECT_EQ(5 * 64 * calls, ring_head(self->ring));
}

TEST_F(ring, with_no_room_for_the_whole_record_takes_none_of_it)
{
	struct tap_op ops[12];
	struct test_record rec;
	unsigned int i, records = 0;
	struct tap_counters c;
	__u32 wide, slim;

	for (i = 0; i < ARRAY_SIZE(ops); i++)
		ops[i] = OP_ARG(0);
	/* Records of 3 slots: 21 of them leave one slot free. */
	ASSERT_EQ(0, _test_ioctl_create(self->s.fd, &wide, TAP_PROBE_KPROBE,
					"tap_target_add", ops, ARRAY_SIZE(ops)));
	test_ioctl_create(&slim, TAP_PROBE_KPROBE, "tap_target_fail");
	test_ioctl_enable(0);
	test_target_call(TAP_TARGET_ADD, 21);
	EXPECT_EQ(63 * 64, ring_head(self->ring));
	test_target_call(TAP_TARGET_ADD, 1);
	EXPECT_EQ(63 * 64, ring_head(self->ring));
	/* A gap record is pending, which takes the last slot. */
	test_target_call(TAP_TARGET_FAIL, 1);
	EXPECT_EQ(2, ring_lost(self->ring));
	c = test_counters(_metadata, &self->s, wide);
	EXPECT_EQ(1, c.lost_full);
	c = test_counters(_metadata, &self->s, slim);
	EXPECT_EQ(1, c.lost_full);
	for (; test_session_next(&self->s, &rec); records++)
		EXPECT_FALSE(rec.broken);
	EXPECT_EQ(21, records);
}

/* Tails that no reader may write. */
TEST_F(ring, with_a_tail_that_is_wrong_takes_nothing_and_counts_it)
{
	static const __s64 wrong[] = {
		1, -1, 63, -63, RING_BYTES, -RING_BYTES - 64,
		0x7fffffffffffffff, -0x7fffffffffffffff - 1, -0x7fffffffffffffc0,
		1LL << 32, -(1LL << 32), -(1LL << 40) + 1,
	};
	struct test_record rec;
	struct tap_counters c;
	unsigned int i;
	__u64 pending;
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add", OP_ARG(0));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_ADD, RING_SLOTS);
	EXPECT_EQ(RING_SLOTS, test_session_drain(&self->s, NULL));
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		__u64 head = ring_head(self->ring), bad = ring_bad_tail(self->ring);
		__u64 lost = ring_lost(self->ring);

		/* Start from a position without a pending gap. */
		test_target_call(TAP_TARGET_ADD, 1);
		test_session_drain(&self->s, NULL);
		head = ring_head(self->ring);
		set_tail(self->ring, head + wrong[i]);
		/* The kernel may use an older tail for a while. */
		test_target_call(TAP_TARGET_ADD, 2 * RING_SLOTS);
		EXPECT_GE(head + RING_BYTES, ring_head(self->ring))
			TH_LOG("wrong tail %u", i);
		EXPECT_LT(bad, ring_bad_tail(self->ring)) TH_LOG("wrong tail %u", i);
		EXPECT_LE(lost + RING_SLOTS, ring_lost(self->ring));
		/* poll() and flush still work. */
		test_ioctl_flush(&pending);
		self->ring->pos = ring_head(self->ring);
		set_tail(self->ring, self->ring->pos);
	}
	test_ioctl_disable(id);
	test_ioctl_flush(&pending);
	EXPECT_EQ(0, pending);
	test_session_drain(&self->s, NULL);
	c = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(c.lost_full + c.lost_nested, ring_lost(self->ring));
	/* With a valid tail everything works again. */
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_ADD, RING_SLOTS);
	EXPECT_EQ(RING_SLOTS, test_session_drain(&self->s, NULL));
	EXPECT_FALSE(test_session_next(&self->s, &rec));
}

/*
 * A tail below zero is not behind a head that has not wrapped yet. If the kernel took such a
 * tail as its limit, the head would never reach it, and the kernel would never read another
 * tail.
 */
TEST_F(ring, with_a_tail_below_zero_takes_nothing_and_counts_it)
{
	static const __s64 wrong[] = { -64, -128, -RING_BYTES + 128, -RING_BYTES + 64 };
	unsigned int i;
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add", OP_ARG(0));
	test_ioctl_enable(id);
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		__u64 bad = ring_bad_tail(self->ring), lost = ring_lost(self->ring);

		set_tail(self->ring, wrong[i]);
		test_target_call(TAP_TARGET_ADD, 2 * RING_SLOTS);
		EXPECT_GE(RING_BYTES, ring_head(self->ring)) TH_LOG("tail %lld", (long long)wrong[i]);
		EXPECT_LT(bad, ring_bad_tail(self->ring)) TH_LOG("tail %lld", (long long)wrong[i]);
		EXPECT_LE(lost + RING_SLOTS, ring_lost(self->ring));
		set_tail(self->ring, 0);
	}
}

/*
 * A reader that writes random tails while two CPUs write: for three seconds, or TEST_STORES
 * times.
 */
TEST_F_TIMEOUT(ring, with_a_tail_that_goes_wild_stays_sane, 900)
{
	const char *wanted = getenv("TEST_STORES");
	const __u64 enough = wanted ? strtoull(wanted, NULL, 0) : 0;
	__u64 x = 88172645463325252ULL, bad = 0, stores = 0, deadline;
	struct tap_counters c[TEST_MAX_RINGS];
	struct test_session fresh;
	struct tap_stats stats;
	unsigned int cpu;
	__u32 id[4], i;

	test_ioctl_create(&id[0], TAP_PROBE_KPROBE, "tap_target_add", OP_ARG(0));
	test_ioctl_create(&id[1], TAP_PROBE_KPROBE, "tap_target_add", OP_COMM,
			  OP_COMM, OP_COMM, OP_ARG(0));
	test_ioctl_create(&id[2], TAP_PROBE_CALL, "tap_target_add", OP_ARG(0));
	test_ioctl_create(&id[3], TAP_PROBE_RAWTP, "sched_switch", OP_ARG(1));
	test_ioctl_enable(0);
	for (cpu = 0; cpu < 2; cpu++)
		_test_target(self->target, TAP_TARGET_STORM, 0, 0, cpu, NULL);
	for (deadline = test_now_ms() + 3000;
	     enough ? stores < enough : test_now_ms() < deadline;) {
		for (i = 0; i < 200; i++, stores++) {
			struct test_ring *ring = &self->s.ring[stores % 2];

			if (!ring->tail)
				continue;
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			switch (x >> 61) {
			case 0:
				set_tail(ring, x);
				break;
			case 1:
				set_tail(ring, ring_head(ring) + 1);
				break;
			case 2:
				set_tail(ring, ring_head(ring) - 1);
				break;
			case 3:
				set_tail(ring, 1ULL << 63);
				break;
			case 4:
				set_tail(ring, 0);
				break;
			case 5:
				set_tail(ring, ring_head(ring) + RING_BYTES);
				break;
			default:
				/* A valid tail, so that there is room at times. */
				set_tail(ring, ring_head(ring));
			}
		}
	}
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_CALM, 0, 0, 0, NULL));
	test_ioctl_disable(0);
	for (cpu = 0; cpu < self->s.nr_rings; cpu++) {
		__u64 lost = 0;

		if (!self->s.ring[cpu].tail)
			continue;
		for (i = 0; i < 4; i++) {
			test_ioctl_stats(id[i], c, self->s.nr_rings, &stats);
			EXPECT_EQ(c[cpu].hits, c[cpu].written + c[cpu].lost_full +
				  c[cpu].lost_nested);
			if (cpu < 2 && i < 3)
				EXPECT_LT(0, c[cpu].hits);
			lost += c[cpu].lost_full + c[cpu].lost_nested;
		}
		EXPECT_EQ(lost, ring_lost(&self->s.ring[cpu]));
		bad += ring_bad_tail(&self->s.ring[cpu]);
		EXPECT_EQ(0, ring_head(&self->s.ring[cpu]) % 64);
	}
	EXPECT_LT(0, bad);
	EXPECT_LT(1000, stores);
	TH_LOG("%llu stores, %llu tails refused", stores, bad);

	/* The same session and a new one work as if nothing had happened. */
	for (cpu = 0; cpu < self->s.nr_rings; cpu++) {
		self->s.ring[cpu].pos = ring_head(&self->s.ring[cpu]);
		set_tail(&self->s.ring[cpu], self->s.ring[cpu].pos);
	}
	test_session_open(_metadata, &fresh, RING_BYTES);
	ASSERT_EQ(0, _test_ioctl_create(fresh.fd, &i, TAP_PROBE_KPROBE,
					"tap_target_add", NULL, 0));
	ASSERT_EQ(0, _test_ioctl_enable(fresh.fd, i));
	test_ioctl_enable(id[0]);
	test_target_call(TAP_TARGET_ADD, 10);
	EXPECT_EQ(10, test_session_drain(&self->s, NULL));
	EXPECT_EQ(10, test_session_drain(&fresh, NULL));
	test_session_close(&fresh);
}

/* Totals of what was read from one ring. */
struct sums {
	__u64 time;
	__u64 events;
	__u64 gaps;
	__u64 total;
	__u32 flags;
};

/* Reads a ring, with a limit: it may be written faster than it is read. */
static void read_ring(struct __test_metadata *_metadata, struct test_ring *ring,
		      struct sums *sums, unsigned int most)
{
	struct test_record rec;

	while (most-- && test_ring_next(ring, &rec)) {
		ASSERT_FALSE(rec.broken);
		ASSERT_LE(sums->time, rec.time);
		sums->time = rec.time;
		sums->flags |= rec.flags;
		sums->events += rec.kind == TAP_KIND_EVENT;
		if (rec.kind == TAP_KIND_GAP) {
			sums->gaps += rec.word[TAP_GAP_LOST];
			/* Less if the writer was interrupted: the next gap record has the rest. */
			ASSERT_LE(sums->gaps, rec.word[TAP_GAP_TOTAL]);
			ASSERT_LE(sums->total, rec.word[TAP_GAP_TOTAL]);
			sums->total = rec.word[TAP_GAP_TOTAL];
			ASSERT_GE(rec.time, rec.word[TAP_GAP_BEGIN]);
		}
	}
}

/* Events in tasks and in interrupts at the same time. */
TEST_F_TIMEOUT(ring, written_from_every_context_never_goes_back_in_time, 60)
{
	struct sums sums[TEST_MAX_RINGS] = {};
	struct tap_counters c[TEST_MAX_RINGS];
	__u64 deadline, pending;
	struct tap_stats stats;
	__u32 id[7], i, cpu, flags = 0;

	test_need_raw_tracepoints();
	test_need_cpus(2);
	test_session_close(&self->s);
	test_session_open(_metadata, &self->s, 1 << 18);
	test_ioctl_create(&id[0], TAP_PROBE_KPROBE, "tap_target_add", OP_ARG(0));
	test_ioctl_create(&id[1], TAP_PROBE_CALL, "tap_target_add", OP_ARG(0),
			  OP_COMM, OP_COMM);
	test_ioctl_create(&id[2], TAP_PROBE_KRETPROBE, "tap_target_add");
	test_ioctl_create(&id[3], TAP_PROBE_RAWTP, "sched_switch", OP_ARG(1));
	test_ioctl_create(&id[4], TAP_PROBE_RAWTP, TIMER_EVENT);
	test_ioctl_create(&id[5], TAP_PROBE_RAWTP, "softirq_entry", OP_ARG(0));
	test_ioctl_create(&id[6], TAP_PROBE_KPROBE, "tap_target_irq", OP_COMM,
			  OP_COMM, OP_COMM);
	test_ioctl_enable(0);
	for (cpu = 0; cpu < 2; cpu++)
		_test_target(self->target, TAP_TARGET_STORM, 0, 0, cpu, NULL);
	for (deadline = test_now_ms() + 3000; test_now_ms() < deadline;) {
		test_target_call(TAP_TARGET_HARDIRQ, 20);
		test_target_call(TAP_TARGET_SOFTIRQ, 5);
		for (cpu = 0; cpu < self->s.nr_rings; cpu++)
			if (self->s.ring[cpu].tail)
				read_ring(_metadata, &self->s.ring[cpu],
					  &sums[cpu], 20000);
	}
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_CALM, 0, 0, 0, NULL));
	test_ioctl_disable(0);
	for (cpu = 0; cpu < self->s.nr_rings; cpu++)
		if (self->s.ring[cpu].tail)
			read_ring(_metadata, &self->s.ring[cpu], &sums[cpu], -1);
	test_ioctl_flush(&pending);
	EXPECT_EQ(0, pending);
	for (cpu = 0; cpu < self->s.nr_rings; cpu++) {
		__u64 written = 0, lost = 0;

		if (!self->s.ring[cpu].tail)
			continue;
		read_ring(_metadata, &self->s.ring[cpu], &sums[cpu], -1);
		flags |= sums[cpu].flags;
		for (i = 0; i < ARRAY_SIZE(id); i++) {
			test_ioctl_stats(id[i], c, self->s.nr_rings, &stats);
			EXPECT_EQ(c[cpu].hits, c[cpu].written + c[cpu].lost_full +
				  c[cpu].lost_nested);
			/* The interrupts of this test are all on one CPU. */
			if (cpu < 2 && i < 6)
				EXPECT_LT(0, c[cpu].hits) TH_LOG("probe %u", i);
			written += c[cpu].written;
			lost += c[cpu].lost_full + c[cpu].lost_nested;
		}
		EXPECT_EQ(written, sums[cpu].events);
		EXPECT_EQ(lost, sums[cpu].gaps);
		EXPECT_EQ(lost, sums[cpu].total);
		EXPECT_EQ(lost, ring_lost(&self->s.ring[cpu]));
	}
	EXPECT_NE(0, flags & TAP_F_HARDIRQ);
	EXPECT_NE(0, flags & TAP_F_SOFTIRQ);
}

/* A probe of a function that wakes readers: it must not trigger itself. */
TEST_F(ring, whose_wake_up_is_probed_misses_only_that)
{
	struct pollfd poll_fd = { .fd = self->s.fd, .events = POLLIN };
	struct tap_stats stats;
	__u64 events = 0;
	unsigned int i;
	__u32 add, wake;

	test_ioctl_create(&add, TAP_PROBE_KPROBE, "tap_target_add");
	test_ioctl_create(&wake, TAP_PROBE_KPROBE, "irq_work_queue");
	test_ioctl_enable(0);
	for (i = 0; i < 100; i++) {
		/* Arms the wake-up; the watermark is a quarter of the ring. */
		poll(&poll_fd, 1, 0);
		test_target_call(TAP_TARGET_ADD, RING_SLOTS / 2);
		events += test_session_drain(&self->s, NULL);
	}
	test_ioctl_disable(0);
	events += test_session_drain(&self->s, NULL);
	EXPECT_EQ(100 * RING_SLOTS / 2,
		  test_counters(_metadata, &self->s, add).written);
	test_ioctl_stats(wake, NULL, 0, &stats);
	EXPECT_LT(0, stats.out_nmissed);
	EXPECT_EQ(events, test_counters(_metadata, &self->s, add).written +
			  test_counters(_metadata, &self->s, wake).written);
}

FIXTURE(size)
{
	struct test_session s;
	int target;
};

FIXTURE_VARIANT(size)
{
	__u64 bytes;
};

FIXTURE_VARIANT_ADD(size, least)
{
	.bytes = 4096,
};

FIXTURE_VARIANT_ADD(size, two_pages)
{
	.bytes = 8192,
};

FIXTURE_VARIANT_ADD(size, usual)
{
	.bytes = 1 << 20,
};

FIXTURE_VARIANT_ADD(size, large)
{
	.bytes = 1 << 25,
};

FIXTURE_SETUP(size)
{
	test_setup();
	test_session_open(_metadata, &self->s, variant->bytes);
	ASSERT_EQ(0, test_pin(0));
}

FIXTURE_TEARDOWN(size)
{
	test_teardown();
}

/* A million traps, if a kprobe is a trap. */
TEST_F_TIMEOUT(size, holds_what_it_says, 120)
{
	__u64 slots = variant->bytes / TAP_SLOT_SIZE, i;
	struct test_record rec;
	__u32 id;

	EXPECT_EQ(variant->bytes, self->s.meta->ring_bytes);
	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add", OP_ARG(0));
	test_ioctl_enable(id);
	/* Two and a half times around. */
	test_target_call(TAP_TARGET_ADD, slots / 2);
	EXPECT_EQ(slots / 2, test_session_drain(&self->s, NULL));
	for (i = 0; i < 2; i++) {
		__u64 n;

		test_target_call(TAP_TARGET_ADD, slots);
		for (n = 0; n < slots; n++) {
			ASSERT_TRUE(test_session_next(&self->s, &rec));
			ASSERT_EQ(n, rec.word[0]);
		}
		ASSERT_FALSE(test_session_next(&self->s, &rec));
	}
	test_target_call(TAP_TARGET_ADD, slots + 1);
	EXPECT_EQ(1, __atomic_load_n(&self->s.ring[0].head->lost, __ATOMIC_RELAXED));
}

TEST_HARNESS_MAIN

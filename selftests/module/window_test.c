// SPDX-License-Identifier: GPL-2.0
/*
 * Windows: a session whose rings are overwritten, a trigger, and two sets of rings that are
 * exchanged while two CPUs write as fast as they can.
 *
 * The oracle is a number that each storm counts up: the argument of tap_target_add().
 */
#include "selftests/module/tap_harness.h"

#include <poll.h>
#include <sys/resource.h>

#define OP_TRIGGER	OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_TRIGGER, 0)
#define SETS		2

FIXTURE(window)
{
	struct test_session s;
	struct test_session set[SETS];
	int target;
};

static int window(int fd, struct tap_window *w, __u32 flags, __u64 after)
{
	*w = (struct tap_window){ .size = sizeof(*w), .flags = flags, .after = after };
	return ioctl(fd, TAP_IOC_WINDOW, w);
}

static int overwrite_setup(int fd, __u64 ring_bytes)
{
	struct tap_setup setup = {
		.size = sizeof(setup), .flags = TAP_SETUP_F_OVERWRITE, .ring_bytes = ring_bytes,
	};

	return ioctl(fd, TAP_IOC_SETUP, &setup);
}

/* Maps the rings of a set: its layout begins at @base. */
static void set_map(struct __test_metadata *_metadata, struct test_session *set, int fd,
		    __u64 base)
{
	unsigned int cpu;

	set->fd = fd;
	set->page = sysconf(_SC_PAGESIZE);
	set->meta = test_map(fd, set->page, PROT_READ, base);
	ASSERT_NE(MAP_FAILED, (void *)set->meta) TH_LOG("%s", strerror(errno));
	ASSERT_EQ(TAP_META_MAGIC, set->meta->magic);
	set->nr_rings = set->meta->nr_rings;
	ASSERT_LE(set->nr_rings, TEST_MAX_RINGS);
	for (cpu = 0; cpu < set->nr_rings; cpu++)
		test_ring_map_at(_metadata, set, cpu, base);
}

FIXTURE_SETUP(window)
{
	test_setup();
	self->s.fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->s.fd);
}

FIXTURE_TEARDOWN(window)
{
	unsigned int i;

	for (i = 0; i < SETS; i++)
		if (self->set[i].meta)
			test_session_unmap(&self->set[i]);
	test_teardown();
}

static void windows_open(struct __test_metadata *_metadata, FIXTURE_DATA(window) *self,
			 __u64 ring_bytes)
{
	struct tap_window w;
	unsigned int i;
	__u64 base = 0;

	ASSERT_EQ(0, overwrite_setup(self->s.fd, ring_bytes)) TH_LOG("%s", strerror(errno));
	for (i = 0; i < SETS; i++) {
		ASSERT_EQ(0, window(self->s.fd, &w, TAP_WINDOW_F_TAKE, 0));
		EXPECT_EQ(i, w.out_set);
		base = w.out_offset;
		ASSERT_EQ(0, window(self->s.fd, &w, TAP_WINDOW_F_GIVE, 0));
		set_map(_metadata, &self->set[i], self->s.fd, base);
	}
	self->s.nr_rings = self->set[0].nr_rings;
	/* The set 0 is the active one again. */
	ASSERT_NE(0, base);
}

TEST_F(window, is_only_for_rings_that_are_overwritten)
{
	struct tap_window w;

	test_ioctl_setup(4096, 0, 0);
	EXPECT_ERRNO(EINVAL, window(self->s.fd, &w, TAP_WINDOW_F_TAKE, 0));
	EXPECT_ERRNO(EINVAL, window(self->s.fd, &w, TAP_WINDOW_F_GIVE, 0));
	test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, "tap_target_add", OP_TRIGGER);
}

TEST_F(window, has_one_flag_and_one_set_is_out_at_a_time)
{
	const __u32 both = TAP_WINDOW_F_TAKE | TAP_WINDOW_F_GIVE;
	struct tap_window w;

	ASSERT_EQ(0, overwrite_setup(self->s.fd, 4096));
	EXPECT_ERRNO(EINVAL, window(self->s.fd, &w, 0, 0));
	EXPECT_ERRNO(EINVAL, window(self->s.fd, &w, both, 0));
	EXPECT_ERRNO(EINVAL, window(self->s.fd, &w, TAP_WINDOW_F_GIVE << 1, 0));
	EXPECT_ERRNO(EINVAL, window(self->s.fd, &w, TAP_WINDOW_F_TAKE, 1));
	EXPECT_ERRNO(EINVAL, window(self->s.fd, &w, TAP_WINDOW_F_GIVE, BIT(63)));
	ASSERT_EQ(0, window(self->s.fd, &w, TAP_WINDOW_F_TAKE, 0));
	EXPECT_EQ(0, w.out_set);
	EXPECT_EQ(0, w.out_offset);
	EXPECT_ERRNO(EBUSY, window(self->s.fd, &w, TAP_WINDOW_F_TAKE, 0));
	ASSERT_EQ(0, window(self->s.fd, &w, TAP_WINDOW_F_GIVE, 0));
	ASSERT_EQ(0, window(self->s.fd, &w, TAP_WINDOW_F_TAKE, 0));
	EXPECT_EQ(1, w.out_set);
	EXPECT_NE(0, w.out_offset);
}

TEST_F(window, of_rings_that_are_overwritten_has_no_watermark)
{
	struct tap_setup setup = {
		.size = sizeof(setup), .flags = TAP_SETUP_F_OVERWRITE, .ring_bytes = 65536,
		.watermark = 4096,
	};

	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_SETUP, &setup));
	setup.flags |= TAP_SETUP_F_MONO;
	setup.watermark = 0;
	EXPECT_EQ(0, ioctl(self->s.fd, TAP_IOC_SETUP, &setup));
}

TEST_F(window, comes_after_a_trigger_and_counts_the_others)
{
	struct pollfd pfd = { .fd = self->s.fd, .events = POLLIN };
	struct tap_window w;
	const __u32 cpu = sysconf(_SC_NPROCESSORS_ONLN) - 1;
	struct tap_time now;
	cpu_set_t cpus;
	__u32 id;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(cpus), &cpus));
	windows_open(_metadata, self, 4096);
	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_six", OP_TRIGGER);
	/* Long enough for a debug kernel in an emulator. */
	ASSERT_EQ(0, window(self->s.fd, &w, TAP_WINDOW_F_GIVE, BIT(62)));
	test_ioctl_enable(id);
	EXPECT_EQ(0, poll(&pfd, 1, 0));
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_CALL, TAP_TARGET_SIX, 5, 0, NULL));
	EXPECT_EQ(1, poll(&pfd, 1, 10000));
	EXPECT_EQ(POLLIN, pfd.revents);
	test_ioctl_time(&now);
	ASSERT_EQ(0, window(self->s.fd, &w, TAP_WINDOW_F_TAKE, 0));
	EXPECT_EQ(id, w.out_probe);
	EXPECT_EQ(cpu, w.out_cpu);
	EXPECT_EQ(4, w.out_merged);
	EXPECT_EQ(0, w.out_missed);
	EXPECT_LT(w.out_since, w.out_time);
	EXPECT_GE(now.out_raw, w.out_time);
	ASSERT_EQ(0, window(self->s.fd, &w, TAP_WINDOW_F_GIVE, 0));
	EXPECT_EQ(4, w.out_merged);
	EXPECT_EQ(0, poll(&pfd, 1, 0));

	/* Nothing belongs to a window that goes on for 0 ticks, once its clock has moved. */
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_CALL, TAP_TARGET_SIX, 1, 0, NULL));
	usleep(1000);
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_CALL, TAP_TARGET_SIX, 3, 0, NULL));
	ASSERT_EQ(0, window(self->s.fd, &w, TAP_WINDOW_F_TAKE, 0));
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_CALL, TAP_TARGET_SIX, 2, 0, NULL));
	ASSERT_EQ(0, window(self->s.fd, &w, TAP_WINDOW_F_GIVE, 0));
	EXPECT_EQ(0, w.out_merged);
	EXPECT_EQ(5, w.out_missed);
}

TEST_F(window, by_hand_has_no_probe)
{
	struct tap_time before;
	struct tap_window w;

	windows_open(_metadata, self, 4096);
	test_ioctl_time(&before);
	ASSERT_EQ(0, window(self->s.fd, &w, TAP_WINDOW_F_TAKE, 0));
	EXPECT_EQ(0, w.out_probe);
	EXPECT_LE(before.out_raw, w.out_time);
}

/**
 * struct account - what the windows had of one CPU
 * @next: the number that comes next
 * @known: a number was seen
 * @read: bytes of records, over all windows
 * @skipped: bytes that were overwritten, or the rest of a record whose start was
 * @events: of the storm
 * @laps: windows in which the ring had been overwritten
 */
struct account {
	__u64 next;
	bool known;
	__u64 read;
	__u64 skipped;
	__u64 events;
	unsigned int laps;
};

/* Reads a ring of a set that was taken: all its records, none torn, no number missing. */
static void ring_read(struct __test_metadata *_metadata, struct test_ring *ring,
		      __u32 storm, struct account *a)
{
	__u64 head = ring->head->head, first = 0, last = 0;
	struct test_record rec;
	bool over = head - ring->pos > ring->mask + 1;

	if (over) {
		a->skipped += head - ring->pos - (ring->mask + 1);
		ring->pos = head - (ring->mask + 1);
		a->laps++;
	}
	while (ring->pos < head) {
		__u64 at = ring->pos;

		if (!test_ring_next(ring, &rec)) {
			/* Only a record whose start was overwritten has no start. */
			ASSERT_EQ(0, first) TH_LOG("a hole at %llu", (unsigned long long)at);
			a->skipped += TAP_SLOT_SIZE;
			ring->pos += TAP_SLOT_SIZE;
			continue;
		}
		a->read += ring->pos - at;
		ASSERT_FALSE(rec.broken);
		ASSERT_LE(last, rec.time);
		last = rec.time;
		if (!first)
			first = rec.time;
		ASSERT_NE(TAP_KIND_GAP, rec.kind);
		if (rec.probe != storm)
			continue;
		/* The first number after a lap is any later one. */
		if (a->known && over) {
			ASSERT_LE(a->next, rec.word[0]);
		} else if (a->known) {
			ASSERT_EQ(a->next, rec.word[0]);
		}
		over = false;
		a->known = true;
		a->next = rec.word[0] + 1;
		a->events++;
	}
	ASSERT_EQ(head, ring->pos);
}

static unsigned int windows_wanted(void)
{
	const char *wanted = getenv("TEST_WINDOWS");

	return wanted ? atoi(wanted) : 40;
}

/*
 * head - tail = read + skipped + there, and there is nothing: in each window, of each CPU. From
 * one window to the next no number is missing, unless the ring was overwritten in between: so no
 * event was lost by an exchange. An interrupt that writes records comes in between.
 */
TEST_F_TIMEOUT(window, after_window_of_a_storm_misses_no_record, 300)
{
	const unsigned int nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct tap_create create = test_create_arg(TAP_PROBE_KPROBE, "tap_target_add",
						   OPS(OP_ARG(0)));
	struct account account[TEST_MAX_RINGS] = {};
	unsigned int i, cpu, laps = 0, whole = 0;
	__u64 events = 0, head = 0, sum = 0;
	struct tap_counters c;
	struct tap_window w;
	__u32 trigger, irq;

	windows_open(_metadata, self, 524288);
	create.limit = TAP_NO_LIMIT;
	ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	test_ioctl_create(&irq, TAP_PROBE_RAWTP, "hrtimer_expire_entry", OP_ARG(0), OP_COMM);
	test_ioctl_create(&trigger, TAP_PROBE_KPROBE, "tap_target_six", OP_TRIGGER);
	test_ioctl_enable(0);
	ASSERT_EQ(0, setpriority(PRIO_PROCESS, 0, -19));
	for (cpu = 0; cpu < nr_cpus; cpu++)
		ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_STORM, TAP_TARGET_ADD, 0, cpu,
					  NULL));
	for (i = 0; i < windows_wanted(); i++) {
		struct test_session *set;

		usleep(i % 8 == 7 ? 50000 : i % 8 * 500);
		ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_CALL, TAP_TARGET_SIX, 1, 0,
					  NULL));
		usleep(i % 3 * 100);
		ASSERT_EQ(0, window(self->s.fd, &w, TAP_WINDOW_F_TAKE, 0));
		ASSERT_EQ(trigger, w.out_probe);
		ASSERT_EQ(i % 2, w.out_set);
		set = &self->set[w.out_set];
		for (cpu = 0; cpu < nr_cpus; cpu++) {
			unsigned int before = account[cpu].laps;

			ring_read(_metadata, &set->ring[cpu], create.out_id, &account[cpu]);
			if (account[cpu].laps == before)
				whole++;
			else
				laps++;
		}
		ASSERT_EQ(0, window(self->s.fd, &w, TAP_WINDOW_F_GIVE, 0));
	}
	test_ioctl_disable(0);
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		for (i = 0; i < SETS; i++) {
			head += self->set[i].ring[cpu].head->head;
			EXPECT_EQ(0, self->set[i].ring[cpu].head->lost);
			EXPECT_EQ(0, self->set[i].ring[cpu].head->bad_tail);
			/* What was written after the last window is in the active set. */
			head -= self->set[i].ring[cpu].head->head - self->set[i].ring[cpu].pos;
		}
		sum += account[cpu].read + account[cpu].skipped;
		events += account[cpu].events;
	}
	EXPECT_EQ(head, sum);
	c = test_counters(_metadata, &self->s, create.out_id);
	EXPECT_LT(events, c.written);
	EXPECT_EQ(0, c.lost_full + c.lost_nested);
	TH_LOG("%llu of %llu events in windows; rings overwritten %u times, %u times not",
	       (unsigned long long)events, (unsigned long long)c.written, laps, whole);
	EXPECT_LT(0, whole);
	EXPECT_LT(0, laps);
}

TEST_HARNESS_MAIN

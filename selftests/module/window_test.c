// SPDX-License-Identifier: GPL-2.0
/*
 * Windows: a session whose rings are overwritten, a trigger, and two sets of rings that are
 * exchanged while two CPUs write as fast as they can.
 *
 * The oracle is a number that each storm counts up: the argument of tap_target_add(). Writers in
 * softirqs, interrupts and NMIs come in between: those of tap_objects.
 */
#include "selftests/module/tap_harness.h"

#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>

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
 * @nmis: records that NMIs wrote
 * @laps: windows in which the ring had been overwritten
 */
struct account {
	__u64 next;
	bool known;
	__u64 read;
	__u64 skipped;
	__u64 events;
	__u64 nmis;
	unsigned int laps;
};

/*
 * Reads a ring of a set that was taken: all its records, none torn, no number of the probe @storm
 * missing; 0: numbers are not looked at.
 */
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
		a->nmis += !!(rec.flags & TAP_F_NMI);
		if (rec.probe != storm || rec.kind != TAP_KIND_EVENT)
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
	/* Nothing is written to a set that is out. */
	ASSERT_EQ(head, ring->head->head);
}

static __u64 wanted(const char *name, __u64 otherwise)
{
	const char *number = getenv(name);

	return number ? strtoull(number, NULL, 0) : otherwise;
}

/* head - tail = read + skipped + there, of all rings of both sets: there is what no window had. */
static __u64 account_check(struct __test_metadata *_metadata, FIXTURE_DATA(window) *self,
			   const struct account *account)
{
	__u64 head = 0, sum = 0;
	unsigned int cpu, i;

	for (cpu = 0; cpu < self->s.nr_rings; cpu++) {
		for (i = 0; i < SETS; i++) {
			const struct test_ring *ring = &self->set[i].ring[cpu];

			if (!ring->head)
				continue;
			EXPECT_EQ(0, ring->head->lost);
			EXPECT_EQ(0, ring->head->bad_tail);
			head += ring->pos;
		}
		sum += account[cpu].read + account[cpu].skipped;
	}
	EXPECT_EQ(head, sum);
	return sum / TAP_SLOT_SIZE;
}

/* Reads what a window has of all CPUs. Returns the number of rings that were overwritten. */
static unsigned int window_read(struct __test_metadata *_metadata, FIXTURE_DATA(window) *self,
				const struct tap_window *w, __u32 storm, struct account *account)
{
	struct test_session *set = &self->set[w->out_set];
	unsigned int cpu, laps = 0, before;

	for (cpu = 0; cpu < set->nr_rings; cpu++) {
		if (!set->ring[cpu].head)
			continue;
		before = account[cpu].laps;
		ring_read(_metadata, &set->ring[cpu], storm, &account[cpu]);
		laps += account[cpu].laps - before;
	}
	return laps;
}

static __u32 storm_create(struct __test_metadata *_metadata, FIXTURE_DATA(window) *self)
{
	struct tap_create create = test_create_arg(TAP_PROBE_KPROBE, "tap_target_add",
						   OPS(OP_ARG(0)));

	create.limit = TAP_NO_LIMIT;
	EXPECT_EQ(0, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	return create.out_id;
}

/* A process that makes softirqs, interrupts and NMIs on all CPUs, until it is killed. */
static pid_t interrupts_start(void)
{
	pid_t pid = fork();

	while (!pid)
		if (test_write_file("/sys/module/tap_objects/parameters/storm", "1000 64"))
			_exit(1);
	return pid;
}

/* Waits until the storm has gone over all that a ring had, however slow this kernel is. */
static void ring_await_lap(const struct test_ring *ring)
{
	while (ring->head->head - ring->pos <= ring->mask + 1)
		usleep(1000);
}

/*
 * From one window to the next no number is missing, unless the ring was overwritten in between: so
 * no event was lost by an exchange. TEST_WINDOWS and TEST_SLOTS ask for more than the default.
 */
TEST_F_TIMEOUT(window, after_window_of_a_storm_misses_no_record, 3000)
{
	const unsigned int nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	const __u64 windows = wanted("TEST_WINDOWS", 40), slots = wanted("TEST_SLOTS", 0);
	struct account account[TEST_MAX_RINGS] = {};
	__u64 events = 0, nmis = 0, seen = 0;
	unsigned int i, cpu, laps = 0, whole = 0;
	__u32 storm, trigger, irq, made;
	struct tap_counters c;
	struct tap_window w;
	pid_t interrupts;

	if (access("/sys/module/tap_objects", F_OK))
		ASSERT_EQ(0, test_module_load("tap_objects", ""));
	windows_open(_metadata, self, 524288);
	storm = storm_create(_metadata, self);
	test_ioctl_create(&irq, TAP_PROBE_RAWTP, "hrtimer_expire_entry", OP_ARG(0), OP_COMM);
	test_ioctl_create(&trigger, TAP_PROBE_KPROBE, "tap_target_six", OP_TRIGGER);
	test_ioctl_create(&made, TAP_PROBE_KPROBE, "tap_objects_freed", OP_ARG(0), OP_ARG(1), OP_COMM);
	test_ioctl_enable(0);
	ASSERT_EQ(0, setpriority(PRIO_PROCESS, 0, -19));
	for (cpu = 0; cpu < nr_cpus; cpu++)
		ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_STORM, TAP_TARGET_ADD, 0, cpu,
					  NULL));
	interrupts = interrupts_start();
	ASSERT_LT(0, interrupts);
	for (i = 0; i < windows || seen < slots; i++) {
		unsigned int over;

		usleep(i % 8 * 500);
		if (i % 8 == 7)
			ring_await_lap(&self->set[i % 2].ring[0]);
		ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_CALL, TAP_TARGET_SIX, 1, 0,
					  NULL));
		usleep(i % 3 * 100);
		ASSERT_EQ(0, window(self->s.fd, &w, TAP_WINDOW_F_TAKE, 0));
		ASSERT_EQ(trigger, w.out_probe);
		ASSERT_EQ(i % 2, w.out_set);
		over = window_read(_metadata, self, &w, storm, account);
		laps += over;
		whole += nr_cpus - over;
		ASSERT_EQ(0, window(self->s.fd, &w, TAP_WINDOW_F_GIVE, 0));
		for (cpu = 0, seen = 0; cpu < nr_cpus; cpu++)
			seen += (account[cpu].read + account[cpu].skipped) / TAP_SLOT_SIZE;
	}
	ASSERT_EQ(0, kill(interrupts, SIGKILL));
	ASSERT_EQ(interrupts, waitpid(interrupts, NULL, 0));
	test_ioctl_disable(0);
	EXPECT_EQ(seen, account_check(_metadata, self, account));
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		events += account[cpu].events;
		nmis += account[cpu].nmis;
	}
	c = test_counters(_metadata, &self->s, storm);
	EXPECT_LT(events, c.written);
	EXPECT_EQ(0, c.lost_full + c.lost_nested);
	c = test_counters(_metadata, &self->s, made);
	EXPECT_EQ(0, c.lost_full + c.lost_nested);
	TH_LOG("%u windows, %llu slots, %llu events, %llu of NMIs; rings overwritten %u times, %u times not",
	       i, (unsigned long long)seen, (unsigned long long)events, (unsigned long long)nmis, laps,
	       whole);
	EXPECT_LT(0, whole);
	EXPECT_LT(0, laps);
#ifdef __x86_64__
	EXPECT_LT(0, nmis);
#endif
}

struct flipping {
	const char *path;
	bool end;
	unsigned int times;
	int failed;
};

static void *flip(void *arg)
{
	struct flipping *f = arg;

	while (!__atomic_load_n(&f->end, __ATOMIC_ACQUIRE) && !f->failed) {
		f->failed = test_write_file(f->path, "0") || test_write_file(f->path, "1");
		f->times++;
	}
	return NULL;
}

/* The rings of a CPU that goes and comes are exchanged as the others are. */
TEST_F_TIMEOUT(window, does_not_depend_on_a_cpu_that_goes_and_comes, 600)
{
	struct flipping f = { .path = "/sys/devices/system/cpu/cpu1/online" };
	struct account account[TEST_MAX_RINGS] = {};
	unsigned int i, rounds = 0;
	struct tap_counters c;
	struct tap_window w;
	pthread_t thread;
	__u32 storm, irq;

	test_need_cpus(2);
	if (access(f.path, W_OK))
		SKIP(return, "no CPU can be taken offline");
	windows_open(_metadata, self, 65536);
	storm = storm_create(_metadata, self);
	test_ioctl_create(&irq, TAP_PROBE_RAWTP, "hrtimer_expire_entry", OP_ARG(0), OP_COMM);
	test_ioctl_enable(0);
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_STORM, TAP_TARGET_ADD, 0, 0, NULL));
	ASSERT_EQ(0, pthread_create(&thread, NULL, flip, &f));
	for (i = 0; (i < 20 || __atomic_load_n(&f.times, __ATOMIC_RELAXED) < 5) && !f.failed; i++) {
		ASSERT_EQ(0, window(self->s.fd, &w, TAP_WINDOW_F_TAKE, 0));
		window_read(_metadata, self, &w, storm, account);
		ASSERT_EQ(0, window(self->s.fd, &w, TAP_WINDOW_F_GIVE, 0));
		rounds++;
	}
	__atomic_store_n(&f.end, true, __ATOMIC_RELEASE);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, f.failed);
	test_ioctl_disable(0);
	account_check(_metadata, self, account);
	c = test_counters(_metadata, &self->s, storm);
	EXPECT_EQ(0, c.lost_full + c.lost_nested);
	EXPECT_LT(0, account[0].events);
	EXPECT_LT(0, account[1].read);
	TH_LOG("%u windows, the CPU went %u times", rounds, f.times);
}

/*
 * Far over the budget of budget_round(), on a slow machine too. The budget is large, so that what a debug
 * kernel takes to arm is made up for soon.
 */
#define BUDGET_CALLS	100
#define BUDGET_ROUNDS	4000

/* Whether no ring of a set has changed since it was read. */
static bool set_is_still(const struct test_session *set)
{
	unsigned int cpu;

	for (cpu = 0; cpu < set->nr_rings; cpu++)
		if (set->ring[cpu].head && set->ring[cpu].head->head != set->ring[cpu].pos)
			return false;
	return true;
}

/*
 * While the first set is out, the budget drops events or disarms the probe, and lets events come
 * again: they go to the other set.
 */
static void budget_round(struct __test_metadata *_metadata, FIXTURE_DATA(window) *self,
			 const struct tap_cost *cost, struct account *account)
{
	struct tap_budget budget = {
		.size = sizeof(budget), .permille = 200, .costs = (uintptr_t)cost, .nr_costs = 1,
	};
	struct tap_counters c = test_counters(_metadata, &self->s, cost->id);
	__u64 read = account[0].read, before = c.written, over = 0;
	struct tap_window w;
	unsigned int i;

	ASSERT_EQ(0, window(self->s.fd, &w, TAP_WINDOW_F_TAKE, 0));
	ASSERT_EQ(0, w.out_set);
	window_read(_metadata, self, &w, 0, account);
	ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_BUDGET, &budget));
	for (i = 0; i < BUDGET_ROUNDS && !(over && c.written > before); i++) {
		before = c.written;
		test_target_call(TAP_TARGET_ADD, BUDGET_CALLS);
		usleep(2000);
		c = test_counters(_metadata, &self->s, cost->id);
		budget = (struct tap_budget){ .size = sizeof(budget) };
		ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_BUDGET, &budget));
		if (c.written == before)
			over = cost->hit ? budget.out_paused : budget.out_dropping;
	}
	EXPECT_GT(BUDGET_ROUNDS, i)
		TH_LOG("%s", over ? "events were dropped and did not come again" : "events came all the time");
	EXPECT_TRUE(set_is_still(&self->set[0]));
	ASSERT_EQ(0, window(self->s.fd, &w, TAP_WINDOW_F_GIVE, 0));
	ASSERT_EQ(0, window(self->s.fd, &w, TAP_WINDOW_F_TAKE, 0));
	window_read(_metadata, self, &w, 0, account);
	EXPECT_LE(read + BUDGET_CALLS * TAP_SLOT_SIZE, account[0].read);
	ASSERT_EQ(0, window(self->s.fd, &w, TAP_WINDOW_F_GIVE, 0));
}

TEST_F_TIMEOUT(window, goes_with_a_budget, 600)
{
	struct account account[TEST_MAX_RINGS] = {};
	/* The overdraft of two ticks is smaller than that for which the probe is disarmed. */
	struct tap_cost cost = { .passed = 60000 };
	struct tap_counters c;

	windows_open(_metadata, self, 65536);
	cost.id = storm_create(_metadata, self);
	test_ioctl_enable(0);
	ASSERT_EQ(0, test_pin(0));
	/* What is dropped costs nothing. Then it does, and the probe is disarmed. */
	budget_round(_metadata, self, &cost, account);
	cost.hit = 1000000;
	budget_round(_metadata, self, &cost, account);
	test_ioctl_disable(0);
	c = test_counters(_metadata, &self->s, cost.id);
	EXPECT_EQ(c.hits, c.written + c.throttled);
	EXPECT_LT(0, c.throttled);
	account_check(_metadata, self, account);
}

TEST_HARNESS_MAIN

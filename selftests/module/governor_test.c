// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the governor: probes that exceed their limit are throttled and resumed; return
 * probes that miss calls get a larger maxactive; and the notices of these in the stream.
 */
#include "selftests/module/return_pool_harness.h"

/* Far below the events of one round. */
#define LIMIT		1000
/* Which the kernel exceeds by itself, also a debug kernel, whose calls take far longer. */
#define LOW_LIMIT	50
#define ROUND_CALLS	200
#define ROUND_US	5000
#define MAX_ROUNDS	4000

#define NR_CALLERS	30
#define NR_BATCH	16

/**
 * struct seen - what was read of a stream so far
 * @limit: that notices must have; 0: LIMIT
 * @events: records of events
 * @gaps: losses reported by gap records
 * @throttled: notices TAP_NOTICE_THROTTLED
 * @resumed: notices TAP_NOTICE_RESUMED
 * @dropped: sum of dropped events in the latter
 * @raised: notices TAP_NOTICE_MAXACTIVE_RAISED
 * @missed: sum of missed calls in the latter
 * @room: maxactive in the last of them
 */
struct seen {
	__u64 limit;
	__u64 events;
	__u64 gaps;
	__u64 throttled;
	__u64 resumed;
	__u64 dropped;
	__u64 raised;
	__u64 missed;
	__u64 room;
};

FIXTURE(governor)
{
	struct test_session s;
	int target;
};

FIXTURE_SETUP(governor)
{
	test_setup();
	test_session_open(_metadata, &self->s, 1 << 20);
}

FIXTURE_TEARDOWN(governor)
{
	test_teardown();
}

static int create_limited(int fd, __u32 *id, __u32 limit, __u32 flags,
			  const char *target, const struct tap_op *ops, __u32 nr_ops)
{
	struct tap_create create = test_create_arg(TAP_PROBE_KPROBE, target, ops,
						   nr_ops);
	int ret;

	create.limit = limit;
	create.flags = flags;
	ret = ioctl(fd, TAP_IOC_CREATE, &create);
	*id = create.out_id;
	return ret;
}

static void look_at_notice(struct __test_metadata *_metadata,
			   const struct test_record *rec, struct seen *seen)
{
	EXPECT_EQ(1, rec->slots);
	EXPECT_EQ(0, rec->flags | rec->tid | rec->tgid);
	EXPECT_GE(rec->time, rec->word[TAP_NOTICE_SINCE]);
	switch (rec->word[TAP_NOTICE_WHAT]) {
	case TAP_NOTICE_THROTTLED:
		/* They alternate, even if some had to wait for room in the ring. */
		EXPECT_EQ(seen->throttled, seen->resumed);
		EXPECT_EQ(seen->limit ?: LIMIT, rec->word[TAP_NOTICE_SIZE]);
		EXPECT_EQ(0, rec->word[TAP_NOTICE_COUNT]);
		seen->throttled++;
		break;
	case TAP_NOTICE_RESUMED:
		EXPECT_EQ(seen->throttled, seen->resumed + 1);
		seen->resumed++;
		seen->dropped += rec->word[TAP_NOTICE_COUNT];
		break;
	case TAP_NOTICE_MAXACTIVE_RAISED:
		EXPECT_LT(0, rec->word[TAP_NOTICE_COUNT]);
		seen->raised++;
		seen->missed += rec->word[TAP_NOTICE_COUNT];
		seen->room = rec->word[TAP_NOTICE_SIZE];
		break;
	default:
		EXPECT_TRUE(false) TH_LOG("notice %llu", rec->word[TAP_NOTICE_WHAT]);
	}
}

/* Reads the available records in order. */
static void look(struct __test_metadata *_metadata, struct test_session *s,
		 __u32 id, struct seen *seen)
{
	struct test_record rec;

	while (test_session_next(s, &rec)) {
		if (rec.kind == TAP_KIND_EVENT)
			seen->events++;
		else if (rec.kind == TAP_KIND_GAP)
			seen->gaps += rec.word[TAP_GAP_LOST];
		else if (rec.probe == id || !id)
			look_at_notice(_metadata, &rec, seen);
	}
}

/* Makes events until that many notices of resumed probes were read. */
static __u64 storm_until(struct __test_metadata *_metadata, struct test_session *s,
			 int target, __u32 id, __u64 resumed, struct seen *seen)
{
	unsigned int round;

	for (round = 0; round < MAX_ROUNDS && seen->resumed < resumed; round++) {
		ASSERT_EQ(0, _test_target(target, TAP_TARGET_CALL, TAP_TARGET_ADD,
					  ROUND_CALLS, 0, NULL));
		usleep(ROUND_US);
		look(_metadata, s, id, seen);
	}
	EXPECT_GT(MAX_ROUNDS, round);
	return (__u64)round * ROUND_CALLS;
}

/* Reads the rest after the probe was disabled. */
static void look_at_rest(struct __test_metadata *_metadata, struct test_session *s,
			 __u32 id, struct seen *seen)
{
	__u64 pending;

	look(_metadata, s, id, seen);
	ASSERT_EQ(0, _test_ioctl_flush(s->fd, &pending));
	EXPECT_EQ(0, pending);
	look(_metadata, s, id, seen);
}

TEST_F_TIMEOUT(governor, a_probe_over_its_limit_is_heard_one_tick_in_ten_and_that_is_said, 120)
{
	struct seen seen = {};
	struct tap_counters c;
	__u64 calls;
	__u32 id;

	ASSERT_EQ(0, create_limited(self->s.fd, &id, LIMIT, 0, "tap_target_add",
				    OPS(OP_ARG(0))));
	test_ioctl_enable(id);
	calls = storm_until(_metadata, &self->s, self->target, id, 3, &seen);
	test_ioctl_disable(id);
	look_at_rest(_metadata, &self->s, id, &seen);
	c = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(calls, c.hits);
	EXPECT_EQ(seen.events, c.written);
	EXPECT_EQ(0, c.lost_full + c.lost_nested + seen.gaps);
	/* Each period of throttling has ended, and all dropped events were reported. */
	EXPECT_EQ(seen.throttled, seen.resumed);
	EXPECT_EQ(seen.dropped, c.throttled);
	EXPECT_LT(c.written * 2, c.throttled);
	EXPECT_LT(0, c.written);
}

/* Calls the function until it is stopped. */
struct caller {
	pthread_t thread;
	int target;
	bool stop;
};

static void *call_on(void *arg)
{
	struct caller *c = arg;

	while (!__atomic_load_n(&c->stop, __ATOMIC_RELAXED))
		_test_target(c->target, TAP_TARGET_CALL, TAP_TARGET_ADD, ROUND_CALLS, 0, NULL);
	return NULL;
}

/* Probes are added until arming them takes so many ticks, or most events are dropped meanwhile. */
#define SLOW_PROBES	600
#define SLOW_ROUNDS	10
#define TICK_MS		100
#define MAX_TICKS	20

/* The first of many probes is over its limit while the others are still being armed. */
TEST_F_TIMEOUT(governor, a_probe_is_throttled_while_others_are_armed, 240)
{
	struct caller caller = { .target = self->target };
	struct tap_counters c = {};
	unsigned int round, i;
	__u64 begin, took = 0;
	__u32 id;

	ASSERT_EQ(0, create_limited(self->s.fd, &id, LIMIT, 0, "tap_target_add",
				    OPS(OP_ARG(0))));
	ASSERT_EQ(0, pthread_create(&caller.thread, NULL, call_on, &caller));
	for (round = 0; round < SLOW_ROUNDS; round++) {
		for (i = 0; i < SLOW_PROBES; i++)
			ASSERT_EQ(0, _test_ioctl_create(self->s.fd, NULL,
							TAP_PROBE_TRACEPOINT,
							"tap_target:tap_target_event",
							NULL, 0));
		begin = test_now_ms();
		test_ioctl_enable(0);
		took = test_now_ms() - begin;
		/* Alone, which is fast; the counters of a probe that fires are not of one moment. */
		test_ioctl_disable(id);
		c = test_counters(_metadata, &self->s, id);
		test_ioctl_disable(0);
		TH_LOG("armed in %llu ms: %llu events, %llu of them dropped", took, c.hits,
		       c.throttled);
		if (c.throttled > c.hits / 2 || took >= MAX_TICKS * TICK_MS)
			break;
	}
	__atomic_store_n(&caller.stop, true, __ATOMIC_RELAXED);
	pthread_join(caller.thread, NULL);
	/* A look after all are armed drops some too, but those are few. */
	EXPECT_LT(c.hits / 2, c.throttled);
}

TEST_F_TIMEOUT(governor, lets_a_probe_be_that_has_no_limit_or_makes_no_records, 120)
{
	struct seen seen = {};
	struct tap_counters c;
	__u32 ids[3], i;
	__u64 calls;

	ASSERT_EQ(0, create_limited(self->s.fd, &ids[0], TAP_NO_LIMIT, 0,
				    "tap_target_add", OPS(OP_ARG(0))));
	ASSERT_EQ(0, create_limited(self->s.fd, &ids[1], LIMIT, TAP_CREATE_F_COUNT,
				    "tap_target_add", NULL, 0));
	/* A notice about this probe shows that the governor has checked the others. */
	ASSERT_EQ(0, create_limited(self->s.fd, &ids[2], LIMIT, 0, "tap_target_add",
				    OPS(OP_ARG(0))));
	test_ioctl_enable(0);
	calls = storm_until(_metadata, &self->s, self->target, ids[2], 1, &seen);
	test_ioctl_disable(0);
	for (i = 0; i < 3; i++) {
		c = test_counters(_metadata, &self->s, ids[i]);
		EXPECT_EQ(calls, c.hits);
		EXPECT_EQ(i == 2, c.throttled > 0);
		EXPECT_EQ(0, c.lost_full);
	}
}

TEST_F_TIMEOUT(governor, notices_wait_for_room_and_are_no_losses, 120)
{
	struct test_session *s = &self->s;
	unsigned int i;
	struct seen seen = {};
	struct tap_counters c;
	__u32 id;

	test_session_close(s);
	test_session_open(_metadata, s, 4096);
	ASSERT_EQ(0, create_limited(s->fd, &id, LIMIT, 0, "tap_target_add",
				    OPS(OP_ARG(0))));
	test_ioctl_enable(id);
	/*
	 * There is no reader: the rings become full, and events are lost until the probe is
	 * throttled.
	 */
	for (i = 0; i < MAX_ROUNDS; i++) {
		test_target_call(TAP_TARGET_ADD, ROUND_CALLS);
		usleep(ROUND_US);
		c = test_counters(_metadata, s, id);
		if (c.throttled)
			break;
	}
	EXPECT_LT(0, c.throttled);
	EXPECT_LT(0, c.lost_full);
	test_ioctl_disable(id);
	look_at_rest(_metadata, s, id, &seen);
	c = test_counters(_metadata, s, id);
	EXPECT_EQ(c.written, seen.events);
	EXPECT_EQ(c.lost_full + c.lost_nested, seen.gaps);
	EXPECT_EQ(c.throttled, seen.dropped);
	EXPECT_LT(0, seen.throttled);
	EXPECT_EQ(seen.throttled, seen.resumed);
}

TEST_F_TIMEOUT(governor, a_probe_enabled_again_is_not_throttled, 120)
{
	struct seen seen = {}, then;
	unsigned int i;
	__u32 id;

	ASSERT_EQ(0, create_limited(self->s.fd, &id, LIMIT, 0, "tap_target_add",
				    OPS(OP_ARG(0))));
	test_ioctl_enable(id);
	for (i = 0; i < MAX_ROUNDS && !seen.throttled; i++) {
		test_target_call(TAP_TARGET_ADD, ROUND_CALLS);
		usleep(ROUND_US);
		look(_metadata, &self->s, id, &seen);
	}
	test_ioctl_disable(id);
	look(_metadata, &self->s, id, &seen);
	EXPECT_EQ(1, seen.throttled);
	EXPECT_EQ(1, seen.resumed);
	then = seen;
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_ADD, 10);
	test_ioctl_disable(id);
	look(_metadata, &self->s, id, &seen);
	EXPECT_EQ(then.events + 10, seen.events);
}

/* A hot function of the kernel, with a stack: the machine must stay usable. */
TEST_F_TIMEOUT(governor, a_machine_stays_usable_with_a_probe_at_its_spinlock, 1200)
{
	const struct tap_op stack = OP(TAP_OP_KSTACK, TAP_OP_OUT, 0, 0, 0, 8 * 32);
	struct seen seen = { .limit = LOW_LIMIT };
	struct tap_counters c;
	int i, status;
	__u32 id;

	if (create_limited(self->s.fd, &id, LOW_LIMIT, 0, "_raw_spin_lock", &stack, 1) &&
	    errno == ENOENT)
		SKIP(return, "_raw_spin_lock is inlined in this kernel");
	test_ioctl_enable(id);
	for (i = 0; i < MAX_ROUNDS && seen.resumed < 2; i++) {
		pid_t child = fork();

		ASSERT_LE(0, child);
		if (!child)
			_exit(7);
		ASSERT_EQ(child, waitpid(child, &status, 0));
		EXPECT_EQ(7, WEXITSTATUS(status));
		look(_metadata, &self->s, id, &seen);
		usleep(ROUND_US);
	}
	EXPECT_GT(MAX_ROUNDS, i);
	test_ioctl_disable(id);
	look_at_rest(_metadata, &self->s, id, &seen);
	c = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(seen.events, c.written);
	EXPECT_EQ(seen.gaps, c.lost_full + c.lost_nested);
	EXPECT_EQ(seen.dropped, c.throttled);
	EXPECT_LT(0, c.throttled);
}

/* @alike: number of such probes, enabled together */
FIXTURE(healing)
{
	struct test_session s;
	int target;
};

FIXTURE_VARIANT(healing)
{
	__u32 type;
	unsigned int alike;
};

FIXTURE_VARIANT_ADD(healing, kretprobe)
{
	.type = TAP_PROBE_KRETPROBE,
	.alike = 1,
};

FIXTURE_VARIANT_ADD(healing, call)
{
	.type = TAP_PROBE_CALL,
	.alike = 1,
};

FIXTURE_VARIANT_ADD(healing, batch)
{
	.type = TAP_PROBE_CALL,
	.alike = NR_BATCH,
};

/* Without rethooks, maxactive cannot be raised on kernels from 5.11 on. */
static bool room_grows(void)
{
	char line[256];
	bool grows = false;
	FILE *file = fopen("/proc/sys/kernel/osrelease", "re");

	if (file && fgets(line, sizeof(line), file))
		grows = !strncmp(line, "5.10.", 5);
	if (file)
		fclose(file);
	file = test_kallsyms();
	while (file && !grows && fgets(line, sizeof(line), file))
		grows = strstr(line, " rethook_recycle\n");
	if (file)
		fclose(file);
	return grows;
}

FIXTURE_SETUP(healing)
{
	test_setup();
	if (!room_grows())
		SKIP(return, "kretprobes of this kernel have no rethooks");
	test_session_open(_metadata, &self->s, 1 << 20);
}

FIXTURE_TEARDOWN(healing)
{
	test_teardown();
}

static void *call_blocking(void *target)
{
	_test_target((int)(intptr_t)target, TAP_TARGET_CALL, TAP_TARGET_BLOCK, 1, 0,
		     NULL);
	return NULL;
}

/* Makes that many calls at once; the governor has a tick while all are in flight. */
static void calls_at_once(struct __test_metadata *_metadata, int target,
			  unsigned int nr)
{
	pthread_t threads[NR_CALLERS];
	unsigned int i;

	for (i = 0; i < nr; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, call_blocking,
					    (void *)(intptr_t)target));
	ASSERT_TRUE(test_wait_blocked(target, nr));
	usleep(300000);
	ASSERT_EQ(0, _test_target(target, TAP_TARGET_RELEASE, 0, 0, 0, NULL));
	for (i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
}

TEST_F_TIMEOUT(healing, gives_room_for_the_calls_that_were_missed, 120)
{
	__u64 seen_events[NR_BATCH] = {}, seen_missed[NR_BATCH] = {}, missed = 1;
	__u32 id[NR_BATCH], room, i, rounds;
	struct tap_probe_info info;
	struct test_record rec;
	struct tap_counters c;
	struct tap_stats stats;

	for (i = 0; i < variant->alike; i++)
		test_ioctl_create(&id[i], variant->type, "tap_target_block", OP_COMM);
	test_ioctl_enable(0);
	test_ioctl_probe_info(id[0], NULL, 0, &info);
	room = info.out_maxactive;
	ASSERT_GT(NR_CALLERS, room);
	for (rounds = 0; rounds < 10 && missed; rounds++) {
		test_ioctl_stats(id[0], NULL, 0, &stats);
		missed = stats.out_nmissed_return;
		calls_at_once(_metadata, self->target, NR_CALLERS);
		test_ioctl_stats(id[0], NULL, 0, &stats);
		missed = stats.out_nmissed_return - missed;
	}
	/* The most rounds that doubling may take, and one round without missed calls. */
	for (i = 1; room < NR_CALLERS; i++)
		room *= 2;
	EXPECT_GE(i, rounds);
	test_ioctl_disable(0);

	while (test_session_next(&self->s, &rec)) {
		ASSERT_LE(id[0], rec.probe);
		ASSERT_GE(id[variant->alike - 1], rec.probe);
		i = rec.probe - id[0];
		if (rec.kind == TAP_KIND_EVENT) {
			seen_events[i]++;
			continue;
		}
		ASSERT_EQ(TAP_KIND_NOTICE, rec.kind);
		EXPECT_EQ(TAP_NOTICE_MAXACTIVE_RAISED, rec.word[TAP_NOTICE_WHAT]);
		EXPECT_GT(rec.time, rec.word[TAP_NOTICE_SINCE]);
		seen_missed[i] += rec.word[TAP_NOTICE_COUNT];
	}
	for (i = 0; i < variant->alike; i++) {
		c = test_counters(_metadata, &self->s, id[i]);
		test_ioctl_stats(id[i], NULL, 0, &stats);
		test_ioctl_probe_info(id[i], NULL, 0, &info);
		/* If a tick came between two missed calls, maxactive was doubled once more. */
		EXPECT_LE(room, info.out_maxactive);
		EXPECT_EQ(0, info.out_maxactive %
			     (i >= TEST_ALONE && test_returns_share() ? TEST_POOL : room));
		/* Each call was recorded once or missed, those with old instances included. */
		EXPECT_EQ((__u64)rounds * NR_CALLERS,
			  seen_events[i] + stats.out_nmissed_return);
		EXPECT_EQ(seen_events[i], c.written);
		EXPECT_EQ(seen_missed[i], stats.out_nmissed_return);
		EXPECT_EQ(0, stats.out_nmissed);
	}
}

TEST_F_TIMEOUT(healing, leaves_alone_what_was_said, 120)
{
	struct tap_probe_info info;
	struct tap_stats stats;
	struct test_record rec;
	__u32 id;

	ASSERT_EQ(0, _test_ioctl_create_flags(self->s.fd, &id, variant->type, 0, 3,
					      "tap_target_block", NULL, 0));
	test_ioctl_enable(0);
	calls_at_once(_metadata, self->target, 5);
	calls_at_once(_metadata, self->target, 5);
	test_ioctl_disable(0);
	test_ioctl_probe_info(id, NULL, 0, &info);
	EXPECT_EQ(3, info.out_maxactive);
	test_ioctl_stats(id, NULL, 0, &stats);
	EXPECT_EQ(4, stats.out_nmissed_return);
	while (test_session_next(&self->s, &rec))
		EXPECT_EQ(TAP_KIND_EVENT, rec.kind);
}

/* Calls that use old and new instances are in flight when the probe is deleted. */
TEST_F_TIMEOUT(healing, goes_with_calls_under_way, 120)
{
	pthread_t threads[NR_CALLERS];
	unsigned int i;
	__u32 id;

	for (i = 0; i < variant->alike; i++)
		test_ioctl_create(&id, variant->type, "tap_target_block", OP_COMM);
	test_ioctl_enable(0);
	for (i = 0; i < NR_CALLERS; i++) {
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, call_blocking,
					    (void *)(intptr_t)self->target));
		/* Half of them start before maxactive is raised. */
		if (i == NR_CALLERS / 2) {
			ASSERT_TRUE(test_wait_blocked(self->target, i + 1));
			usleep(300000);
		}
	}
	ASSERT_TRUE(test_wait_blocked(self->target, NR_CALLERS));
	test_session_close(&self->s);
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_RELEASE, 0, 0, 0, NULL));
	for (i = 0; i < NR_CALLERS; i++)
		ASSERT_EQ(0, pthread_join(threads[i], NULL));
}

TEST_HARNESS_MAIN

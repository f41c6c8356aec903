// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of poll(): the watermark and the time-out wake a reader, not each event, and a reader
 * never sleeps while records are due.
 */
#include "selftests/module/tap_harness.h"

#include <signal.h>
#include <sys/epoll.h>

/* A thread that calls poll() once. */
struct sleeper {
	pthread_t thread;
	int fd;
	int timeout;
	int ret;
	short revents;
	__u64 woken_ms;
	bool done;
};

static void *sleeper_main(void *data)
{
	struct sleeper *s = data;
	struct pollfd poll_fd = { .fd = s->fd, .events = POLLIN };

	s->ret = poll(&poll_fd, 1, s->timeout);
	s->revents = poll_fd.revents;
	s->woken_ms = test_now_ms();
	__atomic_store_n(&s->done, true, __ATOMIC_RELEASE);
	return NULL;
}

static void sleeper_start(struct __test_metadata *_metadata, struct sleeper *s,
			  int fd, int timeout)
{
	*s = (struct sleeper){ .fd = fd, .timeout = timeout };
	ASSERT_EQ(0, pthread_create(&s->thread, NULL, sleeper_main, s));
	/* The thread sleeps by then. */
	usleep(100000);
}

static bool sleeper_done(const struct sleeper *s)
{
	return __atomic_load_n(&s->done, __ATOMIC_ACQUIRE);
}

/* Returns the time at which the thread woke, in milliseconds after @when. */
static __s64 sleeper_join(struct sleeper *s, __u64 when)
{
	pthread_join(s->thread, NULL);
	return s->woken_ms - when;
}

FIXTURE(poll)
{
	struct test_session s;
	int target;
	__u32 id;
};

FIXTURE_VARIANT(poll)
{
	__u64 watermark;
	__u32 wake_ms;
};

/* The time-out is too long to have an effect. */
FIXTURE_VARIANT_ADD(poll, by_watermark)
{
	.watermark = 4096,
	.wake_ms = TAP_MAX_WAKE_MS,
};

/* The watermark is too high to have an effect. */
FIXTURE_VARIANT_ADD(poll, by_time)
{
	.watermark = 65536,
	.wake_ms = 200,
};

FIXTURE_SETUP(poll)
{
	self->s.fd = -1;
	self->target = -1;
	test_need_root();
	test_need_target();
	memset(&self->s, 0, sizeof(self->s));
	self->target = test_target_open(_metadata);
	self->s.fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->s.fd);
	test_ioctl_setup(65536, variant->watermark, variant->wake_ms);
	test_session_map(_metadata, &self->s);
	EXPECT_EQ(variant->watermark, self->s.meta->watermark);
	EXPECT_EQ(variant->wake_ms, self->s.meta->wake_ms);
	test_ioctl_create(&self->id, TAP_PROBE_KPROBE, "tap_target_add");
	test_ioctl_enable(self->id);
	ASSERT_EQ(0, test_pin(0));
}

FIXTURE_TEARDOWN(poll)
{
	test_teardown();
}

static int poll_now(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	return poll(&poll_fd, 1, 0);
}

TEST_F(poll, is_not_ready_when_nothing_is_there)
{
	struct pollfd poll_fd = { .fd = self->s.fd, .events = POLLIN | POLLOUT };

	EXPECT_EQ(0, poll(&poll_fd, 1, 0));
	EXPECT_EQ(0, poll(&poll_fd, 1, 500));
}

TEST_F(poll, is_ready_at_the_watermark)
{
	unsigned int slots = variant->watermark / 64;

	if (variant->watermark == 65536)
		slots = 1024;
	test_target_call(TAP_TARGET_ADD, slots - 1);
	EXPECT_EQ(0, poll_now(self->s.fd));
	test_target_call(TAP_TARGET_ADD, 1);
	EXPECT_EQ(1, poll_now(self->s.fd));
	/* poll() does not change the state; reading does. */
	EXPECT_EQ(1, poll_now(self->s.fd));
	EXPECT_EQ(slots, test_session_drain(&self->s, NULL));
	EXPECT_EQ(0, poll_now(self->s.fd));
}

TEST_F(poll, wakes_a_sleeper_at_the_watermark)
{
	struct sleeper sleeper;
	unsigned int turn;
	__u64 when;

	if (variant->wake_ms != TAP_MAX_WAKE_MS)
		return;
	for (turn = 0; turn < 5; turn++) {
		sleeper_start(_metadata, &sleeper, self->s.fd, 20000);
		test_target_call(TAP_TARGET_ADD, 63);
		usleep(100000);
		EXPECT_FALSE(sleeper_done(&sleeper));
		when = test_now_ms();
		test_target_call(TAP_TARGET_ADD, 1);
		EXPECT_GT(5000, sleeper_join(&sleeper, when));
		EXPECT_EQ(1, sleeper.ret) TH_LOG("turn %u", turn);
		EXPECT_EQ(POLLIN, sleeper.revents);
		EXPECT_EQ(64, test_session_drain(&self->s, NULL));
	}
}

/* Only unread records count for the watermark, whatever was read before. */
TEST_F(poll, wakes_a_sleeper_at_the_watermark_wherever_the_reader_is)
{
	struct sleeper sleeper;
	__u64 when;

	if (variant->wake_ms != TAP_MAX_WAKE_MS)
		return;
	test_target_call(TAP_TARGET_ADD, 10);
	EXPECT_EQ(10, test_session_drain(&self->s, NULL));
	sleeper_start(_metadata, &sleeper, self->s.fd, 20000);
	when = test_now_ms();
	/* Twice the watermark always suffices. */
	test_target_call(TAP_TARGET_ADD, 128);
	EXPECT_GT(5000, sleeper_join(&sleeper, when));
	EXPECT_EQ(1, sleeper.ret);
}

TEST_F(poll, wakes_a_sleeper_when_a_ring_is_full)
{
	struct sleeper sleeper;
	struct test_session s = {};
	__u64 when;
	__u32 id;

	if (variant->wake_ms != TAP_MAX_WAKE_MS)
		return;
	/* A watermark of the ring's size, and a reader at its middle. */
	s.fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, s.fd);
	ASSERT_EQ(0, _test_ioctl_setup(s.fd, 4096, 4096, TAP_MAX_WAKE_MS, NULL));
	test_session_map(_metadata, &s);
	ASSERT_EQ(0, _test_ioctl_create(s.fd, &id, TAP_PROBE_KPROBE,
					"tap_target_add", NULL, 0));
	ASSERT_EQ(0, _test_ioctl_enable(s.fd, id));
	test_target_call(TAP_TARGET_ADD, 32);
	EXPECT_EQ(32, test_session_drain(&s, NULL));
	sleeper_start(_metadata, &sleeper, s.fd, 20000);
	when = test_now_ms();
	test_target_call(TAP_TARGET_ADD, 65);
	EXPECT_GT(5000, sleeper_join(&sleeper, when));
	EXPECT_EQ(1, sleeper.ret);
	test_session_close(&s);
}

TEST_F(poll, wakes_a_sleeper_after_the_time_if_there_is_anything)
{
	struct sleeper sleeper;
	__u64 when;
	__s64 ms;

	if (variant->wake_ms == TAP_MAX_WAKE_MS)
		return;
	sleeper_start(_metadata, &sleeper, self->s.fd, 20000);
	/* It sleeps on while there are no records. */
	usleep(600000);
	EXPECT_FALSE(sleeper_done(&sleeper));
	when = test_now_ms();
	test_target_call(TAP_TARGET_ADD, 1);
	ms = sleeper_join(&sleeper, when);
	EXPECT_EQ(1, sleeper.ret);
	/* Four times the expected value: the machine may be slow. */
	EXPECT_GE(4 * variant->wake_ms, ms);
	EXPECT_EQ(1, test_session_drain(&self->s, NULL));
	EXPECT_EQ(0, poll_now(self->s.fd));
}

/* Records that exist when the reader goes to sleep wake it after the time-out. */
TEST_F(poll, does_not_forget_what_came_before_the_sleep)
{
	struct pollfd poll_fd = { .fd = self->s.fd, .events = POLLIN };
	__u64 when;

	if (variant->wake_ms == TAP_MAX_WAKE_MS)
		return;
	test_target_call(TAP_TARGET_ADD, 1);
	when = test_now_ms();
	EXPECT_EQ(1, poll(&poll_fd, 1, 20000));
	EXPECT_GE(4 * variant->wake_ms, test_now_ms() - when);
}

static void *trickle(void *data)
{
	int *target = data;
	unsigned int i;

	/* One event every 5 ms, 300 of them. */
	for (i = 0; i < 300; i++) {
		_test_target(*target, TAP_TARGET_CALL, TAP_TARGET_ADD, 1, 0, NULL);
		usleep(5000);
	}
	return NULL;
}

TEST_F(poll, does_not_wake_for_each_event)
{
	struct pollfd poll_fd = { .fd = self->s.fd, .events = POLLIN };
	unsigned int wakes = 0, events = 0;
	__u64 begin, ms;
	pthread_t thread;

	begin = test_now_ms();
	ASSERT_EQ(0, pthread_create(&thread, NULL, trickle, &self->target));
	while (events < 300 && poll(&poll_fd, 1, 3000) == 1) {
		wakes++;
		events += test_session_drain(&self->s, NULL);
	}
	ms = test_now_ms() - begin;
	pthread_join(thread, NULL);
	events += test_session_drain(&self->s, NULL);
	EXPECT_EQ(300, events);
	EXPECT_LT(0, wakes);
	if (variant->wake_ms == TAP_MAX_WAKE_MS)
		EXPECT_GE(300 / 64, wakes);
	if (variant->wake_ms != TAP_MAX_WAKE_MS)
		EXPECT_GE(ms / variant->wake_ms + 1, wakes)
			TH_LOG("%u wake-ups in %llu ms", wakes, ms);
}

/* Each wake-up comes in time, whenever the event comes before or during the sleep. */
TEST_F_TIMEOUT(poll, loses_no_wake_up, 60)
{
	struct pollfd poll_fd = { .fd = self->s.fd, .events = POLLIN };
	unsigned int slots, seen = 0, want = 0, turn;
	__u64 deadline, when;

	if (variant->wake_ms != TAP_MAX_WAKE_MS)
		return;
	for (turn = 0; turn < 20; turn++) {
		struct sleeper sleeper = { .fd = self->s.fd, .timeout = 15000 };

		/* Twice the watermark, from any position. */
		slots = 128 + turn % 7;
		want += slots;
		when = test_now_ms();
		ASSERT_EQ(0, pthread_create(&sleeper.thread, NULL, sleeper_main,
					    &sleeper));
		usleep(turn * 37 % 200);
		test_target_call(TAP_TARGET_ADD, slots);
		pthread_join(sleeper.thread, NULL);
		ASSERT_EQ(1, sleeper.ret) TH_LOG("turn %u", turn);
		ASSERT_GT(15000, sleeper.woken_ms - when) TH_LOG("turn %u", turn);
		for (deadline = test_now_ms() + 5000;
		     seen < want && test_now_ms() < deadline;)
			seen += test_session_drain(&self->s, NULL);
		ASSERT_EQ(want, seen);
		EXPECT_EQ(0, poll(&poll_fd, 1, 0));
	}
}

/**
 * struct single - a thread that makes one call each time it is released
 * @turn: number of releases so far
 */
struct single {
	pthread_t thread;
	int target;
	__u64 turns;
	__u64 turn;
};

static void *single_main(void *data)
{
	struct single *s = data;
	__u64 done;

	test_pin(1);
	for (done = 0; done < s->turns; done++) {
		while (__atomic_load_n(&s->turn, __ATOMIC_ACQUIRE) == done)
			sched_yield();
		_test_target(s->target, TAP_TARGET_CALL, TAP_TARGET_ADD, 1, 0, NULL);
	}
	return NULL;
}

/*
 * Single records; each reaches the watermark. They are written while a reader that has read
 * everything goes to sleep: between its test of the rings and its sleep.
 */
TEST_F_TIMEOUT(poll, wakes_for_each_of_many_single_records, 3600)
{
	const char *wanted = getenv("TEST_WAKES");
	struct single single = { .target = self->target, .turns = 1000 };
	struct test_session s = { .fd = -1 };
	struct pollfd poll_fd = { .events = POLLIN };
	struct tap_setup setup;
	volatile unsigned int spin;
	__u64 i, deadline;
	__u32 id;

	if (variant->wake_ms == TAP_MAX_WAKE_MS)
		return;
	test_need_cpus(2);
	if (wanted)
		single.turns = strtoull(wanted, NULL, 0);
	s.fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, s.fd);
	ASSERT_EQ(0, _test_ioctl_setup(s.fd, 4096, TAP_SLOT_SIZE, variant->wake_ms, &setup));
	test_session_map(_metadata, &s);
	test_ioctl_disable(self->id);
	ASSERT_EQ(0, _test_ioctl_create(s.fd, &id, TAP_PROBE_KPROBE, "tap_target_add", NULL, 0));
	ASSERT_EQ(0, _test_ioctl_enable(s.fd, id));
	poll_fd.fd = s.fd;
	/* On another CPU than the writer, which never sleeps. */
	test_pin(0);
	ASSERT_EQ(0, pthread_create(&single.thread, NULL, single_main, &single));
	for (i = 1; i <= single.turns; i++) {
		__u64 seen = 0, begin;

		__atomic_store_n(&single.turn, i, __ATOMIC_RELEASE);
		/* The call takes some thousand instructions. */
		for (spin = 0; spin < i * 37 % 1999; spin++)
			;
		/*
		 * poll() for every second record: the ones in between use up the wake-up that
		 * the last poll() has armed.
		 */
		begin = test_now_ms();
		if (i % 2)
			ASSERT_EQ(1, poll(&poll_fd, 1, 20000)) TH_LOG("record %llu", i);
		/*
		 * poll() tests the rings again after its time-out and then succeeds, so check
		 * the time.
		 */
		ASSERT_GT(20000, test_now_ms() - begin) TH_LOG("record %llu", i);
		/* The writer may have reserved the record and not written it yet. */
		for (deadline = test_now_ms() + 20000; !seen && test_now_ms() < deadline;)
			seen = test_session_drain(&s, NULL);
		ASSERT_EQ(1, seen) TH_LOG("record %llu", i);
	}
	pthread_join(single.thread, NULL);
	test_session_close(&s);
}

TEST_F(poll, tells_all_who_wait)
{
	struct sleeper sleepers[5];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sleepers); i++)
		sleeper_start(_metadata, &sleepers[i], self->s.fd, 20000);
	test_target_call(TAP_TARGET_ADD, 1000);
	for (i = 0; i < ARRAY_SIZE(sleepers); i++) {
		pthread_join(sleepers[i].thread, NULL);
		EXPECT_EQ(1, sleepers[i].ret);
	}
}

TEST_F(poll, works_through_epoll)
{
	struct epoll_event event = { .events = EPOLLIN }, out;
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	ASSERT_LE(0, epoll);
	ASSERT_EQ(0, epoll_ctl(epoll, EPOLL_CTL_ADD, self->s.fd, &event));
	EXPECT_EQ(0, epoll_wait(epoll, &out, 1, 0));
	test_target_call(TAP_TARGET_ADD, 1000);
	EXPECT_EQ(1, epoll_wait(epoll, &out, 1, 20000));
	EXPECT_EQ(1000, test_session_drain(&self->s, NULL));
	EXPECT_EQ(0, epoll_wait(epoll, &out, 1, 0));
	close(epoll);
}

static void on_alarm(int signal)
{
	(void)signal;
}

TEST_F(poll, ends_early_when_a_signal_comes)
{
	struct pollfd poll_fd = { .fd = self->s.fd, .events = POLLIN };
	struct sigaction action = { .sa_handler = on_alarm };

	sigaction(SIGALRM, &action, NULL);
	ualarm(200000, 0);
	EXPECT_ERRNO(EINTR, poll(&poll_fd, 1, 20000));
}

TEST_F(poll, of_a_session_that_closes_elsewhere_goes_on)
{
	struct sleeper sleeper;
	int fd = dup(self->s.fd);

	sleeper_start(_metadata, &sleeper, fd, 1000);
	/* The mappings and the sleeping thread hold the session. */
	close(self->s.fd);
	self->s.fd = fd;
	pthread_join(sleeper.thread, NULL);
	EXPECT_EQ(0, sleeper.ret);
}

TEST_HARNESS_MAIN

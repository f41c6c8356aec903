// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of ucall with many threads: their calls are kept apart, maxactive limits them, each
 * entered call becomes an event, and probes can be enabled and disabled meanwhile.
 */
#include "selftests/module/ucall_harness.h"

#define NR_THREADS	20

struct waiter {
	pthread_t thread;
	int go[2];
	int in[2];
};

static void do_wait(void *data)
{
	struct waiter *c = data;

	test_send_byte(c->in);
	test_wait_byte(c->go);
}

static void *waiter_main(void *data)
{
	target_do(do_wait, data);
	return NULL;
}

/* Starts threads that block in target_do(). */
static void waiters_start(struct __test_metadata *_metadata, struct waiter *c,
			  unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		ASSERT_EQ(0, pipe(c[i].go));
		ASSERT_EQ(0, pipe(c[i].in));
		ASSERT_EQ(0, pthread_create(&c[i].thread, NULL, waiter_main, &c[i]));
		ASSERT_TRUE(test_wait_byte(c[i].in));
	}
}

static void waiters_end(struct __test_metadata *_metadata, struct waiter *c,
			unsigned int nr)
{
	unsigned int i, j;

	for (i = 0; i < nr; i++) {
		ASSERT_TRUE(test_send_byte(c[i].go));
		ASSERT_EQ(0, pthread_join(c[i].thread, NULL));
		for (j = 0; j < 2; j++) {
			close(c[i].go[j]);
			close(c[i].in[j]);
		}
	}
}

TEST_F(ucall, of_many_threads_at_once_are_kept_apart)
{
	struct waiter c[NR_THREADS] = {};
	struct test_record rec;
	unsigned int i;
	__u32 id;

	test_ucall(&id, target_do, NR_THREADS, OP_ARG(1));
	test_ioctl_enable(id);
	waiters_start(_metadata, c, NR_THREADS);
	waiters_end(_metadata, c, NR_THREADS);
	for (i = 0; test_session_next(&self->s, &rec); i++) {
		struct waiter *of = (void *)(uintptr_t)rec.word[TAP_CALL_FETCHES];

		EXPECT_LE(&c[0], of);
		EXPECT_GT(&c[NR_THREADS], of);
		EXPECT_EQ(77, rec.word[TAP_CALL_RETVAL]);
		EXPECT_NE(0, rec.flags & TAP_F_DESCHEDULED);
	}
	EXPECT_EQ(NR_THREADS, i);
	EXPECT_EQ(NR_THREADS, expect_whole(_metadata, &self->s, id).written);
}

TEST_F(ucall, beyond_maxactive_is_missed_and_counted)
{
	struct waiter c[NR_THREADS] = {};
	struct tap_probe_info info;
	struct tap_counters sum;
	struct tap_stats stats;
	__u32 id;

	test_ucall(&id, target_do, 7);
	test_ioctl_probe_info(id, NULL, 0, &info);
	EXPECT_EQ(7, info.out_maxactive);
	test_ioctl_enable(id);
	waiters_start(_metadata, c, NR_THREADS);
	waiters_end(_metadata, c, NR_THREADS);
	usleep(50000);
	/* The frames of the threads are free again. */
	waiters_start(_metadata, c, 6);
	waiters_end(_metadata, c, 6);
	test_ioctl_disable(id);
	sum = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(13, sum.entered);
	EXPECT_EQ(13, sum.written);
	test_ioctl_stats(id, NULL, 0, &stats);
	EXPECT_EQ(NR_THREADS - 7, stats.out_nmissed_return);
}

TEST_F(ucall, under_way_when_its_probe_comes_or_goes_is_not_recorded)
{
	struct waiter c[10] = {};
	struct tap_counters sum;
	__u32 id;

	test_ucall(&id, target_do, 10);
	waiters_start(_metadata, c, 5);
	test_ioctl_enable(id);
	waiters_start(_metadata, c + 5, 5);
	waiters_end(_metadata, c, 5);
	EXPECT_EQ(0, test_session_drain(&self->s, NULL));
	test_ioctl_disable(id);
	waiters_end(_metadata, c + 5, 5);
	sum = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(5, sum.entered);
	EXPECT_EQ(0, sum.hits);
	/* No frame was lost. */
	waiters_start(_metadata, c, 2);
	test_ioctl_enable(id);
	waiters_start(_metadata, c + 2, 8);
	test_ioctl_disable(id);
	test_ioctl_enable(id);
	waiters_end(_metadata, c, 10);
	EXPECT_EQ(0, test_session_drain(&self->s, NULL));
	waiters_start(_metadata, c, 10);
	waiters_end(_metadata, c, 10);
	EXPECT_EQ(10, test_session_drain(&self->s, NULL));
	sum = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(5 + 8 + 10, sum.entered);
	EXPECT_EQ(10, sum.hits);
}

TEST_F(ucall, under_way_when_tapmod_is_unloaded_returns_all_the_same)
{
	struct waiter c[5] = {};
	__u32 id;

	test_need_module("tapmod");
	test_ucall(&id, target_do, 0);
	test_ioctl_enable(id);
	waiters_start(_metadata, c, 5);
	test_session_close(&self->s);
	ASSERT_EQ(0, test_module_unload("tapmod")) TH_LOG("%s", strerror(errno));
	waiters_end(_metadata, c, 5);
	ASSERT_EQ(0, test_module_load("tapmod", "")) TH_LOG("%s", strerror(errno));
}

TEST_F(ucall, loses_nothing_uncounted_though_rings_are_full)
{
	struct tap_counters c;
	__u64 gaps = 0, events, pending;
	__u32 id;

	test_session_close(&self->s);
	test_session_open(_metadata, &self->s, 4096);
	test_ucall(&id, target_step, 0, OP_ARG(0), OP_ARG(1), OP_COMM);
	test_ioctl_enable(id);
	calls(2000);
	test_ioctl_disable(id);
	events = test_session_drain(&self->s, &gaps);
	test_ioctl_flush(&pending);
	events += test_session_drain(&self->s, &gaps);
	c = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(2000, c.hits);
	EXPECT_EQ(2000, c.entered);
	EXPECT_EQ(events, c.written);
	EXPECT_EQ(gaps, c.lost_full);
}

TEST_F_TIMEOUT(ucall, loses_nothing_uncounted_on_two_processors, 120)
{
	struct test_caller c[2] = { { .cpu = 0, .count = 25000 },
			       { .cpu = 1, .count = 25000 } };
	struct test_record rec;
	struct tap_counters sum;
	__u64 events = 0;
	unsigned int i;
	__u32 id;

	test_need_cpus(2);
	test_ucall(&id, target_step, 0, OP_ARG(0), OP_ARG(1));
	test_ioctl_enable(id);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&c[i].thread, NULL, test_caller_main, &c[i]));
	for (i = 0; i < 2; i++) {
		bool more;

		do {
			more = pthread_tryjoin_np(c[i].thread, NULL);
			while (test_session_next(&self->s, &rec)) {
				events += rec.kind == TAP_KIND_EVENT;
				if (rec.kind == TAP_KIND_EVENT &&
				    rec.word[TAP_CALL_RETVAL] != rec.word[TAP_CALL_FETCHES] +
				    rec.word[TAP_CALL_FETCHES + 1])
					ASSERT_TRUE(false) TH_LOG("entry and return do not match");
			}
			usleep(more ? 2000 : 0);
		} while (more);
	}
	sum = expect_whole(_metadata, &self->s, id);
	events += test_session_drain(&self->s, NULL);
	EXPECT_EQ(50000, sum.hits);
	EXPECT_EQ(50000, sum.entered);
	EXPECT_EQ(events, sum.written);
}

TEST_F_TIMEOUT(ucall, comes_and_goes_while_its_program_runs, 400)
{
	struct test_caller c[2] = { { .cpu = 0 }, { .cpu = 1 } };
	struct test_record rec;
	struct tap_counters sum;
	unsigned int i;
	void *nr;
	__u64 all = 0;
	__u32 id;

	test_ucall(&id, target_step, 0, OP_ARG(0), OP_ARG(1));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&c[i].thread, NULL, test_caller_main, &c[i]));
	for (i = 0; i < 100; i++) {
		test_ioctl_enable(id);
		usleep(500);
		test_ioctl_disable(id);
		while (test_session_next(&self->s, &rec))
			if (rec.kind == TAP_KIND_EVENT && !(rec.flags & TAP_F_NO_RETURN))
				EXPECT_EQ(rec.word[TAP_CALL_FETCHES] + rec.word[TAP_CALL_FETCHES + 1],
					  rec.word[TAP_CALL_RETVAL]);
	}
	for (i = 0; i < 2; i++) {
		__atomic_store_n(&c[i].stop, true, __ATOMIC_RELAXED);
		ASSERT_EQ(0, pthread_join(c[i].thread, &nr));
		all += (uintptr_t)nr;
	}
	sum = test_counters(_metadata, &self->s, id);
	EXPECT_LT(0, sum.hits);
	EXPECT_GE(all, sum.entered);
	/* Each time one call of each thread may be in flight. */
	EXPECT_GE(200, sum.entered - sum.hits);
}

TEST_HARNESS_MAIN

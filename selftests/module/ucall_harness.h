/* SPDX-License-Identifier: GPL-2.0 */
/* Common to the tests of ucall: functions to be called, and what must hold after every call. */
#ifndef _TEST_MODULE_UCALL_HARNESS_H
#define _TEST_MODULE_UCALL_HARNESS_H

#include "selftests/module/uprobe_harness.h"

/* Calls a function that may never return. */
TARGET static __u64 target_do(void (*what)(void *data), void *data)
{
	what(data);
	asm volatile("");
	return 77;
}

static inline void calls(unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		target_step(i, 1000);
}

static inline void do_nothing(void *data __attribute__((unused)))
{
}

FIXTURE(ucall)
{
	struct test_session s;
	int file;
};

FIXTURE_SETUP(ucall)
{
	test_uprobe_setup();
}

FIXTURE_TEARDOWN(ucall)
{
	test_uprobe_teardown();
}

/* Expects that no call is in flight and that each entered call became an event. */
static inline struct tap_counters
expect_whole(struct __test_metadata *_metadata, struct test_session *s, __u32 id)
{
	unsigned int tries = 0;
	struct tap_counters c;
	struct tap_stats stats;

	/* The last returns of a thread that was joined may still be to come. */
	do {
		usleep(tries ? 5000 : 0);
		c = test_counters(_metadata, s, id);
	} while (c.entered != c.hits - c.filtered - c.lost_fault && ++tries < 200);
	ASSERT_EQ(0, _test_ioctl_disable(s->fd, id));
	c = test_counters(_metadata, s, id);
	EXPECT_EQ(c.entered, c.hits - c.filtered - c.lost_fault);
	ASSERT_EQ(0, _test_ioctl_stats(s->fd, id, NULL, 0, &stats));
	EXPECT_EQ(0, stats.out_nmissed_return);
	return c;
}

#endif /* _TEST_MODULE_UCALL_HARNESS_H */

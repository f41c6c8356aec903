// SPDX-License-Identifier: GPL-2.0
/*
 * Notices of the netlink family: of sessions and probes, in their order, and that
 * who misses some is told.
 */
#include "selftests/module/netlink_harness.h"

#include <sys/time.h>

TEST_F(netlink, notices_come_in_order)
{
	__u64 first = 0, age = 0;
	unsigned int i;

	ASSERT_EQ(0, nl_join(self->nl));
	for (i = 0; i < 20; i++)
		close(open_small(i % 3));
	while (self->nl->nr < 40)
		ASSERT_EQ(0, nl_part(self->nl, MSG_DONTWAIT));
	EXPECT_EQ(-EAGAIN, nl_part(self->nl, MSG_DONTWAIT));
	for (i = 0; i < self->nl->nr; i++) {
		const struct told *told = &self->nl->told[i];

		first = first ?: told->number[TAP_ATTR_SESSION];
		EXPECT_EQ(TAP_NETLINK_NOTICE, told->command);
		EXPECT_EQ(first + i / 2, told->number[TAP_ATTR_SESSION]);
		EXPECT_EQ(i % 2 ? TAP_NOTICE_CLOSED : TAP_NOTICE_OPENED,
			  told->number[TAP_ATTR_NOTICE]);
		EXPECT_EQ((__u64)getpid(), told->number[TAP_ATTR_PID]);
		EXPECT_STREQ("notify_test", told->comm);
		EXPECT_FALSE(told->has & BIT(TAP_ATTR_PROBE));
		EXPECT_FALSE(told->has & BIT(TAP_ATTR_DURATION));
		EXPECT_NE(0, told->number[TAP_ATTR_TIME]);
		if (i % 2)
			EXPECT_LE(age, told->number[TAP_ATTR_UPTIME]);
		age = told->number[TAP_ATTR_UPTIME];
	}
}

/* A probe that waits for its module, which comes and goes. */
TEST_F(netlink, notices_of_a_probe_name_it)
{
	const __u32 what[] = { TAP_NOTICE_ARMED, TAP_NOTICE_GONE };
	const struct told *told;
	unsigned int i;
	__u64 session;
	__u32 probe;

	test_need_module("tap_deferred");
	test_session_open(_metadata, &self->s, 4096);
	session = nl_last_session(self->nl);
	ASSERT_EQ(0, _test_ioctl_create_flags(self->s.fd, &probe, TAP_PROBE_RAWTP,
					      TAP_CREATE_F_WAIT, 0,
					      "tap_deferred:tap_deferred_event", NULL, 0));
	test_ioctl_enable(probe);
	ASSERT_EQ(0, nl_join(self->nl));
	ASSERT_EQ(0, test_module_load("tap_deferred", ""));
	ASSERT_EQ(0, test_module_unload("tap_deferred"));
	while (self->nl->nr < ARRAY_SIZE(what))
		ASSERT_EQ(0, nl_part(self->nl, MSG_DONTWAIT));
	EXPECT_EQ(-EAGAIN, nl_part(self->nl, MSG_DONTWAIT));
	for (i = 0; i < ARRAY_SIZE(what); i++) {
		told = &self->nl->told[i];
		EXPECT_EQ(what[i], told->number[TAP_ATTR_NOTICE]);
		EXPECT_EQ(session, told->number[TAP_ATTR_SESSION]);
		EXPECT_EQ(probe, told->number[TAP_ATTR_PROBE]);
		EXPECT_EQ(TAP_PROBE_RAWTP, told->number[TAP_ATTR_TYPE]);
		EXPECT_STREQ("tap_deferred:tap_deferred_event", told->target);
		/* In the ticks of the session it was just now. */
		EXPECT_TRUE(told->has & BIT(TAP_ATTR_DURATION));
		EXPECT_GT(60000000000, told->number[TAP_ATTR_DURATION]);
	}
}

/* What the kernel finds out by itself, a while after the hits. */
TEST_F(netlink, losses_and_throttling_are_told)
{
	const struct timeval patience = { .tv_usec = 50000 };
	const struct told *throttled = NULL, *began = NULL, *ended = NULL;
	struct tap_create create = test_create_arg(TAP_PROBE_KPROBE, "tap_target_add",
						   NULL, 0);
	struct tap_counters counters;
	unsigned int tries;
	__u64 session, lost;
	__u32 full;

	test_session_open(_metadata, &self->s, 4096);
	session = nl_last_session(self->nl);
	test_ioctl_create(&full, TAP_PROBE_KPROBE, "tap_target_add");
	create.limit = 1000;
	ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	test_ioctl_enable(0);
	ASSERT_EQ(0, nl_join(self->nl));
	ASSERT_EQ(0, setsockopt(self->nl->fd, SOL_SOCKET, SO_RCVTIMEO, &patience,
				sizeof(patience)));
	for (tries = 0; tries < 400 && !(throttled && ended); tries++) {
		const struct told *told = &self->nl->told[self->nl->nr];

		/* Hits go on until it was told of both. */
		if (!throttled || !began)
			test_target_call(TAP_TARGET_ADD, 1000);
		if (nl_part(self->nl, 0))
			continue;
		ASSERT_EQ(session, told->number[TAP_ATTR_SESSION]);
		switch (told->number[TAP_ATTR_NOTICE]) {
		case TAP_NOTICE_THROTTLED:
			throttled = told;
			break;
		case TAP_NOTICE_LOSS_BEGAN:
			began = told;
			break;
		case TAP_NOTICE_LOSS_ENDED:
			ended = told;
			break;
		}
	}
	ASSERT_NE(NULL, throttled);
	ASSERT_NE(NULL, ended);
	EXPECT_EQ(create.out_id, throttled->number[TAP_ATTR_PROBE]);
	EXPECT_STREQ("tap_target_add", throttled->target);
	EXPECT_EQ(1000, throttled->number[TAP_ATTR_SIZE]);
	ASSERT_NE(NULL, began);
	EXPECT_LT(began, ended);
	EXPECT_FALSE(began->has & BIT(TAP_ATTR_PROBE));
	EXPECT_LT(0, began->number[TAP_ATTR_COUNT]);
	EXPECT_LE(began->number[TAP_ATTR_COUNT], ended->number[TAP_ATTR_COUNT]);
	EXPECT_LE(began->number[TAP_ATTR_DURATION], ended->number[TAP_ATTR_DURATION]);
	counters = test_counters(_metadata, &self->s, full);
	lost = counters.lost_full;
	counters = test_counters(_metadata, &self->s, create.out_id);
	EXPECT_GE(lost + counters.lost_full, ended->number[TAP_ATTR_COUNT]);
}

/* Who does not read is told that he missed something, and keeps nobody waiting. */
TEST_F(netlink, notices_that_are_lost_are_told)
{
	const int bytes = 4096;
	unsigned int i;
	int ret;

	ASSERT_EQ(0, setsockopt(self->nl->fd, SOL_SOCKET, SO_RCVBUF, &bytes,
				sizeof(bytes)));
	ASSERT_EQ(0, nl_join(self->nl));
	for (i = 0; i < 100; i++)
		close(open_small(0));
	EXPECT_EQ(-ENOBUFS, nl_part(self->nl, MSG_DONTWAIT));
	do
		ret = nl_part(self->nl, MSG_DONTWAIT);
	while (!ret);
	EXPECT_EQ(-EAGAIN, ret);
	EXPECT_LT(0, self->nl->nr);
	EXPECT_GT(200, self->nl->nr);
}

TEST_HARNESS_MAIN

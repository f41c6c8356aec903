// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the netlink notices: of sessions and probes, in order, and that a listener which
 * missed some is informed.
 */
#include "selftests/module/netlink_harness.h"

#include <sys/time.h>

static __u64 now_real(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

TEST_F(netlink, notices_come_in_order)
{
	__u64 first = 0, age = 0, begin = now_real();
	unsigned int i;

	ASSERT_EQ(0, nl_join(self->nl));
	for (i = 0; i < 20; i++)
		close(open_small(i % 3));
	while (self->nl->nr < 40)
		ASSERT_EQ(0, nl_part(self->nl, MSG_DONTWAIT));
	EXPECT_EQ(-EAGAIN, nl_part(self->nl, MSG_DONTWAIT));
	for (i = 0; i < self->nl->nr; i++) {
		const struct nl_message *msg = &self->nl->message[i];

		first = first ?: msg->number[TAP_ATTR_SESSION];
		EXPECT_EQ(TAP_NETLINK_NOTICE, msg->command);
		EXPECT_EQ(first + i / 2, msg->number[TAP_ATTR_SESSION]);
		EXPECT_EQ(i % 2 ? TAP_NOTICE_CLOSED : TAP_NOTICE_OPENED,
			  msg->number[TAP_ATTR_NOTICE]);
		EXPECT_EQ((__u64)getpid(), msg->number[TAP_ATTR_PID]);
		EXPECT_STREQ("notify_test", msg->comm);
		EXPECT_FALSE(msg->has & BIT(TAP_ATTR_PROBE));
		EXPECT_FALSE(msg->has & BIT(TAP_ATTR_DURATION));
		EXPECT_LE(begin, msg->number[TAP_ATTR_TIME]);
		EXPECT_GE(now_real(), msg->number[TAP_ATTR_TIME]);
		if (i % 2)
			EXPECT_LE(age, msg->number[TAP_ATTR_UPTIME]);
		age = msg->number[TAP_ATTR_UPTIME];
	}
}

/* A deferred probe, whose module is loaded and unloaded. */
TEST_F(netlink, notices_of_a_probe_name_it)
{
	const __u32 what[] = { TAP_NOTICE_ARMED, TAP_NOTICE_GONE };
	const struct nl_message *msg;
	unsigned int i;
	__u64 session;
	__u32 probe;

	test_need_raw_tracepoints();
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
		msg = &self->nl->message[i];
		EXPECT_EQ(what[i], msg->number[TAP_ATTR_NOTICE]);
		EXPECT_EQ(session, msg->number[TAP_ATTR_SESSION]);
		EXPECT_EQ(probe, msg->number[TAP_ATTR_PROBE]);
		EXPECT_EQ(TAP_PROBE_RAWTP, msg->number[TAP_ATTR_TYPE]);
		EXPECT_STREQ("tap_deferred:tap_deferred_event", msg->target);
		/* In ticks of the session's clock, the time is just now. */
		EXPECT_TRUE(msg->has & BIT(TAP_ATTR_DURATION));
		EXPECT_GT(60000000000, msg->number[TAP_ATTR_DURATION]);
	}
}

/* The governor reports these some time after the events. */
TEST_F(netlink, losses_and_throttling_are_reported)
{
	const struct timeval patience = { .tv_usec = 50000 };
	const struct nl_message *throttled = NULL, *began = NULL, *ended = NULL;
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
		const struct nl_message *msg = &self->nl->message[self->nl->nr];

		/* Makes events until both notices have come. */
		if (!throttled || !began)
			test_target_call(TAP_TARGET_ADD, 1000);
		if (nl_part(self->nl, 0))
			continue;
		ASSERT_EQ(session, msg->number[TAP_ATTR_SESSION]);
		switch (msg->number[TAP_ATTR_NOTICE]) {
		case TAP_NOTICE_THROTTLED:
			throttled = msg;
			break;
		case TAP_NOTICE_LOSS_BEGAN:
			began = msg;
			break;
		case TAP_NOTICE_LOSS_ENDED:
			ended = msg;
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

/* A listener that does not read gets ENOBUFS, and blocks no other task. */
TEST_F(netlink, lost_notices_are_reported)
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

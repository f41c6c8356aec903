// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the gate: which events come through, of two CPUs that hit at once, and how it ends.
 */
#include "selftests/module/tap_harness.h"

#include <poll.h>
#include <sys/wait.h>

#define CALLS	2000
#define LIMIT	777

#define TEST_GATE(step)							\
	OP(TAP_OP_VAR, 0, 0, 8, TAP_VAR_GATE, step),			\
	OP(TAP_OP_JEQ, 0, TAP_OP_IMM_SRC, 8, TAP_OP_REJECT, 0)

FIXTURE(gate)
{
	struct test_session s;
	int target;
	__u32 add;
	__u32 begin;
	__u32 end;
};

FIXTURE_SETUP(gate)
{
	test_setup();
	test_session_open(_metadata, &self->s, 1 << 20);
	test_ioctl_create(&self->add, TAP_PROBE_KPROBE, "tap_target_add",
			  TEST_GATE(TAP_GATE_TAKE), OP_ARG(0));
	test_ioctl_create(&self->begin, TAP_PROBE_KPROBE, "tap_target_six",
			  TEST_GATE(TAP_GATE_OPEN), TEST_GATE(TAP_GATE_TAKE));
	test_ioctl_create(&self->end, TAP_PROBE_KPROBE, "tap_target_fail",
			  TEST_GATE(TAP_GATE_END));
}

FIXTURE_TEARDOWN(gate)
{
	test_teardown();
}

static int gate(int fd, struct tap_gate *gate, __u32 flags, __u64 limit)
{
	*gate = (struct tap_gate) { .size = sizeof(*gate), .flags = flags, .limit = limit };
	return ioctl(fd, TAP_IOC_GATE, gate);
}

#define written(id) (test_counters(_metadata, &self->s, id).written)
#define call(function, count) \
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_CALL, function, count, 0, NULL))

TEST_F(gate, is_open_until_it_is_set)
{
	struct tap_gate g;

	ASSERT_EQ(0, gate(self->s.fd, &g, 0, 0));
	EXPECT_EQ(INT64_MAX, g.out_left);
	EXPECT_EQ(0, g.out_closed);
	test_ioctl_enable(0);
	call(TAP_TARGET_ADD, 3);
	EXPECT_EQ(3, written(self->add));
	EXPECT_ERRNO(EINVAL, gate(self->s.fd, &g, 0, 1));
	EXPECT_ERRNO(EINVAL, gate(self->s.fd, &g, TAP_GATE_F_CLOSED, 0));
	EXPECT_ERRNO(EINVAL, gate(self->s.fd, &g, TAP_GATE_F_SET, BIT(63)));
	test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, "tap_target_add",
			      TEST_GATE(TAP_GATE_END + 1));
}

TEST_F(gate, lets_through_what_is_between_two_events_and_both)
{
	struct pollfd pfd = { .fd = self->s.fd, .events = POLLIN };
	const __u32 order[] = {
		self->begin, self->add, self->add, self->add, self->begin, self->end,
	};
	struct test_record rec;
	struct tap_gate g;
	size_t i = 0;

	ASSERT_EQ(0, test_pin(0));
	ASSERT_EQ(0, gate(self->s.fd, &g, TAP_GATE_F_SET | TAP_GATE_F_CLOSED, 0));
	EXPECT_EQ(1, g.out_closed);
	test_ioctl_enable(0);
	call(TAP_TARGET_ADD, 5);
	call(TAP_TARGET_FAIL, 2);
	EXPECT_EQ(0, poll(&pfd, 1, 0));
	call(TAP_TARGET_SIX, 1);
	ASSERT_EQ(0, gate(self->s.fd, &g, 0, 0));
	EXPECT_EQ(0, g.out_closed);
	call(TAP_TARGET_ADD, 3);
	call(TAP_TARGET_SIX, 1);
	call(TAP_TARGET_FAIL, 3);
	/* No record is old enough, or fills a ring: it is the gate that wakes. */
	EXPECT_EQ(1, poll(&pfd, 1, 10000));
	call(TAP_TARGET_SIX, 1);
	call(TAP_TARGET_ADD, 5);
	test_ioctl_disable(0);
	while (test_session_next(&self->s, &rec)) {
		if (rec.kind != TAP_KIND_EVENT)
			continue;
		ASSERT_LT(i, ARRAY_SIZE(order));
		EXPECT_EQ(order[i++], rec.probe);
	}
	EXPECT_EQ(ARRAY_SIZE(order), i);
	EXPECT_EQ(10, test_counters(_metadata, &self->s, self->add).filtered);
	ASSERT_EQ(0, gate(self->s.fd, &g, 0, 0));
	EXPECT_EQ(0, g.out_left);
}

TEST_F(gate, lets_through_as_many_as_its_limit_of_two_cpus)
{
	struct tap_counters sum;
	struct tap_gate g;
	pid_t child[2];
	unsigned int i;

	ASSERT_EQ(0, gate(self->s.fd, &g, TAP_GATE_F_SET, LIMIT));
	EXPECT_EQ(LIMIT, g.out_left);
	test_ioctl_enable(0);
	for (i = 0; i < ARRAY_SIZE(child); i++) {
		child[i] = fork();
		if (!child[i])
			_exit(_test_target(self->target, TAP_TARGET_CALL, TAP_TARGET_ADD, CALLS, 0,
					   NULL) ? 1 : 0);
	}
	for (i = 0; i < ARRAY_SIZE(child); i++)
		test_child_ends(_metadata, child[i]);
	test_ioctl_disable(0);
	sum = test_counters(_metadata, &self->s, self->add);
	EXPECT_EQ(2 * CALLS, sum.hits);
	EXPECT_EQ(LIMIT, sum.written);
	EXPECT_EQ(2 * CALLS - LIMIT, sum.filtered);
	/* It is set again. */
	ASSERT_EQ(0, gate(self->s.fd, &g, TAP_GATE_F_SET, 0));
	test_ioctl_enable(0);
	call(TAP_TARGET_ADD, 1);
	EXPECT_EQ(LIMIT + 1, written(self->add));
}

TEST_F(gate, only_asks_without_taking)
{
	struct tap_gate g;
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_pointer",
			  TEST_GATE(TAP_GATE_IS_OPEN));
	ASSERT_EQ(0, gate(self->s.fd, &g, TAP_GATE_F_SET | TAP_GATE_F_CLOSED, 2));
	test_ioctl_enable(0);
	call(TAP_TARGET_POINTER, 3);
	EXPECT_EQ(0, written(id));
	call(TAP_TARGET_SIX, 1);
	call(TAP_TARGET_POINTER, 3);
	EXPECT_EQ(3, written(id));
	ASSERT_EQ(0, gate(self->s.fd, &g, 0, 0));
	EXPECT_EQ(1, g.out_left);
	call(TAP_TARGET_ADD, 2);
	call(TAP_TARGET_POINTER, 3);
	EXPECT_EQ(1, written(self->add));
	EXPECT_EQ(3, written(id));
}

/* NULL + 8 cannot be read: the event is given up, so it must not have opened the gate. */
TEST_F(gate, stays_closed_at_an_event_that_is_lost)
{
	struct tap_gate g;
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_pointer",
			  OP(TAP_OP_IMM, 1, 0, 8, 0, 0), OP(TAP_OP_LOAD, 0, 1, 8, 8, 0),
			  OP(TAP_OP_JNE, 0, TAP_OP_IMM_SRC, 8, TAP_OP_REJECT, 0),
			  TEST_GATE(TAP_GATE_OPEN));
	ASSERT_EQ(0, gate(self->s.fd, &g, TAP_GATE_F_SET | TAP_GATE_F_CLOSED, 0));
	test_ioctl_enable(0);
	call(TAP_TARGET_POINTER, 1);
	ASSERT_EQ(0, gate(self->s.fd, &g, 0, 0));
	EXPECT_EQ(1, g.out_closed);
	EXPECT_EQ(1, test_counters(_metadata, &self->s, id).lost_fault);
}

TEST_HARNESS_MAIN

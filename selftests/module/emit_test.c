// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of drivers that emit events (<tapmod/emit.h>): the driver is loaded before tapmod, after it and
 * without it, and tapmod is unloaded while the driver emits on two CPUs. TEST_TURNS in the environment is
 * how often; 5 by default.
 */
#include "selftests/module/tap_harness.h"

#define DRIVER	"tap_emits"
#define FIRE	"/sys/module/" DRIVER "/parameters/fire"
#define EVENT(name)	DRIVER ":tap_emit_" name

FIXTURE(emit)
{
	struct test_session s;
};

FIXTURE_SETUP(emit)
{
	self->s.fd = -1;
	test_need_root();
	test_need_module(DRIVER);
	test_need_module("tapmod");
	test_need_raw_tracepoints();
}

FIXTURE_TEARDOWN(emit)
{
	test_session_close(&self->s);
	/* A failed test may have left it so. */
	test_module_unload(DRIVER);
	test_module_load("tapmod", "");
}

#define test_load(name, parameters)					\
	ASSERT_EQ(0, test_module_load(name, parameters))		\
		TH_LOG("%s: %s", name, strerror(errno))

#define test_unload(name)						\
	ASSERT_EQ(0, test_module_unload(name)) TH_LOG("%s: %s", name, strerror(errno))

#define test_create_event(id, name)					\
	ASSERT_EQ(0, _test_ioctl_create_flags(self->s.fd, id, TAP_PROBE_RAWTP, \
					      TAP_CREATE_F_WAIT, 0, EVENT(name), \
					      (struct tap_op[]) { OP_ARG(0) }, 1)) \
		TH_LOG("%s", strerror(errno))

/* Expects 5 events of each of the two that "fire" emits, the second only where it is traced. */
#define test_fire(id)							\
	do {								\
		__u64 had = test_counters(_metadata, &self->s, id).written; \
									\
		ASSERT_EQ(0, test_write_file(FIRE, "5"));		\
		EXPECT_EQ(had + 5, test_counters(_metadata, &self->s, id).written); \
	} while (0)

TEST_F(emit, of_a_driver_that_is_there_before_tapmod)
{
	__u32 xmit, value;

	test_unload("tapmod");
	test_load(DRIVER, "");
	ASSERT_EQ(0, test_write_file(FIRE, "5"));
	test_load("tapmod", "");
	test_session_open(_metadata, &self->s, 65536);
	test_create_event(&xmit, "xmit");
	test_create_event(&value, "value");
	test_ioctl_enable(0);
	EXPECT_EQ(TAP_STATE_ENABLED, test_state(_metadata, &self->s, xmit));
	test_fire(xmit);
	test_fire(value);
}

TEST_F(emit, of_a_driver_that_comes_after_tapmod_from_its_init_code_on)
{
	__u32 loaded, xmit;
	unsigned int turn;

	test_session_open(_metadata, &self->s, 65536);
	test_create_event(&loaded, "loaded");
	test_create_event(&xmit, "xmit");
	test_ioctl_enable(0);
	EXPECT_EQ(TAP_STATE_WAITING, test_state(_metadata, &self->s, xmit));
	for (turn = 1; turn <= 3; turn++) {
		test_load(DRIVER, "");
		EXPECT_EQ(TAP_STATE_ENABLED, test_state(_metadata, &self->s, xmit));
		test_fire(xmit);
		test_unload(DRIVER);
		EXPECT_EQ(TAP_STATE_GONE, test_state(_metadata, &self->s, xmit));
	}
	/* Some kernels, as 5.10, do not patch __init code of modules. */
	EXPECT_TRUE(test_counters(_metadata, &self->s, loaded).written == 3 ||
		    test_counters(_metadata, &self->s, loaded).written == 0);
}

TEST_F(emit, of_a_driver_without_tapmod)
{
	test_unload("tapmod");
	test_load(DRIVER, "storm=1");
	ASSERT_EQ(0, test_write_file(FIRE, "5"));
	test_unload(DRIVER);
	/* Nothing of tapmod is a dependency of the driver. */
	test_load(DRIVER, "");
	test_load("tapmod", "");
	EXPECT_EQ(0, test_module_refs("tapmod"));
	EXPECT_EQ(0, test_module_refs(DRIVER));
}

/* The values of the event in the order of its fields; whose words the handler need not cut. */
TEST_F(emit, has_its_arguments)
{
	struct test_record rec;
	__u32 id;
	int i;

	test_load(DRIVER, "");
	test_session_open(_metadata, &self->s, 65536);
	ASSERT_EQ(0, _test_ioctl_create_flags(self->s.fd, &id, TAP_PROBE_RAWTP, 0, 0, EVENT("value"),
					      (struct tap_op[]) { OP_ARG(2), OP_ARG(5) }, 2));
	test_ioctl_enable(id);
	ASSERT_EQ(0, test_write_file(FIRE, "5"));
	for (i = 0; i < 5; i++) {
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_EQ((__u8)(250 + i), (__u8)rec.word[0]);
		EXPECT_EQ((__u64)-i << 40, rec.word[1]);
	}
	EXPECT_FALSE(test_session_next(&self->s, &rec));
}

/* tapmod comes, traces and goes, while two CPUs emit without a break. */
TEST_F_TIMEOUT(emit, goes_on_while_tapmod_is_unloaded, 3000)
{
	const char *turns = getenv("TEST_TURNS");
	unsigned int turn, nr = turns ? strtoul(turns, NULL, 0) : 5, cpu, missed = 0;
	struct tap_counters all[TEST_MAX_RINGS];
	struct tap_stats stats;
	__u64 sum = 0;
	__u32 tick;

	test_need_cpus(2);
	test_load(DRIVER, "storm=1");
	for (turn = 0; turn < nr; turn++) {
		test_session_open(_metadata, &self->s, 4096);
		test_create_event(&tick, "tick");
		test_ioctl_enable(tick);
		/* Until both CPUs have emitted. */
		do {
			ASSERT_EQ(0, _test_ioctl_stats(self->s.fd, tick, all, self->s.nr_rings, &stats));
			for (cpu = 0, missed = 0; cpu < 2; cpu++)
				missed += !all[cpu].hits;
		} while (missed);
		sum += all[0].hits + all[1].hits;
		test_session_close(&self->s);
		test_unload("tapmod");
		test_load("tapmod", "");
	}
	EXPECT_LE(2 * nr, sum);
	TH_LOG("tapmod was unloaded %u times while two CPUs emitted, %llu events seen", nr,
	       (unsigned long long)sum);
	test_unload(DRIVER);
}

TEST_HARNESS_MAIN

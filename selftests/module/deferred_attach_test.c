// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of deferred attach: probes of functions in a module that is not loaded. They wait, are
 * armed before any code of the module runs, are gone when the code is freed, and are armed
 * again.
 */
#include "selftests/module/tap_harness.h"

#include <sys/wait.h>

#define LATE		"tap_deferred"
#define FUNCTION	LATE ":tap_deferred_function"
#define BEGIN		LATE ":tap_deferred_begin"
/* The last function of the init code: nothing is mapped behind it. */
#define LAST		LATE ":deferred_init"
#define FIRE		"/sys/module/" LATE "/parameters/fire"

FIXTURE(late)
{
	struct test_session s;
};

FIXTURE_VARIANT(late)
{
	__u32 type;
	unsigned int records;	/* of a call */
	unsigned int many;	/* more than go in one step, where they go in steps */
	bool instruction;	/* may be inside of a function */
};

FIXTURE_VARIANT_ADD(late, kprobe)
{
	.type = TAP_PROBE_KPROBE,
	.records = 1,
	.many = 40,
	.instruction = true,
};

FIXTURE_VARIANT_ADD(late, kretprobe)
{
	.type = TAP_PROBE_KRETPROBE,
	.records = 1,
	.many = 40,
};

FIXTURE_VARIANT_ADD(late, call)
{
	.type = TAP_PROBE_CALL,
	.records = 1,
	.many = 5,
};

FIXTURE_VARIANT_ADD(late, funcgraph)
{
	.type = TAP_PROBE_FUNCGRAPH,
	.records = 2,
	.many = 5,
};

FIXTURE_VARIANT_ADD(late, func)
{
	.type = TAP_PROBE_FUNC,
	.records = 1,
	.many = 5,
};

/* Older kernels have no funcgraph. */
static bool has_type(struct __test_metadata *_metadata, int fd, __u32 type)
{
	struct tap_info info;

	ASSERT_EQ(0, _test_ioctl_info(fd, &info));
	return type != TAP_PROBE_FUNCGRAPH ||
	       info.out_features & TAP_FEATURE_FUNCGRAPH;
}

FIXTURE_SETUP(late)
{
	self->s.fd = -1;
	test_need_root();
	test_need_module(LATE);
	test_session_open(_metadata, &self->s, 65536);
	if (!has_type(_metadata, self->s.fd, variant->type))
		SKIP(return, "this kernel has no funcgraph");
}

FIXTURE_TEARDOWN(late)
{
	test_session_close(&self->s);
	/* A failed test may have left it loaded. */
	test_module_unload(LATE);
}

static int create_wait(int fd, __u32 *id, __u32 type, const char *target)
{
	return _test_ioctl_create_flags(fd, id, type, TAP_CREATE_F_WAIT, 0,
					target, NULL, 0);
}

#define test_create_wait(id, target)					\
	ASSERT_EQ(0, create_wait(self->s.fd, id, variant->type, target))

#define EXPECT_STATE(state, id)						\
	EXPECT_EQ(state, test_state(_metadata, &self->s, id))

#define EXPECT_HITS(nr, id)						\
	EXPECT_EQ((nr) * variant->records,				\
		  test_counters(_metadata, &self->s, id).written)

#define test_load(parameters)						\
	ASSERT_EQ(0, test_module_load(LATE, parameters))		\
		TH_LOG("%s", strerror(errno))

#define test_unload()							\
	ASSERT_EQ(0, test_module_unload(LATE)) TH_LOG("%s", strerror(errno))

#define test_fire(nr)	ASSERT_EQ(0, test_write_file(FIRE, #nr))

static __u64 address(struct __test_metadata *_metadata,
		     const struct test_session *s, __u32 id)
{
	struct tap_probe_info info;

	ASSERT_EQ(0, _test_ioctl_probe_info(s->fd, id, NULL, 0, &info));
	return info.out_address;
}

TEST_F(late, arms_itself_goes_and_comes_again)
{
	struct test_record rec;
	unsigned int turn;
	__u32 id;

	test_create_wait(&id, FUNCTION);
	EXPECT_STATE(TAP_STATE_DISABLED, id);
	test_ioctl_enable(id);
	EXPECT_STATE(TAP_STATE_WAITING, id);
	EXPECT_EQ(0, address(_metadata, &self->s, id));
	EXPECT_FALSE(test_session_next(&self->s, &rec));
	for (turn = 1; turn <= 3; turn++) {
		test_load("");
		EXPECT_STATE(TAP_STATE_ENABLED, id);
		EXPECT_NE(0, address(_metadata, &self->s, id));
		test_fire(10);
		EXPECT_EQ(10 * variant->records,
			  test_session_drain(&self->s, NULL));
		test_unload();
		EXPECT_STATE(TAP_STATE_GONE, id);
		EXPECT_EQ(0, address(_metadata, &self->s, id));
		EXPECT_HITS(10 * turn, id);
	}
	test_ioctl_disable(id);
	test_ioctl_enable(id);
	test_load("");
	test_fire(10);
	EXPECT_HITS(40, id);
}

/* Init code of the module is recorded; the probe is gone when it has run. */
TEST_F(late, of_the_begin_of_a_module_sees_it)
{
	unsigned int turn;
	__u32 id, whole, last;

	test_create_wait(&id, BEGIN);
	test_create_wait(&whole, FUNCTION);
	test_create_wait(&last, LAST);
	test_ioctl_enable(0);
	for (turn = 1; turn <= 3; turn++) {
		test_load("");
		EXPECT_HITS(turn, id);
		EXPECT_HITS(turn, last);
		EXPECT_STATE(TAP_STATE_GONE, id);
		EXPECT_STATE(TAP_STATE_GONE, last);
		EXPECT_STATE(TAP_STATE_ENABLED, whole);
		test_fire(1);
		test_unload();
		EXPECT_STATE(TAP_STATE_GONE, id);
		EXPECT_STATE(TAP_STATE_GONE, whole);
	}
	EXPECT_HITS(3, id);
	EXPECT_HITS(3, whole);
}

TEST_F(late, of_a_module_that_fails_to_load_sees_that)
{
	__u32 id, whole;

	test_create_wait(&id, BEGIN);
	test_create_wait(&whole, FUNCTION);
	test_ioctl_enable(0);
	EXPECT_ERRNO(EPROTO, test_module_load(LATE, "fail=71"));
	EXPECT_HITS(1, id);
	EXPECT_STATE(TAP_STATE_GONE, id);
	EXPECT_STATE(TAP_STATE_GONE, whole);
	test_load("");
	EXPECT_HITS(2, id);
	EXPECT_STATE(TAP_STATE_ENABLED, whole);
	test_fire(10);
	EXPECT_HITS(10, whole);
}

TEST_F(late, that_is_disabled_stays_so)
{
	__u32 id;

	test_create_wait(&id, FUNCTION);
	test_load("");
	EXPECT_STATE(TAP_STATE_DISABLED, id);
	test_fire(10);
	EXPECT_EQ(0, test_counters(_metadata, &self->s, id).hits);
	/* The function was found, though. */
	test_ioctl_enable(id);
	EXPECT_STATE(TAP_STATE_ENABLED, id);
	test_fire(10);
	EXPECT_HITS(10, id);
	test_ioctl_disable(id);
	EXPECT_STATE(TAP_STATE_DISABLED, id);
	test_fire(10);
	EXPECT_HITS(10, id);
	test_unload();
	EXPECT_STATE(TAP_STATE_GONE, id);
}

TEST_F(late, whose_module_is_there_need_not_wait)
{
	__u32 id;

	test_load("");
	test_create_wait(&id, FUNCTION);
	test_ioctl_enable(id);
	EXPECT_STATE(TAP_STATE_ENABLED, id);
	test_fire(10);
	EXPECT_HITS(10, id);
	test_unload();
	test_load("");
	EXPECT_STATE(TAP_STATE_ENABLED, id);
	test_fire(10);
	EXPECT_HITS(20, id);
}

TEST_F(late, may_be_given_up)
{
	__u32 id, never;

	test_create_wait(&id, FUNCTION);
	test_ioctl_enable(id);
	test_ioctl_delete(id);
	test_create_wait(&id, FUNCTION);
	test_ioctl_enable(id);
	test_ioctl_disable(id);
	test_create_wait(&never, "tap_never:tap_never");
	test_ioctl_enable(never);
	/* The name of this module is only the start of the other one's. */
	test_create_wait(&never, "tap_deferre:tap_deferred_function");
	test_ioctl_enable(never);
	test_load("");
	test_fire(10);
	EXPECT_EQ(0, test_session_drain(&self->s, NULL));
	EXPECT_STATE(TAP_STATE_WAITING, never);
	EXPECT_STATE(TAP_STATE_DISABLED, id);
	test_ioctl_delete(id);
	test_unload();
}

TEST_F(late, that_is_not_in_its_module_says_so)
{
	__u32 id, other;

	test_create_wait(&id, LATE ":tap_deferred_functoin");
	test_create_wait(&other, FUNCTION);
	test_ioctl_enable(0);
	EXPECT_STATE(TAP_STATE_WAITING, id);
	test_load("");
	EXPECT_STATE(TAP_STATE_FAILED, id);
	EXPECT_STATE(TAP_STATE_ENABLED, other);
	test_unload();
	EXPECT_STATE(TAP_STATE_FAILED, id);
	test_load("");
	EXPECT_STATE(TAP_STATE_FAILED, id);
	test_ioctl_disable(id);
	EXPECT_STATE(TAP_STATE_FAILED, id);
	test_ioctl_enable(id);
}

TEST_F(late, may_be_an_instruction)
{
	__u32 id, none;

	if (!variant->instruction) {
		EXPECT_NE(0, create_wait(self->s.fd, &id, variant->type,
					 FUNCTION "+0x7ffffff0"));
		return;
	}
	test_create_wait(&id, FUNCTION "+0");
	test_create_wait(&none, FUNCTION "+0x7ffffff0");
	test_ioctl_enable(0);
	test_load("");
	EXPECT_STATE(TAP_STATE_ENABLED, id);
	EXPECT_STATE(TAP_STATE_FAILED, none);
	test_fire(10);
	EXPECT_HITS(10, id);
}

TEST_F(late, keeps_nobody_from_unloading_its_module_but_its_own)
{
	__u32 id;

	test_create_wait(&id, FUNCTION);
	test_ioctl_enable(id);
	EXPECT_ERRNO(EWOULDBLOCK, test_module_unload("tapmod"));
	test_load("");
	EXPECT_EQ(0, test_module_refs(LATE));
	EXPECT_ERRNO(EWOULDBLOCK, test_module_unload("tapmod"));
	test_unload();
}

/* One of the probes is not deferred. */
TEST_F(late, is_one_of_many)
{
	unsigned int i, turn;
	__u32 ids[40], plain;

	for (i = 0; i < variant->many; i++)
		test_create_wait(&ids[i], i ? FUNCTION : BEGIN);
	test_ioctl_enable(0);
	test_load("");
	test_ioctl_create(&plain, variant->type, FUNCTION);
	test_ioctl_enable(plain);
	for (turn = 1; turn <= 2; turn++) {
		test_fire(3);
		for (i = 0; i < variant->many; i++) {
			EXPECT_HITS(i ? 3 * turn : turn, ids[i]);
			EXPECT_STATE(i ? TAP_STATE_ENABLED : TAP_STATE_GONE,
				     ids[i]);
		}
		test_unload();
		test_load("");
	}
	EXPECT_HITS(3, plain);
	EXPECT_STATE(TAP_STATE_GONE, plain);
}

TEST_F(late, of_many_sessions_all_see_a_module_come_and_go)
{
	struct test_session s[5];
	unsigned int i;
	__u32 id;

	for (i = 0; i < ARRAY_SIZE(s); i++) {
		test_session_open(_metadata, &s[i], 4096);
		ASSERT_EQ(0, create_wait(s[i].fd, &id, variant->type, FUNCTION));
		ASSERT_EQ(0, _test_ioctl_enable(s[i].fd, id));
	}
	test_session_close(&s[4]);
	test_load("");
	test_session_close(&s[0]);
	test_fire(7);
	test_unload();
	test_session_close(&s[1]);
	for (i = 2; i < 4; i++) {
		EXPECT_EQ(TAP_STATE_GONE, test_state(_metadata, &s[i], id));
		EXPECT_EQ(7 * variant->records,
			  test_session_drain(&s[i], NULL));
		test_session_close(&s[i]);
	}
}

/* Probes of all types, on a module that is loaded and unloaded all the time. */
FIXTURE(storm)
{
	struct test_session s;
};

FIXTURE_SETUP(storm)
{
	self->s.fd = -1;
	test_need_root();
	test_need_module(LATE);
	test_session_open(_metadata, &self->s, 65536);
}

FIXTURE_TEARDOWN(storm)
{
	test_session_close(&self->s);
	test_module_unload(LATE);
}

static const __u32 types[] = {
	TAP_PROBE_KPROBE, TAP_PROBE_KRETPROBE, TAP_PROBE_CALL, TAP_PROBE_FUNC,
	TAP_PROBE_RAWTP,
};

static void create_storm(struct __test_metadata *_metadata, int fd, __u32 *ids)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		ASSERT_EQ(0, create_wait(fd, &ids[i], types[i],
					 types[i] == TAP_PROBE_RAWTP ?
					 LATE ":tap_deferred_event" : FUNCTION)) {
			TH_LOG("type %u: %s", types[i], strerror(errno));
		}
}

TEST_F_TIMEOUT(storm, of_loads_and_unloads_is_counted_right, 300)
{
	__u64 events = 0, gaps = 0, pending, written = 0, lost = 0;
	__u32 ids[ARRAY_SIZE(types)];
	struct tap_counters c;
	unsigned int turn, i;

	create_storm(_metadata, self->s.fd, ids);
	test_ioctl_enable(0);
	for (turn = 0; turn < 100; turn++) {
		test_load("storm=1");
		usleep(2000);
		events += test_session_drain(&self->s, &gaps);
		test_unload();
		for (i = 0; i < ARRAY_SIZE(types); i++)
			EXPECT_STATE(TAP_STATE_GONE, ids[i]);
	}
	test_ioctl_disable(0);
	events += test_session_drain(&self->s, &gaps);
	test_ioctl_flush(&pending);
	events += test_session_drain(&self->s, &gaps);
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		c = test_counters(_metadata, &self->s, ids[i]);
		EXPECT_LT(100, c.hits);
		/* No call was in flight when the code was freed. */
		if (types[i] == TAP_PROBE_CALL) {
			EXPECT_EQ(c.hits, c.entered);
		}
		written += c.written;
		lost += c.lost_full + c.lost_nested;
	}
	EXPECT_EQ(written, events);
	EXPECT_EQ(lost, gaps);
}

/* Sessions are opened, enabled, disabled and closed while their module is loaded and unloaded. */
TEST_F_TIMEOUT(storm, of_sessions_beside_loads_does_no_harm, 300)
{
	__u32 ids[ARRAY_SIZE(types)];
	struct test_session s;
	unsigned int turn = 0;
	int status, end[2];
	pid_t child;
	char byte;

	ASSERT_EQ(0, pipe2(end, O_NONBLOCK));
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		for (turn = 0; turn < 30; turn++) {
			if (test_module_load(LATE, "storm=1"))
				_exit(1);
			/* A task that registers a probe holds the module meanwhile. */
			while (test_module_unload(LATE))
				if (errno != EWOULDBLOCK)
					_exit(2);
		}
		_exit(0);
	}
	close(end[1]);
	/* The pipe ends when the last child has ended. */
	while (read(end[0], &byte, 1) < 0 && errno == EAGAIN) {
		test_session_open(_metadata, &s, 4096);
		create_storm(_metadata, s.fd, ids);
		EXPECT_EQ(0, _test_ioctl_enable(s.fd, 0));
		if (turn & 1) {
			EXPECT_EQ(0, _test_ioctl_disable(s.fd, 0));
		}
		if (turn & 2) {
			EXPECT_EQ(0, _test_ioctl_delete(s.fd,
					ids[turn % ARRAY_SIZE(ids)]));
		}
		test_session_close(&s);
		turn++;
	}
	close(end[0]);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, test_module_refs(LATE) + 1);
	EXPECT_EQ(1, test_module_refs("tapmod"));
}

TEST_HARNESS_MAIN

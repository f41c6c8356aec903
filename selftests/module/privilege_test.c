// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of privileges: CAP_PERFMON to trace, CAP_SYSLOG to see kernel addresses; and what
 * holds after the opener has dropped them or passed the file on.
 */
#include "selftests/module/tap_harness.h"

#include <sys/prctl.h>

#define CAP(name)	BIT(name)
/* Lets a process of root open files that only root may open. */
#define CAP_OPEN	CAP(CAP_DAC_OVERRIDE)

/* Whether a value is a kernel address: in the upper half, and not a small negative number. */
static bool is_address(__u64 value)
{
	return (__s64)value < 0 && value < -(16ULL << 20);
}

FIXTURE(privilege)
{
	struct test_session s;
	int target;
};

FIXTURE_SETUP(privilege)
{
	test_setup();
}

FIXTURE_TEARDOWN(privilege)
{
	test_teardown();
}

TEST_F(privilege, without_any_the_device_does_not_open)
{
	ASSERT_EQ(0, test_keep_caps(CAP_OPEN));
	EXPECT_ERRNO(EPERM, open(TAP_DEVICE, O_RDWR));
	EXPECT_ERRNO(EPERM, open(TAP_DEVICE, O_RDONLY));
}

TEST_F(privilege, of_every_kind_but_the_right_one_does_not_open_it)
{
	unsigned int cap;

	/* All at once: afterwards none can be regained. */
	ASSERT_EQ(0, test_keep_caps((BIT(CAP_LAST_CAP + 1) - 1) &
				    ~CAP(CAP_PERFMON) & ~CAP(CAP_SYS_ADMIN)));
	EXPECT_ERRNO(EPERM, open(TAP_DEVICE, O_RDWR));
	for (cap = 0; cap < 2; cap++)
		EXPECT_ERRNO(EPERM, open(TAP_DEVICE, O_RDWR | O_NONBLOCK));
}

TEST_F(privilege, to_monitor_suffices)
{
	__u32 id;

	ASSERT_EQ(0, test_keep_caps(CAP_OPEN | CAP(CAP_PERFMON)));
	test_session_open(_metadata, &self->s, 4096);
	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add");
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_ADD, 1);
	EXPECT_EQ(1, test_session_drain(&self->s, NULL));
}

TEST_F(privilege, of_administration_includes_it)
{
	ASSERT_EQ(0, test_keep_caps(CAP_OPEN | CAP(CAP_SYS_ADMIN)));
	test_session_open(_metadata, &self->s, 4096);
}

TEST_F(privilege, is_not_for_everybody)
{
	struct stat stat_buf;

	ASSERT_EQ(0, stat(TAP_DEVICE, &stat_buf));
	EXPECT_EQ(0600, stat_buf.st_mode & 07777);
	EXPECT_EQ(0, stat_buf.st_uid);
	ASSERT_EQ(0, setuid(65534));
	EXPECT_ERRNO(EACCES, open(TAP_DEVICE, O_RDWR));
}

/* Capabilities in a user namespace of one's own do not count. */
TEST_F(privilege, in_a_user_namespace_is_none)
{
	if (unshare(CLONE_NEWUSER))
		SKIP(return, "no user namespaces");
	EXPECT_EQ(-1, open(TAP_DEVICE, O_RDWR));
	EXPECT_TRUE(errno == EPERM || errno == EACCES);
}

/* Records contain ids of the initial pid namespace. */
TEST_F(privilege, in_a_pid_namespace_is_none)
{
	int status;
	pid_t child;

	if (unshare(CLONE_NEWPID))
		SKIP(return, "no pid namespaces");
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		EXPECT_ERRNO(EPERM, open(TAP_DEVICE, O_RDWR));
		_exit(0);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
}

TEST_F(privilege, is_looked_at_when_a_probe_is_made_and_enabled)
{
	struct tap_probe_info info;
	struct tap_counters c;
	struct tap_time now;
	__u64 pending;
	__u32 id, on;

	test_session_open(_metadata, &self->s, 4096);
	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add");
	test_ioctl_create(&on, TAP_PROBE_KPROBE, "tap_target_add");
	test_ioctl_enable(on);
	ASSERT_EQ(0, test_keep_caps(0));
	test_err_ioctl_create(EPERM, TAP_PROBE_KPROBE, "tap_target_add");
	test_err_ioctl_create(EPERM, TAP_PROBE_RAWTP, "sched_switch");
	/* This is checked before all other arguments. */
	test_err_ioctl_create(EPERM, -1, "");
	test_err_ioctl_enable(EPERM, id);
	test_err_ioctl_enable(EPERM, 0);
	test_err_ioctl_enable(EPERM, 4711);
	EXPECT_EQ(TAP_STATE_DISABLED, test_state(_metadata, &self->s, id));

	/* Existing probes may be read and deleted. */
	test_target_call(TAP_TARGET_ADD, 1);
	test_ioctl_disable(on);
	c = test_counters(_metadata, &self->s, on);
	EXPECT_EQ(1, c.hits);
	test_ioctl_probe_info(on, NULL, 0, &info);
	test_ioctl_flush(&pending);
	test_ioctl_time(&now);
	test_ioctl_delete(id);
	EXPECT_EQ(1, test_session_drain(&self->s, NULL));
}

/* The same in another process that has inherited the file. */
TEST_F(privilege, does_not_come_with_the_file)
{
	pid_t child;
	__u32 id;

	test_session_open(_metadata, &self->s, 4096);
	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add");
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		ASSERT_EQ(0, setuid(65534));
		test_err_ioctl_create(EPERM, TAP_PROBE_KPROBE, "tap_target_add");
		test_err_ioctl_enable(EPERM, id);
		_exit(0);
	}
	test_child_ends(_metadata, child);
	EXPECT_EQ(TAP_STATE_DISABLED, test_state(_metadata, &self->s, id));
}

/* Each type of probe, with all words that can be addresses. */
FIXTURE(address)
{
	struct test_session s;
	int target;
};

FIXTURE_VARIANT(address)
{
	__u32 type;
	__u32 function;
	const char *name;
	struct tap_op ops[2];
	unsigned int nr_ops;
	/* The word that is an address. */
	unsigned int word;
};

FIXTURE_VARIANT_ADD(address, kprobe_argument)
{
	.type = TAP_PROBE_KPROBE,
	.function = TAP_TARGET_POINTER,
	.name = "tap_target_pointer",
	.ops = { OP_ARG(0) },
	.nr_ops = 1,
};

FIXTURE_VARIANT_ADD(address, kprobe_register)
{
	.type = TAP_PROBE_KPROBE,
	.function = TAP_TARGET_ADD,
	.name = "tap_target_add",
	/* ip: where the probe is */
	.ops = { OP_COMM, OP_REG(128) },
	.nr_ops = 2,
	.word = 2,
};

FIXTURE_VARIANT_ADD(address, kretprobe_result)
{
	.type = TAP_PROBE_KRETPROBE,
	.function = TAP_TARGET_POINTER,
	.name = "tap_target_pointer",
	.ops = { OP_RETVAL },
	.nr_ops = 1,
};

FIXTURE_VARIANT_ADD(address, call_argument)
{
	.type = TAP_PROBE_CALL,
	.function = TAP_TARGET_POINTER,
	.name = "tap_target_pointer",
	.ops = { OP_ARG(0) },
	.nr_ops = 1,
	.word = TAP_CALL_FETCHES,
};

FIXTURE_VARIANT_ADD(address, call_result)
{
	.type = TAP_PROBE_CALL,
	.function = TAP_TARGET_POINTER,
	.name = "tap_target_pointer",
	.nr_ops = 0,
	.word = TAP_CALL_RETVAL,
};

FIXTURE_VARIANT_ADD(address, rawtp_argument)
{
	.type = TAP_PROBE_RAWTP,
	.function = TAP_TARGET_SLEEP,
	.name = "sched_switch",
	.ops = { OP_ARG(1) },
	.nr_ops = 1,
};

FIXTURE_SETUP(address)
{
	self->s.fd = -1;
	self->target = -1;
	test_need_root();
	test_need_target();
#ifndef __x86_64__
	if (variant->ops[1].code == TAP_OP_REG)
		SKIP(return, "the test names a register of x86");
#endif
	self->target = test_target_open(_metadata);
}

FIXTURE_TEARDOWN(address)
{
	test_teardown();
}

TEST_F(address, is_given_to_an_opener_who_may_see_it)
{
	struct tap_probe_info info;
	struct test_record rec;
	unsigned int seen;
	__u32 id;

	ASSERT_EQ(0, test_keep_caps(CAP_OPEN | CAP(CAP_PERFMON) |
				    CAP(CAP_SYSLOG)));
	test_session_open(_metadata, &self->s, 65536);
	ASSERT_EQ(0, _test_ioctl_create(self->s.fd, &id, variant->type,
					variant->name, variant->ops,
					variant->nr_ops));
	test_ioctl_probe_info(id, NULL, 0, &info);
	EXPECT_TRUE(is_address(info.out_address));
	test_ioctl_enable(id);
	test_target_call(variant->function, 10);
	for (seen = 0; test_session_next(&self->s, &rec); seen++) {
		EXPECT_TRUE(is_address(rec.word[variant->word]))
			TH_LOG("%#llx", rec.word[variant->word]);
		EXPECT_EQ(0, rec.flags & TAP_F_REDACTED);
	}
	EXPECT_LT(0, seen);
}

TEST_F(address, is_kept_from_an_opener_who_may_not)
{
	struct tap_probe_info info;
	struct test_record rec;
	unsigned int seen, i;
	__u32 id;

	ASSERT_EQ(0, test_keep_caps(CAP_OPEN | CAP(CAP_PERFMON)));
	test_session_open(_metadata, &self->s, 65536);
	ASSERT_EQ(0, _test_ioctl_create(self->s.fd, &id, variant->type,
					variant->name, variant->ops,
					variant->nr_ops));
	test_ioctl_probe_info(id, NULL, 0, &info);
	EXPECT_EQ(0, info.out_address);
	test_ioctl_enable(id);
	test_target_call(variant->function, 10);
	for (seen = 0; test_session_next(&self->s, &rec); seen++) {
		EXPECT_EQ(0, rec.word[variant->word]);
		EXPECT_NE(0, rec.flags & TAP_F_REDACTED);
		for (i = 0; i < TEST_SOME_WORDS; i++)
			EXPECT_FALSE(is_address(rec.word[i]));
	}
	EXPECT_LT(0, seen);
}

/* The opener's privilege counts, not the caller's; values that are no address are reported. */
TEST_F(privilege, to_see_addresses_is_the_openers)
{
	struct tap_probe_info info;
	struct test_record rec;
	__u32 id;

	test_session_open(_metadata, &self->s, 4096);
	ASSERT_EQ(0, test_keep_caps(CAP(CAP_PERFMON)));
	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_pointer", OP_ARG(0));
	test_ioctl_probe_info(id, NULL, 0, &info);
	EXPECT_TRUE(is_address(info.out_address));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_POINTER, 1);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_TRUE(is_address(rec.word[0]));
}

TEST_F(privilege, to_see_addresses_is_not_needed_for_numbers)
{
	struct test_record rec;
	unsigned int i;
	__u32 id;

	ASSERT_EQ(0, test_keep_caps(CAP_OPEN | CAP(CAP_PERFMON)));
	test_session_open(_metadata, &self->s, 4096);
	test_ioctl_create(&id, TAP_PROBE_KRETPROBE, "tap_target_fail", OP_RETVAL);
	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_six", OP_ARG(0),
			  OP_ARG(1), OP_ARG(2), OP_ARG(3), OP_ARG(4), OP_ARG(5));
	test_ioctl_enable(0);
	test_target_call(TAP_TARGET_FAIL, 1);
	test_target_call(TAP_TARGET_SIX, 1);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	/* A small negative number is an error code. */
	EXPECT_EQ(TAP_TARGET_ERROR, (__s64)rec.word[0]);
	EXPECT_EQ(0, rec.flags & TAP_F_REDACTED);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	for (i = 0; i < 6; i++)
		EXPECT_EQ(TAP_TARGET_ARG(i), rec.word[i]);
	EXPECT_EQ(0, rec.flags & TAP_F_REDACTED);
}

/*
 * As uapi/linux/tap_record.h says: only a whole word that looks like an address is zeroed.
 * The shift is by 16 because arm64 tells a kernel address by its bit 55: of an address that
 * is shifted by less, that bit is still set.
 */
TEST_F(privilege, without_it_a_program_can_still_compute_with_an_address)
{
	struct test_record rec;
	__u32 id;

	ASSERT_EQ(0, test_keep_caps(CAP_OPEN | CAP(CAP_PERFMON)));
	test_session_open(_metadata, &self->s, 4096);
	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_pointer",
			  OP(TAP_OP_ARG, 0, 0, 8, 0, 0),
			  OP(TAP_OP_SHR, 0, TAP_OP_IMM_SRC, 8, 0, 16),
			  OP(TAP_OP_MOVE, TAP_OP_OUT, 0, 8, 0, 0), OP_ARG(0));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_POINTER, 1);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_TRUE(is_address(rec.word[0] << 16));
	EXPECT_EQ(0, rec.word[1]);
	EXPECT_NE(0, rec.flags & TAP_F_REDACTED);
}

/* Nor does any page of the session's mapping contain a kernel address. */
TEST_F(privilege, without_it_no_mapping_shows_an_address)
{
	const __u64 *word;
	unsigned int i;
	__u32 id;

	ASSERT_EQ(0, test_keep_caps(CAP_OPEN | CAP(CAP_PERFMON)));
	test_session_open(_metadata, &self->s, 4096);
	test_ioctl_create(&id, TAP_PROBE_CALL, "tap_target_pointer", OP_ARG(0),
			  OP_ARG(1), OP_ARG(2), OP_ARG(3), OP_ARG(4), OP_ARG(5),
			  OP_REG(0), OP_REG(32), OP_REG(128), OP_REG(152));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_POINTER, 20);
	word = (const __u64 *)self->s.meta;
	/* The multiplier of the clock may look like an address. */
	for (i = 0; i < self->s.page / 8; i++)
		EXPECT_FALSE(is_address(word[i]) &&
			     i != offsetof(struct tap_meta, clock_shift) / 8);
	for (id = 0; id < self->s.nr_rings; id++) {
		if (!self->s.ring[id].tail)
			continue;
		word = (const __u64 *)self->s.ring[id].head;
		for (i = 0; i < self->s.ring[id].mapped / 8; i++)
			EXPECT_FALSE(is_address(word[i]));
	}
}

TEST_HARNESS_MAIN

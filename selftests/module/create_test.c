// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of TAP_IOC_CREATE and TAP_IOC_PROBE_INFO: what is refused, with which errno and in
 * which order, and that a refused probe leaves nothing behind.
 */
#include <linux/perf_event.h>

#include "selftests/module/tap_harness.h"

/* A function that exists on every lab kernel, and that nothing else calls. */
#define FUNCTION	"tap_target_add"

/* A session with rings. */
FIXTURE(maker)
{
	struct test_session s;
	__u32 first;
};

FIXTURE_SETUP(maker)
{
	test_need_root();
	test_need_target();
	test_session_open(_metadata, &self->s, 4096);
	test_ioctl_create(&self->first, TAP_PROBE_KPROBE, FUNCTION);
	ASSERT_EQ(1, self->first);
}

/* A refused probe must leave nothing behind, and must not take an id. */
FIXTURE_TEARDOWN(maker)
{
	struct tap_probe_info info;
	__u32 id = 0;

	if (self->s.fd >= 0) {
		EXPECT_ERRNO(ENOENT, _test_ioctl_probe_info(self->s.fd, 2, NULL,
							    0, &info));
		EXPECT_EQ(0, _test_ioctl_create(self->s.fd, &id, TAP_PROBE_KPROBE,
						FUNCTION, NULL, 0));
		EXPECT_EQ(2, id) TH_LOG("a failed command took an id");
		EXPECT_EQ(0, test_counters(_metadata, &self->s, 1).hits);
	}
	test_session_close(&self->s);
}

TEST_F(maker, an_unknown_type_is_refused)
{
	test_err_ioctl_create(EINVAL, 0, FUNCTION);
	test_err_ioctl_create(EINVAL, TAP_PROBE_SYSCALL + 1, FUNCTION);
	test_err_ioctl_create(EINVAL, 0x10001, FUNCTION);
	test_err_ioctl_create(EINVAL, -1, FUNCTION);
}

/* So that a later version can give them a meaning. */
TEST_F(maker, what_is_reserved_is_refused)
{
	struct tap_setup setup = { .size = sizeof(setup), .ring_bytes = 4096 };
	struct tap_perf perf = { .size = sizeof(perf), .type = PERF_TYPE_SOFTWARE };
	struct tap_create create;
	unsigned int bit;
	__u32 type;
	int fd;

	for (type = TAP_PROBE_USER_WATCH + 1; type < 64; type++) {
		test_err_ioctl_create(EINVAL, type, FUNCTION);
		create = test_create_arg(type, FUNCTION, NULL, 0);
		create.perf = (uintptr_t)&perf;
		EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	}
	EXPECT_EQ(0, TAP_CREATE_F_ALL & TAP_CREATE_F_RESERVED);
	for (bit = 0; bit < 32; bit++)
		if (BIT(bit) & TAP_CREATE_F_RESERVED)
			EXPECT_ERRNO(EINVAL, _test_ioctl_create_flags(self->s.fd, NULL,
								      TAP_PROBE_KPROBE,
								      BIT(bit), 0, FUNCTION,
								      NULL, 0));
	fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, fd);
	for (bit = 0; bit < 32; bit++) {
		setup.flags = BIT(bit) & TAP_SETUP_F_RESERVED;
		if (setup.flags)
			EXPECT_ERRNO(EINVAL, ioctl(fd, TAP_IOC_SETUP, &setup));
	}
	setup.flags = 0;
	EXPECT_EQ(0, ioctl(fd, TAP_IOC_SETUP, &setup));
	close(fd);
}

TEST_F(maker, who_waits_has_to_name_a_module)
{
	__u32 type;

	for (type = TAP_PROBE_KPROBE; type <= TAP_PROBE_CALL; type++)
		EXPECT_ERRNO(EINVAL,
			     _test_ioctl_create_flags(self->s.fd, NULL, type,
						      TAP_CREATE_F_WAIT, 0,
						      FUNCTION, NULL, 0));
	EXPECT_ERRNO(EINVAL,
		     _test_ioctl_create_flags(self->s.fd, NULL, TAP_PROBE_KPROBE,
					      TAP_CREATE_F_WAIT, 0,
					      ":" FUNCTION, NULL, 0));
	EXPECT_ERRNO(EINVAL,
		     _test_ioctl_create_flags(self->s.fd, NULL, TAP_PROBE_FUNC,
					      TAP_CREATE_F_WAIT, 0,
					      FUNCTION, NULL, 0));
	EXPECT_ERRNO(EINVAL,
		     _test_ioctl_create_flags(self->s.fd, NULL, TAP_PROBE_SYSCALL,
					      TAP_CREATE_F_WAIT, 0,
					      "0", NULL, 0));
	EXPECT_ERRNO(EINVAL,
		     _test_ioctl_create_flags(self->s.fd, NULL, TAP_PROBE_RAWTP,
					      TAP_CREATE_F_WAIT, 0,
					      "sched_switch", NULL, 0));
}

TEST_F(maker, maxactive_is_for_returns_and_has_an_end)
{
	EXPECT_ERRNO(EINVAL, _test_ioctl_create_flags(self->s.fd, NULL,
						      TAP_PROBE_KPROBE, 0, 1,
						      FUNCTION, NULL, 0));
	EXPECT_ERRNO(EINVAL, _test_ioctl_create_flags(self->s.fd, NULL,
						      TAP_PROBE_RAWTP, 0, 1,
						      "sched_switch", NULL, 0));
	EXPECT_ERRNO(EINVAL, _test_ioctl_create_flags(self->s.fd, NULL,
						      TAP_PROBE_KRETPROBE, 0,
						      TAP_MAX_MAXACTIVE + 1,
						      FUNCTION, NULL, 0));
	EXPECT_ERRNO(EINVAL, _test_ioctl_create_flags(self->s.fd, NULL,
						      TAP_PROBE_CALL, 0, -1,
						      FUNCTION, NULL, 0));
}

/* 0 stands for twice the number of CPUs, at least 10; TAP_IOC_PROBE_INFO has the number. */
TEST_F(maker, maxactive_has_a_default)
{
	static const __u32 types[] = { TAP_PROBE_KRETPROBE, TAP_PROBE_CALL, TAP_PROBE_FUNCGRAPH };
	const __u32 cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct tap_probe_info info;
	unsigned int i;
	__u32 id;

	test_session_close(&self->s);
	test_session_open(_metadata, &self->s, 4096);
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		if (_test_ioctl_create(self->s.fd, &id, types[i], FUNCTION, NULL, 0)) {
			ASSERT_EQ(EOPNOTSUPP, errno);
			continue;
		}
		test_ioctl_probe_info(id, NULL, 0, &info);
		EXPECT_EQ(cpus > 5 ? 2 * cpus : 10, info.out_maxactive);
		ASSERT_EQ(0, _test_ioctl_create_flags(self->s.fd, &id, types[i], 0, 7, FUNCTION,
						      NULL, 0));
		test_ioctl_probe_info(id, NULL, 0, &info);
		EXPECT_EQ(7, info.out_maxactive);
	}
	/* The teardown expects one probe, and that the next id is 2. */
	test_session_close(&self->s);
}

TEST_F(maker, a_name_of_a_wrong_length_is_refused)
{
	char name[TAP_MAX_TARGET + 1];
	struct tap_create create;

	memset(name, 'a', sizeof(name));
	create = test_create_arg(TAP_PROBE_KPROBE, FUNCTION, NULL, 0);
	create.target = (uintptr_t)name;
	create.target_len = 0;
	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	create.target_len = TAP_MAX_TARGET;
	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	create.target_len = -1;
	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	/* The longest target; no function has this name. */
	create.target_len = TAP_MAX_TARGET - 1;
	EXPECT_ERRNO(ENOENT, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	/* A name with a 0 in it, or at its end. */
	create.target = (uintptr_t)FUNCTION;
	create.target_len = sizeof(FUNCTION);
	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
}

TEST_F(maker, a_name_that_cannot_be_read_is_a_fault)
{
	struct tap_create create = test_create_arg(TAP_PROBE_KPROBE, FUNCTION,
						   NULL, 0);

	create.target = 0;
	EXPECT_ERRNO(EFAULT, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	create.target = 1ULL << 63;
	EXPECT_ERRNO(EFAULT, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	create.target = -8ULL;
	EXPECT_ERRNO(EFAULT, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
}

TEST_F(maker, a_malformed_name_is_refused)
{
	test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, FUNCTION "+");
	test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, FUNCTION "+x");
	test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, FUNCTION "+-1");
	test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, FUNCTION "+1+1");
	test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, FUNCTION "+1 ");
	test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, FUNCTION "+0x100000000");
	test_err_ioctl_create(EINVAL, TAP_PROBE_KRETPROBE, FUNCTION "+4");
	test_err_ioctl_create(EINVAL, TAP_PROBE_CALL, FUNCTION "+4");
	test_err_ioctl_create(EINVAL, TAP_PROBE_RAWTP, ":sched_switch");
	test_err_ioctl_create(EINVAL, TAP_PROBE_RAWTP, "tap_target:");
	test_err_ioctl_create(EINVAL, TAP_PROBE_RAWTP, ":");
}

TEST_F(maker, a_name_that_is_nowhere_is_not_found)
{
	__u32 type;

	for (type = TAP_PROBE_KPROBE; type <= TAP_PROBE_RAWTP; type++) {
		test_err_ioctl_create(ENOENT, type, "tap_target_nowhere");
		test_err_ioctl_create(ENOENT, type, "tap_target:nowhere");
		test_err_ioctl_create(ENOENT, type, "nowhere:tap_target_add");
		test_err_ioctl_create(ENOENT, type, " ");
		test_err_ioctl_create(ENOENT, type, "%s%n");
	}
	/* An address is not a name. */
	test_err_ioctl_create(ENOENT, TAP_PROBE_KPROBE, "0xffffffff81000000");
	/* An empty name is none either. */
	test_err_ioctl_create(ENOENT, TAP_PROBE_KPROBE, "+4");
	test_err_ioctl_create(ENOENT, TAP_PROBE_KPROBE, ":");
}

TEST_F(maker, too_many_steps_are_refused)
{
	struct tap_op ops[TAP_MAX_OPS + 1];
	unsigned int i;
	__u32 id;

	for (i = 0; i < ARRAY_SIZE(ops); i++)
		ops[i] = OP(TAP_OP_ARG, 0, 0, 8, 0, 0);
	EXPECT_ERRNO(EINVAL, _test_ioctl_create(self->s.fd, NULL,
						TAP_PROBE_KPROBE, FUNCTION, ops,
						TAP_MAX_OPS + 1));
	EXPECT_ERRNO(EINVAL, _test_ioctl_create(self->s.fd, NULL,
						TAP_PROBE_KPROBE, FUNCTION, ops,
						-1));
	/* A number of ops whose size overflows in 32 bits. */
	EXPECT_ERRNO(EINVAL, _test_ioctl_create(self->s.fd, NULL,
						TAP_PROBE_KPROBE, FUNCTION, ops,
						1U << 28));
	/*
	 * The most probes that a session can have; in a session of its own, which is not
	 * checked at the end.
	 */
	test_session_close(&self->s);
	test_session_open(_metadata, &self->s, 4096);
	ASSERT_EQ(0, _test_ioctl_create(self->s.fd, &id, TAP_PROBE_KPROBE,
					FUNCTION, ops, TAP_MAX_OPS));
}

/* 74 slots; the smallest ring has 64. */
TEST_F(maker, a_record_longer_than_the_ring_is_refused)
{
	const struct tap_op op = OP(TAP_OP_BYTES, TAP_OP_OUT, 0, 0, 0, TAP_MAX_STRING);
	const struct tap_op ops[] = { OP(TAP_OP_ARG, 0, 0, 8, 0, 0), op };

	test_session_close(&self->s);
	test_session_open(_metadata, &self->s, 4096);
	if (self->s.meta->ring_bytes > 4096)
		SKIP(return, "pages are larger");
	EXPECT_ERRNO(EMSGSIZE, _test_ioctl_create(self->s.fd, NULL, TAP_PROBE_KPROBE,
						  FUNCTION, ops, 2));
	EXPECT_EQ(0, _test_ioctl_create_flags(self->s.fd, NULL, TAP_PROBE_KPROBE,
					      TAP_CREATE_F_COUNT, 0, FUNCTION, ops, 2));
	test_session_close(&self->s);
	test_session_open(_metadata, &self->s, 8192);
	EXPECT_EQ(0, _test_ioctl_create(self->s.fd, NULL, TAP_PROBE_KPROBE, FUNCTION,
					ops, 2));
}

TEST_F(maker, steps_that_cannot_be_read_are_a_fault)
{
	EXPECT_ERRNO(EFAULT, _test_ioctl_create(self->s.fd, NULL,
						TAP_PROBE_KPROBE, FUNCTION,
						NULL, 1));
	EXPECT_ERRNO(EFAULT, _test_ioctl_create(self->s.fd, NULL,
						TAP_PROBE_KPROBE, FUNCTION,
						(void *)-16L, 1));
}

TEST_F(maker, an_unknown_step_is_refused)
{
	struct tap_op op = OP_ARG(0);
	unsigned int code;

	for (code = 0; code < 256; code++) {
		if ((code >= TAP_OP_ARG && code <= TAP_OP_LOAD_USER) ||
		    code == TAP_OP_SWAP || code == TAP_OP_LOG2 || code == TAP_OP_CAPTURED ||
		    (code >= TAP_OP_ADD && code <= TAP_OP_SHR) ||
		    (code >= TAP_OP_JUMP && code <= TAP_OP_JSET) ||
		    (code >= TAP_OP_MATCH && code <= TAP_OP_LENGTH_USER) ||
		    (code >= TAP_OP_COMM && code <= TAP_OP_DATA_LOC) ||
		    code == TAP_OP_RETURN)
			continue;
		op.code = code;
		EXPECT_ERRNO(EINVAL, _test_ioctl_create(self->s.fd, NULL,
							TAP_PROBE_KPROBE,
							FUNCTION, &op, 1));
	}
}

TEST_F(maker, an_argument_beyond_the_sixth_is_refused)
{
	test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, FUNCTION, OP_ARG(6));
	test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, FUNCTION, OP_ARG(0xffff));
	test_err_ioctl_create(EINVAL, TAP_PROBE_CALL, FUNCTION, OP_ARG(6));
	test_err_ioctl_create(EINVAL, TAP_PROBE_RAWTP, "sched_switch", OP_ARG(6));
}

/* The last register, and offsets around it. */
TEST_F(maker, a_register_beyond_the_last_or_between_two_is_refused)
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned int end = 21 * 8;
#elif defined(__aarch64__)
	unsigned int end = 34 * 8;
#endif
	unsigned int at;

	for (at = 0; at < end; at++)
		if (at % 8)
			test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, FUNCTION,
					      OP_REG(at));
	for (at = end; at < end + 128; at += 8)
		test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, FUNCTION,
				      OP_REG(at));
	test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, FUNCTION, OP_REG(0xffff));
	test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, FUNCTION, OP_REG(0xfff8));
}

TEST_F(maker, what_a_kind_of_probe_does_not_have_is_not_supported)
{
	test_err_ioctl_create(EOPNOTSUPP, TAP_PROBE_KPROBE, FUNCTION, OP_RETVAL);
	test_err_ioctl_create(EOPNOTSUPP, TAP_PROBE_RAWTP, "sched_switch",
			      OP_RETVAL);
	test_err_ioctl_create(EOPNOTSUPP, TAP_PROBE_RAWTP, "sched_switch",
			      OP_REG(0));
	test_err_ioctl_create(EOPNOTSUPP, TAP_PROBE_KRETPROBE, FUNCTION,
			      OP_ARG(0));
	test_err_ioctl_create(EOPNOTSUPP, TAP_PROBE_KRETPROBE, FUNCTION,
			      OP_REG(0));
	/* Inside a function the arguments may be overwritten. */
	test_err_ioctl_create(EOPNOTSUPP, TAP_PROBE_KPROBE, FUNCTION "+4",
			      OP_ARG(0));
}

TEST_F(maker, a_test_behind_a_fetch_is_refused)
{
	test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, FUNCTION, OP_ARG(0),
			      OP_TEST_TGID(1));
	test_err_ioctl_create(EINVAL, TAP_PROBE_CALL, FUNCTION, OP_COMM,
			      OP_TEST_TGID(1));
	test_err_ioctl_create(EINVAL, TAP_PROBE_CALL, FUNCTION, OP_COMM,
			      OP_TEST_FOLLOWED);
}

TEST_F(maker, checks_come_in_order)
{
	struct tap_op op = { .code = 0xff };
	struct tap_create create = {
		.size = sizeof(create),
		.flags = -1,
		.type = -1,
		.maxactive = -1,
		.target = 0,
		.target_len = -1,
		.nr_ops = -1,
		.ops = 0,
		.out_id = -1,
	};

	/* Every member is invalid; they become valid one after the other. */
	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	create.flags = 0;
	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	create.type = TAP_PROBE_KPROBE;
	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	create.maxactive = 0;
	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	create.target_len = strlen("tap_target_nowhere");
	EXPECT_ERRNO(EFAULT, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	create.target = (uintptr_t)"tap_target_nowhere";
	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	create.nr_ops = 1;
	EXPECT_ERRNO(EFAULT, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	create.ops = (uintptr_t)&op;
	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	op = OP_RETVAL;
	EXPECT_ERRNO(EOPNOTSUPP, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	op = OP_ARG(0);
	EXPECT_ERRNO(ENOENT, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	/* Nothing was written to the argument meanwhile. */
	EXPECT_EQ(-1, (int)create.out_id);
}

TEST_F(maker, a_probe_that_is_not_there_is_not_found)
{
	static const __u32 ids[] = { 2, 3, 0x7fff, 0xffff, 0x10000, 0x10001,
				     0x7fffffff, 0xffffffff };
	struct tap_probe_info info;
	struct tap_stats stats;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		test_err_ioctl_enable(ENOENT, ids[i]);
		test_err_ioctl_disable(ENOENT, ids[i]);
		test_err_ioctl_delete(ENOENT, ids[i]);
		EXPECT_ERRNO(ENOENT, _test_ioctl_probe_info(self->s.fd, ids[i],
							    NULL, 0, &info));
		EXPECT_ERRNO(ENOENT, _test_ioctl_stats(self->s.fd, ids[i], NULL,
						       0, &stats));
	}
	/* 0 is not "all" for these commands. */
	EXPECT_ERRNO(ENOENT, _test_ioctl_probe_info(self->s.fd, 0, NULL, 0, &info));
	EXPECT_ERRNO(ENOENT, _test_ioctl_stats(self->s.fd, 0, NULL, 0, &stats));
}

TEST_F(maker, a_probe_is_read_back_with_its_layout)
{
	static const char target[] = "tap_target:" FUNCTION;
	const struct tap_op expected[] = { OP_TEST_TGID(4711), OP_ARG(5), OP_COMM,
					   OP_REG(8), OP_ARG(0) };
	struct tap_op ops[ARRAY_SIZE(expected)] = {};
	struct tap_probe_info info;
	__u32 id;

	test_session_close(&self->s);
	test_session_open(_metadata, &self->s, 4096);
	test_ioctl_create(&id, TAP_PROBE_KPROBE, target, OP_TEST_TGID(4711),
			  OP_ARG(5), OP_COMM, OP_REG(8), OP_ARG(0));
	memset(&info, 0xaa, sizeof(info));
	test_ioctl_probe_info(id, ops, 6, &info);
	EXPECT_EQ(sizeof(info), info.size);
	EXPECT_EQ(id, info.id);
	EXPECT_EQ(6, info.out_nr_ops);
	EXPECT_EQ(TAP_PROBE_KPROBE, info.out_type);
	EXPECT_EQ(TAP_STATE_DISABLED, info.out_state);
	EXPECT_EQ(0, info.out_maxactive);
	EXPECT_EQ(5, info.out_words);
	EXPECT_EQ(2, info.out_slots);
	EXPECT_NE(0, info.out_address);
	EXPECT_STREQ(target, info.out_target);

	EXPECT_EQ(0, memcmp(expected, ops, sizeof(ops)));
	/* The teardown expects one probe, and that the next id is 2. */
}

TEST_F(maker, reading_back_fills_the_room_there_is)
{
	struct tap_op ops[3];
	struct tap_probe_info info;
	__u32 id;

	test_session_close(&self->s);
	test_session_open(_metadata, &self->s, 4096);
	test_ioctl_create(&id, TAP_PROBE_KPROBE, FUNCTION, OP_ARG(0), OP_ARG(1));

	memset(ops, 0xaa, sizeof(ops));
	test_ioctl_probe_info(id, ops, 1, &info);
	EXPECT_EQ(2, info.out_nr_ops);
	EXPECT_EQ(TAP_OP_ARG, ops[0].code);
	EXPECT_EQ(0xaa, ops[1].code);

	test_ioctl_probe_info(id, ops, 3, &info);
	EXPECT_EQ(2, info.out_nr_ops);
	EXPECT_EQ(1, ops[1].off);
	EXPECT_EQ(0xaa, ops[2].code);

	test_ioctl_probe_info(id, ops, -1, &info);
	EXPECT_EQ(0xaa, ops[2].code);

	EXPECT_ERRNO(EFAULT, _test_ioctl_probe_info(self->s.fd, id, NULL, 2, &info));
	EXPECT_ERRNO(EFAULT, _test_ioctl_probe_info(self->s.fd, id,
						    (void *)TEST_NOT_OURS, 2, &info));
}

TEST_F(maker, what_is_read_back_has_nothing_reserved_set)
{
	struct tap_probe_info info = { .size = sizeof(info), .id = 1 };

	info.__reserved = 1;
	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_PROBE_INFO, &info));
}

TEST_F(maker, counters_go_where_there_is_room)
{
	struct tap_counters counters[TEST_MAX_RINGS + 1];
	struct tap_stats stats;
	unsigned int cpu;

	memset(counters, 0xaa, sizeof(counters));
	test_ioctl_stats(1, counters, self->s.nr_rings, &stats);
	for (cpu = 0; cpu < self->s.nr_rings; cpu++) {
		static const struct tap_counters zero;

		EXPECT_EQ(0, memcmp(&zero, &counters[cpu], sizeof(zero)));
	}
	EXPECT_EQ(0xaa, ((unsigned char *)&counters[cpu])[0]);
	EXPECT_EQ(0, stats.out_nmissed);
	EXPECT_EQ(0, stats.out_nmissed_return);

	/* Fewer CPUs, none, and too many. */
	memset(counters, 0xaa, sizeof(counters));
	test_ioctl_stats(1, counters, 1, &stats);
	EXPECT_EQ(0, counters[0].hits);
	EXPECT_EQ(0xaa, ((unsigned char *)&counters[1])[0]);
	test_ioctl_stats(1, NULL, 0, &stats);
	EXPECT_ERRNO(EINVAL, _test_ioctl_stats(self->s.fd, 1, counters,
					       self->s.nr_rings + 1, &stats));
	EXPECT_ERRNO(EINVAL, _test_ioctl_stats(self->s.fd, 1, counters, -1,
					       &stats));
	EXPECT_ERRNO(EFAULT, _test_ioctl_stats(self->s.fd, 1, NULL, 1, &stats));
	EXPECT_ERRNO(EFAULT, _test_ioctl_stats(self->s.fd, 1, (void *)-128L, 1,
					       &stats));
}

/* Ids are not used again, so a session ends at the last one; counters of a task are cheap. */
TEST_F_TIMEOUT(maker, there_are_so_many_probes_and_no_more, 600)
{
	struct test_session s;
	__u32 id;

	test_session_open(_metadata, &s, 4096);
	for (id = 1; id <= TAP_MAX_PROBES; id++)
		ASSERT_EQ(0, _test_ioctl_create_flags(s.fd, NULL, TAP_PROBE_MARK,
						      TAP_CREATE_F_COUNT, 0, "mark", NULL, 0))
			TH_LOG("probe %u: %s", id, strerror(errno));
	EXPECT_ERRNO(ENOSPC, _test_ioctl_create(s.fd, NULL, TAP_PROBE_MARK, "mark", NULL, 0));
	/* There is room again behind a deleted one, and the refused one took no id. */
	ASSERT_EQ(0, _test_ioctl_delete(s.fd, 1));
	ASSERT_EQ(0, _test_ioctl_create(s.fd, &id, TAP_PROBE_MARK, "mark", NULL, 0));
	EXPECT_EQ(TAP_MAX_PROBES + 1, id);
	test_session_close(&s);
}

/* About 2100 s of the guest with KASAN and kmemleak. */
TEST_F_TIMEOUT(maker, ids_are_used_once_and_then_there_are_none, 7200)
{
	/* What costs least. */
	struct tap_create create = test_create_arg(TAP_PROBE_MARK, "mark", NULL, 0);
	struct test_session s;
	__u32 id;

	test_session_open(_metadata, &s, 4096);
	for (id = 1; id <= TAP_MAX_IDS; id++) {
		ASSERT_EQ(0, ioctl(s.fd, TAP_IOC_CREATE, &create)) TH_LOG("probe %u", id);
		ASSERT_EQ(id, create.out_id);
		ASSERT_EQ(0, _test_ioctl_delete(s.fd, id));
	}
	EXPECT_ERRNO(EOVERFLOW, ioctl(s.fd, TAP_IOC_CREATE, &create));
	test_session_close(&s);
	/* Another session begins anew. */
	test_session_open(_metadata, &s, 4096);
	ASSERT_EQ(0, ioctl(s.fd, TAP_IOC_CREATE, &create));
	EXPECT_EQ(1, create.out_id);
	test_session_close(&s);
}

/*
 * A thread that changes an argument while the kernel reads it. With --tcg-single a change
 * lasts for the other CPU's whole turn; turns end when a task sleeps, which this does now and
 * then.
 */

struct flipper {
	struct tap_create *create;
	struct tap_op *ops;
	bool stop;
};

static void *flip(void *data)
{
	struct flipper *f = data;
	__u32 x = 1;

	while (!__atomic_load_n(&f->stop, __ATOMIC_RELAXED)) {
		x = x * 1664525 + 1013904223;
		__atomic_store_n(&f->create->size, x & 1 ? sizeof(*f->create) : x,
				 __ATOMIC_RELAXED);
		/* Small numbers more often: with many ops a program is rarely valid. */
		__atomic_store_n(&f->create->nr_ops,
				 (x >> 8) % (x & BIT(15) ? 3 : 70), __ATOMIC_RELAXED);
		__atomic_store_n(&f->create->target_len,
				 x & 2 ? strlen(FUNCTION) : x >> 16,
				 __ATOMIC_RELAXED);
		__atomic_store_n(&f->ops[(x >> 4) % 64].code, 1 + (x >> 20) % 4,
				 __ATOMIC_RELAXED);
		__atomic_store_n(&f->ops[(x >> 3) % 64].off, (x >> 24) % 10,
				 __ATOMIC_RELAXED);
		if (x >> 20 == 0)
			usleep(1);
	}
	return NULL;
}

TEST_F(maker, an_argument_that_changes_meanwhile_is_looked_at_once)
{
	struct tap_op ops[TAP_MAX_OPS] = {}, seen[TAP_MAX_OPS];
	struct tap_create create = test_create_arg(TAP_PROBE_KPROBE, FUNCTION,
						   ops, 2);
	struct flipper f = { .create = &create, .ops = ops };
	unsigned int tries, made = 0, i;
	struct tap_probe_info info;
	struct test_session s;
	pthread_t thread;

	/* A session of its own: the teardown checks the ids of the other one. */
	test_session_open(_metadata, &s, 4096);
	for (i = 0; i < ARRAY_SIZE(ops); i++)
		ops[i] = OP_ARG(0);
	ASSERT_EQ(0, pthread_create(&thread, NULL, flip, &f));
	for (tries = 0; tries < 100000 && made < 50; tries++) {
		if (tries % 8 == 0)
			usleep(1);
		create.out_id = 0;
		if (ioctl(s.fd, TAP_IOC_CREATE, &create))
			continue;
		made++;
		/* Whatever the program is, it is consistent. */
		ASSERT_EQ(0, _test_ioctl_probe_info(s.fd, made, seen,
						    ARRAY_SIZE(seen), &info));
		ASSERT_GE(TAP_MAX_OPS, info.out_nr_ops);
		for (i = 0; i < info.out_nr_ops; i++) {
			ASSERT_TRUE((seen[i].code == TAP_OP_ARG && seen[i].off < 6) ||
				    (seen[i].code == TAP_OP_REG && seen[i].off % 8 == 0));
			ASSERT_EQ(TAP_OP_OUT, seen[i].dst);
		}
		ASSERT_EQ(info.out_nr_ops, info.out_words);
		ASSERT_STREQ(FUNCTION, info.out_target);
	}
	__atomic_store_n(&f.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	EXPECT_LT(0, made);
	test_session_close(&s);
}

TEST_HARNESS_MAIN

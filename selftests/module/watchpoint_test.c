// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of watchpoints: each write makes one record with the old and the new value, on any
 * CPU; places that cannot be watched are refused; CPUs and modules come and go.
 */
#include "selftests/module/tap_harness.h"

#include <linux/perf_event.h>

#define WATCHED		"tap_target:tap_target_watched"
#define CPU1_ONLINE	"/sys/devices/system/cpu/cpu1/online"
#define EACH		500

#define OP_IP		OP(TAP_OP_FIELD, TAP_OP_OUT, 0, 8, offsetof(struct tap_watch, ip), 0)
#define OP_OLD		OP(TAP_OP_FIELD, TAP_OP_OUT, 0, 8, offsetof(struct tap_watch, old_value), 0)
#define OP_NEW		OP(TAP_OP_FIELD, TAP_OP_OUT, 0, 8, offsetof(struct tap_watch, new_value), 0)
#define OPS_WATCH	OPS(OP_OLD, OP_NEW, OP_IP)

#define READ_WRITE	(TAP_WATCH_READ | TAP_WATCH_WRITE)

/* No machine has so many debug registers. */
#define MANY	64

FIXTURE(watch)
{
	struct test_session s;
	int target;
	bool offline;
};

FIXTURE_SETUP(watch)
{
	struct tap_info info;

	test_setup();
	test_session_open(_metadata, &self->s, 1 << 20);
	test_ioctl_info(&info);
	if (!(info.out_features & TAP_FEATURE_WATCHPOINT))
		SKIP(return, "watchpoints are only counted on this architecture");
}

FIXTURE_TEARDOWN(watch)
{
	if (self->offline)
		test_write_file(CPU1_ONLINE, "1");
	test_teardown();
}

static struct tap_perf watch_arg(__u64 access, __u64 length, __u64 address)
{
	return (struct tap_perf){
		.size = sizeof(struct tap_perf),
		.type = PERF_TYPE_BREAKPOINT,
		.config = access,
		.config1 = address,
		.config2 = length,
	};
}

static int create_with(int fd, __u32 *id, const char *target, __u32 flags,
		       const struct tap_perf *perf, const struct tap_op *ops,
		       __u32 nr_ops)
{
	struct tap_create create = test_create_arg(TAP_PROBE_WATCHPOINT, target,
						   ops, nr_ops);
	int ret;

	create.flags = flags;
	create.perf = (uintptr_t)perf;
	ret = ioctl(fd, TAP_IOC_CREATE, &create);
	if (!ret && id)
		*id = create.out_id;
	return ret;
}

static int create_watch(int fd, __u32 *id, const char *target, __u64 access,
			__u64 length)
{
	const struct tap_perf perf = watch_arg(access, length, 0);

	return create_with(fd, id, target, 0, &perf, OPS_WATCH);
}
#define test_create_watch(id, target, access, length)			\
	ASSERT_EQ(0, create_watch(self->s.fd, id, target, access, length)) \
		TH_LOG("cannot watch %s: %s", target, strerror(errno))
#define test_err_create_watch(_errno, target, access, length)		\
	EXPECT_ERRNO(_errno, create_watch(self->s.fd, NULL, target, access, length))

/*
 * The stores of one TAP_TARGET_WRITE in order, at different addresses: the emulator reports
 * only the first watchpoint of an address.
 */
static const struct {
	const char *target;
	unsigned int length;
} members[] = {
	{ WATCHED, 8 }, { WATCHED "+8", 4 }, { WATCHED "+0xc", 2 },
	{ WATCHED "+14", 1 },
};

static int create_members(int fd, __u32 *ids)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(members); i++)
		if (create_watch(fd, &ids[i], members[i].target, TAP_WATCH_WRITE,
				 members[i].length))
			return -1;
	return 0;
}
#define test_create_members(ids)					\
	ASSERT_EQ(0, create_members(self->s.fd, ids))

/* Address of the variable, as the module reports it. */
static __u64 address_of(struct test_session *s, __u32 id)
{
	struct tap_probe_info info;

	return _test_ioctl_probe_info(s->fd, id, NULL, 0, &info) ? 0 :
	       info.out_address;
}

struct writer {
	pthread_t thread;
	int target;
	unsigned int cpu;
	int result;
};

static void *write_often(void *arg)
{
	struct writer *w = arg;

	w->result = test_pin(w->cpu) ||
		    _test_target(w->target, TAP_TARGET_CALL, TAP_TARGET_WRITE,
				 EACH, 0, NULL);
	return NULL;
}

/* The oldest of the next records of all rings; @next has one for each CPU. */
static int earliest(struct test_session *s, struct test_record *next, bool *have)
{
	unsigned int cpu;
	int best = -1;

	for (cpu = 0; cpu < s->nr_rings; cpu++) {
		if (!have[cpu] && s->ring[cpu].tail)
			have[cpu] = test_ring_next(&s->ring[cpu], &next[cpu]);
		if (have[cpu] && (best < 0 || next[cpu].time < next[best].time))
			best = cpu;
	}
	return best;
}

/* Where the kernel does not step over the instruction for a handler (arm64). */
FIXTURE(watch_count)
{
	struct test_session s;
	int target;
};

FIXTURE_SETUP(watch_count)
{
	struct tap_info info;

	test_setup();
	test_session_open(_metadata, &self->s, 1 << 16);
	test_ioctl_info(&info);
	if (info.out_features & TAP_FEATURE_WATCHPOINT)
		SKIP(return, "watchpoints have records on this architecture");
}

FIXTURE_TEARDOWN(watch_count)
{
	test_teardown();
}

TEST_F(watch_count, hits_and_no_records)
{
	const struct tap_perf perf = watch_arg(TAP_WATCH_WRITE, 8, 0);
	struct tap_counters counters;
	unsigned int round;
	__u32 id;

	test_err_create_watch(EOPNOTSUPP, WATCHED, TAP_WATCH_WRITE, 8);
	EXPECT_ERRNO(EOPNOTSUPP, create_with(self->s.fd, NULL, WATCHED,
					     TAP_CREATE_F_COUNT, &perf,
					     OPS(OP_TEST_TGID(1))));
	ASSERT_EQ(0, create_with(self->s.fd, &id, WATCHED, TAP_CREATE_F_COUNT,
				 &perf, NULL, 0));
	test_target_call(TAP_TARGET_WRITE, 10);
	for (round = 1; round <= 3; round++) {
		test_ioctl_enable(id);
		test_target_call(TAP_TARGET_WRITE, 100);
		counters = test_counters(_metadata, &self->s, id);
		/* Kernels 7.x may count an access twice when they step over it. */
		EXPECT_LE(100 * round, counters.hits);
		EXPECT_GE(200 * round, counters.hits);
		test_ioctl_disable(id);
		EXPECT_EQ(counters.hits,
			  test_counters(_metadata, &self->s, id).aggregated);
		test_target_call(TAP_TARGET_WRITE, 10);
	}
	EXPECT_EQ(0, test_session_drain(&self->s, NULL));
}

/* Under a lock the values form a chain: none is missing, none comes twice. */
TEST_F(watch, writes_from_two_cpus)
{
	static struct test_record next[TEST_MAX_RINGS];
	struct writer writers[2] = {};
	bool have[TEST_MAX_RINGS] = {};
	unsigned int i, nr[2] = {};
	__u64 first, value;
	int cpu;
	__u32 id;

	test_need_cpus(2);
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_CALL,
				  TAP_TARGET_READ, 1, 0, &first));
	test_create_watch(&id, WATCHED, TAP_WATCH_WRITE, 8);
	test_ioctl_enable(id);
	for (i = 0; i < 2; i++) {
		writers[i].target = self->target;
		writers[i].cpu = i;
		ASSERT_EQ(0, pthread_create(&writers[i].thread, NULL,
					    write_often, &writers[i]));
	}
	for (i = 0; i < 2; i++) {
		pthread_join(writers[i].thread, NULL);
		ASSERT_EQ(0, writers[i].result);
	}
	test_ioctl_disable(id);
	test_target_call(TAP_TARGET_WRITE, 10);
	for (value = first; value < first + 2 * EACH; value++) {
		cpu = earliest(&self->s, next, have);
		ASSERT_LE(0, cpu);
		ASSERT_GT(2, cpu);
		ASSERT_EQ(id, next[cpu].probe);
		ASSERT_EQ(getpid(), next[cpu].tgid);
		ASSERT_EQ(0, next[cpu].flags &
			  (TAP_F_NMI | TAP_F_HARDIRQ | TAP_F_SOFTIRQ));
		ASSERT_EQ(value, next[cpu].word[0]);
		ASSERT_EQ(value + 1, next[cpu].word[1]);
		ASSERT_NE(0, next[cpu].word[2]);
		have[cpu] = false;
		nr[cpu]++;
	}
	EXPECT_EQ(-1, earliest(&self->s, next, have));
	EXPECT_EQ(EACH, nr[0]);
	EXPECT_EQ(EACH, nr[1]);
	EXPECT_EQ(2 * EACH, test_counters(_metadata, &self->s, id).written);
}

/* Each length sees only its own bytes, truncated to its size. */
TEST_F(watch, every_length)
{
	struct test_record rec;
	unsigned int i, k;
	__u64 mask, last;
	__u32 id[4];

	test_create_members(id);
	test_pin(0);
	test_ioctl_enable(0);
	test_target_call(TAP_TARGET_WRITE, 300);
	test_ioctl_disable(0);
	for (k = 0; k < 300; k++) {
		for (i = 0; i < 4; i++) {
			ASSERT_TRUE(test_session_next(&self->s, &rec));
			ASSERT_EQ(id[i], rec.probe);
			mask = ~0ULL >> (64 - 8 * members[i].length);
			ASSERT_EQ((rec.word[0] + 1) & mask, rec.word[1]);
			if (!i && k)
				ASSERT_EQ(last, rec.word[0]);
			if (!i)
				last = rec.word[1];
		}
	}
	EXPECT_FALSE(test_session_next(&self->s, &rec));
}

/* The handler reads the memory itself, which must not make an event. */
TEST_F(watch, reads_but_not_its_own)
{
	const struct tap_perf perf = watch_arg(READ_WRITE, 8, 0);
	struct test_record rec;
	__u64 address;
	__u32 id, kp;

	test_create_watch(&id, WATCHED, READ_WRITE, 8);
	address = address_of(&self->s, id);
	ASSERT_NE(0, address);
	test_ioctl_delete(id);
	/* Nor must the reads of its program. */
	ASSERT_EQ(0, create_with(self->s.fd, &id, WATCHED, 0, &perf,
				 OPS(OP(TAP_OP_IMM, 0, 0, 8, 0, address),
				     OP(TAP_OP_LOAD, TAP_OP_OUT, 0, 8, 0, 0),
				     OP_OLD, OP_NEW)));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_READ, 100);
	test_ioctl_disable(id);
	while (test_session_next(&self->s, &rec)) {
		ASSERT_EQ(rec.word[0], rec.word[1]);
		ASSERT_EQ(rec.word[1], rec.word[2]);
	}
	EXPECT_EQ(100, test_counters(_metadata, &self->s, id).written);
	/* A read in the handler of another probe does make an event. */
	test_ioctl_create(&kp, TAP_PROBE_KPROBE, "tap_target_add",
			  OP(TAP_OP_IMM, 0, 0, 8, 0, address),
			  OP(TAP_OP_LOAD, TAP_OP_OUT, 0, 8, 0, 0));
	test_ioctl_enable(0);
	test_target_call(TAP_TARGET_ADD, 100);
	test_ioctl_disable(0);
	EXPECT_EQ(200, test_counters(_metadata, &self->s, id).written);
	EXPECT_EQ(100, test_counters(_metadata, &self->s, kp).written);
	EXPECT_EQ(200, test_session_drain(&self->s, NULL));
}

TEST_F(watch, execution)
{
	struct test_record rec;
	unsigned int nr = 0;
	__u32 id;

	test_create_watch(&id, "tap_target_add", TAP_WATCH_EXECUTE, 1);
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_ADD, 100);
	test_ioctl_disable(id);
	while (test_session_next(&self->s, &rec)) {
		ASSERT_EQ(0, rec.word[0]);
		ASSERT_EQ(0, rec.word[1]);
		ASSERT_EQ(address_of(&self->s, id), rec.word[2]);
		nr++;
	}
	EXPECT_EQ(100, nr);
}

TEST_F(watch, tests_and_counts)
{
	const struct tap_perf perf = watch_arg(TAP_WATCH_WRITE, 1, 0);
	const struct tap_perf other = watch_arg(TAP_WATCH_WRITE, 2, 0);
	struct tap_counters counters;
	__u32 even, all;

	ASSERT_EQ(0, create_with(self->s.fd, &even, WATCHED "+14", 0, &perf,
				 OPS(OP(TAP_OP_FIELD, 0, 0, 1,
					offsetof(struct tap_watch, new_value), 0),
				     OP_REJECT_IF(TAP_OP_JSET, 0, 1), OP_NEW)));
	ASSERT_EQ(0, create_with(self->s.fd, &all, WATCHED "+12",
				 TAP_CREATE_F_COUNT, &other, NULL, 0));
	test_ioctl_enable(0);
	test_target_call(TAP_TARGET_WRITE, 256);
	test_ioctl_disable(0);
	counters = test_counters(_metadata, &self->s, even);
	EXPECT_EQ(128, counters.written);
	EXPECT_EQ(128, counters.filtered);
	EXPECT_EQ(256, test_counters(_metadata, &self->s, all).aggregated);
}

/* More than a CPU has; refused ones leave no register in use. */
TEST_F(watch, more_than_the_processor_has)
{
	__u32 id[5];
	unsigned int i, round;

	test_create_members(id);
	test_create_watch(&id[4], WATCHED, TAP_WATCH_WRITE, 8);
	for (round = 0; round < 3; round++) {
		test_err_ioctl_enable(ENOSPC, 0);
		for (i = 0; i < 4; i++)
			test_ioctl_enable(id[i]);
		test_err_ioctl_enable(ENOSPC, id[4]);
		EXPECT_EQ(TAP_STATE_DISABLED,
			  test_state(_metadata, &self->s, id[4]));
		test_ioctl_disable(id[0]);
		test_ioctl_enable(id[4]);
		test_target_call(TAP_TARGET_WRITE, 10);
		test_ioctl_disable(0);
	}
	EXPECT_EQ(30, test_counters(_metadata, &self->s, id[4]).written);
	EXPECT_EQ(30, test_counters(_metadata, &self->s, id[3]).written);
	EXPECT_EQ(0, test_counters(_metadata, &self->s, id[0]).hits);
}

TEST_F(watch, what_cannot_be_watched)
{
	static const struct {
		int error;
		const char *target;
		__u64 access;
		__u64 length;
	} bad[] = {
		{ ENOENT, "tap_target_wached", TAP_WATCH_WRITE, 8 },
		{ ENOENT, "nosuch:tap_target_watched", TAP_WATCH_WRITE, 8 },
		{ EINVAL, WATCHED "+1", TAP_WATCH_WRITE, 8 },
		{ EINVAL, WATCHED "+2", TAP_WATCH_WRITE, 4 },
		{ EINVAL, WATCHED "+x", TAP_WATCH_WRITE, 4 },
		{ EINVAL, WATCHED, TAP_WATCH_WRITE, 0 },
		{ EINVAL, WATCHED, TAP_WATCH_WRITE, 3 },
		{ EINVAL, WATCHED, TAP_WATCH_WRITE, 16 },
		{ EINVAL, WATCHED, TAP_WATCH_WRITE, 1ULL << 32 },
		{ EINVAL, WATCHED, TAP_WATCH_READ, 8 },
		{ EINVAL, WATCHED, 0, 8 },
		{ EINVAL, WATCHED, 7, 8 },
		{ EINVAL, WATCHED, 1ULL << 32 | TAP_WATCH_WRITE, 8 },
		{ EADDRNOTAVAIL, "tapmod:tap_watchpoints", TAP_WATCH_WRITE, 8 },
	};
	struct tap_perf perf;
	__u64 local = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(-1, create_watch(self->s.fd, NULL, bad[i].target,
					   bad[i].access, bad[i].length));
		EXPECT_EQ(bad[i].error, errno) {
			TH_LOG("%s, %llx, %llu", bad[i].target, bad[i].access,
			       bad[i].length);
		}
	}
	/* Per-CPU symbols; on x86 before 6.15 their numbers are no addresses of the kernel. */
	EXPECT_EQ(-1, create_watch(self->s.fd, NULL, "runqueues", TAP_WATCH_WRITE, 8));
	EXPECT_TRUE(errno == EADDRNOTAVAIL || errno == ENOENT);
	EXPECT_EQ(-1, create_watch(self->s.fd, NULL, "tapmod:tap_func_busy",
				   TAP_WATCH_WRITE, 4));
	EXPECT_TRUE(errno == EADDRNOTAVAIL || errno == ENOENT);
	perf = watch_arg(TAP_WATCH_WRITE, 8, (uintptr_t)&local);
	EXPECT_ERRNO(EADDRNOTAVAIL, create_with(self->s.fd, NULL, "memory", 0,
						&perf, OPS_WATCH));
#define refused(_errno, ...)						\
	do {								\
		perf = watch_arg(TAP_WATCH_WRITE, 8, 0);		\
		__VA_ARGS__;						\
		EXPECT_ERRNO(_errno, create_with(self->s.fd, NULL, WATCHED, 0, \
						 &perf, OPS_WATCH));	\
	} while (0)
	refused(EINVAL, perf.type = PERF_TYPE_SOFTWARE);
	refused(EINVAL, perf.flags = TAP_PERF_F_NO_USER);
	refused(EINVAL, perf.period = 1);
	refused(EINVAL, perf.__reserved = 1);
	refused(EINVAL, perf.size = sizeof(perf) - 8);
	EXPECT_ERRNO(EINVAL, create_with(self->s.fd, NULL, WATCHED, 0, NULL,
					 OPS_WATCH));
	EXPECT_ERRNO(EFAULT, create_with(self->s.fd, NULL, WATCHED, 0,
					 (void *)8, OPS_WATCH));
	perf = watch_arg(TAP_WATCH_WRITE, 8, 0);
	EXPECT_ERRNO(EOPNOTSUPP, create_with(self->s.fd, NULL, WATCHED, 0, &perf,
					     OPS(OP_ARG(0))));
	EXPECT_ERRNO(EINVAL, create_with(self->s.fd, NULL, WATCHED, 0, &perf,
					 OPS(OP(TAP_OP_FIELD, TAP_OP_OUT, 0, 8,
						sizeof(struct tap_watch), 0))));
#ifdef __x86_64__
	/* The descriptor tables of CPU 0, which the CPU accesses in traps. */
	{
		__u32 id;

		perf = watch_arg(READ_WRITE, 8, 0xfffffe0000001000);
		ASSERT_EQ(0, create_with(self->s.fd, &id, "entry", 0, &perf,
					 OPS_WATCH));
		test_err_ioctl_enable(EADDRNOTAVAIL, id);
	}
#endif
}

static int enable_at(int fd, __u32 id, __u64 address)
{
	struct tap_probe_ref ref = { .size = sizeof(ref), .id = id, .address = address };

	return ioctl(fd, TAP_IOC_ENABLE, &ref);
}

/* A watchpoint at an address needs CAP_SYSLOG; without it, records have no addresses. */
TEST_F(watch, addresses_take_the_right_to_see_them)
{
	const __u64 caps = BIT(CAP_DAC_OVERRIDE) | BIT(CAP_PERFMON) |
			   BIT(CAP_SYS_ADMIN);
	struct test_record rec;
	struct tap_perf perf;
	__u64 address;
	__u32 id;

	test_create_watch(&id, WATCHED, TAP_WATCH_WRITE, 8);
	address = address_of(&self->s, id);
	ASSERT_NE(0, address);
	test_session_close(&self->s);

	test_session_open(_metadata, &self->s, 1 << 16);
	perf = watch_arg(TAP_WATCH_WRITE, 8, address);
	ASSERT_EQ(0, create_with(self->s.fd, &id, "an address", 0, &perf,
				 OPS_WATCH));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_WRITE, 10);
	EXPECT_EQ(10, test_session_drain(&self->s, NULL));
	test_session_close(&self->s);

	ASSERT_EQ(0, test_keep_caps(caps));
	test_session_open(_metadata, &self->s, 1 << 16);
	EXPECT_ERRNO(EPERM, create_with(self->s.fd, NULL, "an address", 0, &perf,
					OPS_WATCH));
	perf = watch_arg(TAP_WATCH_WRITE, 8, 0);
	perf.flags = TAP_PERF_F_LATER;
	ASSERT_EQ(0, create_with(self->s.fd, &id, "later", 0, &perf, OPS_WATCH));
	EXPECT_ERRNO(EPERM, enable_at(self->s.fd, id, address));
	test_ioctl_delete(id);
	test_create_watch(&id, WATCHED, TAP_WATCH_WRITE, 8);
	EXPECT_EQ(0, address_of(&self->s, id));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_WRITE, 1);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(rec.word[0] + 1, rec.word[1]);
	EXPECT_EQ(0, rec.word[2]);
	EXPECT_TRUE(rec.flags & TAP_F_REDACTED);
	test_session_close(&self->s);

	ASSERT_EQ(0, test_keep_caps(caps & ~BIT(CAP_SYS_ADMIN)));
	test_session_open(_metadata, &self->s, 1 << 16);
	test_err_create_watch(EPERM, WATCHED, TAP_WATCH_WRITE, 8);
}

/* The address of the variable, which comes after the probe; each error leaves it without one. */
TEST_F(watch, an_address_that_comes_later)
{
	struct tap_perf perf = watch_arg(TAP_WATCH_WRITE, 8, 0);
	struct tap_probe_ref ref = { .size = sizeof(ref) };
	unsigned int round;
	__u32 id, probe;
	__u64 address;

	test_create_watch(&probe, WATCHED, TAP_WATCH_WRITE, 8);
	address = address_of(&self->s, probe);
	ASSERT_NE(0, address);
	perf.flags = TAP_PERF_F_LATER;
	ASSERT_EQ(0, create_with(self->s.fd, &id, "+ (of an object)", 0, &perf, OPS_WATCH));
	test_ioctl_enable(id);
	EXPECT_EQ(TAP_STATE_WAITING, test_state(_metadata, &self->s, id));
	EXPECT_EQ(0, address_of(&self->s, id));
	test_target_call(TAP_TARGET_WRITE, 10);
	EXPECT_EQ(0, test_session_drain(&self->s, NULL));

	EXPECT_ERRNO(EINVAL, enable_at(self->s.fd, id, address + 1));
	EXPECT_ERRNO(EADDRNOTAVAIL, enable_at(self->s.fd, id, 4096));
	EXPECT_ERRNO(EINVAL, enable_at(self->s.fd, probe, address));
	EXPECT_ERRNO(ENOENT, enable_at(self->s.fd, 0, address));
	ref.id = id;
	ref.address = address;
	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_DISABLE, &ref));
	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_DELETE, &ref));
	EXPECT_EQ(TAP_STATE_WAITING, test_state(_metadata, &self->s, id));

	for (round = 0; round < 3; round++) {
		ASSERT_EQ(0, enable_at(self->s.fd, id, round ? 0 : address));
		EXPECT_EQ(TAP_STATE_ENABLED, test_state(_metadata, &self->s, id));
		EXPECT_EQ(address, address_of(&self->s, id));
		test_target_call(TAP_TARGET_WRITE, 100);
		EXPECT_EQ(100, test_session_drain(&self->s, NULL));
		test_ioctl_disable(id);
		test_target_call(TAP_TARGET_WRITE, 10);
	}
	EXPECT_ERRNO(EBADFD, enable_at(self->s.fd, id, address));
	EXPECT_EQ(0, test_session_drain(&self->s, NULL));
	test_ioctl_delete(id);

	/* Disabled: the address arms it. An address at the beginning excludes another one. */
	ASSERT_EQ(0, create_with(self->s.fd, &id, "later", 0, &perf, OPS_WATCH));
	ASSERT_EQ(0, enable_at(self->s.fd, id, address));
	test_target_call(TAP_TARGET_WRITE, 10);
	EXPECT_EQ(10, test_session_drain(&self->s, NULL));
	perf.config1 = address;
	EXPECT_ERRNO(EINVAL, create_with(self->s.fd, NULL, "later", 0, &perf, OPS_WATCH));
}

/* Nor does a disabled one keep an address for which there is no debug register. */
TEST_F(watch, an_address_without_a_register_is_not_kept)
{
	struct tap_perf perf = watch_arg(TAP_WATCH_WRITE, 8, 0);
	__u64 address = 0;
	__u32 id, other;
	int nr;

	perf.flags = TAP_PERF_F_LATER;
	ASSERT_EQ(0, create_with(self->s.fd, &id, "later", 0, &perf, OPS_WATCH));
	for (nr = 0; nr < MANY; nr++) {
		test_create_watch(&other, WATCHED, TAP_WATCH_WRITE, 8);
		address = address_of(&self->s, other);
		if (_test_ioctl_enable(self->s.fd, other))
			break;
	}
	ASSERT_GT(MANY, nr);
	ASSERT_LT(0, nr);
	EXPECT_ERRNO(ENOSPC, enable_at(self->s.fd, id, address));
	EXPECT_EQ(0, address_of(&self->s, id));
	test_ioctl_disable(0);
	ASSERT_EQ(0, enable_at(self->s.fd, id, address));
	test_target_call(TAP_TARGET_WRITE, 10);
	test_ioctl_disable(0);
	EXPECT_EQ(10, test_counters(_metadata, &self->s, id).written);
}

/* The memory may belong to another module afterwards, which must not be watched. */
TEST_F(watch, a_module_that_goes)
{
	__u32 id, other;

	test_need_module("tap_deferred");
	ASSERT_EQ(0, test_module_load("tap_deferred", ""));
	test_create_watch(&id, "tap_deferred:tap_deferred_value", TAP_WATCH_WRITE, 8);
	test_create_watch(&other, WATCHED, TAP_WATCH_WRITE, 8);
	test_ioctl_enable(0);
	ASSERT_EQ(0, test_write_file("/sys/module/tap_deferred/parameters/fire", "5"));
	EXPECT_EQ(5, test_session_drain(&self->s, NULL));
	ASSERT_EQ(0, test_module_unload("tap_deferred"));
	EXPECT_EQ(TAP_STATE_GONE, test_state(_metadata, &self->s, id));
	EXPECT_EQ(TAP_STATE_ENABLED, test_state(_metadata, &self->s, other));
	ASSERT_EQ(0, test_module_load("tap_deferred", ""));
	ASSERT_EQ(0, test_write_file("/sys/module/tap_deferred/parameters/fire", "5"));
	EXPECT_EQ(0, test_session_drain(&self->s, NULL));
	test_ioctl_disable(0);
	EXPECT_EQ(TAP_STATE_GONE, test_state(_metadata, &self->s, id));
	test_err_ioctl_enable(ENOENT, id);
	test_ioctl_delete(id);
	test_create_watch(&id, "tap_deferred_value", TAP_WATCH_WRITE, 8);
	test_ioctl_enable(id);
	ASSERT_EQ(0, test_write_file("/sys/module/tap_deferred/parameters/fire", "5"));
	EXPECT_EQ(5, test_session_drain(&self->s, NULL));
	test_ioctl_disable(id);
	ASSERT_EQ(0, test_module_unload("tap_deferred"));
	EXPECT_EQ(TAP_STATE_GONE, test_state(_metadata, &self->s, id));
}

/* A module whose notifiers may have run already: nobody would disarm what is added now. */
TEST_F(watch, a_module_that_is_going)
{
	int status, tries;
	pid_t child;

	test_need_module("tap_deferred");
	ASSERT_EQ(0, test_module_load("tap_deferred", "linger=3000"));
	child = fork();
	if (!child)
		_exit(test_module_unload("tap_deferred") != 0);
	for (tries = 0; tries < 1000 && !test_module_is_going("tap_deferred"); tries++)
		usleep(1000);
	EXPECT_ERRNO(ENOENT, create_watch(self->s.fd, NULL, "tap_deferred:tap_deferred_value",
					  TAP_WATCH_WRITE, 8));
	EXPECT_ERRNO(ENOENT, create_watch(self->s.fd, NULL, "tap_deferred:tap_deferred_function",
					  TAP_WATCH_EXECUTE, 1));
	EXPECT_EQ(0, create_watch(self->s.fd, NULL, WATCHED, TAP_WATCH_WRITE, 8));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
}

/* Writes on CPU 1 until there is an event: the counter comes a moment after the CPU. */
static bool write_hits(struct test_session *s, int target)
{
	unsigned int tries;

	if (test_pin(1))
		return false;
	test_session_drain(s, NULL);
	for (tries = 0; tries < 1000; tries++) {
		if (_test_target(target, TAP_TARGET_CALL, TAP_TARGET_WRITE, 1, 0,
				 NULL))
			return false;
		if (test_session_drain(s, NULL))
			return true;
		usleep(5000);
	}
	return false;
}

TEST_F_TIMEOUT(watch, a_cpu_that_goes_and_comes, 120)
{
	unsigned int round;
	__u32 id[4], i;

	test_need_cpus(2);
	if (access(CPU1_ONLINE, W_OK))
		SKIP(return, "CPU 1 cannot be taken offline");
	/* Uses all debug registers: one that was not released would be missing the next time. */
	test_create_members(id);
	test_ioctl_enable(0);
	for (round = 0; round < 3; round++) {
		ASSERT_TRUE(write_hits(&self->s, self->target));
		test_pin(0);
		self->offline = true;
		ASSERT_EQ(0, test_write_file(CPU1_ONLINE, "0"));
		test_target_call(TAP_TARGET_WRITE, 10);
		EXPECT_EQ(40, test_session_drain(&self->s, NULL));
		test_ioctl_disable(id[3]);
		test_ioctl_enable(id[3]);
		ASSERT_EQ(0, test_write_file(CPU1_ONLINE, "1"));
		self->offline = false;
	}
	ASSERT_TRUE(write_hits(&self->s, self->target));
	test_ioctl_disable(0);
	for (i = 0; i < 4; i++)
		test_counters(_metadata, &self->s, id[i]);
}

TEST_HARNESS_MAIN

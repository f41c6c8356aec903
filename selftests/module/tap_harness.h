/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common to the tests of the kernel interface: the calls of tap_session.h as assertions, and
 * fixtures.
 *
 * _test_ioctl_x() makes the call and returns what ioctl(2) does; test_ioctl_x() asserts that
 * it succeeds; test_err_ioctl_x() expects an errno. The last two use the session of the
 * fixture, self->s.
 *
 * Only one compile unit of a program may include kselftest_harness.h. So code that needs it is
 * in this header, and all other code in tap_session.c.
 */
#ifndef _TEST_MODULE_TAP_HARNESS_H
#define _TEST_MODULE_TAP_HARNESS_H

#include "selftests/module/tap_session.h"

#include <kselftest_harness.h>

/*
 * The time-out is only for tests that hang. A debug kernel takes 20 times as long as others.
 * Where the kernel searches all symbols for a function, a probe takes a third of a second in
 * the lab, and a return probe, for which it searches three times, one second.
 */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	300

#define EXPECT_ERRNO(_errno, _call)					\
	({								\
		EXPECT_EQ(-1, (_call));					\
		EXPECT_EQ((_errno), errno);				\
	})

/* Skips the test if the module is not loaded or the test does not run as root. */
#define test_need_root()						\
	do {								\
		if (geteuid())						\
			SKIP(return, "not root");			\
		if (access(TAP_DEVICE, F_OK))				\
			SKIP(return, "no %s: tapmod is not loaded", TAP_DEVICE); \
	} while (0)

#define test_need_target()						\
	do {								\
		if (access(TAP_TARGET_DEVICE, F_OK))			\
			SKIP(return, "no %s: tap_target is not loaded",	\
			     TAP_TARGET_DEVICE);			\
	} while (0)

#define test_need_cpus(_nr)						\
	do {								\
		if (sysconf(_SC_NPROCESSORS_ONLN) < (_nr))		\
			SKIP(return, "needs %d CPUs", (_nr));	\
	} while (0)

#define test_need_module(_name)						\
	do {								\
		if (access(TEST_MODULE_DIR "/" _name ".ko", R_OK))	\
			SKIP(return, "no %s/%s.ko", TEST_MODULE_DIR, _name); \
	} while (0)

/* With CONFIG_CFI a module's tracepoint has no raw arguments, and all events come through perf. */
#define test_need_raw_tracepoints()					\
	do {								\
		if (!test_has_raw_tracepoints())			\
			SKIP(return, "CONFIG_CFI: no raw tracepoints of modules"); \
	} while (0)

/*
 * The commands.
 */

#define test_ioctl_info(info)						\
	ASSERT_EQ(0, _test_ioctl_info(self->s.fd, info))

#define test_ioctl_setup(bytes, watermark, wake_ms)			\
	ASSERT_EQ(0, _test_ioctl_setup(self->s.fd, bytes, watermark, wake_ms, NULL))
#define test_err_ioctl_setup(_errno, bytes, watermark, wake_ms)		\
	EXPECT_ERRNO(_errno, _test_ioctl_setup(self->s.fd, bytes, watermark, \
					       wake_ms, NULL))

/* test_ioctl_create(&id, type, target, ops...) */
#define test_ioctl_create(id, type, target, ...)			\
	ASSERT_EQ(0, _test_ioctl_create(self->s.fd, id, type, target,	\
					OPS(__VA_ARGS__)))		\
		TH_LOG("cannot create %s: %s", target, strerror(errno))
#define test_err_ioctl_create(_errno, type, target, ...)		\
	EXPECT_ERRNO(_errno, _test_ioctl_create(self->s.fd, NULL, type, target, \
						OPS(__VA_ARGS__)))

#define test_ioctl_enable(id)						\
	ASSERT_EQ(0, _test_ioctl_enable(self->s.fd, id))		\
		TH_LOG("cannot enable %u: %s", id, strerror(errno))
#define test_ioctl_disable(id)						\
	ASSERT_EQ(0, _test_ioctl_disable(self->s.fd, id))
#define test_ioctl_delete(id)						\
	ASSERT_EQ(0, _test_ioctl_delete(self->s.fd, id))
#define test_err_ioctl_enable(_errno, id)				\
	EXPECT_ERRNO(_errno, _test_ioctl_enable(self->s.fd, id))
#define test_err_ioctl_disable(_errno, id)				\
	EXPECT_ERRNO(_errno, _test_ioctl_disable(self->s.fd, id))
#define test_err_ioctl_delete(_errno, id)				\
	EXPECT_ERRNO(_errno, _test_ioctl_delete(self->s.fd, id))

#define test_ioctl_probe_info(id, ops, nr_ops, info)			\
	ASSERT_EQ(0, _test_ioctl_probe_info(self->s.fd, id, ops, nr_ops, info))

#define test_ioctl_stats(id, counters, nr_cpus, stats)			\
	ASSERT_EQ(0, _test_ioctl_stats(self->s.fd, id, counters, nr_cpus, stats))

#define test_ioctl_flush(pending)					\
	ASSERT_EQ(0, _test_ioctl_flush(self->s.fd, pending))

#define test_ioctl_time(time)						\
	ASSERT_EQ(0, _test_ioctl_time(self->s.fd, time))

/* Maps a ring; its layout begins at offset @base. */
static inline void test_ring_map_at(struct __test_metadata *_metadata,
				    struct test_session *s, unsigned int cpu, __u64 base)
{
	__u64 offset = base + s->meta->ring_offset + cpu * s->meta->ring_stride;
	struct test_ring *ring = &s->ring[cpu];
	void *map = test_map(s->fd, s->page, PROT_READ | PROT_WRITE, offset);

	if (map == MAP_FAILED && (errno == ENXIO || errno == ENODATA))
		return;
	ASSERT_NE(MAP_FAILED, map);
	ring->tail = map;
	ring->pos = ring->tail->tail;
	ring->mask = s->meta->ring_bytes - 1;
	ring->mapped = s->page + s->meta->ring_bytes;
	map = test_map(s->fd, ring->mapped, PROT_READ, offset + s->page);
	ASSERT_NE(MAP_FAILED, map);
	ring->head = map;
	ring->slots = (const char *)map + s->page;
}

static inline void test_ring_map(struct __test_metadata *_metadata,
				 struct test_session *s, unsigned int cpu)
{
	test_ring_map_at(_metadata, s, cpu, 0);
}

/* Maps all parts of a session that has its rings. */
static inline void test_session_map(struct __test_metadata *_metadata,
				    struct test_session *s)
{
	unsigned int cpu;

	s->page = sysconf(_SC_PAGESIZE);
	s->meta = test_map(s->fd, s->page, PROT_READ, 0);
	ASSERT_NE(MAP_FAILED, (void *)s->meta);
	s->nr_rings = s->meta->nr_rings;
	ASSERT_LE(s->nr_rings, TEST_MAX_RINGS);
	for (cpu = 0; cpu < s->nr_rings; cpu++)
		test_ring_map(_metadata, s, cpu);
}

static inline void test_session_open(struct __test_metadata *_metadata,
				     struct test_session *s, __u64 ring_bytes)
{
	memset(s, 0, sizeof(*s));
	s->fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, s->fd) TH_LOG("%s: %s", TAP_DEVICE, strerror(errno));
	ASSERT_EQ(0, _test_ioctl_setup(s->fd, ring_bytes, 0, 0, NULL))
		TH_LOG("cannot set up: %s", strerror(errno));
	test_session_map(_metadata, s);
}

/* Sums the counters of a probe over all CPUs, after checking those of each. */
static inline struct tap_counters
test_counters(struct __test_metadata *_metadata, const struct test_session *s,
	      __u32 id)
{
	struct tap_counters all[TEST_MAX_RINGS], sum = {};
	struct tap_stats stats;
	unsigned int cpu, i;

	ASSERT_EQ(0, _test_ioctl_stats(s->fd, id, all, s->nr_rings, &stats));
	for (cpu = 0; cpu < s->nr_rings; cpu++) {
		const struct tap_counters *c = &all[cpu];

		EXPECT_EQ(c->hits, c->written + c->filtered + c->aggregated +
			  c->lost_full + c->lost_nested + c->lost_fault +
			  c->throttled) {
			TH_LOG("the counters of probe %u on CPU %u do not add up",
			       id, cpu);
		}
		for (i = 0; i < sizeof(sum) / sizeof(__u64); i++)
			((__u64 *)&sum)[i] += ((const __u64 *)c)[i];
	}
	for (i = 0; i < ARRAY_SIZE(sum.__reserved); i++)
		EXPECT_EQ(0, sum.__reserved[i]);
	return sum;
}

static inline __u32 test_state(struct __test_metadata *_metadata,
			       const struct test_session *s, __u32 id)
{
	struct tap_probe_info info;

	ASSERT_EQ(0, _test_ioctl_probe_info(s->fd, id, NULL, 0, &info));
	return info.out_state;
}

#define test_target_call(function, count)				\
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_CALL, function, \
				  count, 0, NULL))

static inline int test_target_open(struct __test_metadata *_metadata)
{
	int fd = open(TAP_TARGET_DEVICE, O_RDWR | O_CLOEXEC);

	ASSERT_LE(0, fd) TH_LOG("%s: %s", TAP_TARGET_DEVICE, strerror(errno));
	return fd;
}

/* Waits for a child, which must exit with status 0. */
static inline void test_child_ends(struct __test_metadata *_metadata, pid_t child)
{
	int status;

	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_EQ(0, status);
}

/* Runs the tests of a fixture for each type of probe: variant->kind. */
#define TEST_KINDS(fixture)						\
	FIXTURE_VARIANT(fixture) { const struct test_kind *kind; };	\
	FIXTURE_VARIANT_ADD(fixture, kprobe) { .kind = &test_kprobe };	\
	FIXTURE_VARIANT_ADD(fixture, kretprobe) { .kind = &test_kretprobe }; \
	FIXTURE_VARIANT_ADD(fixture, call) { .kind = &test_call };	\
	FIXTURE_VARIANT_ADD(fixture, rawtp) { .kind = &test_rawtp };	\
	FIXTURE_VARIANT_ADD(fixture, tracepoint) { .kind = &test_tracepoint }

/* Setup and teardown of most fixtures, which have a session s and a target. */
#define test_setup()							\
	do {								\
		self->s.fd = -1;					\
		self->target = -1;					\
		test_need_root();					\
		test_need_target();					\
		self->target = test_target_open(_metadata);		\
	} while (0)
#define test_teardown()							\
	do {								\
		test_session_close(&self->s);				\
		if (self->target >= 0)					\
			close(self->target);				\
	} while (0)

#endif /* _TEST_MODULE_TAP_HARNESS_H */

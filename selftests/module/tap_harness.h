/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of the kernel interface share: every command in a raw form
 * and one that must succeed, a session with its mappings, a reader written from
 * uapi/linux/tap_record.h alone, and the target module.
 *
 * _test_ioctl_x() makes the call and returns what ioctl(2) does;
 * test_ioctl_x() asserts that it succeeds; test_err_ioctl_x() expects an errno.
 * The last two take the session of the fixture, self->s.
 */
#ifndef _TEST_MODULE_TAP_HARNESS_H
#define _TEST_MODULE_TAP_HARNESS_H

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <kselftest_harness.h>

#include <linux/tap.h>

#include "selftests/module/kmod/tap_target.h"

/*
 * Only what hangs is ended. A kernel that checks what it does takes twenty times as
 * long as another. Where it finds a function by looking at all names, one after the
 * other, a probe takes the lab a third of a second, and a return probe, for which it
 * looks three times, a whole one.
 */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	300

#define TEST_MAX_RINGS	8
/* As many as a record has at most. */
#define TEST_MAX_WORDS	(TAP_FIRST_VALUES + (TAP_MAX_SLOTS - 1) * TAP_SLOT_VALUES)

/* As many as are there to be looked at whatever a record has. */
#define TEST_SOME_WORDS	32

#define BIT(n)		(1ULL << (n))

/* Of the kernel; to a 32-bit program one where nothing is. */
#define TEST_NOT_OURS	(1UL << (8 * sizeof(long) - 1))

/* Where the lab puts the modules. */
#define TEST_MODULE_DIR	"/lib/tapmod"

#define EXPECT_ERRNO(_errno, _call)					\
	({								\
		EXPECT_EQ(-1, (_call));					\
		EXPECT_EQ((_errno), errno);				\
	})

/* Ends a fixture's setup where there is nothing to test, or nobody to do it. */
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
			SKIP(return, "needs %d processors", (_nr));	\
	} while (0)

#define test_need_module(_name)						\
	do {								\
		if (access(TEST_MODULE_DIR "/" _name ".ko", R_OK))	\
			SKIP(return, "no %s/%s.ko", TEST_MODULE_DIR, _name); \
	} while (0)

/* Steps of a program; those that test something are two. */
#define OP(_code, _dst, _src, _size, _off, _imm)			\
	((struct tap_op){ .code = (_code), .dst = (_dst), .src = (_src),	\
			  .size = (_size), .off = (_off), .imm = (_imm) })
#define OP_ARG(n)	OP(TAP_OP_ARG, TAP_OP_OUT, 0, 8, n, 0)
#define OP_REG(n)	OP(TAP_OP_REG, TAP_OP_OUT, 0, 8, n, 0)
#define OP_RETVAL	OP(TAP_OP_RETVAL, TAP_OP_OUT, 0, 8, 0, 0)
#define OP_COMM		OP(TAP_OP_COMM, TAP_OP_OUT, 0, 0, 0, 0)
#define OP_REJECT_IF(_jump, _reg, _imm)					\
	OP(_jump, _reg, TAP_OP_IMM_SRC, 8, TAP_OP_REJECT, _imm)
#define OP_TEST_TGID(n)							\
	OP(TAP_OP_VAR, 0, 0, 8, TAP_VAR_TGID, 0),			\
	OP_REJECT_IF(TAP_OP_JNE, 0, n)
#define OP_TEST_DESCENT(n)						\
	OP(TAP_OP_VAR, 0, 0, 8, TAP_VAR_DESCENDS_FROM, n),			\
	OP_REJECT_IF(TAP_OP_JEQ, 0, 0)
#define OPS(...)							\
	(const struct tap_op[]){ __VA_ARGS__ },				\
	sizeof((const struct tap_op[]){ __VA_ARGS__ }) / sizeof(struct tap_op)

/*
 * The commands.
 */

static inline int _test_ioctl_info(int fd, struct tap_info *info)
{
	*info = (struct tap_info){ .size = sizeof(*info) };
	return ioctl(fd, TAP_IOC_INFO, info);
}
#define test_ioctl_info(info)						\
	ASSERT_EQ(0, _test_ioctl_info(self->s.fd, info))

static inline int _test_ioctl_setup(int fd, __u64 ring_bytes, __u64 watermark,
				    __u32 wake_ms, struct tap_setup *out)
{
	struct tap_setup setup = {
		.size = sizeof(setup),
		.ring_bytes = ring_bytes,
		.watermark = watermark,
		.wake_ms = wake_ms,
	};
	int ret = ioctl(fd, TAP_IOC_SETUP, &setup);

	if (out)
		*out = setup;
	return ret;
}
#define test_ioctl_setup(bytes, watermark, wake_ms)			\
	ASSERT_EQ(0, _test_ioctl_setup(self->s.fd, bytes, watermark, wake_ms, NULL))
#define test_err_ioctl_setup(_errno, bytes, watermark, wake_ms)		\
	EXPECT_ERRNO(_errno, _test_ioctl_setup(self->s.fd, bytes, watermark, \
					       wake_ms, NULL))

/* With every field; the caller may change any of them before the call. */
static inline struct tap_create
test_create_arg(__u32 type, const char *target, const struct tap_op *ops,
		__u32 nr_ops)
{
	return (struct tap_create){
		.size = sizeof(struct tap_create),
		.type = type,
		.target = (uintptr_t)target,
		.target_len = strlen(target),
		.ops = (uintptr_t)ops,
		.nr_ops = nr_ops,
	};
}

static inline int _test_ioctl_create_flags(int fd, __u32 *id, __u32 type,
					   __u32 flags, __u32 maxactive,
					   const char *target,
					   const struct tap_op *ops, __u32 nr_ops)
{
	struct tap_create create = test_create_arg(type, target, ops, nr_ops);
	int ret;

	create.flags = flags;
	create.maxactive = maxactive;
	ret = ioctl(fd, TAP_IOC_CREATE, &create);
	if (!ret && id)
		*id = create.out_id;
	return ret;
}

static inline int _test_ioctl_create(int fd, __u32 *id, __u32 type,
				     const char *target, const struct tap_op *ops,
				     __u32 nr_ops)
{
	return _test_ioctl_create_flags(fd, id, type, 0, 0, target, ops, nr_ops);
}
/* test_ioctl_create(&id, type, target, steps...) */
#define test_ioctl_create(id, type, target, ...)			\
	ASSERT_EQ(0, _test_ioctl_create(self->s.fd, id, type, target,	\
					OPS(__VA_ARGS__)))		\
		TH_LOG("cannot create %s: %s", target, strerror(errno))
#define test_err_ioctl_create(_errno, type, target, ...)		\
	EXPECT_ERRNO(_errno, _test_ioctl_create(self->s.fd, NULL, type, target, \
						OPS(__VA_ARGS__)))

static inline int _test_ioctl_ref(int fd, unsigned long cmd, __u32 id)
{
	struct tap_probe_ref ref = { .size = sizeof(ref), .id = id };

	return ioctl(fd, cmd, &ref);
}
#define _test_ioctl_enable(fd, id)	_test_ioctl_ref(fd, TAP_IOC_ENABLE, id)
#define _test_ioctl_disable(fd, id)	_test_ioctl_ref(fd, TAP_IOC_DISABLE, id)
#define _test_ioctl_delete(fd, id)	_test_ioctl_ref(fd, TAP_IOC_DELETE, id)
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

static inline int _test_ioctl_probe_info(int fd, __u32 id, struct tap_op *ops,
					 __u32 nr_ops, struct tap_probe_info *info)
{
	*info = (struct tap_probe_info){
		.size = sizeof(*info),
		.id = id,
		.ops = (uintptr_t)ops,
		.nr_ops = nr_ops,
	};
	return ioctl(fd, TAP_IOC_PROBE_INFO, info);
}
#define test_ioctl_probe_info(id, ops, nr_ops, info)			\
	ASSERT_EQ(0, _test_ioctl_probe_info(self->s.fd, id, ops, nr_ops, info))

static inline int _test_ioctl_stats(int fd, __u32 id,
				    struct tap_counters *counters,
				    __u32 nr_cpus, struct tap_stats *stats)
{
	*stats = (struct tap_stats){
		.size = sizeof(*stats),
		.id = id,
		.counters = (uintptr_t)counters,
		.nr_cpus = nr_cpus,
	};
	return ioctl(fd, TAP_IOC_STATS, stats);
}
#define test_ioctl_stats(id, counters, nr_cpus, stats)			\
	ASSERT_EQ(0, _test_ioctl_stats(self->s.fd, id, counters, nr_cpus, stats))

static inline int _test_ioctl_flush(int fd, __u64 *pending)
{
	struct tap_flush flush = { .size = sizeof(flush) };
	int ret = ioctl(fd, TAP_IOC_FLUSH, &flush);

	*pending = flush.out_pending;
	return ret;
}
#define test_ioctl_flush(pending)					\
	ASSERT_EQ(0, _test_ioctl_flush(self->s.fd, pending))

static inline int _test_ioctl_time(int fd, struct tap_time *time)
{
	*time = (struct tap_time){ .size = sizeof(*time) };
	return ioctl(fd, TAP_IOC_TIME, time);
}
#define test_ioctl_time(time)						\
	ASSERT_EQ(0, _test_ioctl_time(self->s.fd, time))

/*
 * A session with rings, all of them mapped.
 */

/**
 * struct test_ring - the ring of one CPU
 * @tail: writable page
 * @head: read-only page
 * @slots: read-only pages
 * @mask: bytes of slots less one
 * @pos: what was read so far
 * @mapped: bytes mapped at @head
 */
struct test_ring {
	struct tap_ring_tail *tail;
	const struct tap_ring_head *head;
	const char *slots;
	__u64 mask;
	__u64 pos;
	size_t mapped;
};

/**
 * struct test_session - a session
 * @fd: of the device; -1: closed, or never opened
 * @nr_rings: rings, from 0
 * @page: bytes of a page
 * @meta: meta page
 * @ring: the rings; those of CPUs that cannot be have no @tail
 */
struct test_session {
	int fd;
	unsigned int nr_rings;
	size_t page;
	const struct tap_meta *meta;
	struct test_ring ring[TEST_MAX_RINGS];
};

static inline void *test_map(int fd, size_t length, int prot, __u64 offset)
{
	return mmap(NULL, length, prot, MAP_SHARED, fd, offset);
}

static inline void test_ring_map(struct __test_metadata *_metadata,
				 struct test_session *s, unsigned int cpu)
{
	__u64 offset = s->meta->ring_offset + cpu * s->meta->ring_stride;
	struct test_ring *ring = &s->ring[cpu];
	void *map = test_map(s->fd, s->page, PROT_READ | PROT_WRITE, offset);

	if (map == MAP_FAILED && errno == ENXIO)
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

/* Maps all there is of a session that has its rings. */
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

static inline void test_session_unmap(struct test_session *s)
{
	unsigned int cpu;

	for (cpu = 0; cpu < s->nr_rings; cpu++) {
		struct test_ring *ring = &s->ring[cpu];

		if (!ring->tail)
			continue;
		munmap(ring->tail, s->page);
		munmap((void *)ring->head, ring->mapped);
		ring->tail = NULL;
	}
	if (s->meta)
		munmap((void *)s->meta, s->page);
	s->meta = NULL;
	s->nr_rings = 0;
}

static inline void test_session_close(struct test_session *s)
{
	test_session_unmap(s);
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

/*
 * The reader.
 */

/**
 * struct test_record - a record, taken apart
 * @cpu: whose ring it was in
 * @broken: a further slot did not have its sequence word
 * @word: value words; of the first %TEST_SOME_WORDS what the slots do not have
 *	is zero
 *
 * The others are as in struct tap_record.
 */
struct test_record {
	__u64 time;
	unsigned int cpu;
	__u32 flags;
	__u32 tid;
	__u32 tgid;
	__u16 probe;
	__u8 slots;
	__u8 kind;
	bool broken;
	__u64 word[TEST_MAX_WORDS];
};

static inline __u64 test_slot_seq(__u64 pos, unsigned int k)
{
	return pos + TAP_SLOT_SIZE + (k ? 1 + (k - 1) % 63 : 0);
}

/* The next record of a ring where it lies, or NULL. */
static inline const struct tap_record *test_ring_head(const struct test_ring *ring)
{
	const struct tap_record *rec =
		(const void *)(ring->slots + (ring->pos & ring->mask));

	return __atomic_load_n(&rec->seq, __ATOMIC_ACQUIRE) ==
	       test_slot_seq(ring->pos, 0) ? rec : NULL;
}

/* Takes the next record out of a ring, if there is one. */
static inline bool test_ring_next(struct test_ring *ring, struct test_record *out)
{
	const struct tap_record *rec = test_ring_head(ring);
	unsigned int k, word = 0;

	if (!rec)
		return false;
	/* Not all of it, which is so much that no reader would keep up. */
	memset(out, 0, offsetof(struct test_record, word[TEST_SOME_WORDS]));
	out->time = rec->time;
	out->flags = rec->flags;
	out->tid = rec->tid;
	out->tgid = rec->tgid;
	out->probe = rec->probe;
	out->slots = rec->slots;
	out->kind = rec->kind;
	while (word < TAP_FIRST_VALUES) {
		out->word[word] = rec->value[word];
		word++;
	}
	for (k = 1; k < rec->slots; k++) {
		__u64 pos = ring->pos + k * TAP_SLOT_SIZE;
		const struct tap_slot *slot =
			(const void *)(ring->slots + (pos & ring->mask));
		unsigned int i;

		out->broken |= slot->seq != test_slot_seq(pos, k);
		for (i = 0; i < TAP_SLOT_VALUES && word < TEST_MAX_WORDS; i++)
			out->word[word++] = slot->value[i];
	}
	/* A record without a slot would not let us on. */
	out->broken |= !out->slots;
	ring->pos += (__u64)(out->slots ?: 1) * TAP_SLOT_SIZE;
	__atomic_store_n(&ring->tail->tail, ring->pos, __ATOMIC_RELEASE);
	return true;
}

/*
 * Takes the oldest of the rings' next records out: a test that was moved to
 * another processor between two calls still reads them in their order.
 */
static inline bool test_session_next(struct test_session *s,
				     struct test_record *rec)
{
	unsigned int cpu, oldest = 0;
	__u64 time = 0;
	bool found = false;

	for (cpu = 0; cpu < s->nr_rings; cpu++) {
		const struct tap_record *head =
			s->ring[cpu].tail ? test_ring_head(&s->ring[cpu]) : NULL;

		if (!head || (found && head->time >= time))
			continue;
		found = true;
		oldest = cpu;
		time = head->time;
	}
	if (!found || !test_ring_next(&s->ring[oldest], rec))
		return false;
	rec->cpu = oldest;
	return true;
}

/*
 * Takes all records out; returns the events among them, adds up the gaps. Where they come as fast
 * as they are taken it would never end: at most what a ring holds.
 */
static inline __u64 test_session_drain(struct test_session *s, __u64 *gaps)
{
	struct test_record rec;
	__u64 events = 0, end;
	unsigned int cpu;

	for (cpu = 0; cpu < s->nr_rings; cpu++) {
		struct test_ring *ring = &s->ring[cpu];

		end = ring->pos + ring->mask + 1;
		while (ring->tail && ring->pos < end && test_ring_next(ring, &rec)) {
			if (rec.kind == TAP_KIND_EVENT)
				events++;
			else if (rec.kind == TAP_KIND_GAP && gaps)
				*gaps += rec.word[TAP_GAP_LOST];
		}
	}
	return events;
}

/* The counters of a probe, all CPUs together; checks those of each. */
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

/*
 * Ticks of the session's clock in nanoseconds. The kernel's shifts are 32 at most, so
 * the upper half of the product loses nothing.
 */
static inline __u64 test_ticks_to_ns(const struct test_session *s, __u64 ticks)
{
	const __u64 mult = s->meta->clock_mult;
	const __u32 shift = s->meta->clock_shift;

	return ((ticks >> 32) * mult << (32 - shift)) + ((ticks & ~0U) * mult >> shift);
}

/*
 * The target module.
 */

static inline int _test_target(int fd, unsigned long cmd, __u32 function,
			       __u64 count, __u32 cpu, __u64 *result)
{
	struct tap_target_run run = {
		.function = function,
		.cpu = cpu,
		.count = count,
	};
	int ret = ioctl(fd, cmd, &run);

	if (!ret && result)
		*result = run.out_result;
	return ret;
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

/* Waits until so many threads are in tap_target_block(). */
static inline bool test_wait_blocked(int target, __u64 nr)
{
	unsigned int tries;

	for (tries = 0; tries < 1000; tries++) {
		__u64 blocked;

		if (_test_target(target, TAP_TARGET_BLOCKED, 0, 0, 0, &blocked))
			return false;
		if (blocked == nr)
			return true;
		usleep(5000);
	}
	return false;
}

/*
 * The machine.
 */

static inline int test_module_load(const char *name, const char *parameters)
{
	char path[256];
	int fd, ret;

	snprintf(path, sizeof(path), "%s/%s.ko", TEST_MODULE_DIR, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ret = syscall(SYS_finit_module, fd, parameters, 0);
	close(fd);
	return ret;
}

static inline int test_module_unload(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK);
}

/* Who holds a module; -1: it is not loaded. */
static inline long test_module_refs(const char *name)
{
	char path[256];
	long refs = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/module/%s/refcnt", name);
	file = fopen(path, "re");
	if (!file)
		return -1;
	if (fscanf(file, "%ld", &refs) != 1)
		refs = -1;
	fclose(file);
	return refs;
}

static inline int test_write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t done;

	if (fd < 0)
		return -1;
	done = write(fd, text, strlen(text));
	close(fd);
	return done == (ssize_t)strlen(text) ? 0 : -1;
}

static inline int test_pin(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

/* Keeps only the capabilities in a mask of 1 << CAP_*. */
static inline int test_keep_caps(__u64 mask)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = {
		{ .effective = mask, .permitted = mask },
		{ .effective = mask >> 32, .permitted = mask >> 32 },
	};

	return syscall(SYS_capset, &header, data);
}

static inline __u64 test_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}

/**
 * struct test_kind - a kind of probe on what tap_target does with a number that
 *	goes up by one with each call
 * @event: what people call it
 * @type: enum tap_probe_type
 * @function: enum tap_target_function
 * @target: where the probe sits
 * @fetch: gives that number
 * @word: of the record, where it is
 * @first: what it begins with
 */
struct test_kind {
	const char *event;
	__u32 type;
	__u32 function;
	const char *target;
	struct tap_op fetch;
	unsigned int word;
	__u64 first;
};

static const struct test_kind test_kprobe = {
	.event = "kprobe",
	.type = TAP_PROBE_KPROBE,
	.function = TAP_TARGET_ADD,
	.target = "tap_target_add",
	.fetch = OP_ARG(0),
};

static const struct test_kind test_kretprobe = {
	.event = "kretprobe",
	.type = TAP_PROBE_KRETPROBE,
	.function = TAP_TARGET_ADD,
	.target = "tap_target_add",
	.fetch = OP_RETVAL,
	.first = TAP_TARGET_ADDEND,
};

static const struct test_kind test_call = {
	.event = "call",
	.type = TAP_PROBE_CALL,
	.function = TAP_TARGET_ADD,
	.target = "tap_target_add",
	.fetch = OP_ARG(0),
	.word = TAP_CALL_FETCHES,
};

static const struct test_kind test_rawtp = {
	.event = "rawtracepoint",
	.type = TAP_PROBE_RAWTP,
	.function = TAP_TARGET_EVENT,
	.target = "tap_target_event",
	.fetch = OP_ARG(0),
};

/* The first field of an event lies behind its common ones. */
static const struct test_kind test_tracepoint = {
	.event = "tracepoint",
	.type = TAP_PROBE_TRACEPOINT,
	.function = TAP_TARGET_EVENT,
	.target = "tap_target:tap_target_event",
	.fetch = OP(TAP_OP_FIELD, TAP_OP_OUT, 0, 8, 8, 0),
};

/* The variants of a fixture for each of them; its tests see variant->kind. */
#define TEST_KINDS(fixture)						\
	FIXTURE_VARIANT(fixture) { const struct test_kind *kind; };	\
	FIXTURE_VARIANT_ADD(fixture, kprobe) { .kind = &test_kprobe };	\
	FIXTURE_VARIANT_ADD(fixture, kretprobe) { .kind = &test_kretprobe }; \
	FIXTURE_VARIANT_ADD(fixture, call) { .kind = &test_call };	\
	FIXTURE_VARIANT_ADD(fixture, rawtp) { .kind = &test_rawtp };	\
	FIXTURE_VARIANT_ADD(fixture, tracepoint) { .kind = &test_tracepoint }

/* How most fixtures, which have a session s and a target, begin and end. */
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

/* One probe of each kind, all on what TAP_TARGET_STORM calls; enabled. */
static inline int test_arm_everything(int fd)
{
	static const struct tap_op arg = OP_ARG(0);
	static const struct tap_op retval = OP_RETVAL;
	static const struct tap_op pid = OP(TAP_OP_FIELD, TAP_OP_OUT, 0, 4, 24, 0);

	return _test_ioctl_create(fd, NULL, TAP_PROBE_KPROBE, "tap_target_add",
				  &arg, 1) ||
	       _test_ioctl_create(fd, NULL, TAP_PROBE_KRETPROBE, "tap_target_add",
				  &retval, 1) ||
	       _test_ioctl_create(fd, NULL, TAP_PROBE_CALL, "tap_target_add",
				  &arg, 1) ||
	       _test_ioctl_create(fd, NULL, TAP_PROBE_RAWTP, "sched_switch",
				  &arg, 1) ||
	       _test_ioctl_create(fd, NULL, TAP_PROBE_TRACEPOINT,
				  "sched:sched_switch", &pid, 1) ||
	       _test_ioctl_enable(fd, 0);
}

#endif /* _TEST_MODULE_TAP_HARNESS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common to all programs that call the module: every command, a session with its mappings, a
 * reader written from uapi/linux/tap_record.h alone, and access to the target module. Nothing
 * here needs kselftest_harness.h.
 */
#ifndef _TEST_MODULE_TAP_SESSION_H
#define _TEST_MODULE_TAP_SESSION_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
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
#include <linux/tap.h>

#include "selftests/module/kmod/tap_target.h"

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#endif

#define TEST_MAX_RINGS	16
/* Value words of the longest record. */
#define TEST_MAX_WORDS	(TAP_FIRST_VALUES + (TAP_MAX_SLOTS - 1) * TAP_SLOT_VALUES)

/* Value words that struct test_record always has, zero if the record is shorter. */
#define TEST_SOME_WORDS	32

#define BIT(n)		(1ULL << (n))

/* A kernel address; for a 32-bit program an address where nothing is mapped. */
#define TEST_NOT_OURS	(1UL << (8 * sizeof(long) - 1))

/* The bound for the memory of all sessions; "0" is the default. */
#define TEST_MEMORY_MAX	"/sys/module/tapmod/parameters/memory_max"

/* Directory of the test modules in the lab. */
#define TEST_MODULE_DIR	"/lib/tapmod"

/* Ops of a program; a test is two ops: load a value, then compare it. */
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
#define OP_TEST_FOLLOWED							\
	OP(TAP_OP_VAR, 0, 0, 8, TAP_VAR_FOLLOWED, 0),			\
	OP_REJECT_IF(TAP_OP_JEQ, 0, 0)
#define OPS(...)							\
	(const struct tap_op[]){ __VA_ARGS__ },				\
	sizeof((const struct tap_op[]){ __VA_ARGS__ }) / sizeof(struct tap_op)

/* The commands. Each returns what ioctl(2) does. */

int _test_ioctl_info(int fd, struct tap_info *info);
int _test_ioctl_setup(int fd, __u64 ring_bytes, __u64 watermark, __u32 wake_ms,
		      struct tap_setup *out);
/* Sets every member; the caller may change any of them before the call. */
struct tap_create test_create_arg(__u32 type, const char *target, const struct tap_op *ops,
				  __u32 nr_ops);
int _test_ioctl_create_flags(int fd, __u32 *id, __u32 type, __u32 flags, __u32 maxactive,
			     const char *target, const struct tap_op *ops, __u32 nr_ops);
int _test_ioctl_create(int fd, __u32 *id, __u32 type, const char *target,
		       const struct tap_op *ops, __u32 nr_ops);
bool test_has_raw_tracepoints(void);
int _test_ioctl_ref(int fd, unsigned long cmd, __u32 id);
int _test_ioctl_probe_info(int fd, __u32 id, struct tap_op *ops, __u32 nr_ops,
			   struct tap_probe_info *info);
int _test_ioctl_stats(int fd, __u32 id, struct tap_counters *counters, __u32 nr_cpus,
		      struct tap_stats *stats);
int _test_ioctl_flush(int fd, __u64 *pending);
int _test_ioctl_time(int fd, struct tap_time *time);
int _test_ioctl_follow(int fd, __u32 pid);
int _test_ioctl_tasks(int fd, __u32 flags, __u32 tasks, __u32 *sources);
#define _test_ioctl_enable(fd, id)	_test_ioctl_ref(fd, TAP_IOC_ENABLE, id)
#define _test_ioctl_disable(fd, id)	_test_ioctl_ref(fd, TAP_IOC_DISABLE, id)
#define _test_ioctl_delete(fd, id)	_test_ioctl_ref(fd, TAP_IOC_DELETE, id)

/*
 * A session with rings, all of them mapped.
 */

/**
 * struct test_ring - the ring of one CPU
 * @tail: page that the reader writes
 * @head: read-only page
 * @slots: read-only pages
 * @mask: bytes of @slots, minus one
 * @pos: position up to which records were read
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
 * @fd: descriptor of /dev/tap; -1: closed, or never opened
 * @nr_rings: entries of @ring
 * @page: bytes of a page
 * @meta: meta page
 * @ring: the rings; @tail is NULL for a CPU that has none
 */
struct test_session {
	int fd;
	unsigned int nr_rings;
	size_t page;
	const struct tap_meta *meta;
	struct test_ring ring[TEST_MAX_RINGS];
};

void *test_map(int fd, size_t length, int prot, __u64 offset);
void test_session_unmap(struct test_session *s);
void test_session_close(struct test_session *s);

/*
 * The reader.
 */

/**
 * struct test_record - a record that was read
 * @cpu: CPU of the ring
 * @broken: a further slot lacked its sequence word
 * @word: value words; of the first %TEST_SOME_WORDS, those behind the record's end are zero
 *
 * The other members are as in struct tap_record.
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

/* Takes the next record out of a ring; false if there is none. */
bool test_ring_next(struct test_ring *ring, struct test_record *out);

/*
 * Takes the oldest record out of all rings. So a test that moved to another CPU between two
 * calls reads their records in order.
 */
bool test_session_next(struct test_session *s, struct test_record *rec);

/*
 * Takes all records out; returns the number of events among them, and adds the losses to
 * @gaps. It takes at most one ring's content from each ring: records may come as fast as they
 * are taken.
 */
__u64 test_session_drain(struct test_session *s, __u64 *gaps);

/*
 * Converts ticks of the session's clock to nanoseconds. The kernel's shift is at most 32, so
 * shifting the upper half of the product loses no bits.
 */
__u64 test_ticks_to_ns(const struct test_session *s, __u64 ticks);

/*
 * The target module.
 */

int _test_target(int fd, unsigned long cmd, __u32 function, __u64 count, __u32 cpu,
		 __u64 *result);

/* Waits until @nr threads are in tap_target_block(). */
bool test_wait_blocked(int target, __u64 nr);

/*
 * The machine.
 */

int test_module_load(const char *name, const char *parameters);
int test_module_unload(const char *name);

/* Reference count of a module; -1: it is not loaded. */
long test_module_refs(const char *name);

/* Whether a module is being unloaded. */
bool test_module_is_going(const char *name);

int test_write_file(const char *path, const char *text);

/* Whether the kernel's version is below MAJOR.MINOR. */
bool test_kernel_before(unsigned int major, unsigned int minor);

int test_pin(unsigned int cpu);

/* Drops all capabilities except those in a mask of 1 << CAP_*. */
int test_keep_caps(__u64 mask);

__u64 test_now_ms(void);

/**
 * struct test_kind - a type of probe, on a call of tap_target with a number that grows by one
 * @event: name of the type for test output
 * @type: enum tap_probe_type
 * @function: enum tap_target_function
 * @target: target of the probe
 * @fetch: op that outputs the number
 * @word: word of the record with the number
 * @first: first value of the number
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

extern const struct test_kind test_kprobe;
extern const struct test_kind test_kretprobe;
extern const struct test_kind test_call;
extern const struct test_kind test_rawtp;
extern const struct test_kind test_tracepoint;

/* Creates and enables one probe of each type, on what TAP_TARGET_STORM calls. */
int test_arm_everything(int fd);

#endif /* _TEST_MODULE_TAP_SESSION_H */

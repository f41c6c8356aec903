/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common to the tests of programs: memory with known content, a probe of each type on a
 * function or tracepoint that is given any value, and an event with that value.
 */
#ifndef _TEST_MODULE_PROGRAM_HARNESS_H
#define _TEST_MODULE_PROGRAM_HARNESS_H

#include "selftests/module/tap_harness.h"

/* Short names for ops. */
#define IMM(dst, imm)		OP(TAP_OP_IMM, dst, 0, 8, 0, imm)
#define MOVE(dst, src)		OP(TAP_OP_MOVE, dst, src, 8, 0, 0)
#define LOAD(dst, src, size, off)	OP(TAP_OP_LOAD, dst, src, size, off, 0)
#define LOAD_USER(dst, src, size, off)	OP(TAP_OP_LOAD_USER, dst, src, size, off, 0)
#define VAR(dst, var, imm)	OP(TAP_OP_VAR, dst, 0, 8, var, imm)
#define STRING(src, off, len)	OP(TAP_OP_STRING, OUT, src, 0, off, len)
#define BYTES(src, off, len)	OP(TAP_OP_BYTES, OUT, src, 0, off, len)
#define RETURN			OP(TAP_OP_RETURN, 0, 0, 0, 0, 0)
#define OUT			TAP_OP_OUT
#define SIGNED			TAP_OP_SIGNED
#define IMM_SRC			TAP_OP_IMM_SRC
#define REJECT			TAP_OP_REJECT

/* Addresses that are not mapped or are no kernel addresses: none can be read. */
static const __u64 test_wild[] = {
	0, 8, 0x400000, 0x7ffffffff000, 0x7fffffffffff, 0x800000000000,
	0x0100000000000000, 0x7fffffffffffffff, 0x8000000000000000,
	0xdead000000000100, 0xff00000000000000, 0xffff7ffffffffff8,
};

/**
 * struct value_kind - a type of probe, on something that is given any value
 * @type: enum tap_probe_type
 * @function: enum tap_target_function
 * @target: target of the probe
 * @fetch: op that loads the value into register 0
 * @first: word of the first output in a record
 */
struct value_kind {
	__u32 type;
	__u32 function;
	const char *target;
	struct tap_op fetch;
	unsigned int first;
};

static const struct value_kind value_kprobe = {
	.type = TAP_PROBE_KPROBE,
	.function = TAP_TARGET_VALUES,
	.target = "tap_target_values",
	.fetch = OP(TAP_OP_ARG, 0, 0, 8, 5, 0),
};

static const struct value_kind value_kretprobe = {
	.type = TAP_PROBE_KRETPROBE,
	.function = TAP_TARGET_VALUES,
	.target = "tap_target_values",
	.fetch = OP(TAP_OP_RETVAL, 0, 0, 8, 0, 0),
};

static const struct value_kind value_call = {
	.type = TAP_PROBE_CALL,
	.function = TAP_TARGET_VALUES,
	.target = "tap_target_values",
	.fetch = OP(TAP_OP_ARG, 0, 0, 8, 5, 0),
	.first = TAP_CALL_FETCHES,
};

static const struct value_kind value_rawtp = {
	.type = TAP_PROBE_RAWTP,
	.function = TAP_TARGET_PASS,
	.target = "tap_target_event",
	.fetch = OP(TAP_OP_ARG, 0, 0, 8, 5, 0),
};

/**
 * struct test_program - a program that a test composes
 * @nr: number of ops
 * @data_len: bytes of patterns
 */
struct test_program {
	unsigned int nr;
	unsigned int data_len;
	struct tap_op ops[TAP_MAX_OPS + 1];
	char data[TAP_MAX_DATA];
};

#define add(prog, ...)							\
	test_program_add(prog, OPS(__VA_ARGS__))

static inline void test_program_add(struct test_program *prog,
				    const struct tap_op *ops, unsigned int nr)
{
	for (; nr-- && prog->nr <= TAP_MAX_OPS; ops++)
		prog->ops[prog->nr++] = *ops;
}

/* Appends a pattern; returns the @imm of an op that matches it. */
static inline __u64 test_pattern(struct test_program *prog, const char *text)
{
	unsigned int at = prog->data_len, len = strlen(text);

	memcpy(prog->data + at, text, len);
	prog->data_len += len;
	return at | (__u64)len << 16;
}

static inline int _test_program_create(int fd, __u32 *id, __u32 type, __u32 flags,
				       const char *target,
				       const struct test_program *prog)
{
	struct tap_create create = test_create_arg(type, target, prog->ops,
						   prog->nr);
	int ret;

	create.flags = flags;
	create.data = (uintptr_t)prog->data;
	create.data_len = prog->data_len;
	ret = ioctl(fd, TAP_IOC_CREATE, &create);
	if (!ret && id)
		*id = create.out_id;
	return ret;
}

/* Makes one event with that value; its other arguments are TAP_TARGET_ARG(n). */
static inline int _test_hit(int target, __u32 function, __u64 value)
{
	struct tap_target_run run = {
		.function = function,
		.count = 1,
		.arg = { TAP_TARGET_ARG(0), TAP_TARGET_ARG(1), TAP_TARGET_ARG(2),
			 TAP_TARGET_ARG(3), TAP_TARGET_ARG(4), value },
	};

	return ioctl(target, TAP_TARGET_CALL, &run);
}

/* Copies @bytes to the area of tap_target; returns the area's kernel address. */
static inline __u64 test_fill(struct __test_metadata *_metadata, int target,
			      const void *bytes)
{
	struct tap_target_run run = { .arg = { (uintptr_t)bytes } };

	ASSERT_EQ(0, ioctl(target, TAP_TARGET_FILL, &run));
	return run.out_result;
}

#endif /* _TEST_MODULE_PROGRAM_HARNESS_H */

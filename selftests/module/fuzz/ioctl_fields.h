/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The commands of uapi/linux/tap.h as tables, for ioctl_fuzz: the offset of each field, its valid
 * values, and wrong values that a faulty or malicious caller may pass.
 */
#ifndef _TEST_MODULE_FUZZ_IOCTL_FIELDS_H
#define _TEST_MODULE_FUZZ_IOCTL_FIELDS_H

#include <stdbool.h>

#include <linux/tap.h>

/**
 * enum field_kind - the kind of a field
 * @FIELD_SIZE: size of the structure in bytes
 * @FIELD_FLAGS: flags; @max has all valid bits
 * @FIELD_RANGE: a number from 0 to @max
 * @FIELD_CPUS: the number of an existing CPU
 * @FIELD_BYTES: size of a ring: a power of two, at least @max
 * @FIELD_ID: id of a probe of the session
 * @FIELD_POINTER: an address in user space
 * @FIELD_FILE: a file descriptor
 * @FIELD_NUMBER: any number, mostly up to @max
 * @FIELD_RESERVED: must be 0
 * @FIELD_OUT: written by the kernel
 */
enum field_kind {
	FIELD_SIZE,
	FIELD_FLAGS,
	FIELD_RANGE,
	FIELD_CPUS,
	FIELD_BYTES,
	FIELD_ID,
	FIELD_POINTER,
	FIELD_FILE,
	FIELD_NUMBER,
	FIELD_RESERVED,
	FIELD_OUT,
};

struct field {
	__u16 offset;
	__u16 bytes;
	enum field_kind kind;
	__u64 max;
};

/**
 * struct layout - a structure
 * @name: of the command, or of the structure that the argument points to
 * @cmd: TAP_IOC_*; 0: not an argument of a command
 * @bytes: sizeof
 * @nr: number of @field
 */
struct layout {
	const char *name;
	unsigned int cmd;
	unsigned int bytes;
	unsigned int nr;
	struct field field[28];
};

enum command {
	CMD_INFO, CMD_SETUP, CMD_CREATE, CMD_ENABLE, CMD_DISABLE, CMD_DELETE,
	CMD_PROBE_INFO, CMD_STATS, CMD_FLUSH, CMD_TIME, CMD_READ, CMD_PMU,
	CMD_COUNT, CMD_MARK, CMD_FOLLOW, CMD_SPAN, CMD_STACKS, CMD_STACK,
	CMD_TASKS, CMD_TASKS_READ, CMD_WINDOW, CMD_DESCRIBE, CMD_BUDGET, CMD_GATE,
	NR_CMDS,
};

extern const struct layout commands[NR_CMDS];

/* Structures that arguments of commands point to. */
extern const struct layout op_layout;
extern const struct layout aggregate_layout;
extern const struct layout agg_layout;
extern const struct layout perf_layout;

/* A number at a boundary, where additions, multiplications or truncations may overflow. */
__u64 field_edge(__u64 max);

/* Puts one wrong value into a structure; @pointer returns wrong addresses. */
void layout_spoil(const struct layout *l, void *at, __u64 (*pointer)(void));

/* Whether a command may accept the value of the field, on a machine with @cpus CPUs. */
bool field_is_right(const struct field *f, const void *at, unsigned int cpus);

/* Whether the command may change this byte of the structure. */
bool layout_is_out(const struct layout *l, unsigned int byte);

#endif /* _TEST_MODULE_FUZZ_IOCTL_FIELDS_H */

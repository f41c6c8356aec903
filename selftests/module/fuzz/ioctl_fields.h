/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The commands of uapi/linux/tap.h as tables, for ioctl_fuzz: which field lies where,
 * what may stand in it, and what a caller that errs or lies may put there.
 */
#ifndef _TEST_MODULE_FUZZ_IOCTL_FIELDS_H
#define _TEST_MODULE_FUZZ_IOCTL_FIELDS_H

#include <stdbool.h>

#include <linux/tap.h>

/**
 * enum field_kind - what a field holds
 * @FIELD_SIZE: bytes of the structure itself
 * @FIELD_FLAGS: bits, of which @max have a meaning
 * @FIELD_RANGE: a number from 0 to @max
 * @FIELD_CPUS: a number of CPUs that there are
 * @FIELD_BYTES: bytes of a ring: a power of two from @max on
 * @FIELD_ID: a probe of the session
 * @FIELD_POINTER: an address of the caller
 * @FIELD_FILE: a descriptor
 * @FIELD_NUMBER: any number, as a rule up to @max
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
 * @name: of the command, or of the structure that another one leads to
 * @cmd: TAP_IOC_*; of another one 0
 * @bytes: sizeof
 * @nr: of @field
 */
struct layout {
	const char *name;
	unsigned int cmd;
	unsigned int bytes;
	unsigned int nr;
	struct field field[24];
};

enum command {
	CMD_INFO, CMD_SETUP, CMD_CREATE, CMD_ENABLE, CMD_DISABLE, CMD_DELETE,
	CMD_PROBE_INFO, CMD_STATS, CMD_FLUSH, CMD_TIME, CMD_READ, CMD_PMU,
	CMD_COUNT, CMD_MARK, NR_CMDS,
};

extern const struct layout commands[NR_CMDS];

/* What commands lead to. */
extern const struct layout op_layout;
extern const struct layout aggregate_layout;
extern const struct layout agg_layout;
extern const struct layout perf_layout;

/* A number at which code may go wrong that adds, multiplies or shortens it. */
__u64 field_edge(__u64 max);

/* Puts one wrong value into a structure; @pointer gives wrong addresses. */
void layout_spoil(const struct layout *l, void *at, __u64 (*pointer)(void));

/* Whether a command may accept what a field says, on a machine of so many CPUs. */
bool field_is_right(const struct field *f, const void *at, unsigned int cpus);

/* Whether a byte of a structure may be another one after the command. */
bool layout_is_out(const struct layout *l, unsigned int byte);

#endif /* _TEST_MODULE_FUZZ_IOCTL_FIELDS_H */

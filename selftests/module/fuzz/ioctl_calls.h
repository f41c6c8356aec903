/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The calls of ioctl_fuzz. A call is made from one number and from the state of the descriptors;
 * its result is checked.
 */
#ifndef _TEST_MODULE_FUZZ_IOCTL_CALLS_H
#define _TEST_MODULE_FUZZ_IOCTL_CALLS_H

#include "selftests/module/fuzz/ioctl_generate.h"

enum call_kind {
	CALL_IOCTL,	/* a correct command, or one with a wrong field */
	CALL_JUNK,	/* a random command, argument and address */
	CALL_OPEN,
	CALL_CLOSE,
	CALL_DUP,
	CALL_MMAP,
	CALL_REMAP,	/* munmap, mprotect, mremap, madvise of a part */
	CALL_TOUCH,	/* reads and writes mapped memory */
	CALL_POLL,
	CALL_OTHER,	/* read, write, lseek, fcntl */
	CALL_HIT,	/* calls the functions that probes are on */
	NR_CALLS,
};

extern const char *const call_names[NR_CALLS];

/* Counts of calls, of all processes together. */
struct sums {
	__u64 made[NR_CALLS];
	__u64 done[NR_CALLS];
	__u64 asked[NR_CMDS];
	__u64 accepted[NR_CMDS];
	__u64 wrong;
};

/* Shared by all processes; each thread adds its own with sums_add(). */
extern struct sums *sums;

void sums_add(void);

/**
 * struct call - a call
 * @seed: of its random numbers
 * @spoil: seed of the change to its argument; 0: no change
 */
struct call {
	__u32 seed;
	__u32 spoil;
};

/* Which call is being made, for reports. */
struct call_place {
	__u64 batch;
	unsigned int sequence;
	unsigned int call;
};

extern struct call_place call_place;

/* Reports an error of a call, and counts it. */
void call_wrong(const char *name, const char *what);

void call_make(struct call c);

/* Closes and unmaps everything that a sequence left. */
void calls_end(void);

#endif /* _TEST_MODULE_FUZZ_IOCTL_CALLS_H */

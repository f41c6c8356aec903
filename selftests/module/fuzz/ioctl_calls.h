/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The calls of ioctl_fuzz: each is made of one number and of what the descriptors
 * have become so far, and its result is checked.
 */
#ifndef _TEST_MODULE_FUZZ_IOCTL_CALLS_H
#define _TEST_MODULE_FUZZ_IOCTL_CALLS_H

#include "selftests/module/fuzz/ioctl_generate.h"

enum call_kind {
	CALL_IOCTL,	/* as a program that knows what it does, or nearly so */
	CALL_JUNK,	/* any number, any bytes, anywhere */
	CALL_OPEN,
	CALL_CLOSE,
	CALL_DUP,
	CALL_MMAP,
	CALL_REMAP,	/* munmap, mprotect, mremap, madvise of a part */
	CALL_TOUCH,	/* what is mapped is read and written */
	CALL_POLL,
	CALL_OTHER,	/* read, write, lseek, fcntl */
	CALL_HIT,	/* what probes are on is called */
	NR_CALLS,
};

extern const char *const call_names[NR_CALLS];

/* What happened, of all processes together. */
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
 * struct call - all that a call is made of
 * @seed: of its numbers
 * @spoil: if not 0, of a change to its argument
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

/* Reports what a call has done wrong, and counts it. */
void call_wrong(const char *name, const char *what);

void call_make(struct call c);

/* Closes and unmaps all that a sequence has left behind. */
void calls_end(void);

#endif /* _TEST_MODULE_FUZZ_IOCTL_CALLS_H */

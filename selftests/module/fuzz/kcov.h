/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which branches of the module the calls of ioctl_fuzz reached.
 */
#ifndef _TEST_MODULE_FUZZ_KCOV_H
#define _TEST_MODULE_FUZZ_KCOV_H

#include <stdbool.h>

#include <linux/types.h>

/* Size of the module's code, at most. */
#define COVER_BYTES	(1U << 20)
#define COVER_STEPS	(1U << 18)

/**
 * struct cover - coverage of all processes together
 * @base: address of the module; 0: no coverage
 * @block: by offset in the module: the block was reached
 * @step: by hash of two consecutive blocks: the pair was reached
 * @blocks: number of blocks reached
 * @steps: number of pairs reached
 */
struct cover {
	__u64 base;
	__u64 blocks;
	__u64 steps;
	__u8 block[COVER_BYTES];
	__u8 step[COVER_STEPS];
};

extern struct cover *cover;

/* To be called once, before fork(). */
void cover_init(void);

/* Starts to record the calls of this thread; false if the kernel cannot. */
bool cover_begin(void);

void cover_clear(void);

/* Returns how many pairs since cover_clear() are new in all processes. */
unsigned int cover_count(void);

/*
 * Prints how many blocks of each file were reached, and with @all those that were not. @path lists
 * all blocks, as kcov-blocks prints them for the same module.
 */
void cover_report(const char *path, bool all);

#endif /* _TEST_MODULE_FUZZ_KCOV_H */

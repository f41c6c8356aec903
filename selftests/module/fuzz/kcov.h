/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which of the module's branches the calls of ioctl_fuzz came to.
 */
#ifndef _TEST_MODULE_FUZZ_KCOV_H
#define _TEST_MODULE_FUZZ_KCOV_H

#include <stdbool.h>

#include <linux/types.h>

/* Bytes of the module's code. */
#define COVER_BYTES	(1U << 20)
#define COVER_STEPS	(1U << 18)

/**
 * struct cover - what all processes together have seen
 * @base: where the module lies; 0: there is nothing to be seen
 * @block: by offset in the module: somebody was there
 * @step: by hash of two blocks
 * @blocks: how many there were
 * @steps: how many there were
 */
struct cover {
	__u64 base;
	__u64 blocks;
	__u64 steps;
	__u8 block[COVER_BYTES];
	__u8 step[COVER_STEPS];
};

extern struct cover *cover;

/* Once, before there are other processes. */
void cover_init(void);

/* Starts to watch the calls of this thread; false if the kernel cannot. */
bool cover_begin(void);

void cover_clear(void);

/* How many steps since cover_clear() no process has made before. */
unsigned int cover_count(void);

/*
 * Prints how much of each file was reached, and with @all what was not. @path lists
 * all blocks, as kcov-blocks prints them for the same module.
 */
void cover_report(const char *path, bool all);

#endif /* _TEST_MODULE_FUZZ_KCOV_H */

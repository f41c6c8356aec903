/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_EXEC_FASTPATH_COMPILE_H
#define _TAPMOD_EXEC_FASTPATH_COMPILE_H

#include <linux/types.h>

struct tapmod_probe;

/**
 * struct tap_fastpath_block - a record of words that lie side by side in the base
 * @nr: number of words; 0: the record is not such
 * @at: offset of the first word in the base
 * @named: the task's name follows them
 */
struct tap_fastpath_block {
	unsigned int nr;
	unsigned int at;
	bool named;
};

int tap_fastpath_make(struct tapmod_probe *probe);
struct tap_fastpath_block tap_fastpath_find_block(const struct tapmod_probe *probe);

#endif /* _TAPMOD_EXEC_FASTPATH_COMPILE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stacks of the kernel and of the task's program. The rules of hit.h hold.
 */
#ifndef _TAP_STACK_H
#define _TAP_STACK_H

#include <linux/ptrace.h>
#include <linux/types.h>

/**
 * struct tap_stack - what was found of a stack
 * @nr: frames that were stored
 * @more: there are more
 * @absent: there is none, or its end cannot be read
 */
struct tap_stack {
	u32 nr;
	bool more;
	bool absent;
};

struct tap_stack tap_stack_kernel(u64 *to, unsigned int max,
				  const struct pt_regs *regs);
struct tap_stack tap_stack_user(u64 *to, unsigned int max,
				const struct pt_regs *regs, bool entry);

#endif /* _TAP_STACK_H */

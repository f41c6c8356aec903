/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stacks of the kernel and of the task's program. The rules of handler.h hold.
 */
#ifndef _TAPMOD_EXEC_STACKTRACE_H
#define _TAPMOD_EXEC_STACKTRACE_H

#include <linux/ptrace.h>
#include <linux/types.h>

struct tap_cursor;
struct tap_tp_iter;

/**
 * enum tap_stack_from - where the kernel stack of an event begins
 * @TAP_STACK_HERE: with the caller of our handler
 * @TAP_STACK_ENTRY: with registers at the first instruction of a function, which
 *	a kprobe has at its place
 * @TAP_STACK_FUNC: the same, which ftrace has; they are right as they are
 * @TAP_STACK_INSIDE: with registers at any other such instruction
 * @TAP_STACK_RETURN: with registers to which a function just returned
 * @TAP_STACK_EVENT: with those that perf has of an event
 * @TAP_STACK_SAMPLE: with those of what a sample interrupted; if that was the
 *	task's program, there is none
 * @TAP_STACK_USER: nowhere: the registers are those of the task's program
 */
enum tap_stack_from {
	TAP_STACK_HERE,
	TAP_STACK_ENTRY,
	TAP_STACK_FUNC,
	TAP_STACK_INSIDE,
	TAP_STACK_RETURN,
	TAP_STACK_EVENT,
	TAP_STACK_SAMPLE,
	TAP_STACK_USER,
};

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

void tap_stack_init(void);
void tap_stack_tp_iter(struct tap_tp_iter *iter, const void *function);
struct tap_stack tap_stack_kernel(struct tap_cursor *to, unsigned int max,
				  enum tap_stack_from from,
				  struct pt_regs *regs,
				  const struct tap_tp_iter *tp_iters);
struct tap_stack tap_stack_user(struct tap_cursor *to, unsigned int max,
				struct pt_regs *regs, bool entry);

#endif /* _TAPMOD_EXEC_STACKTRACE_H */

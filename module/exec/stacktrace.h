/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stacks of the kernel and of the task's program. The rules of handler.h hold.
 */
#ifndef _TAPMOD_EXEC_STACKTRACE_H
#define _TAPMOD_EXEC_STACKTRACE_H

#include <linux/ptrace.h>
#include <linux/types.h>

struct tap_cursor;

/**
 * enum tap_stack_from - where a hit's kernel stack begins
 * @TAP_STACK_HERE: with whoever called our handler
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

/* Functions between a tracepoint and its handlers: at the entry, at the return. */
#define TAP_STACK_TP_ITERS	2

/**
 * struct tap_tp_iter - the code of such a function
 * @at: where it begins
 * @len: its bytes; 0: there is none
 */
struct tap_tp_iter {
	unsigned long at;
	unsigned long len;
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

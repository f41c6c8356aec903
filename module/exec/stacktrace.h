/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stack walks of the kernel and of the task's program. The rules of handler.h hold.
 */
#ifndef _TAPMOD_EXEC_STACKTRACE_H
#define _TAPMOD_EXEC_STACKTRACE_H

#include <linux/ptrace.h>
#include <linux/types.h>

struct tap_cursor;
struct tap_tp_iter;

/**
 * enum tap_stack_from - where the kernel stack of an event begins
 * @TAP_STACK_HERE: at the caller of our handler; the event has no registers
 * @TAP_STACK_ENTRY: at the registers of a kprobe on the first instruction of a function;
 *	the instruction pointer is %TAP_TRAP_BYTES behind it
 * @TAP_STACK_FUNC: at the registers of ftrace at the entry of a function; the instruction
 *	pointer is exact
 * @TAP_STACK_INSIDE: at the registers of a kprobe on any other instruction
 * @TAP_STACK_RETURN: at registers with an exact instruction pointer: those of the caller
 *	after a function has returned
 * @TAP_STACK_EVENT: at the registers of a perf event, which perf may have made up
 * @TAP_STACK_SAMPLE: at the registers that a sample interrupted; if they are those of the
 *	task's program, the stack is empty
 * @TAP_STACK_USER: absent: the registers are those of the task's program
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
 * struct tap_stack - result of a stack walk
 * @nr: number of frames written
 * @more: the stack has more frames than there is room for
 * @absent: the task has no such stack, or its outer end cannot be read
 * @copied: of tap_stack_copy(): @nr are words of registers and the stack, not frames
 */
struct tap_stack {
	u32 nr;
	bool more;
	bool absent;
	bool copied;
};

void tap_stack_init(void);
void tap_stack_tp_iter(struct tap_tp_iter *iter, const void *function);
struct tap_stack tap_stack_kernel(struct tap_cursor *to, unsigned int max,
				  enum tap_stack_from from,
				  struct pt_regs *regs,
				  const struct tap_tp_iter *tp_iters);
struct tap_stack tap_stack_user(struct tap_cursor *to, unsigned int max,
				struct pt_regs *regs, bool entry);
struct tap_stack tap_stack_copy(struct tap_cursor *to, unsigned int max,
				struct pt_regs *regs);

#endif /* _TAPMOD_EXEC_STACKTRACE_H */

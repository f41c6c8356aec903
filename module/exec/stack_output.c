// SPDX-License-Identifier: GPL-2.0
/*
 * Outputs that are stacks, and how a duration divides. The rules of handler.h hold.
 */
#include <linux/kprobes.h>
#include <linux/ptrace.h>

#include "exec/division.h"
#include "exec/stack_output.h"
#include "exec/stack_table.h"
#include "exec/stacktrace.h"

/* Walks a stack, whose frames go to a cursor; returns its TAP_TEXT_* word. */
static u64 tap_interp_walk(struct tap_interp *interp, const struct tap_insn *insn,
			   struct tap_cursor *to)
{
	struct pt_regs *regs = insn->size == TAP_STACK_EVENT ||
			       insn->size == TAP_STACK_SAMPLE ?
			       interp->regs : (struct pt_regs *)interp->base;
	/* Events that do not come from perf have no registers. */
	enum tap_stack_from from = insn->size == TAP_STACK_EVENT && !regs ? TAP_STACK_HERE :
									    insn->size;
	unsigned int max = insn->imm / sizeof(u64);
	struct tap_stack stack = { .absent = true };
	u64 head;

	if (insn->sub == TAP_OP_USTACK_COPY)
		stack = tap_stack_copy(to, max,
				       insn->size == TAP_STACK_USER ?
				       regs : task_pt_regs(current));
	else if (insn->sub == TAP_OP_USTACK)
		stack = tap_stack_user(to, max,
				       insn->size == TAP_STACK_USER ?
				       regs : task_pt_regs(current), insn->off);
	else if (interp->probe->redact)
		interp->flags |= TAP_F_REDACTED;
	else
		stack = tap_stack_kernel(to, max, from, regs,
					 interp->probe->tp_iters);
	head = stack.nr * sizeof(u64);
	if (stack.more)
		head |= TAP_TEXT_TRUNCATED;
	if (stack.copied)
		head |= TAP_TEXT_COPIED;
	return stack.absent ? head | TAP_TEXT_ABSENT : head;
}
NOKPROBE_SYMBOL(tap_interp_walk);

/* Appends a stack, and zeros up to insn->imm bytes; returns its TAP_TEXT_* word. */
u64 tap_interp_stack(struct tap_interp *interp, const struct tap_insn *insn)
{
	u64 head = tap_interp_walk(interp, insn, &interp->c);

	tap_interp_append_zeros(interp, (insn->imm - (head & TAP_TEXT_LEN)) / sizeof(u64));
	return head;
}
NOKPROBE_SYMBOL(tap_interp_stack);

/*
 * Appends the id of a stack, which is stored in the session's table; returns the flags of its
 * TAP_TEXT_* word. Only a stack without a frame is absent; the others say in the table that their
 * end is missing. @absent: the output is absent anyway.
 *
 * The frames are on the stack, 1 KiB, as no memory of the CPU is free in every context: an NMI may
 * interrupt any user of it. The smallest stacks, those of exceptions on x86, have 8 KiB.
 */
noinline u64
tap_interp_stack_id(struct tap_interp *interp, const struct tap_insn *insn, bool absent)
{
	u64 words[1 + TAP_MAX_STACK] __uninitialized;
	struct tap_cursor to = { .next = words + 1, .end = words + ARRAY_SIZE(words) };
	u64 id = 0;

	words[0] = tap_interp_walk(interp, insn, &to);
	/* The empty kernel stack of a sample in a program is not absent. */
	if (words[0] != TAP_TEXT_ABSENT && !absent)
		id = tap_stack_store(interp->probe->stacks, words, to.next - words);
	*tap_cursor_next(&interp->c) = id;
	return id ? words[0] & TAP_TEXT_TRUNCATED : TAP_TEXT_ABSENT;
}
NOKPROBE_SYMBOL(tap_interp_stack_id);

/*
 * Appends a stack of the longest wait, or its id in the table of stacks, as TAP_OP_KSTACK; returns
 * its TAP_TEXT_* word.
 */
noinline u64 tap_interp_wait_stack(struct tap_interp *interp, const struct tap_insn *insn)
{
	const struct tap_wait *wait = interp->divided ? interp->divided->wait : NULL;
	const u64 none = interp->divided ? 0 : TAP_TEXT_ABSENT;
	const u64 *stack = !wait ? &none : insn->off ? wait->waker_stack : wait->stack;
	u64 words[1 + TAP_WAIT_FRAMES] __uninitialized;
	const u64 hidden = TAP_TEXT_ABSENT;
	unsigned int max = insn->imm / sizeof(u64), nr, i;
	u64 head;

	if (interp->probe->redact) {
		interp->flags |= TAP_F_REDACTED;
		stack = &hidden;
	}
	head = stack[0];
	nr = (head & TAP_TEXT_LEN) / sizeof(u64);
	if (nr > max) {
		nr = max;
		head = max * sizeof(u64) | TAP_TEXT_TRUNCATED;
	}
	if (insn->src) {
		words[0] = head;
		for (i = 1; i <= nr; i++)
			words[i] = stack[i];
		*tap_cursor_next(&interp->c) = nr ? tap_stack_store(interp->probe->stacks, words,
								    1 + nr) : 0;
		return head & (TAP_TEXT_TRUNCATED | TAP_TEXT_ABSENT);
	}
	*tap_cursor_next(&interp->c) = head;
	for (i = 1; i <= nr; i++)
		*tap_cursor_next(&interp->c) = stack[i];
	tap_interp_append_zeros(interp, max - nr);
	return head;
}
NOKPROBE_SYMBOL(tap_interp_wait_stack);

/*
 * Appends a struct tap_division, or a name of it. Returns its TAP_TEXT_* word, which is no part of
 * the output.
 */
noinline u64 tap_interp_division(struct tap_interp *interp, const struct tap_insn *insn)
{
	u64 words[sizeof(struct tap_division) / sizeof(u64)] __uninitialized;
	const struct tap_division *whole = (void *)words;
	const u64 *from = words;
	unsigned int nr = ARRAY_SIZE(words), i;

	if (interp->divided)
		tap_divided_fill(interp->divided, (void *)words);
	if (insn->off) {
		from = (const void *)(insn->off == TAP_DIVIDED_WAKER_COMM ?
				      whole->waker_comm : whole->holder_comm);
		nr = TASK_COMM_LEN / sizeof(u64);
	}
	for (i = 0; i < nr; i++)
		*tap_cursor_next(&interp->c) = interp->divided ? from[i] : 0;
	return interp->divided ? 0 : TAP_TEXT_ABSENT;
}
NOKPROBE_SYMBOL(tap_interp_division);

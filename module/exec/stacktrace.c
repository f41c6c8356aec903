// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks, frame by frame, straight into the words where they are wanted. The
 * rules of handler.h hold here as well: nothing is locked or waited for, what cannot
 * be read ends the stack, and so does its last frame that there is room for.
 *
 * What we call may be probed itself. The kernel skips and counts a kprobe that fires
 * there in a handler of a kprobe; so from any other handler it goes one level deep.
 */
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>
#ifdef CONFIG_X86_64
#include <asm/unwind.h>
#endif

#include "compat/arch.h"
#include "core/probe_state.h"
#include "exec/nofault.h"
#include "exec/record_write.h"
#include "exec/stacktrace.h"

/* Uprobe returns of a task that are looked through for a whole stack. */
#define TAP_STACK_RETURNS	128

/**
 * struct tap_frames - a stack that is being taken
 * @to: where its frames go
 * @max: how many there is room for
 * @found: what was found so far
 * @tp_iters: of the kernel's: functions between a tracepoint and its handlers
 * @skip_own: no frame so far was another's than ours
 * @skip_perf: these are perf's yet; the last two are perf_tp_event() and its caller
 */
struct tap_frames {
	struct tap_cursor *to;
	unsigned int max;
	struct tap_stack found;
	const struct tap_tp_iter *tp_iters;
	bool skip_own;
	unsigned int skip_perf;
};

/* One frame more; false if there is no room for it. */
static bool tap_stack_add(struct tap_frames *f, u64 at)
{
	if (f->found.nr == f->max) {
		f->found.more = true;
		return false;
	}
	*tap_cursor_next(f->to) = at;
	f->found.nr++;
	return true;
}
NOKPROBE_SYMBOL(tap_stack_add);

/**
 * tap_stack_tp_iter() - learn what handlers are called through
 * @iter: gets it
 * @function: of a tracepoint: its iterator; of an event without one: perf_tp_event()
 *
 * A tracepoint that has a single handler calls it; one that has more calls a
 * function of its own that calls them all, and which nobody wants to see in a
 * stack. The kernel tells its length along with its name alone.
 *
 * Context: process, with no event of the probe's under way.
 */
void tap_stack_tp_iter(struct tap_tp_iter *iter, const void *function)
{
	char name[KSYM_SYMBOL_LEN], *bytes;

	sprint_symbol(name, (unsigned long)function);
	bytes = strstr(name, "+0x0/");
	if (bytes)
		bytes[strcspn(bytes, " ")] = 0;
	iter->at = (unsigned long)function;
	if (!bytes || kstrtoul(bytes + strlen("+0x0/"), 0, &iter->len))
		iter->len = 0;
}

static bool tap_stack_within(const struct tap_tp_iter *iter, unsigned long at)
{
	return at - iter->at < iter->len;
}
NOKPROBE_SYMBOL(tap_stack_within);

/* Whether a frame is ours, or of what lies between us and a tracepoint. */
static bool tap_stack_skip_own(const struct tap_tp_iter *tp_iters, unsigned long at)
{
	unsigned int i;

	for (i = 0; i < TAP_STACK_TP_ITERS; i++)
		if (tap_stack_within(&tp_iters[i], at))
			return true;
	return within_module_core(at, THIS_MODULE);
}
NOKPROBE_SYMBOL(tap_stack_skip_own);

/* One frame of the kernel more, unless it is to be left out; false without room. */
static bool tap_stack_caller(struct tap_frames *f, unsigned long at)
{
	if (f->skip_perf) {
		f->skip_perf -= f->skip_perf == 1 || tap_stack_within(f->tp_iters, at);
		return true;
	}
	f->skip_own = f->skip_own && tap_stack_skip_own(f->tp_iters, at);
	return f->skip_own || tap_stack_add(f, at);
}
NOKPROBE_SYMBOL(tap_stack_caller);

#ifdef CONFIG_X86_64

/*
 * An event's registers are either whole, or perf made them up: then they are no
 * more than the place on the stack from which on there are no frames of its own.
 */
static enum tap_stack_from
tap_stack_event(struct pt_regs *regs, unsigned long **first)
{
	if (user_mode(regs))
		return TAP_STACK_HERE;
	if (regs->flags & X86_EFLAGS_FIXED)
		return TAP_STACK_RETURN;
	*first = (unsigned long *)regs->sp;
	return TAP_STACK_HERE;
}
NOKPROBE_SYMBOL(tap_stack_event);

/**
 * tap_stack_kernel() - the stack of the kernel
 * @to: where its frames go
 * @max: how many there is room for
 * @from: where it begins
 * @regs: the registers that @from speaks of
 * @tp_iters: functions between a tracepoint and its handlers
 *
 * The kernel's own unwinder goes through interrupts and NMIs to what they
 * interrupted, and finds the caller where a return probe or ftrace has put
 * another address. It says that it failed also where it went on by guess.
 *
 * Context: any, preemption off.
 * Return: what was found.
 */
struct tap_stack tap_stack_kernel(struct tap_cursor *to, unsigned int max,
				  enum tap_stack_from from,
				  struct pt_regs *regs,
				  const struct tap_tp_iter *tp_iters)
{
	struct tap_frames f = {
		.to = to, .max = max, .tp_iters = tp_iters, .skip_own = true,
	};
	struct unwind_state state __uninitialized;
	struct pt_regs begin __uninitialized;
	unsigned long *first = NULL, at;

	if (from == TAP_STACK_USER) {
		f.found.absent = true;
		return f.found;
	}
	if (from == TAP_STACK_SAMPLE) {
		/* Not absent: the kernel was not at work. */
		if (user_mode(regs))
			return f.found;
		from = tap_stack_event(regs, &first);
	}
	if (from == TAP_STACK_EVENT) {
		if (user_mode(regs) && tp_iters[0].len)
			f.skip_perf = 2;
		from = tap_stack_event(regs, &first);
	}
	if (from == TAP_STACK_HERE) {
		unwind_start(&state, current, NULL, first);
	} else {
		/* A byte further on the stack may be another one already. */
		begin = *regs;
		if (from != TAP_STACK_RETURN && from != TAP_STACK_FUNC)
			begin.ip -= TAP_TRAP_BYTES;
		f.skip_own = false;
		if (!tap_stack_add(&f, begin.ip))
			return f.found;
		unwind_start(&state, current, &begin, NULL);
	}
	for (; !unwind_done(&state); unwind_next_frame(&state)) {
		at = unwind_get_return_address(&state);
		if (!at)
			break;
		if (!tap_stack_caller(&f, at))
			return f.found;
	}
	f.found.absent = unwind_error(&state);
	return f.found;
}
NOKPROBE_SYMBOL(tap_stack_kernel);

/**
 * tap_stack_init() - learn what stacks of the kernel have for other addresses
 */
void __init tap_stack_init(void)
{
	/* The kernel's unwinder knows. */
}

#else

static unsigned long tap_trampoline __ro_after_init;

/**
 * tap_stack_init() - as above
 */
void __init tap_stack_init(void)
{
	tap_trampoline = tap_kretprobe_trampoline();
}

/*
 * Where a function really returns to, whose caller's frame is at @fp. The list of
 * calls with a kretprobe, of which @call is the first that no frame had so far,
 * changes in this task alone.
 */
static u64 tap_stack_kretprobe(struct llist_node **call, u64 at, u64 fp)
{
	at = tap_arch_code(at);
	return at == tap_trampoline ? tap_kretprobe_return(call, fp, at) : at;
}
NOKPROBE_SYMBOL(tap_stack_kretprobe);

/**
 * tap_stack_kernel() - the stack of the kernel, by frame pointers
 * @to: as above
 * @max: as above
 * @from: as above
 * @regs: as above
 * @tp_iters: as above
 *
 * A function that has not yet made its frame hides its caller, but at its entry,
 * where the link register has it.
 *
 * Context: any, preemption off.
 * Return: what was found.
 */
struct tap_stack tap_stack_kernel(struct tap_cursor *to, unsigned int max,
				  enum tap_stack_from from,
				  struct pt_regs *regs,
				  const struct tap_tp_iter *tp_iters)
{
	u64 fp = (u64)__builtin_frame_address(0), frame[2], at;
	struct llist_node *call = current->kretprobe_instances.first;
	struct tap_frames f = {
		.to = to, .max = max, .tp_iters = tp_iters, .skip_own = true,
	};

	if (from == TAP_STACK_USER) {
		f.found.absent = true;
		return f.found;
	}
	if (from == TAP_STACK_SAMPLE) {
		if (user_mode(regs))
			return f.found;
		/* Whole ones have a link; those that perf made up have none. */
		from = tap_arch_link(regs) ? TAP_STACK_RETURN : TAP_STACK_EVENT;
	}
	if (from == TAP_STACK_EVENT) {
		if (!user_mode(regs))
			fp = tap_arch_frame(regs);
		else if (tp_iters[0].len)
			f.skip_perf = 2;
	} else if (from != TAP_STACK_HERE) {
		f.skip_own = false;
		fp = tap_arch_frame(regs);
		if (!tap_stack_add(&f, instruction_pointer(regs)))
			return f.found;
		if ((from == TAP_STACK_ENTRY || from == TAP_STACK_FUNC) &&
		    !tap_stack_add(&f, tap_stack_kretprobe(&call, tap_arch_link(regs), fp)))
			return f.found;
	}
	/* The last frame leads nowhere, or to one that is not a frame's. */
	while (tap_is_address(fp) && tap_kernel_read(frame, fp, sizeof(frame))) {
		at = tap_stack_kretprobe(&call, frame[1], frame[0]);
		if (!tap_is_address(at) || !tap_stack_caller(&f, at))
			break;
		fp = frame[0];
	}
	return f.found;
}
NOKPROBE_SYMBOL(tap_stack_kernel);

#endif

/**
 * struct tap_returns - returns of a task that uprobes wait for
 * @next: the first that no frame had so far; the innermost come first
 * @left: how many more are looked at
 */
struct tap_returns {
	const struct return_instance *next;
	unsigned int left;
};

static void tap_returns_begin(struct tap_returns *r)
{
	r->next = NULL;
	r->left = TAP_STACK_RETURNS;
	if (current->utask)
		r->next = READ_ONCE(current->utask->return_instances);
}
NOKPROBE_SYMBOL(tap_returns_begin);

/*
 * Where a function really returns to: a return uprobe put an address of its own
 * into its slot, which is the start of a page. We may have interrupted the kernel
 * in the midst of a change, or run from its own handler of a return, with some of
 * the list freed: so it is read like memory of anybody, and a slot that is not
 * in it keeps its address.
 */
static u64 tap_returns_to(struct tap_returns *r, u64 slot, u64 at)
{
	const struct return_instance *ri = r->next;
	unsigned long stack, real;

	if (at & ~PAGE_MASK)
		return at;
	while (ri && r->left) {
		r->left--;
		if (!tap_kernel_read(&stack, (u64)&ri->stack, sizeof(stack)) ||
		    !tap_kernel_read(&real, (u64)&ri->orig_ret_vaddr,
				     sizeof(real)) ||
		    !tap_kernel_read(&ri, (u64)&ri->next, sizeof(ri)))
			break;
		if (tap_arch_is_return(stack, slot)) {
			r->next = ri;
			return real;
		}
	}
	return at;
}
NOKPROBE_SYMBOL(tap_returns_to);

/* Words of a program's stack, as many as there are in @to; all or none. */
static bool tap_stack_read(u64 *to, u64 from, unsigned int nr, unsigned int bytes)
{
	u32 *narrow = (u32 *)to;

	if (copy_from_user_nofault(to, (const void __user *)from, nr * bytes))
		return false;
	if (bytes == sizeof(*to))
		return true;
	/* From the end, or they would be overwritten. */
	while (nr--)
		to[nr] = narrow[nr];
	return true;
}
NOKPROBE_SYMBOL(tap_stack_read);

/* A return address that lies at a slot; false if it is none, or finds no room. */
static bool tap_stack_add_user(struct tap_frames *f, struct tap_returns *returns,
			       u64 slot, u64 at)
{
	at = tap_arch_code(tap_returns_to(returns, slot, at));
	return at && at < TASK_SIZE_MAX && tap_stack_add(f, at);
}
NOKPROBE_SYMBOL(tap_stack_add_user);

/**
 * tap_stack_user() - the stack of the task's program, by frame pointers
 * @to: where its frames go
 * @max: how many there is room for
 * @regs: of the program
 * @entry: they are those of a function that has done nothing yet
 *
 * A frame holds the address of the frame of its caller, and where it returns to.
 * Frames lie one above the other: one that leads down is none. So is what a
 * program without frame pointers has there instead, most of the time.
 *
 * Kernel threads have no program, though some borrow the memory of one; threads
 * that the kernel made inside a process have no place in it, which reads 0.
 *
 * Context: any, preemption off.
 * Return: what was found.
 */
struct tap_stack tap_stack_user(struct tap_cursor *to, unsigned int max,
				struct pt_regs *regs, bool entry)
{
	struct tap_frames f = { .to = to, .max = max };
	struct tap_returns returns;
	unsigned int bytes;
	u64 fp, low, frame[2];

	if (!current->mm || current->flags & PF_KTHREAD || !user_mode(regs) ||
	    !instruction_pointer(regs)) {
		f.found.absent = true;
		return f.found;
	}
	if (!tap_stack_add(&f, instruction_pointer(regs)))
		return f.found;
	tap_returns_begin(&returns);
	bytes = tap_arch_pointer_bytes(regs);
	low = user_stack_pointer(regs);
	if (entry) {
		frame[0] = tap_arch_link(regs);
		if (TAP_CALL_PUSHES && !tap_stack_read(frame, low, 1, bytes)) {
			f.found.absent = true;
			return f.found;
		}
		if (!tap_stack_add_user(&f, &returns, low, frame[0]))
			return f.found;
	}
	for (fp = tap_arch_frame(regs);
	     fp >= low && fp % bytes == 0 && fp < TASK_SIZE_MAX; fp = frame[0]) {
		if (!tap_stack_read(frame, fp, 2, bytes)) {
			f.found.absent = true;
			break;
		}
		if (!tap_stack_add_user(&f, &returns, fp + bytes, frame[1]))
			break;
		low = fp + 2 * bytes;
	}
	return f.found;
}
NOKPROBE_SYMBOL(tap_stack_user);

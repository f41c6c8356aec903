// SPDX-License-Identifier: GPL-2.0
/*
 * Walks stacks, and writes each frame directly into the words of the output. The rules of
 * handler.h hold: nothing here takes a lock or waits. A stack ends at memory that cannot
 * be read, and where the output is full.
 *
 * The kernel functions that are called here may have kprobes. In a kprobe's handler the
 * kernel skips and counts a kprobe that fires; so from other handlers the recursion is
 * one level deep.
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

/* Return instances of uprobes that are read for one stack at most. */
#define TAP_STACK_RETURNS	128

/**
 * struct tap_frames - state of a stack walk
 * @to: where the frames go
 * @max: number of frames for which @to has room
 * @found: result so far
 * @tp_iters: tracepoint iterators of the probe; kernel stacks only
 * @skip_own: all frames so far belong to this module or to @tp_iters, and were skipped
 * @skip_perf: 2: skip frames up to that of perf_tp_event(), which is @tp_iters[0]; 1: skip
 *	one more, its caller; 0: skip none
 */
struct tap_frames {
	struct tap_cursor *to;
	unsigned int max;
	struct tap_stack found;
	const struct tap_tp_iter *tp_iters;
	bool skip_own;
	unsigned int skip_perf;
};

/* Appends a frame; false if there is no room for it. */
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
 * tap_stack_tp_iter() - find the code of the function that calls a probe's handlers
 * @iter: gets address and length; length 0 if the kernel does not know the function
 * @function: the iterator of a tracepoint; for perf's events perf_tp_event()
 *
 * A tracepoint with one handler calls it directly. With several handlers it calls its
 * iterator, which calls them all; stacks leave that frame out. sprint_symbol() is the
 * only exported function that gives the length of a function.
 *
 * Context: process; no event of the probe runs.
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

/* Whether a frame belongs to this module or to a tracepoint iterator. */
static bool tap_stack_skip_own(const struct tap_tp_iter *tp_iters, unsigned long at)
{
	unsigned int i;

	for (i = 0; i < TAP_STACK_TP_ITERS; i++)
		if (tap_stack_within(&tp_iters[i], at))
			return true;
	return within_module_core(at, THIS_MODULE);
}
NOKPROBE_SYMBOL(tap_stack_skip_own);

/* Appends a frame of the kernel, unless it must be skipped; false if there is no room. */
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

/* The trampoline of return probes; 0: stack walks do not meet it. */
static unsigned long tap_trampoline __ro_after_init;

/**
 * tap_stack_init() - prepare stack walks
 *
 * Context: module init.
 */
void __init tap_stack_init(void)
{
	tap_trampoline = tap_kretprobe_trampoline();
}

#ifdef CONFIG_X86_64

/*
 * How to begin with the registers of a perf event. Either they are complete, or perf made
 * them up: then their flags are 0, and only sp is of use. The frames of perf itself lie
 * below sp; *first is set to it, so that the unwinder skips them.
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
 * tap_stack_kernel() - walk the stack of the kernel
 * @to: where the frames go, as return addresses, the innermost first
 * @max: number of frames for which @to has room
 * @from: where the stack begins
 * @regs: the registers that @from names; not read with %TAP_STACK_HERE, %TAP_STACK_USER
 * @tp_iters: %TAP_STACK_TP_ITERS tracepoint iterators to skip
 *
 * The kernel's unwinder continues from interrupts and NMIs into the interrupted code, and
 * finds the caller if ftrace or, since 5.16, a kretprobe has replaced a return address.
 * unwind_error() is true also if the unwinder guessed a frame and went on.
 *
 * Context: any, preemption off.
 * Return: number of frames written, and whether the stack is complete.
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
		/* An empty stack, not an absent one: the sample interrupted user mode. */
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
		/* Behind the probed byte the unwind data may describe another frame. */
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
		/* It is not the caller, and the unwinder does not know who is. */
		if (TAP_STACK_HAS_TRAMPOLINE && at == tap_trampoline) {
			f.found.absent = true;
			return f.found;
		}
		if (!tap_stack_caller(&f, at))
			return f.found;
	}
	f.found.absent = unwind_error(&state);
	return f.found;
}
NOKPROBE_SYMBOL(tap_stack_kernel);

#else

/*
 * The original of return address at, of a function whose caller's frame is at fp. *call is
 * the first open call with a kretprobe that no frame has matched so far. Only the current
 * task changes that list, so no lock is needed.
 */
static u64 tap_stack_kretprobe(struct llist_node **call, u64 at, u64 fp)
{
	at = tap_arch_code(at);
	return at == tap_trampoline ? tap_kretprobe_return(call, fp, at) : at;
}
NOKPROBE_SYMBOL(tap_stack_kretprobe);

/*
 * As above, by frame pointers. If the innermost function has not made its frame yet, its
 * caller is missing; only at the function's entry the link register has it.
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
		/* Complete registers have a link; in those that perf made up it is 0. */
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
	/* The last frame has a frame pointer or a return address that is no kernel address. */
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
 * struct tap_returns - the return instances of a task, during a stack walk
 * @next: the first that no frame has matched so far; the innermost come first
 * @left: how many more may be read
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
 * The original of return address at, which was read at slot. A uretprobe replaces it by
 * the address of its trampoline, which is the start of a page. We may have interrupted
 * the kernel while it changes the list, or run while it handles a return and has freed a
 * part of the list. So tap_kernel_read() reads the list; if no instance matches the slot,
 * the address is returned as it is.
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

/* Reads nr words of a program's stack, of bytes (4 or 8) each; all or none. */
static bool tap_stack_read(u64 *to, u64 from, unsigned int nr, unsigned int bytes)
{
	u32 *narrow = (u32 *)to;

	if (!tap_user_okay() ||
	    copy_from_user_nofault(to, (const void __user *)from, nr * bytes))
		return false;
	if (bytes == sizeof(*to))
		return true;
	/* From the end, because both arrays share the memory. */
	while (nr--)
		to[nr] = narrow[nr];
	return true;
}
NOKPROBE_SYMBOL(tap_stack_read);

/* Appends the return address of a slot; false if it is no code address, or without room. */
static bool tap_stack_add_user(struct tap_frames *f, struct tap_returns *returns,
			       u64 slot, u64 at)
{
	at = tap_arch_code(tap_returns_to(returns, slot, at));
	return at && at < TASK_SIZE_MAX && tap_stack_add(f, at);
}
NOKPROBE_SYMBOL(tap_stack_add_user);

/*
 * Kernel threads have no program, even if they use the memory of one. Threads that the
 * kernel creates inside a process (io_uring) have no registers: their ip is 0.
 */
static bool tap_stack_has_program(struct pt_regs *regs)
{
	return current->mm && !(current->flags & PF_KTHREAD) && user_mode(regs) &&
	       instruction_pointer(regs);
}
NOKPROBE_SYMBOL(tap_stack_has_program);

/**
 * tap_stack_user() - walk the stack of the task's program, by frame pointers
 * @to: where the frames go, as return addresses, the innermost first
 * @max: number of frames for which @to has room
 * @regs: registers of the program
 * @entry: @regs are those at the first instruction of a function
 *
 * A frame has the frame pointer of its caller, then the return address. The frame of a
 * caller lies above; if the frame pointer leads down, the walk ends. In a program without
 * frame pointers the register has another value, with which the walk mostly ends at once.
 *
 * Context: any, preemption off.
 * Return: number of frames written, and whether the stack is complete.
 */
struct tap_stack tap_stack_user(struct tap_cursor *to, unsigned int max,
				struct pt_regs *regs, bool entry)
{
	struct tap_frames f = { .to = to, .max = max };
	struct tap_returns returns;
	unsigned int bytes;
	u64 fp, low, frame[2];

	if (!tap_stack_has_program(regs)) {
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

/* Bytes of a stack that are read at once; a page has a whole number of them. */
#define TAP_STACK_CHUNK	128

/**
 * struct tap_slots - the stack slots whose return addresses uretprobes have replaced
 * @returns: the return instances that were not read yet
 * @slot: the next slot, upwards; ~0 if there is none
 * @real: the original return address of @slot
 */
struct tap_slots {
	struct tap_returns returns;
	u64 slot;
	u64 real;
};

/*
 * Moves on to the first slot that is not below @from. Only where a call pushes its return address
 * is the slot known, as the stack pointer at the entry. The list is read as in tap_returns_to().
 */
static void tap_slots_seek(struct tap_slots *s, u64 from)
{
	const struct return_instance *ri = s->returns.next;
	unsigned long slot, real;

	while (TAP_CALL_PUSHES && ri && s->returns.left) {
		s->returns.left--;
		if (!tap_kernel_read(&slot, (u64)&ri->stack, sizeof(slot)) ||
		    !tap_kernel_read(&real, (u64)&ri->orig_ret_vaddr, sizeof(real)) ||
		    !tap_kernel_read(&ri, (u64)&ri->next, sizeof(ri)))
			break;
		s->returns.next = ri;
		if (slot < from)
			continue;
		s->slot = slot;
		s->real = real;
		return;
	}
	s->slot = ~0ULL;
}
NOKPROBE_SYMBOL(tap_slots_seek);

/* Appends the program's stack from sp upwards, at most left words; returns their number. */
static unsigned int tap_stack_bytes(struct tap_cursor *to, u64 sp, unsigned int left)
{
	u64 chunk[TAP_STACK_CHUNK / sizeof(u64)] __uninitialized;
	unsigned int words = 0, nr, i;
	struct tap_slots slots;

	if (sp % sizeof(u64))
		return 0;
	tap_returns_begin(&slots.returns);
	tap_slots_seek(&slots, sp);
	for (; left && sp < TASK_SIZE_MAX; left -= nr, words += nr) {
		/* The first read ends at a multiple, so that none has bytes of two pages. */
		nr = (TAP_STACK_CHUNK - sp % TAP_STACK_CHUNK) / sizeof(u64);
		nr = min(nr, left);
		if (!tap_stack_read(chunk, sp, nr, sizeof(u64)))
			break;
		for (i = 0; i < nr; i++, sp += sizeof(u64)) {
			if (unlikely(sp == slots.slot)) {
				chunk[i] = slots.real;
				tap_slots_seek(&slots, sp + sizeof(u64));
			}
			*tap_cursor_next(to) = chunk[i];
		}
	}
	return words;
}
NOKPROBE_SYMBOL(tap_stack_bytes);

/**
 * tap_stack_copy() - copy the registers and the stack of the task's program
 * @to: where they go: %TAP_ARCH_DWARF_REGS words, then the words from the stack pointer upwards
 * @max: number of words for which @to has room, more than the registers take
 * @regs: registers of the program
 *
 * The copy ends at the first page that cannot be read without a fault. A 32-bit program's stack is
 * walked as tap_stack_user() does: the reader has no way to unwind it.
 *
 * Context: any, preemption off.
 * Return: number of words written, with @copied; else as tap_stack_user().
 */
struct tap_stack tap_stack_copy(struct tap_cursor *to, unsigned int max,
				struct pt_regs *regs)
{
	struct tap_stack found = { .copied = true };
	u64 values[TAP_ARCH_DWARF_REGS] __uninitialized;
	unsigned int i;

	if (!tap_stack_has_program(regs) || tap_arch_pointer_bytes(regs) != sizeof(u64))
		return tap_stack_user(to, min_t(unsigned int, max, TAP_MAX_STACK), regs, false);
	tap_arch_dwarf_regs(regs, values);
	for (i = 0; i < TAP_ARCH_DWARF_REGS; i++)
		*tap_cursor_next(to) = values[i];
	found.nr = i + tap_stack_bytes(to, user_stack_pointer(regs), max - i);
	return found;
}
NOKPROBE_SYMBOL(tap_stack_copy);

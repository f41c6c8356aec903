/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What ftrace has of the registers at the entry of a function, and in which kernel
 * and on which machine it is how.
 */
#ifndef _TAP_COMPAT_LINUX_FTRACE_H
#define _TAP_COMPAT_LINUX_FTRACE_H

#include_next <linux/ftrace.h>
#include <linux/ptrace.h>
#include <linux/version.h>

/* Until 5.11 a callback was given the registers as such, if it asked for them. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0)
struct ftrace_regs {
	struct pt_regs regs;
};

static __always_inline struct pt_regs *ftrace_get_regs(struct ftrace_regs *fregs)
{
	return &fregs->regs;
}

#define tap_ftrace_func(fn)	((void *)(fn))
#else
#define tap_ftrace_func(fn)	(fn)
#endif

/* Until 6.12 it was named without its type. */
#ifndef arch_ftrace_regs
#define arch_ftrace_regs(fregs)	(fregs)
#endif

/*
 * The handler is called at once, whatever it interrupts: until 5.11 that was to be
 * asked for, since then a guard is.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0)
#define TAP_FTRACE_DIRECT	FTRACE_OPS_FL_RECURSION_SAFE
#else
#define TAP_FTRACE_DIRECT	0
#endif

/* Before arm64 could save arguments alone, it saved nothing unless it was asked. */
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
#define TAP_FTRACE_FLAGS	0
#else
#define TAP_FTRACE_FLAGS	(FTRACE_OPS_FL_SAVE_REGS | TAP_FTRACE_DIRECT)
#endif

/* Before 5.18 a filter was made place by place. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 18, 0)
static inline int ftrace_set_filter_ips(struct ftrace_ops *ops, unsigned long *ips,
					unsigned int nr, int remove, int reset)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++)
		ret = ftrace_set_filter_ip(ops, ips[i], remove, reset && !i);
	return ret;
}

/* What frees it is not exported; an empty one holds no memory. */
#define ftrace_free_filter	tap_ftrace_free_filter
static inline void tap_ftrace_free_filter(struct ftrace_ops *ops)
{
	ftrace_set_filter(ops, NULL, 0, 1);
}
#endif

/**
 * tap_ftrace_args() - what the arguments lie in, where struct pt_regs has them
 * @fregs: of a callback
 *
 * On x86 it begins with that structure, on arm64 with registers in its order.
 */
static __always_inline const void *tap_ftrace_args(struct ftrace_regs *fregs)
{
	return arch_ftrace_regs(fregs);
}

/**
 * tap_ftrace_regs() - the registers of a function's begin, as an event's base
 * @to: gets those that there are: arguments, stack, frame, link
 * @fregs: of a callback
 * @ip: the place in the function
 */
static __always_inline void
tap_ftrace_regs(struct pt_regs *to, struct ftrace_regs *fregs, unsigned long ip)
{
#if defined(CONFIG_X86_64)
	const struct pt_regs *from = &arch_ftrace_regs(fregs)->regs;

	to->di = from->di;
	to->si = from->si;
	to->dx = from->dx;
	to->cx = from->cx;
	to->r8 = from->r8;
	to->r9 = from->r9;
	to->bp = from->bp;
	to->sp = from->sp;
	to->ip = ip;
	to->cs = __KERNEL_CS;
#elif defined(CONFIG_DYNAMIC_FTRACE_WITH_ARGS)
	unsigned int i;

	for (i = 0; i < 6; i++)
		to->regs[i] = arch_ftrace_regs(fregs)->regs[i];
	to->regs[29] = arch_ftrace_regs(fregs)->fp;
	to->regs[30] = arch_ftrace_regs(fregs)->lr;
	to->sp = arch_ftrace_regs(fregs)->sp;
	to->pc = ip;
#else
	*to = arch_ftrace_regs(fregs)->regs;
	to->pc = ip;
#endif
}

#endif /* _TAP_COMPAT_LINUX_FTRACE_H */

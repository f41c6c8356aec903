/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAP_COMPAT_LINUX_TRACEPOINT_H
#define _TAP_COMPAT_LINUX_TRACEPOINT_H

#include_next <linux/tracepoint.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/version.h>

/*
 * Tracepoints call their probes with preemption off, until 6.13 (those of
 * system calls) and 7.0 (the others) stopped doing so.
 */
static __always_inline void tap_tracepoint_enter(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	preempt_disable_notrace();
#endif
}

static __always_inline void tap_tracepoint_exit(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	preempt_enable_notrace();
#endif
}

/**
 * tap_module_each_tracepoint() - call a function for each tracepoint of a module
 * @mod: a module that is there
 * @fn: the function
 * @data: its second argument
 *
 * The kernel has one of its own and does not export it.
 */
static inline void
tap_module_each_tracepoint(struct module *mod,
			   void (*fn)(struct tracepoint *tp, void *data),
			   void *data)
{
	unsigned int i;

	for (i = 0; i < mod->num_tracepoints; i++)
		fn(tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]), data);
}

#endif /* _TAP_COMPAT_LINUX_TRACEPOINT_H */

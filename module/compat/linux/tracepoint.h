/* SPDX-License-Identifier: GPL-2.0 */
/* Outside the guard, as the kernel's: it defines DECLARE_TRACE() again after a trace header. */
#include_next <linux/tracepoint.h>

#ifndef _TAP_COMPAT_LINUX_TRACEPOINT_H
#define _TAP_COMPAT_LINUX_TRACEPOINT_H

#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/version.h>

/* The kernel defines __no_stack_protector since 5.12; gcc has the attribute since 11. */
#ifndef __no_stack_protector
#if __has_attribute(__no_stack_protector__)
#define __no_stack_protector	__attribute__((__no_stack_protector__))
#else
#define __no_stack_protector	__attribute__((__optimize__("-fno-stack-protector")))
#endif
#endif

/*
 * Our handlers need preemption off. Tracepoints call their probes with preemption off
 * before 6.13 (system calls) and before 7.0 (all others).
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

/*
 * A tracepoint that is neither of system calls nor of the idle task (trace_NAME_rcuidle())
 * calls its probes with preemption off: synchronize_rcu() alone waits for them, and
 * tracepoint_synchronize_unregister() includes it.
 */
#define TAP_TRACEPOINT_SYNC_RCU	(LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0))

/**
 * tap_tracepoint_sync() - wait for handlers that were unregistered from tracepoints
 * @traced: the caller has called uprobe_unregister_sync() since
 *
 * Since 6.13 both wait for a grace period of RCU Tasks Trace; one is enough.
 *
 * Context: process, may sleep.
 */
static inline void tap_tracepoint_sync(bool traced)
{
	if (!traced || TAP_TRACEPOINT_SYNC_RCU) {
		tracepoint_synchronize_unregister();
		return;
	}
	synchronize_srcu(&tracepoint_srcu);
}

/**
 * tap_module_each_tracepoint() - call a function for each tracepoint of a module
 * @mod: a module that cannot be unloaded during the call
 * @fn: called once for each tracepoint
 * @data: second argument of @fn
 *
 * The kernel does not export for_each_tracepoint_in_module().
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

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The perf counters of a task.
 */
#ifndef _TAPMOD_COMPAT_PERF_CONTEXT_H
#define _TAPMOD_COMPAT_PERF_CONTEXT_H

#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/version.h>

/**
 * tap_perf_drop_on_exec() - let perf drop a counter when its task executes another program
 * @attr: of the counter
 *
 * Before 5.13 perf cannot: the counter stays in the task until it is released.
 */
static inline void tap_perf_drop_on_exec(struct perf_event_attr *attr)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 13, 0)
	attr->remove_on_exec = 1;
#endif
}

/**
 * tap_perf_has() - whether a task has a breakpoint, inherited or its own
 * @task: if it runs, its context may be exchanged with that of another task, which then has the
 *	same counters
 * @context: the overflow_handler_context of the counter
 * @address: what the counter watches
 *
 * Before 6.2 breakpoints are in the context of software events; later a task has one context.
 *
 * Context: any but NMI.
 * Return: true if it has one.
 */
static inline bool tap_perf_has(const struct task_struct *task, const void *context,
				unsigned long address)
{
	const struct perf_event *counter;
	struct perf_event_context *ctx;
	unsigned long flags;
	bool found = false;

	rcu_read_lock();
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
	ctx = READ_ONCE(task->perf_event_ctxp);
#else
	ctx = READ_ONCE(task->perf_event_ctxp[perf_sw_context]);
#endif
	if (ctx) {
		raw_spin_lock_irqsave(&ctx->lock, flags);
		list_for_each_entry(counter, &ctx->event_list, event_entry)
			found |= counter->overflow_handler_context == context &&
				 counter->attr.bp_addr == address;
		raw_spin_unlock_irqrestore(&ctx->lock, flags);
	}
	rcu_read_unlock();
	return found;
}

#endif /* _TAPMOD_COMPAT_PERF_CONTEXT_H */

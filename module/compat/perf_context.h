/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The perf counters of a task.
 */
#ifndef _TAPMOD_COMPAT_PERF_CONTEXT_H
#define _TAPMOD_COMPAT_PERF_CONTEXT_H

#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/version.h>

/**
 * tap_perf_inherited() - whether a new task has inherited a counter
 * @task: has not run yet, so that its context is not exchanged with that of another task
 * @context: the overflow_handler_context of the counter
 *
 * Before 6.2 breakpoints are in the context of software events; later a task has one context.
 *
 * Context: any but NMI.
 * Return: true if it has one.
 */
static inline bool tap_perf_inherited(const struct task_struct *task, const void *context)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
	struct perf_event_context *ctx = task->perf_event_ctxp;
#else
	struct perf_event_context *ctx = task->perf_event_ctxp[perf_sw_context];
#endif
	const struct perf_event *counter;
	unsigned long flags;
	bool found = false;

	if (!ctx)
		return false;
	raw_spin_lock_irqsave(&ctx->lock, flags);
	list_for_each_entry(counter, &ctx->event_list, event_entry)
		found |= counter->overflow_handler_context == context;
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	return found;
}

#endif /* _TAPMOD_COMPAT_PERF_CONTEXT_H */

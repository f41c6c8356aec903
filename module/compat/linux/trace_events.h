/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAP_COMPAT_LINUX_TRACE_EVENTS_H
#define _TAP_COMPAT_LINUX_TRACE_EVENTS_H

#include_next <linux/trace_events.h>
#include <linux/preempt.h>
#include <linux/uaccess.h>
#include <linux/version.h>

/*
 * How often preemption is turned off between a tracepoint and the moment at which perf's
 * code of an event writes the preempt count: by the tracepoint itself; from 6.13 on by
 * tap_tracepoint_enter() and either the tracepoint or the event's function.
 */
#define TAP_TRACE_PREEMPTS	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0) ? 2 : 1)

/**
 * tap_trace_preempt_count() - the preempt count at a tracepoint, as ftrace records it
 * @count: member preempt_count of the event's data, as perf's code of the event wrote it
 *
 * Since 5.15 the member has two counts of four bits, which stop at 15, and the upper one is of
 * disabled migration.
 */
static __always_inline u8 tap_trace_preempt_count(u8 count)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_COUNT))
		return count;
	if (LINUX_VERSION_CODE >= KERNEL_VERSION(5, 15, 0) && (count & 15) == 15)
		return count;
	return count - TAP_TRACE_PREEMPTS;
}

/*
 * Around the call of an event's function. From 6.13 on those of system calls say that they
 * may fault, though they do not: a debug kernel would complain, because preemption is off.
 */
#define TAP_TRACE_MIGHT_FAULT						\
	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0) &&		\
	 (IS_ENABLED(CONFIG_PROVE_LOCKING) || IS_ENABLED(CONFIG_DEBUG_ATOMIC_SLEEP)))

static __always_inline void tap_trace_assemble_begin(void)
{
	if (TAP_TRACE_MIGHT_FAULT)
		pagefault_disable();
}

static __always_inline void tap_trace_assemble_end(void)
{
	if (TAP_TRACE_MIGHT_FAULT)
		pagefault_enable();
}

#endif /* _TAP_COMPAT_LINUX_TRACE_EVENTS_H */

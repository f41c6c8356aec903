/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAP_COMPAT_LINUX_PERF_EVENT_H
#define _TAP_COMPAT_LINUX_PERF_EVENT_H

#include_next <linux/perf_event.h>
#include <linux/version.h>

/*
 * The data address of a sample; 0 if it has none. Since 6.1 perf does not clear addr: it is
 * valid only with PERF_SAMPLE_ADDR in sample_flags.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
#define tap_sample_addr(data)						\
	((data)->sample_flags & PERF_SAMPLE_ADDR ? (data)->addr : 0)
#else
#define tap_sample_addr(data)	((data)->addr)
#endif

/* Whether a counter belongs to a trace event: a tracepoint, or a dynamic kprobe or uprobe. */
#ifdef CONFIG_EVENT_TRACING
#define tap_perf_of_trace_event(counter)	((counter)->tp_event)
#else
#define tap_perf_of_trace_event(counter)	((void)(counter), false)
#endif

#endif /* _TAP_COMPAT_LINUX_PERF_EVENT_H */

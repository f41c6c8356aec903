/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM tap_target

#if !defined(_TAP_TARGET_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TAP_TARGET_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(tap_target_event,
	TP_PROTO(unsigned long a, unsigned long b, unsigned long c,
		 unsigned long d, unsigned long e, unsigned long f),
	TP_ARGS(a, b, c, d, e, f),
	TP_STRUCT__entry(
		__field(unsigned long, a)
		__field(unsigned long, f)
	),
	TP_fast_assign(
		__entry->a = a;
		__entry->f = f;
	),
	TP_printk("%lu %lu", __entry->a, __entry->f)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE tap_target_trace
#include <trace/define_trace.h>

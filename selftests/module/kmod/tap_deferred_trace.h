/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM tap_deferred

#if !defined(_TAP_DEFERRED_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TAP_DEFERRED_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(tap_deferred_event,
	TP_PROTO(unsigned long value),
	TP_ARGS(value),
	TP_STRUCT__entry(
		__field(unsigned long, value)
	),
	TP_fast_assign(
		__entry->value = value;
	),
	TP_printk("%lu", __entry->value)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE tap_deferred_trace
#include <trace/define_trace.h>

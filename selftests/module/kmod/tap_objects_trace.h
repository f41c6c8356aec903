/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM tap_objects

#if !defined(_TAP_OBJECTS_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TAP_OBJECTS_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(tap_objects_made,
	TP_PROTO(unsigned long object, unsigned long site, unsigned long step),
	TP_ARGS(object, site, step),
	TP_STRUCT__entry(
		__field(unsigned long, object)
		__field(unsigned long, site)
		__field(unsigned long, step)
	),
	TP_fast_assign(
		__entry->object = object;
		__entry->site = site;
		__entry->step = step;
	),
	TP_printk("%lx %lu %lu", __entry->object, __entry->site, __entry->step)
);

TRACE_EVENT(tap_objects_freed,
	TP_PROTO(unsigned long object, unsigned long step),
	TP_ARGS(object, step),
	TP_STRUCT__entry(
		__field(unsigned long, object)
		__field(unsigned long, step)
	),
	TP_fast_assign(
		__entry->object = object;
		__entry->step = step;
	),
	TP_printk("%lx %lu", __entry->object, __entry->step)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE tap_objects_trace
#include <trace/define_trace.h>

/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM tap_bench

#if !defined(_TAP_BENCH_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TAP_BENCH_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(tap_bench,
	TP_PROTO(unsigned long a, unsigned long b, unsigned long c,
		 unsigned long d),
	TP_ARGS(a, b, c, d),
	TP_STRUCT__entry(
		__field(unsigned long, a)
		__field(unsigned long, b)
		__field(unsigned long, c)
		__field(unsigned long, d)
	),
	TP_fast_assign(
		__entry->a = a;
		__entry->b = b;
		__entry->c = c;
		__entry->d = d;
	),
	TP_printk("%lu %lu %lu %lu", __entry->a, __entry->b, __entry->c,
		  __entry->d)
);

/* The other event of a pair. */
DEFINE_EVENT(tap_bench, tap_bench_end,
	TP_PROTO(unsigned long a, unsigned long b, unsigned long c,
		 unsigned long d),
	TP_ARGS(a, b, c, d)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE tap_bench_trace
#include <trace/define_trace.h>

/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
/* LTTng requires that names of events begin with it. */
#define TRACE_SYSTEM tap

#if !defined(_LTTNG_TAP_BENCH_H) || defined(TRACE_HEADER_MULTI_READ)
#define _LTTNG_TAP_BENCH_H

#include <lttng/tracepoint-event.h>

/* Two of its arguments, as the other tracers record. */
LTTNG_TRACEPOINT_EVENT(tap_bench,
	TP_PROTO(unsigned long a, unsigned long b, unsigned long c,
		 unsigned long d),
	TP_ARGS(a, b, c, d),
	TP_FIELDS(
		ctf_integer(unsigned long, a, a)
		ctf_integer(unsigned long, b, b)
	)
)

#endif

#include <lttng/define_trace.h>

// SPDX-License-Identifier: GPL-2.0
/*
 * The probe that LTTng needs for each tracepoint, here for that of tap_bench.ko. It is copied into
 * LTTng's tree beside the headers, so includes have no path.
 */
#include <linux/module.h>
#include <lttng/tracer.h>

/* The tracepoint itself; LTTng's macros compare ours with it. */
#include "tap_bench_trace.h"

#define LTTNG_PACKAGE_BUILD
#define CREATE_TRACE_POINTS
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE lttng_tap_bench
#include "lttng_tap_bench.h"

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("LTTng probe of the tracepoint of tap_bench");

// SPDX-License-Identifier: GPL-2.0
/*
 * The probe that LTTng wants to be compiled for each tracepoint: of that of tap_bench.ko.
 * It is copied into LTTng's tree beside the headers, so they have no path.
 */
#include <linux/module.h>
#include <lttng/tracer.h>

/* The tracepoint itself, against which LTTng's macros compare ours. */
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

/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Counters of the processor and of the kernel by the names that perf uses. Private to
 * libtap and its tests.
 */
#ifndef _TAP_KERNEL_PERF_EVENT_H
#define _TAP_KERNEL_PERF_EVENT_H

#include <libtap/counter.h>

int tap_perf_parse_in(const char *root, const char *name, struct tap_perf *perf,
		      struct tap_error *err);
int tap_perf_each_in(const char *root, tap_perf_fn fn, void *arg);

#endif /* _TAP_KERNEL_PERF_EVENT_H */

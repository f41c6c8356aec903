/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * PMUs in sysfs. Private to perf_event.c.
 */
#ifndef _TAP_KERNEL_PERF_PMU_H
#define _TAP_KERNEL_PERF_PMU_H

#include "kernel/perf_event.h"

/* @root is the directory of all PMUs in sysfs. */
int tap_pmu_parse(const char *root, const char *pmu, char *terms,
		  struct tap_perf *perf, struct tap_error *err);
int tap_pmu_find(const char *root, const char *event, struct tap_perf *perf,
		 struct tap_error *err);
int tap_pmu_each(const char *root, tap_perf_fn fn, void *arg);

#endif /* _TAP_KERNEL_PERF_PMU_H */

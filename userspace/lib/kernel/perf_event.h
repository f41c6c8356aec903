/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Counters of the processor and of the kernel by the names that perf has for
 * them. Private to libtap and its tool.
 */
#ifndef _TAP_KERNEL_PERF_EVENT_H
#define _TAP_KERNEL_PERF_EVENT_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/tap_perf.h>

#include <libtap/error.h>

/**
 * enum tap_perf_kind - what sort of a counter a name stands for
 * @TAP_PERF_HARDWARE: what the kernel finds on most processors
 * @TAP_PERF_CACHE: of the processor's caches
 * @TAP_PERF_SOFTWARE: of the kernel itself
 * @TAP_PERF_PMU: what a PMU in sysfs has a name for
 */
enum tap_perf_kind {
	TAP_PERF_HARDWARE,
	TAP_PERF_CACHE,
	TAP_PERF_SOFTWARE,
	TAP_PERF_PMU,
};

/**
 * typedef tap_perf_fn - gets the name of a counter
 * @kind: what sort
 * @name: as tap_perf_parse() takes it
 * @alias: another name of it, or NULL
 * @arg: as it was given
 *
 * Return: 0; anything else ends the walk.
 */
typedef int (*tap_perf_fn)(enum tap_perf_kind kind, const char *name,
			   const char *alias, void *arg);

int tap_perf_parse(const char *name, struct tap_perf *perf,
		   struct tap_error *err);
int tap_perf_parse_in(const char *root, const char *name, struct tap_perf *perf,
		      struct tap_error *err);
size_t tap_perf_span(const char *list);
int tap_perf_each(const char *root, tap_perf_fn fn, void *arg);

#endif /* _TAP_KERNEL_PERF_EVENT_H */

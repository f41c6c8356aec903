/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Counters of the processor and of the kernel, by the names that perf has for them. Included
 * by libtap.h, which has the conventions.
 */
#ifndef _LIBTAP_COUNTER_H
#define _LIBTAP_COUNTER_H

#include <linux/tap_perf.h>

#include <libtap/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * enum tap_perf_kind - where the name of a counter comes from
 * @TAP_PERF_HARDWARE: the kernel's names for what most processors count
 * @TAP_PERF_CACHE: caches of the processor
 * @TAP_PERF_SOFTWARE: the kernel counts by itself
 * @TAP_PERF_PMU: a PMU in sysfs
 */
enum tap_perf_kind {
	TAP_PERF_HARDWARE,
	TAP_PERF_CACHE,
	TAP_PERF_SOFTWARE,
	TAP_PERF_PMU,
};

/**
 * typedef tap_perf_fn - takes the name of a counter
 * @kind: where the name comes from
 * @name: as tap_perf_parse() takes it; valid during the call
 * @alias: another name of the same counter, or NULL
 * @arg: of tap_perf_each()
 *
 * Return: 0; anything else ends the walk.
 */
typedef int (*tap_perf_fn)(enum tap_perf_kind kind, const char *name,
			   const char *alias, void *arg);

/**
 * tap_perf_parse() - find a counter by its name
 * @name: as "perf list" has it: cycles, L1-dcache-load-misses, page-faults, rXXXX,
 *	PMU/NAME/ or PMU/config=X,.../, each perhaps with :u, :k or the like
 * @perf: filled in on success, for tap_session_pmu() or tap_spec_new_counter()
 * @err: an error message on failure
 *
 * Whether the machine has the counter is known when the kernel is asked to make it.
 *
 * Return: 0; -ENOENT if there is no such name; -EINVAL if it is not valid.
 */
LIBTAP_API int tap_perf_parse(const char *name, struct tap_perf *perf,
			      struct tap_error *err);

/**
 * tap_perf_each() - walk the names of all counters
 * @fn: called with each
 * @arg: handed to @fn
 *
 * The machine may lack some of them.
 *
 * Return: 0, or what @fn returned.
 */
LIBTAP_API int tap_perf_each(tap_perf_fn fn, void *arg);

/**
 * tap_perf_span() - the length of the first name in a list
 * @list: names with commas between them; commas between slashes belong to a name
 *
 * Return: bytes up to the comma or the end.
 */
LIBTAP_API size_t tap_perf_span(const char *list);

/**
 * tap_pmu_name() - the name that a counter has in expressions and records
 * @counter: e.g. "cpu/cache-misses/u"
 * @name: set to "cpu_cache_misses_u"; room for %TAP_FIELD_NAME_LEN bytes
 */
LIBTAP_API void tap_pmu_name(const char *counter, char *name);

#ifdef __cplusplus
}
#endif

#endif /* _LIBTAP_COUNTER_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters of the processor and of the kernel, one on each CPU.
 */
#ifndef _TAPMOD_PERF_PERCPU_COUNTER_H
#define _TAPMOD_PERF_PERCPU_COUNTER_H

#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/tap.h>

/**
 * struct tap_perf_set - a counter on each CPU that is online
 * @link: in the list of those that are armed, under its lock
 * @attr: what is counted
 * @handler: called at each overflow, with preemption off, in any context; or NULL
 * @context: for the handler: overflow_handler_context of the counter
 * @counters: of each CPU, or NULL: that CPU is not online, or has no such counter;
 *	changed under the lock of the list
 * @kept: by CPU number, under that lock: what counters that were given back had
 *	counted; or NULL: nobody asks. Set while it is not armed
 *
 * The kernel calls perf for an event as long as a counter of it exists, even if
 * none is on: so they are made when they are armed, and given back afterwards.
 */
struct tap_perf_set {
	struct list_head link;
	struct perf_event_attr attr;
	perf_overflow_handler_t handler;
	void *context;
	struct perf_event * __percpu *counters;
	struct tap_count *kept;
};

int tap_perf_copy(struct tap_perf *perf, u64 from);
int tap_perf_attr(struct perf_event_attr *attr, const struct tap_perf *perf);
int tap_perf_error(long err);

int tap_perf_set_init(struct tap_perf_set *set,
		      const struct perf_event_attr *attr,
		      perf_overflow_handler_t handler, void *context);
void tap_perf_set_free(struct tap_perf_set *set);
int tap_perf_set_try(struct tap_perf_set *set);
int tap_perf_set_arm(struct tap_perf_set *set);
void tap_perf_set_disarm(struct tap_perf_set *set);
void tap_perf_set_read(struct tap_perf_set *set, struct tap_count *counts);
void tap_perf_add(struct tap_count *count, struct perf_event *counter);

int tap_perf_init(void);
void tap_perf_exit(void);

#endif /* _TAPMOD_PERF_PERCPU_COUNTER_H */

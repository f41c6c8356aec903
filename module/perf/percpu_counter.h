/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sets of perf counters: one counter on each CPU.
 */
#ifndef _TAPMOD_PERF_PERCPU_COUNTER_H
#define _TAPMOD_PERF_PERCPU_COUNTER_H

#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/tap.h>

/**
 * struct tap_perf_set - a counter on each online CPU
 * @link: in tap_perf_sets while armed, under tap_perf_lock
 * @attr: what each counter counts
 * @handler: perf calls it at each overflow, with preemption off, in any context; NULL:
 *	the counters are only read
 * @context: the overflow_handler_context that @handler gets with its counter
 * @events_read: events read the counters, with tap_pmu_read(), without a lock
 * @counters: the counter of each CPU; NULL: the CPU is offline or has no such counter.
 *	Changed under tap_perf_lock; with @events_read it is read without the lock
 * @kept: nr_cpu_ids sums of the counters that were released, under tap_perf_lock; NULL:
 *	sums are not needed. Set while not armed; the owner allocates and frees it
 *
 * The kernel calls perf at an event as long as a counter for it exists, even if no
 * counter is enabled. So tap_perf_set_arm() creates the counters and
 * tap_perf_set_disarm() releases them.
 */
struct tap_perf_set {
	struct list_head link;
	struct perf_event_attr attr;
	perf_overflow_handler_t handler;
	void *context;
	bool events_read;
	struct perf_event * __percpu *counters;
	struct tap_count *kept;
};

int tap_perf_copy(struct tap_perf *perf, u64 from);
int tap_perf_attr(struct perf_event_attr *attr, const struct tap_perf *perf);
int tap_perf_error(long err);
struct perf_event *tap_perf_create(struct perf_event_attr *attr, int cpu,
				   struct task_struct *task,
				   perf_overflow_handler_t handler, void *context);

int tap_perf_set_init(struct tap_perf_set *set,
		      const struct perf_event_attr *attr,
		      perf_overflow_handler_t handler, void *context);
void tap_perf_set_free(struct tap_perf_set *set);
int tap_perf_set_try(struct tap_perf_set *set);
int tap_perf_set_arm(struct tap_perf_set *set);
void tap_perf_set_disarm(struct tap_perf_set *set);
void tap_perf_set_read(struct tap_perf_set *set, struct tap_count *counts);
void tap_perf_set_revive(struct tap_perf_set *set);
void tap_perf_add(struct tap_count *count, struct perf_event *counter);

int tap_perf_init(void);
void tap_perf_exit(void);

#endif /* _TAPMOD_PERF_PERCPU_COUNTER_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State that other rooms keep in a session or in a probe: the governor's, and the
 * tracepoint iterators whose frames a kernel stack leaves out.
 */
#ifndef _TAPMOD_CORE_PROBE_STATE_H
#define _TAPMOD_CORE_PROBE_STATE_H

#include <linux/types.h>
#include <linux/workqueue.h>

struct tap_full_ring;

/**
 * struct tap_governor - the governor's state of a session
 * @tick: runs ten times a second while a probe is enabled
 * @least: the smallest limit that a probe of the session ever had
 * @nr: number of ticks so far
 * @time: start of the last tick, ktime_get_ns()
 * @raw: raw time of the end of the last tick
 * @lost: events lost until the last tick
 * @before: events lost before the present period of losses
 * @since: raw time of about the start of that period
 * @losing: ticks without a loss after which the period ends; 0: there is no such
 *	period
 *
 * Protected by the session's lock.
 */
struct tap_governor {
	struct delayed_work tick;
	u32 least;
	u32 losing;
	u64 nr;
	u64 time;
	u64 raw;
	u64 lost;
	u64 before;
	u64 since;
};

/**
 * struct tap_governed - the governor's state of a probe
 * @limit: records a second that it may make on a CPU
 * @left: ticks for which it stays throttled; 0: it is not throttled
 * @full_ring: the rings that its events use while it is throttled; NULL: it never was
 * @nr: the governor's @nr when the probe's records were last counted
 * @since: raw time at which it was throttled
 * @reported: dropped events that notices have reported
 *
 * Protected by the session's lock, @full_ring included.
 */
struct tap_governed {
	u32 limit;
	u32 left;
	struct tap_full_ring __percpu *full_ring;
	u64 nr;
	u64 since;
	u64 reported;
};

/* Functions between a tracepoint and its handlers: at the entry, at the return. */
#define TAP_STACK_TP_ITERS	2

/**
 * struct tap_tp_iter - the code of a function that calls a tracepoint's handlers
 * @at: its address
 * @len: its bytes; 0: there is none
 */
struct tap_tp_iter {
	unsigned long at;
	unsigned long len;
};

#endif /* _TAPMOD_CORE_PROBE_STATE_H */

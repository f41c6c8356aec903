/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State of other rooms that is part of a session or of a probe: the governor's, and the
 * tracepoint iterators whose frames exec/stacktrace.c leaves out.
 */
#ifndef _TAPMOD_CORE_PROBE_STATE_H
#define _TAPMOD_CORE_PROBE_STATE_H

#include <linux/types.h>
#include <linux/workqueue.h>

struct tap_ring;

/**
 * struct tap_governor - the governor's state of a session
 * @tick: runs ten times a second while a probe is enabled or @losing is not 0
 * @least: the smallest limit that a probe of the session ever had, records a second
 * @nr: number of ticks so far
 * @time: start of the last tick, ktime_get_ns()
 * @raw: raw time of the end of the last tick
 * @lost: events lost on all rings until the last tick
 * @before: @lost before the current period of losses
 * @since: raw time at which that period began, exact to one tick
 * @losing: ticks without a loss after which the period ends; 0: events are not being lost
 *
 * All but @tick are protected by the session's lock.
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
 * @limit: records a second that the probe may make on one CPU; or %TAP_NO_LIMIT
 * @left: ticks for which it stays throttled; 0: it is not throttled
 * @full_ring: the rings that its events use while it is throttled; NULL if it never was.
 *	Freed with the probe
 * @nr: @nr of struct tap_governor when the probe's records were last counted
 * @since: raw time at which it was last throttled
 * @reported: number of dropped events that notices have reported
 *
 * Protected by the session's lock.
 */
struct tap_governed {
	u32 limit;
	u32 left;
	struct tap_ring __percpu *full_ring;
	u64 nr;
	u64 since;
	u64 reported;
};

/* Tracepoint iterators of a probe: one at the entry, one at the return. */
#define TAP_STACK_TP_ITERS	2

/**
 * struct tap_tp_iter - the code of a function that calls a tracepoint's handlers
 * @at: address of its first instruction
 * @len: length in bytes; 0: unknown, or no such function: no frame matches
 */
struct tap_tp_iter {
	unsigned long at;
	unsigned long len;
};

#endif /* _TAPMOD_CORE_PROBE_STATE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What other rooms keep in a session or in a probe: the governor's state, and the
 * code that a stack of a tracepoint leaves out.
 */
#ifndef _TAPMOD_CORE_PROBE_STATE_H
#define _TAPMOD_CORE_PROBE_STATE_H

#include <linux/types.h>
#include <linux/workqueue.h>

struct tap_full_ring;

/**
 * struct tap_governor - the governor's state of a session
 * @tick: runs ten times a second while a probe is enabled
 * @least: the least limit that a probe of the session ever had
 * @nr: number of ticks so far
 * @time: when the last tick began, in nanoseconds
 * @raw: the same in the session's clock
 * @lost: events that were lost until then
 * @before: events that were lost before the losses began that go on
 * @since: raw time of about that
 * @losing: losses go on: ticks without a loss after which they have ended; 0: no
 *	losses go on
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
 * @full_ring: the rings that its events find while it is throttled; NULL: it never was
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

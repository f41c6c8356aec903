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
 * struct tap_budget_cpu - a session's use of a CPU
 * @total: cost of all events that the counters of the session's probes have
 * @seen: @total at the last look
 * @spent: nanoseconds taken so far
 * @balance: nanoseconds that may still be taken; below 0: that were taken too much
 */
struct tap_budget_cpu {
	u64 total;
	u64 seen;
	u64 spent;
	s64 balance;
};

/**
 * enum tap_budget_state - what the session's budget does
 * @TAP_BUDGET_RUNS: nothing
 * @TAP_BUDGET_DROPS: the probes use their full rings
 * @TAP_BUDGET_PAUSES: the probes are disarmed
 */
enum tap_budget_state {
	TAP_BUDGET_RUNS,
	TAP_BUDGET_DROPS,
	TAP_BUDGET_PAUSES,
};

/**
 * struct tap_budget_use - the budget of a session
 * @work: looks at the counters while a probe is enabled or paused
 * @cpus: use of each CPU; NULL: there is no budget
 * @permille: thousandths of each CPU
 * @state: what it does
 * @pauses: number of times at which the probes were disarmed
 * @hits: of all probes with a cost, at the last look
 * @full_hits: @hits when the balances were full the last time, or the probes were armed
 * @full_time: the time of that look, ktime_get_ns()
 * @before: hits a second from then until the probes were disarmed
 * @unseen: hits that would have come at that rate while they were
 * @unseen_rest: of @unseen, millionths of a hit
 * @reported: of @unseen, what notices have reported
 * @disarmed: raw time at which the probes were last disarmed
 * @time: of the last look, ktime_get_ns()
 * @first: when the budget was first set, ktime_get_ns()
 * @least: smallest balance of a CPU at the last look
 * @rate: microseconds in which that CPU's balance fell by @fell
 * @fell: nanoseconds; 0: it did not fall
 * @look: nanoseconds that the last look took
 * @arming: nanoseconds that it took last to arm and to disarm the probes
 * @dropping: nanoseconds in %TAP_BUDGET_DROPS until the last look
 * @paused: nanoseconds in %TAP_BUDGET_PAUSES until the last look
 * @dropped: events that were dropped since the last %TAP_NOTICE_IN_BUDGET, but for those that are
 *	dropped now
 * @since: raw time at which events were last dropped
 *
 * All but @work are protected by the session's lock.
 */
struct tap_budget_use {
	struct delayed_work work;
	struct tap_budget_cpu __percpu *cpus;
	u32 permille;
	enum tap_budget_state state;
	u32 pauses;
	u64 hits;
	u64 full_hits;
	u64 full_time;
	u64 before;
	u64 unseen;
	u64 unseen_rest;
	u64 reported;
	u64 disarmed;
	u64 time;
	u64 first;
	s64 least;
	u64 rate;
	u64 fell;
	u64 look;
	u64 arming;
	u64 dropping;
	u64 paused;
	u64 dropped;
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
 * @hit_cost: @hit of struct tap_cost
 * @passed_cost: @passed of struct tap_cost
 * @paused: the budget has disarmed the probe
 * @failed: so it had, and the kernel refused to arm it again
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
	u32 hit_cost;
	u32 passed_cost;
	bool paused;
	bool failed;
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

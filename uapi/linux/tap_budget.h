/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The budget of a session: the share of each CPU that all its probes together may take. Included
 * by <linux/tap.h>, which has the conventions.
 */
#ifndef _UAPI_LINUX_TAP_BUDGET_H
#define _UAPI_LINUX_TAP_BUDGET_H

#include <linux/types.h>

/**
 * struct tap_cost - what an event of a probe takes of its CPU
 * @id: a probe of this session
 * @hit: nanoseconds of each event, whatever its result
 * @passed: nanoseconds more of an event that is written or aggregated
 * @__reserved: must be 0
 *
 * It does not grow.
 */
struct tap_cost {
	__u32 id;
	__u32 hit;
	__u32 passed;
	__u32 __reserved;
};

/**
 * struct tap_budget - TAP_IOC_BUDGET: set and read the budget of the session
 * @size: sizeof(struct tap_budget)
 * @flags: must be 0
 * @permille: thousandths of each CPU that the session may take, 1 to 1000. 0: what was set stays;
 *	then @nr_costs must be 0
 * @nr_costs: number of structures at @costs, at most %TAP_MAX_PROBES
 * @costs: address of an array of struct tap_cost; a probe that is in none costs nothing
 * @out_spent: nanoseconds that the session took, as estimated, on the CPU on which that is most
 * @out_time: nanoseconds since the budget was first set
 * @out_dropping: of @out_time: events that would become records were dropped
 * @out_paused: of @out_time: the probes were disarmed
 * @out_pauses: how often they were disarmed
 * @out_permille: the budget; 0: the session has none
 * @out_unseen: hits that the probes with a cost would have had in @out_paused, as estimated
 *
 * The session's use of a CPU is estimated: the counters of its probes times their costs, and the
 * time that the kernel itself takes to compare, to arm and to disarm. What tasks take that read
 * the rings is not in it.
 *
 * While the session is over its budget on one CPU, events of the probes with a cost that would
 * become records are dropped on all CPUs and counted as throttled. If it is still over it, by an
 * eighth of a second's budget, these probes are disarmed, as by TAP_IOC_DISABLE, until what was
 * taken too much is made up for; and with them kprobes without a cost that the kernel arms together
 * with them. Their events in that time are in no counter, but in @out_paused. @out_unseen tells how
 * many they would be of the probes with a cost if they had come as fast as before: from the last
 * time at which the session could take the budget of a second, or its probes were armed, until they
 * were disarmed. A probe that cannot be armed again, because its module is gone, say, is left out:
 * its state is %TAP_STATE_GONE or %TAP_STATE_FAILED.
 * %TAP_KIND_NOTICE records report when, and how many. A session that took less than its budget may
 * take the budget of a second at once.
 * A command that takes long delays the comparison; what was taken meanwhile is made up for.
 * %TAP_STATE_ENABLED is also the state of a probe that the budget has disarmed.
 *
 * Errors: EINVAL; ENOENT if a probe of @costs does not exist; EFAULT; ENOMEM.
 */
struct tap_budget {
	__u32 size;
	__u32 flags;
	__u32 permille;
	__u32 nr_costs;
	__aligned_u64 costs;
	__u64 out_spent;
	__u64 out_time;
	__u64 out_dropping;
	__u64 out_paused;
	__u32 out_pauses;
	__u32 out_permille;
	__u64 out_unseen;
};

#endif /* _UAPI_LINUX_TAP_BUDGET_H */

/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The budget of a session: the share of each CPU that its probes may take, by what an event of
 * each kind takes.
 */
#ifndef _LIBTAP_BUDGET_H
#define _LIBTAP_BUDGET_H

#include <libtap/error.h>
#include <libtap/session.h>
#include <libtap/spec.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAP_COST_KINDS	32
#define TAP_COST_BATCH	16

/**
 * struct tap_costs - what events take of their CPU
 * @hit: by enum tap_probe_type: nanoseconds of an event that a test of the program rejects
 * @batch: the same of a kprobe in a session with %TAP_COST_BATCH or more at function entries, which
 *	are armed together
 * @record: nanoseconds more of an event whose record has one value
 * @kstack: nanoseconds of a stack of the kernel
 * @ustack: nanoseconds of a stack of a program
 * @thousand: nanoseconds of 1000 instructions; the other values are estimated by their number
 *
 * The size of this structure is fixed.
 */
struct tap_costs {
	__u32 hit[TAP_COST_KINDS];
	__u32 batch;
	__u32 record;
	__u32 kstack;
	__u32 ustack;
	__u32 thousand;
};

/**
 * tap_costs_default() - the costs on a usual processor with 3 GHz
 * @costs: filled in
 */
LIBTAP_API void tap_costs_default(struct tap_costs *costs);

/**
 * tap_session_budget() - TAP_IOC_BUDGET: set the budget of a session
 * @session: a session that is set up
 * @probes: its probes
 * @costs: what their events take
 * @permille: thousandths of each CPU, 1 to 1000
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_budget(struct tap_session *session, const struct tap_probes *probes,
				  const struct tap_costs *costs, __u32 permille);

/**
 * tap_session_budget_read() - TAP_IOC_BUDGET: read the budget of a session
 * @session: a session that is set up
 * @budget: filled in, @size included
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_budget_read(struct tap_session *session, struct tap_budget *budget);

#ifdef __cplusplus
}
#endif

#endif /* _LIBTAP_BUDGET_H */

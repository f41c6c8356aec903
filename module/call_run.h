/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Entering and leaving a call, for whoever keeps it in between. The rules of
 * hit.h hold here.
 */
#ifndef _TAP_CALL_RUN_H
#define _TAP_CALL_RUN_H

#include "call.h"
#include "plan_run.h"

/**
 * tap_call_enter() - begin a call
 * @probe: a probe whose program has a part for the return, or could have
 * @call: room for tap_call_size()
 * @base: registers or arguments at the entry
 *
 * Context: any, preemption off.
 * Return: false if the call is not wanted; that is counted.
 */
static __always_inline bool
tap_call_enter(struct tap_probe *probe, struct tap_call *call, const void *base)
{
	if (!(likely(probe->plan) ? tap_plan_enter(probe, call, base) :
				    tap_call_begin(probe, call, base)))
		return false;
	this_cpu_inc(probe->counters->entered);
	call->switches = tap_switches();
	call->cpu = raw_smp_processor_id();
	/* Last, so that our own work is not in the duration. */
	call->entry = tap_clock_read(probe->raw);
	return true;
}

/**
 * tap_call_leave() - end a call: test and record it
 * @probe: as in tap_call_enter()
 * @call: as it left it
 * @base: registers or arguments at the return
 * @retval: what the call returns
 * @flags: further flags of the record
 *
 * The duration is measured to the record's own time, so that the entry is
 * exactly at time - duration.
 *
 * Context: any, preemption off.
 */
static __always_inline void
tap_call_leave(struct tap_probe *probe, struct tap_call *call, const void *base,
	       u64 retval, u32 flags)
{
	flags |= call->flags;
	if (call->cpu != raw_smp_processor_id())
		flags |= TAP_F_MIGRATED;
	if (call->switches != tap_switches())
		flags |= TAP_F_DESCHEDULED;
	if (unlikely(!probe->plan || probe->prog.ret.end || probe->counts ||
		     flags & TAP_F_NO_RETURN) ||
	    unlikely(!tap_plan_leave(probe, call, retval, flags)))
		tap_call_end(probe, call, base, retval, flags);
}

#endif /* _TAP_CALL_RUN_H */

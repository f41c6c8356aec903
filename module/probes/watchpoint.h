/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What watchpoints in the kernel and in programs have in common.
 */
#ifndef _TAPMOD_PROBES_WATCHPOINT_H
#define _TAPMOD_PROBES_WATCHPOINT_H

#include <linux/perf_event.h>
#include <linux/tap.h>

#include "exec/interpreter.h"

/**
 * tap_watch_exchange() - the old and the new value of an event
 * @last: the value at the last event
 * @address: of the memory
 * @length: its bytes
 * @user: it is memory of the running task
 * @watch: gets the values; the new one is 0 if the memory cannot be read, as after it was
 *	unmapped
 *
 * Several CPUs may run this for the same memory. If another CPU has changed @last meanwhile,
 * the cmpxchg fails and this reads again. So @last never gets an older value, and the old
 * value of each event is the new value of the event before.
 *
 * Context: any.
 */
static __always_inline void tap_watch_exchange(u64 *last, unsigned long address,
					       unsigned int length, bool user,
					       struct tap_watch *watch)
{
	watch->old_value = READ_ONCE(*last);
	do {
		watch->new_value = 0;
		if (!tap_interp_read(&watch->new_value, address, length, user))
			watch->new_value = 0;
	} while (!try_cmpxchg(last, &watch->old_value, watch->new_value));
}

/* watchpoint.c */
int tap_watch_attr(struct perf_event_attr *attr, const struct tap_perf *perf);

#endif /* _TAPMOD_PROBES_WATCHPOINT_H */

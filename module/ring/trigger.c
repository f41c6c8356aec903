// SPDX-License-Identifier: GPL-2.0
/*
 * The trigger of a session whose rings are overwritten: an event asks for a window.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/kprobes.h>
#include <linux/smp.h>

#include "ring/ring.h"

static __always_inline bool tap_rings_trigger_at(struct tap_rings *rings, u32 probe, u64 now)
{
	struct tap_trigger *trigger = &rings->trigger;
	u64 first = READ_ONCE(trigger->time);

	if (!first)
		first = cmpxchg(&trigger->time, 0, now);
	if (!first) {
		WRITE_ONCE(trigger->probe, probe);
		WRITE_ONCE(trigger->cpu, raw_smp_processor_id());
		if (cpu_online(raw_smp_processor_id()))
			tap_rings_kick(rings);
		return true;
	}
	/* Signed: the clock of another CPU may be a little behind. */
	if ((s64)(now - first) <= (s64)READ_ONCE(trigger->after))
		atomic64_inc(&trigger->merged);
	else
		atomic64_inc(&trigger->missed);
	return false;
}

/* Not inlined: the usual clock needs no stack frame. */
static noinline bool tap_rings_trigger_other(struct tap_rings *rings, u32 probe)
{
	return tap_rings_trigger_at(rings, probe, tap_clock_other(rings->clock));
}
NOKPROBE_SYMBOL(tap_rings_trigger_other);

/**
 * tap_rings_trigger() - ask for a window
 * @rings: the first set of a session that overwrites
 * @probe: id of the probe whose event asks
 *
 * The first event since the reader gave the last window back stores its time, and wakes the
 * reader. The others are counted: one more atomic operation is all that they take. A wake-up
 * that cannot be queued, because the CPU goes offline, comes from the timer of poll.
 *
 * Context: any, NMI included, preemption off.
 * Return: true if there was no trigger yet.
 */
bool tap_rings_trigger(struct tap_rings *rings, u32 probe)
{
	if (likely(rings->clock == TAPMOD_CLOCK_RAW))
		return tap_rings_trigger_at(rings, probe, tap_clock_counter());
	return tap_rings_trigger_other(rings, probe);
}
NOKPROBE_SYMBOL(tap_rings_trigger);

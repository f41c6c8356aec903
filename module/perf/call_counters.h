/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters that the probes of a session read at their events. The rules of handler.h
 * hold for the reading.
 */
#ifndef _TAPMOD_PERF_CALL_COUNTERS_H
#define _TAPMOD_PERF_CALL_COUNTERS_H

#include <linux/irqflags.h>
#include <linux/smp.h>

#include "perf/percpu_counter.h"

struct tapmod_session;

/* No counter has this value. */
#define TAP_PMU_NONE	U64_MAX

/**
 * struct tap_pmu_set - the counters of a session
 * @nr: how many
 * @counters: each armed until the end of the session
 */
struct tap_pmu_set {
	unsigned int nr;
	struct tap_perf_set counters[TAP_MAX_PMU];
};

int tap_pmu_open(struct tapmod_session *session, const struct tap_pmu *pmu);
void tap_pmu_close(struct tapmod_session *session);

static inline u8 tap_pmu_counters(const struct tap_pmu_set *pmu)
{
	return pmu ? pmu->nr : 0;
}

/**
 * tap_pmu_read() - what a counter has counted on this CPU
 * @pmu: the counters of the session
 * @which: which of them
 *
 * As the kernel's own perf_event_read_local() does it, which is not exported: with
 * interrupts off, so that the counter is neither taken off the CPU nor read by an
 * interrupt meanwhile. An NMI that reads it as well is the PMU's own affair: its
 * read is made for that, since overflows come in NMIs.
 *
 * Context: any, preemption off.
 * Return: its value, or %TAP_PMU_NONE: it does not count here and now.
 */
static __always_inline u64
tap_pmu_read(const struct tap_pmu_set *pmu, unsigned int which)
{
	struct perf_event *counter;
	u64 value = TAP_PMU_NONE;
	unsigned long flags;

	/* Not local_irq_save(): that may be traced. */
	raw_local_irq_save(flags);
	counter = READ_ONCE(*raw_cpu_ptr(pmu->counters[which].counters));
	if (likely(counter &&
		   READ_ONCE(counter->oncpu) == raw_smp_processor_id())) {
		counter->pmu->read(counter);
		value = local64_read(&counter->count);
	}
	raw_local_irq_restore(flags);
	return value;
}

#endif /* _TAPMOD_PERF_CALL_COUNTERS_H */

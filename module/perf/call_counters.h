/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters that the probes of a session read at their events. tap_pmu_read() runs in the
 * hot path, so the rules of exec/handler.h hold for it.
 */
#ifndef _TAPMOD_PERF_CALL_COUNTERS_H
#define _TAPMOD_PERF_CALL_COUNTERS_H

#include <linux/irqflags.h>
#include <linux/smp.h>

#include "perf/percpu_counter.h"

struct tapmod_session;

/* What tap_pmu_read() returns if there is no value; a counter never gets this far. */
#define TAP_PMU_NONE	U64_MAX

/**
 * struct tap_pmu_set - the counters of a session
 * @nr: armed entries of @counters, 1 to TAP_MAX_PMU; constant once a probe can see it
 * @counters: in the order of tap_pmu.events, armed until tap_pmu_close()
 */
struct tap_pmu_set {
	unsigned int nr;
	struct tap_perf_set counters[TAP_MAX_PMU];
};

int tap_pmu_open(struct tapmod_session *session, const struct tap_pmu *pmu);
void tap_pmu_revive(struct tapmod_session *session);
void tap_pmu_close(struct tapmod_session *session);

static inline u8 tap_pmu_counters(const struct tap_pmu_set *pmu)
{
	return pmu ? pmu->nr : 0;
}

/**
 * tap_pmu_read() - read a counter of this CPU
 * @pmu: the counters of the session
 * @which: index of the counter, less than @pmu->nr
 *
 * Does what perf_event_read_local() does, which is not exported to modules. Interrupts
 * are off, so perf neither takes the counter off the CPU nor reads it in an interrupt
 * meanwhile. An NMI may still read it: the ->read() of a PMU allows for that, since
 * overflows come as NMIs.
 *
 * Context: any, preemption off.
 * Return: the value, or %TAP_PMU_NONE if the counter does not count on this CPU now.
 */
static __always_inline u64
tap_pmu_read(const struct tap_pmu_set *pmu, unsigned int which)
{
	struct perf_event *counter;
	u64 value = TAP_PMU_NONE;
	unsigned long flags;

	/* local_irq_save() may call the irqsoff tracer. */
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

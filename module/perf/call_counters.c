// SPDX-License-Identifier: GPL-2.0
/*
 * The counters that the probes of a session read: made once, all on the same
 * CPUs, pinned there, so that nothing is multiplexed.
 */
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "core/session.h"
#include "perf/call_counters.h"

/*
 * Whether a counter can be read at an event of a probe: those of the CPU and of the kernel
 * itself. Others may ask a bus, or take a lock.
 */
static bool tap_pmu_readable(const struct perf_event *counter)
{
	return counter->pmu->task_ctx_nr >= 0;
}

/* Whether they all count; after that one may only stop if perf needs it itself. */
static int tap_pmu_check(const struct tap_perf_set *set)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		const struct perf_event *counter =
			*per_cpu_ptr(set->counters, cpu);

		if (!counter)
			continue;
		if (!tap_pmu_readable(counter))
			return -EINVAL;
		/* Pinned, and there was no room for it. */
		if (READ_ONCE(counter->state) == PERF_EVENT_STATE_ERROR)
			return -ENOSPC;
	}
	return 0;
}

static int tap_pmu_add(struct tap_pmu_set *pmu, u64 from)
{
	struct tap_perf_set *set = &pmu->counters[pmu->nr];
	struct perf_event_attr attr;
	struct tap_perf perf;
	int ret;

	ret = tap_perf_copy(&perf, from);
	if (ret)
		return ret;
	if (perf.period || perf.flags & TAP_PERF_F_ON_EXEC)
		return -EINVAL;
	ret = tap_perf_attr(&attr, &perf);
	if (ret)
		return ret;
	attr.pinned = 1;
	ret = tap_perf_set_init(set, &attr, NULL, NULL);
	if (ret)
		return ret;
	ret = tap_perf_set_arm(set);
	if (ret) {
		tap_perf_set_free(set);
		return ret;
	}
	pmu->nr++;
	return tap_pmu_check(set);
}

static void tap_pmu_free(struct tap_pmu_set *pmu)
{
	while (pmu->nr) {
		struct tap_perf_set *set = &pmu->counters[--pmu->nr];

		tap_perf_set_disarm(set);
		tap_perf_set_free(set);
	}
	kfree(pmu);
}

/**
 * tap_pmu_open() - give a session its counters
 * @session: locked
 * @arg: which
 *
 * Context: process.
 * Return: 0 or the contract's errno.
 */
int tap_pmu_open(struct tapmod_session *session, const struct tap_pmu *arg)
{
	struct tap_pmu_set *pmu;
	unsigned int i;
	int ret;

	if (arg->flags || arg->__reserved || !arg->nr_events ||
	    arg->nr_events > TAP_MAX_PMU)
		return -EINVAL;
	if (session->pmu)
		return -EBADFD;
	pmu = kzalloc(sizeof(*pmu), GFP_KERNEL_ACCOUNT);
	if (!pmu)
		return -ENOMEM;
	for (i = 0; i < arg->nr_events; i++) {
		ret = tap_pmu_add(pmu, arg->events + i * sizeof(struct tap_perf));
		if (ret) {
			tap_pmu_free(pmu);
			return ret;
		}
	}
	session->pmu = pmu;
	return 0;
}

/**
 * tap_pmu_close() - take them from it
 * @session: its probes are gone
 */
void tap_pmu_close(struct tapmod_session *session)
{
	if (session->pmu)
		tap_pmu_free(session->pmu);
	session->pmu = NULL;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The perf counters that the probes of a session read (TAP_IOC_PMU). They are created
 * once per session, on every online CPU, and pinned: perf does not multiplex them.
 */
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "core/session.h"
#include "perf/call_counters.h"

/*
 * Counters of the CPU and of the kernel itself have a task context, and their ->read()
 * may be called at any event of a probe. The ->read() of an uncore PMU, which has none,
 * may access a bus or take a lock.
 */
static bool tap_pmu_readable(const struct perf_event *counter)
{
	return counter->pmu->task_ctx_nr >= 0;
}

/* Checks that all counters count. Later, perf may still take one off its CPU for itself. */
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
		/* perf sets this state if a pinned counter found no free hardware counter. */
		if (READ_ONCE(counter->state) == PERF_EVENT_STATE_ERROR)
			return -ENOSPC;
	}
	return 0;
}

/* Adds the counter at @from. @stride is the size of the first one, 0 if this is the first. */
static int tap_pmu_add(struct tap_pmu_set *pmu, u64 from, u32 *stride)
{
	struct tap_perf_set *set = &pmu->counters[pmu->nr];
	struct perf_event_attr attr;
	struct tap_perf perf;
	int ret;

	ret = tap_perf_copy(&perf, from);
	if (ret)
		return ret;
	if (*stride && perf.size != *stride)
		return -EINVAL;
	*stride = perf.size;
	if (perf.period || perf.flags & TAP_PERF_F_ON_EXEC)
		return -EINVAL;
	ret = tap_perf_attr(&attr, &perf);
	if (ret)
		return ret;
	attr.pinned = 1;
	ret = tap_perf_set_init(set, &attr, NULL, NULL);
	if (ret)
		return ret;
	set->events_read = true;
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
 * tap_pmu_open() - create the counters of a session
 * @session: locked
 * @arg: a checked copy of the argument of TAP_IOC_PMU; its @events is a user address
 *
 * A session gets its counters once; they count until tap_pmu_close().
 *
 * Context: process, may sleep.
 * Return: 0; -EBADFD: it has counters already; -EINVAL: bad argument, or a PMU that must
 *	not be read at events; -ENOSPC: a pinned counter found no room; -ENOMEM, -EFAULT,
 *	-E2BIG; or the error of tap_perf_set_arm(). On error the session has no counters.
 */
int tap_pmu_open(struct tapmod_session *session, const struct tap_pmu *arg)
{
	struct tap_pmu_set *pmu;
	unsigned int i;
	u32 stride = 0;
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
		ret = tap_pmu_add(pmu, arg->events + (u64)i * stride, &stride);
		if (ret) {
			tap_pmu_free(pmu);
			return ret;
		}
	}
	session->pmu = pmu;
	return 0;
}

/**
 * tap_pmu_revive() - let counters count again that other users of the PMU had displaced
 * @session: locked; may have no counters
 *
 * Context: process, may sleep.
 */
void tap_pmu_revive(struct tapmod_session *session)
{
	unsigned int i;

	for (i = 0; i < tap_pmu_counters(session->pmu); i++)
		tap_perf_set_revive(&session->pmu->counters[i]);
}

/**
 * tap_pmu_close() - release the counters of a session
 * @session: no event of its probes runs any longer; may have no counters
 *
 * Context: process, may sleep.
 */
void tap_pmu_close(struct tapmod_session *session)
{
	if (session->pmu)
		tap_pmu_free(session->pmu);
	session->pmu = NULL;
}

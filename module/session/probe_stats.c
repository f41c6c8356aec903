// SPDX-License-Identifier: GPL-2.0
/*
 * The counters of probes, read from outside: by TAP_IOC_STATS, /proc and netlink. All functions
 * run in process context under the session's lock.
 */
#include <linux/cpumask.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "core/probe.h"
#include "core/session.h"
#include "exec/aggregate.h"
#include "session/governor.h"
#include "session/session_ops.h"

/* Copies the counters of a CPU, whose handlers may change them meanwhile. */
static void tap_probe_count(const struct tapmod_probe *probe, u32 cpu,
			    struct tap_counters *to)
{
	const u64 *from = (const u64 *)per_cpu_ptr(probe->counters, cpu);
	u64 dropped = tap_governor_dropped(probe, cpu);
	u64 lost = tap_aggregate_lost(probe, cpu);
	unsigned int i;

	/* Read each word once and whole: a copy by memcpy() might tear it. */
	for (i = 0; i < offsetof(struct tap_counters, __reserved) / sizeof(u64); i++)
		((u64 *)to)[i] = READ_ONCE(from[i]);
	/* An event in flight may have been counted as dropped, and not as lost_full yet. */
	dropped = min(dropped, to->lost_full);
	to->lost_full -= dropped;
	to->throttled += dropped;
	/* The same of an aggregation on a CPU without a table: counted as aggregated as well. */
	lost = min(lost, to->aggregated);
	to->aggregated -= lost;
	to->lost_full += lost;
}

/* Adds the counters of a probe, of the CPUs @cpus, to @sums. */
void tap_probe_sum(struct tapmod_probe *probe, const struct cpumask *cpus,
		   struct tap_sums *sums)
{
	u64 *sum = (u64 *)&sums->counters;
	struct tap_counters one = {};
	struct tap_stats stats = {};
	u32 cpu, i;

	if (probe->ops->count)
		probe->ops->count(probe);
	for_each_cpu(cpu, cpus) {
		tap_probe_count(probe, cpu, &one);
		for (i = 0; i < sizeof(one) / sizeof(*sum); i++)
			sum[i] += ((const u64 *)&one)[i];
	}
	if (probe->ops->missed)
		probe->ops->missed(probe, &stats);
	sums->nmissed += stats.out_nmissed;
	sums->nmissed_return += stats.out_nmissed_return;
}

/* TAP_IOC_STATS. Returns 0, -ENOENT, -EINVAL or -EFAULT. */
int tap_probe_stats(struct tapmod_session *session, struct tap_stats *stats)
{
	struct tapmod_probe *probe = xa_load(&session->probes, stats->id);
	struct tap_counters __user *to = u64_to_user_ptr(stats->counters);
	struct tap_counters one;
	u32 cpu;

	if (stats->nr_cpus > nr_cpu_ids)
		return -EINVAL;
	if (!probe)
		return -ENOENT;
	if (probe->ops->count)
		probe->ops->count(probe);
	for (cpu = 0; cpu < stats->nr_cpus; cpu++) {
		memset(&one, 0, sizeof(one));
		if (cpu_possible(cpu))
			tap_probe_count(probe, cpu, &one);
		if (copy_to_user(&to[cpu], &one, sizeof(one)))
			return -EFAULT;
	}
	stats->out_flags = 0;
	stats->out_nmissed = 0;
	stats->out_nmissed_return = 0;
	if (probe->ops->missed)
		probe->ops->missed(probe, stats);
	return 0;
}

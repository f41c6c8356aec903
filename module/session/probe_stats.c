// SPDX-License-Identifier: GPL-2.0
/*
 * What is read of probes from outside: their counters by TAP_IOC_STATS, /proc and netlink, their
 * description by TAP_IOC_PROBE_INFO. All functions
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

/* enum tap_probe_state of a probe. */
u32 tap_probe_state(const struct tapmod_probe *probe)
{
	u32 state = probe->ops->state ? probe->ops->state(probe) :
					TAP_STATE_ENABLED;

	if (state == TAP_STATE_GONE || state == TAP_STATE_FAILED ||
	    probe->enabled || probe->governed.paused)
		return state;
	return probe->governed.failed ? TAP_STATE_FAILED : TAP_STATE_DISABLED;
}

/* Calls of a probe that may be in flight at once; 0: the type has no such limit. */
u32 tap_probe_maxactive(const struct tapmod_probe *probe)
{
	return probe->ops->maxactive_of ? probe->ops->maxactive_of(probe) : 0;
}

/* TAP_IOC_PROBE_INFO. Returns 0, -ENOENT, -EINVAL or -EFAULT. */
int tap_probe_info(struct tapmod_session *session, struct tap_probe_info *info)
{
	struct tapmod_probe *probe = tap_probe_find(session, info->id);
	u32 nr;

	if (info->__reserved)
		return -EINVAL;
	if (IS_ERR(probe))
		return PTR_ERR(probe);
	nr = min_t(u32, info->nr_ops, probe->prog.nr_ops);
	if (nr && copy_to_user(u64_to_user_ptr(info->ops), probe->prog.ops,
			       nr * sizeof(*probe->prog.ops)))
		return -EFAULT;
	info->out_nr_ops = probe->prog.nr_ops;
	info->out_type = probe->type;
	info->out_state = tap_probe_state(probe);
	info->out_maxactive = tap_probe_maxactive(probe);
	info->out_slots = (probe->ident >> 16) & 0xff;
	info->out_words = probe->prog.words;
	info->out_address = session->addresses && probe->ops->address ?
			    probe->ops->address(probe) : 0;
	strscpy_pad(info->out_target, probe->name, sizeof(info->out_target));
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Waits until the handlers of disabled probes have ended.
 */
#include <linux/cleanup.h>
#include <linux/cpumask.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#include "compat/uprobes.h"
#include "probes/probes.h"

/* Protects what follows: one tap_switch_everywhere() at a time. */
static DEFINE_MUTEX(tap_switch_lock);
static struct cpumask tap_switch_cpus;
static DEFINE_PER_CPU(struct work_struct, tap_switch_work);

static void tap_switch_nothing(struct work_struct *work)
{
}

/*
 * Makes every CPU run a worker. When that has run, the CPU has left its idle task, and so
 * every handler that the idle task ran where RCU did not watch.
 * synchronize_rcu_tasks_rude() does the same, but takes 100 ms and more.
 *
 * A worker may have to wait for a real-time task for any time, so CPUs may come and go
 * meanwhile. The work of a CPU that goes offline runs on another one, and its idle task has
 * left every handler. A CPU that comes online starts none: the kprobes are disarmed.
 */
static void tap_switch_everywhere(void)
{
	int cpu;

	guard(mutex)(&tap_switch_lock);
	cpumask_copy(&tap_switch_cpus, cpu_online_mask);
	for_each_cpu(cpu, &tap_switch_cpus) {
		INIT_WORK(per_cpu_ptr(&tap_switch_work, cpu), tap_switch_nothing);
		schedule_work_on(cpu, per_cpu_ptr(&tap_switch_work, cpu));
	}
	for_each_cpu(cpu, &tap_switch_cpus)
		flush_work(per_cpu_ptr(&tap_switch_work, cpu));
}

/**
 * tap_sync() - wait for the handlers of several kinds of probes
 * @kinds: TAP_SYNC_*, of probes from which no further event starts
 *
 * Each kind of grace period is waited for once at most, whatever the number of kinds.
 *
 * Context: process, may sleep.
 */
void tap_sync(u32 kinds)
{
	bool rcu = kinds & (TAP_SYNC_RCU | TAP_SYNC_KPROBE);

	if (kinds & TAP_SYNC_UPROBE)
		uprobe_unregister_sync();
	if (kinds & TAP_SYNC_TRACEPOINT) {
		tap_tracepoint_sync(kinds & TAP_SYNC_UPROBE);
		rcu &= !TAP_TRACEPOINT_SYNC_RCU;
	}
	/*
	 * Before 6.3 the idle task may run handlers of kprobes where RCU does not watch, so
	 * synchronize_rcu() alone would not wait for these.
	 */
	if (kinds & TAP_SYNC_KPROBE && TAP_KPROBE_UNWATCHED)
		tap_switch_everywhere();
	if (rcu)
		synchronize_rcu();
}

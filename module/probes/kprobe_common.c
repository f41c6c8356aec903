// SPDX-License-Identifier: GPL-2.0
/*
 * What kprobes and return probes have in common: which places are denied, how one
 * is disarmed, and how to wait for their handlers.
 */
#include <linux/cleanup.h>
#include <linux/cpu.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "common/kprobe_denylist.h"
#include "probes/kprobe_batch.h"
#include "probes/kprobe_common.h"

static const char *const tap_denied[] = { TAP_DENIED_NAMES };

/**
 * tap_kprobe_denied() - whether a place must not be probed although the kernel allows it
 * @kp: registered, disabled
 *
 * Checks the address and not the name that was given: with an offset the name may
 * lead to any other function.
 *
 * Context: process.
 * Return: true if the caller must unregister it.
 */
bool tap_kprobe_denied(const struct kprobe *kp)
{
	char name[KSYM_SYMBOL_LEN];
	unsigned int i;

	sprint_symbol_no_offset(name, (unsigned long)kp->addr);
	for (i = 0; i < ARRAY_SIZE(tap_denied); i++)
		if (strstr(name, tap_denied[i]))
			return true;
	return false;
}

/**
 * tap_kprobe_disarm() - let no further event of a kprobe begin
 * @kp: registered, enabled
 *
 * disable_kprobe() of a kprobe on ftrace needs memory in its last step, which removes
 * the place from ftrace's filter. Without memory it fails and leaves the kprobe marked
 * as enabled, though it is counted as disarmed. unregister_kprobe() would fail in the
 * same way without saying so, and the kernel would keep what we free. So we set
 * KPROBE_FLAG_DISABLED here: then no handler is called, unregister_kprobe() skips that
 * step, and the kprobe can be armed again. A place that stays in the filter costs a
 * look-up. Only a module that is unloaded at this moment changes these flags as well.
 */
void tap_kprobe_disarm(struct kprobe *kp)
{
	if (disable_kprobe(kp))
		kp->flags |= KPROBE_FLAG_DISABLED;
}

/**
 * tap_kprobe_disable_batched() - disarm one that may be armed with others
 * @batched: registered, enabled
 */
void tap_kprobe_disable_batched(struct tap_batched *batched)
{
	if (batched->batch)
		tap_kprobe_batch_remove(batched);
	else
		tap_kprobe_disarm(&batched->rp.kp);
}

static DEFINE_MUTEX(tap_switch_lock);
static DEFINE_PER_CPU(struct work_struct, tap_switch_work);

static void tap_switch_nothing(struct work_struct *work)
{
}

/*
 * Has every CPU run another task than the one it runs: its idle task was in no
 * handler then. The kernel's synchronize_rcu_tasks_rude() does the same, but takes a
 * tenth of a second and more.
 */
static void tap_switch_everywhere(void)
{
	int cpu;

	guard(mutex)(&tap_switch_lock);
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		INIT_WORK(per_cpu_ptr(&tap_switch_work, cpu), tap_switch_nothing);
		schedule_work_on(cpu, per_cpu_ptr(&tap_switch_work, cpu));
	}
	for_each_online_cpu(cpu)
		flush_work(per_cpu_ptr(&tap_switch_work, cpu));
	cpus_read_unlock();
}

/**
 * tap_kprobe_sync() - wait for all handlers of kprobes and return probes
 *
 * They run with preemption off.
 *
 * Context: process, may sleep.
 */
void tap_kprobe_sync(void)
{
	if (TAP_KPROBE_UNWATCHED)
		tap_switch_everywhere();
	synchronize_rcu();
}

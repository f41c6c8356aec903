// SPDX-License-Identifier: GPL-2.0
/*
 * Common to kprobes and return probes: the denylist, disarming, waiting for handlers.
 */
#include <linux/cleanup.h>
#include <linux/cpumask.h>
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
#include "probes/kprobe_overrun.h"

static const char *const tap_denied[] = { TAP_DENIED_NAMES };

/*
 * Whether a place must not be probed although the kernel allows it: then the caller
 * unregisters @kp, which is registered and disabled. This checks the address and not the
 * name in the target: with an offset, the name may lead to any other function.
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

/*
 * Looks up a symbol by a kprobe: kallsyms_lookup_name() is not exported. register_kprobe()
 * stores the address of any symbol, data included, before it refuses the kprobe; @addr is
 * then set although the errno of register_kprobe() is returned. It is 0 if there is none.
 */
int tap_kprobe_look_up(const char *symbol, unsigned int offset, unsigned long *addr)
{
	struct kprobe kp = {
		.symbol_name	= symbol,
		.offset		= offset,
		.flags		= KPROBE_FLAG_DISABLED,
	};
	int ret = tap_kprobe_overruns(&kp) ? -EADDRNOTAVAIL : register_kprobe(&kp);

	if (!ret)
		unregister_kprobe(&kp);
	*addr = (unsigned long)kp.addr;
	return ret;
}

/*
 * Lets no further event of an enabled kprobe start.
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

/* Disarms an enabled kprobe that may be in a batch, under the session's lock. */
void tap_kprobe_disable_batched(struct tap_batched *batched)
{
	if (batched->batch)
		tap_kprobe_batch_remove(batched);
	else
		tap_kprobe_disarm(&batched->rp.kp);
}

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

/*
 * ->sync() of kprobes and return probes, whose handlers run with preemption off. Before
 * 6.3 the idle task may run them where RCU does not watch (TAP_KPROBE_UNWATCHED), so
 * synchronize_rcu() alone would not wait for these.
 */
void tap_kprobe_sync(void)
{
	if (TAP_KPROBE_UNWATCHED)
		tap_switch_everywhere();
	synchronize_rcu();
}

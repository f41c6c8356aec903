// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of the processor and of the kernel, one on each CPU that is online,
 * made when they are wanted and again when a CPU comes.
 */
#include <linux/bitfield.h>
#include <linux/cpu.h>
#include <linux/mutex.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "perf/percpu_counter.h"

/*
 * Orders the coming of CPUs with that of counters. Taken inside the session's
 * lock; the kernel's lock of events is taken inside it, and inside that the
 * lock of CPU hotplug. So a hotplug callback must take none of them.
 */
static DEFINE_MUTEX(tap_perf_lock);
static LIST_HEAD(tap_perf_sets);

static int tap_perf_hp;

/**
 * tap_perf_copy() - copy the description of a counter from the user
 * @perf: where to
 * @from: its address
 *
 * Context: process.
 * Return: 0, -EFAULT, -EINVAL, -E2BIG, as for every argument.
 */
int tap_perf_copy(struct tap_perf *perf, u64 from)
{
	void __user *user = u64_to_user_ptr(from);
	u32 size;

	if (get_user(size, (u32 __user *)user))
		return -EFAULT;
	if (size < sizeof(*perf))
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	return copy_struct_from_user(perf, sizeof(*perf), user, size);
}

/**
 * tap_perf_attr() - what perf is to be asked for
 * @attr: filled in
 * @perf: a copy of what the user wants; not a watchpoint
 *
 * Context: any.
 * Return: 0 or -EINVAL.
 */
int tap_perf_attr(struct perf_event_attr *attr, const struct tap_perf *perf)
{
	if (perf->flags & ~TAP_PERF_F_ALL || perf->__reserved ||
	    (perf->flags & TAP_PERF_F_FREQUENCY && !perf->period))
		return -EINVAL;
	/* Those have probes of their own, with checks of their own. */
	if (perf->type == PERF_TYPE_BREAKPOINT ||
	    perf->type == PERF_TYPE_TRACEPOINT)
		return -EINVAL;
	*attr = (struct perf_event_attr){
		.type		= perf->type,
		.size		= sizeof(*attr),
		.config		= perf->config,
		.config1	= perf->config1,
		.config2	= perf->config2,
		.exclude_user	= !!(perf->flags & TAP_PERF_F_NO_USER),
		.exclude_kernel	= !!(perf->flags & TAP_PERF_F_NO_KERNEL),
		.exclude_hv	= !!(perf->flags & TAP_PERF_F_NO_HV),
		.exclude_idle	= !!(perf->flags & TAP_PERF_F_NO_IDLE),
		.exclude_host	= !!(perf->flags & TAP_PERF_F_NO_HOST),
		.exclude_guest	= !!(perf->flags & TAP_PERF_F_NO_GUEST),
		.enable_on_exec	= !!(perf->flags & TAP_PERF_F_ON_EXEC),
		.freq		= !!(perf->flags & TAP_PERF_F_FREQUENCY),
		.precise_ip	= FIELD_GET(TAP_PERF_F_PRECISE, perf->flags),
		.sample_period	= perf->period,
	};
	return 0;
}

/**
 * tap_perf_error() - the contract's errno for a counter that is not made
 * @err: what the kernel says
 *
 * ENOENT: no PMU of this kind; ENXIO, ENODEV: it is not for this CPU.
 */
int tap_perf_error(long err)
{
	switch (err) {
	case -ENOENT:
	case -ENXIO:
	case -ENODEV:
		return -EOPNOTSUPP;
	case -EACCES:
		return -EPERM;
	default:
		return err;
	}
}

/**
 * tap_perf_add() - add what a counter has counted
 * @count: where to
 * @counter: which one
 *
 * Context: process.
 */
void tap_perf_add(struct tap_count *count, struct perf_event *counter)
{
	u64 enabled, running;

	count->value += perf_event_read_value(counter, &enabled, &running);
	count->enabled += enabled;
	count->running += running;
}

/* Gives a counter back that nobody finds any more. */
static void tap_perf_set_drop(struct tap_perf_set *set, unsigned int cpu,
			      struct perf_event *counter)
{
	if (set->kept)
		tap_perf_add(&set->kept[cpu], counter);
	perf_event_release_kernel(counter);
}

static void tap_perf_set_release(struct tap_perf_set *set, unsigned int cpu)
{
	struct perf_event **at = per_cpu_ptr(set->counters, cpu);
	struct perf_event *counter = *at;

	if (!counter)
		return;
	WRITE_ONCE(*at, NULL);
	tap_perf_set_drop(set, cpu, counter);
}

/*
 * Makes the counter of a CPU, if there is none that lives. One whose CPU went
 * offline is off for ever. 0, or the kernel's error; -ENODEV: that CPU has none.
 *
 * Nobody reads the one that is given back: that is for its CPU alone, which was
 * away and finds it off.
 */
static int tap_perf_set_make(struct tap_perf_set *set, unsigned int cpu)
{
	struct perf_event **at = per_cpu_ptr(set->counters, cpu);
	struct perf_event *counter = *at;

	if (counter && READ_ONCE(counter->state) > PERF_EVENT_STATE_OFF)
		return 0;
	if (counter) {
		WRITE_ONCE(*at, NULL);
		/* An event of a probe on its CPU may be reading it. */
		synchronize_rcu();
		tap_perf_set_drop(set, cpu, counter);
	}
	counter = perf_event_create_kernel_counter(&set->attr, cpu, NULL,
						   set->handler, set->context);
	if (IS_ERR(counter))
		return PTR_ERR(counter);
	/* It is one for several CPUs, which another of them has. */
	if (counter->cpu != cpu) {
		perf_event_release_kernel(counter);
		return -ENODEV;
	}
	/* Complete before an event of a probe finds it. */
	smp_store_release(at, counter);
	return 0;
}

/**
 * tap_perf_set_init() - make ready a set that is not armed
 * @set: filled in; to be freed, if 0 is returned
 * @attr: what is to be counted
 * @handler: as in the set
 * @context: as there
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int tap_perf_set_init(struct tap_perf_set *set,
		      const struct perf_event_attr *attr,
		      perf_overflow_handler_t handler, void *context)
{
	set->attr = *attr;
	set->handler = handler;
	set->context = context;
	set->counters = alloc_percpu_gfp(struct perf_event *,
					 GFP_KERNEL_ACCOUNT);
	return set->counters ? 0 : -ENOMEM;
}

/**
 * tap_perf_set_free() - free a set
 * @set: not armed, or never made ready (all zero)
 */
void tap_perf_set_free(struct tap_perf_set *set)
{
	free_percpu(set->counters);
	set->counters = NULL;
}

/**
 * tap_perf_set_arm() - have the counters
 * @set: made ready
 *
 * CPUs that come later get one as well.
 *
 * Context: process.
 * Return: 0, or what tap_perf_error() says if any CPU's cannot be made; then there
 *	are none. CPUs that have no such counter do not matter as long as one has.
 */
int tap_perf_set_arm(struct tap_perf_set *set)
{
	unsigned int cpu, made = 0;
	int ret, none = -EOPNOTSUPP;

	guard(mutex)(&tap_perf_lock);
	for_each_online_cpu(cpu) {
		ret = tap_perf_set_make(set, cpu);
		if (!ret) {
			made++;
			continue;
		}
		/*
		 * It is just going offline, or on its way in (then we are notified),
		 * or is of another kind.
		 */
		if (ret != -ENODEV && ret != -ENOENT)
			goto err_release;
		none = ret;
	}
	ret = none;
	if (!made)
		goto err_release;
	list_add(&set->link, &tap_perf_sets);
	return 0;

err_release:
	for_each_possible_cpu(cpu)
		tap_perf_set_release(set, cpu);
	return tap_perf_error(ret);
}

/**
 * tap_perf_set_try() - whether it can be armed
 * @set: made ready, not armed
 *
 * Makes the counters, off, and gives them back: a machine that has not such ones
 * says so when somebody asks for them, not later.
 *
 * Context: process.
 * Return: as tap_perf_set_arm().
 */
int tap_perf_set_try(struct tap_perf_set *set)
{
	int ret;

	set->attr.disabled = 1;
	ret = tap_perf_set_arm(set);
	if (!ret)
		tap_perf_set_disarm(set);
	set->attr.disabled = 0;
	return ret;
}

/**
 * tap_perf_set_disarm() - give the counters back
 * @set: armed; no event of a probe reads it any more
 *
 * Of a handler: after that and synchronize_rcu() none runs, since it does so with
 * preemption off.
 *
 * Context: process.
 */
void tap_perf_set_disarm(struct tap_perf_set *set)
{
	unsigned int cpu;

	guard(mutex)(&tap_perf_lock);
	list_del(&set->link);
	for_each_possible_cpu(cpu)
		tap_perf_set_release(set, cpu);
}

/**
 * tap_perf_set_read() - what has been counted so far
 * @set: one that keeps it; armed or not
 * @counts: set, by CPU number, as many as there can be
 *
 * Context: process.
 */
void tap_perf_set_read(struct tap_perf_set *set, struct tap_count *counts)
{
	struct perf_event *counter;
	unsigned int cpu;

	guard(mutex)(&tap_perf_lock);
	for_each_possible_cpu(cpu) {
		counts[cpu] = set->kept[cpu];
		counter = *per_cpu_ptr(set->counters, cpu);
		if (!counter)
			continue;
		tap_perf_add(&counts[cpu], counter);
		if (READ_ONCE(counter->state) > PERF_EVENT_STATE_OFF)
			counts[cpu].state = TAP_COUNT_ON;
	}
}

/* Gives every set its counters on the CPUs that came. */
static void tap_perf_fill(struct work_struct *work)
{
	struct tap_perf_set *set;
	unsigned int cpu;
	int ret;

	guard(mutex)(&tap_perf_lock);
	list_for_each_entry(set, &tap_perf_sets, link) {
		for_each_online_cpu(cpu) {
			ret = tap_perf_set_make(set, cpu);
			if (ret && ret != -ENODEV && ret != -ENOENT)
				pr_warn("counter %u:%llx does not count on CPU %u (%d)\n",
					set->attr.type, set->attr.config, cpu,
					ret);
		}
	}
}

static DECLARE_WORK(tap_perf_work, tap_perf_fill);

/*
 * To make a counter takes the kernel's lock of events, which others hold while
 * they wait for hotplug to end: so not here.
 */
static int tap_perf_online(unsigned int cpu)
{
	schedule_work(&tap_perf_work);
	return 0;
}

/**
 * tap_perf_init() - register for CPUs that come online
 *
 * Return: 0 or -errno.
 */
int tap_perf_init(void)
{
	int ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN,
					    "tapmod:online", tap_perf_online,
					    NULL);

	if (ret < 0)
		return ret;
	tap_perf_hp = ret;
	return 0;
}

/**
 * tap_perf_exit() - unregister; no session is left
 */
void tap_perf_exit(void)
{
	cpuhp_remove_state_nocalls(tap_perf_hp);
	cancel_work_sync(&tap_perf_work);
}

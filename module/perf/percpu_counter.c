// SPDX-License-Identifier: GPL-2.0
/*
 * Sets of perf counters, of the CPU or of the kernel: one on each online CPU. A set that
 * is armed gets a counter on a CPU that comes online later, too.
 */
#include <linux/bitfield.h>
#include <linux/cleanup.h>
#include <linux/cpu.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/stddef.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "core/user_struct.h"
#include "perf/percpu_counter.h"

/*
 * Protects tap_perf_sets and the counters of the sets in it, so that tap_perf_fill() sees
 * a set armed or not at all. Taken inside a session's lock. Inside it, perf takes
 * event_mutex, and inside that cpu_hotplug_lock. A hotplug callback, which runs under
 * cpu_hotplug_lock, must therefore take neither of the others.
 */
static DEFINE_MUTEX(tap_perf_lock);
static LIST_HEAD(tap_perf_sets);

static int tap_perf_hp;

/* Events per second: the highest frequency that perf_event_open() takes by default. */
#define TAP_PERF_MAX_FREQUENCY	100000

/**
 * tap_perf_copy() - copy the description of a counter from user space
 * @perf: gets the copy; its @size is the size of the user's structure
 * @from: user address of a struct tap_perf, which begins with its size
 *
 * Context: process, may fault.
 * Return: 0; -EFAULT; -EINVAL: the size is too small; -E2BIG: the size is above a page,
 *	or members that this kernel does not know are not zero.
 */
int tap_perf_copy(struct tap_perf *perf, u64 from)
{
	void __user *user = u64_to_user_ptr(from);
	u32 size;
	int ret;

	if (get_user(size, (u32 __user *)user))
		return -EFAULT;
	ret = tap_struct_copy(perf, sizeof(*perf),
			      offsetofend(struct tap_perf, period), user, size);
	/* The user may have changed the size since get_user(); keep the checked one. */
	perf->size = size;
	return ret;
}

/**
 * tap_perf_attr() - translate the description of a counter for perf
 * @attr: set
 * @perf: a copy from tap_perf_copy()
 *
 * perf_event_open() refuses a period that is negative as a signed number, and high frequencies;
 * perf_event_create_kernel_counter() does not.
 *
 * Context: any.
 * Return: 0; -EINVAL: unknown flags, a period or a frequency that is out of range, or a type
 *	that has probes of its own (watchpoint, tracepoint).
 */
int tap_perf_attr(struct perf_event_attr *attr, const struct tap_perf *perf)
{
	if (perf->flags & ~TAP_PERF_F_ALL || perf->__reserved ||
	    perf->period > S64_MAX)
		return -EINVAL;
	if (perf->flags & TAP_PERF_F_FREQUENCY &&
	    (!perf->period || perf->period > TAP_PERF_MAX_FREQUENCY))
		return -EINVAL;
	/* watchpoint.c and tracepoint.c create these, and check more. */
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
 * tap_perf_error() - the errno of the UAPI for a counter that perf does not create
 * @err: error of perf_event_create_kernel_counter()
 *
 * perf returns -ENOENT if no PMU takes the type, -ENXIO or -ENODEV if the PMU does not
 * count on this CPU.
 *
 * Return: -EOPNOTSUPP for these, -EPERM for -EACCES, else @err.
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
 * tap_perf_add() - add the value and the times of a counter to a sum
 * @count: the sum; its @state does not change
 * @counter: a live counter
 *
 * Context: process, may sleep; perf reads the counter on its own CPU.
 */
void tap_perf_add(struct tap_count *count, struct perf_event *counter)
{
	u64 enabled, running;

	count->value += perf_event_read_value(counter, &enabled, &running);
	count->enabled += enabled;
	count->running += running;
}

/* Releases a counter that is in no set any longer; its value goes to @kept. */
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

/**
 * tap_perf_create() - create a counter, but none of a trace event
 * @attr: as for perf_event_create_kernel_counter()
 * @cpu: as for perf_event_create_kernel_counter()
 * @task: as for perf_event_create_kernel_counter()
 * @handler: as for perf_event_create_kernel_counter()
 * @context: as for perf_event_create_kernel_counter()
 *
 * The PMUs kprobe and uprobe have dynamic types. Their counters put breakpoints into the
 * kernel and into programs without the checks for such probes (CAP_SYS_ADMIN, the
 * denylist). Only a counter that exists says that it is one of them.
 *
 * Context: process, may sleep.
 * Return: the counter or ERR_PTR(-errno); -EINVAL: it would be such a counter.
 */
struct perf_event *tap_perf_create(struct perf_event_attr *attr, int cpu,
				   struct task_struct *task,
				   perf_overflow_handler_t handler, void *context)
{
	struct perf_event *counter =
		perf_event_create_kernel_counter(attr, cpu, task, handler, context);

	/* tracepoint.c creates counters of trace events, by this type. */
	if (IS_ERR(counter) || attr->type == PERF_TYPE_TRACEPOINT ||
	    !tap_perf_of_trace_event(counter))
		return counter;
	perf_event_release_kernel(counter);
	return ERR_PTR(-EINVAL);
}

/* A counter whose CPU went offline stays off for good. */
static bool tap_perf_dead(const struct perf_event *counter)
{
	return counter && READ_ONCE(counter->state) <= PERF_EVENT_STATE_OFF;
}

/*
 * Creates the counter of @cpu, unless it has a live one. Replaces a dead one, which no event
 * may read. Returns 0 or the error of perf; -ENODEV: this CPU has no such counter.
 */
static int tap_perf_set_make(struct tap_perf_set *set, unsigned int cpu)
{
	struct perf_event **at = per_cpu_ptr(set->counters, cpu);
	struct perf_event *counter = *at;

	/* tap_perf_drop_dead() has released the dead ones that events may read. */
	if (counter && (!tap_perf_dead(counter) || set->events_read))
		return 0;
	tap_perf_set_release(set, cpu);
	counter = tap_perf_create(&set->attr, cpu, NULL, set->handler, set->context);
	if (IS_ERR(counter))
		return PTR_ERR(counter);
	/* perf has one counter for several CPUs, and another of them has it. */
	if (counter->cpu != cpu) {
		perf_event_release_kernel(counter);
		return -ENODEV;
	}
	/* Pairs with the address dependency in tap_pmu_read(): it finds a complete counter. */
	smp_store_release(at, counter);
	return 0;
}

/**
 * tap_perf_set_init() - prepare a set, not armed
 * @set: zeroed; on success the caller frees it with tap_perf_set_free()
 * @attr: what each counter counts; copied
 * @handler: see struct tap_perf_set
 * @context: see struct tap_perf_set
 *
 * Context: process, may sleep.
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
 * @set: not armed; or all zero
 *
 * Context: process.
 */
void tap_perf_set_free(struct tap_perf_set *set)
{
	free_percpu(set->counters);
	set->counters = NULL;
}

/**
 * tap_perf_set_arm() - create the counters of a set; they count at once
 * @set: prepared, not armed
 *
 * A CPU that has no such counter, or goes offline now, is skipped. A CPU that comes online
 * later gets a counter from tap_perf_fill().
 *
 * Context: process, may sleep.
 * Return: 0 if one CPU at least has a counter; else an error as tap_perf_error() returns
 *	it, and the set is not armed.
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
		 * -ENODEV, -ENOENT: the CPU is on its way offline or online (then
		 * tap_perf_online() follows), or is of a type without this counter.
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
 * tap_perf_set_try() - test whether a set can be armed
 * @set: prepared, not armed
 *
 * Creates the counters disabled and releases them. So TAP_IOC_CREATE fails on a machine
 * without such a counter, and not TAP_IOC_ENABLE.
 *
 * Context: process, may sleep.
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
 * tap_perf_set_disarm() - release the counters of a set
 * @set: armed; no event of a probe reads it with tap_pmu_read() any longer
 *
 * The handler runs with preemption off: after this and synchronize_rcu() it does not run.
 *
 * Context: process, may sleep.
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
 * tap_perf_set_read() - read what the counters of a set have counted so far
 * @set: has @kept; armed or not
 * @counts: nr_cpu_ids entries, by CPU number; those of possible CPUs are set
 *
 * Context: process, may sleep.
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

/**
 * tap_perf_set_revive() - let pinned counters count again that lost their place
 * @set: armed
 *
 * perf puts a pinned counter into an error state when it finds no hardware counter for it,
 * and leaves it there. Does nothing if tap_perf_lock is taken: the caller tries again.
 *
 * Context: process, may sleep.
 */
void tap_perf_set_revive(struct tap_perf_set *set)
{
	struct perf_event *counter;
	unsigned int cpu;

	if (!mutex_trylock(&tap_perf_lock))
		return;
	for_each_online_cpu(cpu) {
		counter = *per_cpu_ptr(set->counters, cpu);
		if (counter && READ_ONCE(counter->state) == PERF_EVENT_STATE_ERROR)
			perf_event_enable(counter);
	}
	mutex_unlock(&tap_perf_lock);
}

/* A dead counter that events may still read. */
struct tap_perf_stale {
	struct tap_perf_set *set;
	struct perf_event *counter;
	unsigned int cpu;
};

/*
 * Finds the dead counters of online CPUs that events may read, and if @stale is not NULL
 * takes up to @max of them out of their sets. Returns their number.
 */
static unsigned int tap_perf_unlink(struct tap_perf_stale *stale, unsigned int max)
{
	struct tap_perf_set *set;
	struct perf_event **at;
	unsigned int cpu, nr = 0;

	list_for_each_entry(set, &tap_perf_sets, link) {
		cond_resched();
		if (!set->events_read)
			continue;
		for_each_online_cpu(cpu) {
			at = per_cpu_ptr(set->counters, cpu);
			if (!tap_perf_dead(*at) || nr == max)
				continue;
			if (stale) {
				stale[nr] = (struct tap_perf_stale){ set, *at, cpu };
				WRITE_ONCE(*at, NULL);
			}
			nr++;
		}
	}
	return nr;
}

/*
 * Releases the dead counters of all sets that events may read. An event on the counter's CPU
 * skips a dead one, whose ->oncpu perf has cleared, but it still loads the pointer: wait for
 * tap_pmu_read(), which runs with interrupts off, once for all of them.
 */
static void tap_perf_drop_dead(void)
{
	struct tap_perf_stale few[8], *stale = few;
	unsigned int max, nr, i;

	do {
		max = tap_perf_unlink(NULL, UINT_MAX);
		if (!max)
			return;
		if (max > ARRAY_SIZE(few))
			stale = kvmalloc_array(max, sizeof(*stale), GFP_KERNEL);
		if (!stale)
			stale = few;
		if (stale == few)
			max = ARRAY_SIZE(few);
		nr = tap_perf_unlink(stale, max);
		synchronize_rcu();
		for (i = 0; i < nr; i++)
			tap_perf_set_drop(stale[i].set, stale[i].cpu, stale[i].counter);
		if (stale != few)
			kvfree(stale);
		stale = few;
	} while (nr == max);
}

/* Creates the counters that are missing on online CPUs, for every armed set. */
static void tap_perf_fill(struct work_struct *work)
{
	struct tap_perf_set *set;
	unsigned int cpu;
	int ret;

	guard(mutex)(&tap_perf_lock);
	tap_perf_drop_dead();
	list_for_each_entry(set, &tap_perf_sets, link) {
		cond_resched();
		for_each_online_cpu(cpu) {
			ret = tap_perf_set_make(set, cpu);
			if (ret && ret != -ENODEV && ret != -ENOENT)
				pr_warn("counter type %u, config %#llx: cannot count on CPU %u: error %d\n",
					set->attr.type, set->attr.config, cpu,
					ret);
		}
	}
}

static DECLARE_WORK(tap_perf_work, tap_perf_fill);

/*
 * perf takes event_mutex to create a counter. Another task may hold event_mutex and wait
 * for cpu_hotplug_lock, which is held here: leave the creation to a work item.
 */
static int tap_perf_online(unsigned int cpu)
{
	schedule_work(&tap_perf_work);
	return 0;
}

/**
 * tap_perf_init() - register for CPUs that come online
 *
 * Context: process, module load.
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
 * tap_perf_exit() - unregister, and wait for tap_perf_fill()
 *
 * Context: process, module unload: no session exists, so no set is armed.
 */
void tap_perf_exit(void)
{
	cpuhp_remove_state_nocalls(tap_perf_hp);
	cancel_work_sync(&tap_perf_work);
}

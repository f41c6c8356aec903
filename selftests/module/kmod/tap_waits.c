// SPDX-License-Identifier: GPL-2.0
/*
 * Calls whose time is known. Writing "KIND NS" to the parameter "wait" calls waits_call() once, in
 * the writing task. The array "known" then has, for each enum tap_task_part, ticks of the call that
 * are certain: the code that makes them measures them with interrupts off, while the call cannot
 * leave that part. So each part of the call is at least that long, and what remains of its duration
 * bounds the error of all parts. A known part has NS nanoseconds.
 *
 *	run			runs
 *	sleep, io		waits for tap_holder, io as a wait for a device
 *	mutex, writer, reader, rtmutex, semaphore, percpu
 *				waits for a lock that tap_holder has: a mutex, a semaphore for writing
 *				or for reading, an rtmutex, a plain semaphore, a per-CPU one
 *	mutex_sleep		waits for a mutex, and then sleeps twice as long
 *	mutex_spin		spins for a mutex whose owner runs
 *	rwlock			spins for a read-write spinlock
 *	spin			spins for a spinlock, in its queue, behind a thread that also waits
 *	spin_first		spins for a spinlock as the only one that waits
 *	irq, softirq		a timer runs on this CPU, while waits_call() runs; on PREEMPT_RT the
 *				softirq is a thread of its own
 *	preempted		a thread of the class SCHED_FIFO takes the CPU
 *	sleepy			the same when the call is about to sleep
 *	migrated		runs on two CPUs, one after the other
 *	moved			sleeps, and wakes up on another CPU
 *	woken			is woken before it sleeps, so that it does not sleep
 *	raced			goes to sleep while another CPU wakes it all the time
 *	spurious		is woken three times by tap_holder before the wait ends
 *
 * Writing "THREADS CALLS SEED" to "mix" makes so many threads call waits_mixed() so often; "calls"
 * counts the calls, with those that they make inside of each other.
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/percpu-rwsem.h>
#include <linux/rtmutex.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/semaphore.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/tap.h>
#include <linux/wait.h>

#include "ring/clock.h"

#define WAITS_MAX_THREADS	8

static DEFINE_MUTEX(waits_running);
static DEFINE_MUTEX(waits_mutex);
static DEFINE_RT_MUTEX(waits_rtmutex);
static DECLARE_RWSEM(waits_rwsem);
DEFINE_STATIC_PERCPU_RWSEM(waits_percpu);
static DEFINE_RWLOCK(waits_rwlock);
static struct semaphore waits_semaphore = __SEMAPHORE_INITIALIZER(waits_semaphore, 1);
static DEFINE_RAW_SPINLOCK(waits_raw);
static DECLARE_COMPLETION(waits_held);
static DECLARE_COMPLETION(waits_done);
static DECLARE_WAIT_QUEUE_HEAD(waits_queue);
static struct task_struct *waits_caller, *waits_helper, *waits_rival;
static struct hrtimer waits_timer;
static bool waits_over;
static int waits_error;
static u64 waits_ns;

static unsigned long waits_known[TAP_NR_PARTS];
module_param_array_named(known, waits_known, ulong, NULL, 0444);

/* The session's clock is that of the kernel, not the counter of the processor. */
static bool waits_mono;
module_param_named(mono, waits_mono, bool, 0644);

static unsigned long waits_tick = TICK_NSEC;
module_param_named(tick, waits_tick, ulong, 0444);

/* For tests to probe. No header declares them. */
int waits_call(int kind, u64 ns);
u32 waits_mixed(u32 random);

static u64 waits_now(void)
{
	return waits_mono ? ktime_get_mono_fast_ns() : tap_clock_counter();
}

/* Spins with interrupts off: the call is in a part that it cannot leave meanwhile. */
static void waits_spin(enum tap_task_part part)
{
	unsigned long flags;
	u64 begin, end;

	local_irq_save(flags);
	begin = waits_now();
	end = ktime_get_mono_fast_ns() + waits_ns;
	while (ktime_get_mono_fast_ns() < end)
		cpu_relax();
	waits_known[part] += waits_now() - begin;
	local_irq_restore(flags);
}

/* The nth online CPU behind this one; behind the last comes the first. */
static unsigned int waits_cpu(unsigned int n)
{
	unsigned int cpu = raw_smp_processor_id();

	while (n--) {
		cpu = cpumask_next(cpu, cpu_online_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_online_mask);
	}
	return cpu;
}

/* The caller may go on, into what it waits for. */
static void waits_go(void)
{
	complete(&waits_held);
}

/*
 * Waits until the caller has left its processor, and not because another task took it just before
 * it would have slept: that would be over when this function looks again.
 */
static void waits_until_asleep(void)
{
	unsigned int looks = 0;

	while (looks < 2) {
		usleep_range(10, 20);
		/* Pairs with the store-release in finish_task(): sched_switch was before. */
		if (smp_load_acquire(&waits_caller->on_cpu) ||
		    task_state_to_char(waits_caller) == 'R')
			looks = 0;
		else
			looks++;
	}
}

static void waits_run(void)
{
	waits_spin(TAP_PART_RUN);
}

static void waits_sleep(void)
{
	wait_for_completion(&waits_done);
}

static void waits_sleep_hold(void)
{
	waits_go();
	waits_until_asleep();
	waits_spin(TAP_PART_SLEEP);
	complete(&waits_done);
}

static void waits_io(void)
{
	wait_for_completion_io(&waits_done);
}

static void waits_io_hold(void)
{
	waits_go();
	waits_until_asleep();
	waits_spin(TAP_PART_IO);
	complete(&waits_done);
}

static void waits_mutex_take(void)
{
	mutex_lock(&waits_mutex);
	mutex_unlock(&waits_mutex);
}

static void waits_mutex_hold(void)
{
	mutex_lock(&waits_mutex);
	waits_go();
	waits_until_asleep();
	waits_spin(TAP_PART_LOCK);
	mutex_unlock(&waits_mutex);
}

static void waits_rtmutex_take(void)
{
	rt_mutex_lock(&waits_rtmutex);
	rt_mutex_unlock(&waits_rtmutex);
}

static void waits_rtmutex_hold(void)
{
	rt_mutex_lock(&waits_rtmutex);
	waits_go();
	waits_until_asleep();
	waits_spin(TAP_PART_LOCK);
	rt_mutex_unlock(&waits_rtmutex);
}

static void waits_read(void)
{
	down_read(&waits_rwsem);
	up_read(&waits_rwsem);
}

static void waits_write_hold(void)
{
	down_write(&waits_rwsem);
	waits_go();
	waits_until_asleep();
	waits_spin(TAP_PART_LOCK);
	up_write(&waits_rwsem);
}

static void waits_write(void)
{
	down_write(&waits_rwsem);
	up_write(&waits_rwsem);
}

static void waits_read_hold(void)
{
	down_read(&waits_rwsem);
	waits_go();
	waits_until_asleep();
	waits_spin(TAP_PART_LOCK);
	up_read(&waits_rwsem);
}

static void waits_semaphore_take(void)
{
	down(&waits_semaphore);
	up(&waits_semaphore);
}

static void waits_semaphore_hold(void)
{
	down(&waits_semaphore);
	waits_go();
	waits_until_asleep();
	waits_spin(TAP_PART_LOCK);
	up(&waits_semaphore);
}

static void waits_percpu_take(void)
{
	percpu_down_read(&waits_percpu);
	percpu_up_read(&waits_percpu);
}

static void waits_percpu_hold(void)
{
	percpu_down_write(&waits_percpu);
	waits_go();
	waits_until_asleep();
	waits_spin(TAP_PART_LOCK);
	percpu_up_write(&waits_percpu);
}

static void waits_rwlock_take(void)
{
	unsigned long flags;

	read_lock_irqsave(&waits_rwlock, flags);
	read_unlock_irqrestore(&waits_rwlock, flags);
}

static void waits_rwlock_hold(void)
{
#if defined(CONFIG_QUEUED_RWLOCKS) && !defined(CONFIG_PREEMPT_RT)
	write_lock(&waits_rwlock);
	waits_go();
	/* The caller has begun to wait before it takes the lock of those that wait. */
	while (!arch_spin_is_locked(&waits_rwlock.raw_lock.wait_lock))
		cpu_relax();
	waits_spin(TAP_PART_LOCK);
	write_unlock(&waits_rwlock);
#else
	waits_error = -EOPNOTSUPP;
	waits_go();
#endif
}

static void waits_mutex_sleep(void)
{
	waits_mutex_take();
	waits_sleep();
}

static void waits_mutex_sleep_hold(void)
{
	waits_mutex_hold();
	waits_until_asleep();
	waits_spin(TAP_PART_SLEEP);
	waits_spin(TAP_PART_SLEEP);
	complete(&waits_done);
}

static void waits_mutex_spin_hold(void)
{
	mutex_lock(&waits_mutex);
	waits_go();
#if defined(CONFIG_MUTEX_SPIN_ON_OWNER) && !defined(CONFIG_PREEMPT_RT)
	/* The caller has begun to wait before it is in the queue of those that spin. */
	while (!atomic_read(&waits_mutex.osq.tail))
		cpu_relax();
	waits_spin(TAP_PART_LOCK);
#else
	waits_error = -EOPNOTSUPP;
#endif
	mutex_unlock(&waits_mutex);
}

/* Interrupts are off, so that all the time belongs to the lock. */
static void waits_raw_take(void)
{
	raw_spin_lock_irq(&waits_raw);
	raw_spin_unlock_irq(&waits_raw);
}

/* Waits until there is a waiter. In a virtual machine spinlocks may have no queue. */
static bool waits_until_queued(int mask)
{
	u64 end = ktime_get_mono_fast_ns() + NSEC_PER_SEC;

	while (!(atomic_read(&waits_raw.raw_lock.val) & mask)) {
		if (ktime_get_mono_fast_ns() < end)
			continue;
		waits_error = -EOPNOTSUPP;
		return false;
	}
	return true;
}

static void waits_raw_first_hold(void)
{
	raw_spin_lock_irq(&waits_raw);
	waits_go();
	if (waits_until_queued(_Q_PENDING_MASK))
		waits_spin(TAP_PART_RUN);
	raw_spin_unlock_irq(&waits_raw);
}

static int waits_rival_main(void *data)
{
	waits_raw_take();
	return 0;
}

static void waits_raw_hold(void)
{
	raw_spin_lock_irq(&waits_raw);
	wake_up_process(waits_rival);
	if (waits_until_queued(_Q_PENDING_MASK)) {
		waits_go();
		if (waits_until_queued(_Q_TAIL_MASK))
			waits_spin(TAP_PART_LOCK);
	} else {
		waits_go();
	}
	raw_spin_unlock_irq(&waits_raw);
}

static enum hrtimer_restart waits_irq_expired(struct hrtimer *timer)
{
	waits_spin(TAP_PART_IRQ);
	WRITE_ONCE(waits_over, true);
	return HRTIMER_NORESTART;
}

static enum hrtimer_restart waits_softirq_expired(struct hrtimer *timer)
{
	waits_spin(IS_ENABLED(CONFIG_PREEMPT_RT) ? TAP_PART_PREEMPTED : TAP_PART_SOFTIRQ);
	WRITE_ONCE(waits_over, true);
	return HRTIMER_NORESTART;
}

/* Runs until it was interrupted. */
static void waits_be_interrupted(enum hrtimer_mode mode,
				 enum hrtimer_restart (*expired)(struct hrtimer *))
{
	hrtimer_setup(&waits_timer, expired, CLOCK_MONOTONIC, mode);
	hrtimer_start(&waits_timer, ns_to_ktime(20 * NSEC_PER_USEC), mode);
	while (!READ_ONCE(waits_over))
		cpu_relax();
	hrtimer_cancel(&waits_timer);
}

static void waits_irq(void)
{
	waits_be_interrupted(HRTIMER_MODE_REL_PINNED_HARD, waits_irq_expired);
}

static void waits_softirq(void)
{
	waits_be_interrupted(HRTIMER_MODE_REL_PINNED_SOFT, waits_softirq_expired);
}

/* The helper, on the same CPU, goes first. */
static void waits_preempted(void)
{
	wake_up_process(waits_helper);
	while (!READ_ONCE(waits_over))
		cond_resched();
}

/* Only a kernel that preempts its own code at once does it there. */
static void waits_sleepy(void)
{
	preempt_disable();
	set_current_state(TASK_UNINTERRUPTIBLE);
	wake_up_process(waits_helper);
	preempt_enable();
	if (!READ_ONCE(waits_over))
		waits_error = -EOPNOTSUPP;
	__set_current_state(TASK_RUNNING);
}

static void waits_preempt(void)
{
	waits_spin(TAP_PART_PREEMPTED);
	WRITE_ONCE(waits_over, true);
}

static void waits_migrated(void)
{
	waits_spin(TAP_PART_RUN);
	waits_error = set_cpus_allowed_ptr(current, cpumask_of(waits_cpu(1)));
	waits_spin(TAP_PART_RUN);
}

static void waits_moved_hold(void)
{
	waits_go();
	waits_until_asleep();
	waits_error = set_cpus_allowed_ptr(waits_caller, cpumask_of(raw_smp_processor_id()));
	waits_spin(TAP_PART_SLEEP);
	complete(&waits_done);
}

static void waits_woken(void)
{
	set_current_state(TASK_UNINTERRUPTIBLE);
	wake_up_process(current);
	schedule();
}

static void waits_raced(void)
{
	unsigned int i;

	for (i = 0; i < 500; i++) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		schedule();
	}
	WRITE_ONCE(waits_over, true);
}

static void waits_raced_hold(void)
{
	waits_go();
	while (!READ_ONCE(waits_over))
		wake_up_process(waits_caller);
}

static void waits_event(void)
{
	wait_event(waits_queue, READ_ONCE(waits_over));
}

static void waits_spurious_hold(void)
{
	unsigned int i;

	waits_go();
	for (i = 0; i < 4; i++) {
		waits_until_asleep();
		waits_spin(TAP_PART_SLEEP);
		WRITE_ONCE(waits_over, i == 3);
		wake_up(&waits_queue);
	}
}

/**
 * struct waits_kind - a kind of calls
 * @name: as the user writes it
 * @call: what waits_call() does
 * @hold: what the thread tap_holder does; it calls waits_go(). NULL: there is none
 * @preempt: what a thread of the class SCHED_FIFO on the same CPU does, once @call wakes it
 * @cpus: CPUs that must be online. With two the thread runs on another one than the call
 */
struct waits_kind {
	const char *name;
	void (*call)(void);
	void (*hold)(void);
	void (*preempt)(void);
	unsigned int cpus;
};

static const struct waits_kind waits_kinds[] = {
	{ "run", waits_run },
	{ "sleep", waits_sleep, waits_sleep_hold },
	{ "io", waits_io, waits_io_hold },
	{ "mutex", waits_mutex_take, waits_mutex_hold },
	{ "rtmutex", waits_rtmutex_take, waits_rtmutex_hold },
	{ "writer", waits_read, waits_write_hold },
	{ "reader", waits_write, waits_read_hold },
	{ "mutex_spin", waits_mutex_take, waits_mutex_spin_hold, .cpus = 2 },
	{ "spin", waits_raw_take, waits_raw_hold, .cpus = 3 },
	{ "spin_first", waits_raw_take, waits_raw_first_hold, .cpus = 2 },
	{ "irq", waits_irq },
	{ "softirq", waits_softirq },
	{ "preempted", waits_preempted, .preempt = waits_preempt },
	{ "sleepy", waits_sleepy, .preempt = waits_preempt },
	{ "migrated", waits_migrated, .cpus = 2 },
	{ "moved", waits_sleep, waits_moved_hold, .cpus = 2 },
	{ "woken", waits_woken },
	{ "raced", waits_raced, waits_raced_hold, .cpus = 2 },
	{ "spurious", waits_event, waits_spurious_hold },
	{ "semaphore", waits_semaphore_take, waits_semaphore_hold },
	{ "percpu", waits_percpu_take, waits_percpu_hold },
	{ "mutex_sleep", waits_mutex_sleep, waits_mutex_sleep_hold },
	{ "rwlock", waits_rwlock_take, waits_rwlock_hold, .cpus = 2 },
};

noinline int waits_call(int kind, u64 ns)
{
	waits_kinds[kind].call();
	/* Behind the call, so that this function is on its stack. */
	barrier();
	return kind;
}

static int waits_hold(void *data)
{
	const struct waits_kind *kind = data;

	if (kind->hold)
		kind->hold();
	else
		kind->preempt();
	/*
	 * The one who starts it stops it, with a wake-up. A thread of the class SCHED_FIFO that
	 * looked again and again would leave that one no time on a slow CPU.
	 */
	set_current_state(TASK_INTERRUPTIBLE);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state(TASK_INTERRUPTIBLE);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static struct task_struct *
waits_thread(int (*main)(void *), const struct waits_kind *kind, const char *name, unsigned int cpu)
{
	struct task_struct *task = kthread_create(main, (void *)kind, "%s", name);

	if (!IS_ERR(task) && kind->cpus)
		kthread_bind(task, waits_cpu(cpu));
	return task;
}

/* Makes the call, with its helpers; migration is off but for what the kind does. */
static int waits_with_helper(const struct waits_kind *kind)
{
	waits_helper = waits_thread(waits_hold, kind, "tap_holder", 1);
	if (IS_ERR(waits_helper))
		return PTR_ERR(waits_helper);
	if (kind->preempt) {
		kthread_bind(waits_helper, raw_smp_processor_id());
		sched_set_fifo(waits_helper);
	} else {
		wake_up_process(waits_helper);
		wait_for_completion(&waits_held);
	}
	waits_call(kind - waits_kinds, waits_ns);
	kthread_stop(waits_helper);
	return 0;
}

static int waits_make(const struct waits_kind *kind)
{
	int ret = 0;

	if (!kind->hold && !kind->preempt) {
		waits_call(kind - waits_kinds, waits_ns);
		return 0;
	}
	if (kind->cpus > 2) {
		waits_rival = waits_thread(waits_rival_main, kind, "tap_rival", 2);
		if (IS_ERR(waits_rival))
			return PTR_ERR(waits_rival);
	}
	ret = waits_with_helper(kind);
	/* A thread that was not woken is stopped before it begins. */
	if (kind->cpus > 2)
		kthread_stop(waits_rival);
	return ret;
}

static int waits_set(const char *text, const struct kernel_param *param)
{
	char name[16];
	cpumask_var_t mask;
	int kind, ret;
	u64 ns;

	if (sscanf(text, "%15s %llu", name, &ns) != 2)
		return -EINVAL;
	for (kind = 0; strcmp(waits_kinds[kind].name, name);)
		if (++kind == ARRAY_SIZE(waits_kinds))
			return -EINVAL;
	if (num_online_cpus() < waits_kinds[kind].cpus)
		return -ENXIO;
	if (!alloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	mutex_lock(&waits_running);
	cpumask_copy(mask, current->cpus_ptr);
	ret = set_cpus_allowed_ptr(current, cpumask_of(raw_smp_processor_id()));
	if (!ret) {
		waits_caller = current;
		waits_over = false;
		waits_error = 0;
		waits_ns = ns;
		memset(waits_known, 0, sizeof(waits_known));
		reinit_completion(&waits_held);
		reinit_completion(&waits_done);
		ret = waits_make(&waits_kinds[kind]) ?: waits_error;
		set_cpus_allowed_ptr(current, mask);
	}
	mutex_unlock(&waits_running);
	free_cpumask_var(mask);
	return ret;
}

static const struct kernel_param_ops waits_ops = { .set = waits_set };
module_param_cb(wait, &waits_ops, NULL, 0200);

static struct task_struct *waits_mixers[WAITS_MAX_THREADS];
static unsigned int waits_nr_mixers;
static unsigned long waits_per_mixer;
static u32 waits_seed;
static atomic_long_t waits_calls;

static int waits_calls_get(char *text, const struct kernel_param *param)
{
	return sysfs_emit(text, "%ld\n", atomic_long_read(&waits_calls));
}

static const struct kernel_param_ops waits_calls_ops = { .get = waits_calls_get };
module_param_cb(calls, &waits_calls_ops, NULL, 0444);

static u32 waits_random(u32 random)
{
	return random * 1664525 + 1013904223;
}

static void waits_nothing(void *data)
{
}

static void waits_be_woken(void)
{
	usleep_range(50, 100);
}

static void waits_with_mutex(void)
{
	mutex_lock(&waits_mutex);
	usleep_range(50, 100);
	mutex_unlock(&waits_mutex);
}

static void waits_with_readers(void)
{
	down_read(&waits_rwsem);
	usleep_range(50, 100);
	up_read(&waits_rwsem);
}

static void waits_nothing_soft(struct tasklet_struct *tasklet)
{
}

static DECLARE_TASKLET(waits_tasklet, waits_nothing_soft);

/* A softirq on top of the caller, for sure: local_bh_enable() runs those that are pending. */
static void waits_bottom_half(void)
{
	local_bh_disable();
	tasklet_schedule(&waits_tasklet);
	local_bh_enable();
}

static void waits_alone(void)
{
	down_write(&waits_rwsem);
	cond_resched();
	up_write(&waits_rwsem);
}

static void waits_with_rtmutex(void)
{
	rt_mutex_lock(&waits_rtmutex);
	usleep_range(50, 100);
	rt_mutex_unlock(&waits_rtmutex);
}

static void waits_long(void)
{
	set_current_state(TASK_UNINTERRUPTIBLE);
	io_schedule_timeout(1);
}

/* One call in ten waits, or does something else that ends a part. */
noinline __noclone u32 waits_mixed(u32 random)
{
	unsigned int cpu;

	atomic_long_inc(&waits_calls);
	random = waits_random(random);
	/* The high bits: the low ones have short periods. */
	switch (random >> 25) {
	case 0:
		waits_be_woken();
		break;
	case 1:
		waits_with_mutex();
		break;
	case 2:
		waits_with_readers();
		break;
	case 3:
		waits_alone();
		break;
	case 4:
		waits_with_rtmutex();
		break;
	case 5:
		schedule();
		break;
	case 6:
		waits_woken();
		break;
	case 7:
		wake_up_process(waits_mixers[random % waits_nr_mixers]);
		break;
	case 8:
		waits_raw_take();
		break;
	case 9:
		if (!(random >> 16 & 7))
			waits_long();
		break;
	case 10:
		cpu = waits_cpu(1 + random % 3);
		set_cpus_allowed_ptr(current, cpumask_of(cpu));
		break;
	case 11:
		smp_call_function_single(waits_cpu(1), waits_nothing, NULL, true);
		break;
	case 12:
	case 13:
		random = waits_mixed(random);
		break;
	case 14:
		waits_bottom_half();
		break;
	}
	/* So the compiler makes no loop of the call of itself. */
	barrier();
	return random;
}

static int waits_mix(void *data)
{
	u32 random = waits_seed + (unsigned long)data;
	unsigned long i;

	/* Until all of them are there, so that each may wake each. */
	wait_for_completion(&waits_held);
	for (i = 0; i < waits_per_mixer; i++)
		random = waits_mixed(random);
	complete(&waits_done);
	while (!kthread_should_stop())
		usleep_range(100, 200);
	return 0;
}

static int waits_mix_run(unsigned int threads)
{
	struct task_struct *task;
	unsigned int i;
	int ret = 0;

	reinit_completion(&waits_held);
	reinit_completion(&waits_done);
	for (waits_nr_mixers = 0; waits_nr_mixers < threads; waits_nr_mixers++) {
		task = kthread_run(waits_mix, (void *)(long)waits_nr_mixers, "tap_mix/%u",
				   waits_nr_mixers);
		if (IS_ERR(task)) {
			ret = PTR_ERR(task);
			break;
		}
		waits_mixers[waits_nr_mixers] = task;
	}
	complete_all(&waits_held);
	for (i = 0; i < waits_nr_mixers; i++)
		wait_for_completion(&waits_done);
	for (i = 0; i < waits_nr_mixers; i++)
		kthread_stop(waits_mixers[i]);
	return ret;
}

static int waits_mix_set(const char *text, const struct kernel_param *param)
{
	unsigned int threads;
	unsigned long calls;
	int ret;
	u32 seed;

	if (sscanf(text, "%u %lu %u", &threads, &calls, &seed) != 3 || !threads ||
	    threads > WAITS_MAX_THREADS)
		return -EINVAL;
	mutex_lock(&waits_running);
	waits_per_mixer = calls / threads;
	waits_seed = seed;
	atomic_long_set(&waits_calls, 0);
	ret = waits_mix_run(threads);
	mutex_unlock(&waits_running);
	return ret;
}

static const struct kernel_param_ops waits_mix_ops = { .set = waits_mix_set };
module_param_cb(mix, &waits_mix_ops, NULL, 0200);

static int __init waits_init(void)
{
	return 0;
}
module_init(waits_init);

static void __exit waits_exit(void)
{
}
module_exit(waits_exit);

MODULE_DESCRIPTION("Calls whose time is known, for the tests of tapmod");
MODULE_LICENSE("GPL");

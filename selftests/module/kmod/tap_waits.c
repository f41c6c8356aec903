// SPDX-License-Identifier: GPL-2.0
/*
 * Calls whose time is known. Writing "KIND NS" to the parameter "wait" calls waits_call() once,
 * which waits or runs for about NS nanoseconds as the kind says; "ticks" is what the code that knows
 * it exactly has measured, by the counter of the processor.
 *
 *	mutex, writer, reader	waits for a lock that the thread tap_holder has: a mutex, a
 *				semaphore that it has for writing, or for reading
 *	io			sleeps as a wait for a device
 *	irq, softirq		a timer runs for NS on this CPU, while waits_call() runs
 *	woken			is woken before it sleeps, so that it does not sleep
 *	spurious		is woken three times by tap_holder before the wait ends
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/timex.h>
#include <linux/wait.h>

enum waits_kind {
	WAITS_MUTEX,
	WAITS_WRITER,
	WAITS_READER,
	WAITS_IO,
	WAITS_IRQ,
	WAITS_SOFTIRQ,
	WAITS_WOKEN,
	WAITS_SPURIOUS,
};

static const char *const waits_names[] = {
	"mutex", "writer", "reader", "io", "irq", "softirq", "woken", "spurious", NULL,
};

static DEFINE_MUTEX(waits_running);
static DEFINE_MUTEX(waits_mutex);
static DECLARE_RWSEM(waits_rwsem);
static DECLARE_COMPLETION(waits_held);
static DECLARE_WAIT_QUEUE_HEAD(waits_queue);
static bool waits_over, waits_asks;
static struct hrtimer waits_timer;
static u64 waits_ns;
static unsigned long waits_ticks;
module_param_named(ticks, waits_ticks, ulong, 0444);

/* For tests to probe. No header declares it. */
int waits_call(int kind, u64 ns);

static void waits_spin(u64 ns)
{
	u64 end = ktime_get_ns() + ns;

	while (ktime_get_ns() < end)
		cpu_relax();
}

static enum hrtimer_restart waits_expired(struct hrtimer *timer)
{
	cycles_t begin = get_cycles();

	waits_spin(waits_ns);
	waits_ticks = get_cycles() - begin;
	WRITE_ONCE(waits_over, true);
	return HRTIMER_NORESTART;
}

/* waits_call() runs until it was interrupted. */
static void waits_be_interrupted(enum hrtimer_mode mode)
{
	hrtimer_setup(&waits_timer, waits_expired, CLOCK_MONOTONIC, mode);
	hrtimer_start(&waits_timer, ns_to_ktime(100 * NSEC_PER_USEC), mode);
	while (!READ_ONCE(waits_over))
		cpu_relax();
	hrtimer_cancel(&waits_timer);
}

noinline int waits_call(int kind, u64 ns)
{
	WRITE_ONCE(waits_asks, true);
	switch (kind) {
	case WAITS_MUTEX:
		mutex_lock(&waits_mutex);
		mutex_unlock(&waits_mutex);
		break;
	case WAITS_WRITER:
		down_read(&waits_rwsem);
		up_read(&waits_rwsem);
		break;
	case WAITS_READER:
		down_write(&waits_rwsem);
		up_write(&waits_rwsem);
		break;
	case WAITS_IO:
		set_current_state(TASK_UNINTERRUPTIBLE);
		io_schedule_timeout(nsecs_to_jiffies(ns));
		break;
	case WAITS_IRQ:
		waits_be_interrupted(HRTIMER_MODE_REL_PINNED_HARD);
		break;
	case WAITS_SOFTIRQ:
		waits_be_interrupted(HRTIMER_MODE_REL_PINNED_SOFT);
		break;
	case WAITS_WOKEN:
		set_current_state(TASK_UNINTERRUPTIBLE);
		wake_up_process(current);
		schedule();
		break;
	default:
		wait_event(waits_queue, READ_ONCE(waits_over));
	}
	return kind;
}

/* tap_holder: holds a lock for some time, or wakes the caller. */
static int waits_hold(void *data)
{
	long kind = (long)data;
	unsigned int us = waits_ns / NSEC_PER_USEC, i;

	if (kind == WAITS_MUTEX)
		mutex_lock(&waits_mutex);
	else if (kind == WAITS_WRITER)
		down_write(&waits_rwsem);
	else if (kind == WAITS_READER)
		down_read(&waits_rwsem);
	complete(&waits_held);
	while (!READ_ONCE(waits_asks))
		usleep_range(10, 20);
	for (i = 0; kind == WAITS_SPURIOUS && i < 3; i++) {
		usleep_range(us, us + 100);
		wake_up(&waits_queue);
	}
	usleep_range(us, us + 100);
	if (kind == WAITS_MUTEX)
		mutex_unlock(&waits_mutex);
	else if (kind == WAITS_WRITER)
		up_write(&waits_rwsem);
	else if (kind == WAITS_READER)
		up_read(&waits_rwsem);
	WRITE_ONCE(waits_over, true);
	wake_up(&waits_queue);
	/* The one who starts it stops it. */
	while (!kthread_should_stop())
		usleep_range(100, 200);
	return 0;
}

static int waits_run(int kind)
{
	struct task_struct *holder = NULL;

	WRITE_ONCE(waits_over, false);
	WRITE_ONCE(waits_asks, false);
	if (kind <= WAITS_READER || kind == WAITS_SPURIOUS) {
		reinit_completion(&waits_held);
		holder = kthread_run(waits_hold, (void *)(long)kind, "tap_holder");
		if (IS_ERR(holder))
			return PTR_ERR(holder);
		wait_for_completion(&waits_held);
	}
	waits_call(kind, waits_ns);
	if (holder)
		kthread_stop(holder);
	return 0;
}

static int waits_set(const char *text, const struct kernel_param *param)
{
	char name[16];
	int kind, ret;
	u64 ns;

	if (sscanf(text, "%15s %llu", name, &ns) != 2)
		return -EINVAL;
	kind = match_string(waits_names, ARRAY_SIZE(waits_names), name);
	if (kind < 0)
		return kind;
	mutex_lock(&waits_running);
	waits_ns = ns;
	waits_ticks = 0;
	ret = waits_run(kind);
	mutex_unlock(&waits_running);
	return ret;
}

static const struct kernel_param_ops waits_ops = { .set = waits_set };
module_param_cb(wait, &waits_ops, NULL, 0200);

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

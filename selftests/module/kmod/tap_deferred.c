// SPDX-License-Identifier: GPL-2.0
/*
 * A module that tests load and unload. Its parameters:
 *
 *  - init: at load, the tracepoint fires once with this value, and tap_deferred_begin(),
 *    which is __init code, is called with it;
 *  - fail: passed to tap_deferred_begin(); if it is not 0, loading fails with that errno;
 *  - fire: writing N fires the tracepoint, calls tap_deferred_function() and sets
 *    tap_deferred_value, with each of 0 to N - 1;
 *  - deaf: reads Y if the kernel does not patch __init code, so that an enabled tracepoint
 *    does not fire there;
 *  - linger: milliseconds that the module needs to be unloaded;
 *  - storm: a thread fires the tracepoint and calls tap_deferred_function() until the
 *    module is unloaded.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#define CREATE_TRACE_POINTS
#include "tap_deferred_trace.h"

unsigned long tap_deferred_function(unsigned long value);
long tap_deferred_begin(unsigned long value, long fail);
extern unsigned long tap_deferred_value;
unsigned long tap_deferred_value;

static unsigned long deferred_init_value;
module_param_named(init, deferred_init_value, ulong, 0400);

static long deferred_fail;
module_param_named(fail, deferred_fail, long, 0400);

static bool deferred_deaf;
module_param_named(deaf, deferred_deaf, bool, 0400);

static unsigned int deferred_linger;
module_param_named(linger, deferred_linger, uint, 0400);

static bool deferred_storms;
module_param_named(storm, deferred_storms, bool, 0400);

static struct task_struct *deferred_storm_task;

noinline __noclone unsigned long tap_deferred_function(unsigned long value)
{
	barrier();
	return ~value;
}

noinline __noclone long __init tap_deferred_begin(unsigned long value, long fail)
{
	barrier();
	return -fail;
}

static int deferred_fire(const char *text, const struct kernel_param *param)
{
	unsigned long i, count;
	int ret = kstrtoul(text, 0, &count);

	if (ret)
		return ret;
	for (i = 0; i < count; i++) {
		trace_tap_deferred_event(i);
		tap_deferred_function(i);
		WRITE_ONCE(tap_deferred_value, i);
	}
	return 0;
}

static const struct kernel_param_ops deferred_fire_ops = {
	.set = deferred_fire,
};
module_param_cb(fire, &deferred_fire_ops, NULL, 0200);

static int deferred_storm(void *data)
{
	unsigned long i = 0;

	while (!kthread_should_stop()) {
		trace_tap_deferred_event(i);
		tap_deferred_function(i++);
		if (!(i % 256))
			cond_resched_tasks_rcu_qs();
	}
	return 0;
}

static int __init deferred_init(void)
{
	long ret;

	deferred_deaf = static_key_enabled(&__tracepoint_tap_deferred_event.key) &&
		    !trace_tap_deferred_event_enabled();
	trace_tap_deferred_event(deferred_init_value);
	ret = tap_deferred_begin(deferred_init_value, deferred_fail);
	if (ret || !deferred_storms)
		return ret;
	deferred_storm_task = kthread_run(deferred_storm, NULL, "tap_deferred");
	return PTR_ERR_OR_ZERO(deferred_storm_task);
}

static void __exit deferred_exit(void)
{
	if (deferred_linger)
		msleep(deferred_linger);
	if (deferred_storm_task)
		kthread_stop(deferred_storm_task);
}

module_init(deferred_init);
module_exit(deferred_exit);
MODULE_DESCRIPTION("What the tests of tapmod load and unload");
MODULE_LICENSE("GPL");

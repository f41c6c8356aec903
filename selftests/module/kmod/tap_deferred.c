// SPDX-License-Identifier: GPL-2.0
/*
 * A module that comes and goes during a test. Loading it passes its tracepoint
 * once with the parameter "init", and calls tap_deferred_begin(), which is gone
 * afterwards, with that and the parameter "fail": if it is not 0 the module fails to
 * load. Writing N to its parameter "fire" passes the
 * tracepoint, calls tap_deferred_function() and sets tap_deferred_value, all with 0 to
 * N - 1. Its parameter "deaf" is Y where the kernel leaves __init code as it is, so
 * that an enabled tracepoint is not heard there. With the parameter "storm" a thread
 * goes on calling until the module is unloaded.
 */
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

static unsigned long late_init_value;
module_param_named(init, late_init_value, ulong, 0400);

static long late_fail;
module_param_named(fail, late_fail, long, 0400);

static bool late_deaf;
module_param_named(deaf, late_deaf, bool, 0400);

static bool late_storms;
module_param_named(storm, late_storms, bool, 0400);

static struct task_struct *late_storm_task;

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

static int late_fire(const char *text, const struct kernel_param *param)
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

static const struct kernel_param_ops late_fire_ops = {
	.set = late_fire,
};
module_param_cb(fire, &late_fire_ops, NULL, 0200);

static int late_storm(void *data)
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

static int __init late_init(void)
{
	long ret;

	late_deaf = static_key_enabled(&__tracepoint_tap_deferred_event.key) &&
		    !trace_tap_deferred_event_enabled();
	trace_tap_deferred_event(late_init_value);
	ret = tap_deferred_begin(late_init_value, late_fail);
	if (ret || !late_storms)
		return ret;
	late_storm_task = kthread_run(late_storm, NULL, "tap_deferred");
	return PTR_ERR_OR_ZERO(late_storm_task);
}

static void __exit late_exit(void)
{
	if (late_storm_task)
		kthread_stop(late_storm_task);
}

module_init(late_init);
module_exit(late_exit);
MODULE_DESCRIPTION("What the tests of tapmod load and unload");
MODULE_LICENSE("GPL");

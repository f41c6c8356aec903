// SPDX-License-Identifier: GPL-2.0
/*
 * A driver that emits events of its own: docs/emit.md shows parts of it. Its parameters:
 *
 *  - fire: writing N emits xmit and value N times, with each of 0 to N - 1;
 *  - storm: a thread on each of two CPUs emits tick until the module is unloaded.
 *
 * It emits loaded once, in its __init code.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include <tapmod/emit.h>

/* What the tests look at. */
void emits_off(u64 nr);

enum emits_state { EMITS_BROKEN = -1, EMITS_IDLE, EMITS_BUSY };

struct emits_queue {
	const char *name;
	u32 len;
};

static struct emits_queue emits_queues[] = { { "rx", 7 }, { "tx", 70000 } };

/* An event with one line; emitted by tap_emit_xmit(queue, len, name). */
TAP_EMIT_DEFINE(xmit, struct emits_queue *, queue, u32, len, const char *, name);

/* Signed, of few bytes, and what C turns into a number. */
TAP_EMIT_DEFINE(value, s8, small, s16, half, u8, byte, bool, odd, enum emits_state, state,
		s64, wide);
TAP_EMIT_DEFINE(loaded, unsigned long, queues);

/* Two lines: for events of several files the first one is in a header. */
TAP_EMIT_DECLARE(tick, u64, nr, int, cpu);
TAP_EMIT_CREATE(tick, u64, nr, int, cpu);

static bool emits_storms;
module_param_named(storm, emits_storms, bool, 0400);

static struct task_struct *emits_tasks[2];

/* Nothing but an event: its code while the event is not traced is a nop. */
noinline void emits_off(u64 nr)
{
	tap_emit_tick(nr, 0);
}

static void emits_one(unsigned long i)
{
	const struct emits_queue *queue = &emits_queues[i % ARRAY_SIZE(emits_queues)];

	tap_emit_xmit(&emits_queues[i % ARRAY_SIZE(emits_queues)], queue->len + i, queue->name);
	if (tap_emit_value_enabled())
		tap_emit_value(-(long)i, -300 - (long)i, 250 + i, i % 2, (int)(i % 3) - 1,
			       -(s64)i << 40);
}

static int emits_fire(const char *text, const struct kernel_param *param)
{
	unsigned long i, count;
	int ret = kstrtoul(text, 0, &count);

	for (i = 0; !ret && i < count; i++)
		emits_one(i);
	return ret;
}

static const struct kernel_param_ops emits_fire_ops = {
	.set = emits_fire,
};
module_param_cb(fire, &emits_fire_ops, NULL, 0200);

static int emits_storm(void *data)
{
	u64 nr = 0;

	/* The tasks of a test come first; it runs all the time that they wait. */
	set_user_nice(current, MAX_NICE);
	while (!kthread_should_stop()) {
		tap_emit_tick(nr++, (long)data);
		if (!(nr % 256))
			cond_resched_tasks_rcu_qs();
	}
	return 0;
}

/*
 * Inlined: only __init and __exit code calls it, so it would be cold. gcc before 14 does not align such
 * functions, and ftrace of arm64 panics at one that is not.
 */
static __always_inline void emits_stop(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(emits_tasks); i++)
		if (!IS_ERR_OR_NULL(emits_tasks[i]))
			kthread_stop(emits_tasks[i]);
}

static int __init emits_init(void)
{
	long i;

	tap_emit_loaded(ARRAY_SIZE(emits_queues));
	for (i = 0; emits_storms && i < ARRAY_SIZE(emits_tasks); i++) {
		emits_tasks[i] = kthread_create(emits_storm, (void *)i, "tap_emits/%ld", i);
		if (IS_ERR(emits_tasks[i])) {
			emits_stop();
			return PTR_ERR(emits_tasks[i]);
		}
		kthread_bind(emits_tasks[i], i % nr_cpu_ids);
		wake_up_process(emits_tasks[i]);
	}
	return 0;
}

static void __exit emits_exit(void)
{
	emits_stop();
}

module_init(emits_init);
module_exit(emits_exit);
MODULE_DESCRIPTION("A driver that emits events of its own");
MODULE_LICENSE("GPL");

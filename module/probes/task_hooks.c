// SPDX-License-Identifier: GPL-2.0
/*
 * The handlers by which a session knows of its tasks: at the kernel's tracepoints of tasks, of the
 * scheduler, of interrupts and of locks. They are registered while the session has a table of
 * tasks; each gets the table as its data. The rules of handler.h hold.
 */
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/tracepoint.h>

#include "compat/hooks.h"
#include "core/session.h"
#include "exec/division.h"
#include "exec/stacktrace.h"
#include "probes/probes.h"

static void tap_hook_free TAP_SCHED_TASK_PARAMS
{
	tap_tracepoint_enter();
	tap_tasks_forget(data, task);
	tap_tracepoint_exit();
}
NOKPROBE_SYMBOL(tap_hook_free);

static void tap_hook_switch TAP_SCHED_SWITCH_PARAMS
{
	tap_division_switch(data, preempt, prev, next);
}
NOKPROBE_SYMBOL(tap_hook_switch);

static void tap_hook_waking TAP_SCHED_TASK_PARAMS
{
	tap_division_wake(data, task, true);
}
NOKPROBE_SYMBOL(tap_hook_waking);

static void tap_hook_wakeup TAP_SCHED_TASK_PARAMS
{
	tap_division_wake(data, task, false);
}
NOKPROBE_SYMBOL(tap_hook_wakeup);

static void tap_hook_irq_entry TAP_IRQ_ENTRY_PARAMS
{
	tap_division_irq(data, true, true);
}
NOKPROBE_SYMBOL(tap_hook_irq_entry);

static void tap_hook_irq_exit TAP_IRQ_EXIT_PARAMS
{
	tap_division_irq(data, true, false);
}
NOKPROBE_SYMBOL(tap_hook_irq_exit);

static void tap_hook_vector_entry TAP_VECTOR_PARAMS
{
	tap_division_irq(data, true, true);
}
NOKPROBE_SYMBOL(tap_hook_vector_entry);

static void tap_hook_vector_exit TAP_VECTOR_PARAMS
{
	tap_division_irq(data, true, false);
}
NOKPROBE_SYMBOL(tap_hook_vector_exit);

static void tap_hook_softirq_entry TAP_SOFTIRQ_PARAMS
{
	tap_division_irq(data, false, true);
}
NOKPROBE_SYMBOL(tap_hook_softirq_entry);

static void tap_hook_softirq_exit TAP_SOFTIRQ_PARAMS
{
	tap_division_irq(data, false, false);
}
NOKPROBE_SYMBOL(tap_hook_softirq_exit);

static void tap_hook_contention_begin TAP_CONTENTION_BEGIN_PARAMS
{
	tap_division_lock(data, (unsigned long)lock, flags);
}
NOKPROBE_SYMBOL(tap_hook_contention_begin);

static void tap_hook_contention_end TAP_CONTENTION_END_PARAMS
{
	tap_division_unlock(data, (unsigned long)lock);
}
NOKPROBE_SYMBOL(tap_hook_contention_end);

/**
 * struct tap_hook - a handler of a tracepoint
 * @name: the tracepoint
 * @handler: the handler
 * @division: %TAP_TASKS_F_DIVISION needs it; else every table does
 * @source: its TAP_SOURCE_*; 0: without it there is no table
 */
struct tap_hook {
	const char *name;
	void *handler;
	bool division;
	u32 source;
};

/*
 * The ends before the beginnings, and the scheduler's last: what is seen to begin is seen to end.
 */
static const struct tap_hook tap_hooks[] = {
	{ "sched_process_free", tap_hook_free },
	{ "irq_handler_exit", tap_hook_irq_exit, true },
	{ "irq_handler_entry", tap_hook_irq_entry, true },
	{ "softirq_exit", tap_hook_softirq_exit, true },
	{ "softirq_entry", tap_hook_softirq_entry, true },
	{ "contention_end", tap_hook_contention_end, true, TAP_SOURCE_LOCK },
	{ "contention_begin", tap_hook_contention_begin, true, TAP_SOURCE_LOCK },
	{ "sched_wakeup", tap_hook_wakeup, true },
	{ "sched_waking", tap_hook_waking, true },
	{ "sched_switch", tap_hook_switch, true },
};

/* Each has two hooks, in front of the others: its end, then its beginning. */
static const char *const tap_vectors[] = TAP_VECTORS;

#define TAP_NR_VECTOR_HOOKS	(2 * ARRAY_SIZE(tap_vectors))
#define TAP_NR_HOOKS		(TAP_NR_VECTOR_HOOKS + ARRAY_SIZE(tap_hooks))

/* Hook number i; its tracepoint, if the kernel has it, is in *tp. */
static struct tap_hook tap_hook_at(unsigned int i, struct tracepoint **tp)
{
	struct tap_hook hook = { .division = true, .source = TAP_SOURCE_VECTORS };
	char name[32];

	if (i >= TAP_NR_VECTOR_HOOKS) {
		hook = tap_hooks[i - TAP_NR_VECTOR_HOOKS];
		*tp = tap_tracepoint_find(hook.name);
		return hook;
	}
	snprintf(name, sizeof(name), "%s_%s", tap_vectors[i / 2], i % 2 ? "entry" : "exit");
	hook.handler = i % 2 ? tap_hook_vector_entry : tap_hook_vector_exit;
	*tp = tap_tracepoint_find(name);
	return hook;
}

/* Whether this kernel can divide the time of tasks. */
bool tap_division_possible(void)
{
	return TAP_TASKS_FIT && TAP_DIVISION_FITS;
}

/* TAP_SOURCE_* whose prototypes fit. */
static u32 tap_hook_sources(void)
{
	return (TAP_CONTENTION_FITS ? TAP_SOURCE_LOCK : 0) |
	       (TAP_VECTORS_FIT ? TAP_SOURCE_VECTORS : 0);
}

static void tap_hooks_unregister(struct tapmod_tasks *tasks, unsigned int nr)
{
	struct tracepoint *tp;
	struct tap_hook hook;

	while (nr--) {
		if (!(tasks->hooks & BIT(nr)))
			continue;
		hook = tap_hook_at(nr, &tp);
		tracepoint_probe_unregister(tp, hook.handler, tasks);
	}
	tasks->hooks = 0;
}

/* Registers the handlers that @flags ask for; sets TAP_SOURCE_* of those that the kernel has. */
static int tap_hooks_register(struct tapmod_tasks *tasks, u32 flags, u32 *sources)
{
	struct tracepoint *tp;
	struct tap_hook hook;
	unsigned int i;
	int ret;

	*sources = flags & TAP_TASKS_F_DIVISION ? tap_hook_sources() : 0;
	BUILD_BUG_ON(TAP_NR_HOOKS > 32);
	for (i = 0; i < TAP_NR_HOOKS; i++) {
		hook = tap_hook_at(i, &tp);
		if ((hook.division && !(flags & TAP_TASKS_F_DIVISION)) ||
		    (hook.source & ~*sources))
			continue;
		ret = tp ? tracepoint_probe_register(tp, hook.handler, tasks) : -EOPNOTSUPP;
		if (ret == -EOPNOTSUPP && hook.source) {
			*sources &= ~hook.source;
			continue;
		}
		if (ret) {
			tap_hooks_unregister(tasks, i);
			return ret;
		}
		tasks->hooks |= BIT(i);
		if (hook.handler == tap_hook_switch)
			tap_stack_tp_iter(&tasks->tp_iters[0], tp->iterator);
		if (hook.handler == tap_hook_waking)
			tap_stack_tp_iter(&tasks->tp_iters[1], tp->iterator);
	}
	return 0;
}

/**
 * tap_tasks_create() - TAP_IOC_TASKS: give the session a table of tasks, and its hooks
 * @session: its lock is held; it has rings
 * @arg: checked copy of the argument; @out_sources is set
 *
 * Context: process, may sleep.
 * Return: 0; -EBUSY: it has a table; -EINVAL; -ENOMEM; -EOPNOTSUPP: the kernel has other
 *	tracepoints.
 */
int tap_tasks_create(struct tapmod_session *session, struct tap_tasks *arg)
{
	int ret;

	if (!arg->flags || arg->flags & ~(TAP_TASKS_F_FRAMES | TAP_TASKS_F_DIVISION) ||
	    arg->tasks > TAP_MAX_SESSION_TASKS)
		return -EINVAL;
	if (session->tasks)
		return -EBUSY;
	if (!TAP_TASKS_FIT ||
	    (arg->flags & TAP_TASKS_F_DIVISION && !tap_division_possible()))
		return -EOPNOTSUPP;
	ret = tap_tasks_alloc(session, arg);
	if (ret)
		return ret;
	ret = tap_hooks_register(session->tasks, arg->flags, &arg->out_sources);
	if (!ret)
		return 0;
	tap_tasks_undo(session);
	return ret;
}

/**
 * tap_tasks_undo() - undo tap_tasks_create()
 * @session: its lock is held; no program uses the table
 *
 * Context: process, may sleep.
 */
void tap_tasks_undo(struct tapmod_session *session)
{
	tap_tasks_stop(session);
	tap_sync(TAP_SYNC_TRACEPOINT);
	tap_tasks_free(session);
}

/**
 * tap_tasks_stop() - unregister the hooks
 * @session: no other task uses it
 *
 * The caller waits with tap_sync() for what this adds to @unsynced before tap_tasks_free().
 *
 * Context: process, may sleep.
 */
void tap_tasks_stop(struct tapmod_session *session)
{
	if (!session->tasks)
		return;
	tap_hooks_unregister(session->tasks, TAP_NR_HOOKS);
	session->unsynced |= TAP_SYNC_TRACEPOINT;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Which tasks a session follows: a bit for each id in the initial pid namespace.
 *
 * A handler of the tracepoint task_newtask writes the bit of each new task, of all that the
 * kernel creates: the value of the bit of the task that creates it. The end of a task changes
 * nothing, since events come from a task after the kernel's exit tracepoints, as those of a
 * driver's release() do. So a bit may be stale, until the id is given to another task.
 */
#include <linux/bitops.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/threads.h>
#include <linux/tracepoint.h>

#include "compat/hooks.h"
#include "core/session.h"
#include "exec/followed.h"
#include "probes/probes.h"

/* The sysctl kernel.pid_max, which may be raised at any moment, is at most this. */
#define TAP_FOLLOW_BYTES	(BITS_TO_LONGS(PID_MAX_LIMIT) * sizeof(long))

/*
 * Runs in the task that creates @task, which has not run yet. The scheduler's locks order the
 * bit before the first instruction of @task: wake_up_new_task() releases the lock of a run
 * queue that the CPU of @task takes to switch to it. The operations are atomic because other
 * tasks are created at the same time, whose bits are in the same word.
 */
static void tap_follow_newtask TAP_TASK_NEWTASK_PARAMS
{
	unsigned long *followed = data;

	if (tap_followed(followed))
		set_bit(task->pid, followed);
	else if (test_bit(task->pid, followed))
		clear_bit(task->pid, followed);
}

/**
 * tap_follow_prepare() - allocate the bits of a session, all 0, if it has none yet
 * @session: its lock is held
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int tap_follow_prepare(struct tapmod_session *session)
{
	int ret;

	if (session->followed)
		return 0;
	ret = tap_memory_charge(&session->memory, TAP_FOLLOW_BYTES);
	if (ret)
		return ret;
	session->followed = kvzalloc(TAP_FOLLOW_BYTES, GFP_KERNEL_ACCOUNT);
	if (session->followed)
		return 0;
	tap_memory_uncharge(&session->memory, TAP_FOLLOW_BYTES);
	return -ENOMEM;
}

/* Starts to write the bits of new tasks, if that was not done before. */
static int tap_follow_start(struct tapmod_session *session)
{
	struct tracepoint *tp;
	int ret;

	if (session->newtask)
		return 0;
	tp = TAP_NEWTASK_FITS ? tap_tracepoint_find("task_newtask") : NULL;
	if (!tp)
		return -EOPNOTSUPP;
	ret = tracepoint_probe_register(tp, tap_follow_newtask, session->followed);
	if (!ret)
		session->newtask = tp;
	return ret;
}

/*
 * Sets the bits of the threads. A thread is in the list before the tracepoint of its creation,
 * so one that is being created may lose its bit again: TAP_IOC_FOLLOW allows that.
 */
static void tap_follow_threads(unsigned long *followed, const struct task_struct *leader)
{
	const struct task_struct *task;

	rcu_read_lock();
	for_each_thread(leader, task)
		set_bit(task->pid, followed);
	rcu_read_unlock();
}

/**
 * tap_follow() - TAP_IOC_FOLLOW
 * @session: its lock is held
 * @follow: checked copy of the argument
 *
 * Context: process, may sleep.
 * Return: 0 or the UAPI's -errno.
 */
int tap_follow(struct tapmod_session *session, const struct tap_follow *follow)
{
	struct task_struct *leader;
	int ret;

	if (follow->flags || !follow->pid || follow->__reserved)
		return -EINVAL;
	rcu_read_lock();
	leader = pid_task(find_pid_ns(follow->pid, &init_pid_ns), PIDTYPE_TGID);
	if (leader)
		get_task_struct(leader);
	rcu_read_unlock();
	if (!leader)
		return -ESRCH;
	ret = tap_follow_prepare(session) ?: tap_follow_start(session);
	if (!ret)
		tap_follow_threads(session->followed, leader);
	put_task_struct(leader);
	return ret;
}

/**
 * tap_follow_stop() - stop to write the bits
 * @session: no other task uses it
 *
 * The caller waits with tap_sync() for what this adds to @unsynced, and for the events of all
 * probes, before tap_follow_free().
 *
 * Context: process, may sleep.
 */
void tap_follow_stop(struct tapmod_session *session)
{
	if (!session->newtask)
		return;
	tracepoint_probe_unregister(session->newtask, tap_follow_newtask, session->followed);
	session->unsynced |= TAP_TRACEPOINT_SYNC_RCU ? TAP_SYNC_RCU : TAP_SYNC_TRACEPOINT;
}

/**
 * tap_follow_free() - free the bits
 * @session: no event and no new task uses them
 *
 * Context: process, may sleep.
 */
void tap_follow_free(struct tapmod_session *session)
{
	if (!session->followed)
		return;
	kvfree(session->followed);
	tap_memory_uncharge(&session->memory, TAP_FOLLOW_BYTES);
}

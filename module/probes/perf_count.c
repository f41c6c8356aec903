// SPDX-License-Identifier: GPL-2.0
/*
 * count: a perf counter that makes no events, read by TAP_IOC_COUNT.
 *
 * For all CPUs there is one counter on each. It is not pinned, so there may be more
 * counters than the hardware has: perf multiplexes them and reports how long each counted.
 * For a task there is one counter, which the task's children inherit; perf adds them up.
 *
 * A probe that is enabled again continues from its old value.
 */
#include <linux/pid.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "core/session.h"
#include "perf/percpu_counter.h"
#include "probes/probes.h"

/**
 * struct tap_counting - a probe that counts
 * @probe: the common part
 * @set: the counters of the CPUs; for a task only its @attr is used
 * @pid: the task; NULL: all CPUs
 * @counter: the task's counter, while the probe is enabled; NULL if the task had ended
 * @kept: sums of released counters: nr_cpu_ids entries by CPU, or one for a task
 *
 * tap_perf_lock protects @set and, for all CPUs, @kept; the session's lock the rest.
 */
struct tap_counting {
	struct tapmod_probe probe;
	struct tap_perf_set set;
	struct pid *pid;
	struct perf_event *counter;
	struct tap_count *kept;
};

static struct tap_counting *to_tap_counting(const struct tapmod_probe *probe)
{
	return container_of(probe, struct tap_counting, probe);
}

/* Nothing to parse: TAP_IOC_PROBE_INFO reports the target as the counter's name. */
static int tap_counting_parse(struct tapmod_probe *probe, char *target,
			      struct tap_program_env *env)
{
	return 0;
}

static int tap_counting_find_task(struct tap_counting *counting, u32 nr)
{
	if (!nr)
		return 0;
	if (nr > INT_MAX)
		return -ESRCH;
	rcu_read_lock();
	counting->pid = get_pid(find_pid_ns(nr, &init_pid_ns));
	rcu_read_unlock();
	return counting->pid ? 0 : -ESRCH;
}

/* Creates the counter of the task. -ESRCH: the task has ended. */
static int tap_counting_make(struct tap_counting *counting)
{
	struct task_struct *task = get_pid_task(counting->pid, PIDTYPE_PID);
	struct perf_event *counter;

	if (!task)
		return -ESRCH;
	counter = tap_perf_create(&counting->set.attr, -1, task, NULL, NULL);
	put_task_struct(task);
	if (IS_ERR(counter))
		return PTR_ERR(counter) == -ESRCH ?
			       -ESRCH : tap_perf_error(PTR_ERR(counter));
	counting->counter = counter;
	return 0;
}

static void tap_counting_drop(struct tap_counting *counting)
{
	if (!counting->counter)
		return;
	tap_perf_add(counting->kept, counting->counter);
	perf_event_release_kernel(counting->counter);
	counting->counter = NULL;
}

/* Creates the counters and releases them: only this shows whether the PMU has them. */
static int tap_counting_try(struct tap_counting *counting)
{
	int ret;

	if (counting->pid) {
		ret = tap_counting_make(counting);
		tap_counting_drop(counting);
	} else {
		ret = tap_perf_set_arm(&counting->set);
		if (!ret)
			tap_perf_set_disarm(&counting->set);
	}
	return ret;
}

static int tap_counting_attach(struct tapmod_probe *probe,
			       const struct tap_create *create)
{
	struct tap_counting *counting = to_tap_counting(probe);
	struct perf_event_attr attr;
	struct tap_perf perf;
	int ret;

	if (create->flags || create->nr_ops || create->aggregate)
		return -EINVAL;
	ret = tap_perf_copy(&perf, create->perf);
	if (ret)
		return ret;
	if (perf.period || (perf.flags & TAP_PERF_F_ON_EXEC && !create->pid))
		return -EINVAL;
	ret = tap_perf_attr(&attr, &perf);
	if (ret)
		return ret;
	attr.inherit = !!create->pid;
	attr.disabled = attr.enable_on_exec;
	ret = tap_perf_set_init(&counting->set, &attr, NULL, NULL);
	if (ret)
		return ret;
	counting->kept = kcalloc(create->pid ? 1 : nr_cpu_ids,
				 sizeof(*counting->kept), GFP_KERNEL_ACCOUNT);
	if (!counting->kept)
		return -ENOMEM;
	ret = tap_counting_find_task(counting, create->pid);
	if (!ret)
		ret = tap_counting_try(counting);
	if (ret)
		return ret;
	/* Discard what tap_counting_try() counted; for all CPUs @set did not keep it. */
	memset(counting->kept, 0, sizeof(*counting->kept));
	if (!counting->pid)
		counting->set.kept = counting->kept;
	return 0;
}

static int tap_counting_enable(struct tapmod_probe *probe)
{
	struct tap_counting *counting = to_tap_counting(probe);
	int ret;

	if (!counting->pid)
		return tap_perf_set_arm(&counting->set);
	ret = tap_counting_make(counting);
	/* The task has ended, which must not make the enabling of other probes fail. */
	return ret == -ESRCH ? 0 : ret;
}

static void tap_counting_disable(struct tapmod_probe *probe)
{
	struct tap_counting *counting = to_tap_counting(probe);

	if (counting->pid)
		tap_counting_drop(counting);
	else
		tap_perf_set_disarm(&counting->set);
}

static void tap_counting_detach(struct tapmod_probe **probes, unsigned int nr)
{
}

static void tap_counting_free(struct tapmod_probe *probe)
{
	struct tap_counting *counting = to_tap_counting(probe);

	tap_perf_set_free(&counting->set);
	put_pid(counting->pid);
	kfree(counting->kept);
}

const struct tap_probe_ops tap_count_ops = {
	.size		= sizeof(struct tap_counting),
	.feature	= TAP_FEATURE_PERF,
	.perf		= true,
	.task		= true,
	.parse		= tap_counting_parse,
	.attach		= tap_counting_attach,
	.enable		= tap_counting_enable,
	.disable	= tap_counting_disable,
	.detach		= tap_counting_detach,
	.free		= tap_counting_free,
};

/* Sum and state of the task's counter, its children included. */
static struct tap_count tap_counting_task(struct tap_counting *counting)
{
	struct tap_count count = *counting->kept;
	bool there;

	rcu_read_lock();
	there = pid_task(counting->pid, PIDTYPE_PID);
	rcu_read_unlock();
	if (counting->counter) {
		tap_perf_add(&count, counting->counter);
		/*
		 * At exit perf detaches the counter (PERF_EVENT_STATE_EXIT, which is
		 * below ERROR). The pid has its task until the parent reaps it.
		 */
		there &= READ_ONCE(counting->counter->state) >=
			 PERF_EVENT_STATE_ERROR;
	}
	if (!there)
		count.state = TAP_COUNT_ENDED;
	else
		count.state = counting->counter ? TAP_COUNT_ON : TAP_COUNT_OFF;
	return count;
}

/**
 * tap_count_read() - copy the counts of a probe to user space
 * @session: locked
 * @read: a checked copy of the argument of TAP_IOC_COUNT
 *
 * Context: process, may sleep.
 * Return: 0; -ENOENT: no such probe; -ENODATA: the probe is of another type; -EINVAL: too
 *	many counts asked for; -EFAULT; -ENOMEM.
 */
int tap_count_read(struct tapmod_session *session, const struct tap_count_read *read)
{
	struct tapmod_probe *probe = xa_load(&session->probes, read->id);
	struct tap_counting *counting;
	struct tap_count *counts;
	u32 most;
	int ret = 0;

	if (read->__reserved)
		return -EINVAL;
	if (!probe)
		return -ENOENT;
	if (probe->ops != &tap_count_ops)
		return -ENODATA;
	counting = to_tap_counting(probe);
	most = counting->pid ? 1 : nr_cpu_ids;
	if (read->nr_counts > most)
		return -EINVAL;
	counts = kcalloc(most, sizeof(*counts), GFP_KERNEL);
	if (!counts)
		return -ENOMEM;
	if (counting->pid)
		*counts = tap_counting_task(counting);
	else
		tap_perf_set_read(&counting->set, counts);
	if (copy_to_user(u64_to_user_ptr(read->counts), counts,
			 read->nr_counts * sizeof(*counts)))
		ret = -EFAULT;
	kfree(counts);
	return ret;
}

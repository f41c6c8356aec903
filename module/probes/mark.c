// SPDX-License-Identifier: GPL-2.0
/*
 * mark: markers that user space writes with TAP_IOC_MARK, into the rings of all sessions
 * that listen.
 *
 * The command itself is the event, in process context. tap_mark() copies the payload from
 * user space first; then each listener records an event, with preemption off. A session
 * may end while another one writes a mark to it: after list_del_rcu() and
 * synchronize_rcu() no event of its listeners runs.
 */
#include <linux/cleanup.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/ptrace.h>
#include <linux/rculist.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "core/session.h"
#include "exec/handler.h"
#include "probes/probes.h"

/**
 * struct tap_mark_probe - a probe that records marks
 * @probe: the common part
 * @link: in tap_mark_listeners while enabled, if its target is "mark"
 */
struct tap_mark_probe {
	struct tapmod_probe probe;
	struct list_head link;
};

/* Serializes changes of tap_mark_listeners. Taken inside the session's lock. */
static DEFINE_MUTEX(tap_mark_lock);
static LIST_HEAD(tap_mark_listeners);

static struct tap_mark_probe *to_tap_mark(const struct tapmod_probe *probe)
{
	return container_of(probe, struct tap_mark_probe, probe);
}

/* Whether it records marks without a probe id; other targets are for marks by id alone. */
static bool tap_mark_hears_all(const struct tapmod_probe *probe)
{
	return !strcmp(probe->name, "mark");
}

static int tap_mark_parse(struct tapmod_probe *probe, char *target,
			  struct tap_program_env *env)
{
	env->event_size = TAP_MARK_BYTES;
	return 0;
}

static int tap_mark_attach(struct tapmod_probe *probe,
			   const struct tap_create *create)
{
	return 0;
}

static int tap_mark_enable(struct tapmod_probe *probe)
{
	guard(mutex)(&tap_mark_lock);
	if (tap_mark_hears_all(probe))
		list_add_rcu(&to_tap_mark(probe)->link, &tap_mark_listeners);
	return 0;
}

static void tap_mark_disable(struct tapmod_probe *probe)
{
	guard(mutex)(&tap_mark_lock);
	if (tap_mark_hears_all(probe))
		list_del_rcu(&to_tap_mark(probe)->link);
}

static void tap_mark_detach(struct tapmod_probe **probes, unsigned int nr)
{
}

const struct tap_probe_ops tap_mark_ops = {
	.size		= sizeof(struct tap_mark_probe),
	.feature	= TAP_FEATURE_MARK,
	.parse		= tap_mark_parse,
	.attach		= tap_mark_attach,
	.enable		= tap_mark_enable,
	.disable	= tap_mark_disable,
	.sync		= TAP_SYNC_RCU,
	.detach		= tap_mark_detach,
};

/* Events of a probe on this CPU that were written or aggregated. */
static u64 tap_mark_heard(const struct tapmod_probe *probe)
{
	return this_cpu_read(probe->counters->written) +
	       this_cpu_read(probe->counters->aggregated);
}

/*
 * Records the mark; returns 1 if it was written or aggregated. The difference of the
 * counters tells: preemption is off, and no interrupt writes marks, so no other event of
 * this probe runs on this CPU. Registers and stacks are those of the calling program.
 */
static u32 tap_mark_event(struct tapmod_probe *probe, const u64 *data)
{
	u64 before;

	guard(preempt)();
	before = tap_mark_heard(probe);
	tap_event_sample(probe, data, TAP_MARK_BYTES, current_pt_regs(), 0);
	return tap_mark_heard(probe) - before;
}

/**
 * tap_mark() - write a mark to one probe, or to all listeners
 * @session: session of the caller, locked; a probe id is one of its probes
 * @mark: a checked copy of the argument; its @out_heard is set
 *
 * Context: process, may fault.
 * Return: 0; -EINVAL: bad length; -EFAULT: bad payload address; -ENOENT: no such probe;
 *	-ENODATA: the probe is of another type.
 */
int tap_mark(struct tapmod_session *session, struct tap_mark *mark)
{
	struct tap_mark_probe *listener;
	u64 data[TAP_MARK_BYTES / sizeof(u64)] = {};
	struct tapmod_probe *probe = NULL;

	if (!mark->len || mark->len > sizeof(data))
		return -EINVAL;
	if (mark->id) {
		probe = xa_load(&session->probes, mark->id);
		if (!probe)
			return -ENOENT;
		if (probe->ops != &tap_mark_ops)
			return -ENODATA;
	}
	if (copy_from_user(data, u64_to_user_ptr(mark->data), mark->len))
		return -EFAULT;
	mark->out_heard = 0;
	if (probe) {
		if (probe->enabled)
			mark->out_heard = tap_mark_event(probe, data);
		return 0;
	}
	rcu_read_lock();
	list_for_each_entry_rcu(listener, &tap_mark_listeners, link)
		mark->out_heard += tap_mark_event(&listener->probe, data);
	rcu_read_unlock();
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * watchpoint in programs: memory of a process is written, read or executed, by debug registers
 * that perf switches with the tasks.
 *
 * perf has a counter for each thread. A counter is made here for each thread that a process has
 * when it is armed; the tasks that these create inherit theirs, before they run. A process is
 * armed
 *
 *  - when the probe is enabled, if the probe has a pid,
 *  - else when it executes a given instruction: a uprobe at the start of a program or library.
 *
 * A thread that is being created while its process is armed may have no counter: its creator had
 * none yet when perf copied the counters. The tracepoint task_newtask, which comes later, finds it.
 * It cannot make a counter, as it may not sleep: tap_user_watch_look() does, and the thread counts
 * as missed. The same handler adds the memory of a process that fork() makes.
 *
 * On x86 the handler runs after the instruction, with interrupts off: in an NMI-like context with
 * the debug registers off if the kernel accessed the memory, as read() does; else in the context of
 * the program with the debug registers on. There its own reads trap again, and are ignored. The
 * trap of arm64 would come again forever, as for other watchpoints: there is no such probe.
 *
 * A task that executes another program loses its counter, its own or an inherited one, and its
 * memory is another: the new program is armed if it executes the instruction. Before 5.13 the
 * counter stays and takes a debug register; its events are ignored, unless the new program is armed
 * at the same address: then it needs no other counter.
 *
 * What changes the memory by another mapping (another process, ptrace) makes no event.
 */
#include <linux/capability.h>
#include <linux/hw_breakpoint.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>

#include "compat/hooks.h"
#include "compat/perf_context.h"
#include "core/notify.h"
#include "core/session.h"
#include "exec/followed.h"
#include "exec/handler.h"
#include "perf/percpu_counter.h"
#include "probes/probes.h"
#include "probes/uprobe.h"
#include "probes/watch_space.h"
#include "probes/watchpoint.h"

/* Threads without a counter that tap_user_watch_look() finds: more are not armed at all. */
#define TAP_WATCH_LATE	16
/* Threads that a process may get while its threads are listed. */
#define TAP_WATCH_SPARE	16

/**
 * struct tap_watch_counter - the counter of a thread; the tasks that it creates inherit it
 * @link: in @counters of the probe
 * @counter: of perf
 * @task: the thread; a reference, so that the pointer stays unique
 */
struct tap_watch_counter {
	struct list_head link;
	struct perf_event *counter;
	struct task_struct *task;
};

/**
 * struct tap_user_watch - a probe of a place in the memory of processes
 * @uprobe: the common part; the file; with a pid the process; else the uprobe that arms
 * @attr: the counters, but for the address
 * @length: bytes watched: 1, 2, 4 or 8
 * @executed: watched for execution; events have no old and new value
 * @pointer: @address leads to a pointer, and that, with @behind, to the memory
 * @armed: a process was armed since the probe was enabled
 * @running: the probe is enabled: processes may be armed, under @lock
 * @address: with a pid: the address; else its distance from the instruction of the uprobe
 * @behind: see @pointer, in bytes
 * @newtask: the tracepoint task_newtask, while the handler is registered
 * @lock: protects @counters, @running and @reported. Taken inside the session's lock and inside
 *	those of uprobes; perf's locks are taken inside it
 * @counters: the counters that no task has inherited
 * @missed: threads and processes that accessed the memory without events, for some time or
 *	always; tasks of any CPU add to it
 * @reported: how many of @missed a notice has reported
 * @nr_late: number of @late, under the lock of @spaces
 * @late: threads that have no counter; references
 * @spaces: the memory that is watched
 */
struct tap_user_watch {
	struct tap_uprobe uprobe;
	struct perf_event_attr attr;
	unsigned int length;
	bool executed;
	bool pointer;
	bool armed;
	bool running;
	unsigned long address;
	unsigned long behind;
	struct tracepoint *newtask;
	struct mutex lock;	/* see above */
	struct list_head counters;
	atomic_long_t missed;
	long reported;
	unsigned int nr_late;
	struct task_struct *late[TAP_WATCH_LATE];
	struct tap_watch_spaces spaces;
};

/* The handler runs on this CPU: what it reads is no access of the program. */
static DEFINE_PER_CPU(bool, tap_user_watch_reads);

static struct tap_user_watch *to_tap_user_watch(const struct tapmod_probe *probe)
{
	return container_of(probe, struct tap_user_watch, uprobe.probe);
}

/* Interrupts are off. */
static void tap_user_watch_event(struct perf_event *counter,
				 struct perf_sample_data *data, struct pt_regs *regs)
{
	struct tap_user_watch *wp = counter->overflow_handler_context;
	/* The trap comes behind an access: its last byte names the function and the line. */
	struct tap_watch watch = { .ip = instruction_pointer(regs) - !wp->executed };
	struct tap_watch_space *space;

	if (__this_cpu_read(tap_user_watch_reads))
		return;
	space = tap_watch_space_find(&wp->spaces, current->mm);
	/* Another address: the counter is left from the program that was there before. */
	if (!space || counter->attr.bp_addr != space->address)
		return;
	__this_cpu_write(tap_user_watch_reads, true);
	if (!wp->executed)
		tap_watch_exchange(&space->last, space->address, wp->length, true, &watch);
	tap_event_sample(&wp->uprobe.probe, &watch, sizeof(watch), regs,
			 tap_kprobe_trap_count());
	__this_cpu_write(tap_user_watch_reads, false);
}
NOKPROBE_SYMBOL(tap_user_watch_event);

/* ----------------------------------------------------------------- the threads */

static bool tap_user_watch_has(const struct tap_user_watch *wp, const struct task_struct *task)
{
	const struct tap_watch_counter *c;

	list_for_each_entry(c, &wp->counters, link)
		if (c->task == task)
			return true;
	return false;
}

/* Makes the counter of a thread. Returns 0, also if the thread has ended; or -errno. */
static int tap_user_watch_thread(struct tap_user_watch *wp, struct task_struct *task,
				 unsigned long address)
{
	struct perf_event_attr attr = wp->attr;
	struct tap_watch_counter *c;
	int ret;

	/* @counters does not have inherited ones, and has those that an execve() has removed. */
	if (tap_perf_has(task, wp, address))
		return 0;
	c = kmalloc(sizeof(*c), GFP_KERNEL_ACCOUNT);
	if (!c)
		return -ENOMEM;
	attr.bp_addr = address;
	c->counter = tap_perf_create(&attr, -1, task, tap_user_watch_event, wp);
	if (IS_ERR(c->counter)) {
		ret = PTR_ERR(c->counter);
		kfree(c);
		return ret == -ESRCH ? 0 : ret;
	}
	c->task = get_task_struct(task);
	list_add(&c->link, &wp->counters);
	return 0;
}

static void tap_user_watch_drop(struct tap_watch_counter *c)
{
	list_del(&c->link);
	perf_event_release_kernel(c->counter);
	put_task_struct(c->task);
	kfree(c);
}

/*
 * Releases counters of threads that have ended or execute another program, unless a task has
 * inherited them.
 */
static void tap_user_watch_drop_ended(struct tap_user_watch *wp)
{
	struct tap_watch_counter *c, *next;
	bool inherited;

	list_for_each_entry_safe(c, next, &wp->counters, link) {
		if (READ_ONCE(c->counter->state) >= PERF_EVENT_STATE_ERROR)
			continue;
		mutex_lock(&c->counter->child_mutex);
		inherited = !list_empty(&c->counter->child_list);
		mutex_unlock(&c->counter->child_mutex);
		if (!inherited)
			tap_user_watch_drop(c);
	}
}

/*
 * Lists the threads of a process: sets @list to an array of references, NULL at its end. All
 * threads that are not in it pass the tracepoint of their creation later.
 */
static int tap_user_watch_list(struct task_struct *member, struct task_struct ***list)
{
	unsigned int room = 0, nr;
	struct task_struct *task;

	do {
		rcu_read_lock();
		for_each_thread(member, task)
			room++;
		rcu_read_unlock();
		room += TAP_WATCH_SPARE;
		*list = kvcalloc(room + 1, sizeof(**list), GFP_KERNEL_ACCOUNT);
		if (!*list)
			return -ENOMEM;
		nr = 0;
		rcu_read_lock();
		for_each_thread(member, task) {
			if (nr < room)
				(*list)[nr] = get_task_struct(task);
			nr++;
		}
		rcu_read_unlock();
		if (nr <= room)
			return 0;
		while (room)
			put_task_struct((*list)[--room]);
		kvfree(*list);
		room = nr;
	} while (true);
}

/*
 * Makes the counters of the threads of a process. Returns 0 if one at least has one; what the
 * others do is missed.
 */
static int tap_user_watch_threads(struct tap_user_watch *wp, struct task_struct *member,
				  unsigned long address)
{
	struct task_struct **list;
	unsigned int i, failed = 0;
	int ret, error = 0;

	ret = tap_user_watch_list(member, &list);
	if (ret)
		return ret;
	for (i = 0; list[i]; i++) {
		ret = tap_user_watch_thread(wp, list[i], address);
		put_task_struct(list[i]);
		if (!ret)
			continue;
		failed++;
		error = ret;
	}
	kvfree(list);
	if (i && failed == i)
		return error;
	atomic_long_add(failed, &wp->missed);
	return 0;
}

/*
 * Arms a process; its memory was not in @spaces. Returns 0; -ESRCH: it has ended; -EFAULT: it
 * has no such memory; -EADDRNOTAVAIL, -ENOSPC or another error of perf; -ENFILE: too many
 * processes.
 */
static int tap_user_watch_arm(struct tap_user_watch *wp, struct task_struct *member,
			      unsigned long address)
{
	struct mm_struct *mm;
	u64 last = 0;
	int ret;

	lockdep_assert_held(&wp->lock);
	if (wp->pointer) {
		if (access_process_vm(member, address, &address, sizeof(address), 0) !=
		    sizeof(address))
			return -EFAULT;
		address += wp->behind;
	}
	if (address >= TASK_SIZE_MAX)
		return -EADDRNOTAVAIL;
	if (access_process_vm(member, address, &last, wp->length, 0) != wp->length)
		return -EFAULT;
	mm = get_task_mm(member);
	if (!mm)
		return -ESRCH;
	ret = -ENFILE;
	if (tap_watch_space_add(&wp->spaces, mm, address, wp->executed ? 0 : last))
		ret = tap_user_watch_threads(wp, member, address);
	mmput(mm);
	/* The other arguments were checked, so -EINVAL is about the address. */
	if (ret == -EINVAL)
		ret = -EADDRNOTAVAIL;
	if (!ret)
		WRITE_ONCE(wp->armed, true);
	return ret;
}

/* ------------------------------------------------------------ new tasks and programs */

/*
 * Runs in the task that creates @task, which has not run yet. The scheduler's locks order the
 * entry of its memory before its first instruction.
 */
static void tap_user_watch_newtask TAP_TASK_NEWTASK_PARAMS
{
	struct tap_user_watch *wp = data;
	struct tap_watch_space *space = tap_watch_space_find(&wp->spaces, current->mm);
	bool late = false;

	if (!space || !task->mm)
		return;
	if (task->mm != current->mm) {
		/* With a pid, other processes are not wanted. */
		if (wp->uprobe.pid)
			return;
		/*
		 * Its memory is a copy. Not exact: another thread may have written since fork()
		 * copied it; then the first event of the copy has that value as its old one.
		 */
		if (!tap_perf_has(task, wp, space->address) ||
		    !tap_watch_space_add(&wp->spaces, task->mm, space->address,
					 READ_ONCE(space->last)))
			atomic_long_inc(&wp->missed);
		return;
	}
	if (tap_perf_has(task, wp, space->address))
		return;
	raw_spin_lock(&wp->spaces.lock);
	if (wp->nr_late < TAP_WATCH_LATE) {
		wp->late[wp->nr_late++] = get_task_struct(task);
		late = true;
	}
	raw_spin_unlock(&wp->spaces.lock);
	if (!late)
		atomic_long_inc(&wp->missed);
}

/* Takes a thread without a counter; NULL: there is none. */
static struct task_struct *tap_user_watch_take(struct tap_user_watch *wp)
{
	struct task_struct *task = NULL;

	raw_spin_lock(&wp->spaces.lock);
	if (wp->nr_late)
		task = wp->late[--wp->nr_late];
	raw_spin_unlock(&wp->spaces.lock);
	return task;
}

/* Arms the threads that have no counter, or with @drop only counts them. */
static void tap_user_watch_late(struct tap_user_watch *wp, bool drop)
{
	struct tap_watch_space *space;
	struct task_struct *task;
	struct mm_struct *mm;

	while ((task = tap_user_watch_take(wp))) {
		/* It may have been listed after all, when its process was armed. */
		if (!tap_user_watch_has(wp, task)) {
			atomic_long_inc(&wp->missed);
			mm = drop ? NULL : get_task_mm(task);
			space = tap_watch_space_find(&wp->spaces, mm);
			if (space)
				tap_user_watch_thread(wp, task, space->address);
			if (mm)
				mmput(mm);
		}
		put_task_struct(task);
	}
}

/* A process is where it is to be armed. Sleeps; only the thread that is here waits. */
static int tap_user_watch_start TAP_UPROBE_PARAMS
{
	struct tap_user_watch *wp = container_of(uc, struct tap_user_watch, uprobe.uc);
	const unsigned long *followed = wp->uprobe.probe.followed;
	int ret = 0;

	if (followed && !tap_followed(followed))
		return 0;
	mutex_lock(&wp->lock);
	if (wp->running && !tap_watch_space_find(&wp->spaces, current->mm)) {
		/*
		 * The counter of the program that this task has left takes a debug register until
		 * it is released. Late threads first, as in tap_user_watch_look().
		 */
		tap_user_watch_late(wp, false);
		tap_user_watch_drop_ended(wp);
		ret = tap_user_watch_arm(wp, current, instruction_pointer(regs) + wp->address);
	}
	mutex_unlock(&wp->lock);
	if (ret)
		atomic_long_inc(&wp->missed);
	return 0;
}

/* ->look(): what the handlers left to be done. */
static void tap_user_watch_look(struct tapmod_probe *probe)
{
	struct tap_user_watch *wp = to_tap_user_watch(probe);
	struct tapmod_change change = { .what = TAP_NOTICE_UNWATCHED };
	long missed;

	mutex_lock(&wp->lock);
	tap_user_watch_late(wp, false);
	tap_user_watch_drop_ended(wp);
	tap_watch_spaces_clean(&wp->spaces, false);
	missed = atomic_long_read(&wp->missed);
	change.count = missed - wp->reported;
	wp->reported = missed;
	mutex_unlock(&wp->lock);
	change.since = tap_clock_read(probe->clock);
	if (change.count)
		tap_notice(probe->session, probe, &change);
}

/* ---------------------------------------------------------------------- the probe */

static int tap_user_watch_parse(struct tapmod_probe *probe, char *target,
				struct tap_program_env *env)
{
	struct tap_user_watch *wp = to_tap_user_watch(probe);

	mutex_init(&wp->lock);
	raw_spin_lock_init(&wp->spaces.lock);
	INIT_LIST_HEAD(&wp->counters);
	env->event_size = sizeof(struct tap_watch);
	return 0;
}

static int tap_user_watch_attach(struct tapmod_probe *probe, const struct tap_create *create)
{
	struct tap_user_watch *wp = to_tap_user_watch(probe);
	struct tap_perf perf;
	int ret;

	ret = tap_perf_copy(&perf, create->perf);
	if (ret)
		return ret;
	if (perf.flags == TAP_PERF_F_POINTER) {
		wp->pointer = true;
		wp->behind = perf.period;
		perf.flags = 0;
		perf.period = 0;
	}
	ret = tap_watch_attr(&wp->attr, &perf);
	if (ret)
		return ret;
	if (create->pid && create->offset)
		return -EINVAL;
	wp->attr.inherit = 1;
	tap_perf_drop_on_exec(&wp->attr);
	wp->address = perf.config1;
	wp->length = perf.config2;
	wp->executed = wp->attr.bp_type == HW_BREAKPOINT_X;
	wp->uprobe.uc.handler = tap_user_watch_start;
	return tap_uprobe_attach(probe, create);
}

static int tap_user_watch_hook(struct tap_user_watch *wp)
{
	struct tracepoint *tp = TAP_NEWTASK_FITS ? tap_tracepoint_find("task_newtask") : NULL;
	int ret;

	if (!tp)
		return -EOPNOTSUPP;
	ret = tracepoint_probe_register(tp, tap_user_watch_newtask, wp);
	if (!ret)
		wp->newtask = tp;
	return ret;
}

/* Stops all that arms or records. Handlers may still run until the caller has waited for them. */
static void tap_user_watch_stop(struct tap_user_watch *wp)
{
	struct tap_watch_counter *c, *next;

	if (wp->newtask)
		tracepoint_probe_unregister(wp->newtask, tap_user_watch_newtask, wp);
	wp->newtask = NULL;
	mutex_lock(&wp->lock);
	wp->running = false;
	/* Before the counters are dropped: they say which threads had one. */
	tap_user_watch_late(wp, true);
	list_for_each_entry_safe(c, next, &wp->counters, link)
		tap_user_watch_drop(c);
	mutex_unlock(&wp->lock);
}

/* A thread of the process that has its memory, with a reference; NULL: the process has ended. */
static struct task_struct *tap_user_watch_find(const struct tap_user_watch *wp)
{
	struct task_struct *leader, *task, *found = NULL;

	rcu_read_lock();
	leader = pid_task(wp->uprobe.pid, PIDTYPE_TGID);
	if (leader) {
		/* The leader may have ended while other threads run. */
		for_each_thread(leader, task) {
			if (READ_ONCE(task->mm)) {
				found = get_task_struct(task);
				break;
			}
		}
	}
	rcu_read_unlock();
	return found;
}

static int tap_user_watch_process(struct tap_user_watch *wp)
{
	struct task_struct *task = tap_user_watch_find(wp);
	int ret;

	if (!task)
		return -ESRCH;
	mutex_lock(&wp->lock);
	ret = tap_user_watch_arm(wp, task, wp->address);
	mutex_unlock(&wp->lock);
	put_task_struct(task);
	return ret;
}

static int tap_user_watch_enable(struct tapmod_probe *probe)
{
	struct tap_user_watch *wp = to_tap_user_watch(probe);
	int ret;

	/* Of the last time. */
	tap_user_watch_late(wp, true);
	tap_watch_spaces_clean(&wp->spaces, true);
	wp->armed = false;
	mutex_lock(&wp->lock);
	wp->running = true;
	mutex_unlock(&wp->lock);
	/* First: it finds the threads that are created while others are armed. */
	ret = tap_user_watch_hook(wp);
	if (!ret)
		ret = wp->uprobe.pid ? tap_user_watch_process(wp) :
				       tap_uprobe_add(&wp->uprobe, &wp->uprobe.uc);
	if (ret)
		tap_user_watch_stop(wp);
	return ret;
}

static void tap_user_watch_disable(struct tapmod_probe *probe)
{
	struct tap_user_watch *wp = to_tap_user_watch(probe);

	/* Not under the lock, which the handler of the uprobe takes. */
	if (!wp->uprobe.pid)
		tap_uprobe_remove(&wp->uprobe, &wp->uprobe.uc);
	tap_user_watch_stop(wp);
}

/* ->free(): perhaps nothing was parsed. */
static void tap_user_watch_free(struct tapmod_probe *probe)
{
	struct tap_user_watch *wp = to_tap_user_watch(probe);

	if (wp->counters.next) {
		tap_user_watch_late(wp, true);
		tap_watch_spaces_clean(&wp->spaces, true);
	}
	tap_uprobe_free(probe);
}

static u32 tap_user_watch_state(const struct tapmod_probe *probe)
{
	return READ_ONCE(to_tap_user_watch(probe)->armed) ? TAP_STATE_ENABLED :
							     TAP_STATE_WAITING;
}

static void tap_user_watch_missed(const struct tapmod_probe *probe, struct tap_stats *stats)
{
	stats->out_nmissed = atomic_long_read(&to_tap_user_watch(probe)->missed);
}

const struct tap_probe_ops tap_user_watch_ops = {
	.size		= sizeof(struct tap_user_watch),
	.feature	= TAP_FEATURE_WATCHPOINT,
	.file		= true,
	.perf		= true,
	.parse		= tap_user_watch_parse,
	.attach		= tap_user_watch_attach,
	.enable		= tap_user_watch_enable,
	.disable	= tap_user_watch_disable,
	.sync		= TAP_SYNC_RCU | TAP_SYNC_TRACEPOINT | TAP_SYNC_UPROBE,
	.detach		= tap_uprobe_detach,
	.free		= tap_user_watch_free,
	.state		= tap_user_watch_state,
	.look		= tap_user_watch_look,
	.missed		= tap_user_watch_missed,
};

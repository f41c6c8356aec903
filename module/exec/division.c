// SPDX-License-Identifier: GPL-2.0
/*
 * Divides the time of tasks: what the hooks of the scheduler and of interrupts add up, and what
 * calls and spans take of it. The rules of handler.h hold, and those of division.h.
 */
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/rtmutex.h>
#include <linux/rwsem.h>

#include "compat/comm.h"
#include "compat/hooks.h"
#include "exec/division_run.h"
#include "exec/nofault.h"
#include "exec/record_write.h"
#include "exec/stacktrace.h"

/**
 * tap_division_begin() - start of a span
 * @tasks: see tap_division_start()
 * @start: see tap_division_start()
 * @level: see tap_division_start()
 * @now: see tap_division_start()
 *
 * Context: any, interrupts off. In an NMI the duration is not divided.
 * Return: raw time of the event.
 */
u64 tap_division_begin(struct tapmod_tasks *tasks, struct tap_division_start *start,
		       unsigned int level, u64 now)
{
	now = tap_division_start(tasks, start, tasks->clock, level, now);
	if (start->task)
		start->serial = start->task->serial;
	return now;
}
NOKPROBE_SYMBOL(tap_division_begin);

/* Sets the longest of the waits from @first on. */
static void tap_divided_longest(const struct tap_divided_task *task, u64 first,
				struct tap_divided_time *time)
{
	int wait = tap_longest_since(&task->longest, first);
	int lock = tap_longest_since(&task->longest_locks, first);

	time->wait = wait < 0 ? NULL : &task->wait[wait];
	time->wait_ticks = wait < 0 ? 0 : task->longest.wait[wait].ticks;
	time->lock = lock < 0 ? NULL : &task->lock_wait[lock];
	time->lock_ticks = lock < 0 ? 0 : task->longest_locks.wait[lock].ticks;
}
NOKPROBE_SYMBOL(tap_divided_longest);

/*
 * Whether none of the waits of a duration is known: the lists have what the calls in progress need,
 * and a span may last longer than the call in which it began.
 */
static bool tap_divided_forgot(const struct tap_divided_time *time)
{
	return (!time->wait && (time->part[TAP_PART_SLEEP] || time->part[TAP_PART_IO])) ||
	       (!time->lock && time->part[TAP_PART_LOCK]);
}
NOKPROBE_SYMBOL(tap_divided_forgot);

/**
 * tap_division_end() - the return of a call, or the end of a span
 * @tasks: see tap_division_start()
 * @start: as tap_division_start() filled it in; @part becomes that of the duration
 * @call: it is a call: no call that began after it is under way
 * @now: raw time of the end, since which interrupts are off; 0: it is read
 * @time: filled in; the waits of it are valid as long as interrupts are off
 *
 * Context: any but NMI, interrupts off.
 * Return: false if the duration is not divided.
 */
bool tap_division_end(const struct tapmod_tasks *tasks, struct tap_division_start *start,
		      bool call, u64 now, struct tap_divided_time *time)
{
	struct tap_divided_task *task = start->task;

	if (unlikely(!task || this_cpu_read(tasks->cpu->running) != task))
		return false;
	/* A span may end in another task. */
	if (!call && unlikely(start->serial != task->serial))
		return false;
	time->now = now ?: tap_clock_read(tasks->clock);
	tap_divided_charge(tasks, task, time->now);
	tap_divided_take(task, start);
	time->part = start->part;
	time->running = task->now;
	tap_divided_longest(task, start->outer ? 0 : start->waits, time);
	if (!call && unlikely(tap_divided_forgot(time)))
		this_cpu_inc(tasks->cpu->no_wait);
	if (!--task->open)
		this_cpu_write(tasks->cpu->running, NULL);
	if (call && !start->outer) {
		task->inner = start->inner;
		tap_longest_prune(&task->longest, task->inner);
		tap_longest_prune(&task->longest_locks, task->inner);
	}
	return true;
}
NOKPROBE_SYMBOL(tap_division_end);

/**
 * tap_divided_value() - %TAP_VAR_DIVISION
 * @time: how the duration divides
 * @lasted: the duration in ticks
 * @probe: for the clock's rate
 * @what: enum tap_divided
 *
 * Context: any, interrupts off.
 * Return: the value.
 */
u64 tap_divided_value(const struct tap_divided_time *time, u64 lasted,
		      const struct tapmod_probe *probe, u64 what)
{
	const struct tap_lock_wait *lock = time->lock;
	const struct tap_wait *wait = time->wait;
	u64 ticks = lasted;
	unsigned int i;

	if (what <= TAP_DIVIDED_WAIT) {
		if (what < TAP_DIVIDED_UNACCOUNTED)
			ticks = time->part[what];
		else if (what == TAP_DIVIDED_WAIT)
			ticks = time->wait_ticks;
		else
			/* The clocks of CPUs may differ: then the parts may have more than it. */
			for (i = 0; i < TAP_NR_PARTS; i++)
				ticks -= min(ticks, time->part[i]);
		return mul_u64_u32_shr(ticks, probe->ns_mult, probe->ns_shift);
	}
	switch (what) {
	case TAP_DIVIDED_WAIT_PART:
		return wait ? wait->part : 0;
	case TAP_DIVIDED_WAKER_TID:
		return wait ? wait->waker_tid : 0;
	case TAP_DIVIDED_WAKER_TGID:
		return wait ? wait->waker_tgid : 0;
	case TAP_DIVIDED_HOLDER_TID:
		return lock ? lock->holder_tid : 0;
	case TAP_DIVIDED_WAKER_COMM:
	case TAP_DIVIDED_WAKER_COMM + 1:
		return wait ? wait->waker_comm[what - TAP_DIVIDED_WAKER_COMM] : 0;
	default:
		return lock ? lock->holder_comm[what - TAP_DIVIDED_HOLDER_COMM] : 0;
	}
}
NOKPROBE_SYMBOL(tap_divided_value);

/* Makes the output of %TAP_OP_DIVISION. Context: any, interrupts off. */
void tap_divided_fill(const struct tap_divided_time *time, struct tap_division *to)
{
	const struct tap_lock_wait *lock = time->lock;
	const struct tap_wait *wait = time->wait;
	unsigned int i;

	for (i = 0; i < TAP_NR_PARTS; i++)
		to->part[i] = time->part[i];
	to->wait = time->wait_ticks;
	to->lock_wait = time->lock_ticks;
	to->wait_part = wait ? wait->part : 0;
	to->lock_kind = lock ? lock->kind : 0;
	to->waker_tid = wait ? wait->waker_tid : 0;
	to->waker_tgid = wait ? wait->waker_tgid : 0;
	to->holder_tid = lock ? lock->holder_tid : 0;
	for (i = 0; i < TASK_COMM_LEN / sizeof(u64); i++) {
		((u64 *)to->waker_comm)[i] = wait ? wait->waker_comm[i] : 0;
		((u64 *)to->holder_comm)[i] = lock ? lock->holder_comm[i] : 0;
	}
}
NOKPROBE_SYMBOL(tap_divided_fill);

/* Stores the stack of the caller's caller, as an output of TAP_OP_KSTACK. */
static void tap_wait_walk(const struct tapmod_tasks *tasks, u64 *words)
{
	struct tap_cursor to = { .next = words + 1, .end = words + 1 + TAP_WAIT_FRAMES };
	struct tap_stack stack = tap_stack_kernel(&to, TAP_WAIT_FRAMES, TAP_STACK_HERE, NULL,
						  tasks->tp_iters);

	words[0] = stack.nr * sizeof(u64) | (stack.more ? TAP_TEXT_TRUNCATED : 0) |
		   (stack.absent ? TAP_TEXT_ABSENT : 0);
}
NOKPROBE_SYMBOL(tap_wait_walk);

/* Names a task whose memory may be freed meanwhile: 0 if it cannot be read. */
static u32 tap_wait_name(const struct task_struct *task, u64 *comm)
{
	u32 tid;

	if (!tap_kernel_read(&tid, (u64)&task->pid, sizeof(tid)) ||
	    !tap_kernel_read(comm, (u64)&task->comm, TASK_COMM_LEN))
		return 0;
	/* What another task writes at the same time is not read as a longer name. */
	((char *)comm)[TASK_COMM_LEN - 1] = 0;
	return tid;
}
NOKPROBE_SYMBOL(tap_wait_name);

/* Who has the lock for which a task begins to wait. */
static void tap_lock_holder(u64 lock, u32 flags, struct tap_lock_wait *wait)
{
	u64 owner = 0, at = tap_lock_owner_at(lock, flags);

	if (!at || !tap_kernel_read(&owner, at, sizeof(owner)))
		return;
	/* A reader of a semaphore leaves only a mark there. */
	if (tap_lock_has_reader(flags, owner))
		wait->holder_tid = TAP_HOLDER_READER;
	else if (owner & ~TAP_LOCK_OWNER_BITS)
		wait->holder_tid = tap_wait_name((void *)(owner & ~TAP_LOCK_OWNER_BITS),
						 wait->holder_comm);
}
NOKPROBE_SYMBOL(tap_lock_holder);

/* Begins the wait of the current task for @task->lock. */
static void tap_lock_wait_begin(struct tap_divided_task *task, u32 flags)
{
	unsigned int place = tap_longest_begin(&task->longest_locks, task->waits++);
	struct tap_lock_wait *wait = &task->lock_wait[place];

	wait->before = task->part[TAP_PART_LOCK];
	wait->kind = tap_lock_kind(flags);
	wait->holder_tid = 0;
	wait->holder_comm[0] = 0;
	wait->holder_comm[1] = 0;
	tap_lock_holder(task->lock, flags, wait);
}
NOKPROBE_SYMBOL(tap_lock_wait_begin);

/* Ends it: it is stored if it is the longest of the innermost call so far. */
static void tap_lock_wait_end(const struct tapmod_tasks *tasks, struct tap_divided_task *task)
{
	unsigned int place = task->longest_locks.order[TAP_WAITING];
	struct tap_lock_wait *wait = &task->lock_wait[place];

	/* See tap_lock_kind(): who waits for a spinlock does not sleep. */
	if (wait->kind == TAP_LOCK_SEMAPHORE &&
	    task->waits == task->longest_locks.wait[place].index + 1)
		wait->kind = TAP_LOCK_SPINLOCK;
	if (tap_longest_end(&task->longest_locks, task->part[TAP_PART_LOCK] - wait->before,
			    task->inner) == -2)
		this_cpu_inc(tasks->cpu->no_wait);
}
NOKPROBE_SYMBOL(tap_lock_wait_end);

/* Begins the wait of a task that is switched out. */
static __always_inline void
tap_wait_begin(const struct tapmod_tasks *tasks, struct tap_divided_task *task,
	       enum tap_task_part part, u64 now)
{
	struct tap_wait *wait = &task->wait[tap_longest_begin(&task->longest, task->waits++)];

	wait->began = now;
	wait->part = part;
	tap_wait_walk(tasks, wait->stack);
}

/* Ends a wait: it is stored if it is the longest of the innermost call so far. */
static noinline void
tap_wait_end(const struct tapmod_tasks *tasks, struct tap_divided_task *task, u64 now, bool waker)
{
	struct tap_wait *wait = &task->wait[task->longest.order[TAP_WAITING]];
	int place = tap_longest_end(&task->longest, tap_call_lasted(now, wait->began), task->inner);

	if (place == -2)
		this_cpu_inc(tasks->cpu->no_wait);
	if (place < 0)
		return;
	wait->waker_tid = 0;
	wait->waker_tgid = 0;
	wait->waker_comm[0] = 0;
	wait->waker_comm[1] = 0;
	wait->waker_stack[0] = 0;
	if (waker) {
		wait->waker_tid = current->pid;
		wait->waker_tgid = current->tgid;
		wait->waker_comm[0] = tap_comm_word(0);
		wait->waker_comm[1] = tap_comm_word(1);
		tap_wait_walk(tasks, wait->waker_stack);
	}
}
NOKPROBE_SYMBOL(tap_wait_end);

/* The part of a task that is switched out. */
static __always_inline enum tap_task_part
tap_divided_waits(const struct tap_divided_task *task, bool preempt,
		  const struct task_struct *prev)
{
	unsigned int state = tap_task_state(prev);

	/*
	 * A task that did not sleep, because it has a signal or was woken meanwhile, is running
	 * or waking. That a preempted task may be about to sleep does not matter.
	 */
	if (preempt || !state || state & TASK_WAKING)
		return TAP_PART_PREEMPTED;
	if ((task->lock && !task->soft) || state & TAP_TASK_RTLOCK_WAIT)
		return TAP_PART_LOCK;
	return prev->in_iowait ? TAP_PART_IO : TAP_PART_SLEEP;
}

/* The task that runs here is switched out. */
static __always_inline void
tap_divided_out(const struct tapmod_tasks *tasks, struct tap_divided_task *task, bool preempt,
		const struct task_struct *prev)
{
	u64 now = tap_clock_read(tasks->clock);

	tap_divided_charge(tasks, task, now);
	task->now = tap_divided_waits(task, preempt, prev);
	if (task->now != TAP_PART_PREEMPTED)
		tap_wait_begin(tasks, task, task->now, now);
	/* Pairs with the load-acquire in tap_division_wake(). */
	smp_store_release(&task->state, task->now == TAP_PART_PREEMPTED ? TAP_RUNNABLE : TAP_WAITS);
}

/* A task is switched in, if it has a place and something is open. */
static noinline void
tap_divided_in(const struct tapmod_tasks *tasks, const struct task_struct *next)
{
	int place = tap_task_find_of(&tasks->table, next);
	struct tap_divided_task *task;
	u64 now;

	if (place < 0)
		return;
	task = &tasks->divided[place];
	if (!task->open)
		return;
	now = tap_clock_read(tasks->clock);
	if (likely(task->state != TAP_ON_CPU)) {
		tap_divided_charge(tasks, task, now);
		/* A CPU that is no longer online woke it: there the kernel has no tracepoints. */
		if (unlikely(task->state == TAP_WAITS))
			tap_wait_end(tasks, task, now, false);
	} else {
		this_cpu_inc(tasks->cpu->unexpected);
		task->since = now;
	}
	WRITE_ONCE(task->state, TAP_ON_CPU);
	task->now = tap_divided_running(task);
	this_cpu_write(tasks->cpu->running, task);
}
NOKPROBE_SYMBOL(tap_divided_in);

/* A task whose time is divided is switched out. */
static noinline void
tap_divided_switch(const struct tapmod_tasks *tasks, bool preempt, const struct task_struct *prev,
		   const struct task_struct *next)
{
	struct tap_divided_task *task = this_cpu_read(tasks->cpu->running);

	this_cpu_write(tasks->cpu->running, NULL);
	tap_divided_out(tasks, task, preempt, prev);
	if (tap_tasks_seen(tasks, next))
		tap_divided_in(tasks, next);
}
NOKPROBE_SYMBOL(tap_divided_switch);

/**
 * tap_division_switch() - sched_switch
 * @tasks: table of the session, with divisions
 * @preempt: as the tracepoint has it
 * @prev: the current task, which is switched out
 * @next: the next one
 *
 * Context: interrupts off, under the lock of the CPU's run queue.
 */
void tap_division_switch(const struct tapmod_tasks *tasks, bool preempt,
			 const struct task_struct *prev, const struct task_struct *next)
{
	/* Its only calls are its last instructions, so it saves no registers. */
	if (unlikely(this_cpu_read(tasks->cpu->running)))
		tap_divided_switch(tasks, preempt, prev, next);
	else if (unlikely(tap_tasks_seen(tasks, next)))
		tap_divided_in(tasks, next);
}
NOKPROBE_SYMBOL(tap_division_switch);

static noinline void
tap_divided_wake(const struct tapmod_tasks *tasks, const struct task_struct *woken, bool waker)
{
	int place = tap_task_find_of(&tasks->table, woken);
	struct tap_divided_task *task;
	u64 now;

	if (place < 0)
		return;
	task = &tasks->divided[place];
	/* Pairs with the store-release in tap_divided_out(): the task is this hook's. */
	if (smp_load_acquire(&task->state) != TAP_WAITS || !task->open)
		return;
	now = tap_clock_read(tasks->clock);
	tap_divided_charge(tasks, task, now);
	task->now = TAP_PART_PREEMPTED;
	tap_wait_end(tasks, task, now, waker);
	WRITE_ONCE(task->state, TAP_RUNNABLE);
}
NOKPROBE_SYMBOL(tap_divided_wake);

/**
 * tap_division_wake() - sched_waking and sched_wakeup
 * @tasks: table of the session, with divisions
 * @task: the task that is woken
 * @waker: the current code wakes it (sched_waking). sched_wakeup, which may run elsewhere, ends the
 *	wait of a task that was woken before it was switched out
 *
 * Context: interrupts off, under a lock of the scheduler.
 */
void tap_division_wake(const struct tapmod_tasks *tasks, const struct task_struct *task,
		       bool waker)
{
	if (unlikely(tap_tasks_seen(tasks, task)))
		tap_divided_wake(tasks, task, waker);
}
NOKPROBE_SYMBOL(tap_division_wake);

static noinline void
tap_divided_irq(const struct tapmod_tasks *tasks, struct tap_divided_task *task, bool hard,
		bool enter)
{
	u16 *depth = hard ? &task->hard : &task->soft;

	tap_divided_charge(tasks, task, tap_clock_read(tasks->clock));
	/* It may have begun before the time was accounted. */
	if (enter || *depth)
		*depth += enter ? 1 : -1;
	task->now = tap_divided_running(task);
}
NOKPROBE_SYMBOL(tap_divided_irq);

/**
 * tap_division_irq() - a handler of an interrupt, or a softirq, begins or ends
 * @tasks: table of the session, with divisions
 * @hard: an interrupt; else a softirq
 * @enter: it begins
 *
 * Context: any but NMI, preemption off.
 */
void tap_division_irq(const struct tapmod_tasks *tasks, bool hard, bool enter)
{
	struct tap_divided_task *task;
	unsigned long flags;

	if (likely(!this_cpu_read(tasks->cpu->running)))
		return;
	raw_local_irq_save(flags);
	task = this_cpu_read(tasks->cpu->running);
	if (task)
		tap_divided_irq(tasks, task, hard, enter);
	raw_local_irq_restore(flags);
}
NOKPROBE_SYMBOL(tap_division_irq);

/**
 * tap_division_lock() - contention_begin: the current code waits for a lock
 * @tasks: table of the session, with divisions
 * @lock: its address
 * @flags: LCB_F_*
 *
 * What interrupts and softirqs on top of a task wait for is in their time. A lock inside of
 * another wait, such as that of the list of waiters, changes nothing. Of a mutex the event comes
 * again when the task goes on to spin, or to sleep.
 *
 * Context: any, preemption off.
 */
void tap_division_lock(const struct tapmod_tasks *tasks, u64 lock, u32 flags)
{
	struct tap_divided_task *task;
	unsigned long irq;

	if (likely(!this_cpu_read(tasks->cpu->running)) || tap_tasks_level(0) == 3)
		return;
	raw_local_irq_save(irq);
	task = this_cpu_read(tasks->cpu->running);
	if (task && !task->hard && !task->soft) {
		if (!task->lock) {
			tap_divided_charge(tasks, task, tap_clock_read(tasks->clock));
			task->lock = lock;
			task->now = TAP_PART_LOCK;
			tap_lock_wait_begin(task, flags);
		}
	}
	raw_local_irq_restore(irq);
}
NOKPROBE_SYMBOL(tap_division_lock);

/* contention_end: see tap_division_lock(). */
void tap_division_unlock(const struct tapmod_tasks *tasks, u64 lock)
{
	struct tap_divided_task *task;
	unsigned long irq;

	if (likely(!this_cpu_read(tasks->cpu->running)) || tap_tasks_level(0) == 3)
		return;
	raw_local_irq_save(irq);
	task = this_cpu_read(tasks->cpu->running);
	if (task && !task->hard && !task->soft && task->lock == lock) {
		tap_divided_charge(tasks, task, tap_clock_read(tasks->clock));
		tap_lock_wait_end(tasks, task);
		task->lock = 0;
		task->now = TAP_PART_RUN;
	}
	raw_local_irq_restore(irq);
}
NOKPROBE_SYMBOL(tap_division_unlock);

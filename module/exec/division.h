/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the time of calls and spans divides: run, interrupts, preempted, lock, I/O, sleep.
 *
 * A task whose calls are divided has a struct tap_divided_task, with a sum of ticks for each part
 * since the outermost call began. A call inside of it stores the sums at its entry and subtracts
 * them at its return. So the hooks at the tracepoints of the scheduler and of interrupts do not
 * know of calls. All ticks since @since belong to the part @now.
 *
 * Who may access it, always with interrupts off:
 *
 *  - While the task runs: the code on its CPU. NMIs do not.
 *  - After it was switched out: the hook of sched_switch gives it on by a store-release of @state.
 *    The hook of sched_waking on any CPU, then that of sched_wakeup, then that of sched_switch on
 *    the task's next CPU access it one after the other: the scheduler's locks order them.
 *    sched_waking may come before the task is switched out: it then finds @state %TAP_ON_CPU by its
 *    load-acquire, and does nothing.
 */
#ifndef _TAPMOD_EXEC_DIVISION_H
#define _TAPMOD_EXEC_DIVISION_H

#include "exec/call.h"
#include "exec/longest.h"
#include "exec/tasks.h"

/**
 * enum tap_task_state - who may access a struct tap_divided_task
 * @TAP_ON_CPU: the CPU on which the task runs
 * @TAP_WAITS: the hook that ends the wait
 * @TAP_RUNNABLE: the hook that switches the task in
 */
enum tap_task_state {
	TAP_ON_CPU,
	TAP_WAITS,
	TAP_RUNNABLE,
};

/**
 * struct tap_wait - a wait in which the task is switched out: for a lock, for I/O, or a sleep
 * @began: raw time
 * @part: enum tap_task_part
 * @waker_tid: as in struct tap_division
 * @waker_tgid: as in struct tap_division
 * @waker_comm: as in struct tap_division
 * @stack: of the task: a TAP_TEXT_* word, then the frames
 * @waker_stack: of the code that ended it: the same
 */
struct tap_wait {
	u64 began;
	u32 part;
	u32 waker_tid;
	u32 waker_tgid;
	u64 waker_comm[TASK_COMM_LEN / sizeof(u64)];
	u64 stack[1 + TAP_WAIT_FRAMES];
	u64 waker_stack[1 + TAP_WAIT_FRAMES];
};

/**
 * struct tap_lock_wait - a wait for a lock, spinning or switched out
 * @before: ticks of %TAP_PART_LOCK of the task at its begin
 * @kind: enum tap_lock_kind
 * @holder_tid: as in struct tap_division
 * @holder_comm: as in struct tap_division
 */
struct tap_lock_wait {
	u64 before;
	u32 kind;
	u32 holder_tid;
	u64 holder_comm[TASK_COMM_LEN / sizeof(u64)];
};

/**
 * struct tap_divided_task - the time of a task
 * @since: raw time up to which the time is in @part
 * @part: ticks, by enum tap_task_part
 * @state: enum tap_task_state; see above
 * @now: enum tap_task_part of the time since @since
 * @open: calls and spans that are under way; 0: nothing is accounted
 * @hard: handlers of interrupts that run on top of the task
 * @soft: softirqs that run on top of it
 * @serial: number of the tasks that had the place before
 * @waits: number of waits since the outermost call began, those for locks twice if they sleep
 * @inner: @waits at the entry of the innermost call
 * @lock: address of the lock for which it waits, the first of those that it waits for inside of
 *	each other; 0: it waits for none
 * @longest: the longest waits
 * @longest_locks: the longest waits for locks
 * @wait: by places of @longest
 * @lock_wait: by places of @longest_locks
 */
struct tap_divided_task {
	u64 since;
	u64 part[TAP_NR_PARTS];
	u32 state;
	u32 now;
	u32 open;
	u16 hard;
	u16 soft;
	u32 serial;
	u64 waits;
	u64 inner;
	u64 lock;
	struct tap_longest longest;
	struct tap_longest longest_locks;
	struct tap_wait wait[TAP_MAX_WAITS + 1];
	struct tap_lock_wait lock_wait[TAP_MAX_WAITS + 1];
};

/**
 * struct tap_division_start - what the entry of a divided call or span stores
 * @part: @part of its task; not written if @outer
 * @waits: @waits of its task; not written if @outer
 * @inner: @inner of its task, before; not written if @outer
 * @task: of its task; NULL: the duration is not divided
 * @serial: of a span: @serial of the task
 * @outer: nothing else was under way: @part and @waits of the task were 0
 */
struct tap_division_start {
	u64 part[TAP_NR_PARTS];
	u64 waits;
	u64 inner;
	struct tap_divided_task *task;
	u32 serial;
	u32 outer;
};

/**
 * struct tap_divided_time - how a duration divides; lives on the stack of the return
 * @part: ticks, by enum tap_task_part: that of the struct tap_division_start
 * @now: raw time of the end
 * @running: enum tap_task_part to which the time since @now belongs
 * @wait: the longest wait; NULL: there was none, or it is not known
 * @wait_ticks: its length
 * @lock: the longest wait for a lock; NULL as for @wait
 * @lock_ticks: its length
 */
struct tap_divided_time {
	u64 *part;
	u64 now;
	u32 running;
	const struct tap_wait *wait;
	u64 wait_ticks;
	const struct tap_lock_wait *lock;
	u64 lock_ticks;
};

/* The time between the end of a division and that of the record belongs to what runs then. */
static __always_inline void tap_divided_until(struct tap_divided_time *time, u64 end)
{
	time->part[time->running] += tap_call_lasted(end, time->now);
}

u64 tap_division_begin(struct tapmod_tasks *tasks, struct tap_division_start *start,
		       unsigned int level, u64 now);
bool tap_division_end(const struct tapmod_tasks *tasks, struct tap_division_start *start,
		      bool call, u64 now, struct tap_divided_time *time);
u64 tap_divided_value(const struct tap_divided_time *time, u64 lasted,
		      const struct tapmod_probe *probe, u64 what);
void tap_divided_fill(const struct tap_divided_time *time, struct tap_division *to);

void tap_division_switch(const struct tapmod_tasks *tasks, bool preempt,
			 const struct task_struct *prev, const struct task_struct *next);
void tap_division_wake(const struct tapmod_tasks *tasks, const struct task_struct *task,
		       bool waker);
void tap_division_irq(const struct tapmod_tasks *tasks, bool hard, bool enter);
void tap_division_lock(const struct tapmod_tasks *tasks, u64 lock, u32 flags);
void tap_division_unlock(const struct tapmod_tasks *tasks, u64 lock);

#endif /* _TAPMOD_EXEC_DIVISION_H */

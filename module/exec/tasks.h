/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a session knows of tasks: the calls that are under way (inside.h), and how their time
 * divides (division.h). A task has a place in a table (task_table.h) from its first call that needs
 * one until the kernel frees it; a place that is free is all 0.
 *
 * The memory of a place belongs to its task: the code that runs in the task accesses it, with
 * preemption off, and the interrupts on top of it. Other CPUs access it as division.h says.
 */
#ifndef _TAPMOD_EXEC_TASKS_H
#define _TAPMOD_EXEC_TASKS_H

#include <linux/bitops.h>
#include <linux/hash.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/tap.h>

#include "core/probe.h"
#include "exec/record_write.h"
#include "exec/task_table.h"

struct tap_divided_task;
struct tapmod_session;

/* Bits of the hash by which the scheduler's hooks reject nearly all tasks without a place. */
#define TAP_TASKS_SEEN_BITS	16

/* Tracepoint iterators that may call the hooks: of sched_switch, and of sched_waking. */
#define TAP_TASKS_ITERS		TAP_STACK_TP_ITERS

/**
 * struct tap_task_frames - the calls that are under way in a context
 * @depth: their number
 * @at: for each frame number @depth plus 1 when the innermost one began; 0: none is under way
 */
struct tap_task_frames {
	u32 depth;
	u32 at[TAP_MAX_FRAME + 1];
};

/**
 * struct tap_tasks_cpu - the state of a CPU
 * @running: the place of the task that runs, while its time is divided; else NULL. Written with
 *	interrupts off
 * @no_room: as @out_no_room of struct tap_tasks_read
 * @backwards: as @out_backwards
 * @unexpected: as @out_unexpected
 * @no_wait: as @out_no_wait
 * @known: a task whose frames are @known_frames, as long as @changes of the table is @known_at. The
 *	code of a task writes them, interrupts on top of it only read them
 * @known_frames: see @known; NULL: it has no place
 * @known_at: see @known
 */
struct tap_tasks_cpu {
	struct tap_divided_task *running;
	const struct task_struct *known;
	struct tap_task_frames *known_frames;
	unsigned long known_at;
	u64 no_room;
	u64 backwards;
	u64 unexpected;
	u64 no_wait;
};

/**
 * struct tapmod_tasks - what a session knows of tasks
 * @table: the places
 * @frames: one for each place, then one for each CPU and each of softirq, interrupt and NMI; NULL
 *	without %TAP_TASKS_F_FRAMES
 * @divided: one for each place; NULL without %TAP_TASKS_F_DIVISION
 * @seen: a bit for each hash of a task that has ever had a place
 * @cpu: see struct tap_tasks_cpu
 * @clock: the session's clock
 * @tp_iters: left out of the stacks of waits
 * @changes: number of times a task took a place, or gave it back
 * @in_interrupt: there has been a frame in an interrupt or softirq
 * @bytes: what is charged for the table
 * @hooks: bit n is set if hook n of task_hooks.c is registered
 *
 * Only what the pointers lead to changes after tap_tasks_create(), @further of @table, @changes,
 * and @in_interrupt.
 */
struct tapmod_tasks {
	struct tap_task_table table;
	struct tap_task_frames *frames;
	struct tap_divided_task *divided;
	unsigned long *seen;
	struct tap_tasks_cpu __percpu *cpu;
	enum tapmod_clock clock;
	struct tap_tp_iter tp_iters[TAP_TASKS_ITERS];
	atomic_long_t changes;
	bool in_interrupt;
	u64 bytes;
	u32 hooks;
};

static __always_inline unsigned int tap_tasks_hash(const struct task_struct *task)
{
	return hash_ptr(task, TAP_TASKS_SEEN_BITS);
}

/* Whether a task may have a place; it does not take one meanwhile, or is the current one. */
static __always_inline bool
tap_tasks_seen(const struct tapmod_tasks *tasks, const struct task_struct *task)
{
	return test_bit(tap_tasks_hash(task), tasks->seen);
}

/*
 * The level of the context, as tap_context_level(), below a trap that added @trap to the preempt
 * count: 0 for a task, 1 softirq, 2 interrupt, 3 NMI. %TAP_TRAP_PROGRAM is as good as 0.
 */
static __always_inline unsigned int tap_tasks_level(unsigned int trap)
{
	unsigned int count = preempt_count() - trap;

	count &= NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET;
	if (likely(!count))
		return 0;
	return count & NMI_MASK ? 3 : count & HARDIRQ_MASK ? 2 : 1;
}

/* The same by the TAP_F_* of a record of the event, which leave the trap out. */
static __always_inline unsigned int tap_tasks_level_of(u32 flags)
{
	return flags & TAP_F_NMI ? 3 : flags & TAP_F_HARDIRQ ? 2 :
	       preempt_count() & SOFTIRQ_OFFSET ? 1 : 0;
}

int tap_tasks_take(struct tapmod_tasks *tasks);
void tap_tasks_forget(struct tapmod_tasks *tasks, const struct task_struct *task);
int tap_tasks_alloc(struct tapmod_session *session, const struct tap_tasks *arg);
void tap_tasks_free(struct tapmod_session *session);
int tap_tasks_read(struct tapmod_session *session, struct tap_tasks_read *read);

/* The current task's place; -1 if it has none and finds no room. Context: any, preemption off. */
static __always_inline int tap_tasks_place(struct tapmod_tasks *tasks)
{
	int place = tap_task_find_first(&tasks->table);

	return likely(place >= 0) ? place : tap_tasks_take(tasks);
}

#endif /* _TAPMOD_EXEC_TASKS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The beginning and the end of a divided duration, inline in the handlers of calls. The rules of
 * handler.h hold, and those of division.h.
 */
#ifndef _TAPMOD_EXEC_DIVISION_RUN_H
#define _TAPMOD_EXEC_DIVISION_RUN_H

#include "exec/division.h"

/* The part of a task that runs: what is on top of it goes first. */
static __always_inline enum tap_task_part tap_divided_running(const struct tap_divided_task *task)
{
	return task->hard ? TAP_PART_IRQ : task->soft ? TAP_PART_SOFTIRQ :
	       task->lock ? TAP_PART_LOCK : TAP_PART_RUN;
}

/* Adds the time up to now to its part. */
static __always_inline void
tap_divided_charge(const struct tapmod_tasks *tasks, struct tap_divided_task *task, u64 now)
{
	if (unlikely((s64)(now - task->since) < 0))
		this_cpu_inc(tasks->cpu->backwards);
	else
		task->part[task->now] += now - task->since;
	task->since = now;
}

/* Begins to account the time of the current task. */
static __always_inline void
tap_divided_start(const struct tapmod_tasks *tasks, struct tap_divided_task *task, u64 now,
		  unsigned int level)
{
	unsigned int i;

#pragma GCC unroll 8
	for (i = 0; i < TAP_NR_PARTS; i++)
		task->part[i] = 0;
	task->hard = 0;
	task->soft = 0;
	task->lock = 0;
	task->waits = 0;
	task->inner = 0;
	task->longest.nr = 0;
	task->longest_locks.nr = 0;
	task->since = now;
	task->now = TAP_PART_RUN;
	if (unlikely(level)) {
		task->hard = level == 2;
		task->soft = level == 1;
		task->now = tap_divided_running(task);
	}
	task->open = 1;
	/* The other hooks ignore the task as long as nothing is open: no one else reads it now. */
	WRITE_ONCE(task->state, TAP_ON_CPU);
	this_cpu_write(tasks->cpu->running, task);
}

/* Stores the sums of a task. */
static __always_inline void
tap_divided_store(const struct tap_divided_task *task, struct tap_division_start *start)
{
	unsigned int i;

#pragma GCC unroll 8
	for (i = 0; i < TAP_NR_PARTS; i++)
		start->part[i] = task->part[i];
}

/**
 * tap_division_start() - the entry of a call or span
 * @tasks: table of the session, with divisions
 * @start: filled in for tap_division_end()
 * @clock: that of the session
 * @level: of the context, see tap_tasks_level()
 * @now: raw time of the entry, since which interrupts are off; 0: it is read
 *
 * Context: any, interrupts off. In an NMI the duration is not divided.
 * Return: raw time of the entry.
 */
static __always_inline u64
tap_division_start(struct tapmod_tasks *tasks, struct tap_division_start *start,
		   enum tapmod_clock clock, unsigned int level, u64 now)
{
	struct tap_divided_task *task = NULL;
	int place = -1;

	if (likely(level < 3))
		place = tap_tasks_place(tasks);
	now = now ?: tap_clock_read(clock);
	if (unlikely(place < 0))
		goto out;
	task = &tasks->divided[place];
	if (likely(!task->open)) {
		tap_divided_start(tasks, task, now, level);
		start->outer = true;
		goto out;
	}
	if (unlikely(this_cpu_read(tasks->cpu->running) != task)) {
		/* A function that a hook calls: the hook is about to change @task. */
		task = NULL;
		goto out;
	}
	tap_divided_charge(tasks, task, now);
	tap_divided_store(task, start);
	start->outer = false;
	start->waits = task->waits;
	start->inner = task->inner;
	task->inner = task->waits;
	task->open++;
out:
	start->task = task;
	return now;
}

/* Makes @part of a duration that ends from that of its task. */
static __always_inline void
tap_divided_take(const struct tap_divided_task *task, struct tap_division_start *start)
{
	unsigned int i;

	if (likely(start->outer)) {
		tap_divided_store(task, start);
		return;
	}
#pragma GCC unroll 8
	for (i = 0; i < TAP_NR_PARTS; i++)
		start->part[i] = task->part[i] - start->part[i];
}

#endif /* _TAPMOD_EXEC_DIVISION_RUN_H */

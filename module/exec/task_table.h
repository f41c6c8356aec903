/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A hash table that gives each task a place: the index of memory in which a task's entry
 * stores data for its return. A task takes a place once and keeps it until it ends. So it
 * finds its place without an atomic operation, on any CPU. Who may access what:
 *
 *  - The current task takes a place: cmpxchg() from NULL or TAP_TASK_LEFT to its own
 *    task_struct. It gives the place back when it ends, with a store-release of
 *    TAP_TASK_LEFT. The two pair: the next owner's accesses come after all accesses of the
 *    previous owner.
 *  - A task takes the first place of its line that it finds free, and no place becomes NULL
 *    again. So behind a NULL there is no owner, and a search may stop there.
 *  - The key of a task is its task_struct. No other task stores that key, and the memory
 *    is not another task's before this one has ended. (The thread id is not usable as a
 *    key: a thread that calls execve() returns with the id of its leader.)
 *  - Only its owner accesses the memory of a place, with preemption off. If the owner
 *    moves, the scheduler orders its accesses on the old CPU before those on the new one.
 *
 * The rules of handler.h hold.
 */
#ifndef _TAPMOD_EXEC_TASK_TABLE_H
#define _TAPMOD_EXEC_TASK_TABLE_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

/* Keys in a cache line. The hash of a task selects a line, and the task tries all its keys. */
#define TAP_TASK_KEYS	(SMP_CACHE_BYTES / sizeof(struct task_struct *))

/* Places per task that the user asked for; so a line is rarely full. */
#define TAP_TASK_SPREAD	4

/*
 * If a task's line is full, the task tries this many lines behind it. task_structs lie at
 * regular distances, so hash_ptr() may map many of them to one line.
 */
#define TAP_TASK_FURTHER	7

/* The owner of a place that a task has given back. */
#define TAP_TASK_LEFT	((struct task_struct *)1)

/*
 * The owners of the places of a cache line. A place is free if its owner is NULL, which it has
 * been from the start, or TAP_TASK_LEFT.
 */
struct tap_task_line {
	struct task_struct *task[TAP_TASK_KEYS];
} ____cacheline_aligned;

/**
 * struct tap_task_table - the owners of all places
 * @lines: 1 << @bits lines
 * @bits: see @lines
 * @further: a task has a place outside its own line. Needs no barrier: the task that needs
 *	it has set it itself, and who looks for another task is ordered behind it by the locks of
 *	the scheduler
 */
struct tap_task_table {
	struct tap_task_line *lines;
	unsigned int bits;
	bool further;
};

/**
 * tap_task_table_size() - compute the size of a table
 * @table: @bits is set
 * @tasks: number of tasks for which the user wants room
 *
 * Context: process, before tap_task_table_alloc().
 */
static inline void tap_task_table_size(struct tap_task_table *table, u32 tasks)
{
	/* At least two lines: hash_ptr() needs at least one bit. */
	table->bits = order_base_2(max_t(u32, 2, tasks * TAP_TASK_SPREAD /
						 TAP_TASK_KEYS));
}

static __always_inline unsigned int
tap_task_places(const struct tap_task_table *table)
{
	return TAP_TASK_KEYS << table->bits;
}

/* Allocates the lines, all free; tap_task_table_size() has set the size. False: no memory. */
static inline bool tap_task_table_alloc(struct tap_task_table *table)
{
	table->lines = kvcalloc(1U << table->bits, sizeof(*table->lines),
				GFP_KERNEL_ACCOUNT);
	return table->lines;
}

/* Frees all places. No task may use the table at the same time. */
static inline void tap_task_table_clear(struct tap_task_table *table)
{
	memset(table->lines, 0, sizeof(*table->lines) << table->bits);
	table->further = false;
}

/* Index of a task's own line. */
static __always_inline unsigned int
tap_task_line(const struct tap_task_table *table, const struct task_struct *task)
{
	return hash_ptr(task, table->bits);
}

/* Index of the line n lines behind a task's own, modulo the table. */
static __always_inline unsigned int
tap_task_line_behind(const struct tap_task_table *table, const struct task_struct *task,
		     unsigned int n)
{
	return (tap_task_line(table, task) + n) & ((1U << table->bits) - 1);
}

/* A task's place in a line, or -1. */
static __always_inline int
tap_task_find_in(const struct tap_task_table *table, const struct task_struct *task,
		 unsigned int line)
{
	unsigned int i;

#pragma GCC unroll 8
	for (i = 0; i < TAP_TASK_KEYS; i++) {
		const struct task_struct *owner = READ_ONCE(table->lines[line].task[i]);

		if (owner == task)
			return line * TAP_TASK_KEYS + i;
		if (!owner)
			break;
	}
	return -1;
}

/*
 * The current task's place if it is one of the first in its line, as nearly all are: else -1,
 * and tap_task_find() may find it. Context: any, preemption off.
 */
static __always_inline int tap_task_find_first(const struct tap_task_table *table)
{
	unsigned int line = tap_task_line(table, current), i;

#pragma GCC unroll 2
	for (i = 0; i < 2; i++)
		if (READ_ONCE(table->lines[line].task[i]) == current)
			return line * TAP_TASK_KEYS + i;
	return -1;
}

/**
 * tap_task_find_of() - the place of a task
 * @table: the table
 * @task: the current task, or one that cannot end meanwhile. If it takes a place at the same
 *	time on another CPU, this function may not see it
 *
 * Context: any, preemption off.
 * Return: its place; -1 if it has none.
 */
static __always_inline int
tap_task_find_of(const struct tap_task_table *table, const struct task_struct *task)
{
	int place = tap_task_find_in(table, task, tap_task_line(table, task));
	unsigned int n;

	if (place >= 0 || likely(!READ_ONCE(table->further)))
		return place;
	for (n = 1; n <= TAP_TASK_FURTHER && place < 0; n++)
		place = tap_task_find_in(table, task, tap_task_line_behind(table, task, n));
	return place;
}

/* The current task's place; -1 if it has none. Context: any, preemption off. */
static __always_inline int tap_task_find(const struct tap_task_table *table)
{
	return tap_task_find_of(table, current);
}

/* Takes a place for the current task, which must not have one; -1 if all lines are full. */
static inline int tap_task_take(struct tap_task_table *table)
{
	unsigned int n, i;

	for (n = 0; n <= TAP_TASK_FURTHER; n++) {
		unsigned int line = tap_task_line_behind(table, current, n);

		for (i = 0; i < TAP_TASK_KEYS; i++) {
			struct task_struct **at = &table->lines[line].task[i];
			struct task_struct *owner = READ_ONCE(*at);

			if ((owner && owner != TAP_TASK_LEFT) ||
			    cmpxchg(at, owner, current) != owner)
				continue;
			if (n)
				WRITE_ONCE(table->further, true);
			return line * TAP_TASK_KEYS + i;
		}
	}
	return -1;
}

/*
 * Gives a place back, after the last access to the memory of the place: that of the current task,
 * or of one that has ended.
 */
static __always_inline void
tap_task_release(struct tap_task_table *table, unsigned int place)
{
	struct tap_task_line *line = &table->lines[place / TAP_TASK_KEYS];

	/* Pairs with the cmpxchg() in tap_task_take() of the next owner. */
	smp_store_release(&line->task[place % TAP_TASK_KEYS], TAP_TASK_LEFT);
}

#endif /* _TAPMOD_EXEC_TASK_TABLE_H */

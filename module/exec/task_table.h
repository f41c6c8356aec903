/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A table by task, for what a task's entry leaves for its return. A task takes a
 * place once, and keeps it until it ends. So it finds its place without an atomic
 * operation, on whatever CPU it is by then. Who may touch what:
 *
 *  - A place is taken by cmpxchg() from NULL to the task itself, and given back
 *    by that task when it ends, by a store-release: what the next owner writes
 *    comes behind all that the last one did.
 *  - The key of a task is its task_struct. Nobody else ever puts it into the
 *    table, and it is not another task's before this one has ended. (Its id will
 *    not do: a thread that calls execve() returns with its leader's.)
 *  - What lies at a place is touched by its owner alone, and the scheduler orders
 *    what it does on one CPU before what it does on the next.
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

/* Keys in a cache line: the places that may be those of a task. */
#define TAP_TASK_KEYS	(SMP_CACHE_BYTES / sizeof(struct task_struct *))

/* Places for each task there shall be room for: so a line is hardly ever full. */
#define TAP_TASK_SPREAD	4

/*
 * Where it is, as many that follow it may have the task's place: tasks lie at
 * regular distances, which a hash may bring together.
 */
#define TAP_TASK_FURTHER	7

/**
 * struct tap_task_line - which tasks have the places of a cache line
 * @task: each of them, or NULL
 */
struct tap_task_line {
	struct task_struct *task[TAP_TASK_KEYS];
} ____cacheline_aligned;

/**
 * struct tap_task_table - which task has which place
 * @lines: the keys, 1 << @bits lines of them
 * @bits: see @lines
 * @further: a task has a place that is not in its line; set by that task, which alone
 *	would not find it otherwise
 */
struct tap_task_table {
	struct tap_task_line *lines;
	unsigned int bits;
	bool further;
};

/**
 * tap_task_table_size() - settle how large a table is
 * @table: gets its @bits
 * @tasks: for how many tasks there shall be room
 */
static inline void tap_task_table_size(struct tap_task_table *table, u32 tasks)
{
	/* Two lines at least: a hash has bits. */
	table->bits = order_base_2(max_t(u32, 2, tasks * TAP_TASK_SPREAD /
						 TAP_TASK_KEYS));
}

/* How many places there are. */
static __always_inline unsigned int
tap_task_places(const struct tap_task_table *table)
{
	return TAP_TASK_KEYS << table->bits;
}

/* Allocates a table of the size that was settled; false without memory. */
static inline bool tap_task_table_alloc(struct tap_task_table *table)
{
	table->lines = kvcalloc(1U << table->bits, sizeof(*table->lines),
				GFP_KERNEL_ACCOUNT);
	return table->lines;
}

/* Empties it; nobody uses it. */
static inline void tap_task_table_clear(struct tap_task_table *table)
{
	memset(table->lines, 0, sizeof(*table->lines) << table->bits);
	table->further = false;
}

/* Where the current task's place should be. */
static __always_inline unsigned int
tap_task_line(const struct tap_task_table *table)
{
	return hash_ptr(current, table->bits);
}

/* So many lines behind that one; after the last comes the first. */
static __always_inline unsigned int
tap_task_line_behind(const struct tap_task_table *table, unsigned int n)
{
	return (tap_task_line(table) + n) & ((1U << table->bits) - 1);
}

/* The current task's place in a line, or -1. */
static __always_inline int
tap_task_find_in(const struct tap_task_table *table, unsigned int line)
{
	unsigned int i;

#pragma GCC unroll 8
	for (i = 0; i < TAP_TASK_KEYS; i++)
		if (READ_ONCE(table->lines[line].task[i]) == current)
			return line * TAP_TASK_KEYS + i;
	return -1;
}

/* The current task's place, or -1. */
static __always_inline int tap_task_find(const struct tap_task_table *table)
{
	int place = tap_task_find_in(table, tap_task_line(table));
	unsigned int n;

	if (place >= 0 || likely(!READ_ONCE(table->further)))
		return place;
	for (n = 1; n <= TAP_TASK_FURTHER && place < 0; n++)
		place = tap_task_find_in(table, tap_task_line_behind(table, n));
	return place;
}

/* Takes a place for the current task, which has none; -1 if there is none. */
static inline int tap_task_take(struct tap_task_table *table)
{
	unsigned int n, i;

	for (n = 0; n <= TAP_TASK_FURTHER; n++) {
		unsigned int line = tap_task_line_behind(table, n);

		for (i = 0; i < TAP_TASK_KEYS; i++) {
			struct task_struct **task = &table->lines[line].task[i];

			if (READ_ONCE(*task) || cmpxchg(task, NULL, current))
				continue;
			if (n)
				WRITE_ONCE(table->further, true);
			return line * TAP_TASK_KEYS + i;
		}
	}
	return -1;
}

/* Gives the current task's place back. */
static __always_inline void
tap_task_release(struct tap_task_table *table, unsigned int place)
{
	struct tap_task_line *line = &table->lines[place / TAP_TASK_KEYS];

	/* Pairs with the cmpxchg() of the next one to take it. */
	smp_store_release(&line->task[place % TAP_TASK_KEYS], NULL);
}

#endif /* _TAPMOD_EXEC_TASK_TABLE_H */

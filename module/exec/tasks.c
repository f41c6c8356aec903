// SPDX-License-Identifier: GPL-2.0
/*
 * The places of tasks in a session's table: taken by events, given back when the kernel frees the
 * task. See tasks.h.
 */
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core/session.h"
#include "exec/division.h"
#include "exec/inside.h"

/* Tasks for which there is room, unless the user says how many. */
#define TAP_DEFAULT_SESSION_TASKS	1024

/* The places are initialized as all 0: the part, the state, and a frame of none. */
static_assert(!TAP_ON_CPU && !TAP_PART_RUN);

/**
 * tap_tasks_take() - the current task's place, which it takes if it has none
 * @tasks: the session's table
 *
 * Context: any but NMI, preemption off. Interrupts are off between the look-up and the taking: an
 * event of an interrupt in between would take a second place for the task.
 * Return: the place; -1: there is no room, which is counted.
 */
noinline int tap_tasks_take(struct tapmod_tasks *tasks)
{
	struct tap_task_table *table = &tasks->table;
	unsigned long irq;
	int place;

	raw_local_irq_save(irq);
	place = tap_task_find(table);
	if (place >= 0)
		goto out;
	/* Before the place: a hook that runs behind this event must not reject the task. */
	set_bit(tap_tasks_hash(current), tasks->seen);
	place = tap_task_take(table);
	if (place < 0)
		this_cpu_inc(tasks->cpu->no_room);
	else
		atomic_long_inc(&tasks->changes);
out:
	raw_local_irq_restore(irq);
	return place;
}
NOKPROBE_SYMBOL(tap_tasks_take);

/**
 * tap_tasks_forget() - sched_process_free: give the place of a task back
 * @tasks: the session's table
 * @task: it has ended, and no event comes from it any more
 *
 * Context: any, preemption off.
 */
void tap_tasks_forget(struct tapmod_tasks *tasks, const struct task_struct *task)
{
	struct tap_task_table *table = &tasks->table;
	int place;

	if (!tap_tasks_seen(tasks, task))
		return;
	place = tap_task_find_of(table, task);
	if (place < 0)
		return;
	if (tasks->frames)
		memset(&tasks->frames[place], 0, sizeof(*tasks->frames));
	if (tasks->divided) {
		/* tap_divided_start() sets the rest. */
		tasks->divided[place].open = 0;
		tasks->divided[place].serial++;
	}
	/* Before another task can have this address or this place. */
	atomic_long_inc(&tasks->changes);
	tap_task_release(table, place);
}
NOKPROBE_SYMBOL(tap_tasks_forget);

/* Frames of contexts that are no task: behind those of the places. */
static size_t tap_tasks_contexts(void)
{
	return (size_t)nr_cpu_ids * (TAP_CONTEXT_LEVELS - 1);
}

static u64 tap_tasks_bytes(const struct tapmod_tasks *tasks, u32 flags)
{
	u64 places = tap_task_places(&tasks->table);
	u64 bytes = places * sizeof(struct task_struct *) +
		    BIT(TAP_TASKS_SEEN_BITS) / BITS_PER_BYTE +
		    (u64)num_possible_cpus() * sizeof(*tasks->cpu);

	if (flags & TAP_TASKS_F_FRAMES)
		bytes += (places + tap_tasks_contexts()) * sizeof(*tasks->frames);
	if (flags & TAP_TASKS_F_DIVISION)
		bytes += places * sizeof(*tasks->divided);
	return bytes;
}

static void tap_tasks_destroy(struct tapmod_session *session, struct tapmod_tasks *tasks)
{
	free_percpu(tasks->cpu);
	kvfree(tasks->seen);
	kvfree(tasks->divided);
	kvfree(tasks->frames);
	kvfree(tasks->table.lines);
	tap_memory_uncharge(&session->memory, tasks->bytes);
	kfree(tasks);
}

/**
 * tap_tasks_alloc() - allocate the table of a session, without hooks
 * @session: its lock is held; it has rings, and no table
 * @arg: a checked copy of the argument of TAP_IOC_TASKS
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int tap_tasks_alloc(struct tapmod_session *session, const struct tap_tasks *arg)
{
	struct tapmod_tasks *tasks = kzalloc(sizeof(*tasks), GFP_KERNEL_ACCOUNT);
	size_t places, i;
	u64 bytes;

	if (!tasks)
		return -ENOMEM;
	tap_task_table_size(&tasks->table, arg->tasks ?: TAP_DEFAULT_SESSION_TASKS);
	places = tap_task_places(&tasks->table);
	tasks->clock = session->rings.clock;
	bytes = tap_tasks_bytes(tasks, arg->flags);
	if (tap_memory_charge(&session->memory, bytes)) {
		kfree(tasks);
		return -ENOMEM;
	}
	tasks->bytes = bytes;
	tasks->cpu = alloc_percpu_gfp(struct tap_tasks_cpu, GFP_KERNEL_ACCOUNT);
	tasks->seen = kvzalloc(BIT(TAP_TASKS_SEEN_BITS) / BITS_PER_BYTE, GFP_KERNEL_ACCOUNT);
	if (arg->flags & TAP_TASKS_F_FRAMES)
		tasks->frames = kvcalloc(places + tap_tasks_contexts(), sizeof(*tasks->frames),
					 GFP_KERNEL_ACCOUNT);
	if (arg->flags & TAP_TASKS_F_DIVISION)
		tasks->divided = kvcalloc(places, sizeof(*tasks->divided), GFP_KERNEL_ACCOUNT);
	if (!tap_task_table_alloc(&tasks->table) || !tasks->cpu || !tasks->seen ||
	    (arg->flags & TAP_TASKS_F_FRAMES && !tasks->frames) ||
	    (arg->flags & TAP_TASKS_F_DIVISION && !tasks->divided)) {
		tap_tasks_destroy(session, tasks);
		return -ENOMEM;
	}
	for (i = 0; tasks->divided && i < places; i++) {
		tap_longest_init(&tasks->divided[i].longest);
		tap_longest_init(&tasks->divided[i].longest_locks);
	}
	session->tasks = tasks;
	return 0;
}

/**
 * tap_tasks_free() - free the table of a session
 * @session: no event and no hook uses the table; there may be none
 *
 * Context: process, may sleep.
 */
void tap_tasks_free(struct tapmod_session *session)
{
	if (session->tasks)
		tap_tasks_destroy(session, session->tasks);
	session->tasks = NULL;
}

/**
 * tap_tasks_read() - TAP_IOC_TASKS_READ
 * @session: its lock is held
 * @read: checked copy of the argument; filled in
 *
 * Context: process.
 * Return: 0; -EINVAL; -ENODATA: there is no table.
 */
int tap_tasks_read(struct tapmod_session *session, struct tap_tasks_read *read)
{
	int cpu;

	if (read->flags)
		return -EINVAL;
	if (!session->tasks)
		return -ENODATA;
	read->out_no_room = 0;
	read->out_backwards = 0;
	read->out_unexpected = 0;
	read->out_no_wait = 0;
	for_each_possible_cpu(cpu) {
		const struct tap_tasks_cpu *from = per_cpu_ptr(session->tasks->cpu, cpu);

		read->out_no_room += READ_ONCE(from->no_room);
		read->out_backwards += READ_ONCE(from->backwards);
		read->out_unexpected += READ_ONCE(from->unexpected);
		read->out_no_wait += READ_ONCE(from->no_wait);
	}
	return 0;
}

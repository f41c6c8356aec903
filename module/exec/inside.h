/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which calls are under way in a context: a task, or a softirq, interrupt or NMI of a CPU. Each
 * context has a struct tap_task_frames of its own, which nothing else writes. The rules of
 * handler.h hold.
 */
#ifndef _TAPMOD_EXEC_INSIDE_H
#define _TAPMOD_EXEC_INSIDE_H

#include "exec/tasks.h"

/**
 * struct tap_inside_saved - what the entry of a frame stores for its return
 * @index: of its struct tap_task_frames, plus 1; 0: it has none
 * @depth: @depth at the entry
 * @at: @at of its number at the entry
 */
struct tap_inside_saved {
	u32 index;
	u32 depth;
	u32 at;
} __aligned(sizeof(u64));

/* Index of the frames of this CPU at a level above that of tasks. */
static __always_inline unsigned int
tap_inside_index(const struct tapmod_tasks *tasks, unsigned int level)
{
	return tap_task_places(&tasks->table) +
	       raw_smp_processor_id() * (TAP_CONTEXT_LEVELS - 1) + level - 1;
}

void tap_inside_enter(const struct tapmod_probe *probe, struct tap_inside_saved *saved,
		      unsigned int trap);
void tap_inside_leave(const struct tapmod_probe *probe, const struct tap_inside_saved *saved);
void tap_inside_span(const struct tapmod_probe *probe, u32 flags);
void tap_inside_learn(const struct tapmod_tasks *tasks);
bool tap_inside_interrupt(const struct tapmod_tasks *tasks, u64 imm, unsigned int level);

/* Whether the frame of TAP_INSIDE_* @imm is under way, with few enough others in it. */
static __always_inline bool tap_inside_has(const struct tap_task_frames *frames, u64 imm)
{
	u32 at = frames->at[imm & TAP_INSIDE_FRAME];

	if (!at)
		return false;
	return (imm & TAP_INSIDE_ANY) == TAP_INSIDE_ANY ||
	       (s32)(frames->depth + 1 - at) <= (s32)((imm & TAP_INSIDE_ANY) >> 8);
}

/* tap_inside() in a task. */
static __always_inline bool tap_inside_task(const struct tapmod_tasks *tasks, u64 imm)
{
	int place = tap_task_find(&tasks->table);

	return place >= 0 && tap_inside_has(&tasks->frames[place], imm);
}

/**
 * tap_inside() - %TAP_VAR_INSIDE
 * @tasks: table of the session, with frames
 * @imm: TAP_INSIDE_*
 * @trap: see tap_context()
 *
 * Context: any, preemption off.
 * Return: whether the frame is under way.
 */
static __always_inline bool
tap_inside(const struct tapmod_tasks *tasks, u64 imm, unsigned int trap)
{
	unsigned int level = tap_tasks_level(trap);

	return unlikely(level) ? tap_inside_interrupt(tasks, imm, level) :
				 tap_inside_task(tasks, imm);
}

/**
 * tap_inside_known() - whether the frames of the current task are known on this CPU
 * @tasks: table of the session, with frames
 *
 * If so, they are @known_frames of struct tap_tasks_cpu. If a task takes a place, or gives it back,
 * @changes is another one: the task itself sees that on its next CPU, and so does a later task with
 * the same address, by the locks of the scheduler.
 *
 * Context: any, preemption off.
 */
static __always_inline bool tap_inside_known(const struct tapmod_tasks *tasks)
{
	return likely(this_cpu_read(tasks->cpu->known_at) == atomic_long_read(&tasks->changes)) &&
	       likely(this_cpu_read(tasks->cpu->known) == current);
}

#endif /* _TAPMOD_EXEC_INSIDE_H */

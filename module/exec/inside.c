// SPDX-License-Identifier: GPL-2.0
/*
 * The frames of calls and spans, by which %TAP_VAR_INSIDE tells what is under way. The rules of
 * handler.h hold, and those of inside.h.
 */
#include <linux/kprobes.h>

#include "exec/inside.h"

/**
 * tap_inside_enter() - a frame begins
 * @probe: a probe with a frame number
 * @saved: filled in for tap_inside_leave()
 * @trap: see tap_context()
 *
 * Context: any, preemption off.
 */
void tap_inside_enter(const struct tapmod_probe *probe, struct tap_inside_saved *saved,
		      unsigned int trap)
{
	unsigned int level = tap_tasks_level(trap);
	struct tapmod_tasks *tasks = probe->tasks;
	struct tap_task_frames *frames;
	int index = level ? tap_inside_index(tasks, level) : tap_tasks_place(tasks);

	/* Of this CPU's frames in interrupts, which only this CPU looks at. */
	if (unlikely(level))
		WRITE_ONCE(tasks->in_interrupt, true);

	saved->index = index + 1;
	if (unlikely(index < 0))
		return;
	frames = &tasks->frames[index];
	saved->depth = frames->depth;
	saved->at = frames->at[probe->frame];
	frames->at[probe->frame] = ++frames->depth + 1;
}
NOKPROBE_SYMBOL(tap_inside_enter);

/**
 * tap_inside_leave() - a frame ends, and with it those in it whose return was not seen
 * @probe: see tap_inside_enter()
 * @saved: as tap_inside_enter() filled it in, in the same context
 *
 * Context: any, preemption off.
 */
void tap_inside_leave(const struct tapmod_probe *probe, const struct tap_inside_saved *saved)
{
	struct tap_task_frames *frames;

	if (unlikely(!saved->index))
		return;
	frames = &probe->tasks->frames[saved->index - 1];
	frames->depth = saved->depth;
	frames->at[probe->frame] = saved->at;
}
NOKPROBE_SYMBOL(tap_inside_leave);

/**
 * tap_inside_span() - an event of a side: a span begins or ends in the current task
 * @probe: a side with a frame number
 * @flags: TAP_F_* that a record of the event would have
 *
 * Context: any, preemption off. In an interrupt it does nothing: a span is under way in a task.
 */
void tap_inside_span(const struct tapmod_probe *probe, u32 flags)
{
	struct tapmod_tasks *tasks = probe->tasks;
	struct tap_task_frames *frames;
	int place;

	if (tap_tasks_level_of(flags))
		return;
	place = tap_tasks_place(tasks);
	if (place < 0)
		return;
	frames = &tasks->frames[place];
	frames->at[probe->frame] = probe->side == TAP_SIDE_FROM ? frames->depth + 1 : 0;
}
NOKPROBE_SYMBOL(tap_inside_span);

/**
 * tap_inside_learn() - find the current task's frames, for tap_inside_known()
 * @tasks: table of the session, with frames
 *
 * Context: a task, preemption off.
 */
void tap_inside_learn(const struct tapmod_tasks *tasks)
{
	struct tap_tasks_cpu *cpu = raw_cpu_ptr(tasks->cpu);
	unsigned long at = atomic_long_read(&tasks->changes);
	int place = tap_task_find(&tasks->table);

	/* An interrupt in between finds no task known. */
	WRITE_ONCE(cpu->known, NULL);
	barrier();
	cpu->known_frames = place < 0 ? NULL : &tasks->frames[place];
	cpu->known_at = at;
	barrier();
	WRITE_ONCE(cpu->known, current);
}
NOKPROBE_SYMBOL(tap_inside_learn);

/**
 * tap_inside_interrupt() - tap_inside() in an interrupt
 * @tasks: see tap_inside()
 * @imm: see tap_inside()
 * @level: that of the context, above 0
 *
 * With %TAP_INSIDE_IRQ the contexts that were interrupted count as well: a level of this CPU that
 * is not interrupted has no frame under way.
 *
 * Context: any, preemption off.
 * Return: whether the frame is under way.
 */
bool tap_inside_interrupt(const struct tapmod_tasks *tasks, u64 imm, unsigned int level)
{
	if (tap_inside_has(&tasks->frames[tap_inside_index(tasks, level)], imm))
		return true;
	if (!(imm & TAP_INSIDE_IRQ))
		return false;
	while (--level)
		if (tap_inside_has(&tasks->frames[tap_inside_index(tasks, level)], imm))
			return true;
	return tap_inside_task(tasks, imm);
}
NOKPROBE_SYMBOL(tap_inside_interrupt);

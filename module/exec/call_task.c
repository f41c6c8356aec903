// SPDX-License-Identifier: GPL-2.0
/*
 * Entry and return of a call that has a frame, or whose duration is divided. The rules of handler.h
 * hold.
 */
#include <linux/kprobes.h>

#include "exec/call_run.h"
#include "exec/call_task.h"
#include "exec/division_run.h"

/* Begins the division of a call; sets the time of its entry. */
static __always_inline void
tap_call_divide(const struct tapmod_probe *probe, struct tap_call *call,
		struct tap_call_task *task, enum tapmod_clock clock, unsigned int trap)
{
	unsigned long irq;

	raw_local_irq_save(irq);
	call->entry = tap_division_start(probe->tasks, &task->division, clock,
					 tap_tasks_level(trap), 0);
	raw_local_irq_restore(irq);
}

/**
 * tap_call_in_task() - begin the frame of a call, and the division of its duration
 * @probe: its @task_words are not 0
 * @call: all but what this function writes is written; @entry may change
 * @trap: see tap_context()
 *
 * Context: any, preemption off.
 */
void tap_call_in_task(const struct tapmod_probe *probe, struct tap_call *call, unsigned int trap)
{
	struct tap_call_task *task = tap_call_task(probe, call);

	if (probe->frame)
		tap_inside_enter(probe, &task->inside, trap);
	if (probe->prog.divides)
		tap_call_divide(probe, call, task, probe->clock, trap);
}
NOKPROBE_SYMBOL(tap_call_in_task);

/**
 * tap_call_begin_in_task() - tap_call_begin() of a probe whose @task_words are not 0
 * @probe: see tap_call_enter()
 * @call: see tap_call_enter()
 * @base: see tap_call_enter()
 *
 * Context: any, preemption off.
 * Return: false if a test rejected the call; that is counted.
 */
bool tap_call_begin_in_task(struct tapmod_probe *probe, struct tap_call *call, const void *base)
{
	unsigned int trap = unlikely(probe->traps) ? tap_kprobe_trap_count() : 0;
	const struct tap_fastpath *fp = probe->fp_in_task;
	struct tap_call_task *task = tap_call_task(probe, call);

	if (unlikely(!fp))
		return tap_call_interpret(probe, call, base);
	if (!tap_fastpath_enter(probe, fp, call, base))
		return false;
	tap_call_counted_in(probe, call);
	if (unlikely(probe->frame))
		tap_inside_enter(probe, &task->inside, trap);
	if (probe->prog.divides)
		tap_call_divide(probe, call, task, TAPMOD_CLOCK_RAW, trap);
	else
		call->entry = tap_clock_read(TAPMOD_CLOCK_RAW);
	return true;
}
NOKPROBE_SYMBOL(tap_call_begin_in_task);

/**
 * tap_call_forget() - end the frame and the division of a call that will not be recorded
 * @probe: see tap_call_enter()
 * @call: as tap_call_enter() left it, in the same context
 *
 * Context: any, preemption off.
 */
void tap_call_forget(const struct tapmod_probe *probe, struct tap_call *call)
{
	struct tap_call_task *task = tap_call_task(probe, call);
	struct tap_divided_time time;
	unsigned long irq;

	if (!probe->task_words)
		return;
	if (probe->frame)
		tap_inside_leave(probe, &task->inside);
	if (!probe->prog.divides)
		return;
	raw_local_irq_save(irq);
	tap_division_end(probe->tasks, &task->division, true, 0, &time);
	raw_local_irq_restore(irq);
}
NOKPROBE_SYMBOL(tap_call_forget);

/*
 * Copies value words, at least one, to the slots of a record behind the first, and zeroes what is
 * left of them. The record has at most TAP_DIVIDED_SLOTS slots. Compare tap_record_slot(): the
 * sequence word grows by the same from slot to slot.
 */
static __always_inline void
tap_call_copy(struct tap_ring_head *head, u64 mask, u64 pos, const u64 *words, unsigned int left)
{
	u64 seq = tap_slot_seq(pos, 0);
	struct tap_slot *slot;
	unsigned int i;

	BUILD_BUG_ON(TAP_DIVIDED_SLOTS > TAP_SLOT_INDEX_MASK);
	for (;; left -= TAP_SLOT_VALUES) {
		pos += TAP_SLOT_SIZE;
		seq += TAP_SLOT_SIZE + 1;
		slot = tap_ring_slot_at(head, mask, pos);
		slot->seq = seq;
		if (left <= TAP_SLOT_VALUES)
			break;
#pragma GCC unroll 8
		for (i = 0; i < TAP_SLOT_VALUES; i++)
			slot->value[i] = *words++;
	}
#pragma GCC unroll 8
	for (i = 0; i < TAP_SLOT_VALUES; i++)
		slot->value[i] = i < left ? *words++ : 0;
}

/*
 * Ends the division of a call in which nothing waited and which is in no other one, and records it
 * by the fast path: the record ends behind the parts, as all further words are 0. Returns false if
 * the call is another one, or the ring is full or changes: nothing is ended, recorded or counted.
 */
static __always_inline bool
tap_call_record_divided(struct tapmod_probe *probe, const struct tap_call *call,
			struct tap_division_start *start, u64 retval, u32 flags)
{
	const u64 *words = call->words + TAP_CALL_FETCHES;
	const struct tapmod_tasks *tasks = probe->tasks;
	struct tap_ring_writer *w = tap_event_writer(probe);
	struct tap_divided_task *task = start->task;
	struct tap_ring_head *head = w->head;
	struct tap_record *rec;
	struct tap_resv resv;

	if (unlikely(!task || this_cpu_read(tasks->cpu->running) != task) ||
	    unlikely(!start->outer || task->open != 1 || task->waits) ||
	    !tap_ring_reserve_fast(w, head, probe->divided_slots << TAP_SLOT_SHIFT, true, &resv))
		return false;
	tap_divided_charge(tasks, task, resv.time);
	tap_divided_store(task, start);
	task->open = 0;
	this_cpu_write(tasks->cpu->running, NULL);
	rec = tap_ring_slot_at(head, w->mask, resv.pos);
	tap_record_head(rec, probe, resv.time, tap_context(0) | flags);
	rec->slots = probe->divided_slots;
	rec->value[TAP_CALL_DURATION] = tap_call_lasted(resv.time, call->entry);
	rec->value[TAP_CALL_RETVAL] = retval;
	/* The words of the entry, and behind them start->part: see struct tap_call_task. */
	BUILD_BUG_ON(TAP_NR_PARTS < TAP_FIRST_VALUES - TAP_CALL_FETCHES);
	rec->value[TAP_CALL_FETCHES] = words[0];
	rec->value[TAP_CALL_FETCHES + 1] = words[1];
	tap_call_copy(head, w->mask, resv.pos, words + 2,
		      probe->prog.entry_words + TAP_NR_PARTS - TAP_FIRST_VALUES);
	tap_ring_commit(rec, resv.pos);
	tap_event_written(probe);
	return true;
}

/* Not inline, so that the fast path needs no stack. Interrupts are off. */
static noinline void
tap_call_finish_divided(struct tapmod_probe *probe, struct tap_call *call, const void *base,
			u64 retval, u32 flags)
{
	struct tap_call_task *task = tap_call_task(probe, call);
	struct tap_divided_time time __uninitialized;
	bool divided = tap_division_end(probe->tasks, &task->division, true, 0, &time) &&
		       !(flags & TAP_F_NO_RETURN);

	tap_call_finish(probe, call, base, retval, flags, divided ? &time : NULL);
}
NOKPROBE_SYMBOL(tap_call_finish_divided);

/*
 * tap_call_end_in_task() of a call whose duration is divided. Interrupts are off until the record
 * is written, so that no time is in none of the parts.
 */
static noinline void
tap_call_end_divided(struct tapmod_probe *probe, struct tap_call *call, const void *base,
		     u64 retval, u32 flags)
{
	struct tap_call_task *task = tap_call_task(probe, call);
	unsigned long irq;

	raw_local_irq_save(irq);
	if (unlikely(!probe->divided_slots || flags & (TAP_F_ABSENT | TAP_F_NO_RETURN)) ||
	    unlikely(!tap_call_record_divided(probe, call, &task->division, retval, flags)))
		tap_call_finish_divided(probe, call, base, retval, flags);
	raw_local_irq_restore(irq);
}
NOKPROBE_SYMBOL(tap_call_end_divided);

/* tap_call_end_in_task() of a call that has a frame. */
static noinline void
tap_call_end_frame(struct tapmod_probe *probe, struct tap_call *call, const void *base,
		   u64 retval, u32 flags)
{
	tap_inside_leave(probe, &tap_call_task(probe, call)->inside);
	if (probe->prog.divides)
		tap_call_end_divided(probe, call, base, retval, flags);
	else if (!tap_call_leave_fast(probe, probe->fp_in_task, call, retval, flags))
		tap_call_finish(probe, call, base, retval, flags, NULL);
}
NOKPROBE_SYMBOL(tap_call_end_frame);

/**
 * tap_call_end_in_task() - tap_call_end() of a probe whose @task_words are not 0
 * @probe: see tap_call_leave()
 * @call: see tap_call_leave()
 * @base: see tap_call_leave()
 * @retval: see tap_call_leave()
 * @flags: flags of the record, those of @call included
 *
 * Context: any, preemption off.
 */
void tap_call_end_in_task(struct tapmod_probe *probe, struct tap_call *call, const void *base,
			  u64 retval, u32 flags)
{
	if (unlikely(probe->frame))
		tap_call_end_frame(probe, call, base, retval, flags);
	else
		tap_call_end_divided(probe, call, base, retval, flags);
}
NOKPROBE_SYMBOL(tap_call_end_in_task);

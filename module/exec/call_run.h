/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The entry and the return of a call, for probes that keep it in between. The rules of
 * handler.h hold.
 */
#ifndef _TAPMOD_EXEC_CALL_RUN_H
#define _TAPMOD_EXEC_CALL_RUN_H

#include "exec/call.h"
#include "exec/fastpath_run.h"
#include "exec/handler.h"

/* Counts a call that is wanted, and stores how it begins. */
static __always_inline void
tap_call_entered(const struct tapmod_probe *probe, struct tap_call *call, bool raw)
{
	this_cpu_inc(probe->counters->entered);
	call->switches = tap_switches();
	call->cpu = raw_smp_processor_id();
	/* Last, so that our own work is not in the duration. */
	call->entry = tap_clock_read(raw);
}

/**
 * tap_call_enter() - begin a call
 * @probe: a probe whose program has a part for the return, or could have
 * @call: room for tap_call_size()
 * @base: registers or arguments at the entry
 *
 * Context: any, preemption off.
 * Return: false if the call is not wanted; that is counted.
 */
static __always_inline bool
tap_call_enter(struct tapmod_probe *probe, struct tap_call *call, const void *base)
{
	if (!(likely(probe->fp) ? tap_fastpath_enter(probe, call, base) :
				    tap_call_begin(probe, call, base)))
		return false;
	tap_call_entered(probe, call, probe->raw);
	return true;
}

/* The slots of a call of a plain probe. */
static __always_inline int tap_call_slots(int shape)
{
	return tap_shape_words(shape) + TAP_CALL_FETCHES > TAP_FIRST_VALUES ?
	       2 : 1;
}

/**
 * tap_call_enter_shaped() - begin a call of a plain probe
 * @probe: the probe
 * @call: as in tap_call_enter(); flags and absent outputs it has none, and they are
 *	not written
 * @base: registers or arguments
 * @shape: its shape; a constant
 *
 * Context: any, preemption off.
 */
static __always_inline void
tap_call_enter_shaped(struct tapmod_probe *probe, struct tap_call *call,
		      const void *base, int shape)
{
	u64 *words = call->words + TAP_CALL_FETCHES;
	int i;

#pragma GCC unroll 4
	for (i = 0; i < tap_shape_words(shape); i++)
		words[i] = tap_shape_word(probe, base, shape, i, false);
	tap_call_entered(probe, call, true);
}

/* What became of the task since a call's entry. A task that moves is switched. */
static __always_inline u32 tap_call_moves(const struct tap_call *call)
{
	if (likely(call->switches == tap_switches()))
		return 0;
	return call->cpu != raw_smp_processor_id() ?
	       TAP_F_MIGRATED | TAP_F_DESCHEDULED : TAP_F_DESCHEDULED;
}

/**
 * tap_call_leave() - end a call: test and record it
 * @probe: as in tap_call_enter()
 * @call: as it left it
 * @base: registers or arguments at the return
 * @retval: what the call returns
 * @flags: further flags of the record
 *
 * The duration is measured to the record's own time, so that the entry is
 * exactly at time - duration.
 *
 * Context: any, preemption off.
 */
static __always_inline void
tap_call_leave(struct tapmod_probe *probe, struct tap_call *call, const void *base,
	       u64 retval, u32 flags)
{
	flags |= call->flags | tap_call_moves(call);
	if (unlikely(!probe->fp || probe->prog.ret.end || probe->counts ||
		     flags & TAP_F_NO_RETURN) ||
	    unlikely(!tap_fastpath_leave(probe, call, retval, flags)))
		tap_call_end(probe, call, base, retval, flags);
}

/**
 * tap_call_leave_shaped() - end and record a call of a plain probe, if its task ran
 *	all the time
 * @probe: as in tap_call_enter_shaped()
 * @call: as it left it
 * @regs: the registers at its return
 * @shape: as there
 *
 * Context: any, preemption off.
 * Return: false if nothing was recorded or counted; then tap_call_leave() must be called.
 */
static __always_inline bool
tap_call_leave_shaped(struct tapmod_probe *probe, const struct tap_call *call,
		      struct pt_regs *regs, int shape)
{
	struct tap_ring_writer *w = &raw_cpu_ptr(probe->rings)->w;
	const u64 *words = call->words + TAP_CALL_FETCHES;
	const int nr = tap_shape_words(shape), slots = tap_call_slots(shape);
	struct tap_ring_head *head = w->head;
	struct tap_record *rec;
	struct tap_resv resv;
	int i;

	if (unlikely(tap_call_moves(call)))
		return false;
	if (!tap_ring_reserve_fast(w, head, slots * TAP_SLOT_SIZE, true, &resv))
		return tap_event_still_lost(probe, w, head);
	rec = tap_ring_slot_at(head, w->mask, resv.pos);
	tap_record_head(rec, probe, resv.time, tap_context(0));
	rec->value[TAP_CALL_DURATION] = resv.time - call->entry;
	rec->value[TAP_CALL_RETVAL] = regs_return_value(regs);
	for (i = 0; i < TAP_FIRST_VALUES - TAP_CALL_FETCHES; i++)
		rec->value[TAP_CALL_FETCHES + i] = i < nr ? words[i] : 0;
	if (slots > 1) {
		u64 pos = resv.pos + TAP_SLOT_SIZE;
		struct tap_slot *slot = tap_ring_slot_at(head, w->mask, pos);

		/* Published with the first slot's word, by its release. */
		slot->seq = tap_slot_seq(pos, 1);
#pragma GCC unroll 8
		for (; i < TAP_FIRST_VALUES - TAP_CALL_FETCHES + TAP_SLOT_VALUES; i++)
			slot->value[i - (TAP_FIRST_VALUES - TAP_CALL_FETCHES)] =
				i < nr ? words[i] : 0;
	}
	tap_ring_commit(rec, resv.pos);
	tap_event_written(probe);
	return true;
}

#endif /* _TAPMOD_EXEC_CALL_RUN_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The inline part of a call's entry and return: the fast path and plain probes. exec/call.c
 * has the rest. The rules of handler.h hold.
 */
#ifndef _TAPMOD_EXEC_CALL_RUN_H
#define _TAPMOD_EXEC_CALL_RUN_H

#include "exec/call.h"
#include "exec/fastpath_run.h"
#include "exec/handler.h"

/* tap_call_entered() but for the time. */
static __always_inline void
tap_call_counted_in(const struct tapmod_probe *probe, struct tap_call *call)
{
	this_cpu_inc(probe->counters->entered);
	call->switches = tap_switches();
	call->cpu = raw_smp_processor_id();
}

/* Counts a call that has passed its tests, and stores task state and time of the entry. */
static __always_inline void
tap_call_entered(const struct tapmod_probe *probe, struct tap_call *call,
		 enum tapmod_clock clock)
{
	tap_call_counted_in(probe, call);
	/* Last, so that the duration does not include the handler. */
	call->entry = tap_clock_read(clock);
}

/**
 * tap_call_enter() - test a call at its entry, and store what its return needs
 * @probe: a probe of whole calls (call, funcgraph, syscall, ucall)
 * @call: memory of tap_call_size() bytes, filled in here
 * @base: registers or arguments at the entry
 *
 * Context: any, preemption off.
 * Return: true if the caller must keep @call until the return; false if a test rejected
 *	the call, which is counted.
 */
static __always_inline bool
tap_call_enter(struct tapmod_probe *probe, struct tap_call *call, const void *base)
{
	if (unlikely(!probe->fp))
		return tap_call_begin(probe, call, base);
	if (!tap_fastpath_enter(probe, probe->fp, call, base))
		return false;
	tap_call_entered(probe, call, probe->clock);
	return true;
}

/**
 * tap_call_enter_shaped() - tap_call_enter() of a plain probe, which has no tests
 * @probe: a plain probe of @shape
 * @call: memory of tap_call_size() bytes. @flags and @absent are not written: the caller
 *	of tap_call_leave() must set them to 0
 * @base: registers or arguments at the entry
 * @shape: shape of @probe; a constant
 *
 * Context: any, preemption off.
 */
static __always_inline void
tap_call_enter_shaped(struct tapmod_probe *probe, struct tap_call *call,
		      const void *base, int shape)
{
	u64 *words = call->words + TAP_CALL_FETCHES;
	int i;

#pragma GCC unroll 8
	for (i = 0; i < tap_shape_words(shape); i++)
		words[i] = tap_shape_word(probe, base, shape, i, false);
	tap_call_entered(probe, call, TAPMOD_CLOCK_RAW);
}

/* Flags for a task that was switched out since the entry: a task moves only when it is. */
static __always_inline u32 tap_call_moves(const struct tap_call *call)
{
	if (likely(call->switches == tap_switches()))
		return 0;
	return call->cpu != raw_smp_processor_id() ?
	       TAP_F_MIGRATED | TAP_F_DESCHEDULED : TAP_F_DESCHEDULED;
}

/*
 * Records a call by the fast path @fp of its program; false, with nothing recorded or counted, if
 * @fp is NULL, the return needs the interpreter, or tap_fastpath_leave() says so.
 */
static __always_inline bool
tap_call_leave_fast(struct tapmod_probe *probe, const struct tap_fastpath *fp,
		    const struct tap_call *call, u64 retval, u32 flags)
{
	return likely(fp && !probe->prog.ret.end && !probe->counts &&
		      !(flags & TAP_F_NO_RETURN)) &&
	       likely(tap_fastpath_leave(probe, fp, call, retval, flags));
}

/**
 * tap_call_leave() - test a call at its return, and record or count it
 * @probe: see tap_call_enter()
 * @call: as tap_call_enter() left it
 * @base: registers or arguments at the return; not read if the program has no part for
 *	the return
 * @retval: return value
 * @flags: further TAP_F_* of the record
 *
 * A record's duration ends at the record's own time, so the entry was exactly at
 * time - duration.
 *
 * Context: any, preemption off.
 */
static __always_inline void
tap_call_leave(struct tapmod_probe *probe, struct tap_call *call, const void *base,
	       u64 retval, u32 flags)
{
	flags |= call->flags | tap_call_moves(call);
	if (!tap_call_leave_fast(probe, probe->fp, call, retval, flags))
		tap_call_end(probe, call, base, retval, flags);
}

/**
 * tap_call_leave_shaped() - record a call of a plain probe, if its task was not switched out
 * @probe: a plain probe of @shape
 * @call: as tap_call_enter_shaped() left it
 * @retval: return value
 * @shape: shape of @probe; a constant
 *
 * Context: any, preemption off.
 * Return: true if the call was recorded, or counted as lost; false if nothing happened:
 *	then the caller must call tap_call_leave().
 */
static __always_inline bool
tap_call_leave_shaped(struct tapmod_probe *probe, const struct tap_call *call,
		      u64 retval, int shape)
{
	struct tap_ring_writer *w = tap_event_writer(probe);
	const u64 *words = call->words + TAP_CALL_FETCHES;
	const int nr = tap_shape_words(shape), slots = tap_shape_slots(nr + TAP_CALL_FETCHES);
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
	rec->value[TAP_CALL_DURATION] = tap_call_lasted(resv.time, call->entry);
	rec->value[TAP_CALL_RETVAL] = retval;
	for (i = 0; i < TAP_FIRST_VALUES - TAP_CALL_FETCHES; i++)
		rec->value[TAP_CALL_FETCHES + i] = i < nr ? words[i] : 0;
	if (slots > 1) {
		struct tap_slot *slot = tap_record_slot(head, w->mask, resv.pos + TAP_SLOT_SIZE, 1);

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

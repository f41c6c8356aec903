// SPDX-License-Identifier: GPL-2.0
/*
 * The hot path where a program is more than a few loads. The rules of handler.h
 * hold here as well.
 */
#include <linux/kprobes.h>
#include <linux/string.h>

#include "exec/aggregate.h"
#include "exec/call.h"
#include "exec/handler.h"
#include "exec/verifier.h"
#include "perf/call_counters.h"

/* Reserves a record of the probe's length; false if it is lost, and counted. */
static __always_inline bool
tap_event_reserve(const struct tapmod_probe *probe, struct tap_cursor *c,
		  struct tap_resv *resv)
{
	struct tap_ring_writer *w = &raw_cpu_ptr(probe->rings)->w;
	unsigned int slots = (probe->ident >> 16) & 0xff;

	*resv = tap_ring_reserve(w, slots << TAP_SLOT_SHIFT);
	if (unlikely(resv->pos & TAP_RESV_FAILED)) {
		tap_event_lost(probe, resv->pos);
		return false;
	}
	tap_cursor_begin(c, w, tap_ring_slot(w, resv->pos), resv->pos);
	return true;
}

/* Publishes the record; the hit itself is counted. */
static __always_inline void
tap_event_commit(struct tap_interp *interp, const struct tap_resv *resv,
		 unsigned int trap)
{
	const struct tapmod_probe *probe = interp->probe;

	tap_cursor_fill(&interp->c);
	tap_record_publish(tap_ring_slot(interp->c.w, resv->pos), probe, resv,
			   tap_context(trap) | interp->flags);
	this_cpu_inc(probe->counters->written);
}

/* Runs the tests of a part and counts the hit if that is its end. */
static __always_inline bool
tap_event_passes(struct tap_interp *interp, const struct tap_part *part)
{
	enum tap_verdict verdict = tap_interp_run(interp, part, 0, part->tests, true);

	if (verdict == TAP_PASSED)
		return true;
	tap_event_rejected(interp->probe, verdict);
	return false;
}

/* A hit that is aggregated: its words go to an array, and from there. */
static noinline void
tap_event_aggregated(struct tap_interp *interp, const struct tap_part *part)
{
	const struct tapmod_probe *probe = interp->probe;
	u64 words[TAP_MAX_AGG_WORDS] __uninitialized;

	interp->c.next = words;
	interp->c.end = words + probe->prog.words;
	tap_interp_run(interp, part, part->tests, part->end, false);
	tap_aggregate_event(probe, words, interp->absent);
}
NOKPROBE_SYMBOL(tap_event_aggregated);

/* A hit that makes no record; false if it is to make one. */
static __always_inline bool
tap_event_counted(struct tap_interp *interp, const struct tap_part *part)
{
	const struct tapmod_probe *probe = interp->probe;

	if (likely(!probe->counts))
		return false;
	this_cpu_inc(probe->counters->aggregated);
	if (probe->agg)
		tap_event_aggregated(interp, part);
	return true;
}

/* Records a hit that has passed its tests. */
static __always_inline void tap_event_record(struct tap_interp *interp, unsigned int trap)
{
	const struct tapmod_probe *probe = interp->probe;
	const struct tap_part *part = &probe->prog.entry;
	struct tap_resv resv;

	this_cpu_inc(probe->counters->hits);
	if (tap_event_counted(interp, part) || !tap_event_reserve(probe, &interp->c, &resv))
		return;
	tap_interp_run(interp, part, part->tests, part->end, false);
	tap_event_commit(interp, &resv, trap);
}

/**
 * tap_event_tested() - record a hit that has passed its tests
 * @probe: a probe with any program
 * @base: registers or arguments
 * @trap: as tap_context()
 *
 * Context: any, preemption off.
 */
void tap_event_tested(struct tapmod_probe *probe, const void *base,
		      unsigned int trap)
{
	struct tap_interp interp __uninitialized;

	tap_interp_begin(&interp, probe, &probe->prog.entry, base);
	tap_event_record(&interp, trap);
}
NOKPROBE_SYMBOL(tap_event_tested);

/**
 * tap_event_program() - test and record a hit
 * @probe: a probe with any program
 * @base: registers or arguments
 * @trap: as tap_context()
 *
 * Context: any, preemption off.
 * Return: 0, as handlers do.
 */
int tap_event_program(struct tapmod_probe *probe, const void *base,
		      unsigned int trap)
{
	struct tap_interp interp __uninitialized;

	tap_interp_begin(&interp, probe, &probe->prog.entry, base);
	if (tap_event_passes(&interp, &probe->prog.entry))
		tap_event_record(&interp, trap);
	return 0;
}
NOKPROBE_SYMBOL(tap_event_program);

/**
 * tap_event_sample() - test and record a hit that has data of its own
 * @probe: a probe with any program
 * @event: the data
 * @size: its bytes, at least the event_size of the probe's environment
 * @regs: what perf has of the registers
 * @trap: as tap_context()
 *
 * Context: any, preemption off.
 */
void tap_event_sample(struct tapmod_probe *probe, const void *event, u32 size,
		      struct pt_regs *regs, unsigned int trap)
{
	struct tap_interp interp __uninitialized;

	tap_interp_begin(&interp, probe, &probe->prog.entry, event);
	interp.size = size;
	interp.regs = regs;
	if (tap_event_passes(&interp, &probe->prog.entry))
		tap_event_record(&interp, trap);
}
NOKPROBE_SYMBOL(tap_event_sample);

/**
 * tap_event_wanted() - only test a hit
 * @probe: a probe whose tests can be told from its fetches
 * @base: registers or arguments
 *
 * Context: any, preemption off.
 * Return: false if it is rejected, and counted.
 */
bool tap_event_wanted(struct tapmod_probe *probe, const void *base)
{
	struct tap_interp interp __uninitialized;

	tap_interp_begin(&interp, probe, &probe->prog.entry, base);
	return tap_event_passes(&interp, &probe->prog.entry);
}
NOKPROBE_SYMBOL(tap_event_wanted);

/* What the counters are at a call's entry. */
static void tap_call_count(const struct tapmod_probe *probe, struct tap_call *call)
{
	u64 *to = call->words + tap_call_words(probe);
	unsigned int i;

	for (i = 0; i < probe->prog.nr_pmu; i++)
		to[i] = tap_pmu_read(probe->pmu, i);
}
NOKPROBE_SYMBOL(tap_call_count);

/**
 * tap_call_begin() - begin a call, whatever its program is
 * @probe: as in tap_call_enter()
 * @call: as there
 * @base: as there
 *
 * Context: any, preemption off.
 * Return: false if the call is not wanted; that is counted.
 */
bool tap_call_begin(struct tapmod_probe *probe, struct tap_call *call,
		    const void *base)
{
	const struct tap_part *part = &probe->prog.entry;
	struct tap_interp interp __uninitialized;

	tap_interp_begin(&interp, probe, part, base);
	if (!tap_event_passes(&interp, part))
		return false;
	interp.c.next = call->words + TAP_CALL_FETCHES;
	interp.c.end = call->words + probe->prog.entry_words;
	tap_interp_run(&interp, part, part->tests, part->end, false);
	call->flags = interp.flags;
	call->absent = interp.absent;
	/* Behind all other work, which is not to be in them. */
	if (probe->prog.nr_pmu)
		tap_call_count(probe, call);
	return true;
}
NOKPROBE_SYMBOL(tap_call_begin);

/**
 * tap_call_emit_entry() - record that a call was entered
 * @probe: of a kind that does so, whose hits make records
 * @call: as tap_call_enter() left it
 *
 * The record has the words that the one of the return will have, but for those
 * that the return brings. What it takes to make it is not in the duration, nor in
 * the counters.
 *
 * Context: any, preemption off.
 */
void tap_call_emit_entry(struct tapmod_probe *probe, struct tap_call *call)
{
	const u64 *words = call->words + TAP_CALL_FETCHES;
	const u64 *end = call->words + probe->prog.entry_words;
	struct tap_interp interp __uninitialized;
	struct tap_resv resv;

	this_cpu_inc(probe->counters->hits);
	if (tap_event_reserve(probe, &interp.c, &resv)) {
		*tap_cursor_next(&interp.c) = 0;
		*tap_cursor_next(&interp.c) = 0;
		while (words < end)
			*tap_cursor_next(&interp.c) = *words++;
		interp.probe = probe;
		interp.flags = call->flags | TAP_F_ENTRY;
		tap_event_commit(&interp, &resv, 0);
	}
	if (probe->prog.nr_pmu)
		tap_call_count(probe, call);
	call->entry = tap_clock_read(probe->raw);
}
NOKPROBE_SYMBOL(tap_call_emit_entry);

/*
 * By how much the counters grew. No number is made up for a call that was not on
 * this CPU from its begin to its end, or alone there.
 */
static __always_inline void
tap_call_counted_by(struct tap_interp *interp, const struct tap_call *call)
{
	const struct tapmod_probe *probe = interp->probe;
	const u64 *from = call->words + tap_call_words(probe);
	const u32 moved = TAP_F_MIGRATED | TAP_F_DESCHEDULED | TAP_F_NO_RETURN;
	unsigned int i;

	for (i = 0; i < probe->prog.nr_pmu; i++) {
		u64 now = TAP_PMU_NONE;

		if (!(interp->flags & moved)) {
			now = tap_pmu_read(probe->pmu, i);
			if (now == TAP_PMU_NONE || from[i] == TAP_PMU_NONE) {
				now = TAP_PMU_NONE;
				interp->flags |= TAP_F_MULTIPLEXED;
			} else {
				now -= from[i];
			}
		}
		interp->pmu[i] = now;
	}
}

/* A call that is aggregated has room for all words where its entry left some. */
static bool tap_call_counted(struct tap_interp *interp, struct tap_call *call, u64 retval)
{
	const struct tapmod_probe *probe = interp->probe;
	const struct tap_part *part = &probe->prog.ret;

	if (likely(!probe->counts))
		return false;
	this_cpu_inc(probe->counters->aggregated);
	if (!probe->agg)
		return true;
	interp->c.next = call->words + probe->prog.entry_words;
	interp->c.end = call->words + probe->prog.words;
	tap_interp_run(interp, part, part->tests, part->end, false);
	call->words[TAP_CALL_DURATION] = interp->lasted;
	call->words[TAP_CALL_RETVAL] = retval;
	tap_aggregate_event(probe, call->words, interp->absent);
	return true;
}
NOKPROBE_SYMBOL(tap_call_counted);

/**
 * tap_call_end() - end a call, whatever its program is
 * @probe: as in tap_call_leave()
 * @call: as there
 * @base: as there
 * @retval: as there
 * @flags: of the record
 *
 * Context: any, preemption off.
 */
void tap_call_end(struct tapmod_probe *probe, struct tap_call *call,
		  const void *base, u64 retval, u32 flags)
{
	const struct tap_part *part = &probe->prog.ret;
	const u64 *words = call->words + TAP_CALL_FETCHES;
	const u64 *end = call->words + probe->prog.entry_words;
	struct tap_resv resv;
	struct tap_interp interp __uninitialized;

	tap_interp_begin(&interp, probe, part, base);
	interp.flags = flags;
	interp.absent = call->absent;
	interp.words = call->words;
	if (probe->prog.nr_pmu)
		tap_call_counted_by(&interp, call);
	interp.lasted = flags & TAP_F_NO_RETURN ?
		    0 : tap_clock_read(probe->raw) - call->entry;
	if (!tap_event_passes(&interp, part)) {
		/* Nor is it under way any more. */
		this_cpu_dec(probe->counters->entered);
		return;
	}
	this_cpu_inc(probe->counters->hits);
	if (probe->redact && tap_is_address(retval)) {
		retval = 0;
		interp.flags |= TAP_F_REDACTED;
	}
	if (tap_call_counted(&interp, call, retval) ||
	    !tap_event_reserve(probe, &interp.c, &resv))
		return;
	*tap_cursor_next(&interp.c) = flags & TAP_F_NO_RETURN ? 0 :
				  resv.time - call->entry;
	*tap_cursor_next(&interp.c) = retval;
	while (words < end)
		*tap_cursor_next(&interp.c) = *words++;
	tap_interp_run(&interp, part, part->tests, part->end, false);
	tap_event_commit(&interp, &resv, 0);
}
NOKPROBE_SYMBOL(tap_call_end);

/* Takes over an output that was absent; returns flags for the record. */
static u32 tap_call_take_deferred(struct tap_call *call, const u64 *words,
				  const struct tap_op *op, unsigned int at)
{
	u64 *to = call->words + at;

	memcpy(to, words + at, tap_output_words(op) * sizeof(u64));
	if (op->code != TAP_OP_STRING && op->code != TAP_OP_STRING_USER)
		return TAP_F_DEFERRED;
	*to |= TAP_TEXT_DEFERRED;
	return *to & TAP_TEXT_TRUNCATED ? TAP_F_DEFERRED | TAP_F_TRUNCATED : TAP_F_DEFERRED;
}
NOKPROBE_SYMBOL(tap_call_take_deferred);

/**
 * tap_call_read_deferred() - ask once more for what could not be read at a call's entry
 * @probe: as in tap_call_enter()
 * @call: as it left it, with absent outputs
 * @base: as it was there
 * @words: room for the words of the entry
 *
 * All outputs are made once more, elsewhere; of those that were absent the call
 * takes over what is there now. A stack is another one by now.
 *
 * Context: any, preemption off.
 */
void tap_call_read_deferred(const struct tapmod_probe *probe, struct tap_call *call,
			    const void *base, u64 *words)
{
	const struct tap_part *part = &probe->prog.entry;
	unsigned int i, at = TAP_CALL_FETCHES;
	struct tap_interp interp __uninitialized;

	tap_interp_begin(&interp, probe, part, base);
	/* For what they leave in registers; memory may be another now. */
	if (tap_interp_run(&interp, part, 0, part->tests, true) != TAP_PASSED)
		return;
	interp.c.next = words + TAP_CALL_FETCHES;
	interp.c.end = words + probe->prog.entry_words;
	tap_interp_run(&interp, part, part->tests, part->end, false);
	for (i = part->tests; i < part->end; i++) {
		const struct tap_op *op = &probe->prog.ops[i];
		u64 bit;

		if (op->dst != TAP_OP_OUT)
			continue;
		bit = BIT_ULL(part->insns[i].dst - TAP_DST_OUT);
		if (call->absent & ~interp.absent & bit && op->code != TAP_OP_KSTACK &&
		    op->code != TAP_OP_USTACK) {
			call->flags |= tap_call_take_deferred(call, words, op, at);
			call->absent &= ~bit;
		}
		if (op->code == TAP_OP_VAR && op->off == TAP_VAR_ABSENT &&
		    !(call->absent & bit))
			call->words[at] = call->absent & (bit - 1);
		at += tap_output_words(op);
	}
	call->flags |= interp.flags & TAP_F_REDACTED;
	if (!call->absent)
		call->flags &= ~TAP_F_ABSENT;
}
NOKPROBE_SYMBOL(tap_call_read_deferred);

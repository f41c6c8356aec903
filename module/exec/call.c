// SPDX-License-Identifier: GPL-2.0
/*
 * Calls whose program needs the interpreter: their entry, their return, and the
 * deferred reads of user memory. The rules of handler.h hold.
 */
#include <linux/kprobes.h>
#include <linux/string.h>

#include "exec/aggregate.h"
#include "exec/call.h"
#include "exec/interpreter.h"
#include "exec/verifier.h"
#include "perf/call_counters.h"

/* Reads the counters at a call's entry. */
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
	/* Last, so that our own work is not counted. */
	if (probe->prog.nr_pmu)
		tap_call_count(probe, call);
	return true;
}
NOKPROBE_SYMBOL(tap_call_begin);

/**
 * tap_call_emit_entry() - record that a call was entered
 * @probe: of a kind that records entries, and whose events make records
 * @call: as tap_call_enter() left it
 *
 * The record has the words of the record of the return, but for those that only the
 * return knows. The cost of this record is in neither the duration nor the counters.
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
 * By how much the counters grew. There is no number for a call that was not on this
 * CPU from its entry to its return, or not alone there.
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

/* Aggregates a call, which has room for all words behind those of its entry. */
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
		/* It is no longer in flight either. */
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

/* Copies an output that was faulted before; returns flags for the record. */
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
 * tap_call_read_deferred() - read again what could not be read at a call's entry
 * @probe: as in tap_call_enter()
 * @call: as tap_call_enter() left it, with absent outputs
 * @base: the registers or arguments of the entry
 * @words: room for the words of the entry
 *
 * All outputs are made once more, in @words; those that were absent and are there now
 * are copied to the call. Stacks are not: by now they are others.
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
	/* The tests leave values in registers. Memory may have changed meanwhile. */
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

// SPDX-License-Identifier: GPL-2.0
/*
 * Entry and return of a call whose program needs the interpreter, and the deferred reads
 * of user memory. The rules of handler.h hold.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/string.h>

#include "exec/call.h"
#include "exec/call_run.h"
#include "exec/call_task.h"
#include "exec/interpreter.h"
#include "exec/span.h"
#include "exec/verifier.h"
#include "perf/call_counters.h"

/**
 * tap_call_enclosed() - %TAP_VAR_ENCLOSED
 * @probe: a probe with @kretprobe_at
 * @words: @words of the struct tap_call of the call that returns
 *
 * Only probes of this module have a handler in it, and in all of them the kretprobe is at the same
 * distance.
 *
 * Context: any, preemption off.
 * Return: whether the session has another call around this one.
 */
bool tap_call_enclosed(const struct tapmod_probe *probe, const u64 *words)
{
	void *call = container_of((void *)words, struct tap_call, words);
	struct kretprobe_instance *ri = container_of(call, struct kretprobe_instance, data);
	const struct tap_open_call *node = tap_kretprobe_outer(ri);
	unsigned int left = TAP_MAX_NESTED;
	const struct tapmod_probe *outer;
	const struct kretprobe *rp;

	for (; node && left--; node = node->next) {
		rp = tap_kretprobe_around(ri, node);
		if (!rp || !within_module_core((unsigned long)rp->handler, THIS_MODULE))
			continue;
		outer = (const void *)rp - probe->kretprobe_at;
		if (outer->session == probe->session)
			return true;
	}
	return false;
}
NOKPROBE_SYMBOL(tap_call_enclosed);

/* Stores the counters of a call's entry behind its words. */
static void tap_call_count(const struct tapmod_probe *probe, struct tap_call *call)
{
	u64 *to = call->words + tap_call_words(probe);
	unsigned int i;

	for (i = 0; i < probe->prog.nr_pmu; i++)
		to[i] = tap_pmu_read(probe->pmu, i);
}
NOKPROBE_SYMBOL(tap_call_count);

/* tap_call_begin() without a fast path. */
noinline bool
tap_call_interpret(struct tapmod_probe *probe, struct tap_call *call, const void *base)
{
	unsigned int trap = unlikely(probe->traps) ? tap_kprobe_trap_count() : 0;
	const struct tap_part *part = &probe->prog.entry;
	struct tap_interp interp __uninitialized;

	tap_interp_begin(&interp, probe, part, base, trap);
	if (!tap_event_passes(&interp, part))
		return false;
	interp.c.next = call->words + TAP_CALL_FETCHES;
	interp.c.end = call->words + probe->prog.entry_words;
	tap_interp_run(&interp, part, part->tests, part->end, false);
	call->flags = interp.flags;
	call->absent = interp.absent;
	/*
	 * The counters are read behind the time of the entry, and before that of the return: so
	 * none that counts time has counted more than the duration.
	 */
	tap_call_entered(probe, call, probe->clock);
	if (probe->task_words)
		tap_call_in_task(probe, call, trap);
	if (probe->prog.nr_pmu)
		tap_call_count(probe, call);
	return true;
}
NOKPROBE_SYMBOL(tap_call_interpret);

/**
 * tap_call_begin() - the entry of a call whose probe has no @fp
 * @probe: see tap_call_enter()
 * @call: see tap_call_enter()
 * @base: see tap_call_enter()
 *
 * Context: any, preemption off.
 * Return: false if a test rejected the call; that is counted.
 */
bool tap_call_begin(struct tapmod_probe *probe, struct tap_call *call, const void *base)
{
	return probe->task_words ? tap_call_begin_in_task(probe, call, base) :
				   tap_call_interpret(probe, call, base);
}
NOKPROBE_SYMBOL(tap_call_begin);

/**
 * tap_call_emit_entry() - write the entry record of a call
 * @probe: a funcgraph probe whose events make records
 * @call: as tap_call_enter() left it
 *
 * The entry record has the words of the record at the return; duration, return value and
 * the outputs of the return are 0. Time and counters of the entry are read again at the
 * end: the duration and the counters of the call do not include this record.
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
		/* Every slot that was reserved needs its sequence word: readers check it. */
		for (end = call->words + probe->prog.words; words < end; words++)
			*tap_cursor_next(&interp.c) = 0;
		interp.probe = probe;
		interp.flags = call->flags | TAP_F_ENTRY;
		tap_event_commit(&interp, &resv, 0);
	}
	call->entry = tap_clock_read(probe->clock);
	if (probe->prog.nr_pmu)
		tap_call_count(probe, call);
}
NOKPROBE_SYMBOL(tap_call_emit_entry);

/*
 * Stores by how much each counter grew since the entry; TAP_PMU_NONE if the task moved or
 * was switched out meanwhile: a counter belongs to its CPU, not to a task.
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

/* Starts the program's part for the return, and runs its tests: false if one rejected the call. */
static __always_inline bool
tap_call_returned(struct tap_interp *interp, struct tapmod_probe *probe, struct tap_call *call,
		  const void *base, u64 *retval, u32 flags, struct tap_divided_time *divided)
{
	const struct tap_part *part = &probe->prog.ret;

	tap_interp_begin(interp, probe, part, base, 0);
	interp->flags = flags;
	interp->absent = call->absent;
	interp->words = call->words;
	interp->divided = divided;
	if (probe->prog.nr_pmu)
		tap_call_counted_by(interp, call);
	if (divided)
		interp->lasted = tap_call_lasted(divided->now, call->entry);
	else if (probe->prog.lasts || probe->collects)
		interp->lasted = flags & TAP_F_NO_RETURN ?
			    0 : tap_call_lasted(tap_clock_read(probe->clock), call->entry);
	if (!tap_event_passes(interp, part)) {
		/* tap_event_passes() has counted it; "entered" must not count it as in flight. */
		this_cpu_dec(probe->counters->entered);
		return false;
	}
	this_cpu_inc(probe->counters->hits);
	if (probe->redact && tap_is_address(*retval)) {
		*retval = 0;
		interp->flags |= TAP_F_REDACTED;
	}
	return true;
}

/*
 * tap_call_finish() of a probe that makes no records. If the words of a call are collected,
 * call->words has room for those of the return too: see tap_call_words().
 */
void tap_call_finish_counted(struct tapmod_probe *probe, struct tap_call *call, const void *base,
			     u64 retval, u32 flags, struct tap_divided_time *divided)
{
	const struct tap_part *part = &probe->prog.ret;
	struct tap_interp interp __uninitialized;

	if (!tap_call_returned(&interp, probe, call, base, &retval, flags, divided))
		return;
	this_cpu_inc(probe->counters->aggregated);
	if (!probe->collects)
		return;
	interp.c.next = call->words + probe->prog.entry_words;
	interp.c.end = call->words + probe->prog.words;
	tap_interp_run(&interp, part, part->tests, part->end, false);
	call->words[TAP_CALL_DURATION] = interp.lasted;
	call->words[TAP_CALL_RETVAL] = retval;
	tap_event_collected(probe, call->words, interp.absent, tap_context(0) | interp.flags);
}
NOKPROBE_SYMBOL(tap_call_finish_counted);

/* tap_call_finish() of a probe that makes records. */
void tap_call_finish_recorded(struct tapmod_probe *probe, struct tap_call *call, const void *base,
			      u64 retval, u32 flags, struct tap_divided_time *divided)
{
	const struct tap_part *part = &probe->prog.ret;
	const u64 *words = call->words + TAP_CALL_FETCHES;
	const u64 *end = call->words + probe->prog.entry_words;
	struct tap_resv resv;
	struct tap_interp interp __uninitialized;

	if (!tap_call_returned(&interp, probe, call, base, &retval, flags, divided) ||
	    !tap_event_reserve(probe, &interp.c, &resv))
		return;
	if (divided) {
		tap_divided_until(divided, resv.time);
		interp.lasted = tap_call_lasted(resv.time, call->entry);
	}
	*tap_cursor_next(&interp.c) = flags & TAP_F_NO_RETURN ? 0 :
				  tap_call_lasted(resv.time, call->entry);
	*tap_cursor_next(&interp.c) = retval;
	while (words < end)
		*tap_cursor_next(&interp.c) = *words++;
	tap_interp_run(&interp, part, part->tests, part->end, false);
	tap_event_commit(&interp, &resv, 0);
}
NOKPROBE_SYMBOL(tap_call_finish_recorded);

/*
 * As tap_call_end(), of a call whose fast path has the first test of the return. Not inlined, so
 * that others do not pay for its registers.
 */
static noinline void
tap_call_end_tested(struct tapmod_probe *probe, struct tap_call *call, const void *base,
		    u64 retval, u32 flags)
{
	const struct tap_fastpath_op *op = &probe->fp->at_return;
	u64 value = *(const u64 *)(base + op->at);

	if (unlikely(!tap_fastpath_rejects(op, tap_arith_extend(value, op->shift, op->sign)))) {
		tap_call_finish(probe, call, base, retval, flags, NULL);
		return;
	}
	tap_event_rejected(probe, TAP_REJECTED);
	/* "entered" must not count it as in flight. */
	this_cpu_dec(probe->counters->entered);
}
NOKPROBE_SYMBOL(tap_call_end_tested);

/**
 * tap_call_end() - run the return of a call's program in the interpreter, and record it
 * @probe: see tap_call_leave()
 * @call: see tap_call_leave()
 * @base: see tap_call_leave()
 * @retval: see tap_call_leave()
 * @flags: flags of the record, those of @call included
 *
 * Context: any, preemption off.
 */
void tap_call_end(struct tapmod_probe *probe, struct tap_call *call,
		  const void *base, u64 retval, u32 flags)
{
	if (probe->task_words)
		tap_call_end_in_task(probe, call, base, retval, flags);
	else if (probe->fp && probe->fp->returns && !(flags & TAP_F_NO_RETURN))
		tap_call_end_tested(probe, call, base, retval, flags);
	else
		tap_call_finish(probe, call, base, retval, flags, NULL);
}
NOKPROBE_SYMBOL(tap_call_end);

/* Copies an output that was absent at the entry; returns flags for the record. */
static u32 tap_call_take_deferred(struct tap_call *call, const u64 *words,
				  const struct tap_op *op, unsigned int at)
{
	u64 *to = call->words + at;

	memcpy(to, words + at, tap_output_words(op) * sizeof(u64));
	if (op->code != TAP_OP_STRING && op->code != TAP_OP_STRING_USER &&
	    op->code < TAP_OP_JOIN)
		return TAP_F_DEFERRED;
	*to |= TAP_TEXT_DEFERRED;
	return *to & TAP_TEXT_TRUNCATED ? TAP_F_DEFERRED | TAP_F_TRUNCATED : TAP_F_DEFERRED;
}
NOKPROBE_SYMBOL(tap_call_take_deferred);

/* Whether an output is of memory: all others are other ones than they were at the entry. */
static bool tap_call_reads(const struct tap_op *op)
{
	switch (op->code) {
	case TAP_OP_KSTACK:
	case TAP_OP_USTACK:
	case TAP_OP_USTACK_COPY:
	case TAP_OP_PMU:
	case TAP_OP_CAPTURED:
		return false;
	default:
		return true;
	}
}
NOKPROBE_SYMBOL(tap_call_reads);

/**
 * tap_call_read_deferred() - repeat the entry, to read memory that was not present there
 * @probe: see tap_call_enter()
 * @call: as tap_call_enter() left it, with absent outputs
 * @base: a copy of the registers or arguments of the entry
 * @words: scratch memory for the words of the entry
 *
 * All outputs are made again, in @words. Those that were absent and can be read now are
 * copied to @call. Others than those of memory are not copied: see tap_call_reads().
 *
 * Context: any, preemption off.
 */
void tap_call_read_deferred(const struct tapmod_probe *probe, struct tap_call *call,
			    const void *base, u64 *words)
{
	const struct tap_part *part = &probe->prog.entry;
	unsigned int i, at = TAP_CALL_FETCHES;
	struct tap_interp interp __uninitialized;

	tap_interp_begin(&interp, probe, part, base, TAP_TRAP_AGAIN);
	/*
	 * Run the tests: they leave values in registers that the outputs use. They may
	 * reject the event now, because memory has changed: then nothing is deferred.
	 */
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
		if (call->absent & ~interp.absent & bit && tap_call_reads(op)) {
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

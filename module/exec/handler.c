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
#include "perf/call_counters.h"

/* Reserves a record of the probe's length; false if it is lost, and counted. */
static __always_inline bool
tap_hit_reserve(const struct tap_probe *probe, struct tap_cursor *c,
		struct tap_resv *resv)
{
	struct tap_ring_writer *w = &raw_cpu_ptr(probe->rings)->w;
	unsigned int slots = (probe->ident >> 16) & 0xff;

	*resv = tap_ring_reserve(w, slots << TAP_SLOT_SHIFT);
	if (unlikely(resv->pos & TAP_RESV_FAILED)) {
		tap_hit_lost(probe, resv->pos);
		return false;
	}
	tap_cursor_begin(c, w, tap_ring_slot(w, resv->pos), resv->pos);
	return true;
}

/* Publishes the record; the hit itself is counted. */
static __always_inline void
tap_hit_commit(struct tap_vm *vm, const struct tap_resv *resv,
	       unsigned int trap)
{
	const struct tap_probe *probe = vm->probe;

	tap_cursor_fill(&vm->c);
	tap_record_publish(tap_ring_slot(vm->c.w, resv->pos), probe, resv,
			   tap_context(trap) | vm->flags);
	this_cpu_inc(probe->counters->written);
}

/* Runs the tests of a part and counts the hit if that is its end. */
static __always_inline bool
tap_hit_passes(struct tap_vm *vm, const struct tap_part *part)
{
	enum tap_verdict verdict = tap_vm_run(vm, part, 0, part->tests, true);

	if (verdict == TAP_PASSED)
		return true;
	tap_hit_refused(vm->probe, verdict);
	return false;
}

/* A hit that is aggregated: its words go to an array, and from there. */
static noinline void
tap_hit_aggregated(struct tap_vm *vm, const struct tap_part *part)
{
	const struct tap_probe *probe = vm->probe;
	u64 words[TAP_MAX_AGG_WORDS] __uninitialized;

	vm->c.next = words;
	vm->c.end = words + probe->prog.words;
	tap_vm_run(vm, part, part->tests, part->end, false);
	tap_aggregate_hit(probe, words, vm->absent);
}
NOKPROBE_SYMBOL(tap_hit_aggregated);

/* A hit that makes no record; false if it is to make one. */
static __always_inline bool
tap_hit_counted(struct tap_vm *vm, const struct tap_part *part)
{
	const struct tap_probe *probe = vm->probe;

	if (likely(!probe->counts))
		return false;
	this_cpu_inc(probe->counters->aggregated);
	if (probe->agg)
		tap_hit_aggregated(vm, part);
	return true;
}

/* Records a hit that has passed its tests. */
static __always_inline void tap_hit_record(struct tap_vm *vm, unsigned int trap)
{
	const struct tap_probe *probe = vm->probe;
	const struct tap_part *part = &probe->prog.entry;
	struct tap_resv resv;

	this_cpu_inc(probe->counters->hits);
	if (tap_hit_counted(vm, part) || !tap_hit_reserve(probe, &vm->c, &resv))
		return;
	tap_vm_run(vm, part, part->tests, part->end, false);
	tap_hit_commit(vm, &resv, trap);
}

/**
 * tap_hit_tested() - record a hit that has passed its tests
 * @probe: a probe with any program
 * @base: registers or arguments
 * @trap: as tap_context()
 *
 * Context: any, preemption off.
 */
void tap_hit_tested(struct tap_probe *probe, const void *base,
		    unsigned int trap)
{
	struct tap_vm vm __uninitialized;

	tap_vm_begin(&vm, probe, &probe->prog.entry, base);
	tap_hit_record(&vm, trap);
}
NOKPROBE_SYMBOL(tap_hit_tested);

/**
 * tap_hit_program() - test and record a hit
 * @probe: a probe with any program
 * @base: registers or arguments
 * @trap: as tap_context()
 *
 * Context: any, preemption off.
 * Return: 0, as handlers do.
 */
int tap_hit_program(struct tap_probe *probe, const void *base,
		    unsigned int trap)
{
	struct tap_vm vm __uninitialized;

	tap_vm_begin(&vm, probe, &probe->prog.entry, base);
	if (tap_hit_passes(&vm, &probe->prog.entry))
		tap_hit_record(&vm, trap);
	return 0;
}
NOKPROBE_SYMBOL(tap_hit_program);

/**
 * tap_hit_event() - test and record a hit that has data of its own
 * @probe: a probe with any program
 * @event: the data
 * @size: its bytes, at least the event_size of the probe's environment
 * @regs: what perf has of the registers
 * @trap: as tap_context()
 *
 * Context: any, preemption off.
 */
void tap_hit_event(struct tap_probe *probe, const void *event, u32 size,
		   struct pt_regs *regs, unsigned int trap)
{
	struct tap_vm vm __uninitialized;

	tap_vm_begin(&vm, probe, &probe->prog.entry, event);
	vm.size = size;
	vm.regs = regs;
	if (tap_hit_passes(&vm, &probe->prog.entry))
		tap_hit_record(&vm, trap);
}
NOKPROBE_SYMBOL(tap_hit_event);

/**
 * tap_hit_wanted() - only test a hit
 * @probe: a probe whose tests can be told from its fetches
 * @base: registers or arguments
 *
 * Context: any, preemption off.
 * Return: false if it is rejected, and counted.
 */
bool tap_hit_wanted(struct tap_probe *probe, const void *base)
{
	struct tap_vm vm __uninitialized;

	tap_vm_begin(&vm, probe, &probe->prog.entry, base);
	return tap_hit_passes(&vm, &probe->prog.entry);
}
NOKPROBE_SYMBOL(tap_hit_wanted);

/* What the counters are at a call's entry. */
static void tap_call_count(const struct tap_probe *probe, struct tap_call *call)
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
bool tap_call_begin(struct tap_probe *probe, struct tap_call *call,
		    const void *base)
{
	const struct tap_part *part = &probe->prog.entry;
	struct tap_vm vm __uninitialized;

	tap_vm_begin(&vm, probe, part, base);
	if (!tap_hit_passes(&vm, part))
		return false;
	vm.c.next = call->words + TAP_CALL_FETCHES;
	vm.c.end = call->words + probe->prog.entry_words;
	tap_vm_run(&vm, part, part->tests, part->end, false);
	call->flags = vm.flags;
	call->absent = vm.absent;
	/* Behind all other work, which is not to be in them. */
	if (probe->prog.nr_pmu)
		tap_call_count(probe, call);
	return true;
}
NOKPROBE_SYMBOL(tap_call_begin);

/**
 * tap_call_announce() - record that a call was entered
 * @probe: of a kind that does so, whose hits make records
 * @call: as tap_call_enter() left it
 *
 * The record has the words that the one of the return will have, but for those
 * that the return brings. What it takes to make it is not in the duration, nor in
 * the counters.
 *
 * Context: any, preemption off.
 */
void tap_call_announce(struct tap_probe *probe, struct tap_call *call)
{
	const u64 *words = call->words + TAP_CALL_FETCHES;
	const u64 *end = call->words + probe->prog.entry_words;
	struct tap_vm vm __uninitialized;
	struct tap_resv resv;

	this_cpu_inc(probe->counters->hits);
	if (tap_hit_reserve(probe, &vm.c, &resv)) {
		*tap_cursor_next(&vm.c) = 0;
		*tap_cursor_next(&vm.c) = 0;
		while (words < end)
			*tap_cursor_next(&vm.c) = *words++;
		vm.probe = probe;
		vm.flags = call->flags | TAP_F_ENTRY;
		tap_hit_commit(&vm, &resv, 0);
	}
	if (probe->prog.nr_pmu)
		tap_call_count(probe, call);
	call->entry = tap_clock_read(probe->raw);
}
NOKPROBE_SYMBOL(tap_call_announce);

/*
 * By how much the counters grew. No number is made up for a call that was not on
 * this CPU from its begin to its end, or alone there.
 */
static __always_inline void
tap_call_counted_by(struct tap_vm *vm, const struct tap_call *call)
{
	const struct tap_probe *probe = vm->probe;
	const u64 *from = call->words + tap_call_words(probe);
	const u32 moved = TAP_F_MIGRATED | TAP_F_DESCHEDULED | TAP_F_NO_RETURN;
	unsigned int i;

	for (i = 0; i < probe->prog.nr_pmu; i++) {
		u64 now = TAP_PMU_NONE;

		if (!(vm->flags & moved)) {
			now = tap_pmu_read(probe->pmu, i);
			if (now == TAP_PMU_NONE || from[i] == TAP_PMU_NONE) {
				now = TAP_PMU_NONE;
				vm->flags |= TAP_F_MULTIPLEXED;
			} else {
				now -= from[i];
			}
		}
		vm->pmu[i] = now;
	}
}

/* A call that is aggregated has room for all words where its entry left some. */
static bool tap_call_counted(struct tap_vm *vm, struct tap_call *call, u64 retval)
{
	const struct tap_probe *probe = vm->probe;
	const struct tap_part *part = &probe->prog.ret;

	if (likely(!probe->counts))
		return false;
	this_cpu_inc(probe->counters->aggregated);
	if (!probe->agg)
		return true;
	vm->c.next = call->words + probe->prog.entry_words;
	vm->c.end = call->words + probe->prog.words;
	tap_vm_run(vm, part, part->tests, part->end, false);
	call->words[TAP_CALL_DURATION] = vm->lasted;
	call->words[TAP_CALL_RETVAL] = retval;
	tap_aggregate_hit(probe, call->words, vm->absent);
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
void tap_call_end(struct tap_probe *probe, struct tap_call *call,
		  const void *base, u64 retval, u32 flags)
{
	const struct tap_part *part = &probe->prog.ret;
	const u64 *words = call->words + TAP_CALL_FETCHES;
	const u64 *end = call->words + probe->prog.entry_words;
	struct tap_resv resv;
	struct tap_vm vm __uninitialized;

	tap_vm_begin(&vm, probe, part, base);
	vm.flags = flags;
	vm.absent = call->absent;
	vm.words = call->words;
	if (probe->prog.nr_pmu)
		tap_call_counted_by(&vm, call);
	vm.lasted = flags & TAP_F_NO_RETURN ?
		    0 : tap_clock_read(probe->raw) - call->entry;
	if (!tap_hit_passes(&vm, part)) {
		/* Nor is it under way any more. */
		this_cpu_dec(probe->counters->entered);
		return;
	}
	this_cpu_inc(probe->counters->hits);
	if (probe->redact && tap_is_address(retval)) {
		retval = 0;
		vm.flags |= TAP_F_REDACTED;
	}
	if (tap_call_counted(&vm, call, retval) ||
	    !tap_hit_reserve(probe, &vm.c, &resv))
		return;
	*tap_cursor_next(&vm.c) = flags & TAP_F_NO_RETURN ? 0 :
				  resv.time - call->entry;
	*tap_cursor_next(&vm.c) = retval;
	while (words < end)
		*tap_cursor_next(&vm.c) = *words++;
	tap_vm_run(&vm, part, part->tests, part->end, false);
	tap_hit_commit(&vm, &resv, 0);
}
NOKPROBE_SYMBOL(tap_call_end);

/* Takes over an output that was absent; returns flags for the record. */
static u32 tap_call_take_late(struct tap_call *call, const u64 *words,
			      const struct tap_op *op, unsigned int at)
{
	u64 *to = call->words + at;

	memcpy(to, words + at, tap_output_words(op) * sizeof(u64));
	if (op->code != TAP_OP_STRING && op->code != TAP_OP_STRING_USER)
		return TAP_F_LATE;
	*to |= TAP_TEXT_LATE;
	return *to & TAP_TEXT_TRUNCATED ? TAP_F_LATE | TAP_F_TRUNCATED : TAP_F_LATE;
}
NOKPROBE_SYMBOL(tap_call_take_late);

/**
 * tap_call_late() - ask once more for what could not be read at a call's entry
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
void tap_call_late(const struct tap_probe *probe, struct tap_call *call,
		   const void *base, u64 *words)
{
	const struct tap_part *part = &probe->prog.entry;
	unsigned int i, at = TAP_CALL_FETCHES;
	struct tap_vm vm __uninitialized;

	tap_vm_begin(&vm, probe, part, base);
	/* For what they leave in registers; memory may be another now. */
	if (tap_vm_run(&vm, part, 0, part->tests, true) != TAP_PASSED)
		return;
	vm.c.next = words + TAP_CALL_FETCHES;
	vm.c.end = words + probe->prog.entry_words;
	tap_vm_run(&vm, part, part->tests, part->end, false);
	for (i = part->tests; i < part->end; i++) {
		const struct tap_op *op = &probe->prog.ops[i];
		u64 bit;

		if (op->dst != TAP_OP_OUT)
			continue;
		bit = BIT_ULL(part->insns[i].dst - TAP_DST_OUT);
		if (call->absent & ~vm.absent & bit && op->code != TAP_OP_KSTACK &&
		    op->code != TAP_OP_USTACK) {
			call->flags |= tap_call_take_late(call, words, op, at);
			call->absent &= ~bit;
		}
		if (op->code == TAP_OP_VAR && op->off == TAP_VAR_ABSENT &&
		    !(call->absent & bit))
			call->words[at] = call->absent & (bit - 1);
		at += tap_output_words(op);
	}
	call->flags |= vm.flags & TAP_F_REDACTED;
	if (!call->absent)
		call->flags &= ~TAP_F_ABSENT;
}
NOKPROBE_SYMBOL(tap_call_late);

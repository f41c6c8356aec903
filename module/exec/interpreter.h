/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interpreter of verified programs: it checks nothing. The rules of handler.h
 * hold. What runs most is inline, the rest is in interpreter.c.
 */
#ifndef _TAPMOD_EXEC_INTERPRETER_H
#define _TAPMOD_EXEC_INTERPRETER_H

#include <linux/bits.h>
#include <linux/sched.h>

#include "common/arith.h"
#include "compat/comm.h"
#include "core/probe.h"
#include "exec/nofault.h"
#include "exec/record_write.h"

struct pt_regs;

/**
 * struct tap_interp - a program that is running, on the stack of its event
 * @probe: whose program
 * @base: registers, arguments, or an event's own data
 * @size: bytes of that data
 * @regs: registers as perf has them, of an event alone
 * @flags: for the record
 * @c: where outputs go. An array ends where its last output does, so that only
 *	a record gets to an end with an output to come.
 * @absent: bit n: output n is absent
 * @special: an output must be looked at: @fault, or the probe redacts
 * @fault: memory could not be read since the last output
 * @words: at a call's return: the words of its entry
 * @lasted: at a call's return: raw ticks since its entry
 * @pmu: there: by how much each counter grew since the entry, or %TAP_PMU_NONE
 * @reg: registers
 */
struct tap_interp {
	const struct tapmod_probe *probe;
	const void *base;
	struct pt_regs *regs;
	u32 size;
	u32 flags;
	struct tap_cursor c;
	u64 absent;
	bool special;
	bool fault;
	const u64 *words;
	u64 lasted;
	u64 pmu[TAP_MAX_PMU];
	u64 reg[TAP_NR_REGISTERS];
};

u64 tap_task_var(unsigned int var, u64 imm);
u64 tap_interp_value(struct tap_interp *interp, const struct tap_insn *insn);
void tap_interp_bytes(struct tap_interp *interp, const struct tap_insn *insn);
u64 tap_interp_special(struct tap_interp *interp, unsigned int output, u64 value);

/* All but @c, which only outputs need. */
static __always_inline void
tap_interp_begin(struct tap_interp *interp, const struct tapmod_probe *probe,
		 const struct tap_part *part, const void *base)
{
	unsigned int i;

	interp->probe = probe;
	interp->base = base;
	interp->flags = 0;
	interp->absent = 0;
	interp->special = probe->redact;
	interp->fault = false;
	if (unlikely(part->clear))
		for (i = 0; i < TAP_NR_REGISTERS; i++)
			interp->reg[i] = 0;
}

static __always_inline void tap_interp_fault(struct tap_interp *interp)
{
	interp->fault = true;
	interp->special = true;
}

static __always_inline void
tap_interp_out(struct tap_interp *interp, unsigned int output, u64 value)
{
	if (unlikely(interp->special))
		value = tap_interp_special(interp, output, value);
	*tap_cursor_next(&interp->c) = value;
}

static __always_inline u64
tap_interp_part_of(const void *at, const struct tap_insn *insn)
{
	u64 value;

	if (insn->size == 4)
		value = *(const u32 *)at;
	else if (insn->size == 2)
		value = *(const u16 *)at;
	else
		value = *(const u8 *)at;
	return insn->sign ? tap_arith_extend(value, TAP_SHIFT(insn->size), true) :
			    value;
}

static __always_inline u64
tap_interp_load(struct tap_interp *interp, const struct tap_insn *insn)
{
	u64 from = interp->reg[insn->src] + insn->off, value = 0;

	if (unlikely(!tap_kernel_read(&value, from, insn->size))) {
		tap_interp_fault(interp);
		return 0;
	}
	return insn->sign ? tap_arith_extend(value, TAP_SHIFT(insn->size), true) :
			    value;
}

static __always_inline bool
tap_interp_jumps(const struct tap_interp *interp, const struct tap_insn *insn)
{
	u64 b = insn->src == TAP_OP_IMM_SRC ? insn->imm : interp->reg[insn->src];

	if (insn->sub == TAP_OP_JUMP)
		return true;
	return tap_arith_jumps(insn->sub, insn->sign, interp->reg[insn->dst], b);
}

/**
 * tap_interp_run() - run instructions of a part
 * @interp: begun; with a cursor if there are outputs among the instructions
 * @part: the part
 * @i: the first instruction
 * @end: behind the last one
 * @testing: a constant: they are its tests
 *
 * Return: the verdict of the tests.
 */
static __always_inline enum tap_verdict
tap_interp_run(struct tap_interp *interp, const struct tap_part *part, unsigned int i,
	       unsigned int end, bool testing)
{
	const struct tap_insn *insn = part->insns + i;
	const struct tap_insn *stop = part->insns + end;
	u64 value;

	for (; insn < stop; insn++) {
		if (likely(insn->code == TAP_INSN_BASE)) {
			value = *(const u64 *)(interp->base + insn->off);
		} else if (insn->code <= TAP_INSN_JUMP) {
			if (insn->code == TAP_INSN_JNE ?
			    interp->reg[insn->dst] == insn->imm :
			    !tap_interp_jumps(interp, insn))
				continue;
			if (testing && insn->off < 0)
				return TAP_REJECTED;
			insn += insn->off;
			continue;
		} else if (insn->code == TAP_INSN_TGID) {
			value = current->tgid;
		} else if (insn->code == TAP_INSN_LOAD) {
			value = tap_interp_load(interp, insn);
		} else if (insn->code == TAP_INSN_BASE_PART) {
			value = tap_interp_part_of(interp->base + insn->off, insn);
		} else if (insn->code == TAP_INSN_VALUE) {
			value = tap_interp_value(interp, insn);
		} else if (testing) {
			/* No outputs here. */
			continue;
		} else if (insn->code == TAP_INSN_COMM) {
			/* Text is no address; it takes the mark all the same. */
			if (unlikely(interp->special))
				tap_interp_special(interp, insn->dst - TAP_DST_OUT, 0);
			*tap_cursor_next(&interp->c) = tap_comm_word(0);
			value = tap_comm_word(1);
			*tap_cursor_next(&interp->c) = value;
			continue;
		} else {
			tap_interp_bytes(interp, insn);
			continue;
		}
		if (testing && unlikely(interp->fault) &&
		    insn < part->insns + part->last_jump)
			return TAP_UNDECIDED;
		if (testing || insn->dst < TAP_DST_OUT)
			interp->reg[insn->dst] = value;
		else
			tap_interp_out(interp, insn->dst - TAP_DST_OUT, value);
	}
	return TAP_PASSED;
}

/* Runs the tests of a part; if they reject the event it is counted. */
static __always_inline bool
tap_event_passes(struct tap_interp *interp, const struct tap_part *part)
{
	enum tap_verdict verdict = tap_interp_run(interp, part, 0, part->tests, true);

	if (verdict == TAP_PASSED)
		return true;
	tap_event_rejected(interp->probe, verdict);
	return false;
}

/* Publishes the record and counts it as written; the caller has counted the event. */
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

int tap_event_program(struct tapmod_probe *probe, const void *base,
		      unsigned int trap);
void tap_event_tested(struct tapmod_probe *probe, const void *base,
		      unsigned int trap);
void tap_event_sample(struct tapmod_probe *probe, const void *event, u32 size,
		      struct pt_regs *regs, unsigned int trap);
bool tap_event_wanted(struct tapmod_probe *probe, const void *base);

#endif /* _TAPMOD_EXEC_INTERPRETER_H */

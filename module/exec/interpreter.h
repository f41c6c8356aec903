/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interpreter of programs. It checks nothing: verifier.c has checked the program. The
 * frequent instructions are inline here, the others in interpreter.c. The rules of
 * handler.h hold.
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
struct tap_divided_time;

/**
 * struct tap_interp - a running program; lives on the stack of its event
 * @probe: the probe that owns the program
 * @base: registers, arguments, or the event's own data
 * @regs: with the event's own data: registers of the event; else unset
 * @size: with the event's own data: its length in bytes; else unset
 * @flags: TAP_F_* for the record
 * @trap: see tap_context()
 * @c: where outputs go: a record, or an array that has exactly the words of all outputs.
 *	So tap_cursor_turn() runs for a record only
 * @absent: bit n is set if output n is absent
 * @special: @fault is set or the probe redacts: tap_interp_special() must see outputs
 * @fault: memory could not be read since the last output
 * @words: at a call's return: words of the entry; else unset
 * @lasted: at a call's return: raw ticks since its entry, if @lasts of the program or the
 *	event is aggregated; else unset
 * @divided: at a call's return, and of a span: how the duration divides; NULL: it is not divided
 * @pmu: at a call's return: growth of each counter since the entry, or %TAP_PMU_NONE
 * @reg: registers; unset at the start unless tap_part.clear
 */
struct tap_interp {
	const struct tapmod_probe *probe;
	const void *base;
	struct pt_regs *regs;
	u32 size;
	u32 flags;
	unsigned int trap;
	struct tap_cursor c;
	u64 absent;
	bool special;
	bool fault;
	const u64 *words;
	u64 lasted;
	const struct tap_divided_time *divided;
	u64 pmu[TAP_MAX_PMU];
	u64 reg[TAP_NR_REGISTERS];
};

/**
 * struct tap_source - memory that an operation reads
 * @from: its address
 * @user: it is user memory
 * @flags: for the record if it can be read: %TAP_F_USER or 0
 */
struct tap_source {
	u64 from;
	bool user;
	u32 flags;
};

/*
 * Bytes that are read at once, into the stack: a read has a fixed cost, and a slot has room
 * for few bytes. No reader sees them before they are redacted.
 */
#define TAP_CHUNK	512
#define TAP_CHUNK_WORDS	(TAP_CHUNK / sizeof(u64))

u64 tap_task_var(unsigned int var, u64 imm);
bool tap_interp_read(void *to, u64 from, size_t bytes, bool user);
struct tap_source tap_interp_source(const struct tap_interp *interp, u64 from, bool user);
u64 tap_interp_load_user(struct tap_interp *interp, const struct tap_insn *insn);
size_t tap_interp_copy_text(u8 *to, u64 from, size_t room, bool user, bool *ended, bool *fault);
size_t tap_interp_append_bytes(struct tap_interp *interp, u64 *buffer, size_t bytes);
void tap_interp_append_zeros(struct tap_interp *interp, size_t nr);

/*
 * The rest of a text whose bytes up to @from were read: TAP_TEXT_*, or 0. @ended and
 * @fault are those of tap_interp_copy_text(). It is not truncated if its final 0 is the next byte.
 */
static __always_inline u64 tap_interp_text_rest(u64 from, bool user, bool ended, bool fault)
{
	u8 next;

	if (fault || (!ended && !tap_interp_read(&next, from, 1, user)))
		return TAP_TEXT_ABSENT;
	return !ended && next ? TAP_TEXT_TRUNCATED : 0;
}

u64 tap_interp_value(struct tap_interp *interp, const struct tap_insn *insn);
void tap_interp_bytes(struct tap_interp *interp, const struct tap_insn *insn);
u64 tap_interp_special(struct tap_interp *interp, unsigned int output, u64 value);

/* Initializes the members that every program needs. Before outputs, the caller sets c. */
static __always_inline void
tap_interp_begin(struct tap_interp *interp, const struct tapmod_probe *probe,
		 const struct tap_part *part, const void *base, unsigned int trap)
{
	unsigned int i;

	interp->probe = probe;
	interp->base = base;
	interp->flags = 0;
	interp->trap = trap;
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

	if (unlikely(!tap_kernel_read(&value, from, insn->size)))
		return tap_interp_load_user(interp, insn);
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
 * @interp: tap_interp_begin() has run; if outputs are among the instructions, @c is set
 * @part: entry or return of the program of @interp
 * @i: index of the first instruction to run
 * @end: index behind the last one
 * @testing: a constant: the instructions are the tests of @part, without outputs
 *
 * Context: any, preemption off.
 * Return: with @testing the verdict; else %TAP_PASSED.
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
			/* Not reached: tests have no outputs. */
			continue;
		} else if (insn->code == TAP_INSN_COMM) {
			/* A pending fault makes this output absent; its text stays. */
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

/* Runs the tests of a part; if one rejects the event, counts it and returns false. */
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

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hot path: from a hit to a committed record.
 *
 * All of it runs on the hit's CPU with preemption off, in any context, and may
 * be interrupted by another hit at any instruction. It takes no lock, allocates
 * nothing, cannot fault, prints nothing. Its code is not traced (Kbuild strips
 * it of trace hooks) and its functions are on the kprobe blacklist.
 */
#ifndef _TAP_HIT_H
#define _TAP_HIT_H

#include <linux/build_bug.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "probe.h"

/* The words of a record, one after the other, across its slots. */
struct tap_cursor {
	struct tap_ring_writer *w;
	u64 *next;
	u64 *end;
	u64 pos;
	unsigned int k;
};

void tap_hit_program(struct tap_probe *probe, const void *base,
		     unsigned int trap);
void tap_hit_words(struct tap_probe *probe, u32 flags, u64 entry, u64 retval,
		   const u64 *words);
u32 tap_program_fetch(const struct tap_probe *probe, const void *base,
		      struct tap_cursor *c);

/**
 * tap_context() - the context flags of a record
 * @trap: what the trap that brought us here added to the preempt count
 *
 * The flags lie where most kernels have their counts: then this is one AND.
 */
static __always_inline u32 tap_context(unsigned int trap)
{
	unsigned int count = preempt_count() - trap;

	if (TAP_F_NMI == NMI_MASK && TAP_F_HARDIRQ == HARDIRQ_MASK &&
	    TAP_F_SOFTIRQ == SOFTIRQ_OFFSET)
		return count & (TAP_F_NMI | TAP_F_HARDIRQ | TAP_F_SOFTIRQ);
	return (count & NMI_MASK ? TAP_F_NMI : 0) |
	       (count & HARDIRQ_MASK ? TAP_F_HARDIRQ : 0) |
	       (count & SOFTIRQ_OFFSET ? TAP_F_SOFTIRQ : 0);
}

/* All of the first slot but the values and the sequence word. */
static __always_inline void
tap_record_head(struct tap_record *rec, const struct tap_probe *probe,
		u64 time, u32 flags)
{
	/* Two ids with one move each way. */
	BUILD_BUG_ON(offsetof(struct task_struct, tgid) !=
		     offsetof(struct task_struct, pid) + sizeof(pid_t));
	BUILD_BUG_ON(offsetof(struct tap_record, tgid) !=
		     offsetof(struct tap_record, tid) + sizeof(u32));

	rec->time = time;
	*(u32 *)&rec->probe = probe->ident;
	/* Once: or the compiler packs the two into one word, which takes longer. */
	WRITE_ONCE(rec->flags, flags);
	*(u64 *)&rec->tid = *(const u64 *)&current->pid;
}

/* Counts a hit that found no room. */
static __always_inline void tap_hit_lost(const struct tap_probe *probe, u64 why)
{
	if (why == TAP_RESV_FULL)
		this_cpu_inc(probe->counters->lost_full);
	else
		this_cpu_inc(probe->counters->lost_nested);
}

/**
 * tap_hit_plain() - record a hit whose program is a few loads, if that is easy
 * @probe: a plain probe
 * @base: registers or arguments
 * @nr: number of loads; a constant, so that each number has code of its own
 * @trap: as tap_context()
 * @in_order: the loads are the first words of @base, one after the other; a
 *	constant, so that a base made of registers is never stored
 *
 * Calls nothing, so that its handler needs no stack: what is not easy (a full
 * ring, a loss to tell, a watermark, an interruption) is left to
 * tap_hit_program(), from the begin.
 *
 * Return: false if nothing happened, or was counted, yet.
 */
static __always_inline bool
tap_hit_plain(struct tap_probe *probe, const void *base, int nr,
	      unsigned int trap, bool in_order)
{
	struct tap_ring_writer *w = &raw_cpu_ptr(probe->rings)->w;
	struct tap_ring_head *head = w->head;
	struct tap_counters __percpu *counters;
	struct tap_record *rec;
	struct tap_resv resv;
	int i;

	if (!tap_ring_reserve_fast(w, head, TAP_SLOT_SIZE, true, &resv))
		return false;
	rec = tap_ring_slot_at(head, w->mask, resv.pos);
	tap_record_head(rec, probe, resv.time, tap_context(trap));
#pragma GCC unroll 4
	for (i = 0; i < TAP_FIRST_VALUES; i++)
		rec->value[i] = i >= nr ? 0 : *(const u64 *)
			(base + (in_order ? i * sizeof(u64) : probe->offset[i]));
	tap_ring_commit(rec, resv.pos);
	counters = probe->counters;
	this_cpu_inc(counters->hits);
	this_cpu_inc(counters->written);
	return true;
}

/*
 * Handlers NAME_0 to NAME_4 for plain probes of each number of loads, out of an
 * inline function NAME_plain that takes the number behind the handler's own
 * arguments, and the handler NAME_program for all programs.
 */
#define TAP_HIT_HANDLER(NAME, NR, PARAMS, ...)				\
static int NAME##_##NR PARAMS						\
{									\
	if (likely(NAME##_plain(__VA_ARGS__, NR)))			\
		return 0;						\
	return NAME##_program(__VA_ARGS__);				\
}									\
NOKPROBE_SYMBOL(NAME##_##NR)

#define TAP_HIT_HANDLERS(NAME, PARAMS, ...)				\
TAP_HIT_HANDLER(NAME, 0, PARAMS, __VA_ARGS__);				\
TAP_HIT_HANDLER(NAME, 1, PARAMS, __VA_ARGS__);				\
TAP_HIT_HANDLER(NAME, 2, PARAMS, __VA_ARGS__);				\
TAP_HIT_HANDLER(NAME, 3, PARAMS, __VA_ARGS__);				\
TAP_HIT_HANDLER(NAME, 4, PARAMS, __VA_ARGS__)

/* The handler NAME_* for a probe. */
#define TAP_HIT_CHOOSE(NAME, probe)					\
	(!(probe)->plain ? NAME##_program :				\
	 (probe)->prog.words == 0 ? NAME##_0 :				\
	 (probe)->prog.words == 1 ? NAME##_1 :				\
	 (probe)->prog.words == 2 ? NAME##_2 :				\
	 (probe)->prog.words == 3 ? NAME##_3 : NAME##_4)

#endif /* _TAP_HIT_H */

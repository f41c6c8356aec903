/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing a record, and counting what became of an event. The rules of handler.h
 * hold.
 */
#ifndef _TAPMOD_EXEC_RECORD_WRITE_H
#define _TAPMOD_EXEC_RECORD_WRITE_H

#include <linux/build_bug.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "core/probe.h"

/* Where the words of a record or of an array go, one after the other. */
struct tap_cursor {
	struct tap_ring_writer *w;
	u64 *next;
	u64 *end;
	u64 pos;
	unsigned int k;
};

/**
 * enum tap_verdict - result of a probe's tests
 * @TAP_PASSED: the event is recorded
 * @TAP_REJECTED: a test filtered it
 * @TAP_UNDECIDED: memory that a test needs could not be read
 */
enum tap_verdict {
	TAP_PASSED,
	TAP_REJECTED,
	TAP_UNDECIDED,
};

/* Goes on with the next slot of the record. */
static __always_inline void tap_cursor_turn(struct tap_cursor *c)
{
	struct tap_slot *slot;

	c->pos += TAP_SLOT_SIZE;
	slot = tap_ring_slot(c->w, c->pos);
	/* Published with the first slot's word, by its release. */
	slot->seq = tap_slot_seq(c->pos, ++c->k);
	c->next = slot->value;
	c->end = slot->value + TAP_SLOT_VALUES;
}

/* Where the next word goes; the reservation has room for all words. */
static __always_inline u64 *tap_cursor_next(struct tap_cursor *c)
{
	if (unlikely(c->next == c->end))
		tap_cursor_turn(c);
	return c->next++;
}

/* Puts the cursor on the first word of the record at pos. */
static __always_inline void
tap_cursor_begin(struct tap_cursor *c, struct tap_ring_writer *w,
		 struct tap_record *rec, u64 pos)
{
	c->w = w;
	c->pos = pos;
	c->k = 0;
	c->next = rec->value;
	c->end = rec->value + TAP_FIRST_VALUES;
}

/*
 * Clears the rest of the slot behind the last word. Word by word, or the compiler
 * makes it a call of memset(), which takes longer and may be probed itself.
 */
static __always_inline void tap_cursor_fill(const struct tap_cursor *c)
{
	u64 *next = c->next;

	for (; unlikely(next < c->end); next++)
		WRITE_ONCE(*next, 0);
}

/* For a trap that comes from programs alone: it interrupts nothing of the kernel. */
#define TAP_TRAP_PROGRAM	UINT_MAX

/**
 * tap_context() - the context flags of a record
 * @trap: what the trap that called us added to the preempt count; or, as a
 *	constant, %TAP_TRAP_PROGRAM
 *
 * The flags lie where most kernels have their counts: then this is one AND.
 */
static __always_inline u32 tap_context(unsigned int trap)
{
	unsigned int count = preempt_count() - trap;

	if (__builtin_constant_p(trap) && trap == TAP_TRAP_PROGRAM)
		return 0;
	if (!IS_ENABLED(CONFIG_PREEMPT_RT) && TAP_F_NMI == NMI_MASK &&
	    TAP_F_HARDIRQ == HARDIRQ_MASK && TAP_F_SOFTIRQ == SOFTIRQ_OFFSET)
		return count & (TAP_F_NMI | TAP_F_HARDIRQ | TAP_F_SOFTIRQ);
	return (count & NMI_MASK ? TAP_F_NMI : 0) |
	       (count & HARDIRQ_MASK ? TAP_F_HARDIRQ : 0) |
	       (tap_softirq_count(count) & SOFTIRQ_OFFSET ? TAP_F_SOFTIRQ : 0);
}

/* Fills in the first slot but for its values and its sequence word. */
static __always_inline void
tap_record_head(struct tap_record *rec, const struct tapmod_probe *probe,
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

/* Fills in the head of a record whose words are there, and publishes it. */
static __always_inline void
tap_record_publish(struct tap_record *rec, const struct tapmod_probe *probe,
		   const struct tap_resv *resv, u32 flags)
{
	tap_record_head(rec, probe, resv->time, flags);
	tap_ring_commit(rec, resv->pos);
}

/* Counts an event that is a record. */
static __always_inline void tap_event_written(const struct tapmod_probe *probe)
{
	struct tap_counters __percpu *counters = probe->counters;

	this_cpu_inc(counters->hits);
	this_cpu_inc(counters->written);
}

/* Counts an event that its tests reject. */
static __always_inline void
tap_event_rejected(const struct tapmod_probe *probe, enum tap_verdict verdict)
{
	struct tap_counters __percpu *counters = probe->counters;

	this_cpu_inc(counters->hits);
	if (verdict == TAP_REJECTED)
		this_cpu_inc(counters->filtered);
	else
		this_cpu_inc(counters->lost_fault);
}

/* Counts an event for which there was no room. */
static __always_inline void tap_event_lost(const struct tapmod_probe *probe, u64 why)
{
	if (why == TAP_RESV_FULL)
		this_cpu_inc(probe->counters->lost_full);
	else
		this_cpu_inc(probe->counters->lost_nested);
}

/* Drops the event and counts it if the ring is still known to be full. */
static __always_inline bool
tap_event_still_lost(const struct tapmod_probe *probe, struct tap_ring_writer *w,
		     struct tap_ring_head *head)
{
	struct tap_counters __percpu *counters = probe->counters;

	if (!tap_ring_still_full(w, head))
		return false;
	this_cpu_inc(counters->hits);
	this_cpu_inc(counters->lost_full);
	return true;
}

/* Reserves a record of the probe's length; false if the event is lost, and counted. */
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

#endif /* _TAPMOD_EXEC_RECORD_WRITE_H */

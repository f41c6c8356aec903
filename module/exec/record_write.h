/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes records, and counts events in struct tap_counters. The rules of handler.h hold:
 * preemption is off, so the counters are those of this CPU.
 */
#ifndef _TAPMOD_EXEC_RECORD_WRITE_H
#define _TAPMOD_EXEC_RECORD_WRITE_H

#include <linux/build_bug.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "core/probe.h"

/*
 * Where the next value word goes: next to end is the rest of the slot, or of an array. Of a
 * record, pos and k are the ring position and the index of the current slot.
 */
struct tap_cursor {
	struct tap_ring_writer *w;
	u64 *next;
	u64 *end;
	u64 pos;
	unsigned int k;
};

/**
 * enum tap_verdict - result of a probe's tests
 * @TAP_PASSED: no test rejected the event
 * @TAP_REJECTED: a test rejected the event; counted as filtered
 * @TAP_UNDECIDED: memory that a test needs could not be read; counted as lost_fault
 */
enum tap_verdict {
	TAP_PASSED,
	TAP_REJECTED,
	TAP_UNDECIDED,
};

/*
 * Begins slot k of a record, which is not the first: the one at pos. tap_ring_commit() publishes
 * its sequence word too, by the release of that of the first slot.
 */
static __always_inline struct tap_slot *
tap_record_slot(struct tap_ring_head *head, u64 mask, u64 pos, unsigned int k)
{
	struct tap_slot *slot = tap_ring_slot_at(head, mask, pos);

	slot->seq = tap_slot_seq(pos, k);
	return slot;
}

/* Moves to the next slot of the record. */
static __always_inline void tap_cursor_turn(struct tap_cursor *c)
{
	struct tap_slot *slot;

	c->pos += TAP_SLOT_SIZE;
	slot = tap_record_slot(c->w->head, c->w->mask, c->pos, ++c->k);
	c->next = slot->value;
	c->end = slot->value + TAP_SLOT_VALUES;
}

/* Returns the place of the next word. The reservation has room for all words. */
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
 * Zeroes the rest of the slot. WRITE_ONCE() keeps the compiler from calling memset(), which
 * is slower for a few words and may have a probe itself.
 */
static __always_inline void tap_cursor_fill(const struct tap_cursor *c)
{
	u64 *next = c->next;

	for (; unlikely(next < c->end); next++)
		WRITE_ONCE(*next, 0);
}

/* @trap of tap_context() for a trap from user mode: it interrupts no kernel context. */
#define TAP_TRAP_PROGRAM	UINT_MAX

/*
 * @trap of a program that runs again for one event of a program's code: instructions that change
 * what other events see do nothing.
 */
#define TAP_TRAP_AGAIN		(TAP_TRAP_PROGRAM - 1)

/**
 * tap_context() - the context flags of a record
 * @trap: what the trap that called the handler added to the preempt count, 0 if there was
 *	none; or %TAP_TRAP_PROGRAM, as a constant
 *
 * In most kernels the TAP_F_* masks are those of the preempt count: then this is one AND.
 *
 * Context: any, preemption off.
 * Return: %TAP_F_NMI, %TAP_F_HARDIRQ and %TAP_F_SOFTIRQ, as uapi/linux/tap_record.h has them.
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

/* Writes the head of the first slot: all but the values and the sequence word. */
static __always_inline void
tap_record_head(struct tap_record *rec, const struct tapmod_probe *probe,
		u64 time, u32 flags)
{
	/* pid and tgid are adjacent in both structures: one load and one store copy them. */
	BUILD_BUG_ON(offsetof(struct task_struct, tgid) !=
		     offsetof(struct task_struct, pid) + sizeof(pid_t));
	BUILD_BUG_ON(offsetof(struct tap_record, tgid) !=
		     offsetof(struct tap_record, tid) + sizeof(u32));

	rec->time = time;
	*(u32 *)&rec->probe = probe->ident;
	/* WRITE_ONCE(): else the compiler packs ident and flags into one word, which is slower. */
	WRITE_ONCE(rec->flags, flags);
	*(u64 *)&rec->tid = *(const u64 *)&current->pid;
}

/* Writes the head of a record whose words are written, and publishes the record. */
static __always_inline void
tap_record_publish(struct tap_record *rec, const struct tapmod_probe *probe,
		   const struct tap_resv *resv, u32 flags)
{
	tap_record_head(rec, probe, resv->time, flags);
	tap_ring_commit(rec, resv->pos);
}

/*
 * Makes a record whose head is written one that only reports that its event was missed. The
 * other words of the record may be anything.
 */
static __always_inline void tap_record_missed(struct tap_record *rec)
{
	rec->kind = TAP_KIND_NOTICE;
	rec->value[TAP_NOTICE_WHAT] = TAP_NOTICE_MISSED;
	rec->value[TAP_NOTICE_SINCE] = rec->time;
	rec->value[TAP_NOTICE_COUNT] = 1;
	rec->value[TAP_NOTICE_SIZE] = 0;
}

/* Counts an event that became a record. */
static __always_inline void tap_event_written(const struct tapmod_probe *probe)
{
	struct tap_counters __percpu *counters = probe->counters;

	this_cpu_inc(counters->hits);
	this_cpu_inc(counters->written);
}

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

/* Counts an event whose reservation failed with TAP_RESV_*; the ring has counted it too. */
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

/*
 * The writer of this CPU's ring. An event calls it once: the governor may change @rings
 * meanwhile, and the event must use one ring from reservation to commit.
 */
static __always_inline struct tap_ring_writer *
tap_event_writer(const struct tapmod_probe *probe)
{
	return &raw_cpu_ptr(READ_ONCE(probe->rings))->w;
}

/* Reserves a record of the probe's length; if that fails, counts the loss, returns false. */
static __always_inline bool
tap_event_reserve(const struct tapmod_probe *probe, struct tap_cursor *c,
		  struct tap_resv *resv)
{
	struct tap_ring_writer *w = tap_event_writer(probe);
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

/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The ring: the one copy of the algorithm, compiled by the module, by libtap
 * and by the native stress tests.
 *
 * A ring has one writer CPU and one reader. On the writer CPU several writes
 * may be in progress, each having interrupted the one before it (task,
 * softirq, hard interrupt, NMI). So every step of a writer must be right if
 * a complete other write happens between any two of its instructions. Writers
 * on other CPUs do not exist, so a compare-and-exchange without a lock prefix
 * suffices.
 *
 * The includer supplies these primitives; the last five for a writer only:
 *	tap_load_once(p), tap_store_once(p, v)	 plain, not torn, not merged
 *	tap_load_acquire(p), tap_store_release(p, v)
 *	tap_cmpxchg_local(p, old, new)		 true if exchanged; atomic against
 *						 interrupts of this CPU
 *	tap_add_local(p, v)			 likewise
 *	tap_clock(w)				 the raw clock, any context
 *	tap_clock_counter()			 the same, for a ring whose clock
 *						 is known to be the raw counter
 *	tap_ring_wake(w)			 a watermark was crossed, or the
 *						 ring is full
 * and may define TAP_RING_PAGE, the distance from the head to the slots, and
 * tap_ring_slow(w, bytes), an out-of-line tap_ring_reserve_slow().
 *
 * Barriers A to D are those of uapi/linux/tap_ring.h.
 */
#ifndef _TAPMOD_COMMON_RING_CORE_H
#define _TAPMOD_COMMON_RING_CORE_H

#include <linux/tap_record.h>
#include <linux/tap_ring.h>

#ifndef TAP_RING_PAGE
#define TAP_RING_PAGE	4096
#endif

/**
 * tap_slot_seq() - the sequence word of a slot
 * @pos: ring position of the slot
 * @k: its place in the record, 0 for the first
 *
 * Return: the word that says that the slot is committed.
 */
static __always_inline __u64 tap_slot_seq(__u64 pos, unsigned int k)
{
	/* The division only where it changes something. */
	if (k > TAP_SLOT_INDEX_MASK)
		k = 1 + (k - 1) % TAP_SLOT_INDEX_MASK;
	return pos + TAP_SLOT_SIZE + k;
}

/**
 * tap_ring_peek() - the record at a position, if it is committed
 * @slots: start of the ring's slots
 * @mask: bytes of slots less one
 * @pos: where to look; the reader's own position
 *
 * Barrier C, pairs with the writer's B. The record does not change until the reader
 * stores a tail beyond it.
 *
 * Return: the record's first slot, or NULL if none is committed there.
 */
static inline const struct tap_record *
tap_ring_peek(const void *slots, __u64 mask, __u64 pos)
{
	const struct tap_record *rec =
		(const void *)((const char *)slots + (pos & mask));

	if (tap_load_acquire(&rec->seq) != tap_slot_seq(pos, 0))
		return (const struct tap_record *)0;
	return rec;
}

#ifdef tap_cmpxchg_local

/* How often a writer starts over before it gives the event up as nested. */
#define TAP_RING_TRIES	64

/* Results of a reservation that failed, in the low bits of its position. */
#define TAP_RESV_FULL	1
#define TAP_RESV_NESTED	2
#define TAP_RESV_NONE	3
#define TAP_RESV_FAILED	3	/* mask of all of them */

/* A tail is a multiple of the slot size, a mark less one ends in other bits. */
#define TAP_LIMIT_FULL	1

/**
 * struct tap_ring_writer - a ring as its CPU's writers see it; one cache line
 * @limit: the head may grow up to here without a look at the tail, at the
 *	watermark or at pending losses; 0 makes the next writer look, and so does
 *	%TAP_LIMIT_FULL above a tail: with that tail a record was lost for want of
 *	room. Only written on the ring's own CPU.
 * @mask: bytes of slots less one
 * @head: the page that the user may read; the slots follow it
 * @tail: the page that the user may write: never trusted
 * @mark: the next watermark, a position
 * @watermark: distance of watermarks, a power of two
 * @reported: losses that gap records have reported; the others are due
 * @begin: raw time of the first that is due, give or take an interruption
 */
struct tap_ring_writer {
	__u64 limit;
	__u64 mask;
	struct tap_ring_head *head;
	const struct tap_ring_tail *tail;
	__u64 mark;
	__u64 watermark;
	__u64 reported;
	__u64 begin;
};

/**
 * struct tap_resv - a reservation
 * @pos: ring position of the first slot, or one of TAP_RESV_* if it failed
 * @time: raw clock, read inside the reserve window
 *
 * Returned by value: two registers, so that the fast path keeps it there.
 */
struct tap_resv {
	__u64 pos;
	__u64 time;
};

/**
 * tap_ring_slot_at() - address of the slot at a position
 * @head: the ring's head page
 * @mask: bytes of slots less one
 * @pos: ring position; any value gives an address inside the ring
 *
 * Return: the slot.
 */
static __always_inline void *
tap_ring_slot_at(struct tap_ring_head *head, __u64 mask, __u64 pos)
{
	return (char *)head + TAP_RING_PAGE + (pos & mask);
}

/**
 * tap_ring_slot() - address of the slot at a position
 * @w: ring
 * @pos: ring position; any value gives an address inside the ring
 *
 * Return: the slot.
 */
static __always_inline void *
tap_ring_slot(const struct tap_ring_writer *w, __u64 pos)
{
	return tap_ring_slot_at(w->head, w->mask, pos);
}

/**
 * tap_ring_commit() - make a record visible to the reader
 * @rec: its first slot; all else of it must have been written
 * @pos: its ring position
 *
 * Barrier B, pairs with the reader's C.
 */
static __always_inline void
tap_ring_commit(struct tap_record *rec, __u64 pos)
{
	tap_store_release(&rec->seq, tap_slot_seq(pos, 0));
}

/* Losses that no gap record has reported yet. */
static __always_inline __u64 tap_ring_unreported(const struct tap_ring_writer *w)
{
	__u64 reported = tap_load_once(&w->reported);

	return tap_load_once(&w->head->lost) - reported;
}

/*
 * Counts the loss of an event. Flushes and non-event records are not counted as lost.
 * A nested loss between any two steps is counted as well.
 */
static __always_inline struct tap_resv
tap_ring_refuse(struct tap_ring_writer *w, bool event, __u64 why, __u64 limit)
{
	struct tap_resv none = { .pos = why };

	if (!event)
		return none;
	if (!tap_ring_unreported(w))
		tap_store_once(&w->begin, tap_clock(w));
	tap_add_local(&w->head->lost, 1);
	/* Send the next writer to the slow path, which reports the loss if there is room. */
	tap_store_once(&w->limit, limit);
	return none;
}

/*
 * Writes the gap record into the slot at pos, which the caller has reserved;
 * total is the losses as they were then.
 */
static __always_inline void
tap_ring_write_gap(struct tap_ring_writer *w, __u64 pos, __u64 time,
		   __u64 total)
{
	struct tap_record *rec = tap_ring_slot(w, pos);
	__u64 begin = tap_load_once(&w->begin);
	__u64 reported;

	/*
	 * A writer that interrupted here may have reported the losses already, further
	 * along the ring: then this record has TAP_GAP_LOST 0, and the sum over the
	 * ring is still right.
	 */
	do {
		reported = tap_load_once(&w->reported);
	} while (reported < total && !tap_cmpxchg_local(&w->reported, reported, total));
	/* A loss that this record does not report happened after time. */
	tap_store_once(&w->begin, time);
	if (begin > time)
		begin = time;

	rec->time = time;
	rec->probe = 0;
	rec->slots = 1;
	rec->kind = TAP_KIND_GAP;
	rec->flags = 0;
	rec->tid = 0;
	rec->tgid = 0;
	rec->value[TAP_GAP_LOST] = reported < total ? total - reported : 0;
	rec->value[TAP_GAP_TOTAL] = total;
	rec->value[TAP_GAP_BEGIN] = begin;
	rec->value[TAP_GAP_RESERVED] = 0;
	tap_ring_commit(rec, pos);
}

/* Sets the limit of the fast path after a reservation up to head; may wake the reader. */
static __always_inline void
tap_ring_set_limit(struct tap_ring_writer *w, __u64 tail, __u64 head)
{
	__u64 end = tail + w->mask + 1;
	__u64 mark = tap_load_once(&w->mark);

	if (head >= mark) {
		mark = (head & ~(w->watermark - 1)) + w->watermark;
		tap_store_once(&w->mark, mark);
		tap_ring_wake(w);
	}
	/*
	 * A writer that interrupts between these lines may store a higher limit, which
	 * we then overwrite with a lower one. That is safe, since the tail only grows; it
	 * costs one pass through the slow path or a wake-up.
	 */
	/* Up to the end, and up to just below the mark. */
	tap_store_once(&w->limit, end < mark ? end : mark - 1);
	/* If that writer lost an event, the next one must take the slow path to report it. */
	if (tap_ring_unreported(w))
		tap_store_once(&w->limit, 0);
}

/* As tap_ring_reserve_slow(); event, a constant, says whether a failure is a loss. */
static __always_inline struct tap_resv
tap_ring_reserve_any(struct tap_ring_writer *w, unsigned int bytes, bool event)
{
	unsigned int tries;

	for (tries = 0; tries < TAP_RING_TRIES; tries++) {
		__u64 head = tap_load_once(&w->head->head);
		__u64 tail = tap_load_acquire(&w->tail->tail);	/* A */
		__u64 full = tail + TAP_LIMIT_FULL;
		/*
		 * Positions do not wrap in the lifetime of a machine, so a tail beyond the
		 * head is invalid. It must not become a limit: that would never be reached.
		 */
		__u64 used = tail <= head ? head - tail : ~0ULL;
		__u64 total = tap_load_once(&w->head->lost);
		unsigned int gap = total != tap_load_once(&w->reported) ?
				   TAP_SLOT_SIZE : 0;
		struct tap_resv resv;

		if (!(bytes + gap))
			return tap_ring_refuse(w, event, TAP_RESV_NONE, 0);
		/*
		 * Judge the tail only against a head of the same moment: a
		 * writer that interrupted may have moved it, and the reader
		 * may have followed.
		 */
		if ((used > w->mask + 1 || bytes + gap > w->mask + 1 - used) &&
		    tap_load_once(&w->head->head) != head)
			continue;
		if (__builtin_expect(used > w->mask + 1 ||
				     (used & TAP_SLOT_INDEX_MASK), 0)) {
			/* The tail is invalid: treat the ring as full until it is valid. */
			tap_add_local(&w->head->bad_tail, 1);
			used = w->mask + 1;
			full = 0;
		}
		if (bytes + gap > w->mask + 1 - used) {
			tap_ring_wake(w);
			/* With a gap record due, no record has room until the tail moves. */
			return tap_ring_refuse(w, event, TAP_RESV_FULL,
					       w->mask + 1 - used <= TAP_SLOT_SIZE ?
					       full : 0);
		}
		/* Between the load of the head and its exchange, as in the fast path. */
		resv.time = tap_clock(w);
		if (!tap_cmpxchg_local(&w->head->head, head, head + gap + bytes))
			continue;
		if (gap)
			tap_ring_write_gap(w, head, resv.time, total);
		tap_ring_set_limit(w, tail, head + gap + bytes);
		resv.pos = head + gap;
		return resv;
	}
	return tap_ring_refuse(w, event, TAP_RESV_NESTED, 0);
}

/**
 * tap_ring_reserve_slow() - reserve, looking at everything
 * @w: ring of this CPU
 * @bytes: length of the record, a multiple of the slot size, not more than
 *	the ring; 0 writes a gap record only, if one is due
 *
 * Context: any, on the ring's CPU, not migrating.
 * Return: the reservation, or TAP_RESV_FULL, TAP_RESV_NESTED, TAP_RESV_NONE
 *	(@bytes was 0 and no gap record was due) in its position.
 */
static __always_inline struct tap_resv
tap_ring_reserve_slow(struct tap_ring_writer *w, unsigned int bytes)
{
	return tap_ring_reserve_any(w, bytes, bytes);
}

/**
 * tap_ring_offer() - reserve room for a record that is no event
 * @w: ring of this CPU
 * @bytes: length of the record, a multiple of the slot size, not 0
 *
 * Context: any, on the ring's CPU, not migrating until the commit.
 * Return: as tap_ring_reserve_slow(), but where there is no room nothing is lost.
 */
static __always_inline struct tap_resv
tap_ring_offer(struct tap_ring_writer *w, unsigned int bytes)
{
	return tap_ring_reserve_any(w, bytes, false);
}

/**
 * tap_ring_still_full() - count a loss without the slow path, if the ring is still full
 * @w: ring of this CPU
 * @head: the ring's head page, which the caller has at hand
 *
 * The ring is still full if the tail has not moved since a record was lost for want of
 * room: writes since then left no more room, and a loss is due, or was when an
 * interruption began. The reader was woken at that loss.
 *
 * Context: any, on the ring's CPU, not migrating.
 * Return: true if the event was counted as lost; else take the slow path.
 */
static __always_inline bool
tap_ring_still_full(struct tap_ring_writer *w, struct tap_ring_head *head)
{
	__u64 limit = tap_load_once(&w->tail->tail) + TAP_LIMIT_FULL;

	if (tap_load_once(&w->limit) != limit)
		return false;
	tap_add_local(&head->lost, 1);
	/* A writer that interrupted may have reported the losses before it. */
	tap_store_once(&w->limit, limit);
	return true;
}

#ifndef tap_ring_slow
#define tap_ring_slow(w, bytes)	tap_ring_reserve_slow(w, bytes)
#endif

/**
 * tap_ring_reserve_fast() - reserve room for a record below the limit
 * @w: ring of this CPU
 * @head: the ring's head page, which the caller has at hand
 * @bytes: length of the record, a multiple of the slot size
 * @counter: a constant: tap_clock() of this ring is known to be
 *	tap_clock_counter()
 * @resv: the reservation
 *
 * The clock is read between the load of the head and its exchange: a writer that
 * interrupts in between moves the head, the exchange fails, and the slow path
 * reads the clock again. So along a ring the time never decreases.
 *
 * Context: any, on the ring's CPU, not migrating until the commit.
 * Return: false if nothing was reserved; no loss is counted.
 */
static __always_inline bool
tap_ring_reserve_fast(struct tap_ring_writer *w, struct tap_ring_head *head,
		      unsigned int bytes, bool counter, struct tap_resv *resv)
{
	resv->pos = tap_load_once(&head->head);
	if (__builtin_expect(resv->pos + bytes > tap_load_once(&w->limit), 0))
		return false;
	resv->time = counter ? tap_clock_counter() : tap_clock(w);
	return __builtin_expect(tap_cmpxchg_local(&head->head, resv->pos,
						  resv->pos + bytes), 1);
}

/**
 * tap_ring_reserve() - reserve room for a record
 * @w: ring of this CPU
 * @bytes: length of the record, a multiple of the slot size
 *
 * Context: any, on the ring's CPU, not migrating until the commit.
 * Return: the reservation; failed if position & TAP_RESV_FAILED.
 */
static __always_inline struct tap_resv
tap_ring_reserve(struct tap_ring_writer *w, unsigned int bytes)
{
	struct tap_resv resv;

	if (tap_ring_reserve_fast(w, w->head, bytes, false, &resv))
		return resv;
	if (tap_ring_still_full(w, w->head)) {
		resv.pos = TAP_RESV_FULL;
		return resv;
	}
	return tap_ring_slow(w, bytes);
}

#endif /* tap_cmpxchg_local */
#endif /* _TAPMOD_COMMON_RING_CORE_H */

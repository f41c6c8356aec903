/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The ring algorithm. The module, libtap and the native stress tests compile this one
 * copy.
 *
 * A ring has one writer CPU and one reader. On the writer CPU several writes may be in
 * progress: a softirq, a hard interrupt or an NMI interrupts a write and writes itself.
 * The interrupting write completes before the interrupted one continues. So every
 * step of a writer must be right if any number of complete writes happen between two of
 * its instructions. No other CPU writes, so a compare-and-exchange without a lock prefix
 * suffices.
 *
 * In overwrite mode there is no reader: the writers move the tail themselves, in the slow
 * path, over records that are committed. All else is the same, so the fast path has no code
 * for it. A reader gets such a ring when its writers have ended, and finds the oldest record
 * that is whole by the sequence words.
 *
 * The includer defines these primitives; the last five are for a writer only:
 *	tap_load_once(p), tap_store_once(p, v)	 plain; not torn, not merged
 *	tap_load_acquire(p), tap_store_release(p, v)
 *	tap_cmpxchg_local(p, old, new)		 true if exchanged; atomic against
 *						 interrupts of this CPU
 *	tap_add_local(p, v)			 atomic against interrupts of this CPU
 *	tap_clock(w)				 the raw clock, in any context
 *	tap_clock_counter()			 the same, for a ring whose clock
 *						 is known to be the raw counter
 *	tap_ring_wake(w)			 called when the head crossed a
 *						 watermark, or the ring is full
 * It may define TAP_RING_PAGE, the distance in bytes from the head page to the slots, and
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
 * tap_slot_seq() - the sequence word of a committed slot
 * @pos: ring position of the slot
 * @k: index of the slot in its record, 0 for the first
 *
 * Context: any.
 * Return: the word, as uapi/linux/tap_record.h defines it.
 */
static __always_inline __u64 tap_slot_seq(__u64 pos, unsigned int k)
{
	/* Avoids the division for records of up to 64 slots. */
	if (k > TAP_SLOT_INDEX_MASK)
		k = 1 + (k - 1) % TAP_SLOT_INDEX_MASK;
	return pos + TAP_SLOT_SIZE + k;
}

/**
 * tap_ring_peek() - the record at a position, if it is committed
 * @slots: start of the ring's slots
 * @mask: bytes of slots less one
 * @pos: the reader's own position
 *
 * Barrier C: the load-acquire pairs with the store-release in tap_ring_commit(), B. The
 * record does not change until the reader stores a tail behind it.
 *
 * Return: the record's first slot; NULL if no record is committed at @pos.
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

/* Attempts to reserve before a writer counts the event as lost by nesting. */
#define TAP_RING_TRIES	64

/* Results of a failed reservation, in tap_resv.pos: positions are multiples of 64. */
#define TAP_RESV_FULL	1
#define TAP_RESV_NESTED	2
#define TAP_RESV_NONE	3
#define TAP_RESV_FAILED	3	/* mask of all of them */

/*
 * Marks a limit as "full": limit = tail + TAP_LIMIT_FULL. No other limit has these low
 * bits: a tail is a multiple of the slot size, and a watermark less one ends in 63.
 */
#define TAP_LIMIT_FULL	1

/**
 * struct tap_ring_jump - the last jump of the clock, which a notice must report
 * @before: raw time before it
 * @after: raw time after it
 * @made: number of jumps so far
 * @reported: @made when the last notice was written
 */
struct tap_ring_jump {
	__u64 before;
	__u64 after;
	__u64 made;
	__u64 reported;
};

/**
 * struct tap_ring_writer - a ring as its CPU's writers see it; one cache line, but for @jump
 *	and @passed
 * @limit: a writer may move the head up to here without a test of the tail, of the
 *	watermark and of pending losses. 0 sends the next writer to the slow path.
 *	So does tail + %TAP_LIMIT_FULL: a record was lost because the ring was full
 *	with that tail. Only the ring's own CPU writes it.
 * @mask: bytes of slots less one
 * @head: the page that the user may read; the slots follow it
 * @tail: the page that the user may write; its value is never trusted. In overwrite mode
 *	@passed
 * @mark: ring position of the next watermark
 * @watermark: bytes from one watermark to the next, a power of two
 * @reported: losses that gap records have reported; @lost of @head less this is pending
 * @begin: raw time of the first pending loss. An interruption may make it a little late
 *	or early
 * @jump: only the slow path uses it
 * @passed: overwrite mode only: all records before it are committed, so the writers may go
 *	over them
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
	struct tap_ring_jump jump;
	struct tap_ring_tail passed;
};

/**
 * struct tap_resv - a reservation
 * @pos: ring position of the first slot; TAP_RESV_* if the reservation failed
 * @time: raw clock, read between the load of the head and its exchange
 *
 * Functions return it by value: it fits into two registers.
 */
struct tap_resv {
	__u64 pos;
	__u64 time;
};

/**
 * tap_ring_slot_at() - address of the slot at a position
 * @head: the ring's head page, in the kernel's mapping
 * @mask: bytes of slots less one
 * @pos: ring position; every value gives an address inside the ring
 *
 * Context: any.
 * Return: the slot.
 */
static __always_inline void *
tap_ring_slot_at(struct tap_ring_head *head, __u64 mask, __u64 pos)
{
	return (char *)head + TAP_RING_PAGE + (pos & mask);
}

/* As tap_ring_slot_at(). */
static __always_inline void *
tap_ring_slot(const struct tap_ring_writer *w, __u64 pos)
{
	return tap_ring_slot_at(w->head, w->mask, pos);
}

/**
 * tap_ring_commit() - make a record visible to the reader
 * @rec: the record's first slot; the caller has written all other words of the record
 * @pos: ring position of @rec
 *
 * Barrier B: the store-release pairs with the reader's load-acquire, C.
 *
 * Context: any, on the ring's CPU, not migrated since the reservation.
 */
static __always_inline void
tap_ring_commit(struct tap_record *rec, __u64 pos)
{
	tap_store_release(&rec->seq, tap_slot_seq(pos, 0));
}

/* Number of pending losses. Exact on the ring's own CPU only. */
static __always_inline __u64 tap_ring_unreported(const struct tap_ring_writer *w)
{
	__u64 reported = tap_load_once(&w->reported);

	return tap_load_once(&w->head->lost) - reported;
}

/* Whether a jump of the clock must be reported before the next record. */
static __always_inline bool tap_ring_jump_due(const struct tap_ring_writer *w)
{
	return tap_load_once(&w->jump.reported) != tap_load_once(&w->jump.made);
}

/*
 * Counts the loss of an event; flushes and non-event records are not counted as lost.
 * A loss in a writer that interrupts this one between any two steps is counted too.
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
 * Writes the gap record into the slot at pos, which the caller has reserved. total is
 * the value of head->lost that the caller read before it reserved.
 */
static __always_inline void
tap_ring_write_gap(struct tap_ring_writer *w, __u64 pos, __u64 time,
		   __u64 total)
{
	struct tap_record *rec = tap_ring_slot(w, pos);
	__u64 begin = tap_load_once(&w->begin);
	__u64 reported;

	/*
	 * A writer that interrupts here may report the losses in a later gap record. Then
	 * this record has TAP_GAP_LOST 0, and the sum over the ring stays right.
	 */
	do {
		reported = tap_load_once(&w->reported);
	} while (reported < total && !tap_cmpxchg_local(&w->reported, reported, total));
	/* A pending loss that this record does not report happened after time. */
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

/*
 * Writes the notice of a jump of the clock into the slot at pos, which the caller has
 * reserved. made is the number of jumps that the caller read before it reserved. A writer
 * that interrupts here may write the same notice again, which changes nothing for a reader.
 */
static __always_inline void
tap_ring_write_jump(struct tap_ring_writer *w, __u64 pos, __u64 time, __u64 made)
{
	struct tap_record *rec = tap_ring_slot(w, pos);

	rec->time = time;
	rec->probe = 0;
	rec->slots = 1;
	rec->kind = TAP_KIND_NOTICE;
	rec->flags = 0;
	rec->tid = 0;
	rec->tgid = 0;
	rec->value[TAP_NOTICE_WHAT] = TAP_NOTICE_CLOCK;
	rec->value[TAP_NOTICE_SINCE] = tap_load_once(&w->jump.before);
	rec->value[TAP_NOTICE_COUNT] = tap_load_once(&w->jump.after);
	rec->value[TAP_NOTICE_SIZE] = tap_load_once(&w->head->clock);
	tap_store_once(&w->jump.reported, made);
	tap_ring_commit(rec, pos);
}

/* Whether new records go over old ones, instead of waiting for a reader. */
static __always_inline bool tap_ring_overwrites(const struct tap_ring_writer *w)
{
	return w->tail == &w->passed;
}

/*
 * Passes committed records, and returns the new tail: the first position that no writer may go
 * over. It stops at a record that an interrupted writer has not committed, so no writer ever
 * overtakes that one. It passes twice what writers reserve between two watermarks, so after
 * such a stop it catches up; a longer way would be too long for an NMI.
 *
 * A writer that interrupts may pass further and go over the record that is looked at here.
 * Then @passed has changed, and what was found is not stored.
 */
static __always_inline __u64 tap_ring_pass(struct tap_ring_writer *w, __u64 head,
					   unsigned int need)
{
	__u64 old = tap_load_once(&w->passed.tail), pos = old;
	__u64 end = old + 2 * w->watermark + need;

	if (end > head)
		end = head;
	while (pos < end) {
		const struct tap_record *rec = tap_ring_slot(w, pos);

		if (tap_load_acquire(&rec->seq) != tap_slot_seq(pos, 0))
			break;
		pos += (__u64)rec->slots << TAP_SLOT_SHIFT;
	}
	if (pos != old)
		tap_cmpxchg_local(&w->passed.tail, old, pos);
	return tap_load_once(&w->passed.tail);
}

/* Sets w->limit after a reservation that ends at head; wakes the reader at a watermark. */
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
	 * The limit is the end of the free room, or just below the mark. A writer that
	 * interrupts between these lines may store a higher limit, which we then overwrite
	 * with a lower one. That is safe, since the tail only grows; it costs one pass
	 * through the slow path or a wake-up.
	 */
	tap_store_once(&w->limit, end < mark ? end : mark - 1);
	/*
	 * If that writer lost an event, or the clock jumped, the next writer must take the
	 * slow path to report it.
	 */
	if (tap_ring_unreported(w) || tap_ring_jump_due(w))
		tap_store_once(&w->limit, 0);
}

/* As tap_ring_reserve_slow(). event, a constant: a failure is the loss of an event. */
static __always_inline struct tap_resv
tap_ring_reserve_any(struct tap_ring_writer *w, unsigned int bytes, bool event)
{
	unsigned int tries;

	for (tries = 0; tries < TAP_RING_TRIES; tries++) {
		bool over = tap_ring_overwrites(w);
		__u64 head = tap_load_once(&w->head->head);
		__u64 tail = over ? tap_ring_pass(w, head, bytes + 2 * TAP_SLOT_SIZE) :
				    tap_load_acquire(&w->tail->tail);	/* A */
		__u64 full = tail + TAP_LIMIT_FULL;
		/*
		 * Positions do not wrap in the lifetime of a machine, so a tail beyond the
		 * head is invalid. It must not become a limit: the head would never reach
		 * that limit.
		 */
		__u64 used = tail <= head ? head - tail : ~0ULL;
		__u64 total = tap_load_once(&w->head->lost);
		__u64 made = tap_load_once(&w->jump.made);
		unsigned int jump = made != tap_load_once(&w->jump.reported) ?
				    TAP_SLOT_SIZE : 0;
		unsigned int gap = total != tap_load_once(&w->reported) ?
				   TAP_SLOT_SIZE : 0;
		unsigned int need = bytes + jump + gap;
		struct tap_resv resv;

		if (!need)
			return tap_ring_refuse(w, event, TAP_RESV_NONE, 0);
		/*
		 * The tail may be newer than the head that we loaded: a writer that
		 * interrupted may have moved the head, and the reader may have followed.
		 * So a tail is called invalid, or the ring full, only if the head has not
		 * changed.
		 */
		if ((used > w->mask + 1 || need > w->mask + 1 - used) &&
		    tap_load_once(&w->head->head) != head)
			continue;
		if (__builtin_expect(used > w->mask + 1 ||
				     (used & TAP_SLOT_INDEX_MASK), 0)) {
			/* The tail is invalid: the ring counts as full until it is valid. */
			tap_add_local(&w->head->bad_tail, 1);
			used = w->mask + 1;
			full = 0;
		}
		if (need > w->mask + 1 - used) {
			/* Only interrupted writers can fill a ring that is overwritten. */
			if (over)
				return tap_ring_refuse(w, event, TAP_RESV_NESTED, 0);
			tap_ring_wake(w);
			/*
			 * From now on a gap record is due, so the next record needs two
			 * slots. If at most one is free, none fits until the tail moves.
			 */
			return tap_ring_refuse(w, event, TAP_RESV_FULL,
					       w->mask + 1 - used <= TAP_SLOT_SIZE ?
					       full : 0);
		}
		/* Between the load of the head and its exchange: see tap_ring_reserve_fast(). */
		resv.time = tap_clock(w);
		if (!tap_cmpxchg_local(&w->head->head, head, head + need))
			continue;
		/* First: the times of all records behind it are those after the jump. */
		if (jump)
			tap_ring_write_jump(w, head, resv.time, made);
		if (gap)
			tap_ring_write_gap(w, head + jump, resv.time, total);
		tap_ring_set_limit(w, tail, head + need);
		resv.pos = head + jump + gap;
		return resv;
	}
	return tap_ring_refuse(w, event, TAP_RESV_NESTED, 0);
}

/**
 * tap_ring_reserve_slow() - reserve room for a record, and write what must precede it
 * @w: ring of this CPU
 * @bytes: length of the record, a multiple of the slot size, at most the size of the
 *	ring; 0: write only what is due
 *
 * What is due is a notice of a jump of the clock and a gap record. The function reads the
 * tail, checks it, sets @limit of @w, and wakes the reader at a watermark or if the ring is
 * full. In overwrite mode it moves the tail instead, over records that are committed. A
 * failure with @bytes not 0 is counted as a loss.
 *
 * Context: any, on the ring's CPU, not migrating until the commit.
 * Return: the reservation; on failure its position is %TAP_RESV_FULL, %TAP_RESV_NESTED or
 *	%TAP_RESV_NONE (@bytes was 0 and nothing was due).
 */
static __always_inline struct tap_resv
tap_ring_reserve_slow(struct tap_ring_writer *w, unsigned int bytes)
{
	return tap_ring_reserve_any(w, bytes, bytes);
}

/**
 * tap_ring_offer() - reserve room for a record that is not an event
 * @w: ring of this CPU
 * @bytes: length of the record, a multiple of the slot size, not 0
 *
 * Context: any, on the ring's CPU, not migrating until the commit.
 * Return: as tap_ring_reserve_slow(); a failure is not counted as a loss.
 */
static __always_inline struct tap_resv
tap_ring_offer(struct tap_ring_writer *w, unsigned int bytes)
{
	return tap_ring_reserve_any(w, bytes, false);
}

#ifndef tap_ring_slow
#define tap_ring_slow(w, bytes)	tap_ring_reserve_slow(w, bytes)
#endif

/**
 * tap_ring_jumped() - report a jump of the clock in a ring
 * @w: a ring
 * @nr: number of this jump, from 1
 * @before: raw time before the jump
 * @after: raw time after it
 * @ticks: what a reader must add to raw times from now on
 *
 * If there is room, the notice is written now. That moves the head, so a writer that was
 * interrupted after it had read the clock reads it again: tap_ring_reserve_fast(). If there
 * is none, the next record waits for room for the notice as well.
 *
 * Context: any, on the ring's CPU; or that CPU is offline.
 */
static __always_inline void
tap_ring_jumped(struct tap_ring_writer *w, __u64 nr, __u64 before, __u64 after, __u64 ticks)
{
	tap_store_once(&w->jump.before, before);
	tap_store_once(&w->jump.after, after);
	tap_store_once(&w->head->clock, ticks);
	tap_store_once(&w->jump.made, nr);
	tap_store_once(&w->limit, 0);
	tap_ring_slow(w, 0);
}

/**
 * tap_ring_still_full() - count a loss without the slow path, if the ring is still full
 * @w: ring of this CPU
 * @head: @head of @w, which the caller has already loaded
 *
 * tap_ring_reserve_any() set the limit to tail + %TAP_LIMIT_FULL when it lost an event and
 * at most one slot was free. With the same tail there is still no room for a record and the
 * gap record that is due. The slow path woke the reader at that loss.
 *
 * Context: any, on the ring's CPU, not migrating.
 * Return: true if the event was counted as lost; on false call tap_ring_slow().
 */
static __always_inline bool
tap_ring_still_full(struct tap_ring_writer *w, struct tap_ring_head *head)
{
	__u64 limit = tap_load_once(&w->tail->tail) + TAP_LIMIT_FULL;

	if (tap_load_once(&w->limit) != limit)
		return false;
	tap_add_local(&head->lost, 1);
	/*
	 * A writer that interrupts after the test of w->limit may raise it. With that limit
	 * the next writer would not report this loss.
	 */
	tap_store_once(&w->limit, limit);
	return true;
}

/**
 * tap_ring_reserve_fast() - reserve room for a record below the limit
 * @w: ring of this CPU
 * @head: @head of @w, which the caller has already loaded
 * @bytes: length of the record, a multiple of the slot size
 * @counter: a constant: tap_clock() of this ring is known to be
 *	tap_clock_counter()
 * @resv: set to the reservation; undefined if the function returns false
 *
 * The clock is read between the load of the head and its exchange: a writer that
 * interrupts in between moves the head, the exchange fails, and the slow path
 * reads the clock again. So along a ring the time never decreases.
 *
 * Context: any, on the ring's CPU, not migrating until the commit.
 * Return: false if nothing was reserved. No loss is counted then: the caller must try
 *	tap_ring_still_full() and tap_ring_slow(), or start over.
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
 * tap_ring_reserve() - reserve room for an event's record
 * @w: ring of this CPU
 * @bytes: length of the record, a multiple of the slot size, at most the size of the ring
 *
 * Context: any, on the ring's CPU, not migrating until the commit.
 * Return: the reservation. If its position & %TAP_RESV_FAILED is not 0 it failed, and the
 *	ring has counted the loss.
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

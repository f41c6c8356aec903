/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Entries of a span's table: what span.c and capture.c share. The rules of handler.h and of
 * frame_table.h hold.
 */
#ifndef _TAPMOD_EXEC_SPAN_TABLE_H
#define _TAPMOD_EXEC_SPAN_TABLE_H

#include <linux/sched.h>

#include "compat/comm.h"
#include "exec/span.h"
#include "ring/clock.h"

/**
 * struct tap_span_words - the words of a side's event: its key, then its values
 * @base: registers, arguments, or an array
 * @offset: where each word is in @base, in bytes
 *
 * Functions take it by value: it fits into two registers.
 */
struct tap_span_words {
	const void *base;
	const u16 *offset;
};

static __always_inline u64 tap_span_word(struct tap_span_words words, unsigned int i)
{
	return *(const u64 *)(words.base + words.offset[i]);
}

/* Flags of a side's event that the record of the span has as well. */
#define TAP_SPAN_FLAGS							\
	(TAP_F_ABSENT | TAP_F_TRUNCATED | TAP_F_REDACTED | TAP_F_DEFERRED | TAP_F_USER | \
	 TAP_F_RACED)
#define TAP_SPAN_CONTEXT	(TAP_F_HARDIRQ | TAP_F_SOFTIRQ | TAP_F_NMI)

/* Times that an event looks again if another one took the entry that it had found. */
#define TAP_SPAN_TRIES		16

/* Offsets of words in an array. */
extern const u16 tap_span_in_order[TAP_MAX_AGG_WORDS];

/*
 * What the lines have for a key: an open entry, a free one, whether there are several open ones,
 * and whether one is being written.
 */
struct tap_span_scan {
	tap_frame open;
	tap_frame free;
	bool several;
	bool busy;
};

/* Whether its place is the only one where a key may be. */
static __always_inline bool
tap_span_undisplaced(const struct tap_frame_table *table, tap_frame place)
{
	return likely(!atomic_read(tap_frame_displaced(table, place)));
}

/*
 * Below, one is a constant: the words of the event are a key of one word. Then words is an array
 * of the caller that the compiler keeps in a register, and flags has only those of the context.
 */
static __always_inline u64
tap_span_hash(const struct tapmod_span *span, struct tap_span_words words, bool one)
{
	u64 hash = tap_frame_hash(0, tap_span_word(words, 0));
	unsigned int i;

	for (i = 1; !one && unlikely(i < span->nr_keys); i++)
		hash = tap_frame_hash(hash, tap_span_word(words, i));
	return hash & ~TAP_FRAME_STATE;
}

static __always_inline bool
tap_span_same_key(const struct tapmod_span *span, struct tap_span_event *event,
		  struct tap_span_words words, bool one)
{
	unsigned int i;

	for (i = 0; i < (one ? 1 : span->nr_keys); i++)
		if (READ_ONCE(tap_span_event_words(event)[i]) != tap_span_word(words, i))
			return false;
	return true;
}

/*
 * Stores a "from" event in an entry that is WRITING. Here and below, time is that of the event's
 * record; 0: it has none, and its time is read from the clock. In the functions that usual events
 * take it is the constant 0.
 */
static __always_inline void
tap_span_store(const struct tapmod_span *span, struct tap_span_event *event,
	       struct tap_span_words words, u32 flags, u64 time, bool one)
{
	unsigned int i, nr = one ? 1 : span->nr_keys + span->from_words;
	u64 *to = tap_span_event_words(event);

	/* If the span divides its duration, time is no constant: as for one that reads counters. */
	if (!__builtin_constant_p(time) && unlikely(span->probe.prog.divides))
		time = tap_division_begin(span->probe.tasks, tap_span_event_division(span, event),
					  tap_tasks_level_of(flags), time);
	for (i = 0; i < nr; i++)
		to[i] = tap_span_word(words, i);
	/* tid and tgid, as in tap_record_head(). */
	*(u64 *)&event->from_tid = *(const u64 *)&current->pid;
	event->from_cpu = raw_smp_processor_id();
	event->from_flags = one ? flags : flags & (TAP_SPAN_FLAGS | TAP_SPAN_CONTEXT);
	((u64 *)event->from_comm)[0] = tap_comm_word(0);
	((u64 *)event->from_comm)[1] = tap_comm_word(1);
	/*
	 * Last, so that the duration does not include the handler. Events that find several entries
	 * of a key, and readers, compare the times of entries that they do not own. A reader that
	 * sees this time sees the values above: pairs with smp_load_acquire() in tap_span_copy().
	 */
	smp_store_release(&event->from_time, time ?: tap_clock_read(span->probe.clock));
	/*
	 * Of a span that reads counters all sides take the functions where time is no constant.
	 * Behind the time, so no counter has counted for longer than the duration.
	 */
	if (!__builtin_constant_p(time) && unlikely(span->probe.prog.nr_pmu))
		tap_span_count(span, event);
}

#endif /* _TAPMOD_EXEC_SPAN_TABLE_H */

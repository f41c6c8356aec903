// SPDX-License-Identifier: GPL-2.0
/*
 * The events of a span's sides: they open and end entries of its frame table. The rules of
 * handler.h and of frame_table.h hold.
 *
 * The event that ends an entry owns it until the span's program has run: the program reads the
 * entry's memory, and writes the record or aggregates it. An event that interrupts it and has
 * the same key finds the entry ENDING, which is as good as none.
 */
#include <linux/kprobes.h>

#include "exec/call.h"
#include "exec/capture.h"
#include "exec/fastpath_run.h"
#include "exec/inside.h"
#include "exec/interpreter.h"
#include "exec/span.h"
#include "exec/span_table.h"
#include "perf/call_counters.h"

/* Scans all places that a key may be in; of the free ones it takes the first. */
void tap_span_scan(const struct tap_frame_table *table, tap_frame place, u64 want,
		   struct tap_span_scan *scan)
{
	unsigned int i;

	*scan = (struct tap_span_scan){ .open = -1, .free = -1 };
	/* Its own place before others: an entry that is there is not displaced. */
	if (!READ_ONCE(*tap_frame_tag(table, place)))
		scan->free = place;
	for (i = 0; i < TAP_FRAME_REACH && i < tap_frame_entries(table); i++) {
		tap_frame at = tap_frame_reach(table, place, i);
		u64 tag = READ_ONCE(*tap_frame_tag(table, at));

		if (tag == want) {
			scan->several |= scan->open >= 0;
			scan->open = at;
		} else if (!tag) {
			if (scan->free < 0)
				scan->free = at;
		} else if (unlikely((tag | TAP_FRAME_STATE) == want)) {
			scan->busy |= (tag & TAP_FRAME_STATE) == TAP_FRAME_WRITING;
		}
	}
}
NOKPROBE_SYMBOL(tap_span_scan);

/* Stores the counters of a "from" event in an entry that is WRITING. */
noinline void tap_span_count(const struct tapmod_span *span, struct tap_span_event *event)
{
	struct tap_span_pmu *pmu = tap_span_event_pmu(span, event);
	unsigned int i;

	pmu->switches = tap_switches();
	pmu->started = current->start_time;
	for (i = 0; i < span->probe.prog.nr_pmu; i++)
		pmu->value[i] = tap_pmu_read(span->probe.pmu, i);
}
NOKPROBE_SYMBOL(tap_span_count);

/*
 * By how much each counter has grown since the "from" event; TAP_PMU_NONE if another task runs
 * now, or the task was switched out meanwhile: a counter belongs to its CPU. Returns flags.
 */
static noinline u32
tap_span_counted_by(const struct tapmod_span *span, struct tap_span_event *event, u64 *by)
{
	const struct tap_span_pmu *pmu = tap_span_event_pmu(span, event);
	unsigned int i;
	u32 flags = 0;

	if (event->from_cpu != raw_smp_processor_id())
		flags = TAP_F_MIGRATED | TAP_F_DESCHEDULED;
	else if (pmu->started != current->start_time || pmu->switches != tap_switches())
		flags = TAP_F_DESCHEDULED;
	for (i = 0; i < span->probe.prog.nr_pmu; i++) {
		by[i] = flags & TAP_F_DESCHEDULED ? TAP_PMU_NONE :
						    tap_pmu_read(span->probe.pmu, i);
		if (flags & TAP_F_DESCHEDULED)
			continue;
		if (by[i] == TAP_PMU_NONE || pmu->value[i] == TAP_PMU_NONE) {
			by[i] = TAP_PMU_NONE;
			flags |= TAP_F_MULTIPLEXED;
		} else {
			by[i] -= pmu->value[i];
		}
	}
	return flags;
}
NOKPROBE_SYMBOL(tap_span_counted_by);

/*
 * Opens the entry whose tag was seen as from: FREE, or that of an open entry, which begins again.
 * Returns 1: done; 0: the open entry has another key; -1: another event has taken the entry
 * meanwhile.
 */
static __always_inline int
tap_span_open(const struct tapmod_span *span, tap_frame at, u64 from, u64 hash,
	      struct tap_span_words words, u32 flags, u64 time, bool one)
{
	const struct tap_frame_table *table = &span->table;
	u64 *tag = tap_frame_tag(table, at);
	struct tap_span_event *event;

	if (unlikely(!tap_frame_take(tag, from, hash | TAP_FRAME_WRITING)))
		return -1;
	event = tap_frame_memory(table, at);
	if (likely(!from)) {
		this_cpu_inc(span->counts->opened);
	} else if (likely(tap_span_same_key(span, event, words, one))) {
		this_cpu_inc(span->counts->restarted);
	} else {
		tap_frame_give(tag, from);
		return 0;
	}
	tap_span_store(span, event, words, flags, time, one);
	tap_frame_give(tag, tap_frame_open_tag(hash));
	return 1;
}

/* Frees an entry that this event owns. */
static __always_inline void
tap_span_drop(const struct tapmod_span *span, tap_frame at, tap_frame place)
{
	const struct tap_frame_table *table = &span->table;

	tap_frame_give(tap_frame_tag(table, at), TAP_FRAME_FREE);
	/* Behind the tag: an event that sees the count of before only scans for nothing. */
	if (unlikely(at != place))
		atomic_dec(tap_frame_displaced(table, place));
}

/* A "from" event whose key is open; returns as tap_span_open(). */
static noinline int
tap_span_reopen(const struct tapmod_span *span, tap_frame at, u64 hash, struct tap_span_words words,
		u32 flags, u64 time)
{
	const struct tap_frame_table *table = &span->table;
	u64 want = tap_frame_open_tag(hash);
	bool same;

	if (span->mode != TAP_SPAN_FIRST)
		return tap_span_open(span, at, want, hash, words, flags, time, false);
	/* Nothing is written, so the entry is not taken: an end would miss it meanwhile. */
	same = tap_span_same_key(span, tap_frame_memory(table, at), words, false);
	/* The key was read before the tag is read again. */
	smp_rmb();
	if (READ_ONCE(*tap_frame_tag(table, at)) != want)
		return -1;
	if (same)
		this_cpu_inc(span->counts->restarted);
	return same;
}
NOKPROBE_SYMBOL(tap_span_reopen);

/* A "from" event that cannot simply take the place of its key. */
static noinline int
tap_span_from_slow(const struct tapmod_span *span, u64 hash, struct tap_span_words words, u32 flags,
		   u64 time)
{
	const struct tap_frame_table *table = &span->table;
	tap_frame place = tap_frame_place(table, hash);
	struct tap_span_scan scan;
	unsigned int tries;

	/* A key that is open in its place: no need to look further. */
	if (tap_span_undisplaced(table, place) && span->mode != TAP_SPAN_STACK &&
	    READ_ONCE(*tap_frame_tag(table, place)) == tap_frame_open_tag(hash) &&
	    tap_span_reopen(span, place, hash, words, flags, time) > 0)
		return 0;
	for (tries = 0; tries < TAP_SPAN_TRIES; tries++) {
		tap_span_scan(table, place, tap_frame_open_tag(hash), &scan);
		if (scan.open >= 0 && span->mode != TAP_SPAN_STACK) {
			int done = tap_span_reopen(span, scan.open, hash, words, flags, time);

			if (done > 0)
				return 0;
			if (done < 0)
				continue;
		}
		if (scan.busy && span->mode != TAP_SPAN_STACK)
			break;
		if (scan.free < 0) {
			this_cpu_inc(span->counts->full);
			return 0;
		}
		if (scan.free == place) {
			if (tap_span_open(span, scan.free, TAP_FRAME_FREE, hash, words, flags,
					  time, false) > 0)
				return 0;
			continue;
		}
		/* Before its tag, see frame_table.h; cmpxchg() of the tag orders the two. */
		atomic_inc(tap_frame_displaced(table, place));
		if (tap_span_open(span, scan.free, TAP_FRAME_FREE, hash, words, flags, time,
				  false) > 0)
			return 0;
		atomic_dec(tap_frame_displaced(table, place));
	}
	this_cpu_inc(span->counts->busy);
	return 0;
}
NOKPROBE_SYMBOL(tap_span_from_slow);

/* Offsets of words in an array. */
const u16 tap_span_in_order[TAP_MAX_AGG_WORDS] = {
	0, 8, 16, 24, 32, 40, 48, 56,
	64, 72, 80, 88, 96, 104, 112, 120,
	128, 136, 144, 152, 160, 168, 176, 184,
	192, 200, 208, 216, 224, 232, 240, 248,
	256, 264, 272, 280, 288, 296, 304, 312,
	320, 328, 336, 344, 352, 360, 368, 376,
	384, 392, 400, 408, 416, 424, 432, 440,
	448, 456, 464, 472, 480, 488, 496, 504,
};

/* As tap_span_from_slow(), with a key that the caller has in a register. */
static noinline int
tap_span_from_slow_one(const struct tapmod_span *span, u64 hash, u64 key, u32 flags)
{
	return tap_span_from_slow(span, hash, (struct tap_span_words){ &key, tap_span_in_order },
				  flags, 0);
}
NOKPROBE_SYMBOL(tap_span_from_slow_one);

/* A "from" event. A leaf but for calls at its end, so that it needs no stack. */
static __always_inline int
tap_span_from(const struct tapmod_span *span, struct tap_span_words words, u32 flags, bool one)
{
	const struct tap_frame_table *table = &span->table;
	u64 hash = tap_span_hash(span, words, one);
	tap_frame at = tap_frame_place(table, hash);
	u64 tag = READ_ONCE(*tap_frame_tag(table, at));

	if ((likely(!tag) ||
	     (tag == tap_frame_open_tag(hash) && span->mode == TAP_SPAN_RESTART)) &&
	    tap_span_undisplaced(table, at) &&
	    likely(tap_span_open(span, at, tag, hash, words, flags, 0, one) > 0))
		return 0;
	return one ? tap_span_from_slow_one(span, hash, tap_span_word(words, 0), flags) :
		     tap_span_from_slow(span, hash, words, flags, 0);
}

/* Runs the span's program in the interpreter: a pair with flags for the record. */
static noinline void
tap_span_program(const struct tapmod_span *span, struct tap_span_event *event, u32 flags, u64 time)
{
	const struct tapmod_probe *probe = &span->probe;
	const struct tap_part *part = &probe->prog.entry;
	u64 words[TAP_MAX_AGG_WORDS] __uninitialized;
	struct tap_interp interp __uninitialized;
	struct tap_divided_time divided __uninitialized;
	struct tap_resv resv;
	u64 now = time;

	/* The flags of the "to" event include those of its context. */
	tap_interp_begin(&interp, probe, part, event, TAP_TRAP_PROGRAM);
	interp.size = tap_span_event_size(span);
	interp.regs = NULL;
	interp.flags = flags;
	if (probe->prog.nr_pmu)
		interp.flags |= tap_span_counted_by(span, event, interp.pmu);
	interp.divided = NULL;
	/* An NMI may have come on top of the task while its time is charged. */
	if (probe->prog.divides && !(flags & TAP_F_NMI) &&
	    tap_division_end(probe->tasks, tap_span_event_division(span, event), false, time,
			     &divided)) {
		interp.divided = &divided;
		now = divided.now;
	}
	if (probe->prog.tested || probe->agg)
		event->duration = tap_call_lasted(now ?: tap_clock_read(probe->clock),
						  event->from_time);
	interp.lasted = event->duration;
	if (!tap_event_passes(&interp, part))
		return;
	this_cpu_inc(probe->counters->hits);
	if (probe->counts) {
		this_cpu_inc(probe->counters->aggregated);
		if (!probe->agg)
			return;
		interp.c.next = words;
		interp.c.end = words + probe->prog.words;
		tap_interp_run(&interp, part, part->tests, part->end, false);
		tap_aggregate_event(probe, words, interp.absent);
		return;
	}
	if (!tap_event_reserve(probe, &interp.c, &resv))
		return;
	if (interp.divided && !time)
		tap_divided_until(&divided, resv.time);
	event->duration = tap_call_lasted(time ?: resv.time, event->from_time);
	interp.lasted = event->duration;
	tap_interp_run(&interp, part, part->tests, part->end, false);
	tap_cursor_fill(&interp.c);
	tap_record_publish(tap_ring_slot(interp.c.w, resv.pos), probe, &resv, interp.flags);
	this_cpu_inc(probe->counters->written);
}
NOKPROBE_SYMBOL(tap_span_program);

/*
 * Records or aggregates a pair, whose entry is ENDING. The fast path writes records of programs
 * without tests; a slow case of its reservation goes to the interpreter.
 */
static __always_inline void
tap_span_pair(const struct tapmod_span *span, struct tap_span_event *event, u32 flags, u64 time)
{
	const struct tapmod_probe *probe = &span->probe;
	const struct tap_fastpath *fp = probe->fp;
	struct tap_cursor c __uninitialized;
	struct tap_record *rec;
	struct tap_resv resv;
	u64 absent;

	if (span->counted) {
		this_cpu_inc(probe->counters->hits);
		this_cpu_inc(probe->counters->aggregated);
		return;
	}
	flags |= event->from_flags & TAP_SPAN_FLAGS;
	if (unlikely(!fp || probe->counts || probe->prog.tested) ||
	    unlikely(!tap_fastpath_reserve(probe, fp, &rec, &c, &resv))) {
		tap_span_program(span, event, flags, time);
		return;
	}
	event->duration = tap_call_lasted(time ?: resv.time, event->from_time);
	flags |= tap_fastpath_outputs(probe, fp, event, &c, &absent, TAP_TRAP_PROGRAM);
	tap_cursor_fill(&c);
	tap_record_publish(rec, probe, &resv, flags);
	tap_event_written(probe);
}

/*
 * Of several open entries of a key finds the one to end: the one that began last, or with
 * TAP_SPAN_FIRST the one that began first. The times of entries that other events own may change:
 * then this event ends another of the entries.
 */
static noinline tap_frame
tap_span_choose(const struct tapmod_span *span, tap_frame place, u64 want)
{
	const struct tap_frame_table *table = &span->table;
	tap_frame best = -1, at;
	u64 best_time = 0, time;
	unsigned int i;

	for (i = 0; i < TAP_FRAME_REACH && i < tap_frame_entries(table); i++) {
		const struct tap_span_event *event;

		at = tap_frame_reach(table, place, i);
		/* Pairs with tap_frame_give(): the time is not that of an earlier entry here. */
		if (smp_load_acquire(tap_frame_tag(table, at)) != want)
			continue;
		event = tap_frame_memory(table, at);
		time = READ_ONCE(event->from_time);
		if (best < 0 || (span->mode == TAP_SPAN_FIRST ? time < best_time :
								time >= best_time)) {
			best = at;
			best_time = time;
		}
	}
	return best;
}
NOKPROBE_SYMBOL(tap_span_choose);

/* Drops the other open entries of a key whose entry this event owns. */
static noinline void
tap_span_clear(const struct tapmod_span *span, tap_frame place, u64 hash,
	       struct tap_span_words words)
{
	const struct tap_frame_table *table = &span->table;
	u64 want = tap_frame_open_tag(hash), *tag;
	unsigned int i;
	tap_frame at;

	for (i = 0; i < TAP_FRAME_REACH && i < tap_frame_entries(table); i++) {
		at = tap_frame_reach(table, place, i);
		tag = tap_frame_tag(table, at);
		if (READ_ONCE(*tag) != want ||
		    !tap_frame_take(tag, want, hash | TAP_FRAME_ENDING))
			continue;
		if (!tap_span_same_key(span, tap_frame_memory(table, at), words, false)) {
			tap_frame_give(tag, want);
			continue;
		}
		this_cpu_inc(span->counts->cleared);
		tap_span_drop(span, at, place);
	}
}
NOKPROBE_SYMBOL(tap_span_clear);

/*
 * Ends an entry, if this event can take it. Returns 1: done; 0: the entry has another key; -1:
 * another event has taken the entry.
 */
static __always_inline int
tap_span_end(const struct tapmod_span *span, tap_frame at, tap_frame place, u64 hash,
	     struct tap_span_words words, u32 flags, u64 time, bool clear)
{
	const struct tap_frame_table *table = &span->table;
	struct tap_span_event *event = tap_frame_memory(table, at);
	u64 *to = tap_span_event_words(event) + span->nr_keys + span->from_words;
	u64 want = tap_frame_open_tag(hash), *tag = tap_frame_tag(table, at);
	unsigned int i;

	if (unlikely(!tap_frame_take(tag, want, hash | TAP_FRAME_ENDING)))
		return -1;
	if (unlikely(!tap_span_same_key(span, event, words, false))) {
		tap_frame_give(tag, want);
		return 0;
	}
	if (clear)
		tap_span_clear(span, place, hash, words);
	this_cpu_inc(span->counts->ended);
	for (i = 0; i < span->to_words; i++)
		to[i] = tap_span_word(words, span->nr_keys + i);
	tap_span_pair(span, event, flags & (TAP_SPAN_FLAGS | TAP_SPAN_CONTEXT), time);
	tap_span_drop(span, at, place);
	return 1;
}

/* A "to" event whose key is not simply in its place. */
static noinline int
tap_span_to_slow(const struct tapmod_span *span, u64 hash, struct tap_span_words words, u32 flags,
		 u64 time)
{
	const struct tap_frame_table *table = &span->table;
	u64 want = tap_frame_open_tag(hash);
	tap_frame place = tap_frame_place(table, hash);
	struct tap_span_scan scan;
	unsigned int tries;
	int done;

	/* Another key in the only place where this one may be, or none. */
	if (tap_span_undisplaced(table, place) &&
	    (READ_ONCE(*tap_frame_tag(table, place)) | TAP_FRAME_STATE) != want) {
		this_cpu_inc(span->counts->unmatched);
		return 0;
	}
	for (tries = 0; tries < TAP_SPAN_TRIES; tries++) {
		tap_span_scan(table, place, want, &scan);
		if (scan.several)
			scan.open = tap_span_choose(span, place, want);
		if (scan.open < 0)
			break;
		done = tap_span_end(span, scan.open, place, hash, words, flags, time,
				    scan.several && span->mode != TAP_SPAN_STACK);
		if (done > 0)
			return 0;
		if (!done)
			break;
	}
	this_cpu_inc(span->counts->unmatched);
	if (scan.busy || scan.open >= 0)
		this_cpu_inc(span->counts->unmatched_busy);
	return 0;
}
NOKPROBE_SYMBOL(tap_span_to_slow);

/* Records or aggregates the pair of an entry that is ENDING, and frees the entry. */
static noinline int
tap_span_ended(const struct tapmod_span *span, tap_frame at, u32 flags)
{
	tap_span_pair(span, tap_frame_memory(&span->table, at), flags, 0);
	tap_span_drop(span, at, at);
	return 0;
}
NOKPROBE_SYMBOL(tap_span_ended);

/*
 * Writes a record of one slot whose words are all loads from the entry; false, with nothing
 * written or counted, in the slow cases of tap_event_shaped_words().
 */
static __always_inline bool
tap_span_record(const struct tapmod_probe *probe, struct tap_span_event *event, u32 flags)
{
	struct tap_ring_writer *w = tap_event_writer(probe);
	struct tap_ring_head *head = w->head;
	struct tap_record *rec;
	struct tap_resv resv;
	unsigned int i;

	if (unlikely(!tap_ring_reserve_fast(w, head, TAP_SLOT_SIZE, true, &resv)))
		return false;
	rec = tap_ring_slot_at(head, w->mask, resv.pos);
	event->duration = tap_call_lasted(resv.time, event->from_time);
	tap_record_head(rec, probe, resv.time, flags);
#pragma GCC unroll 4
	for (i = 0; i < TAP_FIRST_VALUES; i++)
		rec->value[i] = i < probe->nr_loads ?
				*(const u64 *)((void *)event + probe->offset[i]) : 0;
	tap_ring_commit(rec, resv.pos);
	tap_event_written(probe);
	return true;
}

/* As tap_span_to_slow(), with a key that the caller has in a register. */
static noinline int
tap_span_to_slow_one(const struct tapmod_span *span, u64 hash, u64 key, u32 flags)
{
	return tap_span_to_slow(span, hash, (struct tap_span_words){ &key, tap_span_in_order },
				flags, 0);
}
NOKPROBE_SYMBOL(tap_span_to_slow_one);

/* A "to" event. A leaf but for calls at its end, so that it needs no stack. */
static __always_inline int
tap_span_to(const struct tapmod_span *span, struct tap_span_words words, u32 flags, bool one)
{
	const struct tap_frame_table *table = &span->table;
	u64 hash = tap_span_hash(span, words, one), want = tap_frame_open_tag(hash);
	tap_frame at = tap_frame_place(table, hash);
	u64 *to, *tag = tap_frame_tag(table, at);
	struct tap_span_event *event;
	unsigned int i;

	if (unlikely(READ_ONCE(*tag) != want) || !tap_span_undisplaced(table, at) ||
	    unlikely(!tap_frame_take(tag, want, hash | TAP_FRAME_ENDING)))
		goto slow;
	event = tap_frame_memory(table, at);
	if (unlikely(!tap_span_same_key(span, event, words, one))) {
		tap_frame_give(tag, want);
		goto slow;
	}
	this_cpu_inc(span->counts->ended);
	to = tap_span_event_words(event) + span->nr_keys + span->from_words;
	for (i = 0; !one && i < span->to_words; i++)
		to[i] = tap_span_word(words, span->nr_keys + i);
	if (!one)
		flags &= TAP_SPAN_FLAGS | TAP_SPAN_CONTEXT;
	if (unlikely(!span->plain) ||
	    !tap_span_record(&span->probe, event, flags | (event->from_flags & TAP_SPAN_FLAGS)))
		return tap_span_ended(span, at, flags);
	tap_frame_give(tag, TAP_FRAME_FREE);
	return 0;
slow:
	return one ? tap_span_to_slow_one(span, hash, tap_span_word(words, 0), flags) :
		     tap_span_to_slow(span, hash, words, flags, 0);
}

static __always_inline void tap_span_side_counted(const struct tapmod_probe *probe)
{
	struct tap_counters __percpu *counters = probe->counters;

	this_cpu_inc(counters->hits);
	this_cpu_inc(counters->aggregated);
}

/**
 * tap_span_from_key() - an event that opens an entry, with a key of one word and no values
 * @probe: a side "from" whose @span_one is set
 * @key: the key
 * @flags: tap_context()
 *
 * Context: any, NMI included; preemption off.
 * Return: 0, the result of a handler.
 */
int tap_span_from_key(const struct tapmod_probe *probe, u64 key, u32 flags)
{
	tap_span_side_counted(probe);
	return tap_span_from(probe->span, (struct tap_span_words){ &key, tap_span_in_order },
			     flags, true);
}
NOKPROBE_SYMBOL(tap_span_from_key);

/**
 * tap_span_to_key() - an event that ends an entry, with a key of one word and no values
 * @probe: a side "to" whose @span_one is set
 * @key: the key
 * @flags: tap_context()
 *
 * Context: any, NMI included; preemption off.
 * Return: 0, the result of a handler.
 */
int tap_span_to_key(const struct tapmod_probe *probe, u64 key, u32 flags)
{
	tap_span_side_counted(probe);
	return tap_span_to(probe->span, (struct tap_span_words){ &key, tap_span_in_order },
			   flags, true);
}
NOKPROBE_SYMBOL(tap_span_to_key);

static noinline int
tap_span_take(const struct tapmod_probe *probe, struct tap_span_words words, u32 flags)
{
	return probe->side == TAP_SIDE_FROM ?
	       tap_span_from(probe->span, words, flags, false) :
	       tap_span_to(probe->span, words, flags, false);
}
NOKPROBE_SYMBOL(tap_span_take);

/**
 * tap_span_side_loads() - an event of a side whose words are loads from its base
 * @probe: a probe whose @span is not NULL, and whose words are its @nr_loads
 * @base: registers or arguments
 * @flags: tap_context()
 *
 * Context: any, NMI included; preemption off.
 * Return: 0, the result of a handler.
 */
int tap_span_side_loads(const struct tapmod_probe *probe, const void *base, u32 flags)
{
	u64 key;

	if (likely(probe->span_one)) {
		key = *(const u64 *)(base + probe->offset[0]);
		return probe->side == TAP_SIDE_FROM ? tap_span_from_key(probe, key, flags) :
						      tap_span_to_key(probe, key, flags);
	}
	tap_span_side_counted(probe);
	return tap_span_take(probe, (struct tap_span_words){ base, probe->offset }, flags);
}
NOKPROBE_SYMBOL(tap_span_side_loads);

/*
 * Writes the record of a side's event, which was counted as aggregated. Returns its time; 0: it
 * was lost, which is counted.
 */
static __always_inline u64
tap_span_side_record(const struct tapmod_probe *probe, const u64 *words, u32 flags)
{
	bool redact = probe->span->probe.redact;
	struct tap_cursor c __uninitialized;
	struct tap_resv resv;
	unsigned int i;

	this_cpu_dec(probe->counters->aggregated);
	if (!tap_event_reserve(probe, &c, &resv))
		return 0;
	for (i = 0; i < probe->prog.words; i++) {
		bool hide = redact && tap_is_address(words[i]);

		*tap_cursor_next(&c) = hide ? 0 : words[i];
		flags |= hide ? TAP_F_REDACTED : 0;
	}
	tap_cursor_fill(&c);
	tap_record_publish(tap_ring_slot(c.w, resv.pos), probe, &resv, flags);
	this_cpu_inc(probe->counters->written);
	return resv.time;
}

/*
 * An event of a side that makes a record as well or has a frame, of a capture, or of a span that
 * reads counters or divides its duration. It takes the slow functions, which handle all cases: so
 * the usual events have nothing to ask for. Interrupts are off if the duration is divided, so that
 * the times of record, entry and division agree.
 */
static noinline void
tap_span_side_extra(const struct tapmod_probe *probe, const u64 *words, u32 flags)
{
	struct tap_span_words all = { words + probe->span_first, tap_span_in_order };
	const struct tapmod_span *span = probe->span;
	u64 hash = tap_span_hash(span, all, false);
	bool divides = span->probe.prog.divides;
	unsigned long irq = 0;
	u64 time = 0;

	if (span->mode == TAP_SPAN_CAPTURE) {
		tap_capture_event(span, hash, all, flags);
		return;
	}
	if (probe->frame)
		tap_inside_span(probe, flags);
	if (divides)
		raw_local_irq_save(irq);
	if (probe->flags & TAP_CREATE_F_RECORD)
		time = tap_span_side_record(probe, words, flags);
	if (probe->side == TAP_SIDE_FROM)
		tap_span_from_slow(span, hash, all, flags, time);
	else
		tap_span_to_slow(span, hash, all, flags, time);
	if (divides)
		raw_local_irq_restore(irq);
}
NOKPROBE_SYMBOL(tap_span_side_extra);

/**
 * tap_span_side() - an event of a side of a span
 * @probe: a probe whose @span is not NULL; the event is counted as aggregated
 * @words: value words of the event
 * @absent: bit n is set if output n is absent
 * @flags: TAP_F_* that a record of the event would have
 *
 * Context: any, NMI included; preemption off.
 */
void tap_span_side(const struct tapmod_probe *probe, const u64 *words, u64 absent, u32 flags)
{
	struct tap_span_words all;

	if (unlikely(absent & probe->span_keys)) {
		this_cpu_dec(probe->counters->aggregated);
		this_cpu_inc(probe->counters->lost_fault);
		return;
	}
	if (unlikely(probe->span_extra)) {
		tap_span_side_extra(probe, words, flags);
		return;
	}
	all = (struct tap_span_words){ words + probe->span_first, tap_span_in_order };
	tap_span_take(probe, all, flags);
}
NOKPROBE_SYMBOL(tap_span_side);

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Spans: one event out of two that have the same key. See uapi/linux/tap_span.h.
 */
#ifndef _TAPMOD_EXEC_SPAN_H
#define _TAPMOD_EXEC_SPAN_H

#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/tap.h>
#include <linux/types.h>

#include "core/probe.h"
#include "exec/aggregate.h"
#include "exec/division.h"
#include "exec/frame_table.h"

/**
 * struct tap_span_counts - results of the events of all sides, on one CPU
 *
 * @opened: as @out_opened of struct tap_span_read
 * @restarted: as @out_restarted
 * @full: as @out_full
 * @busy: as @out_busy
 * @ended: as @out_ended
 * @unmatched: as @out_unmatched
 * @unmatched_busy: as @out_unmatched_busy
 * @cleared: as @out_cleared
 */
struct tap_span_counts {
	u64 opened;
	u64 restarted;
	u64 full;
	u64 busy;
	u64 ended;
	u64 unmatched;
	u64 unmatched_busy;
	u64 cleared;
};

/**
 * struct tapmod_span - a probe of the type TAP_PROBE_SPAN
 * @probe: the common part; its program runs at the end of an entry
 * @table: what is open. The memory of an entry is a struct tap_span_event with its words, and a
 *	struct tap_span_pmu if the program of the span reads counters, and a
 *	struct tap_division_start if it divides the duration
 * @counts: per CPU; handlers on that CPU write them
 * @nr_keys: words of the key, the first ones of an entry
 * @from_words: words of a "from" event behind the key
 * @to_words: words of a "to" event behind the key
 * @mode: enum tap_span_mode
 * @entries: as the user gave it
 * @plain: its records have one slot, of loads from the entry alone, and there are no tests
 * @counted: its events are only counted, and there are no tests
 * @nr_sides: probes that are its sides or look values up, under the session's lock
 * @nr_readers: those that look values up, under the same
 * @captor: of a capture: its side; NULL: it has none. Set by tap_span_joined()
 * @missed: number of events that the kernel missed of @captor; NULL: it misses none
 * @epoch: of a capture: grows by %TAP_SPAN_EPOCH when events of @captor may have been missed
 *	uncounted
 */
struct tapmod_span {
	struct tapmod_probe probe;
	struct tap_frame_table table;
	struct tap_span_counts __percpu *counts;
	u16 nr_keys;
	u16 from_words;
	u16 to_words;
	u16 mode;
	bool plain;
	bool counted;
	u32 entries;
	u32 nr_sides;
	u32 nr_readers;
	const struct tapmod_probe *captor;
	const unsigned long *missed;
	atomic64_t epoch;
};

/* More than events that are missed. */
#define TAP_SPAN_EPOCH		BIT_ULL(40)

/**
 * struct tap_span_pmu - counters at the "from" event
 * @switches: tap_switches() of the task that ran
 * @started: when that task was started: no two tasks of a CPU have the same time and switches
 * @value: of tap_pmu_read(); tap_program.nr_pmu words
 */
struct tap_span_pmu {
	u64 switches;
	u64 started;
	u64 value[];
};

/* The span of a probe of the type TAP_PROBE_SPAN. */
static inline struct tapmod_span *to_tap_span(const struct tapmod_probe *probe)
{
	return container_of(probe, struct tapmod_span, probe);
}

/* The words of a span's event: those of the key, of the "from" side, of the "to" side. */
static __always_inline u64 *tap_span_event_words(struct tap_span_event *event)
{
	return (u64 *)(event + 1);
}

/* Bytes of the data of a span's events. */
static inline u32 tap_span_event_size(const struct tapmod_span *span)
{
	return sizeof(struct tap_span_event) +
	       (span->nr_keys + span->from_words + span->to_words) * sizeof(u64);
}

/* The counters of an entry, behind its words. */
static inline struct tap_span_pmu *
tap_span_event_pmu(const struct tapmod_span *span, struct tap_span_event *event)
{
	return (void *)event + tap_span_event_size(span);
}

/* The stamp of a capture's entry, behind its words: see capture.c. */
static __always_inline u64 *
tap_span_event_stamp(const struct tapmod_span *span, struct tap_span_event *event)
{
	return (void *)event + tap_span_event_size(span);
}

/* Words of the counters of an entry. A capture reads none. */
static inline u32 tap_span_pmu_words(const struct tapmod_span *span)
{
	u32 pmu = span->probe.prog.nr_pmu;

	return pmu ? sizeof(struct tap_span_pmu) / sizeof(u64) + pmu : 0;
}

/* The start of the division of an entry, behind its counters. */
static inline struct tap_division_start *
tap_span_event_division(const struct tapmod_span *span, struct tap_span_event *event)
{
	return (void *)event + tap_span_event_size(span) + tap_span_pmu_words(span) * sizeof(u64);
}

/* Words of an entry of a span's table. */
static inline u32 tap_span_entry_words(const struct tapmod_span *span)
{
	return tap_span_event_size(span) / sizeof(u64) + (span->mode == TAP_SPAN_CAPTURE) +
	       tap_span_pmu_words(span) +
	       (span->probe.prog.divides ?
		sizeof(struct tap_division_start) / sizeof(u64) : 0);
}

/* Whether a probe is the side of a capture. */
static inline bool tap_span_captures(const struct tapmod_probe *probe)
{
	return probe->span && probe->span->mode == TAP_SPAN_CAPTURE;
}

/**
 * tap_span_capture_misses() - tell a capture where the kernel counts what it misses
 * @probe: any probe that is being attached
 * @missed: the counter, part of the probe; NULL: the kernel misses none of its events
 *
 * Context: process.
 */
static inline void
tap_span_capture_misses(const struct tapmod_probe *probe, const unsigned long *missed)
{
	if (probe->span)
		((struct tapmod_span *)probe->span)->missed = missed;
}

struct tap_span_scan;

void tap_span_scan(const struct tap_frame_table *table, tap_frame place, u64 want,
		   struct tap_span_scan *scan);
void tap_span_count(const struct tapmod_span *span, struct tap_span_event *event);
int tap_span_from_key(const struct tapmod_probe *probe, u64 key, u32 flags);
int tap_span_to_key(const struct tapmod_probe *probe, u64 key, u32 flags);
int tap_span_side_loads(const struct tapmod_probe *probe, const void *base, u32 flags);
void tap_span_side(const struct tapmod_probe *probe, const u64 *words, u64 absent, u32 flags);

/**
 * tap_event_collected() - give the words of an event to its probe's aggregation or span
 * @probe: a probe whose @collects is set
 * @words: value words of the event, in the order of a record
 * @absent: bit n is set if output n is absent
 * @flags: TAP_F_* that a record of the event would have
 *
 * The caller has counted the event as aggregated.
 *
 * Context: any, NMI included; preemption off.
 */
static __always_inline void
tap_event_collected(const struct tapmod_probe *probe, const u64 *words, u64 absent, u32 flags)
{
	if (likely(probe->agg))
		tap_aggregate_event(probe, words, absent);
	else
		tap_span_side(probe, words, absent, flags);
}

#endif /* _TAPMOD_EXEC_SPAN_H */

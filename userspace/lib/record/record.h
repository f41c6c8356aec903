/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Steps of reading that run for each record, so they are inlined. They serve rings and
 * trace files; both are untrusted.
 */
#ifndef _TAP_RECORD_RECORD_H
#define _TAP_RECORD_RECORD_H

#include <libtap.h>

#include "util/barrier.h"
/* ring_core.h needs the primitives of barrier.h. */
#include "module/common/ring_core.h"

static inline const struct tap_slot *tap_slot_at(const void *data, __u64 mask,
						 __u64 pos)
{
	return (const struct tap_slot *)((const char *)data + (pos & mask));
}

/*
 * The number of slots of a record, 0 if it is incomplete. @mask is applied to each
 * position. @pos is a first slot whose own sequence word is valid; @avail bytes from
 * there can be read. @delta is the difference of sequence words to positions, 0 in a
 * ring.
 */
static inline unsigned int tap_record_slots(const void *data, __u64 mask,
					    __u64 pos, __u64 avail, __u64 delta)
{
	const struct tap_record *rec =
		(const void *)tap_slot_at(data, mask, pos);
	unsigned int slots = tap_load_once(&rec->slots);
	unsigned int k;

	if (!slots || (__u64)slots * TAP_SLOT_SIZE > avail)
		return 0;
	for (k = 1; k < slots; k++) {
		__u64 at = pos + (__u64)k * TAP_SLOT_SIZE;

		if (tap_slot_at(data, mask, at)->seq !=
		    tap_slot_seq(at + delta, k))
			return 0;
	}
	return slots;
}

static inline void tap_event_count(struct tap_reader_counts *counts,
				   const struct tap_record *rec)
{
	if (rec->kind == TAP_KIND_EVENT) {
		counts->events++;
	} else if (rec->kind == TAP_KIND_GAP) {
		counts->gaps++;
		counts->lost += rec->value[TAP_GAP_LOST];
	}
}

/**
 * struct tap_join - joins the times of a ring over jumps of the clock
 * @ticks: added to raw times: of the last TAP_NOTICE_CLOCK of the ring, 0 at its start
 * @time: of the last record
 */
struct tap_join {
	__u64 ticks;
	__u64 time;
};

static inline bool tap_record_is_jump(const struct tap_record *rec)
{
	return rec->kind == TAP_KIND_NOTICE &&
	       rec->value[TAP_NOTICE_WHAT] == TAP_NOTICE_CLOCK;
}

/*
 * The time of the next record of a ring. If it is before the last one by more than @most,
 * the clock jumped and the notice follows: on the CPU that resumes the machine, or after a
 * jump that the kernel found late. Until the notice the times go on from the last one.
 */
static inline __u64 tap_join_time(struct tap_join *join, const struct tap_record *rec,
				  __u64 most)
{
	__u64 time;

	if (tap_record_is_jump(rec))
		join->ticks = rec->value[TAP_NOTICE_SIZE];
	time = rec->time + join->ticks;
	if (time < join->time && join->time - time > most) {
		join->ticks += join->time - time;
		time = join->time;
	}
	join->time = time;
	return time;
}

/* How far the times of a ring may go back without a jump of the clock, nanoseconds. */
#define TAP_JOIN_NS	1000000000ULL

/**
 * tap_record_resync() - find the next record after an invalid one
 * @data: memory that positions count in
 * @mask: applied to each position
 * @pos: position of the invalid slot
 * @end: end of the search
 * @delta: difference of sequence words to positions; 0 in a ring
 *
 * Return: position of the next first slot after @pos, or @end.
 */
__u64 tap_record_resync(const void *data, __u64 mask, __u64 pos, __u64 end,
			__u64 delta);

#endif /* _TAP_RECORD_RECORD_H */

/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The steps of reading that are taken once for each record, so they are inlined. Serve rings
 * and trace files alike, and believe neither.
 */
#ifndef _TAP_RECORD_RECORD_H
#define _TAP_RECORD_RECORD_H

#include <libtap.h>

#include "util/barrier.h"
/* Needs the barriers. */
#include "module/common/ring_core.h"

static inline const struct tap_slot *tap_slot_at(const void *data, __u64 mask,
						 __u64 pos)
{
	return (const struct tap_slot *)((const char *)data + (pos & mask));
}

/**
 * tap_record_slots() - how many slots of a record are there and whole
 * @data: memory that positions count in
 * @mask: applied to each position
 * @pos: position of a first slot whose own sequence word is right
 * @avail: bytes from @pos on that may be read
 * @delta: what a sequence word has more than @pos counts; 0 in a ring
 *
 * Return: the number of slots; 0 if it is no whole record.
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

/**
 * tap_event_count() - add an event to the counts
 * @counts: of a reader
 * @rec: first slot of the event
 */
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
 * tap_record_resync() - find the next record after a broken one
 * @data: memory that positions count in
 * @mask: applied to each position
 * @pos: position of the broken slot
 * @end: where to give up
 * @delta: what a sequence word has more than @pos counts; 0 in a ring
 *
 * Return: position of the next first slot after @pos, or @end.
 */
__u64 tap_record_resync(const void *data, __u64 mask, __u64 pos, __u64 end,
			__u64 delta);

#endif /* _TAP_RECORD_RECORD_H */

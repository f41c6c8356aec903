// SPDX-License-Identifier: LGPL-2.1
/*
 * Skipping plain events in a ring. Raw reading and windows only count them: this is where all
 * their time goes.
 */
#include <string.h>

#include "record/record.h"
#include "session/plain_events.h"

/* Events that are looked at between two tests of the end. */
#define SKIP_STEP	8

/* Whether slot @k of a record is committed, the one at @at, whose position is @pos. */
static inline bool slot_is(const char *at, __u64 pos, unsigned int k)
{
	return tap_load_acquire((const __u64 *)(const void *)at) == tap_slot_seq(pos, k);
}

/*
 * Skips committed events of that many slots, 1 or 2, SKIP_STEP at a time. @offset is what to add to
 * an address for its position.
 */
static inline const char *slots_skip(const char *at, const char *stop, __u64 offset, __u64 last,
				     const unsigned int slots)
{
	/* @slots and @kind of struct tap_record: one comparison of both. */
	const char head[] = { (char)slots, TAP_KIND_EVENT };
	const unsigned int size = slots * TAP_SLOT_SIZE;
	__u64 steps = (__u64)(stop - at) / (SKIP_STEP * size);

	for (; steps; steps--, at += SKIP_STEP * size) {
		const char *slot = at;
		unsigned int i;

#pragma GCC unroll 8
		for (i = 0; i < SKIP_STEP; i++) {
			const __u64 pos = (uintptr_t)(at + i * size) + offset;

			slot = at + i * size;
			if (!slot_is(slot, pos, 0) ||
			    memcmp(slot + offsetof(struct tap_record, slots), head, sizeof(head)) ||
			    (slots > 1 && !slot_is(slot + TAP_SLOT_SIZE, pos + TAP_SLOT_SIZE, 1)))
				return at;
		}
		/* The others are not later. */
		if (((const struct tap_record *)(const void *)slot)->time > last)
			return at;
	}
	return at;
}

__u64 tap_plain_events(const void *data, __u64 mask, __u64 pos, __u64 end, __u64 last,
		       __u64 *events)
{
	const char *at = (const char *)data + (pos & mask), *singles, *pairs;
	const char *wrap = (const char *)data + mask + 1;
	const char *stop = end - pos < (__u64)(wrap - at) ? at + (end - pos) : wrap;
	const __u64 offset = pos - (uintptr_t)at;
	unsigned int slots = 1;

	for (; at < stop && slots; at = pairs + slots * TAP_SLOT_SIZE) {
		const struct tap_record *rec;

		singles = slots_skip(at, stop, offset, last, 1);
		pairs = slots_skip(singles, stop, offset, last, 2);
		pos = (uintptr_t)pairs + offset;
		rec = pairs < stop ? tap_ring_peek(data, mask, pos) : NULL;
		slots = rec && rec->kind == TAP_KIND_EVENT && rec->time <= last ?
			tap_record_slots(data, mask, pos, (__u64)(stop - pairs), 0) : 0;
		*events += (__u64)(singles - at) / TAP_SLOT_SIZE +
			   (__u64)(pairs - singles) / (2 * TAP_SLOT_SIZE) + !!slots;
	}
	return (uintptr_t)at + offset;
}

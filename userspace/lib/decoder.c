// SPDX-License-Identifier: LGPL-2.1
/*
 * From slots to a checked event. Serves rings and trace files alike, and
 * believes neither.
 */
#include <errno.h>

#include "barrier.h"
#include "module/ring_core.h"
#include "private.h"

static const struct tap_slot *slot_at(const void *data, __u64 mask, __u64 pos)
{
	return (const struct tap_slot *)((const char *)data + (pos & mask));
}

unsigned int tap_record_slots(const void *data, __u64 mask, __u64 pos,
			      __u64 avail, __u64 delta)
{
	const struct tap_record *rec = (const void *)slot_at(data, mask, pos);
	unsigned int slots = tap_load_once(&rec->slots);
	unsigned int k;

	if (!slots || (__u64)slots * TAP_SLOT_SIZE > avail)
		return 0;
	for (k = 1; k < slots; k++) {
		__u64 at = pos + (__u64)k * TAP_SLOT_SIZE;

		if (slot_at(data, mask, at)->seq != tap_slot_seq(at + delta, k))
			return 0;
	}
	return slots;
}

__u64 tap_record_resync(const void *data, __u64 mask, __u64 pos, __u64 end,
			__u64 delta)
{
	for (pos += TAP_SLOT_SIZE; pos < end; pos += TAP_SLOT_SIZE) {
		/* Pairs: C, as in tap_ring_peek(). */
		if (tap_load_acquire(&slot_at(data, mask, pos)->seq) ==
		    tap_slot_seq(pos + delta, 0))
			return pos;
	}
	return end;
}

void tap_event_count(struct tap_reader_counts *counts,
		     const struct tap_record *rec)
{
	if (rec->kind == TAP_KIND_EVENT) {
		counts->events++;
	} else if (rec->kind == TAP_KIND_GAP) {
		counts->gaps++;
		counts->lost += rec->value[TAP_GAP_LOST];
	}
}

int tap_decode(const struct tap_probes *probes, struct tap_event *ev)
{
	const struct tap_probe *probe;

	ev->probe = NULL;
	if (ev->rec->kind == TAP_KIND_GAP)
		return ev->rec->probe ? -EBADMSG : 0;
	if (ev->rec->kind != TAP_KIND_EVENT)
		return -EOPNOTSUPP;
	probe = tap_probes_find(probes, ev->rec->probe);
	if (!probe)
		return -ENOENT;
	/* The fields were checked to lie inside probe->slots by the table. */
	if (ev->slots < probe->slots)
		return -EBADMSG;
	ev->probe = probe;
	return 0;
}

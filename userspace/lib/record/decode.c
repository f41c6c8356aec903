// SPDX-License-Identifier: LGPL-2.1
/*
 * From slots to a checked event. Serves rings and trace files alike, and
 * believes neither.
 */
#include <errno.h>

#include "record/record.h"
#include "spec/probe_table.h"

__u64 tap_record_resync(const void *data, __u64 mask, __u64 pos, __u64 end,
			__u64 delta)
{
	for (pos += TAP_SLOT_SIZE; pos < end; pos += TAP_SLOT_SIZE) {
		/* Pairs: C, as in tap_ring_peek(). */
		if (tap_load_acquire(&tap_slot_at(data, mask, pos)->seq) ==
		    tap_slot_seq(pos + delta, 0))
			return pos;
	}
	return end;
}

int tap_decode(const struct tap_probes *probes, struct tap_event *ev)
{
	const struct tap_record *rec = ev->rec;
	const struct tap_probe *probe;

	ev->probe = NULL;
	if (rec->kind == TAP_KIND_GAP)
		return rec->probe ? -EBADMSG : 0;
	if (rec->kind != TAP_KIND_EVENT && rec->kind != TAP_KIND_NOTICE)
		return -EOPNOTSUPP;
	probe = tap_probes_at(probes, rec->probe);
	if (!probe)
		return -ENOENT;
	/* It is about the probe, and has nothing of its layout. */
	if (rec->kind == TAP_KIND_NOTICE)
		return 0;
	/* The fields were checked to lie inside probe->slots by the table. */
	if (ev->slots < probe->slots)
		return -EBADMSG;
	ev->probe = probe;
	return 0;
}

// SPDX-License-Identifier: LGPL-2.1
/*
 * From slots to a checked event, for rings and trace files. Both are untrusted.
 */
#include <errno.h>
#include <string.h>

#include "record/record.h"
#include "spec/probe_table.h"
#include "spec/probe_type.h"

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
	if (tap_record_is_jump(rec))
		return rec->probe ? -EBADMSG : 0;
	if (rec->kind != TAP_KIND_EVENT && rec->kind != TAP_KIND_NOTICE)
		return -EOPNOTSUPP;
	/* A notice of the session itself. */
	if (rec->kind == TAP_KIND_NOTICE && !rec->probe)
		return 0;
	probe = tap_probes_at(probes, rec->probe);
	if (!probe)
		return -ENOENT;
	/* A notice is about the probe but does not have its layout. */
	if (rec->kind == TAP_KIND_NOTICE)
		return 0;
	/*
	 * tap_probes_add() has checked that the fields are inside probe->slots, and those that are
	 * not read by tap_event_word() inside probe->least_slots.
	 */
	if (ev->slots < probe->least_slots)
		return -EBADMSG;
	ev->probe = probe;
	return 0;
}

bool tap_event_absent(const struct tap_event *ev, const struct tap_field *field)
{
	const struct tap_probe *probe = ev->probe;
	int word = tap_probe_absent_word(probe, ev->rec->flags, field);

	/* These two are no outputs of the program. */
	if (tap_probe_is_call(probe->spec.type) && field->word < TAP_CALL_FETCHES)
		return ev->rec->flags & TAP_F_NO_RETURN;
	return ev->rec->flags & TAP_F_ABSENT && word >= 0 &&
	       tap_event_word(ev, (unsigned int)word) >> field->output & 1;
}

bool tap_event_comm(const struct tap_event *ev, char *comm)
{
	int word = ev->probe ? ev->probe->comm_word : -1;
	unsigned int i;
	__u64 text;

	if (word < 0)
		return false;
	for (i = 0; i < TAP_COMM_LEN / sizeof(text); i++) {
		text = tap_event_word(ev, (unsigned int)word + i);
		memcpy(comm + i * sizeof(text), &text, sizeof(text));
	}
	comm[TAP_COMM_LEN] = '\0';
	return true;
}

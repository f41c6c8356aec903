// SPDX-License-Identifier: LGPL-2.1
/*
 * The probe table, and what the tool adds to a probe's program.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "spec/field.h"
#include "spec/probe_table.h"
#include "spec/probe_type.h"

/* Whether the layout makes sense; finds the words of no value on the way. */
static int probe_check(struct tap_probe *probe)
{
	const struct tap_spec *spec = &probe->spec;
	unsigned int room, i;

	if (!probe->id || probe->id > UINT16_MAX || !probe->slots ||
	    probe->slots > TAP_MAX_SLOTS || !spec->event || !spec->target)
		return -EBADMSG;
	room = TAP_FIRST_VALUES + (probe->slots - 1) * TAP_SLOT_VALUES;
	if (probe->words > room)
		return -EBADMSG;
	if (tap_probe_is_call(spec->type) && probe->words < TAP_CALL_FETCHES)
		return -EBADMSG;
	probe->comm_word = -1;
	probe->absent_word = -1;
	probe->entry_absent_word = -1;
	probe->frame_word = -1;
	for (i = 0; i < spec->nr_fields; i++) {
		const struct tap_field *f = &spec->fields[i];

		if (!tap_field_check(f, probe->words))
			return -EBADMSG;
		if (f->flags & TAP_FIELD_F_ABSENT)
			probe->absent_word = f->word;
		else if (f->flags & TAP_FIELD_F_FRAME)
			probe->frame_word = f->word;
		else if (f->flags & TAP_FIELD_F_HIDDEN &&
			 f->format == TAP_FMT_COMM)
			probe->comm_word = f->word;
		if (f->flags & TAP_FIELD_F_ABSENT &&
		    !(f->flags & TAP_FIELD_F_RETURN))
			probe->entry_absent_word = f->word;
	}
	return 0;
}

static int probes_index(struct tap_probes *probes, __u32 id, size_t index)
{
	if (id >= probes->nr_ids) {
		size_t nr = (size_t)id * 2 + 16;
		__u32 *by_id = realloc(probes->by_id, nr * sizeof(*by_id));

		if (!by_id)
			return -ENOMEM;
		memset(by_id + probes->nr_ids, 0,
		       (nr - probes->nr_ids) * sizeof(*by_id));
		probes->by_id = by_id;
		probes->nr_ids = nr;
	}
	if (probes->by_id[id])
		return -EEXIST;
	probes->by_id[id] = (__u32)index + 1;
	return 0;
}

int tap_probes_add(struct tap_probes *probes, struct tap_probe *probe)
{
	struct tap_probe *list;
	int ret = probe_check(probe);

	if (ret)
		return ret;
	/* Grow at each power of two: the length says when. */
	if (!(probes->nr & (probes->nr - 1))) {
		size_t room = probes->nr ? probes->nr * 2 : 1;

		list = realloc(probes->list, room * sizeof(*list));
		if (!list)
			return -ENOMEM;
		probes->list = list;
	}
	ret = probes_index(probes, probe->id, probes->nr);
	if (ret)
		return ret;
	probes->list[probes->nr++] = *probe;
	memset(&probe->spec, 0, sizeof(probe->spec));
	return 0;
}

void tap_probes_free(struct tap_probes *probes)
{
	size_t i;

	for (i = 0; i < probes->nr; i++)
		tap_spec_free(&probes->list[i].spec);
	free(probes->list);
	free(probes->by_id);
	memset(probes, 0, sizeof(*probes));
}

const struct tap_probe *tap_probes_find(const struct tap_probes *probes,
					__u32 id)
{
	return tap_probes_at(probes, id);
}

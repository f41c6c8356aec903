// SPDX-License-Identifier: LGPL-2.1
/*
 * The probe table and its probes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "module/common/record_slots.h"
#include "spec/field.h"
#include "spec/probe_table.h"
#include "spec/probe_type.h"
#include "util/array.h"

/**
 * tap_probe_shrink() - give the probe the layout of records whose stack is unwound
 * @probe: a probe of a session, with the layout of its records in the ring
 *
 * A copied stack becomes frames, which take fewer words; what follows moves up. Sets @copy_word and
 * @copy_words for a struct tap_unwinder, which changes the records in the same way.
 */
void tap_probe_shrink(struct tap_probe *probe)
{
	struct tap_spec *spec = &probe->spec;
	unsigned int word = tap_probe_is_call(spec->type) ? TAP_CALL_FETCHES : 0, words, i;

	for (i = 0; i < spec->nr_ops && spec->ops[i].code != TAP_OP_USTACK_COPY; i++)
		word += tap_op_words(&spec->ops[i]);
	if (i == spec->nr_ops)
		return;
	probe->copy_word = word;
	probe->copy_words = tap_op_words(&spec->ops[i]);
	words = probe->copy_words < 1 + TAP_MAX_STACK ? probe->copy_words : 1 + TAP_MAX_STACK;
	for (i = 0; i < spec->nr_fields; i++) {
		if (spec->fields[i].word == word)
			spec->fields[i].words = words;
		else if (spec->fields[i].word > word)
			spec->fields[i].word -= probe->copy_words - words;
	}
	probe->words -= probe->copy_words - words;
	probe->slots = tap_words_slots(probe->words);
}

/*
 * The kernel leaves out the stacks of the longest wait, and what is behind them, if there was no
 * wait. Only these fields, and the one of absent values, are read as words that may be missing.
 */
static __u32 least_slots(const struct tap_probe *probe)
{
	const struct tap_spec *spec = &probe->spec;
	unsigned int words = probe->words, i;

	for (i = 0; i < spec->nr_fields; i++)
		if (spec->fields[i].flags & TAP_FIELD_F_WAIT && spec->fields[i].word < words)
			words = spec->fields[i].word;
	for (i = 0; i < spec->nr_fields; i++)
		if (spec->fields[i].word + spec->fields[i].words > words &&
		    !(spec->fields[i].flags & (TAP_FIELD_F_WAIT | TAP_FIELD_F_ABSENT)))
			return probe->slots;
	words = tap_words_slots(words);
	return words < probe->slots ? words : probe->slots;
}

/* Checks the layout; sets the members that say which word is what. */
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
	probe->from_absent_word = -1;
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
		if (f->flags & TAP_FIELD_F_ABSENT && f->flags & TAP_FIELD_F_FROM &&
		    spec->type == TAP_PROBE_SPAN)
			probe->from_absent_word = f->word;
		else if (f->flags & TAP_FIELD_F_ABSENT &&
			 !(f->flags & TAP_FIELD_F_RETURN))
			probe->entry_absent_word = f->word;
	}
	probe->least_slots = least_slots(probe);
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

/**
 * tap_probes_add() - append a probe
 * @probes: the table; all zero is an empty one
 * @probe: copied. On success its spec belongs to the table, and the caller's is all zero.
 *	Its fields must lie inside its words, its words inside its slots
 *
 * Return: 0; -ENOMEM; -EEXIST if the table has the id; -EBADMSG if the layout is not valid.
 */
int tap_probes_add(struct tap_probes *probes, struct tap_probe *probe)
{
	int ret = probe_check(probe);

	if (ret)
		return ret;
	if (!TAP_GROW(probes->list, probes->nr))
		return -ENOMEM;
	ret = probes_index(probes, probe->id, probes->nr);
	if (ret)
		return ret;
	probes->list[probes->nr++] = *probe;
	memset(&probe->spec, 0, sizeof(probe->spec));
	return 0;
}

/**
 * tap_probes_clear() - free what a table holds, not the structure itself
 * @probes: is all zero afterwards
 */
void tap_probes_clear(struct tap_probes *probes)
{
	size_t i;

	for (i = 0; i < probes->nr; i++)
		tap_spec_clear(&probes->list[i].spec);
	free(probes->list);
	free(probes->by_id);
	memset(probes, 0, sizeof(*probes));
}

struct tap_probes *tap_probes_new(void)
{
	return calloc(1, sizeof(struct tap_probes));
}

void tap_probes_free(struct tap_probes *probes)
{
	if (!probes)
		return;
	tap_probes_clear(probes);
	free(probes);
}

size_t tap_probes_nr(const struct tap_probes *probes)
{
	return probes ? probes->nr : 0;
}

const struct tap_probe *tap_probes_get(const struct tap_probes *probes,
				       size_t i)
{
	return i < probes->nr ? &probes->list[i] : NULL;
}

const struct tap_probe *tap_probes_find(const struct tap_probes *probes,
					__u32 id)
{
	return tap_probes_at(probes, id);
}

__u32 tap_probe_id(const struct tap_probe *probe)
{
	return probe->id;
}

__u64 tap_probe_address(const struct tap_probe *probe)
{
	return probe->address;
}

const struct tap_spec *tap_probe_spec(const struct tap_probe *probe)
{
	return &probe->spec;
}

const char *tap_probe_event(const struct tap_probe *probe)
{
	return tap_spec_event(&probe->spec);
}

enum tap_probe_type tap_probe_type(const struct tap_probe *probe)
{
	return probe->spec.type;
}

unsigned int tap_probe_nr_fields(const struct tap_probe *probe)
{
	return probe->spec.nr_fields;
}

const struct tap_field *tap_probe_field(const struct tap_probe *probe,
					unsigned int i)
{
	return tap_spec_field(&probe->spec, i);
}

const struct tap_field *tap_probe_find_field(const struct tap_probe *probe,
					     const char *name)
{
	unsigned int i;

	for (i = 0; i < probe->spec.nr_fields; i++)
		if (!strcmp(probe->spec.fields[i].name, name))
			return &probe->spec.fields[i];
	return NULL;
}

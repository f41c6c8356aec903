/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The probe table, whose layout the path of each record knows. Private to libtap and its tests.
 */
#ifndef _TAP_SPEC_PROBE_TABLE_H
#define _TAP_SPEC_PROBE_TABLE_H

#include "spec/spec.h"

/**
 * struct tap_probe - a probe that exists, or did when a file was recorded
 * @id: as in records, never 0
 * @slots: slots of one of its records
 * @least_slots: slots that each of its records has: the words behind them are 0 if they are missing
 * @words: value words of one of its records
 * @copy_word: of %TAP_OP_USTACK_COPY: its first word in the records of the ring
 * @copy_words: its words there, 0 if there is no copy; the field of the stack has fewer
 * @address: kernel address of the probe, 0 if not known
 * @comm_word: first of the two words for the COMM column, -1 if none
 * @absent_word: the word of %TAP_FIELD_F_ABSENT, -1 if none
 * @entry_absent_word: the same in a funcgraph's record of an entry; of a span, for its own values
 * @from_absent_word: of a span: the same of its "from" side; @absent_word is that of its "to" side
 * @frame_word: the word that has the stack pointer at the entry, -1 if none
 * @spec: what it is; owned by the table
 */
struct tap_probe {
	__u32 id;
	__u32 slots;
	__u32 least_slots;
	__u32 words;
	__u16 copy_word;
	__u16 copy_words;
	__u64 address;
	int comm_word;
	int absent_word;
	int entry_absent_word;
	int from_absent_word;
	int frame_word;
	struct tap_spec spec;
};

/**
 * struct tap_probes - the probe table
 * @list: the probes, in the order of their ids
 * @nr: number of @list
 * @by_id: index into @list plus one, by id; 0 where there is none
 * @nr_ids: entries of @by_id
 */
struct tap_probes {
	struct tap_probe *list;
	size_t nr;
	__u32 *by_id;
	size_t nr_ids;
};

/* The word that says whether a field of a record is absent; -1: it has none. */
static inline int tap_probe_absent_word(const struct tap_probe *probe, __u32 record_flags,
					const struct tap_field *field)
{
	bool first = probe->spec.type == TAP_PROBE_SPAN ? !(field->flags & TAP_FIELD_F_RETURN) :
							  record_flags & TAP_F_ENTRY;

	if (probe->spec.type == TAP_PROBE_SPAN && field->flags & TAP_FIELD_F_FROM)
		return probe->from_absent_word;
	return first ? probe->entry_absent_word : probe->absent_word;
}

void tap_probe_shrink(struct tap_probe *probe);
int tap_probes_add(struct tap_probes *probes, struct tap_probe *probe);
void tap_probes_clear(struct tap_probes *probes);

/**
 * tap_probes_at() - as tap_probes_find(), inlined
 * @probes: the table
 * @id: as in records
 *
 * Return: the probe, or NULL.
 */
static inline const struct tap_probe *
tap_probes_at(const struct tap_probes *probes, __u32 id)
{
	if (id >= probes->nr_ids || !probes->by_id[id])
		return NULL;
	return &probes->list[probes->by_id[id] - 1];
}

#endif /* _TAP_SPEC_PROBE_TABLE_H */

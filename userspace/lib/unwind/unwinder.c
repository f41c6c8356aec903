// SPDX-License-Identifier: LGPL-2.1
/*
 * Replaces the copies of stacks in records by the addresses of their frames. A copy can be unwound
 * only while the files of its program exist, and takes much more room than the frames: so this is
 * done when records are read from the rings, and neither an output nor a file has a copy.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/record.h"
#include "spec/probe_table.h"
#include "unwind/process.h"
#include "util/arch.h"
#include "util/buffer.h"

/* Processes that libdwfl keeps. */
#define PROCESSES	32
#define MAX_WORDS	(TAP_FIRST_VALUES + (TAP_MAX_SLOTS - 1) * TAP_SLOT_VALUES)

/**
 * struct unwind_ring - the stream of a ring, for tap_unwinder_data()
 * @join: of its times
 * @pos: position of @in in the ring's stream
 * @in: data that were not changed yet: the start of a record that goes on in the next data
 * @out_pos: position of @out in the stream of changed data
 * @out: changed data
 * @begun: it has had data
 */
struct unwind_ring {
	struct tap_join join;
	uint64_t pos;
	struct tap_buffer in;
	uint64_t out_pos;
	struct tap_buffer out;
	bool begun;
};

/**
 * struct tap_unwinder - the state of an unwinder
 * @maps: of the processes
 * @probes: the probe table
 * @timebase: of the records
 * @jump_ticks: see tap_join_time()
 * @processes: by process id
 * @rings: by CPU; allocated
 * @nr_rings: number of @rings
 * @words: the words of a copy
 * @record: a changed record, for tap_unwinder_event()
 */
struct tap_unwinder {
	struct tap_maps *maps;
	const struct tap_probes *probes;
	struct tap_timebase timebase;
	__u64 jump_ticks;
	struct tap_unwind_process *processes[PROCESSES];
	struct unwind_ring *rings;
	unsigned int nr_rings;
	uint64_t words[MAX_WORDS];
	char record[TAP_MAX_SLOTS * TAP_SLOT_SIZE] __attribute__((aligned(8)));
};

static bool has_copies(const struct tap_probes *probes)
{
	size_t i;

	for (i = 0; i < probes->nr; i++)
		if (probes->list[i].copy_words)
			return true;
	return false;
}

int tap_unwinder_open(struct tap_unwinder **unwinder, struct tap_maps *maps,
		      const struct tap_probes *probes, const struct tap_timebase *timebase)
{
	struct tap_unwinder *u;

	*unwinder = NULL;
	if (!has_copies(probes))
		return 0;
	u = calloc(1, sizeof(*u));
	if (!u)
		return -ENOMEM;
	u->maps = maps;
	u->probes = probes;
	u->timebase = *timebase;
	u->jump_ticks = tap_timebase_ticks(timebase, TAP_JOIN_NS);
	*unwinder = u;
	return 0;
}

void tap_unwinder_close(struct tap_unwinder *unwinder)
{
	unsigned int i;

	if (!unwinder)
		return;
	for (i = 0; i < PROCESSES; i++)
		tap_unwind_process_free(unwinder->processes[i]);
	for (i = 0; i < unwinder->nr_rings; i++) {
		tap_buffer_free(&unwinder->rings[i].in);
		tap_buffer_free(&unwinder->rings[i].out);
	}
	free(unwinder->rings);
	free(unwinder);
}

static __u64 *word_at(char *record, unsigned int i)
{
	struct tap_record *rec = (struct tap_record *)record;
	struct tap_slot *slots = (struct tap_slot *)record;

	if (i < TAP_FIRST_VALUES)
		return &rec->value[i];
	i -= TAP_FIRST_VALUES;
	return &slots[1 + i / TAP_SLOT_VALUES].value[i % TAP_SLOT_VALUES];
}

/*
 * Makes the words of a stack out of those of its copy, which are in u->words: a word of TAP_TEXT_*
 * and frames. Returns the former.
 */
static __u64 unwind(struct tap_unwinder *u, const struct tap_event *ev, __u64 head,
		    uint64_t *frames, size_t room)
{
	struct tap_stack_sample sample = {
		.tgid = ev->rec->tgid,
		.time = tap_timebase_mono(&u->timebase, ev->time),
		.regs = u->words,
		.stack = u->words + TAP_ARCH_DWARF_REGS,
	};
	size_t nr = (head & TAP_TEXT_LEN) / 8;
	enum tap_unwound end;

	/* A 32-bit program has frames already, and a kernel thread nothing. */
	if (!(head & TAP_TEXT_COPIED)) {
		nr = nr < room ? nr : room;
		memcpy(frames, u->words, nr * 8);
		return nr * 8 | (head & ~TAP_TEXT_LEN);
	}
	if (nr < TAP_ARCH_DWARF_REGS || nr > ev->probe->copy_words - 1U)
		return TAP_TEXT_ABSENT;
	sample.nr = nr - TAP_ARCH_DWARF_REGS;
	end = tap_unwind_sample(&u->processes[sample.tgid % PROCESSES], u->maps, &sample, frames,
				room, &nr);
	return nr * 8 | TAP_TEXT_UNWOUND | (end == TAP_UNWOUND_CUT ? TAP_TEXT_TRUNCATED : 0) |
	       (end == TAP_UNWOUND_LOST ? TAP_TEXT_ABSENT : 0);
}

/*
 * Writes the record of an event, as the probe's layout has it, to @record; its sequence words are
 * not set. Returns its slots.
 */
static unsigned int change(struct tap_unwinder *u, const struct tap_event *ev, char *record)
{
	const struct tap_probe *probe = ev->probe;
	unsigned int at = probe->copy_word, words = probe->copy_words, kept, i;
	struct tap_record *rec = (struct tap_record *)record;
	uint64_t frames[TAP_MAX_STACK] = { 0 };
	__u64 head;

	kept = words < 1 + TAP_MAX_STACK ? words : 1 + TAP_MAX_STACK;
	memset(record, 0, (size_t)probe->slots * TAP_SLOT_SIZE);
	*rec = *ev->rec;
	rec->slots = (__u8)probe->slots;
	for (i = 1; i < words; i++)
		u->words[i - 1] = tap_event_word(ev, at + i);
	head = unwind(u, ev, tap_event_word(ev, at), frames, kept - 1);
	for (i = 0; i < at; i++)
		*word_at(record, i) = tap_event_word(ev, i);
	*word_at(record, at) = head;
	for (i = 1; i < kept; i++)
		*word_at(record, at + i) = frames[i - 1];
	for (i = at + kept; i < probe->words; i++)
		*word_at(record, i) = tap_event_word(ev, i + words - kept);
	/* The first slot may have room for more words than the record has. */
	for (; i < TAP_FIRST_VALUES; i++)
		rec->value[i] = 0;
	if (head & TAP_TEXT_TRUNCATED)
		rec->flags |= TAP_F_TRUNCATED;
	if (head & TAP_TEXT_ABSENT)
		rec->flags |= TAP_F_ABSENT;
	return probe->slots;
}

/* Whether an event has a copy, and the words that the probe's records have in a ring. */
static bool is_copy(const struct tap_event *ev)
{
	unsigned int room = TAP_FIRST_VALUES + (ev->slots - 1) * TAP_SLOT_VALUES, kept;

	if (!ev->probe || !ev->probe->copy_words)
		return false;
	kept = ev->probe->copy_words < 1 + TAP_MAX_STACK ? ev->probe->copy_words :
							   1 + TAP_MAX_STACK;
	return ev->probe->words + ev->probe->copy_words - kept <= room;
}

void tap_unwinder_event(struct tap_unwinder *u, struct tap_event *ev)
{
	if (!u || !is_copy(ev))
		return;
	ev->slots = change(u, ev, u->record);
	ev->rec = (const struct tap_record *)u->record;
	ev->data = u->record;
	ev->pos = 0;
	ev->mask = ~0ULL;
}

static struct unwind_ring *ring_of(struct tap_unwinder *u, unsigned int cpu)
{
	struct unwind_ring *rings;

	if (cpu >= u->nr_rings) {
		rings = realloc(u->rings, (cpu + 1) * sizeof(*rings));
		if (!rings)
			return NULL;
		memset(rings + u->nr_rings, 0, (cpu + 1 - u->nr_rings) * sizeof(*rings));
		u->rings = rings;
		u->nr_rings = cpu + 1;
	}
	return &u->rings[cpu];
}

/* Gives the slots at the end of the changed data the sequence words of their place. */
static void number_slots(struct unwind_ring *ring, unsigned int slots, bool valid)
{
	struct tap_slot *slot = (struct tap_slot *)(ring->out.data + ring->out.len);
	unsigned int k;

	for (k = 0; k < slots; k++)
		slot[k].seq = valid ? tap_slot_seq(ring->out_pos + ring->out.len +
						   (__u64)k * TAP_SLOT_SIZE, k) : 0;
	ring->out.len += (size_t)slots * TAP_SLOT_SIZE;
}

/* Appends the record at @at of @ring->in to the changed data; returns its bytes, or -ENOMEM. */
static ssize_t take_record(struct tap_unwinder *u, struct unwind_ring *ring, unsigned int cpu,
			   size_t at)
{
	struct tap_event ev = {
		.data = ring->in.data, .pos = at, .mask = ~0ULL, .cpu = cpu,
		.rec = (const void *)(ring->in.data + at),
	};
	bool valid = ev.rec->seq == tap_slot_seq(ring->pos + at, 0);
	unsigned int slots;

	if (valid)
		ev.slots = tap_record_slots(ev.data, ~0ULL, at, ring->in.len - at, ring->pos);
	/* It goes on in the next data. */
	if (valid && !ev.slots && (size_t)ev.rec->slots * TAP_SLOT_SIZE > ring->in.len - at)
		return 0;
	valid = ev.slots;
	if (!valid)
		ev.slots = 1;
	slots = ev.slots;
	if (!tap_buffer_room(&ring->out, TAP_MAX_SLOTS * TAP_SLOT_SIZE))
		return -ENOMEM;
	if (valid)
		ev.time = tap_join_time(&ring->join, ev.rec, u->jump_ticks);
	if (valid && !tap_decode(u->probes, &ev) && is_copy(&ev))
		slots = change(u, &ev, ring->out.data + ring->out.len);
	else
		memcpy(ring->out.data + ring->out.len, ev.rec, (size_t)slots * TAP_SLOT_SIZE);
	number_slots(ring, slots, valid);
	return (ssize_t)ev.slots * TAP_SLOT_SIZE;
}

int tap_unwinder_data(struct tap_unwinder *u, unsigned int cpu, __u64 *pos, const void **data,
		      size_t *len)
{
	struct unwind_ring *ring;
	size_t at = 0;
	ssize_t bytes;
	char *room;

	if (!u)
		return 0;
	ring = ring_of(u, cpu);
	if (!ring)
		return -ENOMEM;
	/* What was skipped in between is no record, nor is the start of one before it. */
	if (ring->pos + ring->in.len != *pos) {
		ring->in.len = 0;
		ring->pos = *pos;
	}
	if (!ring->begun)
		ring->out_pos = *pos;
	ring->begun = true;
	room = tap_buffer_room(&ring->in, *len);
	if (!room)
		return -ENOMEM;
	memcpy(room, *data, *len);
	ring->in.len += *len;
	ring->out_pos += ring->out.len;
	ring->out.len = 0;
	for (; at < ring->in.len; at += (size_t)bytes) {
		bytes = take_record(u, ring, cpu, at);
		if (bytes < 0)
			return (int)bytes;
		if (!bytes)
			break;
	}
	ring->in.len -= at;
	ring->pos += at;
	memmove(ring->in.data, ring->in.data + at, ring->in.len);
	*pos = ring->out_pos;
	*data = ring->out.data;
	*len = ring->out.len;
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rings in memory, written by the module's algorithm, to test the reader without a module. There is
 * one thread: for an interrupt it calls the writer between reserve and commit.
 */
#ifndef _TEST_LIB_FAKE_RING_H
#define _TEST_LIB_FAKE_RING_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec/probe_table.h"
#include "util/barrier.h"
#include "util/value_names.h"
#include "util/util.h"

/* The clock of the writers; set by tests. */
static __u64 fake_time;

struct tap_ring_writer;

static inline __u64 fake_clock(void)
{
	return fake_time;
}

static inline void fake_wake(struct tap_ring_writer *w)
{
	(void)w;
}

#define tap_clock(w)			fake_clock()
#define tap_clock_counter()		fake_clock()
#define tap_ring_wake(w)		fake_wake(w)
#define tap_add_local(p, v)		(*(p) += (v))
#define tap_cmpxchg_local(p, old, new)	\
	(*(p) == (old) ? (*(p) = (new), true) : false)

#include "module/common/record_slots.h"
#include "module/common/ring_core.h"

#define FAKE_MAX_CPUS	8

/**
 * struct fake - a session in memory
 * @meta: as the module would write it
 * @w: the writers
 * @head: head pages, followed by the slots; allocated
 * @tail: tail pages
 * @heads: for tap_reader_open_memory()
 * @tails: for tap_reader_open_memory()
 * @slots: for tap_reader_open_memory()
 */
struct fake {
	struct tap_meta meta;
	struct tap_ring_writer w[FAKE_MAX_CPUS];
	char *head[FAKE_MAX_CPUS];
	struct tap_ring_tail tail[FAKE_MAX_CPUS];
	const struct tap_ring_head *heads[FAKE_MAX_CPUS];
	struct tap_ring_tail *tails[FAKE_MAX_CPUS];
	const void *slots[FAKE_MAX_CPUS];
};

/* Each ring starts at position @start, to test large positions. */
static inline void fake_init(struct fake *f, unsigned int cpus, __u64 bytes,
			     __u64 start)
{
	unsigned int i;

	memset(f, 0, sizeof(*f));
	f->meta = (struct tap_meta){
		.magic = TAP_META_MAGIC,
		.version = TAP_META_VERSION,
		.length = sizeof(f->meta),
		.page_size = 4096,
		.nr_rings = cpus,
		.ring_bytes = bytes,
		.ring_offset = 2 * (bytes + 8192),
		.ring_stride = 2 * (bytes + 8192),
		.watermark = bytes / 4,
		.wake_ms = 100,
		.clock = TAP_CLOCK_MONO,
		.clock_shift = 0,
		.clock_mult = 1,
	};
	for (i = 0; i < cpus; i++) {
		struct tap_ring_head *head;

		f->head[i] = aligned_alloc(4096, TAP_RING_PAGE + bytes);
		if (!f->head[i])
			abort();
		memset(f->head[i], 0, TAP_RING_PAGE + bytes);
		head = (void *)f->head[i];
		head->head = start;
		f->tail[i].tail = start;
		f->w[i].mask = bytes - 1;
		f->w[i].head = head;
		f->w[i].tail = &f->tail[i];
		f->w[i].watermark = bytes / 4;
		f->heads[i] = head;
		f->tails[i] = &f->tail[i];
		f->slots[i] = f->head[i] + TAP_RING_PAGE;
	}
}

static inline void fake_free(struct fake *f)
{
	unsigned int i;

	for (i = 0; i < FAKE_MAX_CPUS; i++)
		free(f->head[i]);
}

/* The value of word i of the n-th record of a CPU. */
static inline __u64 fake_value(unsigned int cpu, unsigned int n, unsigned int i)
{
	return ((__u64)cpu << 48) + ((__u64)n << 16) + i;
}

static inline void fake_fill(struct fake *f, unsigned int cpu, __u64 pos,
			     __u64 time, unsigned int probe,
			     unsigned int slots, unsigned int n)
{
	struct tap_record *rec = tap_ring_slot(&f->w[cpu], pos);
	unsigned int k, i;

	rec->time = time;
	rec->probe = (__u16)probe;
	rec->slots = (__u8)slots;
	rec->kind = TAP_KIND_EVENT;
	rec->flags = 0;
	rec->tid = 1000 + cpu;
	rec->tgid = 1000;
	for (i = 0; i < TAP_FIRST_VALUES; i++)
		rec->value[i] = fake_value(cpu, n, i);
	for (k = 1; k < slots; k++) {
		__u64 at = pos + (__u64)k * TAP_SLOT_SIZE;
		struct tap_slot *slot = tap_ring_slot(&f->w[cpu], at);

		for (i = 0; i < TAP_SLOT_VALUES; i++)
			slot->value[i] = fake_value(cpu, n, TAP_FIRST_VALUES +
						    (k - 1) * TAP_SLOT_VALUES +
						    i);
		slot->seq = tap_slot_seq(at, k);
	}
}

/* Writes a record; returns false if the ring is full. */
static inline bool fake_write(struct fake *f, unsigned int cpu,
			      unsigned int probe, unsigned int slots,
			      unsigned int n)
{
	struct tap_resv resv = tap_ring_reserve(&f->w[cpu],
						slots * TAP_SLOT_SIZE);

	if (resv.pos & TAP_RESV_FAILED)
		return false;
	fake_fill(f, cpu, resv.pos, resv.time, probe, slots, n);
	tap_ring_commit(tap_ring_slot(&f->w[cpu], resv.pos), resv.pos);
	return true;
}

/* The record at a position, for tests that modify it. */
static inline struct tap_record *fake_record(struct fake *f, unsigned int cpu,
					     __u64 pos)
{
	return tap_ring_slot(&f->w[cpu], pos);
}

/* Changes word @i of the values of the record at a position. */
static inline void fake_set_word(struct fake *f, unsigned int cpu, __u64 pos, unsigned int i,
				 __u64 v)
{
	struct tap_slot *slot;

	if (i < TAP_FIRST_VALUES) {
		fake_record(f, cpu, pos)->value[i] = v;
		return;
	}
	i -= TAP_FIRST_VALUES;
	slot = tap_ring_slot(&f->w[cpu], pos + (1 + i / TAP_SLOT_VALUES) * TAP_SLOT_SIZE);
	slot->value[i % TAP_SLOT_VALUES] = v;
}

/* A field; the variable arguments set further members. */
#define FIELD(n, fmt, first, nr, ...) \
	{ .name = n, .format = TAP_FMT_##fmt, .word = first, .words = nr, \
	  __VA_ARGS__ }

/* Adds a probe to the table; copies the fields. */
static inline void fake_probe(struct tap_probes *probes, __u32 id,
			      enum tap_probe_type type, const char *event,
			      __u32 words, const struct tap_field *fields,
			      unsigned int nr_fields)
{
	struct tap_probe probe = { .id = id, .words = words };
	unsigned int i;

	probe.slots = tap_words_slots(words);
	probe.spec.type = type;
	probe.spec.event = strdup(event);
	probe.spec.target = strdup(event);
	probe.spec.fields = calloc(nr_fields + 1, sizeof(*fields));
	probe.spec.nr_fields = nr_fields;
	for (i = 0; i < nr_fields; i++) {
		probe.spec.fields[i] = fields[i];
		tap_value_names_get(fields[i].value_names);
	}
	if (tap_probes_add(probes, &probe))
		abort();
}

#endif /* _TEST_LIB_FAKE_RING_H */

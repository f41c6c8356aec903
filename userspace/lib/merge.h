/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A binary heap of streams by the time of the record that each is at: the
 * k-way merge of the live reader and of the file reader.
 *
 * The common step is "the first stream moved on to its next record", which is
 * one sift down: for few CPUs a comparison or two, for many their logarithm.
 */
#ifndef _TAP_MERGE_H
#define _TAP_MERGE_H

#include <linux/types.h>

/**
 * struct tap_merge_entry - a stream that has a record
 * @time: of that record
 * @stream: number of the stream; breaks ties, so that the order is stable
 */
struct tap_merge_entry {
	__u64 time;
	__u32 stream;
};

/**
 * struct tap_merge - the heap
 * @heap: room for all streams
 * @nr: how many are in it
 */
struct tap_merge {
	struct tap_merge_entry *heap;
	unsigned int nr;
};

static inline int tap_merge_before(const struct tap_merge_entry *a,
				   const struct tap_merge_entry *b)
{
	return a->time < b->time ||
	       (a->time == b->time && a->stream < b->stream);
}

static inline void tap_merge_push(struct tap_merge *m, __u64 time,
				  __u32 stream)
{
	struct tap_merge_entry e = { .time = time, .stream = stream };
	unsigned int i = m->nr++;

	while (i && tap_merge_before(&e, &m->heap[(i - 1) / 2])) {
		m->heap[i] = m->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	m->heap[i] = e;
}

static inline void tap_merge_sift(struct tap_merge *m,
				  struct tap_merge_entry e)
{
	unsigned int i = 0, child;

	while ((child = 2 * i + 1) < m->nr) {
		if (child + 1 < m->nr &&
		    tap_merge_before(&m->heap[child + 1], &m->heap[child]))
			child++;
		if (!tap_merge_before(&m->heap[child], &e))
			break;
		m->heap[i] = m->heap[child];
		i = child;
	}
	m->heap[i] = e;
}

/* The first stream is now at a record with this time. */
static inline void tap_merge_replace(struct tap_merge *m, __u64 time)
{
	struct tap_merge_entry e = {
		.time = time,
		.stream = m->heap[0].stream,
	};

	tap_merge_sift(m, e);
}

/* The first stream has no record for now. */
static inline void tap_merge_pop(struct tap_merge *m)
{
	if (--m->nr)
		tap_merge_sift(m, m->heap[m->nr]);
}

#endif /* _TAP_MERGE_H */

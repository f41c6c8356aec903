/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A tournament of streams by the time of the record that each is at: the k-way
 * merge of the live reader and of the file reader.
 *
 * The streams are the leaves of a tree, and each inner node has the earlier of
 * its two children. A stream that moved on plays its games again, from its leaf
 * to the root: as many as the tree is high, whatever comes out, so there is no
 * branch that could be foreseen wrong. Of two with the same time the left one wins,
 * which is the one with the lower number, so that the order is stable.
 */
#ifndef _TAP_UTIL_KWAY_MERGE_H
#define _TAP_UTIL_KWAY_MERGE_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include <linux/types.h>

/* The time of a stream that has no record. */
#define TAP_MERGE_NONE	(~0ULL)

/**
 * struct tap_merge_node - who is first below here
 * @time: of its record
 * @stream: its number
 */
struct tap_merge_node {
	__u64 time;
	__u32 stream;
};

/**
 * struct tap_merge - the tournament
 * @tree: from 1 on; the children of i are 2 * i and 2 * i + 1
 * @leaves: a power of two; stream 0 is at that place
 * @nr: how many streams have a record
 */
struct tap_merge {
	struct tap_merge_node *tree;
	__u32 leaves;
	__u32 nr;
};

/* None of the streams has a record; 0 or -ENOMEM. */
static inline int tap_merge_init(struct tap_merge *m, __u32 streams)
{
	__u32 i;

	m->nr = 0;
	for (m->leaves = 1; m->leaves < streams; m->leaves *= 2)
		;
	m->tree = calloc(2 * (size_t)m->leaves, sizeof(*m->tree));
	if (!m->tree)
		return -ENOMEM;
	for (i = 1; i < 2 * m->leaves; i++)
		m->tree[i].time = TAP_MERGE_NONE;
	for (i = 0; i < m->leaves; i++)
		m->tree[m->leaves + i].stream = i;
	return 0;
}

static inline void tap_merge_free(struct tap_merge *m)
{
	free(m->tree);
}

/*
 * The winner so far is in variables: what was just stored is slow to load in another size. Who
 * it is follows from a mask: "loses ? other : it" would compile to a branch.
 */
static inline void tap_merge_play(struct tap_merge *m, __u32 stream, __u64 time)
{
	__u32 i = m->leaves + stream;

	m->tree[i].time = time;
	for (; i > 1; i /= 2) {
		const struct tap_merge_node *other = &m->tree[i ^ 1];
		bool left = i & 1;
		__u64 loses = -(__u64)((other->time < time) |
				       ((other->time == time) & left));

		stream ^= (stream ^ other->stream) & (__u32)loses;
		time ^= (time ^ other->time) & loses;
		m->tree[i / 2].time = time;
		m->tree[i / 2].stream = stream;
	}
}

/* A stream that had none has a record with this time. */
static inline void tap_merge_push(struct tap_merge *m, __u32 stream, __u64 time)
{
	m->nr++;
	tap_merge_play(m, stream, time - (time == TAP_MERGE_NONE));
}

/* It is at a record with this time now. */
static inline void tap_merge_move(struct tap_merge *m, __u32 stream, __u64 time)
{
	tap_merge_play(m, stream, time - (time == TAP_MERGE_NONE));
}

/* It has no record for now. */
static inline void tap_merge_pop(struct tap_merge *m, __u32 stream)
{
	m->nr--;
	tap_merge_play(m, stream, TAP_MERGE_NONE);
}

/* The stream with the earliest record, and its time; if there is any. */
static inline struct tap_merge_node tap_merge_first(const struct tap_merge *m)
{
	return m->tree[1];
}

/*
 * Up to which time the records of the first stream come before those of all others: the second
 * lost against it, so it is beside its way to the root.
 */
static inline __u64 tap_merge_until(const struct tap_merge *m)
{
	__u32 i = m->leaves + m->tree[1].stream;
	__u64 until = TAP_MERGE_NONE;

	for (; i > 1; i /= 2) {
		/* One to the left would win at the same time. */
		__u64 time = m->tree[i ^ 1].time - (i & 1);

		until = time < until ? time : until;
	}
	return until;
}

#endif /* _TAP_UTIL_KWAY_MERGE_H */

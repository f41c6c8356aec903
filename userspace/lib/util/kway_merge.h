/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A k-way merge of streams by the time of their next record, for the live reader and
 * the file reader.
 *
 * The streams are the leaves of a tournament tree; each inner node has the earlier of
 * its two children. When a stream advances, its games are replayed from its leaf to the
 * root. Their number is constant, so there is no branch to mispredict. If two times are
 * equal, the left child wins, which has the lower stream number: the order is stable.
 */
#ifndef _TAP_UTIL_KWAY_MERGE_H
#define _TAP_UTIL_KWAY_MERGE_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include <linux/types.h>

/* The time of a stream without a record. */
#define TAP_MERGE_NONE	(~0ULL)

/**
 * struct tap_merge_node - the winner of a subtree
 * @time: of its record
 * @stream: its number
 */
struct tap_merge_node {
	__u64 time;
	__u32 stream;
};

/**
 * struct tap_merge - the tournament tree
 * @tree: from 1 on; the children of i are 2 * i and 2 * i + 1
 * @leaves: a power of two; the leaf of stream 0 has this index
 * @nr: number of streams that have a record
 */
struct tap_merge {
	struct tap_merge_node *tree;
	__u32 leaves;
	__u32 nr;
};

/* All streams start without a record. Returns 0 or -ENOMEM. */
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
 * The current winner is kept in variables: a load of another size than the store before
 * it is slow. A mask selects the winner, as "loses ? other : it" would compile to a
 * branch.
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

/* A stream without a record gets one. */
static inline void tap_merge_push(struct tap_merge *m, __u32 stream, __u64 time)
{
	m->nr++;
	tap_merge_play(m, stream, time - (time == TAP_MERGE_NONE));
}

/* The stream advanced to a record with this time. */
static inline void tap_merge_move(struct tap_merge *m, __u32 stream, __u64 time)
{
	tap_merge_play(m, stream, time - (time == TAP_MERGE_NONE));
}

/* The stream has no record for now. */
static inline void tap_merge_pop(struct tap_merge *m, __u32 stream)
{
	m->nr--;
	tap_merge_play(m, stream, TAP_MERGE_NONE);
}

/* The stream with the earliest record, and its time. Valid if @nr is not 0. */
static inline struct tap_merge_node tap_merge_first(const struct tap_merge *m)
{
	return m->tree[1];
}

/*
 * The time up to which records of the first stream precede those of all others. The
 * second stream lost against the first one, so it is a sibling on the path to the root.
 */
static inline __u64 tap_merge_until(const struct tap_merge *m)
{
	__u32 i = m->leaves + m->tree[1].stream;
	__u64 until = TAP_MERGE_NONE;

	for (; i > 1; i /= 2) {
		/* A stream to the left wins at equal times. */
		__u64 time = m->tree[i ^ 1].time - (i & 1);

		until = time < until ? time : until;
	}
	return until;
}

#endif /* _TAP_UTIL_KWAY_MERGE_H */

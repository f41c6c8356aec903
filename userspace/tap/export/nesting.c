// SPDX-License-Identifier: GPL-2.0
/*
 * The slices of a track that lie in no other slice, the earliest first. A new slice ends last. It
 * takes the place of those that it lies around.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/nesting.h"

/* Slots of the hash table, a power of two; and how many are used before all begins again. */
#define SLOTS		4096U
#define FULL		(SLOTS / 2)
/* Slices of a track, and lanes of an owner. */
#define MOST_SLICES	4096U
#define MOST_LANES	256U

/* A slice; of a lane the end of its last slice, and its number in place of the start. */
struct nesting_slice {
	__u64 begin;
	__u64 end;
};

/* A track, or an owner of lanes. @floor: nothing is known of its slices before this time. */
struct nesting_track {
	__u64 key;
	struct nesting_slice *slices;
	unsigned int nr;
	unsigned int room;
	__u64 floor;
};

static void clear(struct nesting *n)
{
	unsigned int i;

	for (i = 0; n->tracks && i < SLOTS; i++) {
		free(n->tracks[i].slices);
		n->tracks[i] = (struct nesting_track) { 0 };
	}
	n->nr = 0;
	n->floor = n->latest;
}

static struct nesting_track *find(struct nesting *n, __u64 key)
{
	unsigned int i = (unsigned int)((key * 0x9e3779b97f4a7c15ULL) >> 40) % SLOTS;

	if (!n->tracks)
		n->tracks = calloc(SLOTS, sizeof(*n->tracks));
	if (!n->tracks)
		return NULL;
	if (n->nr >= FULL)
		clear(n);
	while (n->tracks[i].key && n->tracks[i].key != key)
		i = (i + 1) % SLOTS;
	if (!n->tracks[i].key) {
		n->tracks[i] = (struct nesting_track) { .key = key, .floor = n->floor };
		n->nr++;
	}
	return &n->tracks[i];
}

static int push(struct nesting_track *t, __u64 begin, __u64 end)
{
	unsigned int room = t->room ? 2 * t->room : 16;
	struct nesting_slice *slices;

	if (t->nr == t->room) {
		slices = realloc(t->slices, room * sizeof(*slices));
		if (!slices)
			return -ENOMEM;
		t->slices = slices;
		t->room = room;
	}
	t->slices[t->nr++] = (struct nesting_slice) { begin, end };
	return 0;
}

/* Forgets the earlier half. */
static void shrink(struct nesting_track *t)
{
	unsigned int half = t->nr / 2;

	t->floor = t->slices[half - 1].end;
	memmove(t->slices, t->slices + half, (t->nr - half) * sizeof(*t->slices));
	t->nr -= half;
}

int nesting_fits(struct nesting *n, __u64 track, __u64 begin, __u64 end, bool *fits)
{
	struct nesting_track *t = find(n, track);
	const struct nesting_slice *s;
	unsigned int left;

	*fits = false;
	if (!t)
		return -ENOMEM;
	if (end > n->latest)
		n->latest = end;
	/* It lies around those that begin later. */
	for (left = t->nr; left && t->slices[left - 1].begin >= begin; left--) {
		s = &t->slices[left - 1];
		if (s->end > end || (s->begin == begin && s->end > begin))
			return 0;
	}
	if (left ? t->slices[left - 1].end > begin : begin < t->floor)
		return 0;
	t->nr = left;
	if (t->nr == MOST_SLICES)
		shrink(t);
	*fits = true;
	return push(t, begin, end);
}

int nesting_lane(struct nesting *n, __u64 owner, __u64 begin, __u64 end, __u64 *lane)
{
	struct nesting_track *t = find(n, owner);
	unsigned int i;

	if (!t)
		return -ENOMEM;
	for (i = 0; i < t->nr; i++) {
		if (t->slices[i].end > begin)
			continue;
		t->slices[i].end = end;
		*lane = t->slices[i].begin;
		return 0;
	}
	/* Numbers are not used again, so a lane that was forgotten has no further slice. */
	*lane = ++n->latest;
	return t->nr < MOST_LANES ? push(t, *lane, end) : 0;
}

void nesting_free(struct nesting *n)
{
	clear(n);
	free(n->tracks);
	*n = (struct nesting) { 0 };
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The frame table: what is open, by key. One table for all CPUs, without a lock, for events in
 * any context.
 *
 * An entry has a tag and memory. The upper bits of a hash of the key select its place. Eight
 * tags are a line, one cache line. The lower two bits of a tag are the entry's state, the others
 * are bits of the hash:
 *
 *	FREE -> WRITING -> OPEN -> ENDING -> FREE
 *	            ^-------'
 *
 * Only the event that made an entry WRITING or ENDING, by a compare-and-exchange of its tag,
 * accesses the memory of the entry until it gives the entry on, by a store-release of the tag.
 * The two pair: the event that takes an entry sees all that was written to it. An event that
 * meets such an entry of its own hash does not wait for it: that might be the event which it
 * interrupted. Others may read an open entry, and then look at its tag again: see
 * tap_span_reopen() and tap_span_read().
 *
 * An entry that finds its place taken is displaced: it goes to another place of its line, its
 * home, or of one of the lines behind it, and the home counts it. It is counted before its tag
 * is stored, so an event that must see the entry sees the count. As long as the count is 0, an
 * event looks at one place alone; else it scans all these lines.
 *
 * Two events that open the same key at the same time, on two CPUs, may both find it free, and
 * open two entries; then at least one of them is displaced. The event that ends the key scans
 * all lines, and finds both.
 *
 * Two keys may have the same tag: an owner compares the key in the memory, and takes another key
 * for no entry. With 62 bits of the hash that does not happen by chance.
 */
#ifndef _TAPMOD_EXEC_FRAME_TABLE_H
#define _TAPMOD_EXEC_FRAME_TABLE_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/types.h>

/* Tags in a line. */
#define TAP_FRAME_TAGS		(SMP_CACHE_BYTES / sizeof(u64))

/* Lines behind its home that an entry may be in. */
#define TAP_FRAME_FURTHER	7

/* States: the lower bits of a tag. */
#define TAP_FRAME_FREE		0ULL
#define TAP_FRAME_WRITING	1ULL
#define TAP_FRAME_ENDING	2ULL
#define TAP_FRAME_OPEN		3ULL
#define TAP_FRAME_STATE		3ULL

/**
 * struct tap_frame_table - a frame table
 * @tags: 1 << @bits tags, in whole cache lines
 * @displaced: for each line the number of displaced entries whose home it is
 * @memory: memory of the entries, in the order of the tags
 * @bits: see @tags; at least 4
 * @shift: 64 - @bits
 * @words: u64 of an entry in @memory
 */
struct tap_frame_table {
	u64 *tags;
	atomic_t *displaced;
	u64 *memory;
	u32 bits;
	u32 shift;
	u32 words;
};

/* An entry: its index in @tags; -1: none. */
typedef s64 tap_frame;

/* 2^64 divided by the golden ratio; odd, and its bits have no pattern. */
#define TAP_FRAME_FACTOR	0x9e3779b97f4a7c15ULL

/* Adds a word to a hash. The upper bits depend on all bits of the words, also those of tags. */
static __always_inline u64 tap_frame_hash(u64 hash, u64 word)
{
	hash = (hash ^ word) * TAP_FRAME_FACTOR;
	return hash ^ hash >> 32;
}

/* Sets the geometry: a power of two that is an eighth more than @entries; two lines at least. */
static inline void tap_frame_size(struct tap_frame_table *table, u32 entries)
{
	table->bits = order_base_2(max_t(u32, 2 * TAP_FRAME_TAGS, entries + entries / 8));
	table->shift = 64 - table->bits;
}

static __always_inline u64 tap_frame_entries(const struct tap_frame_table *table)
{
	return 1ULL << table->bits;
}

static __always_inline u64 *tap_frame_tag(const struct tap_frame_table *table, tap_frame at)
{
	return &table->tags[at];
}

static __always_inline void *
tap_frame_memory(const struct tap_frame_table *table, tap_frame at)
{
	return table->memory + at * table->words;
}

/* The tag of an open entry with this hash. */
static __always_inline u64 tap_frame_open_tag(u64 hash)
{
	return hash | TAP_FRAME_OPEN;
}

/* The place of a hash. */
static __always_inline tap_frame tap_frame_place(const struct tap_frame_table *table, u64 hash)
{
	return hash >> table->shift;
}

/* The number of displaced entries whose home is the line of a place. */
static __always_inline atomic_t *
tap_frame_displaced(const struct tap_frame_table *table, tap_frame place)
{
	return &table->displaced[place / TAP_FRAME_TAGS];
}

/* Entry i of the home of a place and the lines behind it, below %TAP_FRAME_REACH. */
static __always_inline tap_frame
tap_frame_reach(const struct tap_frame_table *table, tap_frame place, unsigned int i)
{
	return ((place & ~(tap_frame)(TAP_FRAME_TAGS - 1)) + i) & (tap_frame_entries(table) - 1);
}

#define TAP_FRAME_REACH		(TAP_FRAME_TAGS * (1 + TAP_FRAME_FURTHER))

/* Takes an entry whose tag was seen as from; false: its tag has changed meanwhile. */
static __always_inline bool tap_frame_take(u64 *tag, u64 from, u64 to)
{
	/* Orders the accesses to the memory behind it; pairs with tap_frame_give(). */
	return cmpxchg(tag, from, to) == from;
}

/* Gives an entry on, by its next tag, after the last access to its memory. */
static __always_inline void tap_frame_give(u64 *tag, u64 next)
{
	/* Pairs with the cmpxchg() in tap_frame_take(). */
	smp_store_release(tag, next);
}

#endif /* _TAPMOD_EXEC_FRAME_TABLE_H */

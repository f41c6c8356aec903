/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The frame table: what is open, by key. One table for all CPUs, without a lock, for events in
 * any context.
 *
 * An entry has a tag and memory. Tags lie in lines of one cache line; a hash of the key selects
 * the line, its home. The lower two bits of a tag are the entry's state, the others are bits of
 * the hash:
 *
 *	FREE -> WRITING -> OPEN -> ENDING -> FREE
 *	            ^-------'
 *
 * Only the event that made an entry WRITING or ENDING, by a compare-and-exchange of its tag,
 * accesses the memory of the entry until it gives the entry on, by a store-release of the tag.
 * The two pair: whoever takes an entry sees all that was written to it. An event that
 * meets such an entry of its own hash does not wait for it: that might be the event which it
 * interrupted. Another thread reads open entries in process context: see tap_span_read().
 *
 * An entry that finds its home full goes to one of the lines behind it, and the home is marked:
 * @further. The mark is stored before the tag, so whoever must see the entry sees the mark.
 * It is never cleared: that would need to know that no such entry is left.
 *
 * Two events that open the same key at the same time, on two CPUs, may both find it free, and
 * open two entries. The event that ends the key finds both: it scans the whole home, and the
 * lines behind it.
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
#define TAP_FRAME_TAGS		(SMP_CACHE_BYTES / sizeof(u64) - 1)

/* Lines behind its home that an entry may be in. */
#define TAP_FRAME_FURTHER	7

/* States: the lower bits of a tag. */
#define TAP_FRAME_FREE		0ULL
#define TAP_FRAME_WRITING	1ULL
#define TAP_FRAME_ENDING	2ULL
#define TAP_FRAME_OPEN		3ULL
#define TAP_FRAME_STATE		3ULL

/**
 * struct tap_frame_line - the tags of a line
 * @tag: see above; 0: the entry is free
 * @further: not 0: an entry whose home this is was once in a line behind it
 */
struct tap_frame_line {
	u64 tag[TAP_FRAME_TAGS];
	u64 further;
} ____cacheline_aligned;

/**
 * struct tap_frame_table - a frame table
 * @lines: 1 << @bits lines
 * @memory: memory of the entries, in the order of the tags
 * @bits: see @lines; at least 1
 * @words: u64 of an entry in @memory
 */
struct tap_frame_table {
	struct tap_frame_line *lines;
	u64 *memory;
	u32 bits;
	u32 words;
};

/* An entry: its index in the table; -1: none. */
typedef s64 tap_frame;

/* Lines that have room for this many entries: the next power of two, at least two. */
static inline u32 tap_frame_bits(u32 entries)
{
	return order_base_2(max_t(u32, 2, DIV_ROUND_UP(entries, TAP_FRAME_TAGS - 1)));
}

static __always_inline u64 tap_frame_entries(const struct tap_frame_table *table)
{
	return (u64)TAP_FRAME_TAGS << table->bits;
}

static __always_inline u64 *tap_frame_tag(const struct tap_frame_table *table, tap_frame at)
{
	return &table->lines[at / TAP_FRAME_TAGS].tag[at % TAP_FRAME_TAGS];
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

/* Index of the home of a hash, from bits that are in the tag as well. */
static __always_inline u32 tap_frame_home(const struct tap_frame_table *table, u64 hash)
{
	return hash >> (64 - table->bits);
}

static __always_inline u32
tap_frame_behind(const struct tap_frame_table *table, u32 line, unsigned int n)
{
	return (line + n) & ((1U << table->bits) - 1);
}

/* Takes an entry whose tag was seen as from; false: its tag has changed meanwhile. */
static __always_inline bool
tap_frame_take(const struct tap_frame_table *table, tap_frame at, u64 from, u64 to)
{
	/* Orders the accesses to the memory behind it; pairs with tap_frame_give(). */
	return cmpxchg(tap_frame_tag(table, at), from, to) == from;
}

/* Gives an entry on, with this tag, after the last access to its memory. */
static __always_inline void
tap_frame_give(const struct tap_frame_table *table, tap_frame at, u64 tag)
{
	/* Pairs with the cmpxchg() in tap_frame_take(). */
	smp_store_release(tap_frame_tag(table, at), tag);
}

#endif /* _TAPMOD_EXEC_FRAME_TABLE_H */

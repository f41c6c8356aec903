/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What the files of the library and its tests share, and nobody else.
 */
#ifndef _TAP_UTIL_UTIL_H
#define _TAP_UTIL_UTIL_H

#include <libtap.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* More CPU numbers than any kernel has; bounds what a meta page can claim. */
#define TAP_MAX_RINGS	65536

/* More words than the slots of one record hold are nonsense. */
#define TAP_MAX_WORDS	\
	(TAP_FIRST_VALUES + (TAP_MAX_SLOTS - 1) * TAP_SLOT_VALUES)

/**
 * tap_meta_check() - whether a meta page makes sense
 * @meta: a copy, so that it does not change under the check
 * @err: the sentence on failure
 *
 * Return: 0; -EPROTO for a version that is not known; -EBADMSG.
 */
int tap_meta_check(const struct tap_meta *meta, struct tap_error *err);

/**
 * tap_record_resync() - find the next record after a broken one
 * @data: memory that positions count in
 * @mask: applied to each position
 * @pos: position of the broken slot
 * @end: where to give up
 * @delta: what a sequence word has more than @pos counts; 0 in a ring
 *
 * Return: position of the next first slot after @pos, or @end.
 */
__u64 tap_record_resync(const void *data, __u64 mask, __u64 pos, __u64 end,
			__u64 delta);

/**
 * tap_reader_open_memory() - read rings that lie anywhere in memory
 * @reader: set on success
 * @meta: describes them; copied and checked as the kernel's is
 * @heads: by CPU number; NULL for a CPU without a ring
 * @tails: by CPU number
 * @slots: by CPU number, @meta->ring_bytes each, 64-byte aligned
 * @now: raw clock, instead of the machine's; may be NULL
 * @now_arg: handed to @now
 *
 * The memory must stay as long as the reader. tap_reader_poll() fails.
 *
 * Return: 0 or -errno.
 */
int tap_reader_open_memory(struct tap_reader **reader,
			   const struct tap_meta *meta,
			   const struct tap_ring_head *const *heads,
			   struct tap_ring_tail *const *tails,
			   const void *const *slots, __u64 (*now)(void *arg),
			   void *now_arg);

#endif /* _TAP_UTIL_UTIL_H */

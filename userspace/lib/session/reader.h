/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Readers of memory that is not a session's. Private to libtap and its tests.
 */
#ifndef _TAP_SESSION_READER_H
#define _TAP_SESSION_READER_H

#include <libtap.h>

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

#endif /* _TAP_SESSION_READER_H */

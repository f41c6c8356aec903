/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The checksum of an anchor and of its lists. The module, which writes them, and libtap, which
 * reads them in a dump, share this copy.
 */
#ifndef _TAPMOD_COMMON_ANCHOR_SUM_H
#define _TAPMOD_COMMON_ANCHOR_SUM_H

#include <linux/tap_dump.h>

/* FNV-1a, by words instead of bytes: finds what is overwritten or of another age. */
static inline __u64 tap_anchor_sum_words(__u64 sum, const __u64 *words, unsigned int nr)
{
	while (nr--)
		sum = (sum ^ *words++) * 0x100000001b3ULL;
	return sum;
}

#define TAP_ANCHOR_SUM_START	0xcbf29ce484222325ULL

static inline __u64 tap_anchor_sum(const struct tap_anchor *anchor)
{
	return tap_anchor_sum_words(TAP_ANCHOR_SUM_START, &anchor->magic,
				    __builtin_offsetof(struct tap_anchor, sum) / sizeof(__u64));
}

/* The numbers of pages behind a list. */
static inline __u64 *tap_anchor_list_pages(const struct tap_anchor_list *list)
{
	return (__u64 *)(list + 1);
}

/* @list->nr numbers are there: the caller has compared it with the room. */
static inline __u64 tap_anchor_list_sum(const struct tap_anchor_list *list)
{
	__u64 sum = tap_anchor_sum_words(TAP_ANCHOR_SUM_START, &list->magic,
					 __builtin_offsetof(struct tap_anchor_list, sum) /
					 sizeof(__u64));

	return tap_anchor_sum_words(sum, tap_anchor_list_pages(list), list->nr);
}

/* How many numbers a list has room for. */
static inline __u64 tap_anchor_list_room(__u64 page_size)
{
	return (page_size - sizeof(struct tap_anchor_list)) / sizeof(__u64);
}

#endif /* _TAPMOD_COMMON_ANCHOR_SUM_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_RING_ANCHOR_H
#define _TAPMOD_RING_ANCHOR_H

#include <linux/gfp.h>
#include <linux/mm_types.h>
#include <linux/types.h>

struct tap_anchor_owner;

u64 tap_anchor_list_bytes(u64 nr_pages);
int tap_anchor_add_ring(struct page *anchor, unsigned int cpu, struct page **pages,
			unsigned int nr_pages, gfp_t gfp);
int tap_anchor_describe(struct page *anchor, const void __user *data, u64 len);
void tap_anchor_publish(struct page *anchor, const struct tap_anchor_owner *owner,
			const struct page *meta);
void tap_anchor_free(struct page *anchor);

#endif /* _TAPMOD_RING_ANCHOR_H */

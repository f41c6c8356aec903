/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tap_alloc_disk() allocates a disk, for the test module of block tracepoints.
 */
#ifndef _TAP_COMPAT_LINUX_BLK_MQ_H
#define _TAP_COMPAT_LINUX_BLK_MQ_H

#include_next <linux/blk-mq.h>
#include <linux/version.h>

/* Since 6.9 blk_mq_alloc_disk() takes the queue limits; NULL: the defaults. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
#define tap_alloc_disk(set)	blk_mq_alloc_disk(set, NULL, NULL)
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0)
#define tap_alloc_disk(set)	blk_mq_alloc_disk(set, NULL)
#else
#include <linux/err.h>
#include <linux/genhd.h>

#define BLK_MQ_F_NO_SCHED_BY_DEFAULT	BLK_MQ_F_NO_SCHED
#define GENHD_FL_NO_PART		(GENHD_FL_NO_PART_SCAN | GENHD_FL_EXT_DEVT)

/* Before 5.14 disk and queue were allocated and freed separately. */
static inline struct gendisk *tap_alloc_disk(struct blk_mq_tag_set *set)
{
	struct request_queue *queue = blk_mq_init_queue(set);
	struct gendisk *disk;

	if (IS_ERR(queue))
		return ERR_CAST(queue);
	disk = alloc_disk(0);
	if (!disk) {
		blk_cleanup_queue(queue);
		return ERR_PTR(-ENOMEM);
	}
	disk->queue = queue;
	return disk;
}

static inline void tap_put_disk(struct gendisk *disk)
{
	blk_cleanup_queue(disk->queue);
	put_disk(disk);
}

#define put_disk	tap_put_disk
#define add_disk(disk)	({ add_disk(disk); 0; })
#endif

#endif /* _TAP_COMPAT_LINUX_BLK_MQ_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAP_COMPAT_LINUX_BLK_MQ_H
#define _TAP_COMPAT_LINUX_BLK_MQ_H

#include_next <linux/blk-mq.h>
#include <linux/version.h>

/* Since 6.9 a disk is made with its limits; none are the defaults. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 9, 0)
#define tap_alloc_disk(set)	blk_mq_alloc_disk(set, NULL)
#else
#define tap_alloc_disk(set)	blk_mq_alloc_disk(set, NULL, NULL)
#endif

#endif /* _TAP_COMPAT_LINUX_BLK_MQ_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/tap_disk, for machines without a disk. Requests succeed at once and move no data.
 * The parameter "requests" counts them.
 */
#include <linux/atomic.h>
#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/numa.h>

/* Sectors of 512 bytes. */
#define DISK_CAPACITY	(1 << 20)

static atomic_t disk_requests;

static int disk_requests_get(char *text, const struct kernel_param *param)
{
	return sysfs_emit(text, "%d\n", atomic_read(&disk_requests));
}

static const struct kernel_param_ops disk_requests_ops = {
	.get = disk_requests_get,
};
module_param_cb(requests, &disk_requests_ops, NULL, 0444);

static blk_status_t disk_queue(struct blk_mq_hw_ctx *hctx,
			       const struct blk_mq_queue_data *data)
{
	blk_mq_start_request(data->rq);
	atomic_inc(&disk_requests);
	blk_mq_end_request(data->rq, BLK_STS_OK);
	return BLK_STS_OK;
}

static const struct blk_mq_ops disk_mq_ops = {
	.queue_rq = disk_queue,
};

static struct blk_mq_tag_set disk_tags = {
	.ops = &disk_mq_ops,
	.nr_hw_queues = 1,
	.queue_depth = 64,
	.numa_node = NUMA_NO_NODE,
	.flags = BLK_MQ_F_NO_SCHED_BY_DEFAULT,
};

static const struct block_device_operations disk_ops = {
	.owner = THIS_MODULE,
};

static struct gendisk *disk;

static int __init disk_init(void)
{
	int ret = blk_mq_alloc_tag_set(&disk_tags);

	if (ret)
		return ret;
	disk = tap_alloc_disk(&disk_tags);
	if (IS_ERR(disk)) {
		ret = PTR_ERR(disk);
		goto err_free_tags;
	}
	disk->fops = &disk_ops;
	/* A read returns what the page held before, so do not look for partitions. */
	disk->flags = GENHD_FL_NO_PART;
	strscpy(disk->disk_name, "tap_disk", sizeof(disk->disk_name));
	set_capacity(disk, DISK_CAPACITY);
	ret = add_disk(disk);
	if (ret)
		goto err_put_disk;
	return 0;

err_put_disk:
	put_disk(disk);
err_free_tags:
	blk_mq_free_tag_set(&disk_tags);
	return ret;
}

static void __exit disk_exit(void)
{
	del_gendisk(disk);
	put_disk(disk);
	blk_mq_free_tag_set(&disk_tags);
}

module_init(disk_init);
module_exit(disk_exit);

MODULE_DESCRIPTION("A disk that moves no data, for the selftests of tapmod");
MODULE_LICENSE("GPL");

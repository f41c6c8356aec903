// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/tap_disk, for machines without a disk. Requests succeed at once and move no data.
 * The parameter "requests" counts them. With the parameter "delay" a request takes so many
 * milliseconds, unless another one does; "waited" adds up their nanoseconds.
 */
#include <linux/atomic.h>
#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/numa.h>
#include <linux/timer.h>

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

static unsigned int disk_delay;
module_param_named(delay, disk_delay, uint, 0644);

static ulong disk_waited;
module_param_named(waited, disk_waited, ulong, 0444);

/* The request that takes time; NULL: there is none. disk_queue() sets it and arms the timer. */
static struct request *disk_delayed;
static u64 disk_began;

static void disk_expired(struct timer_list *timer)
{
	struct request *rq = disk_delayed;

	disk_waited += ktime_get_ns() - disk_began;
	/* Before the next request: it sets all of these. */
	smp_store_release(&disk_delayed, NULL);
	blk_mq_end_request(rq, BLK_STS_OK);
}

static DEFINE_TIMER(disk_timer, disk_expired);

static blk_status_t disk_queue(struct blk_mq_hw_ctx *hctx,
			       const struct blk_mq_queue_data *data)
{
	blk_mq_start_request(data->rq);
	atomic_inc(&disk_requests);
	if (disk_delay && !cmpxchg(&disk_delayed, NULL, data->rq)) {
		disk_began = ktime_get_ns();
		mod_timer(&disk_timer, jiffies + msecs_to_jiffies(disk_delay));
		return BLK_STS_OK;
	}
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

// SPDX-License-Identifier: GPL-2.0
/*
 * A driver as users write it, for the questions of docs/tutorial.md: a misc device with static and
 * inlined functions, bit-fields, a union, an enum and a pointer to a function. /dev/tap_day takes
 * commands, one a character: "0" to "7" send a request of that kind, "!" makes the next one urgent,
 * "r" resets the device. A request of kind 7 is refused.
 */
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#define DAY_READY	0x10
#define DAY_MOST	64

enum day_state { DAY_OFF, DAY_IDLE, DAY_BUSY };

struct day_request {
	u8 kind : 3;
	u8 urgent : 1;
	u16 len;
	union {
		u32 word;
		struct {
			u16 low;
			u16 high;
		} half;
	};
};

struct day_dev {
	char name[8];
	struct mutex lock;
	enum day_state state;
	struct {
		u32 control;
		u32 status;
	} regs;
	unsigned int resets;
	u32 sums[8];
	void (*complete)(struct day_dev *dev, struct day_request *req);
};

/* An open file. */
struct day_file {
	struct day_dev *dev;
	u64 bytes;
	unsigned int requests;
};

static struct day_dev day = { .name = "day0" };

static noinline u32 day_read_status(struct day_dev *dev)
{
	dev->regs.status |= dev->regs.control & DAY_READY;
	return READ_ONCE(dev->regs.status);
}

/* Inlined into each of its callers. */
static __always_inline int day_wait_ready(struct day_dev *dev, int timeout)
{
	while (!(day_read_status(dev) & DAY_READY)) {
		if (!timeout--)
			return -ETIMEDOUT;
		dev->regs.control <<= 1;
	}
	return 0;
}

static noinline void day_complete(struct day_dev *dev, struct day_request *req)
{
	dev->sums[req->kind] += req->word;
	dev->state = DAY_IDLE;
}

/* Only one mode is ever passed. */
static noinline int day_setup_hw(struct day_dev *dev, int mode)
{
	dev->regs.control = (u32)mode;
	dev->regs.status = 0;
	dev->complete = day_complete;
	return day_wait_ready(dev, 8);
}

static noinline int day_reset(struct day_dev *dev)
{
	int ret = day_setup_hw(dev, 1);

	dev->state = ret ? DAY_OFF : DAY_IDLE;
	dev->resets++;
	return ret;
}

static __always_inline u32 day_checksum(const struct day_request *req)
{
	return (u32)(req->half.low ^ req->half.high) + req->len;
}

static noinline int day_submit(struct day_dev *dev, struct day_request *req)
{
	u32 sum = day_checksum(req);
	int ret;

	if (req->kind == 7)
		return -EINVAL;
	ret = day_wait_ready(dev, req->urgent ? 1 : 4);
	if (ret)
		return ret;
	dev->state = DAY_BUSY;
	req->word = sum;
	dev->complete(dev, req);
	return (int)sum;
}

static noinline int day_command(struct day_file *file, char command, bool *urgent)
{
	struct day_request req = { .len = 4, .word = 0x10002u * (u8)command };
	int ret;

	switch (command) {
	case '!':
		*urgent = true;
		return 0;
	case 'r':
		return day_reset(file->dev);
	case '0' ... '7':
		req.kind = command - '0';
		req.urgent = *urgent;
		*urgent = false;
		ret = day_submit(file->dev, &req);
		file->requests += ret >= 0;
		return ret;
	default:
		return command == '\n' ? 0 : -ENOTTY;
	}
}

static ssize_t day_write(struct file *filp, const char __user *from, size_t count, loff_t *pos)
{
	struct day_file *file = filp->private_data;
	char commands[DAY_MOST];
	bool urgent = false;
	size_t i;
	int ret = 0;

	count = min_t(size_t, count, DAY_MOST);
	if (copy_from_user(commands, from, count))
		return -EFAULT;
	mutex_lock(&file->dev->lock);
	for (i = 0; i < count && ret >= 0; i++) {
		ret = day_command(file, commands[i], &urgent);
		if (ret >= 0)
			file->bytes++;
	}
	mutex_unlock(&file->dev->lock);
	return ret < 0 ? ret : count;
}

/* Where the device is known for the first time: a place for a probe. */
static noinline struct day_file *day_attach(struct day_file *file, struct day_dev *dev)
{
	file->dev = dev;
	return file;
}

static int day_open(struct inode *inode, struct file *filp)
{
	struct day_file *file = kzalloc(sizeof(*file), GFP_KERNEL);

	if (!file)
		return -ENOMEM;
	filp->private_data = day_attach(file, &day);
	return 0;
}

static int day_release(struct inode *inode, struct file *filp)
{
	kfree(filp->private_data);
	return 0;
}

static const struct file_operations day_fops = {
	.owner		= THIS_MODULE,
	.open		= day_open,
	.write		= day_write,
	.release	= day_release,
};

static struct miscdevice day_misc = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "tap_day",
	.fops	= &day_fops,
};

static int __init day_init(void)
{
	int ret;

	mutex_init(&day.lock);
	ret = day_reset(&day);
	if (!ret)
		ret = misc_register(&day_misc);
	return ret;
}

static void __exit day_exit(void)
{
	misc_deregister(&day_misc);
}

module_init(day_init);
module_exit(day_exit);
MODULE_DESCRIPTION("Driver for the questions of the tutorial of tapmod");
MODULE_LICENSE("GPL");

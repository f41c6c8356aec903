// SPDX-License-Identifier: GPL-2.0
/*
 * The driver of the examples of docs/event-language.md, as a compiler made it: mydrv.s is the
 * output of gcc 12 for this file, so that places and locations are the same everywhere:
 *	gcc -O2 -g -S -fno-asynchronous-unwind-tables -fcf-protection=none mydrv.c
 */
struct mydrv_range {
	long begin;
	long end;
};

struct mydrv_dev {
	int id;
	unsigned int state;
	unsigned long bytes;
	struct mydrv_range range;
};

int mydrv_read_status(struct mydrv_dev *dev);
void mydrv_log(const char *text, long value);
static int mydrv_opened;

static inline int mydrv_wait_ready(struct mydrv_dev *dev, int timeout)
{
	int status = 0;

	while (timeout-- > 0) {
		status = mydrv_read_status(dev);
		if (status)
			break;
	}
	return status;
}

int mydrv_open(struct mydrv_dev *dev, int flags)
{
	int ret = mydrv_wait_ready(dev, 500);

	if (ret < 0)
		return ret;
	mydrv_opened++;
	dev->state = flags;
	mydrv_log("open", mydrv_opened);
	return 0;
}

long mydrv_copy(struct mydrv_dev *dev, long begin, long count)
{
	struct mydrv_range range = { begin, begin + count };
	int ret = mydrv_wait_ready(dev, 20);
	long left;

	if (ret)
		return ret;
	for (left = range.end - range.begin; left > 0; left--)
		mydrv_log("left", left);
	mydrv_log("done", count);
	return range.end;
}

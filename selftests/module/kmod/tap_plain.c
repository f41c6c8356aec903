// SPDX-License-Identifier: GPL-2.0
/*
 * A driver as most drivers are built: without BTF, and the compiler decides what it inlines. A
 * number written to the parameter "call" is handed to each function of plain_ops, in its order.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

struct plain_ops {
	int (*check)(int n);
	long (*total)(int n);
	u32 (*mask)(int n);
	void *(*find)(int n);
	void (*note)(int n);
};

static int plain_last;

/* The upper half of the register is 0 where the result is negative: the type is int. */
static int plain_check(int n)
{
	plain_last = n;
	return n & 1 ? -EIO : n;
}

static long plain_total(int n)
{
	plain_last += n;
	return n & 1 ? -EIO : 5000000000L + n;
}

static u32 plain_mask(int n)
{
	plain_last ^= n;
	return 0x80000000 | n;
}

static void *plain_find(int n)
{
	plain_last--;
	return n & 1 ? NULL : &plain_last;
}

static void plain_note(int n)
{
	plain_last = -n;
}

/* All callers pass the same @mode: the compiler makes a clone without it, and no plain_setup. */
static noinline int plain_setup(int n, int mode)
{
	int i;

	for (i = 0; i < mode; i++)
		plain_last ^= n << i;
	return mode;
}

/* Not const: the calls stay calls. */
static struct plain_ops plain_ops = {
	.check = plain_check,
	.total = plain_total,
	.mask = plain_mask,
	.find = plain_find,
	.note = plain_note,
};

static int plain_call_set(const char *text, const struct kernel_param *param)
{
	const struct plain_ops *ops = READ_ONCE(*(struct plain_ops **)param->arg);
	int n, ret = kstrtoint(text, 0, &n);

	if (ret)
		return ret;
	ops->check(n);
	ops->total(n);
	ops->mask(n);
	ops->find(n);
	ops->note(n);
	ret = plain_setup(n, 3) - plain_setup(n + 1, 3);
	return ret;
}

static const struct kernel_param_ops plain_call_ops = {
	.set = plain_call_set,
};
static struct plain_ops *plain_calls = &plain_ops;
module_param_cb(call, &plain_call_ops, &plain_calls, 0200);

/* No code of its own: modprobe and rmmod need both. */
static int __init plain_init(void)
{
	return 0;
}
module_init(plain_init);

static void __exit plain_exit(void)
{
}
module_exit(plain_exit);

MODULE_DESCRIPTION("driver without BTF for the tests of tapmod");
MODULE_LICENSE("GPL");

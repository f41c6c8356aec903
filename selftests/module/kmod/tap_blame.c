// SPDX-License-Identifier: GPL-2.0
/*
 * Calls that fail, each in another way. A number written to the parameter "run" makes that call; one
 * above 100 makes so many rounds of calls that succeed. A comment "N: FUNCTION" is at the line on which the error of call N is born,
 * in FUNCTION or in what is inlined into it; all such lines are to be named. "N+: FUNCTION" is another one
 * that may be named.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/slab.h>

struct blame_dev {
	int state;
	int error;
	int (*probe)(struct blame_dev *dev, int how);
};

/* The compiler does not know which value it has. */
static int zero;
static struct blame_dev *device;
static DEFINE_MUTEX(lock);
static bool fail_init;
module_param(fail_init, bool, 0444);

static noinline void blame_touch(int value)
{
	WRITE_ONCE(zero, value ? 0 : 0);
}

static noinline int leaf(int how)
{
	blame_touch(how);
	if (how == 1)
		return -EIO; /* 1: leaf */
	if (how == 2)
		return -ENXIO; /* 2: leaf */
	return 0;
}

static noinline int call_1(void)
{
	int ret = leaf(1);

	blame_touch(ret);
	return ret;
}

static noinline int call_2(void)
{
	int ret = leaf(2);

	if (ret)
		return ret;
	blame_touch(1);
	return 0;
}

/* Two lines return the same. */
static noinline int twice(int a, int b)
{
	if (a < 0)
		return -EDOM; /* 3: twice */
	blame_touch(a);
	if (b < 0)
		return -EDOM; /* 3: twice */
	blame_touch(b);
	return 0;
}

static noinline int call_3(void)
{
	int ret = twice(zero, zero - 1);

	blame_touch(ret);
	return ret;
}

static noinline int call_4(void)
{
	int ret;

	blame_touch(4);
	if (!zero) {
		ret = -ENOMEM; /* 4: call_4 */
		goto out;
	}
	ret = leaf(0);
out:
	blame_touch(ret);
	return ret;
}

static noinline int steps(int how)
{
	int ret;

	if (how == 0) {
		ret = -EBADF;
		goto out;
	}
	blame_touch(how);
	if (how == 5) {
		ret = -EXDEV; /* 5: steps */
		goto out;
	}
	blame_touch(ret = leaf(0));
	if (how == 6) {
		ret = -ESRCH;
		goto out;
	}
	ret = 0;
out:
	blame_touch(ret);
	return ret;
}

static noinline int call_5(void)
{
	int ret = steps(5);

	blame_touch(ret);
	return ret;
}

static noinline int either(int how)
{
	blame_touch(how);
	return how ? -EFBIG : -ELOOP; /* 6: either */ /* 7: either */
}

static noinline int call_6(void)
{
	int ret = either(zero + 1);

	blame_touch(ret);
	return ret;
}

static noinline int call_7(void)
{
	int ret = either(zero);

	blame_touch(ret);
	return ret;
}

static noinline void *pointer_3(void)
{
	blame_touch(3);
	return zero ? device : ERR_PTR(-ENOTDIR); /* 8: pointer_3 */ /* 9: pointer_3 */
}

static noinline void *pointer_2(void)
{
	void *pointer = pointer_3();

	blame_touch(2);
	return pointer;
}

static noinline struct blame_dev *pointer_1(void)
{
	struct blame_dev *dev = pointer_2();

	if (IS_ERR(dev))
		return dev;
	dev->state++;
	return dev;
}

static noinline int call_8(void)
{
	struct blame_dev *dev = pointer_1();

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	blame_touch(8);
	return 0;
}

static noinline int call_9(void)
{
	void *dev = pointer_2();

	blame_touch(9);
	return PTR_ERR_OR_ZERO(dev);
}

/* What it calls fails, which is all right; then it fails by itself. */
static noinline int call_10(void)
{
	if (leaf(1))
		blame_touch(10);
	if (leaf(0))
		return -EFAULT;
	if (!zero)
		return -EBUSY; /* 10: call_10 */
	return 0;
}

static noinline int call_11(void)
{
	int ret = leaf(1);

	blame_touch(ret);
	if (ret == -EIO)
		return -ENODEV; /* 11: call_11 */
	return ret;
}

static noinline int recurse(int depth)
{
	int ret;

	blame_touch(depth);
	if (depth == 0)
		return -EMFILE; /* 12: recurse */
	ret = recurse(depth - 1);
	blame_touch(ret);
	return ret;
}

static noinline int call_12(void)
{
	int ret = recurse(zero + 3);

	blame_touch(ret);
	return ret;
}

static __always_inline int inlined(int how)
{
	blame_touch(how);
	if (how > 3)
		return -ENOTBLK; /* 13: call_13 */
	return 0;
}

static noinline int call_13(void)
{
	int ret = inlined(zero + 7);

	blame_touch(ret);
	return ret;
}

static noinline int call_14(void)
{
	unsigned int value;
	int ret = kstrtouint("x", 10, &value); /* 14: call_14 */

	blame_touch(ret);
	return ret;
}

static noinline int call_15(void)
{
	struct file *file = filp_open("/nonexistent/x", O_RDONLY, 0); /* 15: call_15 */

	blame_touch(15);
	if (IS_ERR(file))
		return PTR_ERR(file);
	filp_close(file, NULL);
	return 0;
}

static noinline bool is_good(int how)
{
	blame_touch(how);
	return how & 1;
}

static noinline int call_16(void)
{
	if (!is_good(zero))
		return -EPERM; /* 16: call_16 */
	return 0;
}

/* An unsigned int that is no error. */
static noinline u32 mask(int how)
{
	blame_touch(how);
	return 0xfffffff0u | how;
}

static noinline int call_17(void)
{
	u32 bits = mask(zero + 6);

	blame_touch(bits);
	if (bits & 2)
		return -EAGAIN; /* 17: call_17 */
	return 0;
}

static noinline int select_code(int how)
{
	blame_touch(how);
	switch (how) {
	case 1:
		return -ECHILD;
	case 2:
		blame_touch(2);
		return -ERANGE; /* 18: select_code */
	case 3:
		blame_touch(3);
		return -ENOEXEC;
	default:
		blame_touch(9);
		return -ENOLCK; /* 35: select_code */
	}
}

static noinline int call_18(void)
{
	int ret = select_code(zero + 2);

	blame_touch(ret);
	return ret;
}

static noinline int busy(int n)
{
	blame_touch(n);
	return zero + n >= 0 ? -EBUSY : 0; /* 20: busy */
}

static noinline int call_19(void)
{
	int i;

	for (i = 0; i < 3; i++)
		if (!busy(i))
			return 0;
	return -ETIMEDOUT; /* 19: call_19 */
}

static noinline int call_20(void)
{
	int i, ret = 0;

	for (i = 0; i < 3; i++) {
		ret = busy(i);
		if (!ret)
			break;
		blame_touch(i);
	}
	return ret;
}

static noinline int probe(struct blame_dev *dev, int how)
{
	dev->state = how;
	blame_touch(how);
	return how == 21 ? -ENOTUNIQ : 0; /* 21: probe */
}

static noinline int call_21(void)
{
	int ret = device->probe(device, zero + 21);

	blame_touch(ret);
	return ret;
}

static noinline int tail(int how)
{
	blame_touch(how);
	if (how)
		return -EPROTO; /* 22: tail */
	return 0;
}

static noinline int call_22(void)
{
	return tail(zero + 22);
}

static noinline int call_23(void)
{
	device->error = -EBADMSG; /* 23: call_23 */
	blame_touch(23);
	return device->error; /* 23+: call_23 */
}

static noinline int call_24(void)
{
	int error = 0;

	blame_touch(24);
	if (!zero)
		error = ENOSPC; /* 24: call_24 */
	blame_touch(error);
	return -error; /* 24+: call_24 */
}

static noinline int call_25(void)
{
	blame_touch(25);
	return zero ?: -EROFS; /* 25: call_25 */
}

static __always_inline int deeper(int how)
{
	blame_touch(how);
	if (how == 26)
		return -ENOSR; /* 26: call_26 */
	return 0;
}

static __always_inline int deep(int how)
{
	int ret = deeper(how);

	if (ret)
		return ret;
	blame_touch(how);
	return 0;
}

static noinline int call_26(void)
{
	int ret = deep(zero + 26);

	blame_touch(ret);
	return ret;
}

static noinline int open_it(int how)
{
	blame_touch(how);
	return how ? -ENOTCONN : 0; /* 27: open_it */
}

static noinline int call_27(void)
{
	int ret = open_it(zero + 27);

	if (ret) {
		blame_touch(1);
		mutex_lock(&lock);
		blame_touch(2);
		mutex_unlock(&lock);
	}
	return ret;
}

static noinline int shut_it(int how)
{
	blame_touch(how);
	return -ESHUTDOWN;
}

static noinline int call_28(void)
{
	int ret = open_it(zero);

	blame_touch(ret);
	if (!zero) {
		ret = -ENOPROTOOPT; /* 28: call_28 */
		shut_it(ret);
	}
	return ret;
}

static noinline long long_one(int how)
{
	blame_touch(how);
	if (how == 29)
		return -ENOTTY; /* 29: long_one */
	return how;
}

static noinline int call_29(void)
{
	long ret = long_one(zero + 29);

	blame_touch(1);
	return ret;
}

static noinline ssize_t size_one(size_t size)
{
	blame_touch(1);
	if (size > 29)
		return -EMSGSIZE; /* 30: size_one */
	return size;
}

static noinline int call_30(void)
{
	ssize_t ret = size_one(zero + 30);

	blame_touch(1);
	return ret < 0 ? ret : 0;
}

static noinline struct blame_dev *make(int how)
{
	struct blame_dev *dev = kzalloc(sizeof(*dev), GFP_KERNEL); /* 31+: make */

	if (!dev)
		return ERR_PTR(-ENOMEM);
	dev->state = how;
	if (how == 31) {
		kfree(dev);
		return ERR_PTR(-EUSERS); /* 31: make */
	}
	return dev;
}

static noinline int call_31(void)
{
	struct blame_dev *dev = make(zero + 31);

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	kfree(dev);
	return 0;
}

static noinline int cold(int how)
{
	if (how != 1) {
		pr_info_once("tap_blame: cold %d\n", how);
		return -EILSEQ; /* 32: cold */
	}
	blame_touch(how);
	return 0;
}

static noinline int call_32(void)
{
	int ret = cold(zero + 32);

	blame_touch(ret);
	return ret;
}

static noinline int rare(int how)
{
	blame_touch(how);
	if (unlikely(how == 33)) {
		blame_touch(33);
		return -EOVERFLOW; /* 33: rare */
	}
	return how;
}

static noinline int call_33(void)
{
	int ret = rare(zero + 33);

	blame_touch(ret);
	return ret;
}

static noinline int ladder(int how)
{
	void *a, *b;
	int ret;

	a = kmalloc(8, GFP_KERNEL);
	if (!a)
		return -ENOMEM;
	b = kmalloc(8, GFP_KERNEL);
	if (!b) {
		ret = -ENOMEM;
		goto free_a;
	}
	if (how == 34) {
		ret = -EREMOTEIO; /* 34: ladder */
		goto free_b;
	}
	ret = leaf(0);
free_b:
	kfree(b);
free_a:
	kfree(a);
	return ret;
}

static noinline int call_34(void)
{
	int ret = ladder(zero + 34);

	blame_touch(ret);
	return ret;
}

static noinline int call_35(void)
{
	int ret = select_code(zero + 35);

	blame_touch(ret);
	return ret;
}

static noinline int call_36(void)
{
	int a = zero;

	blame_touch(36);
	return min(a, -ECANCELED); /* 36: call_36 */
}

static noinline void report(int *error, int how)
{
	blame_touch(how);
	*error = -ENOKEY; /* 37+: call_37 */
}

static noinline int call_37(void)
{
	int error = 0;

	report(&error, 37);
	return error; /* 37+: call_37 */
}

static noinline int level_5(int how)
{
	blame_touch(how);
	if (how)
		return -EHOSTDOWN; /* 38: level_5 */
	return 0;
}

static noinline int level_4(int how)
{
	int ret = level_5(how);

	blame_touch(ret);
	return ret;
}

static noinline int level_3(int how)
{
	int ret = level_4(how);

	blame_touch(ret);
	return ret;
}

static noinline int level_2(int how)
{
	int ret = level_3(how);

	blame_touch(ret);
	return ret;
}

static noinline int call_38(void)
{
	int ret = level_2(zero + 38);

	blame_touch(ret);
	return ret;
}

static noinline int call_39(void)
{
	int ret = deep(zero + 26);

	blame_touch(ret);
	if (ret)
		ret = -EUCLEAN; /* 39: call_39 */
	blame_touch(ret);
	return ret;
}

static noinline int call_40(void)
{
	int ret = 0;

	mutex_lock(&lock);
	if (!zero) {
		ret = -EALREADY; /* 40: call_40 */
		goto unlock;
	}
	blame_touch(40);
unlock:
	mutex_unlock(&lock);
	return ret;
}

/* From here on calls whose error is of another kind; a comment has no number. */
static noinline struct blame_dev *find(int how)
{
	struct blame_dev *dev = device;

	blame_touch(how);
	if (dev == NULL || how == 1)
		return NULL; /* find returns NULL */
	return dev;
}

static noinline struct blame_dev *find_through(int how)
{
	struct blame_dev *dev = find(how);

	blame_touch(how);
	return dev;
}

static noinline int call_41(void)
{
	return find_through(zero + 1) ? 0 : -ENODATA;
}

static noinline int call_42(void)
{
	int ret = twice(zero - 1, zero);

	blame_touch(ret);
	return ret;
}

/* Its last call leaves an error in the register of return values. */
static noinline void returns_nothing(void)
{
	leaf(1);
	barrier();
}

static noinline int call_43(void)
{
	returns_nothing();
	blame_touch(43);
	return 0;
}

static int (*const blame_calls[])(void) = {
	call_1, call_2, call_3, call_4, call_5, call_6, call_7, call_8, call_9, call_10,
	call_11, call_12, call_13, call_14, call_15, call_16, call_17, call_18, call_19, call_20,
	call_21, call_22, call_23, call_24, call_25, call_26, call_27, call_28, call_29, call_30,
	call_31, call_32, call_33, call_34, call_35, call_36, call_37, call_38, call_39, call_40,
	call_41, call_42, call_43,
};

static noinline int blame_good(unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (leaf(0) || twice(1, 1) || steps(9) || tail(0) || !mask(1) || rare(1) < 0 || !is_good(1))
			return -EIO;
	return 0;
}

static int blame_run(const char *value, const struct kernel_param *param)
{
	unsigned int number;
	int ret = kstrtouint(value, 0, &number);

	if (ret)
		return ret;
	if (number > 100)
		return blame_good(number);
	if (!number || number > ARRAY_SIZE(blame_calls))
		return 0;
	return blame_calls[number - 1]();
}

static const struct kernel_param_ops run_ops = { .set = blame_run };
module_param_cb(run, &run_ops, NULL, 0200);

static noinline int __init blame_begin(void)
{
	if (fail_init)
		return -EKEYEXPIRED; /* blame_begin returns it */
	return 0;
}

static int __init blame_init(void)
{
	int ret = blame_begin();

	if (ret)
		return ret;
	device = kzalloc(sizeof(*device), GFP_KERNEL);
	if (!device)
		return -ENOMEM;
	device->probe = probe;
	return 0;
}

static void __exit blame_exit(void)
{
	kfree(device);
}

module_init(blame_init);
module_exit(blame_exit);
MODULE_DESCRIPTION("Calls that fail");
MODULE_LICENSE("GPL");

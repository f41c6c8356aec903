// SPDX-License-Identifier: GPL-2.0
/*
 * A driver of 600 functions, which return no errors. A number written to the parameter "run" makes so
 * many calls, of one function after the other; "ns" is how long they took.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

/* Each has a number of its own: the compiler would make one function of equal ones. */
#define FUNCTION(n)	static noinline int crowd_##n(int value) { return READ_ONCE(value) ^ 1##n; }
#define ENTRY(n)	crowd_##n,
#define TEN(m, n)							\
	m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7) m(n##8) m(n##9)
#define HUNDRED(m, n)							\
	TEN(m, n##0) TEN(m, n##1) TEN(m, n##2) TEN(m, n##3) TEN(m, n##4)	\
	TEN(m, n##5) TEN(m, n##6) TEN(m, n##7) TEN(m, n##8) TEN(m, n##9)
#define ALL(m)								\
	HUNDRED(m, 0) HUNDRED(m, 1) HUNDRED(m, 2) HUNDRED(m, 3) HUNDRED(m, 4) HUNDRED(m, 5)

ALL(FUNCTION)

static int (*const functions[])(int value) = { ALL(ENTRY) };

static unsigned long long ns;
module_param(ns, ullong, 0444);

static int crowd_run(const char *value, const struct kernel_param *param)
{
	unsigned int i, count;
	int ret = kstrtouint(value, 0, &count);
	u64 begin = ktime_get_ns();

	if (ret)
		return ret;
	for (i = 0; i < count; i++)
		if (functions[i % ARRAY_SIZE(functions)](i & 1) < 0)
			return -EIO;
	ns = ktime_get_ns() - begin;
	return 0;
}

static const struct kernel_param_ops run_ops = { .set = crowd_run };
module_param_cb(run, &run_ops, NULL, 0200);

MODULE_DESCRIPTION("Six hundred functions");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0
/*
 * The functions of inlined.h in a module. A number written to the parameter "run" runs them so many
 * times; a kernel with CONFIG_GCOV_KERNEL counts each of their branches.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

#include "inlined.h"

static int inlined_param(const char *text, const struct kernel_param *param)
{
	unsigned int runs;
	int ret = kstrtouint(text, 0, &runs);

	if (!ret)
		inlined_run(runs);
	return ret;
}

static const struct kernel_param_ops inlined_ops = { .set = inlined_param };

module_param_cb(run, &inlined_ops, NULL, 0200);

MODULE_DESCRIPTION("Test module for tapmod whose functions the compiler inlines");
MODULE_LICENSE("GPL");

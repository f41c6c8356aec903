// SPDX-License-Identifier: GPL-2.0
/*
 * Ends a machine of the lab, for tests of dumps of its memory. Writing to the parameter "end":
 *	hang	this CPU takes no interrupt any more
 *	fault	a fault for which there is no handler: the CPU resets (x86)
 */
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#ifdef CONFIG_X86
#include <asm/desc.h>

static noinline void hang_fault(void)
{
	const struct desc_ptr none = { };

	load_idt(&none);
	asm volatile("int $0x20");
}
#else
static void hang_fault(void)
{
}
#endif

static int hang_end(const char *text, const struct kernel_param *param)
{
	if (sysfs_streq(text, "fault")) {
		local_irq_disable();
		hang_fault();
		return -EOPNOTSUPP;
	}
	if (!sysfs_streq(text, "hang"))
		return -EINVAL;
	pr_warn("tapmod-vm: dump\n");
	local_irq_disable();
	for (;;)
		cpu_relax();
}

static const struct kernel_param_ops hang_ops = {
	.set = hang_end,
};
module_param_cb(end, &hang_ops, NULL, 0200);
MODULE_PARM_DESC(end, "how to end the machine: hang or fault");

MODULE_DESCRIPTION("Ends a machine of tapmod's lab");
MODULE_LICENSE("GPL");

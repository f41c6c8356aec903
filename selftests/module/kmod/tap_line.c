// SPDX-License-Identifier: GPL-2.0
/*
 * An interrupt line that two actions share. A number written to the parameter "raise" lets the line
 * fire so many times, in a hard interrupt.
 */
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irq_work.h>
#include <linux/irqdesc.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

static const char *const line_names[] = { "tap_line-fast", "tap_line-slow" };

static int line_irq;

/* Its address is the argument of an action. */
static unsigned int line_fired[ARRAY_SIZE(line_names)];

static irqreturn_t line_action(int irq, void *fired)
{
	bool slow = fired == &line_fired[1];

	(*(unsigned int *)fired)++;
	if (slow)
		udelay(20);
	return slow ? IRQ_HANDLED : IRQ_NONE;
}

static void line_raise(struct irq_work *work)
{
	generic_handle_irq(line_irq);
}

static struct irq_work line_work;

static int line_param(const char *text, const struct kernel_param *param)
{
	unsigned int n;
	int ret = kstrtouint(text, 0, &n);

	if (ret)
		return ret;
	if (n > 10000)
		return -ERANGE;
	while (n--) {
		irq_work_queue(&line_work);
		irq_work_sync(&line_work);
	}
	return 0;
}

static const struct kernel_param_ops line_ops = { .set = line_param };

module_param_cb(raise, &line_ops, NULL, 0200);

static int __init line_init(void)
{
	unsigned int i;
	int ret;

	init_irq_work(&line_work, line_raise);
	/* Without an owner: its actions would keep this module from being removed. */
	line_irq = __irq_alloc_descs(-1, 0, 1, NUMA_NO_NODE, NULL, NULL);
	if (line_irq < 0)
		return line_irq;
	irq_set_chip_and_handler(line_irq, &dummy_irq_chip, handle_simple_irq);
	irq_modify_status(line_irq, IRQ_NOREQUEST, 0);
	for (i = 0; i < ARRAY_SIZE(line_names); i++) {
		ret = request_irq(line_irq, line_action, IRQF_SHARED, line_names[i], &line_fired[i]);
		if (ret)
			goto undo;
	}
	return 0;

undo:
	while (i--)
		free_irq(line_irq, &line_fired[i]);
	irq_free_desc(line_irq);
	return ret;
}

static void __exit line_exit(void)
{
	unsigned int i;

	irq_work_sync(&line_work);
	for (i = 0; i < ARRAY_SIZE(line_names); i++)
		free_irq(line_irq, &line_fired[i]);
	irq_free_desc(line_irq);
}

module_init(line_init);
module_exit(line_exit);
MODULE_DESCRIPTION("A shared interrupt line, for questions_guest");
MODULE_LICENSE("GPL");

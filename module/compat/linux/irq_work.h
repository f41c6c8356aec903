/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAP_COMPAT_LINUX_IRQ_WORK_H
#define _TAP_COMPAT_LINUX_IRQ_WORK_H

#include_next <linux/irq_work.h>

/*
 * Initializes work that runs in hard interrupt context also with PREEMPT_RT. Kernels before
 * 5.11 have no IRQ_WORK_INIT_HARD.
 */
#ifdef IRQ_WORK_INIT_HARD
#define tap_irq_work_init_hard(work, fn)	(*(work) = IRQ_WORK_INIT_HARD(fn))
#else
#define tap_irq_work_init_hard(work, fn)	init_irq_work(work, fn)
#endif

#endif /* _TAP_COMPAT_LINUX_IRQ_WORK_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAP_COMPAT_LINUX_IRQ_WORK_H
#define _TAP_COMPAT_LINUX_IRQ_WORK_H

#include_next <linux/irq_work.h>

/* Work that a real-time kernel too does in the interrupt; until 5.11 it was not said so. */
#ifdef IRQ_WORK_INIT_HARD
#define tap_irq_work_init_hard(work, fn)	(*(work) = IRQ_WORK_INIT_HARD(fn))
#else
#define tap_irq_work_init_hard(work, fn)	init_irq_work(work, fn)
#endif

#endif /* _TAP_COMPAT_LINUX_IRQ_WORK_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAP_COMPAT_LINUX_PREEMPT_H
#define _TAP_COMPAT_LINUX_PREEMPT_H

#include_next <linux/preempt.h>

/*
 * A real-time kernel runs softirqs with preemption on, and so counts them in their
 * task, not on their CPU.
 */
#ifdef CONFIG_PREEMPT_RT
#define tap_softirq_count(count)	((void)(count), current->softirq_disable_cnt)
#else
#define tap_softirq_count(count)	(count)
#endif

/* Until 5.11 its name said less. */
#ifndef in_hardirq
#define in_hardirq()	in_irq()
#endif

#endif /* _TAP_COMPAT_LINUX_PREEMPT_H */

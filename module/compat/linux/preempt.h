/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAP_COMPAT_LINUX_PREEMPT_H
#define _TAP_COMPAT_LINUX_PREEMPT_H

#include_next <linux/preempt.h>

/*
 * A PREEMPT_RT kernel runs softirqs with preemption on, so it counts them in the task and
 * not in the CPU's preempt count.
 */
#ifdef CONFIG_PREEMPT_RT
#define tap_softirq_count(count)	((void)(count), current->softirq_disable_cnt)
#else
#define tap_softirq_count(count)	(count)
#endif

/* Kernels before 5.11 call it in_irq(). */
#ifndef in_hardirq
#define in_hardirq()	in_irq()
#endif

#endif /* _TAP_COMPAT_LINUX_PREEMPT_H */

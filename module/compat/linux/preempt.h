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

/**
 * tap_context_level() - the level of the context, by which perf keeps its buffers apart
 *
 * It is perf's own computation, so it counts a softirq of PREEMPT_RT as a task.
 *
 * Context: any, preemption off.
 * Return: 0 for a task, 1 softirq, 2 interrupt, 3 NMI.
 */
static __always_inline unsigned int tap_context_level(void)
{
	unsigned long count = preempt_count() & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET);

	if (likely(!count))
		return 0;
	return count & NMI_MASK ? 3 : count & HARDIRQ_MASK ? 2 : 1;
}

#define TAP_CONTEXT_LEVELS	4

#endif /* _TAP_COMPAT_LINUX_PREEMPT_H */

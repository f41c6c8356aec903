/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAP_COMPAT_LINUX_TRACE_RECURSION_H
#define _TAP_COMPAT_LINUX_TRACE_RECURSION_H

#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
#include_next <linux/trace_recursion.h>
#else
#include <linux/bits.h>
#include <linux/preempt.h>
#include <linux/sched.h>

/*
 * Before 5.11 ftrace does not export its recursion guard. It uses the lower bits of
 * current->trace_recursion; we use four bits from here on.
 */
#define TAP_RECURSION_BIT	24

static __always_inline int
ftrace_test_recursion_trylock(unsigned long ip, unsigned long parent_ip)
{
	unsigned int count = preempt_count();
	int bit = TAP_RECURSION_BIT +
		  (count & NMI_MASK ? 3 : count & HARDIRQ_MASK ? 2 :
		   count & SOFTIRQ_OFFSET ? 1 : 0);

	if (current->trace_recursion & BIT(bit))
		return -1;
	/* Not atomic: an interrupt restores the word before it returns. */
	current->trace_recursion |= BIT(bit);
	barrier();
	return bit;
}

static __always_inline void ftrace_test_recursion_unlock(int bit)
{
	barrier();
	current->trace_recursion &= ~BIT(bit);
}
#endif

#endif /* _TAP_COMPAT_LINUX_TRACE_RECURSION_H */

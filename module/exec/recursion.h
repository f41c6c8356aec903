/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Guard against a program that makes events of its own probe. A program may read a counter
 * (tracepoints rdpmc and read_msr), fault (rcu_watching in the idle task) or wake a reader.
 * The functions that do so may have probes, whose programs do the same, without end. The
 * rules of handler.h hold.
 */
#ifndef _TAPMOD_EXEC_RECURSION_H
#define _TAPMOD_EXEC_RECURSION_H

#include <linux/bits.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

/* One bit for each context that can interrupt the others: task, softirq, interrupt, NMI. */
static __always_inline u32 tap_guard_context(void)
{
	unsigned int count = preempt_count();

	return count & NMI_MASK ? BIT(3) : count & HARDIRQ_MASK ? BIT(2) :
	       count & SOFTIRQ_OFFSET ? BIT(1) : BIT(0);
}

/**
 * tap_guard_enter() - begin a program in this context of this CPU
 * @busy: the contexts of each CPU, as tap_guard_context(), in which a program runs. All
 *	probes of a type share it: else each probe would add a level
 * @context: tap_guard_context()
 *
 * A program that runs in the same context makes this fail. That also drops an event of an
 * interrupt that comes before the interrupt is in preempt_count.
 *
 * Context: any, preemption off.
 * Return: false if the event must be counted as missed; else tap_guard_exit() must follow.
 */
static __always_inline bool tap_guard_enter(u32 __percpu *busy, u32 context)
{
	if (unlikely(this_cpu_read(*busy) & context))
		return false;
	this_cpu_or(*busy, context);
	return true;
}

static __always_inline void tap_guard_exit(u32 __percpu *busy, u32 context)
{
	this_cpu_and(*busy, ~context);
}

#endif /* _TAPMOD_EXEC_RECURSION_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * The clock of a session: the choice of the counter, and its conversion to nanoseconds.
 *
 * TAP_IOC_SETUP chooses the clock, and the session keeps it. If the kernel finds the
 * counter unstable later, new sessions get TAP_CLOCK_MONO, and TAP_IOC_INFO reports that
 * clock in old sessions too.
 */
#include <linux/clocksource.h>
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>

#include "ring/clock.h"

#ifdef CONFIG_ARM64
/* Whether a CPU's counter has an erratum that needs a workaround: raw reads may be wrong. */
static bool tap_clock_wrong(void)
{
#if IS_ENABLED(CONFIG_ARM_ARCH_TIMER_OOL_WORKAROUND)
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		if (per_cpu(timer_unstable_counter_workaround, cpu))
			return true;
#endif
	return false;
}
#endif

/**
 * tap_clock_khz() - frequency of the raw counter
 *
 * Context: process. The result may become 0 at any later time.
 * Return: kHz; 0 if the machine has no stable counter.
 */
u32 tap_clock_khz(void)
{
#if defined(CONFIG_X86)
	/*
	 * The kernel marks the TSC unstable if the TSCs of two CPUs differ, if it
	 * changes with the CPU's frequency, or if it stops in a sleep state.
	 */
	return check_tsc_unstable() ? 0 : tsc_khz;
#elif defined(CONFIG_ARM64)
	return tap_clock_wrong() ? 0 : arch_timer_get_cntfrq() / 1000;
#else
	return 0;
#endif
}

/**
 * tap_clock_id() - the clock of a session, as user space names it
 * @khz: result of tap_clock_khz()
 *
 * Context: any.
 * Return: enum tap_clock.
 */
u32 tap_clock_id(u32 khz)
{
	if (!khz)
		return TAP_CLOCK_MONO;
	return IS_ENABLED(CONFIG_X86) ? TAP_CLOCK_TSC : TAP_CLOCK_ARCH;
}

/**
 * tap_clock_sample() - read the session's clock and the system's clocks at one moment
 * @raw: the session's clock is the raw counter
 * @counter: gets the session's clock, in its own ticks
 * @mono: gets CLOCK_MONOTONIC, nanoseconds
 * @real: gets CLOCK_REALTIME, nanoseconds
 *
 * Interrupts are off, so the three reads are normally within a microsecond; an NMI or a
 * hypervisor may still separate them.
 *
 * Context: process.
 */
void tap_clock_sample(bool raw, u64 *counter, u64 *mono, u64 *real)
{
	unsigned long flags;

	local_irq_save(flags);
	*counter = tap_clock_read(raw);
	*mono = ktime_get_ns();
	*real = ktime_get_real_ns();
	local_irq_restore(flags);
}

/**
 * tap_clock_scale() - the factor from ticks to nanoseconds
 * @khz: frequency of the session's counter; 0: the clock counts nanoseconds
 * @mult: gets the factor: nanoseconds = ticks * @mult >> @shift
 * @shift: see @mult
 *
 * Context: any.
 */
void tap_clock_scale(u32 khz, u32 *mult, u32 *shift)
{
	*mult = 1;
	*shift = 0;
	/* For up to 600 seconds ticks * mult fits into 64 bits; readers compute with 128. */
	if (khz)
		clocks_calc_mult_shift(mult, shift, khz, NSEC_PER_MSEC, 600);
}

/* Fills the clock members of the meta page, before the session publishes it. */
void tap_clock_fill(struct tap_meta *meta, u32 khz)
{
	u32 mult, shift;

	tap_clock_scale(khz, &mult, &shift);
	meta->clock = tap_clock_id(khz);
	meta->clock_mult = mult;
	meta->clock_shift = shift;
	tap_clock_sample(khz, &meta->clock_raw, &meta->clock_mono,
			 &meta->clock_real);
}

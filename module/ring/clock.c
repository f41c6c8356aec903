// SPDX-License-Identifier: GPL-2.0
/*
 * The clock of a session: which counter, and how a reader converts it.
 *
 * It is chosen when the session is set up and stays. The kernel may find the
 * counter unstable later: sessions set up from then on get the other clock, and
 * TAP_IOC_INFO reports that to the sessions that exist.
 */
#include <linux/clocksource.h>
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>

#include "ring/clock.h"

#ifdef CONFIG_ARM64
/* Reads of some processors' counters are wrong at times; the kernel has a workaround list. */
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
 * tap_clock_khz() - ticks of the raw counter in a millisecond
 *
 * Return: 0 if there is no counter to trust now.
 */
u32 tap_clock_khz(void)
{
#if defined(CONFIG_X86)
	/*
	 * The kernel marks the TSC unstable if it is not synchronous over the
	 * CPUs, changes with their frequency or stops in their sleep.
	 */
	return check_tsc_unstable() ? 0 : tsc_khz;
#elif defined(CONFIG_ARM64)
	return tap_clock_wrong() ? 0 : arch_timer_get_cntfrq() / 1000;
#else
	return 0;
#endif
}

/**
 * tap_clock_id() - the clock of a session whose counter has this rate
 * @khz: of tap_clock_khz()
 *
 * Return: enum tap_clock.
 */
u32 tap_clock_id(u32 khz)
{
	if (!khz)
		return TAP_CLOCK_MONO;
	return IS_ENABLED(CONFIG_X86) ? TAP_CLOCK_TSC : TAP_CLOCK_ARCH;
}

/**
 * tap_clock_sample() - read the session's clock and the system's at one moment
 * @raw: the session's clock is the raw counter
 * @counter: the record clock
 * @mono: CLOCK_MONOTONIC, nanoseconds
 * @real: CLOCK_REALTIME, nanoseconds
 *
 * Interrupts are off, so the three reads are within a microsecond.
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
 * tap_clock_scale() - how to convert ticks to nanoseconds
 * @khz: of the session's counter, 0 if it has none
 * @mult: nanoseconds = ticks * @mult >> @shift
 * @shift: see @mult
 */
void tap_clock_scale(u32 khz, u32 *mult, u32 *shift)
{
	*mult = 1;
	*shift = 0;
	/* 600 seconds: ticks * mult of ten minutes fits in 64 bits; readers use 128. */
	if (khz)
		clocks_calc_mult_shift(mult, shift, khz, NSEC_PER_MSEC, 600);
}

/**
 * tap_clock_fill() - fill the clock fields of the meta page
 * @meta: meta page to fill the clock fields of
 * @khz: of the session's counter, 0 if it has none
 *
 * Context: process.
 */
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

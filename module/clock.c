// SPDX-License-Identifier: GPL-2.0
/*
 * The clock of all sessions: which counter, and how a reader converts it.
 */
#include <linux/clocksource.h>
#include <linux/irqflags.h>

#include "clock.h"

DEFINE_STATIC_KEY_FALSE(tap_clock_raw);

/* Ticks of the raw counter in a millisecond; 0: there is none to trust. */
static u32 tap_clock_khz(void)
{
#if defined(CONFIG_X86)
	/*
	 * The kernel's own judgement: not synchronous over the CPUs, changing
	 * with their frequency or stopping in their sleep all count.
	 */
	return check_tsc_unstable() ? 0 : tsc_khz;
#elif defined(CONFIG_ARM64)
	return read_sysreg(cntfrq_el0) / 1000;
#else
	return 0;
#endif
}

/**
 * tap_clock_init() - choose the clock
 *
 * Context: module load, before any session.
 */
void tap_clock_init(void)
{
	if (tap_clock_khz())
		static_branch_enable(&tap_clock_raw);
}

/**
 * tap_clock_id() - which clock was chosen
 *
 * Return: enum tap_clock.
 */
u32 tap_clock_id(void)
{
	if (!static_key_enabled(&tap_clock_raw))
		return TAP_CLOCK_MONO;
	return IS_ENABLED(CONFIG_X86) ? TAP_CLOCK_TSC : TAP_CLOCK_ARCH;
}

/**
 * tap_clock_sample() - the clock beside the system's
 * @raw: the record clock
 * @mono: CLOCK_MONOTONIC, nanoseconds
 * @real: CLOCK_REALTIME, nanoseconds
 *
 * Interrupts are off in between, so the three are within a microsecond.
 *
 * Context: process.
 */
void tap_clock_sample(u64 *raw, u64 *mono, u64 *real)
{
	unsigned long flags;

	local_irq_save(flags);
	*raw = tap_clock();
	*mono = ktime_get_ns();
	*real = ktime_get_real_ns();
	local_irq_restore(flags);
}

/**
 * tap_clock_fill() - tell the reader of a session how to convert its times
 * @meta: meta page to fill the clock fields of
 *
 * Context: process.
 */
void tap_clock_fill(struct tap_meta *meta)
{
	u32 mult = 1, shift = 0;

	/* 600: exact over ten minutes; a reader's product is wider than 64 bits. */
	if (static_key_enabled(&tap_clock_raw))
		clocks_calc_mult_shift(&mult, &shift, tap_clock_khz(),
				       NSEC_PER_MSEC, 600);
	meta->clock = tap_clock_id();
	meta->clock_mult = mult;
	meta->clock_shift = shift;
	tap_clock_sample(&meta->clock_raw, &meta->clock_mono, &meta->clock_real);
}

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAP_CLOCK_H
#define _TAP_CLOCK_H

#include <linux/jump_label.h>
#include <linux/tap.h>
#include <linux/timekeeping.h>
#ifdef CONFIG_X86
#include <asm/msr.h>
#include <asm/tsc.h>
#endif
#ifdef CONFIG_ARM64
#include <asm/sysreg.h>
#endif

/* True where the CPUs' raw counter is stable; set once, before any probe. */
DECLARE_STATIC_KEY_FALSE(tap_clock_raw);

/* The raw counter itself. */
static __always_inline u64 tap_clock_counter(void)
{
#if defined(CONFIG_X86)
	return rdtsc();
#elif defined(CONFIG_ARM64)
	return read_sysreg(cntvct_el0);
#endif
}

/* For ring_core.h, which asks by name whether we have it. */
#define tap_clock_counter	tap_clock_counter

/**
 * tap_clock() - the time of a record
 *
 * Not ordered against the instructions around it: a fence would cost more
 * than the record. Along one CPU's ring the order is exact all the same,
 * because interrupts are precise.
 *
 * Context: any, NMI included.
 * Return: raw ticks of the counter, or nanoseconds where that is not stable.
 */
static __always_inline u64 tap_clock(void)
{
	if (static_branch_likely(&tap_clock_raw))
		return tap_clock_counter();
	return ktime_get_mono_fast_ns();
}

void tap_clock_init(void);
u32 tap_clock_id(void);
void tap_clock_fill(struct tap_meta *meta);
void tap_clock_sample(u64 *raw, u64 *mono, u64 *real);

#endif /* _TAP_CLOCK_H */

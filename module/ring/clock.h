/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_RING_CLOCK_H
#define _TAPMOD_RING_CLOCK_H

#include <linux/tap.h>
#include <linux/timekeeping.h>
#ifdef CONFIG_X86
#include <asm/msr.h>
#include <asm/tsc.h>
#endif
#ifdef CONFIG_ARM64
#include <asm/arch_timer.h>
#endif

/* The raw counter itself. */
static __always_inline u64 tap_clock_counter(void)
{
#if defined(CONFIG_X86)
	return rdtsc();
#elif defined(CONFIG_ARM64)
	return __arch_counter_get_cntvct();
#endif
}

/**
 * tap_clock_read() - the time of a record
 * @raw: the session's clock is the raw counter
 *
 * On x86, rdtsc() is not ordered against the instructions around it: a fence would
 * cost more than the record. Along one CPU's ring the order is exact all the same,
 * because interrupts are precise. On arm64 two reads may be reordered, so
 * __arch_counter_get_cntvct() has a barrier before each, or, on newer processors,
 * reads a self-synchronizing register.
 *
 * Context: any, NMI included.
 * Return: ticks of the counter, or nanoseconds.
 */
static __always_inline u64 tap_clock_read(bool raw)
{
	return raw ? tap_clock_counter() : ktime_get_mono_fast_ns();
}

u32 tap_clock_khz(void);
u32 tap_clock_id(u32 khz);
void tap_clock_scale(u32 khz, u32 *mult, u32 *shift);
void tap_clock_fill(struct tap_meta *meta, u32 khz);
void tap_clock_sample(bool raw, u64 *counter, u64 *mono, u64 *real);

#endif /* _TAPMOD_RING_CLOCK_H */

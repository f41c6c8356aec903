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

/* The raw counter. Valid as a clock only if tap_clock_khz() was not 0 at set-up. */
static __always_inline u64 tap_clock_counter(void)
{
#if defined(CONFIG_X86)
	return rdtsc();
#elif defined(CONFIG_ARM64)
	return __arch_counter_get_cntvct();
#endif
}

/**
 * tap_clock_read() - read the session's clock
 * @raw: the session's clock is the raw counter
 *
 * On x86 rdtsc() is not ordered against the instructions around it; a fence would cost
 * more than the record. The times in a CPU's ring are ordered nevertheless, because
 * interrupts are precise. On arm64 two reads may be reordered, so
 * __arch_counter_get_cntvct() executes a barrier before the read, or reads a
 * self-synchronizing register on newer processors.
 *
 * Context: any, NMI included.
 * Return: ticks of the counter, or nanoseconds of ktime_get_mono_fast_ns().
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

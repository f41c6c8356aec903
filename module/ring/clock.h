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

/**
 * enum tapmod_clock - how the clock of a session is read
 * @TAPMOD_CLOCK_MONO: ktime_get_mono_fast_ns()
 * @TAPMOD_CLOCK_RAW: the counter of the CPU, by tap_clock_counter()
 * @TAPMOD_CLOCK_ORDERED: the same counter, by tap_clock_ordered()
 */
enum tapmod_clock {
	TAPMOD_CLOCK_MONO,
	TAPMOD_CLOCK_RAW,
	TAPMOD_CLOCK_ORDERED,
};

/* The raw counter. Valid as a clock only if tap_clock_khz() was not 0 at set-up. */
static __always_inline u64 tap_clock_counter(void)
{
#if defined(CONFIG_X86)
	return rdtsc();
#elif defined(CONFIG_ARM64)
	return __arch_counter_get_cntvct();
#endif
}

u64 tap_clock_other(enum tapmod_clock clock);

/**
 * tap_clock_read() - read the session's clock
 * @clock: the session's clock
 *
 * On x86 rdtsc() is not ordered against the instructions around it: the CPU may read it
 * before an earlier load has its value. The times in a CPU's ring are ordered
 * nevertheless, because interrupts are precise; the times of two CPUs only with
 * %TAPMOD_CLOCK_ORDERED. On arm64 two reads may be reordered, so
 * __arch_counter_get_cntvct() executes a barrier before the read, or reads a
 * self-synchronizing register on newer processors.
 *
 * %TAPMOD_CLOCK_RAW is tested first: the counter costs one compare and one branch.
 *
 * Context: any, NMI included.
 * Return: ticks of the counter, or nanoseconds of ktime_get_mono_fast_ns().
 */
static __always_inline u64 tap_clock_read(enum tapmod_clock clock)
{
	return likely(clock == TAPMOD_CLOCK_RAW) ? tap_clock_counter() :
						   tap_clock_other(clock);
}

u32 tap_clock_khz(void);
enum tapmod_clock tap_clock_choose(u32 flags, u32 *khz);
u32 tap_clock_id(enum tapmod_clock clock);
void tap_clock_scale(u32 khz, u32 *mult, u32 *shift);
void tap_clock_fill(struct tap_meta *meta, enum tapmod_clock clock, u32 khz);
void tap_clock_sample(enum tapmod_clock clock, u64 *counter, u64 *mono, u64 *real);

#endif /* _TAPMOD_RING_CLOCK_H */

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
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/string.h>
#ifdef CONFIG_ARM64
#include <asm/virt.h>
#endif

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

/*
 * Whether the virtual counter may be that of a guest while kernel code runs. On arm64
 * without VHE, KVM loads a guest's offset of the virtual counter with the guest's virtual
 * CPU. Until it puts that CPU, the host's kernel reads the guest's time, in interrupts
 * as well. For that reason such a kernel itself reads the physical counter; the name of
 * its function says so. User space never sees the offset.
 */
static bool tap_clock_shifted(void)
{
#ifdef CONFIG_ARM64
	char name[KSYM_SYMBOL_LEN];

	if (is_kernel_in_hyp_mode())
		return false;
	sprint_symbol_no_offset(name, (unsigned long)READ_ONCE(arch_timer_read_counter));
	return strstr(name, "cntpct");
#else
	return false;
#endif
}

/*
 * The counter, not read before earlier loads have their values. On arm64 it is the kernel's
 * own function, which also takes the physical counter where the virtual one is not the host's:
 * see tap_clock_shifted().
 */
static __always_inline u64 tap_clock_ordered(void)
{
#if defined(CONFIG_X86)
	return rdtsc_ordered();
#elif defined(CONFIG_ARM64)
	return arch_timer_read_counter();
#endif
}

/* tap_clock_read() of a clock that is not %TAPMOD_CLOCK_RAW. */
u64 tap_clock_other(enum tapmod_clock clock)
{
	return clock == TAPMOD_CLOCK_ORDERED ? tap_clock_ordered() : ktime_get_mono_fast_ns();
}
NOKPROBE_SYMBOL(tap_clock_other);

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
 * tap_clock_choose() - the clock of a new session
 * @flags: TAP_SETUP_F_* of clocks, at most one
 * @khz: gets the frequency of the counter; 0 if the clock counts nanoseconds
 *
 * Context: process.
 * Return: %TAPMOD_CLOCK_MONO if the machine has no stable counter.
 */
enum tapmod_clock tap_clock_choose(u32 flags, u32 *khz)
{
	*khz = flags & TAP_SETUP_F_MONO ? 0 : tap_clock_khz();
	if (!*khz)
		return TAPMOD_CLOCK_MONO;
	return flags & TAP_SETUP_F_ORDERED || tap_clock_shifted() ?
	       TAPMOD_CLOCK_ORDERED : TAPMOD_CLOCK_RAW;
}

/**
 * tap_clock_id() - the clock of a session, as user space names it
 * @clock: result of tap_clock_choose()
 *
 * Context: any.
 * Return: enum tap_clock.
 */
u32 tap_clock_id(enum tapmod_clock clock)
{
	if (clock == TAPMOD_CLOCK_MONO)
		return TAP_CLOCK_MONO;
	if (IS_ENABLED(CONFIG_ARM64))
		return TAP_CLOCK_ARCH;
	return clock == TAPMOD_CLOCK_ORDERED ? TAP_CLOCK_TSC_ORDERED : TAP_CLOCK_TSC;
}

/**
 * tap_clock_sample() - read the session's clock and the system's clocks at one moment
 * @clock: the session's clock
 * @counter: gets the session's clock, in its own ticks
 * @mono: gets CLOCK_MONOTONIC, nanoseconds
 * @real: gets CLOCK_REALTIME, nanoseconds
 *
 * Interrupts are off, so the three reads are normally within a microsecond; an NMI or a
 * hypervisor may still separate them.
 *
 * Context: process.
 */
void tap_clock_sample(enum tapmod_clock clock, u64 *counter, u64 *mono, u64 *real)
{
	unsigned long flags;

	local_irq_save(flags);
	*counter = tap_clock_read(clock);
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
void tap_clock_fill(struct tap_meta *meta, enum tapmod_clock clock, u32 khz)
{
	u32 mult, shift;

	tap_clock_scale(khz, &mult, &shift);
	meta->clock = tap_clock_id(clock);
	meta->clock_mult = mult;
	meta->clock_shift = shift;
	tap_clock_sample(clock, &meta->clock_raw, &meta->clock_mono,
			 &meta->clock_real);
}

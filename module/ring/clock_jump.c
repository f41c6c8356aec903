// SPDX-License-Identifier: GPL-2.0
/*
 * Jumps of a session's clock: the counter may restart over a suspend, or change when a
 * virtual machine is moved; CLOCK_MONOTONIC stops during a suspend.
 *
 * Nothing is corrected in the hot path. A jump is reported in each ring, by a notice
 * before the first record that was made after it: TAP_NOTICE_CLOCK has the ticks that a
 * reader adds to the raw times that follow.
 *
 * A suspend is seen by callbacks that the kernel calls while one CPU runs with interrupts
 * off and all others are offline: no writer runs then, so the notice is in the right place.
 * The module registers late, so its suspend callback runs before that of the timekeeper,
 * and its resume callback after it. Other jumps (suspend-to-idle, a move of the virtual
 * machine) are found by the governor, up to a tenth of a second later.
 */
#include <linux/cpu.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/syscore_ops.h>

#include "common/clock_jump.h"
#include "ring/ring.h"

/* Tries to read two clocks without an interruption of a tenth of a second. */
#define TAP_SAMPLE_TRIES	3

/*
 * Protects the list of the rings of all sessions, and the member clock_state of each.
 * Taken with interrupts off, so that the callbacks, which run on the only CPU, find it free.
 */
static DEFINE_RAW_SPINLOCK(tap_jump_lock);
static LIST_HEAD(tap_jump_rings);

static u64 tap_ticks_of(const struct tap_rings *rings, u64 ns)
{
	return rings->khz ? mul_u64_u32_div(ns, rings->khz, NSEC_PER_MSEC) : ns;
}

/* Reads both clocks; false if they cannot be read at about the same moment. */
static bool tap_jump_sample(const struct tap_rings *rings, u64 *raw, u64 *boot)
{
	u64 most = tap_ticks_of(rings, NSEC_PER_SEC / 10);
	unsigned int tries;

	for (tries = 0; tries < TAP_SAMPLE_TRIES; tries++) {
		*raw = tap_clock_read(rings->clock);
		*boot = ktime_get_boot_fast_ns();
		if (tap_clock_read(rings->clock) - *raw < most)
			return true;
	}
	return false;
}

/* Compares the clock with the last sample; returns whether it jumped since. */
static bool tap_jump_look(struct tap_rings *rings)
{
	struct tap_clock_state *state = &rings->clock_state;
	u64 raw, boot, ticks;
	bool jumped;

	lockdep_assert_held(&tap_jump_lock);
	if (!tap_jump_sample(rings, &raw, &boot))
		return false;
	jumped = tap_clock_jump(state->raw, raw, tap_ticks_of(rings, boot - state->boot),
				tap_ticks_of(rings, NSEC_PER_SEC), &ticks);
	if (jumped) {
		state->nr++;
		state->before = state->raw;
		state->after = raw;
		state->ticks += ticks;
	}
	state->raw = raw;
	state->boot = boot;
	return jumped;
}

/* Reports the last jump in a ring: on its CPU with interrupts off, or if that is offline. */
static void tap_jump_report(struct tap_rings *rings, int cpu)
{
	const struct tap_clock_state *state = &rings->clock_state;
	struct tap_ring *ring = per_cpu_ptr(rings->ring, cpu);
	struct tap_ring_writer *w = &ring->w;

	lockdep_assert_held(&tap_jump_lock);
	if (tap_ring_exists(ring) && w->jump.made != state->nr)
		tap_ring_jumped(w, state->nr, state->before, state->after, state->ticks);
}

static int tap_jump_suspend TAP_SYSCORE_PARAMS
{
	struct tap_rings *rings;

	raw_spin_lock(&tap_jump_lock);
	list_for_each_entry(rings, &tap_jump_rings, clock_state.node)
		tap_jump_sample(rings, &rings->clock_state.raw, &rings->clock_state.boot);
	raw_spin_unlock(&tap_jump_lock);
	return 0;
}

static void tap_jump_resume TAP_SYSCORE_PARAMS
{
	struct tap_rings *rings;
	int cpu;

	raw_spin_lock(&tap_jump_lock);
	list_for_each_entry(rings, &tap_jump_rings, clock_state.node)
		if (tap_jump_look(rings))
			for_each_possible_cpu(cpu)
				tap_jump_report(rings, cpu);
	raw_spin_unlock(&tap_jump_lock);
}

TAP_SYSCORE(tap_jump_syscore, tap_jump_suspend, tap_jump_resume);

/**
 * tap_jumps_watch() - report the jumps of a session's clock from now on
 * @rings: tap_rings_ready() is true
 *
 * Context: process.
 */
void tap_jumps_watch(struct tap_rings *rings)
{
	struct tap_clock_state *state = &rings->clock_state;
	unsigned long flags;

	raw_spin_lock_irqsave(&tap_jump_lock, flags);
	tap_jump_sample(rings, &state->raw, &state->boot);
	list_add(&state->node, &tap_jump_rings);
	raw_spin_unlock_irqrestore(&tap_jump_lock, flags);
}

/**
 * tap_jumps_unwatch() - undo tap_jumps_watch()
 * @rings: need not be watched
 *
 * Context: process, before the rings are freed.
 */
void tap_jumps_unwatch(struct tap_rings *rings)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&tap_jump_lock, flags);
	if (rings->clock_state.node.next)
		list_del(&rings->clock_state.node);
	raw_spin_unlock_irqrestore(&tap_jump_lock, flags);
}

/**
 * tap_jumps_begin() - report the jumps so far in a ring that is being made
 * @rings: need not be watched
 * @ring: empty, and ready for records; its CPU is offline, or the rings are not published
 *
 * The first notice in a ring has the ticks of all jumps: a reader begins at 0.
 *
 * Context: process.
 */
void tap_jumps_begin(struct tap_rings *rings, struct tap_ring *ring)
{
	const struct tap_clock_state *state = &rings->clock_state;
	unsigned long flags;

	raw_spin_lock_irqsave(&tap_jump_lock, flags);
	if (state->nr)
		tap_ring_jumped(&ring->w, state->nr, state->before, state->after, state->ticks);
	raw_spin_unlock_irqrestore(&tap_jump_lock, flags);
}

struct tap_jump_arg {
	struct tap_rings *rings;
	int cpu;
};

static void tap_jump_report_here(void *data)
{
	struct tap_jump_arg *arg = data;
	unsigned long flags;

	raw_spin_lock_irqsave(&tap_jump_lock, flags);
	tap_jump_report(arg->rings, arg->cpu);
	raw_spin_unlock_irqrestore(&tap_jump_lock, flags);
}

/**
 * tap_jumps_check() - find a jump of the clock, and report it in all rings
 * @rings: watched by tap_jumps_watch()
 *
 * cpus_read_lock() keeps an offline CPU from coming online, and so from becoming a second
 * writer, while this function writes to its ring.
 *
 * Context: process, may sleep.
 */
void tap_jumps_check(struct tap_rings *rings)
{
	struct tap_jump_arg arg = { .rings = rings };
	unsigned long flags;
	bool jumped;

	raw_spin_lock_irqsave(&tap_jump_lock, flags);
	jumped = tap_jump_look(rings);
	raw_spin_unlock_irqrestore(&tap_jump_lock, flags);
	if (likely(!jumped))
		return;
	cpus_read_lock();
	for_each_possible_cpu(arg.cpu) {
		if (cpu_online(arg.cpu))
			smp_call_function_single(arg.cpu, tap_jump_report_here, &arg, true);
		else
			tap_jump_report_here(&arg);
	}
	cpus_read_unlock();
}

/* Called when the module is loaded. */
void tap_jumps_init(void)
{
	tap_syscore_register(&tap_jump_syscore);
}

/* Called when the module is unloaded, or its load failed: no session exists. */
void tap_jumps_exit(void)
{
	tap_syscore_unregister(&tap_jump_syscore);
}

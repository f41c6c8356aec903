// SPDX-License-Identifier: GPL-2.0
/*
 * The gate of a session: which of its events are recorded. Its state is one number: how many
 * events it still lets through, S64_MAX for all; 0: it has ended; negative: it is closed, and
 * -number is what it has once it is open.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/kprobes.h>
#include <linux/smp.h>

#include "ring/ring.h"

/* The reader is woken. If the CPU goes offline, the timer of poll does it. */
static void tap_gate_ended(struct tap_rings *rings)
{
	if (cpu_online(raw_smp_processor_id()))
		tap_rings_kick(rings);
}
NOKPROBE_SYMBOL(tap_gate_ended);

/* Replaces the state of a gate that is open, or that is not if @open is false. */
static bool tap_gate_move(struct tap_rings *rings, bool open, u32 step)
{
	s64 left = atomic64_read(&rings->gate), next;

	do {
		if (open ? left <= 0 : left >= 0)
			return false;
		next = step == TAP_GATE_OPEN ? -left : step == TAP_GATE_END ? 0 : left - 1;
	} while (!atomic64_try_cmpxchg(&rings->gate, &left, next));
	if (!next)
		tap_gate_ended(rings);
	return true;
}
NOKPROBE_SYMBOL(tap_gate_move);

/**
 * tap_rings_gate() - %TAP_VAR_GATE
 * @rings: the first set of rings of the session
 * @step: enum tap_gate_step
 *
 * The loop of tap_gate_move() ends: it is repeated only if another event has moved the gate, and a
 * gate moves as often as it lets events through.
 *
 * Context: any, NMI included, preemption off.
 * Return: what enum tap_gate_step says.
 */
bool tap_rings_gate(struct tap_rings *rings, u32 step)
{
	s64 left = atomic64_read(&rings->gate);

	if (step == TAP_GATE_OPEN && left < 0)
		tap_gate_move(rings, false, step);
	if (step == TAP_GATE_IS_OPEN || step == TAP_GATE_OPEN)
		return atomic64_read(&rings->gate) > 0;
	/* A gate without a limit is only read: its cache line is shared by all CPUs. */
	if (step == TAP_GATE_TAKE && left == S64_MAX)
		return true;
	return tap_gate_move(rings, true, step);
}
NOKPROBE_SYMBOL(tap_rings_gate);

/**
 * tap_rings_gate_set() - TAP_IOC_GATE
 * @rings: the first set of rings of the session
 * @gate: a checked copy; its out_* members are filled in
 *
 * Context: process, under the session's lock.
 * Return: 0 or -EINVAL.
 */
int tap_rings_gate_set(struct tap_rings *rings, struct tap_gate *gate)
{
	bool set = gate->flags & TAP_GATE_F_SET, closed = gate->flags & TAP_GATE_F_CLOSED;
	s64 left = gate->limit ?: S64_MAX;

	if (gate->flags & ~(TAP_GATE_F_SET | TAP_GATE_F_CLOSED) || gate->__reserved ||
	    left < 0 || (!set && (closed || gate->limit)))
		return -EINVAL;
	if (set)
		atomic64_set(&rings->gate, closed ? -left : left);
	left = atomic64_read(&rings->gate);
	gate->out_closed = left < 0;
	gate->out_left = left < 0 ? -left : left;
	return 0;
}

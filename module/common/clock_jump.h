/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Whether a session's clock jumped. The module and its native tests compile this.
 */
#ifndef _TAPMOD_COMMON_CLOCK_JUMP_H
#define _TAPMOD_COMMON_CLOCK_JUMP_H

#include <linux/types.h>

/**
 * tap_clock_jump() - by how much a clock missed the time that has passed
 * @before: raw time of the first sample
 * @after: raw time of the second sample
 * @passed: time from the first to the second sample by CLOCK_BOOTTIME, in ticks of the clock
 * @second: ticks of a second
 *
 * Over a suspend CLOCK_BOOTTIME may be exact to one second only, since it may come from a
 * battery-backed clock; its rate and that of the counter differ a little. So a clock that went
 * forward has jumped only if the two differ by more than two seconds and an eighth of the
 * time. A clock that went back by more than a millisecond has jumped; less is the difference
 * of two CPUs' counters.
 *
 * Return: ticks to add to the clock from now on, modulo 2^64; 0 if it did not jump.
 */
static inline __u64 tap_clock_jump(__u64 before, __u64 after, __u64 passed, __u64 second)
{
	__u64 gone = after - before, off;

	if ((__s64)gone < 0)
		return -gone > second / 1000 ? passed - gone : 0;
	off = gone > passed ? gone - passed : passed - gone;
	return off > 2 * second + passed / 8 ? passed - gone : 0;
}

#endif /* _TAPMOD_COMMON_CLOCK_JUMP_H */

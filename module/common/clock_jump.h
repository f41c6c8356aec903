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
 * @ticks: gets the ticks to add to the clock from now on, if it jumped
 *
 * Over a suspend CLOCK_BOOTTIME may be exact to one second only, since it may come from a
 * battery-backed clock; its rate and that of the counter differ a little. So a clock that went
 * forward has jumped only if the two differ by more than two seconds and an eighth of the
 * time. A clock that went back by more than a millisecond has jumped; less is the difference
 * of two CPUs' counters.
 *
 * A clock that went ahead is not set back, since records may have been made with the later
 * times: 0 ticks are added.
 *
 * Return: 1 if it jumped, else 0.
 */
static inline int tap_clock_jump(__u64 before, __u64 after, __u64 passed, __u64 second,
				 __u64 *ticks)
{
	__u64 gone = after - before, slack = 2 * second + passed / 8;

	*ticks = passed - gone;
	if ((__s64)gone < 0)
		return -gone > second / 1000;
	if (gone <= passed)
		return passed - gone > slack;
	*ticks = 0;
	return gone - passed > slack;
}

#endif /* _TAPMOD_COMMON_CLOCK_JUMP_H */

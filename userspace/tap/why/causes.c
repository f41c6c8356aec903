// SPDX-License-Identifier: GPL-2.0
/*
 * Adds up what the durations of calls are made of.
 */
#include <errno.h>
#include <stdint.h>

#include "why/causes.h"

static void cause_add(struct cause *cause, __u64 ticks)
{
	cause->sum += ticks;
	if (ticks > cause->max)
		cause->max = ticks;
}

bool causes_fit(const struct tap_division *division, __u64 duration)
{
	__u64 rest = duration;
	unsigned int i;

	for (i = 0; i < TAP_NR_PARTS; i++) {
		if (division->part[i] > rest)
			return false;
		rest -= division->part[i];
	}
	return division->wait <= duration;
}

int causes_add(struct causes *causes, const struct tap_division *division, __u64 duration)
{
	unsigned int i, largest = CAUSE_NOT_DIVIDED;
	__u64 rest = duration, most = 0;

	/*
	 * No sum exceeds that of the durations, so no other can overflow: where the parts have more
	 * than the duration, as the clocks of CPUs differ, it ends the last of them.
	 */
	if (duration > UINT64_MAX - causes->duration)
		return -EOVERFLOW;
	causes->calls++;
	causes->duration += duration;
	if (duration > causes->longest)
		causes->longest = duration;
	if (!division) {
		cause_add(&causes->of[CAUSE_NOT_DIVIDED], duration);
		causes->of[largest].largest++;
		return 0;
	}
	for (i = 0; i <= CAUSE_UNACCOUNTED; i++) {
		__u64 ticks = rest;

		if (i < TAP_NR_PARTS && division->part[i] < rest)
			ticks = division->part[i];
		rest -= ticks;
		cause_add(&causes->of[i], ticks);
		if (!i || ticks > most) {
			largest = i;
			most = ticks;
		}
	}
	causes->of[largest].largest++;
	return 0;
}

__u64 causes_ns(const struct causes *causes, const struct tap_timebase *timebase,
		__u64 ns[NR_CAUSES])
{
	__u64 ticks = 0, before = 0, now;
	unsigned int i;

	for (i = 0; i < NR_CAUSES; i++) {
		ticks += causes->of[i].sum;
		now = tap_timebase_ns(timebase, ticks);
		ns[i] = now - before;
		before = now;
	}
	return before;
}

const char *cause_name(unsigned int cause)
{
	if (cause < TAP_NR_PARTS)
		return tap_part_name(cause);
	return cause == CAUSE_UNACCOUNTED ? "unaccounted" : "not divided";
}

// SPDX-License-Identifier: LGPL-2.1
/*
 * Conversion between the raw clock of a session and nanoseconds.
 */
#include <errno.h>
#include <time.h>

#include <libtap.h>

#include "util/arch.h"

/* 128 bits for the product of a 64-bit count of ticks and a multiplier. */
typedef unsigned __int128 u128;

#define NSEC_PER_SEC		1000000000ULL
/* Nearer samples are less exact than the rate that the kernel reports. */
#define MIN_CALIBRATION_NS	(NSEC_PER_SEC / 100)
#define CALIBRATED_SHIFT	32

static __u64 saturate(u128 v)
{
	return v > UINT64_MAX ? UINT64_MAX : (__u64)v;
}

int tap_timebase_init(struct tap_timebase *tb, const struct tap_meta *meta)
{
	if (meta->clock > TAP_CLOCK_TSC_ORDERED || !meta->clock_mult ||
	    meta->clock_shift > 63)
		return -EBADMSG;
	tb->clock = meta->clock;
	tb->shift = meta->clock_shift;
	tb->mult = meta->clock_mult;
	tb->raw = meta->clock_raw;
	tb->mono = meta->clock_mono;
	tb->real = meta->clock_real;
	return 0;
}

__u64 tap_timebase_ns(const struct tap_timebase *tb, __u64 ticks)
{
	return saturate((u128)ticks * tb->mult >> tb->shift);
}

__u64 tap_timebase_ticks(const struct tap_timebase *tb, __u64 ns)
{
	u128 v = (u128)ns << tb->shift;

	return saturate((v + tb->mult - 1) / tb->mult);
}

__u64 tap_timebase_mono(const struct tap_timebase *tb, __u64 raw)
{
	__u64 ns;

	if (raw >= tb->raw) {
		ns = tap_timebase_ns(tb, raw - tb->raw);
		return ns > UINT64_MAX - tb->mono ? UINT64_MAX : tb->mono + ns;
	}
	ns = tap_timebase_ns(tb, tb->raw - raw);
	return ns > tb->mono ? 0 : tb->mono - ns;
}

int tap_timebase_calibrate(struct tap_timebase *tb,
			   const struct tap_time *begin,
			   const struct tap_time *end)
{
	__u64 ticks, ns, expected, off;
	u128 mult;

	if (end->out_raw <= begin->out_raw || end->out_mono <= begin->out_mono)
		return -ERANGE;
	ticks = end->out_raw - begin->out_raw;
	ns = end->out_mono - begin->out_mono;
	if (ns < MIN_CALIBRATION_NS)
		return -ERANGE;
	/* The machine was suspended, or a sample is invalid: keep the rate. */
	expected = tap_timebase_ns(tb, ticks);
	off = expected > ns ? expected - ns : ns - expected;
	if (off > ns / 1000)
		return -ERANGE;

	mult = ((u128)ns << CALIBRATED_SHIFT) / ticks;
	if (!mult || mult > UINT64_MAX)
		return -ERANGE;
	tb->mult = (__u64)mult;
	tb->shift = CALIBRATED_SHIFT;
	tb->raw = begin->out_raw;
	tb->mono = begin->out_mono;
	tb->real = begin->out_real;
	return 0;
}

__u64 tap_timebase_now(const struct tap_timebase *tb)
{
	struct timespec ts;

	if (tb->clock == TAP_ARCH_CLOCK || tb->clock == TAP_ARCH_CLOCK_ORDERED)
		return tap_arch_counter();
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (__u64)ts.tv_sec * NSEC_PER_SEC + (__u64)ts.tv_nsec;
}

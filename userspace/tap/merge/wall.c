// SPDX-License-Identifier: GPL-2.0
/*
 * The time of day by the samples that a file has of its clocks.
 */
#include <string.h>

#include "merge/wall.h"

/* How fast the kernel's clock may run away from a straight line, parts of a million. */
#define SLEW_PPM	500
/* More than this is no change of the rate: the clock was set, or the machine slept. */
#define STEP_PPM	1000
/* Between the reading of the raw clock and that of the time of day in one sample, ns. */
#define SAMPLE_ERROR	1000
#define SHIFT	32

void wall_open(struct wall *w, const struct tap_file_reader *file, __u64 skew)
{
	memset(w, 0, sizeof(*w));
	w->file = file;
	w->sync = skew == WALL_UNKNOWN ? tap_file_get_sync(file) : skew;
	w->base = *tap_file_timebase(file);
	while (tap_file_get_time(file, w->nr))
		w->nr++;
}

static const struct tap_time *sample(const struct wall *w, size_t i)
{
	return tap_file_get_time(w->file, i);
}

/* Finds the interval of @raw. It is near that of the last call, as events are sorted by time. */
static void find(struct wall *w, __u64 raw)
{
	while (w->at && raw < sample(w, w->at)->out_raw)
		w->at--;
	while (w->at + 2 < w->nr && raw >= sample(w, w->at + 1)->out_raw)
		w->at++;
}

/* The difference of the interval to the rate of the whole file: the clock was set, ns. */
static __u64 step_of(const struct wall *w, const struct tap_time *from, const struct tap_time *to)
{
	__u64 ns = tap_timebase_ns(tap_file_timebase(w->file), to->out_raw - from->out_raw);
	__s64 off = (__s64)(to->out_real - from->out_real - ns);
	__u64 step = off < 0 ? -(__u64)off : (__u64)off;

	return step > ns / 1000000 * STEP_PPM + SAMPLE_ERROR ? step : 0;
}

static bool is_interval(const struct tap_time *from, const struct tap_time *to)
{
	return from->out_raw < to->out_raw && from->out_real < to->out_real;
}

/* Sets the line through both samples. */
static void set_line(struct wall *w, const struct tap_time *from, const struct tap_time *to)
{
	__u64 ticks = to->out_raw - from->out_raw, ns = to->out_real - from->out_real;

	w->base.mult = (__u64)(((unsigned __int128)ns << SHIFT) / ticks);
	w->base.shift = SHIFT;
	w->base.raw = from->out_raw;
	w->base.mono = from->out_mono;
	w->base.real = from->out_real;
}

static __u64 slew(__u64 ns)
{
	return ns / 1000 * SLEW_PPM / 1000 + SAMPLE_ERROR;
}

/* Behind the last sample, or in front of the first one: the line may have either greatest slope. */
static __u64 error_outside(__u64 ns)
{
	return 2 * slew(ns);
}

/* Of a time @ns behind the first sample of an interval of @length. */
static __u64 error_in(__u64 ns, __u64 length)
{
	if (ns > length)
		return error_outside(ns - length);
	/* A curve that leaves the line by the slew and comes back is farthest in the middle. */
	return slew((__u64)((unsigned __int128)2 * ns * (length - ns) / (length ? length : 1)));
}

static __u64 add(__u64 a, __u64 b)
{
	return a > WALL_UNKNOWN - b ? WALL_UNKNOWN : a + b;
}

__u64 wall_time(struct wall *w, __u64 raw, __u64 *error)
{
	const struct tap_time *from = NULL, *to = NULL;
	__u64 ns, step = 0, length = 0;
	bool before;

	if (w->nr > 1) {
		find(w, raw);
		from = sample(w, w->at);
		to = sample(w, w->at + 1);
		if (is_interval(from, to)) {
			set_line(w, from, to);
			length = to->out_real - from->out_real;
			step = step_of(w, from, to);
		}
	}
	before = raw < w->base.raw;
	ns = tap_timebase_ns(&w->base, before ? w->base.raw - raw : raw - w->base.raw);
	*error = add(w->sync, add(step, before ? error_outside(ns) : error_in(ns, length)));
	return before ? w->base.real - ns : w->base.real + ns;
}

__u64 wall_between(struct wall *w)
{
	__u64 most = 0, error, sync = w->sync;
	size_t i;

	w->sync = 0;
	for (i = 0; i + 1 < w->nr; i++) {
		const struct tap_time *from = sample(w, i), *to = sample(w, i + 1);

		wall_time(w, from->out_raw / 2 + to->out_raw / 2, &error);
		if (error > most)
			most = error;
	}
	w->sync = sync;
	return most;
}

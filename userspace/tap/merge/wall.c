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

static const struct tap_time *sample(const struct wall *w, size_t i)
{
	return tap_file_get_time(w->file, i);
}

/* The difference of the interval to the rate of the whole file: the clock was set, ns. */
static __u64 step_of(const struct wall *w, const struct tap_time *from, const struct tap_time *to)
{
	__u64 ns = tap_timebase_ns(tap_file_timebase(w->file), to->out_raw - from->out_raw);
	__s64 off = (__s64)(to->out_real - from->out_real - ns);
	__u64 step = off < 0 ? -(__u64)off : (__u64)off;

	return step > ns / 1000000 * STEP_PPM + SAMPLE_ERROR ? step : 0;
}

/*
 * Sets the line through sample @at and the next one. If the clock was set back to before the first of
 * them, no line leads there: the rate is that of the file.
 */
static void enter(struct wall *w, size_t at)
{
	const struct tap_time *from = sample(w, at), *to = sample(w, at + 1);

	w->at = at;
	w->base = *tap_file_timebase(w->file);
	w->base.raw = from->out_raw;
	w->base.mono = from->out_mono;
	w->base.real = from->out_real;
	w->length = 0;
	w->step = 0;
	if (from->out_raw >= to->out_raw)
		return;
	w->step = step_of(w, from, to);
	if (from->out_real >= to->out_real)
		return;
	w->length = to->out_real - from->out_real;
	w->base.mult = (__u64)(((unsigned __int128)w->length << SHIFT) / (to->out_raw - from->out_raw));
	w->base.shift = SHIFT;
}

void wall_open(struct wall *w, const struct tap_file_reader *file, __u64 skew)
{
	memset(w, 0, sizeof(*w));
	w->file = file;
	w->sync = skew == WALL_UNKNOWN ? tap_file_get_sync(file) : skew;
	w->base = *tap_file_timebase(file);
	while (tap_file_get_time(file, w->nr))
		w->nr++;
	if (w->nr > 1)
		enter(w, 0);
}

/* Enters the interval of @raw. It is near the last one, as events are sorted by time. */
static void find(struct wall *w, __u64 raw)
{
	size_t at = w->at;

	while (at && raw < sample(w, at)->out_raw)
		at--;
	while (at + 2 < w->nr && raw >= sample(w, at + 1)->out_raw)
		at++;
	if (at != w->at)
		enter(w, at);
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

__u64 wall_time(struct wall *w, __u64 raw, __u64 *error)
{
	__u64 ns;
	bool before;

	if (w->nr > 1)
		find(w, raw);
	before = raw < w->base.raw;
	ns = tap_timebase_ns(&w->base, before ? w->base.raw - raw : raw - w->base.raw);
	*error = before ? error_outside(ns) : error_in(ns, w->length);
	*error = tool_sum(w->sync, tool_sum(w->step, *error));
	return before ? w->base.real - ns : w->base.real + ns;
}

__u64 wall_between(struct wall *w)
{
	__u64 most = 0, error;
	size_t i;

	for (i = 0; i + 1 < w->nr; i++) {
		enter(w, i);
		error = tool_sum(w->step, error_in(w->length / 2, w->length));
		if (error > most)
			most = error;
	}
	return most;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From the raw clock of a file to the time of day, with how far that may be wrong.
 */
#ifndef _TOOL_MERGE_WALL_H
#define _TOOL_MERGE_WALL_H

#include "tool.h"

/* The error is not known. */
#define WALL_UNKNOWN	UINT64_MAX

/**
 * struct wall - the clock of a file
 * @file: the file
 * @nr: its samples
 * @sync: greatest difference of its CLOCK_REALTIME to the true time, ns; %WALL_UNKNOWN
 * @at: the sample with which the interval of the last wall_time() begins
 * @base: the conversion there
 * @length: of the interval, ns; 0: it has none
 * @step: by how much the clock was set in it, ns
 */
struct wall {
	const struct tap_file_reader *file;
	size_t nr;
	__u64 sync;
	size_t at;
	struct tap_timebase base;
	__u64 length;
	__u64 step;
};

/**
 * wall_open() - begin
 * @w: filled in
 * @file: an open file
 * @skew: greatest difference of its clock to the true time, ns; %WALL_UNKNOWN: as the file says
 */
void wall_open(struct wall *w, const struct tap_file_reader *file, __u64 skew);

/**
 * wall_time() - the time of day of an event
 * @w: of wall_open(); @base is the conversion
 * @raw: of the event
 * @error: set to how far the result may be wrong, ns; %WALL_UNKNOWN
 *
 * Between two samples the conversion is linear. The kernel changes the rate of its clock by at
 * most 500 ppm while NTP steers it, so that the error is greatest in the middle, and 250 us if one
 * second is between the samples. If the clock was set in between, by the difference.
 *
 * Return: nanoseconds since 1970.
 */
__u64 wall_time(struct wall *w, __u64 raw, __u64 *error);

/**
 * wall_between() - the greatest error between samples of the file
 * @w: after the last wall_time()
 *
 * Return: nanoseconds, without the error of the clock itself.
 */
__u64 wall_between(struct wall *w);

#endif /* _TOOL_MERGE_WALL_H */

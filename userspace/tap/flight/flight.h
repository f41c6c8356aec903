/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The windows of tap record --flight.
 */
#ifndef _TOOL_FLIGHT_FLIGHT_H
#define _TOOL_FLIGHT_FLIGHT_H

#include "run/run.h"

/**
 * struct flight - the windows of a run
 * @run: the run, whose rings are overwritten
 * @write: writes a window: what @reader has until it has nothing more. Returns 0 or -errno
 * @arg: handed to @write
 * @reader: of the two sets of rings; the first is that of @run, the second is NULL at first
 * @before: ticks of --before
 * @after: ticks of --after
 * @pending: there is a trigger, whose window ends at @due
 * @due: CLOCK_MONOTONIC ns
 * @hand: raw time at which SIGUSR1 asked for the pending window; 0: an event or tap dump did
 * @full: all windows of --max were written, and the last set was not given back
 * @events: in the windows that were written
 * @counts: of them
 */
struct flight {
	struct run *run;
	int (*write)(void *arg, struct tap_reader *reader, const struct tap_window_info *info);
	void *arg;
	struct tap_reader *reader[2];
	__u64 before;
	__u64 after;
	bool pending;
	__u64 due;
	__u64 hand;
	bool full;
	__u64 events;
	struct tap_flight_counts counts;
};

/**
 * flight_open() - prepare the session
 * @flight: @run, @write and @arg are set, the rest is 0; end it with flight_close()
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int flight_open(struct flight *flight, struct tap_error *err);

/**
 * flight_say() - print what memory the rings take, and when a window is written
 * @flight: its run was started: who waits for this line misses no event
 */
void flight_say(const struct flight *flight);

/**
 * flight_round() - wait for a trigger, or the end of its window, and write the window
 * @flight: its run was started
 *
 * Return: 0 or -errno, of @write as well.
 */
int flight_round(struct flight *flight);

/**
 * flight_end() - write the window that is pending or, without --when, the last state
 * @flight: the probes of its run are disabled
 *
 * Return: 0 or -errno, of @write as well.
 */
int flight_end(struct flight *flight);

/**
 * flight_print() - print how many windows there are, and what became of the other triggers
 * @counts: of a run or a file
 */
void flight_print(const struct tap_flight_counts *counts);

void flight_close(struct flight *flight);

#endif /* _TOOL_FLIGHT_FLIGHT_H */

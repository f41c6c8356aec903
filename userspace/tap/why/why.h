/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why calls were slow: the report of tap why and of tap report --why. Events go in one by one; the
 * slowest are copied, and the others only added up, so the memory is bounded.
 */
#ifndef _TOOL_WHY_WHY_H
#define _TOOL_WHY_WHY_H

#include "tool.h"

/**
 * struct why - what is known of the calls so far
 */
struct why;

/**
 * why_knows() - whether events say how their durations divide
 * @probes: their probe table
 *
 * Return: true if those of one probe do.
 */
bool why_knows(const struct tap_probes *probes);

/**
 * why_open() - start a report
 * @why: set on success; end it with why_close()
 * @probes: the probe table, with all probes; must stay as long as @why
 * @rows: how many of the slowest calls, and of the stacks of waits, are printed; 0: 10
 * @err: an error message on failure
 *
 * Return: 0 or -ENOMEM.
 */
int why_open(struct why **why, const struct tap_probes *probes, unsigned int rows,
	     struct tap_error *err);

/**
 * why_close() - free a report
 * @why: may be NULL
 */
void why_close(struct why *why);

/**
 * why_event() - add an event
 * @why: a struct why
 * @ev: an event that tap_decode() accepted; one that is no call is ignored
 *
 * Return: 0; -ENOMEM; or -EOVERFLOW if the sum of all durations overflows.
 */
int why_event(void *why, struct tap_event *ev);

/**
 * struct why_out - where the report goes
 * @to: the output
 * @format: how: @json, @color, @times, and the names and the clock of the events
 * @file: the file that the names are of; NULL: a run
 * @lost: events that were lost
 */
struct why_out {
	FILE *to;
	struct tap_formatter_opts format;
	struct tap_file_reader *file;
	__u64 lost;
};

/**
 * why_print() - print the report
 * @why: all events are in; none may be added after this
 * @out: where to
 *
 * Return: 0 or -errno.
 */
int why_print(struct why *why, const struct why_out *out);

/**
 * why_draw() - write the waits by stack as a flame graph, weighted by their time
 * @why: why_print() was called
 * @out: the same
 * @path: the file; folded stacks if its name ends in ".folded", else an SVG
 *
 * Return: false after printing an error message.
 */
bool why_draw(const struct why *why, const struct why_out *out, const char *path);

#endif /* _TOOL_WHY_WHY_H */

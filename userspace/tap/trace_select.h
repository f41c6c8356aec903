/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which events of a trace file a command uses: -e, --if, --from and --to.
 */
#ifndef _TOOL_TRACE_SELECT_H
#define _TOOL_TRACE_SELECT_H

#include "tool.h"

/**
 * struct trace_select - the events that are used
 * @path: name of the file, for error messages
 * @events: the -e arguments; all events without any
 * @nr_events: number of @events
 * @condition: --if, or NULL
 * @from_ns: --from, nanoseconds since boot
 * @to_ns: --to, likewise; 0: no end
 * @timebase: of the file; this and what follows is set by trace_select_open()
 * @from: -e and --if of each probe, by its id
 * @from.wanted: -e names it
 * @from.condition: --if for it, or NULL
 * @nr: ids in @from
 * @read: events that were looked at
 * @used: those that are used
 * @no_result: those for which --if has no result, so that they are not used
 */
struct trace_select {
	const char *path;
	const char *const *events;
	size_t nr_events;
	const char *condition;
	__u64 from_ns;
	__u64 to_ns;
	const struct tap_timebase *timebase;
	struct {
		bool wanted;
		struct tap_query *condition;
	} *from;
	size_t nr;
	__u64 read;
	__u64 used;
	__u64 no_result;
};

/**
 * trace_select_open() - prepare the selection
 * @select: what is to be selected is set; end it with trace_select_close()
 * @file: the file
 * @err: the error message on failure
 *
 * Return: 0; -EINVAL if -e names no event of the file, or --if is not valid for one; -ENOMEM.
 */
int trace_select_open(struct trace_select *select, const struct tap_file_reader *file,
		      struct tap_error *err);

/**
 * trace_select_time() - whether a time is between --from and --to
 * @select: the selection
 * @time: raw time of an event
 *
 * Return: true if it is.
 */
bool trace_select_time(const struct trace_select *select, __u64 time);

/**
 * trace_select_uses() - whether an event is used
 * @select: the selection
 * @ev: an event that tap_decode() accepted
 *
 * Losses and notices are of no probe: their time alone decides.
 *
 * Return: true if it is.
 */
bool trace_select_uses(struct trace_select *select, const struct tap_event *ev);

/**
 * trace_select_print() - print how many events were used, if anything selects
 * @select: the selection, after all events
 */
void trace_select_print(const struct trace_select *select);

/**
 * trace_select_close() - end it
 * @select: may be all zero
 */
void trace_select_close(struct trace_select *select);

#endif /* _TOOL_TRACE_SELECT_H */

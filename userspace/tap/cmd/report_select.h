/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which events of a file tap report uses: -e, --if, --from and --to.
 */
#ifndef _TOOL_CMD_REPORT_SELECT_H
#define _TOOL_CMD_REPORT_SELECT_H

#include "run/options.h"

/**
 * struct report_select - the events that are used
 * @opts: the command line
 * @timebase: of the file
 * @from: -e and --if of each probe, by its id
 * @from.wanted: -e names it
 * @from.condition: --if for it, or NULL
 * @nr: ids in @from
 * @events: events that were looked at
 * @used: those that are used
 * @no_result: those for which --if has no result, so that they are not used
 */
struct report_select {
	const struct options *opts;
	const struct tap_timebase *timebase;
	struct {
		bool wanted;
		struct tap_query *condition;
	} *from;
	size_t nr;
	__u64 events;
	__u64 used;
	__u64 no_result;
};

/**
 * report_select_open() - prepare the selection
 * @select: filled in; end it with report_select_close()
 * @opts: the command line
 * @file: the file
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int report_select_open(struct report_select *select, const struct options *opts,
		       const struct tap_file_reader *file, struct tap_error *err);

/**
 * report_select_uses() - whether an event is used
 * @select: the selection
 * @ev: an event that tap_decode() accepted
 *
 * Losses and notices are of no probe: their time alone decides.
 *
 * Return: true if it is.
 */
bool report_select_uses(struct report_select *select, const struct tap_event *ev);

/**
 * report_select_print() - print how many events were used, if anything selects
 * @select: the selection, after all events
 */
void report_select_print(const struct report_select *select);

/**
 * report_select_close() - end it
 * @select: may be all zero
 */
void report_select_close(struct report_select *select);

#endif /* _TOOL_CMD_REPORT_SELECT_H */

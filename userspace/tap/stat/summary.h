/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The summary of a run: what became of every hit, event by event.
 *
 * tap stat has three sets of numbers about the probes of one run:
 *
 *	summary		the module's counters of each event, with the check that hits
 *			equal what was written, filtered, aggregated and lost. Every
 *			command prints it at the end; tap stat without keys prints its
 *			intervals from it.
 *	agg_tables	the aggregation of each event (--by, --sum, --hist ...), as it
 *			was read last and the time before: one aggregation for each
 *			entry of the probe table.
 *	agg_rows	one aggregation of agg_tables, sorted and formatted for printing.
 *
 * So agg_tables calls agg_rows, once for each event; summary and agg_tables do not
 * know each other.
 */
#ifndef _TOOL_STAT_SUMMARY_H
#define _TOOL_STAT_SUMMARY_H

#include "tool.h"

/**
 * struct totals - one event, all CPUs
 * @spec: the first of its places
 * @counters: added up over all CPUs and all places of the event
 * @missed: calls and hits that the kernel skipped, which no counter includes
 * @state: enum tap_probe_state
 * @flags: enum tap_stats_flag, of all places of the event
 * @call: @counters.entered is valid: the number of hits that the entered calls
 *	will have made once all of them have returned
 * @pairs: each call is two hits, at its entry and at its return
 * @balanced: on each CPU hits equal what was written, filtered, aggregated and lost
 */
struct totals {
	const struct tap_spec *spec;
	struct tap_counters counters;
	__u64 missed;
	__u32 state;
	__u32 flags;
	bool call;
	bool pairs;
	bool balanced;
};

/**
 * struct summary - all events
 * @list: in the order of the probe table; places of one event share an entry
 * @of: for each probe of that table, its entry of @list
 * @nr: number of @list
 */
struct summary {
	struct totals *list;
	struct totals **of;
	size_t nr;
};

/**
 * summary_of_session() - read the counters of all probes
 * @summary: filled in; end it with summary_free()
 * @session: while its probes are enabled, counters of one event may be read at
 *	slightly different times and not balance
 * @probes: the table
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int summary_of_session(struct summary *summary, struct tap_session *session,
		       const struct tap_probes *probes, struct tap_error *err);

/**
 * summary_of_file() - the same from a trace file
 * @summary: filled in; end it with summary_free()
 * @file: an open file
 *
 * Return: 0; -ENOENT if the file is truncated and has no counters; or -ENOMEM.
 */
int summary_of_file(struct summary *summary, const struct tap_file_reader *file);

/**
 * summary_check() - summary_print(), with an error message if the counters mismatch
 * @summary: the counters
 * @counts: what was read of the stream, NULL if it was not read
 * @pending: lost events that no gap record reports
 * @err: the error message on failure
 *
 * Return: 0 or -EBADMSG.
 */
int summary_check(const struct summary *summary, const struct tap_reader_counts *counts,
		  __u64 pending, struct tap_error *err);

struct run;

/**
 * summary_of_run() - read, print and check the summary of a run that read its rings
 * @run: drained; with --quiet this does nothing
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int summary_of_run(const struct run *run, struct tap_error *err);

/**
 * summary_free() - free what it holds
 * @summary: may be all zero
 */
void summary_free(struct summary *summary);

/**
 * summary_lost() - events that a probe lost, for any reason
 * @c: its counters
 *
 * Return: the number.
 */
__u64 summary_lost(const struct tap_counters *c);

/**
 * summary_write() - put the counters of a session into a trace file
 * @session: its probes are disabled
 * @probes: the table
 * @writer: a file
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int summary_write(struct tap_session *session, const struct tap_probes *probes,
		  struct tap_file_writer *writer, struct tap_error *err);

#endif /* _TOOL_STAT_SUMMARY_H */

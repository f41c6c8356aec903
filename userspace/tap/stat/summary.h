/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The conservation law at the end of a run: what became of every hit.
 */
#ifndef _TOOL_STAT_SUMMARY_H
#define _TOOL_STAT_SUMMARY_H

#include "tool.h"

/**
 * struct sum - one event, all CPUs
 * @event: its name; not owned
 * @total: the counters added up
 * @missed: by the kernel, before the probe could see them
 * @state: enum tap_probe_state
 * @call: @total.entered means something: how many hits there will be of what was
 *	entered
 * @pairs: each call is two hits
 * @balanced: the law holds on each CPU
 */
struct sum {
	const char *event;
	struct tap_counters total;
	__u64 missed;
	__u32 state;
	bool call;
	bool pairs;
	bool balanced;
};

/**
 * struct summary - all events
 * @list: by the order of the probe table; places of one event are one
 * @of: for each probe of that table, the sum that it is in
 * @nr: number of @list
 */
struct summary {
	struct sum *list;
	struct sum **of;
	size_t nr;
};

/**
 * summary_of_session() - read the counters of all probes
 * @sums: filled in; end it with summary_free()
 * @session: its probes should be disabled, else the law holds only nearly
 * @probes: the table
 * @err: the sentence on failure
 *
 * Return: 0 or -errno.
 */
int summary_of_session(struct summary *sums, struct tap_session *session,
		       const struct tap_probes *probes, struct tap_error *err);

/**
 * summary_of_file() - the same from a trace file
 * @sums: filled in; end it with summary_free()
 * @file: an open file
 *
 * Return: 0; -ENOENT if the file has no counters: it was cut; or -ENOMEM.
 */
int summary_of_file(struct summary *sums, const struct tap_file_reader *file);

/**
 * summary_check() - summary_print(), with a sentence if it does not add up
 * @sums: the counters
 * @counts: what was read of the stream, NULL if it was not read
 * @pending: losses that no gap record tells of
 * @err: the sentence
 *
 * Return: 0 or -EBADMSG.
 */
int summary_check(const struct summary *sums, const struct tap_reader_counts *counts,
		  __u64 pending, struct tap_error *err);

struct run;

/**
 * summary_of_run() - read, print and check the sums of a run that read its rings
 * @run: drained; nothing is done if it is to be quiet
 * @err: the sentence on failure
 *
 * Return: 0 or -errno.
 */
int summary_of_run(const struct run *run, struct tap_error *err);

/**
 * summary_free() - free what it holds
 * @sums: may be all zero
 */
void summary_free(struct summary *sums);

/**
 * sum_lost() - losses of a probe, whatever the cause
 * @c: its counters
 *
 * Return: the number.
 */
__u64 sum_lost(const struct tap_counters *c);

/**
 * summary_write() - put the counters of a session into a trace file
 * @session: its probes are disabled
 * @probes: the table
 * @writer: a file
 * @err: the sentence on failure
 *
 * Return: 0 or -errno.
 */
int summary_write(struct tap_session *session, const struct tap_probes *probes,
		  struct tap_file_writer *writer, struct tap_error *err);

#endif /* _TOOL_STAT_SUMMARY_H */

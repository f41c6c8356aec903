/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The conservation law at the end of a run: what became of every hit.
 */
#ifndef _TOOL_SUMS_H
#define _TOOL_SUMS_H

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
 * struct sums - all events
 * @list: by the order of the probe table; places of one event are one
 * @of: for each probe of that table, the sum that it is in
 * @nr: number of @list
 */
struct sums {
	struct sum *list;
	struct sum **of;
	size_t nr;
};

/**
 * sums_of_session() - read the counters of all probes
 * @sums: filled in; end it with sums_free()
 * @session: its probes should be disabled, else the law holds only nearly
 * @probes: the table
 * @err: the sentence on failure
 *
 * Return: 0 or -errno.
 */
int sums_of_session(struct sums *sums, struct tap_session *session,
		    const struct tap_probes *probes, struct tap_error *err);

/**
 * sums_of_file() - the same from a trace file
 * @sums: filled in; end it with sums_free()
 * @file: an open file
 *
 * Return: 0; -ENOENT if the file has no counters: it was cut; or -ENOMEM.
 */
int sums_of_file(struct sums *sums, const struct tap_file_reader *file);

/**
 * sums_print() - print the table to stderr, and whether it adds up
 * @sums: the counters
 * @counts: what was read of the stream, NULL if it was not read
 * @pending: losses that no gap record tells of
 *
 * Return: true if all adds up.
 */
bool sums_print(const struct sums *sums,
		const struct tap_reader_counts *counts, __u64 pending);

/**
 * sums_check() - sums_print(), with a sentence if it does not add up
 * @sums: the counters
 * @counts: what was read of the stream, NULL if it was not read
 * @pending: losses that no gap record tells of
 * @err: the sentence
 *
 * Return: 0 or -EBADMSG.
 */
int sums_check(const struct sums *sums, const struct tap_reader_counts *counts,
	       __u64 pending, struct tap_error *err);

struct run;

/**
 * sums_of_run() - read, print and check the sums of a run that read its rings
 * @run: drained; nothing is done if it is to be quiet
 * @err: the sentence on failure
 *
 * Return: 0 or -errno.
 */
int sums_of_run(const struct run *run, struct tap_error *err);

/**
 * sums_free() - free what it holds
 * @sums: may be all zero
 */
void sums_free(struct sums *sums);

/**
 * sum_lost() - losses of a probe, whatever the cause
 * @c: its counters
 *
 * Return: the number.
 */
__u64 sum_lost(const struct tap_counters *c);

/**
 * sums_write() - put the counters of a session into a trace file
 * @session: its probes are disabled
 * @probes: the table
 * @writer: a file
 * @err: the sentence on failure
 *
 * Return: 0 or -errno.
 */
int sums_write(struct tap_session *session, const struct tap_probes *probes,
	       struct tap_file_writer *writer, struct tap_error *err);

#endif /* _TOOL_SUMS_H */

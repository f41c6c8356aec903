/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What all sessions of the machine do, as the module tells it.
 */
#ifndef _TOOL_MONITOR_MONITOR_H
#define _TOOL_MONITOR_MONITOR_H

#include <stdio.h>

#include "session/netlink.h"
#include "tool.h"

/**
 * struct monitor_row - a session or a probe
 * @session: its id, or that of its session
 * @probe: its id in the session; 0: it is a session
 * @type: of a probe: enum tap_probe_type
 * @state: likewise enum tap_probe_state
 * @maxactive: likewise
 * @pid: of a session: who opened it
 * @uid: likewise
 * @probes: likewise how many it has
 * @busy: likewise: what follows is not known now
 * @age: likewise, nanoseconds
 * @ring_bytes: likewise
 * @total: counters over all CPUs
 * @missed: by the kernel
 * @rated: @rate is known
 * @rate: hits in a second
 * @name: fit for a terminal: the command that opened it, or the event
 */
struct monitor_row {
	__u64 session;
	__u32 probe;
	__u32 type;
	__u32 state;
	__u32 maxactive;
	__u32 pid;
	__u32 uid;
	__u32 probes;
	bool busy;
	__u64 age;
	__u64 ring_bytes;
	struct tap_counters total;
	__u64 missed;
	bool rated;
	double rate;
	char name[TAP_MAX_TARGET + 32];
};

/**
 * struct monitor_table - all of them at a moment
 * @rows: each session, with its probes behind it, by their ids
 * @nr: number of @rows
 * @room: allocated
 * @mono: when, CLOCK_MONOTONIC ns
 * @real: when, CLOCK_REALTIME ns
 */
struct monitor_table {
	struct monitor_row *rows;
	size_t nr;
	size_t room;
	__u64 mono;
	__u64 real;
};

/**
 * monitor_read() - ask the module for all
 * @table: filled in; end it with monitor_free()
 * @last: the table before, from which rates are made; may be empty
 * @nl: a socket
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int monitor_read(struct monitor_table *table, const struct monitor_table *last,
		 struct tap_netlink *nl, struct tap_error *err);

/**
 * monitor_free() - free it
 * @table: may be all zero
 */
void monitor_free(struct monitor_table *table);

/**
 * monitor_row_take() - read what a message says of a session or a probe
 * @row: gets it
 * @msg: a message
 */
void monitor_row_take(struct monitor_row *row,
		      const struct tap_netlink_message *msg);

/**
 * monitor_print() - print a table
 * @to: where to
 * @table: of monitor_read()
 * @json: a line for each row
 */
void monitor_print(FILE *to, const struct monitor_table *table, bool json);

/**
 * monitor_notice() - print a notice
 * @to: where to
 * @msg: it
 * @json: as JSON
 */
void monitor_notice(FILE *to, const struct tap_netlink_message *msg, bool json);

/**
 * monitor_lost() - print that notices are missing
 * @to: where to
 * @json: as JSON
 */
void monitor_lost(FILE *to, bool json);

#endif /* _TOOL_MONITOR_MONITOR_H */

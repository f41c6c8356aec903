/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All sessions of the machine, as the module reports them by netlink.
 */
#ifndef _TOOL_MONITOR_MONITOR_H
#define _TOOL_MONITOR_MONITOR_H

#include <stdio.h>

#include "tool.h"

/**
 * struct monitor_row - a session or a probe
 * @session: id of the session
 * @probe: id of the probe in the session; 0 if this is a session
 * @type: of a probe: enum tap_probe_type
 * @state: of a probe: enum tap_probe_state
 * @maxactive: of a probe
 * @pid: of a session: the process that opened it
 * @uid: of a session: the user that opened it
 * @probes: of a session: number of its probes
 * @busy: of a session: an operation holds it, so that the counters are unknown
 * @age: of a session, nanoseconds
 * @ring_bytes: of a session: memory of all its rings
 * @total: counters over all CPUs
 * @missed: hits and calls that the kernel skipped
 * @rated: @rate is valid
 * @rate: hits per second
 * @name: the command that opened the session, or the event; without control
 *	characters
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
 * struct monitor_table - all sessions and probes at one time
 * @rows: each session, followed by its probes, in the order of their ids
 * @nr: number of @rows
 * @room: allocated rows
 * @mono: the time, CLOCK_MONOTONIC ns
 * @real: the time, CLOCK_REALTIME ns
 */
struct monitor_table {
	struct monitor_row *rows;
	size_t nr;
	size_t room;
	__u64 mono;
	__u64 real;
};

/**
 * monitor_read() - dump all sessions and probes
 * @table: filled in; end it with monitor_free()
 * @last: the previous table, for the rates; may be empty
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
 * monitor_has_bare_name() - whether the name of a probe is that of its type alone
 * @type: its type
 * @target: its target
 *
 * The event mark has the target "mark"; another type may have a function of its own name.
 *
 * Return: true if it is.
 */
bool monitor_has_bare_name(enum tap_probe_type type, const char *target);

/**
 * monitor_row_take() - parse a message about a session or a probe
 * @row: filled in
 * @msg: a message
 */
void monitor_row_take(struct monitor_row *row,
		      const struct tap_netlink_message *msg);

/**
 * monitor_print() - print a table
 * @to: output
 * @table: from monitor_read()
 * @json: as JSON, a line for each row
 */
void monitor_print(FILE *to, const struct monitor_table *table, bool json);

/**
 * monitor_notice() - print a notice
 * @to: output
 * @msg: the notice
 * @json: as JSON
 */
void monitor_notice(FILE *to, const struct tap_netlink_message *msg, bool json);

/**
 * monitor_lost() - print that notices are missing
 * @to: output
 * @json: as JSON
 */
void monitor_lost(FILE *to, bool json);

#endif /* _TOOL_MONITOR_MONITOR_H */

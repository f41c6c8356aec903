/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why calls failed: from events of failing calls to a report. Events go in one by one; a call waits in
 * memory until the outermost call around it returns; blame_memory() bounds it.
 */
#ifndef _TOOL_BLAME_BLAME_H
#define _TOOL_BLAME_BLAME_H

#include "tool.h"

/* Exit statuses of tap blame and tap report --blame; 0: no call failed. */
#define BLAME_FAILED	1	/* a call failed */
#define BLAME_TROUBLE	2	/* it is not known */

/* Of the events: whether a call is inside another one of the run. */
#define BLAME_ENCLOSED	"enclosed"

/* Its name if NULL is an error. */
#define BLAME_NULL	"enclosed_or_null"

/* The greatest errno of the kernel. */
#define BLAME_MAX_ERRNO	4095

/**
 * struct blame - what is known of the failures so far
 */
struct blame;

/**
 * blame_knows() - whether the events of a probe say which calls are outermost
 * @probe: of any file
 *
 * Return: true if tap blame has made it.
 */
bool blame_knows(const struct tap_probe *probe);

/* The most bytes that the calls of a report take. Those that have no room are counted. */
size_t blame_memory(void);

/**
 * blame_open() - start a report
 * @blame: set on success; end it with blame_close()
 * @probes: the probe table, with all probes; must stay as long as @blame
 * @names: how values are printed: names and the clock of the events; copied, what it points to stays
 * @types: where the debug information of modules is; must stay as well; NULL: no lines are known
 * @err: an error message on failure
 *
 * Return: 0 or -errno.
 */
int blame_open(struct blame **blame, const struct tap_probes *probes,
	       const struct tap_formatter_opts *names, struct tap_types *types,
	       struct tap_error *err);

/**
 * blame_close() - free a report
 * @blame: may be NULL
 */
void blame_close(struct blame *blame);

/**
 * blame_event() - add an event
 * @blame: a struct blame
 * @ev: an event that tap_decode() accepted, by time of return; one that is no failing call is ignored
 *
 * Return: 0 or -ENOMEM.
 */
int blame_event(void *blame, struct tap_event *ev);

/**
 * blame_again() - name the places that decide between the lines of an error
 * @blame: all events are in
 * @add: gets the text of an event "line:", without values; returns 0 or -errno. It may get one twice
 * @arg: handed to @add
 *
 * With these events another run of the same calls knows the line.
 *
 * Return: 0 or -errno of @add.
 */
int blame_again(struct blame *blame, int (*add)(void *arg, const char *event), void *arg);

/**
 * blame_has_all() - whether another run had the same failures
 * @blame: the other run
 * @first: the first one
 *
 * Return: true if @blame has each failure of @first.
 */
bool blame_has_all(const struct blame *blame, const struct blame *first);

/**
 * struct blame_out - where the report goes
 * @to: the output
 * @json: an object a line
 * @quiet: do not say on stderr that no call failed
 * @lost: events that were lost
 */
struct blame_out {
	FILE *to;
	bool json;
	bool quiet;
	__u64 lost;
};

/**
 * blame_print() - print the report
 * @blame: all events are in
 * @out: where to
 *
 * Return: the exit status: 0, %BLAME_FAILED, or %BLAME_TROUBLE if no failure was seen, but events were
 * lost.
 */
int blame_print(struct blame *blame, const struct blame_out *out);

#endif /* _TOOL_BLAME_BLAME_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of a report. Private to blame/.
 */
#ifndef _TOOL_BLAME_REPORT_H
#define _TOOL_BLAME_REPORT_H

#include "blame/blame.h"
#include "blame/call.h"

struct tap_dwarf_body;
struct tap_dwarf_return;

/* Failures that differ and are kept; each has a tree of calls. */
#define BLAME_FAILURES	1000
/* Calls and hits in the trees of all of them. */
#define BLAME_KEPT_CALLS	32768

/**
 * struct blame_failure - failures whose calls and errors are the same
 * @call: the outermost call, of the first of them
 * @comm: its task
 * @tid: the same
 * @count: how many there are
 * @first: the call that returned the error first; set by blame_print()
 * @lines: of its lines those that hits of lines have left, a bit each; 0: not known
 */
struct blame_failure {
	struct blame_call *call;
	char comm[TAP_COMM_LEN + 1];
	__u32 tid;
	__u64 count;
	const struct blame_call *first;
	unsigned int lines;
};

/**
 * struct blame - see blame.h
 * @names: how values are printed
 * @types: where lines of modules come from; NULL: they are not known
 * @probes: the probe table
 * @of: what is computed of the events of a probe, by its id
 * @of.code: the return value; NULL: no call of tap blame
 * @of.line: it is the hit of a line
 * @of.null: NULL is an error
 * @of.nested: whether the call is inside another one
 * @of.returns: what makes the values that the function returns; allocated
 * @of.nr_returns: number of @of.returns
 * @of.bodies: the sources of the function; allocated
 * @of.nr_bodies: number of @of.bodies
 * @of.read: @of.returns and @of.bodies were asked for
 * @nr_of: number of @of
 * @calls: those that wait for the outermost call
 * @failures: those that differ, in the order in which they were seen
 * @nr: number of @failures
 * @kept: calls and hits in @failures
 * @others: failures that had no room in @failures
 * @stale: the last error message about a file of another build; said once
 */
struct blame {
	struct tap_formatter_opts names;
	struct tap_types *types;
	const struct tap_probes *probes;
	struct {
		struct tap_query *code;
		struct tap_query *nested;
		struct tap_dwarf_return *returns;
		size_t nr_returns;
		struct tap_dwarf_body *bodies;
		size_t nr_bodies;
		bool read;
		bool null;
		bool line;
	} *of;
	size_t nr_of;
	struct blame_calls calls;
	struct blame_failure failures[BLAME_FAILURES];
	size_t nr;
	size_t kept;
	__u64 others;
	struct tap_error stale;
};

/* Room for the name of an errno, and for a duration. */
#define BLAME_TEXT	32

/* Writes the name of an errno, e.g. -EIO; of 0 it is NULL. */
const char *blame_code_text(__s64 code, char buf[BLAME_TEXT]);

/* Writes raw ticks as a time with its unit. */
const char *blame_time_text(const struct blame *blame, __u64 ticks, char buf[BLAME_TEXT]);

/* The function of a call, without its module. */
const char *blame_function(const struct blame_call *call);

/* Lines that are kept, and of these printed; the others are counted. */
#define BLAME_LINES	32
#define BLAME_SHOWN	2

/**
 * struct blame_line - a line on which an error may be born
 * @text: FILE:LINE
 * @file: of the source, with its directory
 * @line: of @file
 * @first_line: of the function
 * @callee: the function whose result is passed on there; "" if there is none, or it is not known
 * @called: the result of a call is passed on
 * @own: it has an instruction that makes the value; else it shares one with another line
 * @decides: it has the condition, too, or its text is not known; else the code before it has
 */
struct blame_line {
	char text[256];
	const char *file;
	int line;
	int first_line;
	char callee[TAP_MAX_TARGET];
	bool called;
	bool own;
	bool decides;
};

/**
 * struct blame_origin - the lines on which an error may be born
 * @caller: if it comes from outside of a module, the call that the lines are of; else NULL
 * @of: the call that they are of
 * @module: its module
 * @lines: the first of them
 * @nr: their number, with those that are not in @lines
 */
struct blame_origin {
	const struct blame_call *caller;
	const struct blame_call *of;
	char module[TAP_MAX_TARGET];
	struct blame_line lines[BLAME_LINES];
	size_t nr;
};

/**
 * blame_first() - find the call that an error comes from
 * @blame: its report
 * @call: the outermost call; @passed is set of those that passed the error on
 *
 * Return: the innermost call that returned the same error, and whose callers passed it on; may be @call.
 */
const struct blame_call *blame_first(struct blame *blame, struct blame_call *call);

/**
 * blame_origin() - find the lines of an error
 * @blame: its report
 * @f: the failure; its @first is known
 * @origin: filled in; without lines if they are not known
 */
void blame_origin(struct blame *blame, const struct blame_failure *f, struct blame_origin *origin);

/* again.c: gives @add the places that decide between the lines of a failure. 0 or -errno. */
int blame_places(struct blame *blame, const struct blame_failure *f,
		 int (*add)(void *arg, const char *event), void *arg);

/* Sets @lines of a failure, by the hits of these places. */
void blame_decide(struct blame *blame, struct blame_failure *f);

/* text.c, json.c: prints all failures. */
void blame_print_text(struct blame *blame, const struct blame_out *out);
void blame_print_json(struct blame *blame, const struct blame_out *out);

#endif /* _TOOL_BLAME_REPORT_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Failing calls, and how they are inside each other. Private to blame/.
 */
#ifndef _TOOL_BLAME_CALL_H
#define _TOOL_BLAME_CALL_H

#include "tool.h"

/**
 * struct blame_call - a call that failed
 * @next: the next one inside the same call
 * @inner: the first of those inside it; NULL: none
 * @probe: its function
 * @entry: raw time
 * @end: raw time
 * @code: what it returned: an errno, negative; 0: NULL
 * @args: its arguments, as text; allocated
 * @passed: the calls around it passed its error on, up to the outermost one
 * @hit: no call, but a hit of a line; @entry is @end, and there is nothing inside it
 */
struct blame_call {
	struct blame_call *next;
	struct blame_call *inner;
	const struct tap_probe *probe;
	__u64 entry;
	__u64 end;
	__s64 code;
	char *args;
	bool passed;
	bool hit;
};

/**
 * struct blame_task - calls of a task, or of the interrupts of a CPU, that may be inside another one
 * @next: the next task in its slot of the table
 * @context: the task or CPU
 * @last: the call that returned last; @next leads to earlier ones
 * @nr: calls and hits, with those inside them
 */
struct blame_task {
	struct blame_task *next;
	__u64 context;
	struct blame_call *last;
	size_t nr;
};

#define BLAME_SLOTS	1024
/* Calls that wait at once, of a task. */
#define BLAME_TASK_CALLS	4096
/* And of all tasks. */
#define BLAME_ALL_CALLS		32768
/* Bytes of the arguments of a call as text. */
#define BLAME_ARGS		1024

/**
 * struct blame_calls - the calls of all tasks
 * @slots: a hash table
 * @nr: calls in it
 * @unused: calls that were dropped: the outermost call around them did not fail, or they had no room
 */
struct blame_calls {
	struct blame_task *slots[BLAME_SLOTS];
	size_t nr;
	__u64 unused;
};

/**
 * blame_calls_add() - add a call that has returned
 * @calls: all calls
 * @ev: its event
 * @call: the call, allocated; its @inner and @next are set
 * @nested: it is inside another call
 *
 * Without room the call is dropped with those inside it, and counted.
 *
 * Return: @call if it is not nested: it belongs to the caller. NULL if it waits, or was dropped.
 */
struct blame_call *blame_calls_add(struct blame_calls *calls, const struct tap_event *ev,
				   struct blame_call *call, bool nested);

/* The calls that belong to no failure. */
size_t blame_calls_unused(const struct blame_calls *calls);

/* Frees what waits. */
void blame_calls_free(struct blame_calls *calls);

/* How many there are with those inside it, and those behind it; @hits: and hits of lines. */
size_t blame_call_count(const struct blame_call *call, bool hits);

/* Frees a call with those inside it, and those behind it. */
void blame_call_free(struct blame_call *call);

/* Whether two trees, perhaps of two runs, have the same functions and errors; @hits: and hits of lines. */
bool blame_call_same(const struct blame_call *a, const struct blame_call *b, bool hits);

#endif /* _TOOL_BLAME_CALL_H */

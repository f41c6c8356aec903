/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tap expect: from a trace file and assertions to verdicts.
 */
#ifndef _TOOL_EXPECT_EXPECT_H
#define _TOOL_EXPECT_EXPECT_H

#include "expect/judge.h"

/* Exit status; 0: all assertions hold. */
#define EXPECT_FAILS	1	/* one of them fails */
#define EXPECT_UNKNOWN	2	/* none fails; of one it is not known */
#define EXPECT_TROUBLE	3	/* there are no verdicts: stderr says why */

/**
 * struct expect_result - an assertion and what became of it
 * @a: the assertion
 * @judge: its events
 * @judgement: the verdict
 * @early: it failed during the run
 * @events: lines of text of the events that show it; allocated; NULL if there are none
 * @len: bytes of @events
 * @to: writes @events
 */
struct expect_result {
	struct assertion a;
	struct judge judge;
	struct judgement judgement;
	bool early;
	char *events;
	size_t len;
	FILE *to;
};

/**
 * struct expect - assertions on a file
 * @path: the file
 * @name: of the file in the output
 * @texts: the assertions
 * @nr: number of @texts
 * @list: of each assertion
 * @live: during a run: of each assertion
 * @watched: events of the run so far
 * @stopped: the run was ended since an assertion failed
 */
struct expect {
	const char *path;
	const char *name;
	const char *const *texts;
	size_t nr;
	struct expect_result *list;
	struct judge *live;
	__u64 watched;
	bool stopped;
};

/**
 * expect_parse() - read the assertions
 * @x: with @texts and @nr; end it with expect_free(), even on failure
 * @err: the error message on failure
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int expect_parse(struct expect *x, struct tap_error *err);

/**
 * expect_watch_open() - the events of a run are known: struct record_watch
 * @x: struct expect, after expect_parse(); end it with expect_watch_close(), even on failure
 * @probes: of the run
 * @timebase: likewise
 * @err: the error message on failure: there is no such event, or the event has no such value
 *
 * Return: 0 or -errno.
 */
int expect_watch_open(void *x, const struct tap_probes *probes,
		      const struct tap_timebase *timebase, struct tap_error *err);

/**
 * expect_watch_event() - look at the next event of the run: struct record_watch
 * @x: struct expect
 * @ev: the event
 *
 * Return: 0; 1 if it has a value that cannot be used: expect_judge() returns the error; -ENOMEM.
 */
int expect_watch_event(void *x, const struct tap_event *ev);

/**
 * expect_watch_seen() - whether an assertion fails already: struct record_watch
 * @x: struct expect
 * @raw: raw time up to which all events were looked at
 *
 * Return: 0, or 1: one of them does.
 */
int expect_watch_seen(void *x, __u64 raw);

void expect_watch_close(void *x);

/**
 * expect_judge() - read the file
 * @x: after expect_parse(), with @path
 * @err: the error message on failure
 *
 * The file is read a second time if there are events to be shown.
 *
 * Return: 0 or -errno.
 */
int expect_judge(struct expect *x, struct tap_error *err);

/**
 * expect_status() - the exit status
 * @x: after expect_judge()
 *
 * Return: 0, %EXPECT_FAILS or %EXPECT_UNKNOWN.
 */
int expect_status(const struct expect *x);

void expect_free(struct expect *x);

/* Writes the verdicts as KTAP. */
void expect_ktap(const struct expect *x, FILE *to);

/**
 * expect_junit() - write the verdicts as XML, as Jenkins and GitLab read it
 * @x: after expect_judge()
 * @to: output
 */
void expect_junit(const struct expect *x, FILE *to);

#endif /* _TOOL_EXPECT_EXPECT_H */

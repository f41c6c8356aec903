/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether an assertion is true of the events of a file.
 */
#ifndef _TOOL_EXPECT_JUDGE_H
#define _TOOL_EXPECT_JUDGE_H

#include "expect/assertion.h"
#include "expect/losses.h"
#include "expect/pending.h"

#define VERDICTS	4
/* The most events that show why an assertion fails. */
#define JUDGE_SHOWN	5

enum verdict {
	VERDICT_HOLDS,
	VERDICT_FAILS,
	VERDICT_UNKNOWN,
	VERDICT_STOPPED,	/* not judged: another one failed before */
};

/**
 * struct judge - an assertion and the events so far
 * @a: the assertion
 * @timebase: of the file
 * @of: by id of a probe
 * @of.is: the first and the second event of the assertion
 * @of.condition: of each of @is; NULL without one
 * @of.value: for its records; NULL without one
 * @of.limit: likewise
 * @of.only_adds: its values are unsigned; false as long as it had none
 * @nr: ids in @of
 * @events: of @is[0], those for which the condition is true
 * @unclear: events for which the condition or the value has no result
 * @seen: the second events of every and before
 * @values: of max() and the like: events with a value
 * @least: the least value
 * @most: the largest value
 * @sum: of all values
 * @limit: the number that they are compared with, or the time of within
 * @has_limit: @limit is set
 * @pending: first events of every; the keys of before
 * @unfinished: first events of every that waited less than @limit when the recording ended
 * @violations: events that show that the assertion fails
 * @shown: which events of the file these are; the first ones
 * @nr_shown: number of @shown
 * @since: every: the last time at which a key with a violation had nothing to wait for; before: time
 * of the first violation
 */
struct judge {
	const struct assertion *a;
	const struct tap_timebase *timebase;
	struct {
		bool is[2];
		struct tap_query *condition[2];
		struct tap_query *value;
		struct tap_query *limit;
		bool only_adds;
	} *of;
	size_t nr;
	__u64 events;
	__u64 unclear[2];
	__u64 seen;
	__u64 values;
	__int128 least;
	__int128 most;
	__int128 sum;
	__int128 limit;
	bool has_limit;
	struct pending pending;
	__u64 unfinished;
	__u64 violations;
	__u64 shown[JUDGE_SHOWN];
	unsigned int nr_shown;
	__u64 since;
};

/**
 * judge_open() - begin
 * @j: filled in; end it with judge_close()
 * @a: the assertion; must stay until then
 * @probes: of the events; likewise
 * @timebase: of the events; likewise
 * @err: the error message on failure: there is no such event, or the event has no such value
 *
 * Return: 0 or -errno.
 */
int judge_open(struct judge *j, const struct assertion *a, const struct tap_probes *probes,
	       const struct tap_timebase *timebase, struct tap_error *err);

/**
 * judge_event() - look at the next event
 * @j: of judge_open()
 * @ev: an event of a probe, which tap_decode() accepted
 * @number: which event of the file it is
 * @err: the error message on failure
 *
 * Return: 0; -EINVAL if the value is not one that can be used; -ENOMEM.
 */
int judge_event(struct judge *j, const struct tap_event *ev, __u64 number, struct tap_error *err);

/**
 * judge_failed() - whether the events so far show that the assertion fails
 * @j: of judge_open()
 * @now: raw time up to which all events were looked at
 *
 * It looks at each key that waits: call it once for many events.
 *
 * Return: true if later events cannot change that. Lost ones may: judge_end() considers them.
 */
bool judge_failed(const struct judge *j, __u64 now);

/**
 * struct judgement - the verdict with its reason
 * @verdict: the verdict
 * @why: the numbers that it is made of
 */
struct judgement {
	enum verdict verdict;
	char why[320];
};

/**
 * judge_end() - the verdict, after all events
 * @j: of judge_open(); @shown is complete afterwards
 * @losses: what the file lacks
 * @end: raw time at which the recording ended
 * @to: set
 */
void judge_end(struct judge *j, const struct losses *losses, __u64 end, struct judgement *to);

void judge_close(struct judge *j);

#endif /* _TOOL_EXPECT_JUDGE_H */

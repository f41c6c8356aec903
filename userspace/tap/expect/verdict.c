// SPDX-License-Identifier: GPL-2.0
/*
 * The verdict. Events that are missing may be any events of their probe. An assertion holds only if
 * it holds for all that they may have been, and fails only if it fails for all of that.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "expect/verdict.h"

/* So many values can be multiplied with a number. */
#define MANY	(1ULL << 62)

/**
 * struct range - what a value may be
 * @least: the least it may be, divided by @of_least; not known if that is 0
 * @of_least: number of values that it is an average of, else 1
 * @most: likewise
 * @of_most: likewise
 */
struct range {
	__int128 least;
	__u64 of_least;
	__int128 most;
	__u64 of_most;
};

static void say(struct judgement *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void say(struct judgement *to, const char *fmt, ...)
{
	size_t len = strlen(to->why);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(to->why + len, sizeof(to->why) - len, fmt, ap);
	va_end(ap);
}

/* As the limit is written: with a unit of time, or without. */
static void say_number(struct judgement *to, const char *limit, double number)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	size_t i = 0;

	if (limit[strlen(limit) - 1] != 's') {
		say(to, "%.*f", number == floor(number) ? 0 : 3, number);
		return;
	}
	for (; i < 3 && fabs(number) >= 1000; i++)
		number /= 1000;
	say(to, "%.*f%s", i ? 3 : 0, number, units[i]);
}

static int compare(__int128 number, __u64 of, __int128 limit)
{
	limit *= of;
	return number < limit ? -1 : number > limit;
}

static enum verdict decide(enum assertion_op op, const struct range *r, __int128 limit)
{
	int least = r->of_least ? compare(r->least, r->of_least, limit) : -1;
	int most = r->of_most ? compare(r->most, r->of_most, limit) : 1;
	bool holds = false, fails = false;

	switch (op) {
	case ASSERTION_LESS:
		holds = most < 0;
		fails = least >= 0;
		break;
	case ASSERTION_AT_MOST:
		holds = most <= 0;
		fails = least > 0;
		break;
	case ASSERTION_MORE:
		holds = least > 0;
		fails = most <= 0;
		break;
	case ASSERTION_AT_LEAST:
		holds = least >= 0;
		fails = most < 0;
		break;
	case ASSERTION_EQUAL:
		holds = !least && !most;
		fails = least > 0 || most < 0;
		break;
	case ASSERTION_NOT_EQUAL:
		holds = least > 0 || most < 0;
		fails = !least && !most;
		break;
	}
	return holds ? VERDICT_HOLDS : fails ? VERDICT_FAILS : VERDICT_UNKNOWN;
}

static void count_verdict(const struct judge *j, const struct losses_sum *lost, struct judgement *to)
{
	const struct range r = {
		.least = j->events, .of_least = 1,
		.most = (__int128)j->events + lost->events,
		.of_most = lost->events != LOSSES_UNKNOWN,
	};

	say(to, "%llu events", (unsigned long long)j->events);
	to->verdict = decide(j->a->op, &r, j->a->count);
}

/* Whether no event can make a sum less. Each probe of a glob has a type of its own. */
static bool only_adds(const struct judge *j)
{
	size_t i;

	for (i = 0; i < j->nr; i++)
		if (j->of[i].is[0] && !j->of[i].only_adds)
			return false;
	return true;
}

/* What the value may be if @lost further events have any. */
static struct range range_of(const struct judge *j, __u64 lost)
{
	bool known = j->values && (!lost || only_adds(j));

	switch (j->a->kind) {
	case ASSERTION_MAX:
		return (struct range) { j->most, j->values != 0, j->most, j->values && !lost };
	case ASSERTION_MIN:
		return (struct range) { j->least, j->values && !lost, j->least, j->values != 0 };
	case ASSERTION_SUM:
		return (struct range) { j->sum, known, j->sum, j->values && !lost };
	default:
		if (j->values > MANY || lost > MANY)
			return (struct range) { 0 };
		return (struct range) {
			.least = j->sum, .of_least = known ? j->values + lost : 0,
			.most = j->sum, .of_most = lost ? 0 : j->values,
		};
	}
}

static void value_verdict(const struct judge *j, const struct losses_sum *lost, struct judgement *to)
{
	static const char *const names[] = {
		[ASSERTION_MAX] = "max", [ASSERTION_MIN] = "min", [ASSERTION_SUM] = "sum",
		[ASSERTION_AVG] = "avg",
	};
	const struct range r = range_of(j, lost->events);
	double number;

	if (!j->values) {
		say(to, "no event has the value");
		to->verdict = lost->events ? VERDICT_UNKNOWN : VERDICT_FAILS;
		return;
	}
	number = j->a->kind == ASSERTION_MAX ? (double)j->most :
		 j->a->kind == ASSERTION_MIN ? (double)j->least : (double)j->sum;
	if (j->a->kind == ASSERTION_AVG)
		number /= (double)j->values;
	say(to, "%s is ", names[j->a->kind]);
	say_number(to, j->a->limit, number);
	say(to, " in %llu events", (unsigned long long)j->values);
	to->verdict = decide(j->a->op, &r, j->limit);
}

/*
 * @lost: of the first and the second events. A missing second event may end a wait, and a missing
 * first event may have no second one. If no event of a key waited at some time after the last loss,
 * the later events are enough for a failure: earlier losses could only add events that wait.
 */
static void every_verdict(const struct judge *j, const struct losses_sum lost[2],
			  struct judgement *to)
{
	const struct assertion *a = j->a;

	if (j->violations)
		say(to, "%llu of %llu events have no %s", (unsigned long long)j->violations,
		    (unsigned long long)j->events, a->ref[1]);
	else
		say(to, "%llu events have their %s", (unsigned long long)(j->events - j->unfinished),
		    a->ref[1]);
	if (a->limit)
		say(to, " within %s", a->limit);
	if (j->unfinished)
		say(to, "; %llu of %llu waited for less than that when the recording ended",
		    (unsigned long long)j->unfinished, (unsigned long long)j->events);
	if (!j->violations)
		to->verdict = lost[0].events || j->unfinished ? VERDICT_UNKNOWN : VERDICT_HOLDS;
	else
		to->verdict = lost[1].events && j->since <= lost[1].end ? VERDICT_UNKNOWN :
									  VERDICT_FAILS;
}

/* @lost: of the first and the second events. A later loss is not before a violation. */
static void before_verdict(const struct judge *j, const struct losses_sum lost[2],
			   struct judgement *to)
{
	if (j->violations)
		say(to, "%llu of %llu events have no %s before them",
		    (unsigned long long)j->violations, (unsigned long long)j->seen, j->a->ref[0]);
	else
		say(to, "%llu events have %s before them", (unsigned long long)j->seen,
		    j->a->ref[0]);
	if (!j->violations)
		to->verdict = lost[1].events ? VERDICT_UNKNOWN : VERDICT_HOLDS;
	else
		to->verdict = lost[0].events && j->since >= lost[0].begin ? VERDICT_UNKNOWN :
									    VERDICT_FAILS;
}

static void say_lost(struct judgement *to, const char *ref, const struct losses_sum *lost,
		     __u64 unclear, const char *why)
{
	if (lost->events == LOSSES_UNKNOWN)
		say(to, "; it is not known how many events of %s are missing: %s", ref,
		    why ? why : "they are too many");
	else if (lost->events > unclear)
		say(to, "; %llu events of %s were lost", (unsigned long long)(lost->events - unclear),
		    ref);
	if (unclear)
		say(to, "; %llu events of %s lack a value that is needed",
		    (unsigned long long)unclear, ref);
}

void verdict_make(const struct judge *j, const struct losses *losses, struct judgement *to)
{
	struct losses_sum lost[2] = { { 0 } };
	__u32 id;
	int i;

	memset(to, 0, sizeof(*to));
	for (id = 0; id < j->nr; id++)
		for (i = 0; i < 2; i++)
			if (j->of[id].is[i])
				losses_add(losses, id, &lost[i]);
	for (i = 0; i < 2; i++)
		losses_add_untimed(&lost[i], j->unclear[i]);
	if (j->a->kind == ASSERTION_EVERY)
		every_verdict(j, lost, to);
	else if (j->a->kind == ASSERTION_BEFORE)
		before_verdict(j, lost, to);
	else if (j->a->value)
		value_verdict(j, &lost[0], to);
	else
		count_verdict(j, &lost[0], to);
	for (i = 0; i < 2; i++)
		if (j->a->ref[i])
			say_lost(to, j->a->ref[i], &lost[i], j->unclear[i], losses->why);
}

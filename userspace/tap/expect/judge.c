// SPDX-License-Identifier: GPL-2.0
/*
 * Goes through the events for an assertion. verdict.c has the end.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "expect/judge.h"
#include "expect/verdict.h"
#include "trace_file.h"

static int open_probe(struct judge *j, const struct tap_probe *probe, struct tap_error *err)
{
	const struct assertion *a = j->a;
	__u32 id = tap_probe_id(probe);
	int ret = 0, i;

	for (i = 0; i < 2; i++)
		j->of[id].is[i] = a->ref[i] && trace_file_is(a->ref[i], tap_probe_spec(probe));
	if (!j->of[id].is[0] && !j->of[id].is[1])
		return 0;
	for (i = 0; i < 2 && !ret; i++)
		if (j->of[id].is[i] && a->condition[i])
			ret = tap_query_open(&j->of[id].condition[i], probe, j->timebase,
					     a->condition[i], err);
	if (!ret && a->value)
		ret = tap_query_open(&j->of[id].value, probe, j->timebase, a->value, err);
	if (!ret && a->limit)
		ret = tap_query_open(&j->of[id].limit, probe, j->timebase, a->limit, err);
	return ret;
}

int judge_open(struct judge *j, const struct assertion *a, const struct tap_probes *probes,
	       const struct tap_timebase *timebase, struct tap_error *err)
{
	const struct tap_probe *probe;
	bool any[2] = { false };
	size_t i;
	int ret;

	memset(j, 0, sizeof(*j));
	j->a = a;
	j->timebase = timebase;
	j->nr = trace_file_ids(probes);
	j->of = calloc(j->nr + 1, sizeof(*j->of));
	if (!j->of)
		return tap_error_set(err, -ENOMEM, "out of memory");
	for (i = 0; (probe = tap_probes_get(probes, i)); i++) {
		ret = open_probe(j, probe, err);
		if (ret)
			return ret;
		any[0] |= j->of[tap_probe_id(probe)].is[0];
		any[1] |= j->of[tap_probe_id(probe)].is[1];
	}
	for (i = 0; i < 2; i++)
		if (a->ref[i] && !any[i])
			return tap_error_set(err, -EINVAL,
					     "'%s': no event is '%s', so nothing can be said of it; the names are those of -e, and 'tap report --info FILE' lists them",
					     a->text, a->ref[i]);
	return 0;
}

/* The first ones are kept: a violation may be found long after its event. */
static void violates(struct judge *j, __u64 number)
{
	unsigned int i = j->nr_shown;

	j->violations++;
	if (i == JUDGE_SHOWN && number > j->shown[--i])
		return;
	for (; i && j->shown[i - 1] > number; i--)
		j->shown[i] = j->shown[i - 1];
	j->shown[i] = number;
	if (j->nr_shown < JUDGE_SHOWN)
		j->nr_shown++;
}

static __int128 whole(const struct tap_query_result *r)
{
	return r->is_unsigned ? (__int128)r->number : (__int128)(__s64)r->number;
}

/* Whether no other event can make up for this one. */
static bool is_too_much(const struct judge *j, __int128 value)
{
	enum assertion_op op = j->a->op;

	if (j->a->kind == ASSERTION_MAX && (op == ASSERTION_AT_MOST || op == ASSERTION_EQUAL))
		return value > j->limit;
	if (j->a->kind == ASSERTION_MAX && op == ASSERTION_LESS)
		return value >= j->limit;
	if (j->a->kind == ASSERTION_MIN && (op == ASSERTION_AT_LEAST || op == ASSERTION_EQUAL))
		return value < j->limit;
	return j->a->kind == ASSERTION_MIN && op == ASSERTION_MORE && value <= j->limit;
}

/* The limit is the same for all events. Its number has no value of an event. */
static void set_limit(struct judge *j, const struct tap_event *ev)
{
	struct tap_query *limit = j->of[tap_probe_id(ev->probe)].limit;
	struct tap_query_result r;

	if (j->has_limit || !limit || tap_query_result(limit, ev, &r))
		return;
	j->limit = whole(&r);
	j->has_limit = true;
}

static int add_value(struct judge *j, const struct tap_event *ev, __u64 number,
		     struct tap_error *err)
{
	__u32 id = tap_probe_id(ev->probe);
	struct tap_query_result value;
	__int128 v;
	int ret = tap_query_result(j->of[id].value, ev, &value);

	if (ret == -ENODATA) {
		j->unclear[0]++;
		return 0;
	}
	if (ret || value.text || !j->has_limit)
		return tap_error_set(err, -EINVAL, "'%s': %s of %s is not a number", j->a->text,
				     j->a->value, tap_probe_event(ev->probe));
	v = whole(&value);
	j->of[id].only_adds = value.is_unsigned;
	if (!j->values || v < j->least)
		j->least = v;
	if (!j->values || v > j->most)
		j->most = v;
	j->sum += v;
	j->values++;
	if (is_too_much(j, v))
		violates(j, number);
	return 0;
}

static void count(struct judge *j, __u64 number)
{
	enum assertion_op op = j->a->op;

	j->events++;
	if (op == ASSERTION_LESS ? j->events >= j->a->count :
	    (op == ASSERTION_AT_MOST || op == ASSERTION_EQUAL) && j->events > j->a->count)
		violates(j, number);
}

/* Whether more than the time of within has passed. The clock may have jumped back. */
static bool is_over(const struct judge *j, __u64 begin, __u64 end)
{
	return begin < end && tap_timebase_ns(j->timebase, end - begin) > j->limit;
}

/* The second event of every: the oldest first one waited for it. */
static void end_pair(struct judge *j, const struct tap_event *ev, const char *key, size_t len)
{
	struct pending_event first;

	j->seen++;
	if (!pending_take(&j->pending, key, len, &first) || !j->has_limit ||
	    !is_over(j, first.time, ev->time))
		return;
	if (first.since > j->since)
		j->since = first.since;
	violates(j, first.number);
}

static int pair_event(struct judge *j, const struct tap_event *ev, const bool is[2],
		      const char *key, size_t len, __u64 number)
{
	const struct pending_event now = { .time = ev->time, .number = number };

	if (is[1] && j->a->kind == ASSERTION_EVERY)
		end_pair(j, ev, key, len);
	if (is[1] && j->a->kind == ASSERTION_BEFORE) {
		j->seen++;
		if (!pending_has(&j->pending, key, len)) {
			if (!j->violations)
				j->since = ev->time;
			violates(j, number);
		}
	}
	if (!is[0])
		return 0;
	j->events++;
	/* Of before, one event of each key is enough. */
	if (j->a->kind == ASSERTION_BEFORE && pending_has(&j->pending, key, len))
		return 0;
	return pending_add(&j->pending, key, len, &now);
}

/* @is: which of the two events it is, or may be both. */
static int add_pair(struct judge *j, const struct tap_event *ev, const bool is[2], __u64 number,
		    struct tap_error *err)
{
	__u32 id = tap_probe_id(ev->probe);
	struct tap_query_result r = { 0 };
	int ret = 0;

	if (j->of[id].value)
		ret = tap_query_result(j->of[id].value, ev, &r);
	if (ret == -ENODATA) {
		j->unclear[0] += is[0];
		j->unclear[1] += is[1];
		return 0;
	}
	if (ret)
		return tap_error_set(err, -EINVAL, "'%s': %s of %s is neither a number nor a text",
				     j->a->text, j->a->value, tap_probe_event(ev->probe));
	if (r.text)
		ret = pair_event(j, ev, is, r.text, strlen(r.text) + 1, number);
	else
		ret = pair_event(j, ev, is, (const char *)&r.number, sizeof(r.number), number);
	return ret ? tap_error_set(err, ret, "out of memory") : 0;
}

int judge_event(struct judge *j, const struct tap_event *ev, __u64 number, struct tap_error *err)
{
	__u32 id = tap_probe_id(ev->probe);
	bool is[2];
	int holds, i;

	for (i = 0; i < 2; i++) {
		is[i] = j->of[id].is[i];
		if (!is[i] || !j->of[id].condition[i])
			continue;
		holds = tap_query_holds(j->of[id].condition[i], ev);
		j->unclear[i] += holds < 0;
		is[i] = holds > 0;
	}
	if (!is[0] && !is[1])
		return 0;
	set_limit(j, ev);
	if (assertion_is_pair(j->a))
		return add_pair(j, ev, is, number, err);
	if (j->a->value)
		return add_value(j, ev, number, err);
	count(j, number);
	return 0;
}

bool judge_failed(const struct judge *j, __u64 now)
{
	return j->violations || (j->a->kind == ASSERTION_EVERY && j->has_limit &&
				 is_over(j, pending_oldest(&j->pending), now));
}

static void end_pending(struct judge *j, __u64 end)
{
	struct pending_event ev;

	while (pending_take_any(&j->pending, &ev)) {
		if (j->a->kind == ASSERTION_BEFORE)
			continue;
		if (j->has_limit && !is_over(j, ev.time, end)) {
			j->unfinished++;
			continue;
		}
		if (ev.since > j->since)
			j->since = ev.since;
		violates(j, ev.number);
	}
}

void judge_end(struct judge *j, const struct losses *losses, __u64 end, struct judgement *to)
{
	end_pending(j, end);
	verdict_make(j, losses, to);
}

void judge_close(struct judge *j)
{
	size_t i;

	end_pending(j, 0);
	for (i = 0; j->of && i < j->nr; i++) {
		tap_query_close(j->of[i].condition[0]);
		tap_query_close(j->of[i].condition[1]);
		tap_query_close(j->of[i].value);
		tap_query_close(j->of[i].limit);
	}
	free(j->of);
	memset(j, 0, sizeof(*j));
}

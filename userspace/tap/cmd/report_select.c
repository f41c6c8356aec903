// SPDX-License-Identifier: GPL-2.0
/*
 * The selection of tap report. A condition is made for each probe: the same name may be another
 * value in the records of another one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/report_select.h"
#include "trace_file.h"

/* -e; the other arguments in @events are those of --keep. */
static bool is_named(const struct options *opts, const struct tap_spec *spec)
{
	bool any = false;
	size_t i;

	for (i = 0; i < opts->nr_events; i++) {
		if (opts->verdict[i])
			continue;
		if (trace_file_is(opts->events[i], spec))
			return true;
		any = true;
	}
	return !any;
}

static int open_probe(struct report_select *s, const struct tap_probe *probe, struct tap_error *err)
{
	__u32 id = tap_probe_id(probe);

	s->from[id].wanted = is_named(s->opts, tap_probe_spec(probe));
	if (!s->from[id].wanted || !s->opts->condition)
		return 0;
	return tap_query_open(&s->from[id].condition, probe, s->timebase, s->opts->condition, err);
}

int report_select_open(struct report_select *s, const struct options *opts,
		       const struct tap_file_reader *file, struct tap_error *err)
{
	const struct tap_probes *probes = tap_file_probes(file);
	const struct tap_probe *probe;
	bool any = false;
	size_t i;
	int ret;

	memset(s, 0, sizeof(*s));
	s->opts = opts;
	s->timebase = tap_file_timebase(file);
	s->nr = trace_file_ids(probes);
	s->from = calloc(s->nr + 1, sizeof(*s->from));
	if (!s->from)
		return tap_error_set(err, -ENOMEM, "out of memory");
	for (i = 0; (probe = tap_probes_get(probes, i)); i++) {
		ret = open_probe(s, probe, err);
		if (ret)
			return ret;
		any |= s->from[tap_probe_id(probe)].wanted;
	}
	if (!any && opts->nr_events)
		return tap_error_set(err, -EINVAL,
				     "%s: no event of this file matches -e; 'tap report --info %s' lists its events",
				     opts->file, opts->file);
	return 0;
}

static bool is_in_time(const struct report_select *s, const struct tap_event *ev)
{
	__u64 time;

	if (!s->opts->from_ns && !s->opts->to_ns)
		return true;
	time = tap_timebase_mono(s->timebase, ev->time);
	return time >= s->opts->from_ns && (!s->opts->to_ns || time < s->opts->to_ns);
}

bool report_select_uses(struct report_select *s, const struct tap_event *ev)
{
	struct tap_query *condition;
	int holds = 1;

	if (!ev->probe)
		return is_in_time(s, ev);
	s->events++;
	if (!s->from[tap_probe_id(ev->probe)].wanted || !is_in_time(s, ev))
		return false;
	condition = s->from[tap_probe_id(ev->probe)].condition;
	if (condition)
		holds = tap_query_holds(condition, ev);
	s->no_result += holds < 0;
	s->used += holds > 0;
	return holds > 0;
}

void report_select_print(const struct report_select *s)
{
	if (s->used == s->events)
		return;
	fprintf(stderr, "report: %llu of %llu events used", (unsigned long long)s->used,
		(unsigned long long)s->events);
	if (s->no_result)
		fprintf(stderr, "; for %llu the condition has no result, as a value is absent",
			(unsigned long long)s->no_result);
	fputc('\n', stderr);
}

void report_select_close(struct report_select *s)
{
	size_t i;

	for (i = 0; s->from && i < s->nr; i++)
		tap_query_close(s->from[i].condition);
	free(s->from);
	memset(s, 0, sizeof(*s));
}

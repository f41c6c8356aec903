// SPDX-License-Identifier: GPL-2.0
/*
 * The selection of events. A condition is made for each probe: the same name may be another value in
 * the records of another one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace_file.h"
#include "trace_select.h"

static int open_probe(struct trace_select *s, const struct tap_probe *probe, struct tap_error *err)
{
	__u32 id = tap_probe_id(probe);

	s->from[id].wanted = trace_file_wants(s->events, s->nr_events, tap_probe_spec(probe));
	if (!s->from[id].wanted || !s->condition)
		return 0;
	return tap_query_open(&s->from[id].condition, probe, s->timebase, s->condition, err);
}

int trace_select_open(struct trace_select *s, const struct tap_file_reader *file,
		      struct tap_error *err)
{
	const struct tap_probes *probes = tap_file_probes(file);
	const struct tap_probe *probe;
	int ret = trace_file_check(file, s->path, s->events, s->nr_events, err);
	size_t i;

	if (ret)
		return ret;
	s->timebase = tap_file_timebase(file);
	s->nr = trace_file_ids(probes);
	s->from = calloc(s->nr + 1, sizeof(*s->from));
	if (!s->from)
		return tap_error_set(err, -ENOMEM, "out of memory");
	for (i = 0; !ret && (probe = tap_probes_get(probes, i)); i++)
		ret = open_probe(s, probe, err);
	return ret;
}

bool trace_select_time(const struct trace_select *s, __u64 time)
{
	if (!s->from_ns && !s->to_ns)
		return true;
	time = tap_timebase_mono(s->timebase, time);
	return time >= s->from_ns && (!s->to_ns || time < s->to_ns);
}

bool trace_select_uses(struct trace_select *s, const struct tap_event *ev)
{
	struct tap_query *condition;
	int holds = 1;

	if (!ev->probe)
		return trace_select_time(s, ev->time);
	s->read++;
	if (!s->from[tap_probe_id(ev->probe)].wanted || !trace_select_time(s, ev->time))
		return false;
	condition = s->from[tap_probe_id(ev->probe)].condition;
	if (condition)
		holds = tap_query_holds(condition, ev);
	s->no_result += holds < 0;
	s->used += holds > 0;
	return holds > 0;
}

void trace_select_print(const struct trace_select *s)
{
	if (s->used == s->read)
		return;
	fprintf(stderr, "report: %llu of %llu events used", (unsigned long long)s->used,
		(unsigned long long)s->read);
	if (s->no_result)
		fprintf(stderr, "; for %llu the condition has no result, as a value is absent",
			(unsigned long long)s->no_result);
	fputc('\n', stderr);
}

void trace_select_close(struct trace_select *s)
{
	size_t i;

	for (i = 0; s->from && i < s->nr; i++)
		tap_query_close(s->from[i].condition);
	free(s->from);
	memset(s, 0, sizeof(*s));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Tracks of numbers: the counters of --pmu, and the values of file: events. And switches of tasks
 * as ftrace has them, from which readers make what each CPU runs.
 */
#include <stdlib.h>

#include "export/perfetto.h"

static bool is_file(const struct tap_spec *spec)
{
	return !strncmp(tap_spec_text(spec), "file:", strlen("file:"));
}

static __u64 counter_track(struct perfetto *pf, const struct row_values *v)
{
	const struct tap_event *ev = v->row->ev;
	const struct tap_spec *spec = tap_probe_spec(ev->probe);
	__u64 uuid = perfetto_uuid(OF_COUNTER, (__u64)tap_probe_id(ev->probe) << 32 |
						       (__u64)v->next << 16 |
						       (is_file(spec) ? 0 : ev->cpu & 0xffff));
	size_t packet, track;
	char *name = NULL;

	if (!perfetto_track_begin(pf, uuid, &packet, &track))
		return uuid;
	if (is_file(spec))
		name = strdup(tap_spec_event(spec));
	else if (asprintf(&name, "%s %s CPU %u", tap_spec_event(spec), v->field->name, ev->cpu) < 0)
		name = NULL;
	if (name)
		proto_bytes(&pf->packets, TRACK_NAME, name, strlen(name));
	free(name);
	proto_end(&pf->packets, proto_begin(&pf->packets, TRACK_COUNTER));
	perfetto_track_end(pf, packet, track);
	return uuid;
}

static void put_counter(struct perfetto *pf, const struct row_values *v, __u64 ns)
{
	__u64 track = counter_track(pf, v);
	size_t packet = perfetto_packet(pf, ns), event = proto_begin(&pf->packets, PACKET_EVENT);

	proto_number(&pf->packets, EVENT_TYPE, COUNTER);
	proto_number(&pf->packets, EVENT_TRACK, track);
	proto_number(&pf->packets, EVENT_COUNTER, (__u64)strtoll(v->value.at, NULL, 10));
	proto_end(&pf->packets, event);
	perfetto_packet_end(pf, packet);
}

/* Text of a file is a value, but no counter. */
static bool is_number(const struct json *value)
{
	return *value->at == '-' || (*value->at >= '0' && *value->at <= '9');
}

void perfetto_counters(struct perfetto *pf, const struct row *row, __u64 ns)
{
	const struct tap_spec *spec = tap_probe_spec(row->ev->probe);
	bool file = is_file(spec);
	struct row_values v;

	row_values(&v, row);
	while (row_values_next(&v))
		if ((file || tap_spec_is_counter(spec, v.field)) && is_number(&v.value))
			put_counter(pf, &v, ns);
}

/* FtraceEventBundle, FtraceEvent. */
enum { BUNDLE_CPU = 1, BUNDLE_EVENT = 2, FTRACE_TIME = 1, FTRACE_PID = 2, FTRACE_SWITCH = 4 };

/* The numbers of SchedSwitchFtraceEvent, and the values of the event that they have. */
static const struct {
	const char *name;
	unsigned int field;
	bool text;
} switch_fields[] = {
	{ "prev_comm", 1, true },
	{ "prev_pid", 2, false },
	{ "prev_prio", 3, false },
	{ "prev_state", 4, false },
	{ "next_comm", 5, true },
	{ "next_pid", 6, false },
	{ "next_prio", 7, false },
};

static bool is_switch(const struct tap_probe *probe)
{
	const char *text = tap_spec_text(tap_probe_spec(probe));
	size_t len = strlen(text), tail = strlen(":sched_switch");

	return tap_probe_type(probe) == TAP_PROBE_TRACEPOINT && len > tail &&
	       !strcmp(text + len - tail, ":sched_switch") &&
	       tap_probe_find_field(probe, "prev_pid") && tap_probe_find_field(probe, "next_pid");
}

/* A number by its word: the event may print it in any way. */
static void put_switch_fields(struct perfetto *pf, const struct row *row)
{
	struct row_values v;
	size_t i;

	row_values(&v, row);
	while (row_values_next(&v)) {
		for (i = 0; i < sizeof(switch_fields) / sizeof(switch_fields[0]); i++)
			if (!strcmp(v.field->name, switch_fields[i].name))
				break;
		if (i == sizeof(switch_fields) / sizeof(switch_fields[0]))
			continue;
		if (!switch_fields[i].text) {
			proto_number(&pf->packets, switch_fields[i].field,
				     tap_event_word(row->ev, v.field->word));
		} else if (json_is_string(&v.value)) {
			v.value = json_inside(&v.value);
			proto_json(&pf->packets, switch_fields[i].field, &v.value);
		}
	}
}

void perfetto_switch(struct perfetto *pf, const struct row *row, __u64 ns)
{
	size_t packet, bundle, event, at;

	if (!is_switch(row->ev->probe))
		return;
	packet = proto_begin(&pf->packets, TRACE_PACKET);
	proto_number(&pf->packets, PACKET_SEQUENCE, SEQUENCE_SWITCHES);
	bundle = proto_begin(&pf->packets, PACKET_FTRACE);
	proto_number(&pf->packets, BUNDLE_CPU, row->ev->cpu);
	event = proto_begin(&pf->packets, BUNDLE_EVENT);
	proto_number(&pf->packets, FTRACE_TIME, ns);
	proto_number(&pf->packets, FTRACE_PID, row->ev->rec->tid);
	at = proto_begin(&pf->packets, FTRACE_SWITCH);
	put_switch_fields(pf, row);
	proto_end(&pf->packets, at);
	proto_end(&pf->packets, event);
	proto_end(&pf->packets, bundle);
	proto_end(&pf->packets, packet);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of a report. Private to why/.
 */
#ifndef _TOOL_WHY_REPORT_H
#define _TOOL_WHY_REPORT_H

#include "why/causes.h"
#include "why/slowest.h"
#include "why/waits.h"
#include "why/why.h"

/**
 * struct why_event - the calls of one event
 * @spec: the event; the first of its places
 * @calls: number of calls
 * @duration: sum of their durations, ticks
 * @longest: the longest duration, ticks
 */
struct why_event {
	const struct tap_spec *spec;
	__u64 calls;
	__u64 duration;
	__u64 longest;
};

/**
 * struct why - see why.h
 * @rows: rows of a table
 * @causes: over all calls
 * @events: in the order of the probe table; places of one event share an entry
 * @nr_events: number of @events
 * @of: by the id of a probe, its entry of @events; not valid once they are sorted
 * @nr_ids: number of @of
 * @probes: the table
 * @slowest: copies of the slowest calls
 * @waits: longest waits by stack
 * @endless: calls that did not return
 */
struct why {
	unsigned int rows;
	struct causes causes;
	struct why_event *events;
	size_t nr_events;
	struct why_event **of;
	size_t nr_ids;
	const struct tap_probes *probes;
	struct slowest slowest;
	struct waits waits;
	__u64 endless;
};

/* report_json.c: as why_print(), after everything was sorted. */
int report_print_json(const struct why *why, const struct why_out *out);

/* report_text.c: the same as text. */
int report_print_text(const struct why *why, const struct why_out *out);

/* report.c: prints the slowest calls as tap trace --why does. Returns 0 or -errno. */
int report_print_slowest(const struct why *why, const struct why_out *out);

/* Lets names be those of a time. */
static inline void report_names_at(const struct why_out *out, __u64 time)
{
	if (out->file)
		tap_file_names_at(out->file, time);
}

#endif /* _TOOL_WHY_REPORT_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * What a trace file lacks. The counters of its probes have the number of lost events of each. Gap
 * records have the times of losses, but no probes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "expect/losses.h"
#include "sigbus.h"
#include "trace_file.h"

int losses_open(struct losses *l, const struct tap_file_reader *file)
{
	memset(l, 0, sizeof(*l));
	l->nr = trace_file_ids(tap_file_probes(file));
	l->of = calloc(l->nr + 1, sizeof(*l->of));
	l->begin = UINT64_MAX;
	return l->of ? 0 : -ENOMEM;
}

void losses_event(struct losses *l, const struct tap_event *ev, int bad)
{
	__u64 begin;

	if (bad) {
		l->why = "it has records that match no probe";
		return;
	}
	if (ev->probe) {
		l->of[tap_probe_id(ev->probe)].read++;
		return;
	}
	if (ev->rec->kind == TAP_KIND_NOTICE &&
	    ev->rec->value[TAP_NOTICE_WHAT] == TAP_NOTICE_OVER_BUDGET &&
	    ev->rec->value[TAP_NOTICE_COUNT])
		l->why = "its session was over its --budget: its probes were disarmed for some time";
	if (ev->rec->kind != TAP_KIND_GAP || !ev->rec->value[TAP_GAP_LOST])
		return;
	l->gaps += ev->rec->value[TAP_GAP_LOST];
	/* @time of the event has the ticks of a jump of the clock as well. */
	begin = ev->rec->value[TAP_GAP_BEGIN] + (ev->time - ev->rec->time);
	if (begin < l->begin)
		l->begin = begin;
	if (ev->time > l->end)
		l->end = ev->time;
}

static void add(__u64 *sum, __u64 n)
{
	*sum = tool_sum(*sum, n);
}

/* Reads the counters of a probe; @keep: not all events that were written are in the file. */
static void read_counters(struct losses *l, const struct tap_file_reader *file, __u32 id, bool keep)
{
	struct tap_file_stats stats = { .size = sizeof(stats) };
	__u64 written = 0;
	__u32 cpu;

	if (tap_file_get_stats(file, id, &stats)) {
		l->why = "it has no counters of its probes, as it was cut";
		return;
	}
	for (cpu = 0; cpu < stats.nr_cpus; cpu++) {
		const struct tap_counters *c = &stats.counters[cpu];

		written += c->written;
		add(&l->of[id].ring, c->lost_full);
		add(&l->of[id].ring, c->lost_nested);
		add(&l->of[id].other, c->lost_fault);
		add(&l->of[id].other, c->throttled);
	}
	add(&l->of[id].other, stats.nmissed);
	add(&l->of[id].other, stats.nmissed_return);
	if (!keep && written > l->of[id].read)
		add(&l->of[id].other, written - l->of[id].read);
	if (l->of[id].read > written)
		l->why = "it has more events than its counters say";
	if (stats.flags & TAP_STATS_F_BPF)
		l->why = "a BPF program may have dropped events uncounted";
	if (stats.state == TAP_STATE_FAILED)
		l->why = "a probe could not be armed when its module was loaded, or after a pause of the budget";
}

/* What a span lacks: there was no room in its table, or one of its sides was lost. */
static void read_spans(struct losses *l, const struct tap_file_reader *file, __u64 sides)
{
	const struct tap_span_read *span;
	size_t id;

	for (id = 0; id < l->nr; id++) {
		span = tap_file_get_span(file, (__u32)id);
		if (!span)
			continue;
		add(&l->of[id].other, span->out_full);
		add(&l->of[id].other, span->out_busy);
		add(&l->of[id].other, span->out_unmatched_busy);
		add(&l->of[id].other, sides);
	}
}

void losses_end(struct losses *l, const struct tap_file_reader *file)
{
	struct tap_reader_counts counts = { .size = sizeof(counts) };
	struct tap_keep_counts kept = { .size = sizeof(kept) };
	bool keep = !tap_file_get_keep(file, &kept);
	const struct tap_probes *probes = tap_file_probes(file);
	__u64 ring = 0, sides = 0;
	const struct tap_probe *probe;
	size_t i;

	for (i = 0; (probe = tap_probes_get(probes, i)); i++) {
		__u32 id = tap_probe_id(probe);

		read_counters(l, file, id, keep);
		add(&ring, l->of[id].ring);
		if (!tap_spec_side(tap_probe_spec(probe)))
			continue;
		add(&sides, l->of[id].ring);
		add(&sides, l->of[id].other);
	}
	read_spans(l, file, sides);
	l->timed = ring == l->gaps;
	tap_file_counts(file, &counts);
	if (ring < l->gaps)
		l->why = "it lost more events than its counters say";
	if (counts.skipped || counts.stalled)
		l->why = "parts of it are no valid records";
	if (kept.incomplete)
		l->why = "not all events of --keep had room in memory";
	if (tap_file_cut(file))
		l->why = tap_file_cut(file);
	if (sigbus_seen())
		l->why = "it was truncated while it was read";
}

void losses_add(const struct losses *l, __u32 id, struct losses_sum *sum)
{
	if (l->why) {
		losses_add_untimed(sum, LOSSES_UNKNOWN);
		return;
	}
	losses_add_untimed(sum, l->of[id].other);
	if (!l->timed) {
		losses_add_untimed(sum, l->of[id].ring);
		return;
	}
	if (!l->of[id].ring)
		return;
	if (!sum->events || l->begin < sum->begin)
		sum->begin = l->begin;
	if (l->end > sum->end)
		sum->end = l->end;
	add(&sum->events, l->of[id].ring);
}

void losses_add_untimed(struct losses_sum *sum, __u64 events)
{
	if (!events)
		return;
	add(&sum->events, events);
	sum->begin = 0;
	sum->end = UINT64_MAX;
}

void losses_close(struct losses *l)
{
	free(l->of);
	memset(l, 0, sizeof(*l));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Reading and checking the counters of probes. summary_print.c prints them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run/run.h"
#include "stat/keep.h"
#include "stat/summary.h"
#include "stat/summary_print.h"
#include "stat/tasks.h"

__u64 summary_lost(const struct tap_counters *c)
{
	return c->lost_full + c->lost_nested + c->lost_fault + c->throttled;
}

static void totals_add(struct totals *totals, const struct tap_counters *counters,
		    size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		struct tap_counters c = counters[i];

		c.entered <<= totals->pairs;
		tap_counters_add(&totals->counters, &c);
		/* CPU by CPU, so that errors on two CPUs cannot cancel out. */
		if (!tap_counters_balanced(&c))
			totals->balanced = false;
	}
}

/* Places of one event follow each other in the table and share one entry. */
static int summary_alloc(struct summary *summary, const struct tap_probes *probes)
{
	const struct tap_spec *spec, *last = NULL;
	size_t i, nr = tap_probes_nr(probes);
	struct totals *totals = NULL;
	enum tap_probe_type type;

	memset(summary, 0, sizeof(*summary));
	summary->list = calloc(nr + 1, sizeof(*summary->list));
	summary->of = calloc(nr + 1, sizeof(*summary->of));
	if (!summary->list || !summary->of)
		return -ENOMEM;
	for (i = 0; i < nr; i++, last = spec) {
		spec = tap_probe_spec(tap_probes_get(probes, i));
		type = tap_spec_type(spec);
		if (!totals || !tap_spec_same_event(spec, last)) {
			totals = &summary->list[summary->nr++];
			totals->spec = spec;
			totals->call = type == TAP_PROBE_CALL ||
				       type == TAP_PROBE_UCALL ||
				       type == TAP_PROBE_FUNCGRAPH ||
				       type == TAP_PROBE_KRETPROBE;
			totals->pairs = type == TAP_PROBE_FUNCGRAPH &&
					!tap_spec_aggregates(spec) &&
					!(tap_spec_flags(spec) &
					  TAP_CREATE_F_COUNT);
			totals->balanced = true;
		}
		summary->of[i] = totals;
	}
	return 0;
}

/**
 * struct probe_counts - what the module counted for one probe
 * @counters: of each CPU; allocated
 * @nr: number of @counters
 * @stats: what the kernel missed
 * @state: enum tap_probe_state
 */
struct probe_counts {
	struct tap_counters *counters;
	unsigned int nr;
	struct tap_stats stats;
	__u32 state;
};

static int counts_alloc(struct probe_counts *counts,
			const struct tap_session *session)
{
	memset(counts, 0, sizeof(*counts));
	counts->nr = tap_session_nr_rings(session);
	counts->counters = calloc(counts->nr, sizeof(*counts->counters));
	return counts->counters ? 0 : -ENOMEM;
}

static int counts_read(struct probe_counts *counts, struct tap_session *session,
		       const struct tap_probe *probe, struct tap_error *err)
{
	struct tap_probe_info info = { 0 };
	__u32 id = tap_probe_id(probe);
	int ret = tap_session_stats(session, id, &counts->stats,
				    counts->counters, counts->nr);

	if (ret)
		return tap_explain(err, TAP_IOC_STATS, ret,
				   tap_probe_spec(probe));
	/* Counters are worth printing even if the state cannot be read. */
	if (tap_session_probe_info(session, id, &info, NULL, 0))
		info.out_state = TAP_STATE_DISABLED;
	counts->state = info.out_state;
	return 0;
}

int summary_of_session(struct summary *summary, struct tap_session *session,
		       const struct tap_probes *probes, struct tap_error *err)
{
	struct probe_counts counts = { 0 };
	size_t i;
	int ret;

	ret = summary_alloc(summary, probes);
	if (!ret)
		ret = counts_alloc(&counts, session);
	if (ret)
		return tap_error_set(err, ret, "out of memory");
	for (i = 0; i < tap_probes_nr(probes) && !ret; i++) {
		struct totals *totals = summary->of[i];

		ret = counts_read(&counts, session, tap_probes_get(probes, i),
				  err);
		if (ret)
			break;
		totals_add(totals, counts.counters, counts.nr);
		totals->missed += counts.stats.out_nmissed +
				  counts.stats.out_nmissed_return;
		totals->state = counts.state;
		totals->flags |= counts.stats.out_flags;
	}
	free(counts.counters);
	return ret;
}

int summary_of_file(struct summary *summary, const struct tap_file_reader *file)
{
	const struct tap_probes *probes = tap_file_probes(file);
	size_t i;
	int ret;

	ret = summary_alloc(summary, probes);
	for (i = 0; i < tap_probes_nr(probes) && !ret; i++) {
		struct tap_file_stats stats = { .size = sizeof(stats) };
		struct totals *totals = summary->of[i];

		ret = tap_file_get_stats(file,
					 tap_probe_id(tap_probes_get(probes, i)),
					 &stats);
		if (ret)
			break;
		totals_add(totals, stats.counters, stats.nr_cpus);
		totals->missed += stats.nmissed + stats.nmissed_return;
		totals->state = stats.state;
		totals->flags |= stats.flags;
	}
	return ret;
}

/* Without a table of tasks there is nothing to write. */
static int tasks_write(struct tap_session *session, struct tap_file_writer *writer,
		       struct tap_error *err)
{
	struct tap_tasks_read tasks;
	int ret = tap_session_tasks_read(session, &tasks);

	if (ret == -ENODATA)
		return 0;
	if (ret)
		return tap_explain(err, TAP_IOC_TASKS_READ, ret, NULL);
	ret = tap_file_tasks(writer, &tasks);
	return ret ? tap_error_set(err, ret, "cannot write the trace file: %s", strerror(-ret)) : 0;
}

int summary_write(struct tap_session *session, const struct tap_probes *probes,
		  struct tap_file_writer *writer, struct tap_error *err)
{
	struct probe_counts counts;
	size_t i;
	int ret = counts_alloc(&counts, session);

	if (ret)
		return tap_error_set(err, ret, "out of memory");
	for (i = 0; i < tap_probes_nr(probes); i++) {
		const struct tap_probe *probe = tap_probes_get(probes, i);
		struct tap_file_stats out = {
			.size = sizeof(out),
			.id = tap_probe_id(probe),
			.counters = counts.counters,
			.nr_cpus = counts.nr,
		};

		ret = counts_read(&counts, session, probe, err);
		if (ret)
			break;
		out.state = counts.state;
		out.flags = counts.stats.out_flags;
		out.nmissed = counts.stats.out_nmissed;
		out.nmissed_return = counts.stats.out_nmissed_return;
		ret = tap_file_stats(writer, &out);
		if (ret) {
			tap_error_set(err, ret, "cannot write the trace file: %s",
				      strerror(-ret));
			break;
		}
	}
	free(counts.counters);
	return ret ? ret : tasks_write(session, writer, err);
}

void summary_free(struct summary *summary)
{
	free(summary->list);
	free(summary->of);
	memset(summary, 0, sizeof(*summary));
}

int summary_check(const struct summary *summary, const struct tap_reader_counts *counts,
		  __u64 pending, struct tap_error *err)
{
	if (summary_print(summary, counts, pending))
		return 0;
	return tap_error_set(err, -EBADMSG,
			     "the counters do not add up: this is a bug in tapmod");
}

static int keep_of_run(const struct run *run, __u64 events, struct tap_error *err)
{
	struct tap_keep_counts counts;
	int ret = run_keep_counts(run, &counts, err);

	if (ret || keep_print(&counts, events))
		return ret;
	return tap_error_set(err, -EBADMSG,
			     "the events kept and not kept do not add up: this is a bug in tap");
}

int summary_of_run(const struct run *run, struct tap_error *err)
{
	struct tap_reader_counts counts = { .size = sizeof(counts) };
	struct summary summary;
	int ret;

	if (run->opts->quiet)
		return 0;
	tap_reader_counts(run->reader, &counts);
	ret = summary_of_session(&summary, run->session, run->probes, err);
	if (!ret)
		/* What a flight recorder did not write was overwritten. */
		ret = summary_check(&summary, run->opts->flight.bytes ? NULL : &counts,
				    run->pending, err);
	summary_free(&summary);
	if (!ret && run->keep)
		ret = keep_of_run(run, counts.events, err);
	if (!ret)
		ret = tasks_print_run(run, err);
	return ret;
}

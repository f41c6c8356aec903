// SPDX-License-Identifier: GPL-2.0
/*
 * Reading and checking the counters of probes. summary_print.c prints them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run/run.h"
#include "spec/spec.h"
#include "stat/summary.h"
#include "stat/summary_print.h"

__u64 summary_lost(const struct tap_counters *c)
{
	return c->lost_full + c->lost_nested + c->lost_fault + c->throttled;
}

static bool balanced(const struct tap_counters *c)
{
	return c->hits == c->written + c->filtered + c->aggregated +
			  summary_lost(c);
}

static void totals_add(struct totals *totals, const struct tap_counters *counters,
		    size_t nr)
{
	struct tap_counters *t = &totals->counters;
	size_t i;

	for (i = 0; i < nr; i++) {
		const struct tap_counters *c = &counters[i];

		t->hits += c->hits;
		t->written += c->written;
		t->filtered += c->filtered;
		t->aggregated += c->aggregated;
		t->lost_full += c->lost_full;
		t->lost_nested += c->lost_nested;
		t->lost_fault += c->lost_fault;
		t->throttled += c->throttled;
		t->entered += c->entered << totals->pairs;
		/* CPU by CPU, so that errors on two CPUs cannot cancel out. */
		if (!balanced(c))
			totals->balanced = false;
	}
}

/* Places of one event follow each other in the table and share one entry. */
static int summary_alloc(struct summary *summary, const struct tap_probes *probes)
{
	struct totals *totals = NULL;
	size_t i;

	memset(summary, 0, sizeof(*summary));
	summary->list = calloc(probes->nr + 1, sizeof(*summary->list));
	summary->of = calloc(probes->nr + 1, sizeof(*summary->of));
	if (!summary->list || !summary->of)
		return -ENOMEM;
	for (i = 0; i < probes->nr; i++) {
		const struct tap_spec *spec = &probes->list[i].spec;

		if (!totals || !tap_spec_same_event(spec,
						 &probes->list[i - 1].spec)) {
			totals = &summary->list[summary->nr++];
			totals->event = spec->event;
			totals->call = spec->type == TAP_PROBE_CALL ||
				    spec->type == TAP_PROBE_UCALL ||
				    spec->type == TAP_PROBE_FUNCGRAPH ||
				    spec->type == TAP_PROBE_KRETPROBE;
			totals->pairs = spec->type == TAP_PROBE_FUNCGRAPH &&
				     !spec->agg &&
				     !(spec->flags & TAP_CREATE_F_COUNT);
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
	int ret = tap_session_stats(session, probe->id, &counts->stats,
				    counts->counters, counts->nr);

	if (ret)
		return tap_explain(err, TAP_IOC_STATS, ret, &probe->spec);
	/* Counters are worth printing even if the state cannot be read. */
	if (tap_session_probe_info(session, probe->id, &info, NULL, 0))
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
	for (i = 0; i < probes->nr && !ret; i++) {
		struct totals *totals = summary->of[i];

		ret = counts_read(&counts, session, &probes->list[i], err);
		if (ret)
			break;
		totals_add(totals, counts.counters, counts.nr);
		totals->missed += counts.stats.out_nmissed +
				  counts.stats.out_nmissed_return;
		totals->state = counts.state;
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
	for (i = 0; i < probes->nr && !ret; i++) {
		struct totals *totals = summary->of[i];
		struct tap_file_stats stats;

		ret = tap_file_get_stats(file, probes->list[i].id, &stats);
		if (ret)
			break;
		totals_add(totals, stats.counters, stats.nr_cpus);
		totals->missed += stats.nmissed + stats.nmissed_return;
		totals->state = stats.state;
	}
	return ret;
}

int summary_write(struct tap_session *session, const struct tap_probes *probes,
		  struct tap_file_writer *writer, struct tap_error *err)
{
	struct probe_counts counts;
	size_t i;
	int ret = counts_alloc(&counts, session);

	if (ret)
		return tap_error_set(err, ret, "out of memory");
	for (i = 0; i < probes->nr; i++) {
		struct tap_file_stats out = {
			.id = probes->list[i].id,
			.counters = counts.counters,
			.nr_cpus = counts.nr,
		};

		ret = counts_read(&counts, session, &probes->list[i], err);
		if (ret)
			break;
		out.state = counts.state;
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
	return ret;
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

int summary_of_run(const struct run *run, struct tap_error *err)
{
	struct tap_reader_counts counts;
	struct summary summary;
	int ret;

	if (run->opts->quiet)
		return 0;
	tap_reader_counts(run->reader, &counts);
	ret = summary_of_session(&summary, run->session, &run->probes, err);
	if (!ret)
		ret = summary_check(&summary, &counts, run->pending, err);
	summary_free(&summary);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Gathering and checking the counters. Printing them is in summary_print.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run/run.h"
#include "spec/spec.h"
#include "stat/summary.h"
#include "stat/summary_print.h"

__u64 sum_lost(const struct tap_counters *c)
{
	return c->lost_full + c->lost_nested + c->lost_fault + c->throttled;
}

static bool balanced(const struct tap_counters *c)
{
	return c->hits == c->written + c->filtered + c->aggregated +
			  sum_lost(c);
}

static void sum_add(struct sum *sum, const struct tap_counters *counters,
		    size_t nr)
{
	struct tap_counters *t = &sum->total;
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
		t->entered += c->entered << sum->pairs;
		/* Each CPU for itself: two errors must not cancel out. */
		if (!balanced(c))
			sum->balanced = false;
	}
}

/* Places of one event have a sum together: they come one after the other. */
static int summary_alloc(struct summary *sums, const struct tap_probes *probes)
{
	struct sum *sum = NULL;
	size_t i;

	memset(sums, 0, sizeof(*sums));
	sums->list = calloc(probes->nr + 1, sizeof(*sums->list));
	sums->of = calloc(probes->nr + 1, sizeof(*sums->of));
	if (!sums->list || !sums->of)
		return -ENOMEM;
	for (i = 0; i < probes->nr; i++) {
		const struct tap_spec *spec = &probes->list[i].spec;

		if (!sum || !tap_spec_same_event(spec,
						 &probes->list[i - 1].spec)) {
			sum = &sums->list[sums->nr++];
			sum->event = spec->event;
			sum->call = spec->type == TAP_PROBE_CALL ||
				    spec->type == TAP_PROBE_UCALL ||
				    spec->type == TAP_PROBE_FUNCGRAPH ||
				    spec->type == TAP_PROBE_KRETPROBE;
			sum->pairs = spec->type == TAP_PROBE_FUNCGRAPH &&
				     !spec->agg &&
				     !(spec->flags & TAP_CREATE_F_COUNT);
			sum->balanced = true;
		}
		sums->of[i] = sum;
	}
	return 0;
}

int summary_of_session(struct summary *sums, struct tap_session *session,
		       const struct tap_probes *probes, struct tap_error *err)
{
	unsigned int nr = tap_session_nr_rings(session);
	struct tap_counters *counters = calloc(nr, sizeof(*counters));
	size_t i;
	int ret;

	ret = summary_alloc(sums, probes);
	if (ret || !counters) {
		free(counters);
		return tap_error_set(err, -ENOMEM, "out of memory");
	}
	for (i = 0; i < probes->nr && !ret; i++) {
		const struct tap_probe *probe = &probes->list[i];
		struct sum *sum = sums->of[i];
		struct tap_probe_info info;
		struct tap_stats stats;

		ret = tap_session_stats(session, probe->id, &stats, counters,
					nr);
		if (ret) {
			tap_explain(err, TAP_IOC_STATS, ret, &probe->spec);
			break;
		}
		sum_add(sum, counters, nr);
		sum->missed += stats.out_nmissed + stats.out_nmissed_return;
		if (!tap_session_probe_info(session, probe->id, &info, NULL, 0))
			sum->state = info.out_state;
	}
	free(counters);
	return ret;
}

int summary_of_file(struct summary *sums, const struct tap_file_reader *file)
{
	const struct tap_probes *probes = tap_file_probes(file);
	size_t i;
	int ret;

	ret = summary_alloc(sums, probes);
	for (i = 0; i < probes->nr && !ret; i++) {
		struct sum *sum = sums->of[i];
		struct tap_file_stats stats;

		ret = tap_file_get_stats(file, probes->list[i].id, &stats);
		if (ret)
			break;
		sum_add(sum, stats.counters, stats.nr_cpus);
		sum->missed += stats.nmissed + stats.nmissed_return;
		sum->state = stats.state;
	}
	return ret;
}

int summary_write(struct tap_session *session, const struct tap_probes *probes,
		  struct tap_file_writer *writer, struct tap_error *err)
{
	unsigned int nr = tap_session_nr_rings(session);
	struct tap_counters *counters = calloc(nr, sizeof(*counters));
	size_t i;
	int ret = 0;

	if (!counters)
		return tap_error_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < probes->nr && !ret; i++) {
		const struct tap_probe *probe = &probes->list[i];
		struct tap_file_stats out = {
			.id = probe->id,
			.counters = counters,
			.nr_cpus = nr,
		};
		struct tap_probe_info info;
		struct tap_stats stats;

		ret = tap_session_stats(session, probe->id, &stats, counters,
					nr);
		if (ret) {
			tap_explain(err, TAP_IOC_STATS, ret, &probe->spec);
			break;
		}
		if (!tap_session_probe_info(session, probe->id, &info, NULL, 0))
			out.state = info.out_state;
		out.nmissed = stats.out_nmissed;
		out.nmissed_return = stats.out_nmissed_return;
		ret = tap_file_stats(writer, &out);
		if (ret)
			tap_error_set(err, ret, "writing the trace file: %s",
				      strerror(-ret));
	}
	free(counters);
	return ret;
}

void summary_free(struct summary *sums)
{
	free(sums->list);
	free(sums->of);
	memset(sums, 0, sizeof(*sums));
}

int summary_check(const struct summary *sums, const struct tap_reader_counts *counts,
		  __u64 pending, struct tap_error *err)
{
	if (summary_print(sums, counts, pending))
		return 0;
	return tap_error_set(err, -EBADMSG,
			     "the counts do not add up: this is a bug of tapmod");
}

int summary_of_run(const struct run *run, struct tap_error *err)
{
	struct tap_reader_counts counts;
	struct summary sums;
	int ret;

	if (run->opts->quiet)
		return 0;
	tap_reader_counts(run->reader, &counts);
	ret = summary_of_session(&sums, run->session, &run->probes, err);
	if (!ret)
		ret = summary_check(&sums, &counts, run->pending, err);
	summary_free(&sums);
	return ret;
}

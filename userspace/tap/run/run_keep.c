// SPDX-License-Identifier: GPL-2.0
/*
 * The events of --keep in a run.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run/run.h"

int run_keep_add(struct run *run, size_t first, struct tap_error *err)
{
	size_t nr = tap_probes_nr(run->probes);
	__u32 *verdicts = realloc(run->verdicts, (run->nr_verdicts + nr - first + 1) *
				  sizeof(*verdicts));
	const struct tap_probe *probe;

	if (!verdicts)
		return tap_error_set(err, -ENOMEM, "out of memory");
	run->verdicts = verdicts;
	for (; first < nr; first++) {
		probe = tap_probes_get(run->probes, first);
		/* A verdict is the span, not what begins or ends it. */
		if (!tap_spec_side(tap_probe_spec(probe)))
			verdicts[run->nr_verdicts++] = tap_probe_id(probe);
	}
	return 0;
}

int run_keep_open(struct run *run, struct tap_keep_opts *opts, struct tap_error *err)
{
	size_t i;
	int ret;

	if (!run->opts->keep)
		return 0;
	opts->memory = run->opts->keep_memory;
	opts->probes = run->probes;
	ret = tap_keep_open(&run->keep, opts);
	if (ret == -ENOMEM)
		return tap_error_set(err, ret, "--keep-memory: there is no memory of %llu MiB; give less",
				     (unsigned long long)opts->memory >> 20);
	for (i = 0; i < run->nr_verdicts && !ret; i++)
		ret = tap_keep_verdict(run->keep, tap_probes_find(run->probes, run->verdicts[i]));
	return ret ? tap_error_set(err, ret, "--keep: %s", strerror(-ret)) : 0;
}

/* Of a probe: calls that were entered and have not returned, or open entries of a span. */
static int under_way(const struct run *run, __u32 id, __u64 *nr, struct tap_error *err)
{
	const struct tap_probe *probe = tap_probes_find(run->probes, id);
	struct tap_span_read span = { .id = id };
	struct tap_counters c;
	bool is_span = tap_probe_type(probe) == TAP_PROBE_SPAN;
	__u64 returned;
	int ret;

	if (is_span)
		ret = tap_session_span(run->session, &span);
	else
		ret = tap_session_totals(run->session, id, &c);
	if (ret)
		return tap_explain(err, is_span ? TAP_IOC_SPAN : TAP_IOC_STATS, ret,
				   tap_probe_spec(probe));
	returned = is_span ? 0 : c.hits - c.filtered - c.lost_fault;
	/* A call that began before the probe may return without an entry. */
	*nr = is_span ? span.out_open : c.entered > returned ? c.entered - returned : 0;
	return 0;
}

int run_keep_counts(const struct run *run, struct tap_keep_counts *counts,
		    struct tap_error *err)
{
	__u64 nr = 0;
	size_t i;
	int ret = 0;

	*counts = (struct tap_keep_counts) { .size = sizeof(*counts) };
	tap_keep_counts(run->keep, counts);
	for (i = 0; i < run->nr_verdicts && !ret; i++) {
		ret = under_way(run, run->verdicts[i], &nr, err);
		counts->under_way += nr;
	}
	return ret;
}

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>

#include "metrics/metrics.h"
#include "monitor/monitor_metrics.h"
#include "stat/summary.h"

enum family {
	SESSIONS,
	BUSY,
	AGE,
	RINGS,
	PROBES,
	HITS,
	WRITTEN,
	FILTERED,
	AGGREGATED,
	LOST,
	MISSED,
	LEFT_OUT,
	NR_FAMILIES,
};

static const struct metric_family families[NR_FAMILIES] = {
	[SESSIONS] = { "tap_sessions", "gauge", "Open sessions." },
	[BUSY] = { "tap_session_busy", "gauge", "1: an operation holds the session, so that its probes are not shown." },
	[AGE] = { "tap_session_age_seconds", "gauge", "Time since the session was opened." },
	[RINGS] = { "tap_session_ring_bytes", "gauge", "Memory of the session's rings." },
	[PROBES] = { "tap_session_probes", "gauge", "Probes of the session." },
	[HITS] = { "tap_probe_hits_total", "counter", "Hits of a probe." },
	[WRITTEN] = { "tap_probe_written_total", "counter", "Records that were written." },
	[FILTERED] = { "tap_probe_filtered_total", "counter", "Hits that did not pass the condition." },
	[AGGREGATED] = { "tap_probe_aggregated_total", "counter", "Hits that went to tables." },
	[LOST] = { "tap_probe_lost_total", "counter", "Hits that were lost." },
	[MISSED] = { "tap_probe_missed_total", "counter", "Hits and calls that the kernel skipped." },
	[LEFT_OUT] = { "tap_probes_left_out", "gauge", "Probes with fewer hits, which are not shown." },
};

static void label_number(FILE *to, const char *name, __u64 number)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
	metrics_label(to, name, text);
}

static int add_row(struct metrics *m, const struct monitor_row *row)
{
	const struct tap_counters *c = &row->total;
	char *labels = NULL;
	size_t len;
	FILE *to = open_memstream(&labels, &len);

	if (!to)
		return -ENOMEM;
	label_number(to, "session", row->session);
	if (row->probe) {
		label_number(to, "probe", row->probe);
		metrics_label(to, "event", row->name);
	} else {
		label_number(to, "pid", row->pid);
		label_number(to, "uid", row->uid);
		metrics_label(to, "comm", row->name);
	}
	if (fclose(to)) {
		free(labels);
		return -ENOMEM;
	}
	if (row->probe) {
		metrics_sample(m, HITS, "", labels, (double)c->hits);
		metrics_sample(m, WRITTEN, "", labels, (double)c->written);
		metrics_sample(m, FILTERED, "", labels, (double)c->filtered);
		metrics_sample(m, AGGREGATED, "", labels, (double)c->aggregated);
		metrics_sample(m, LOST, "", labels, (double)summary_lost(c));
		metrics_sample(m, MISSED, "", labels, (double)row->missed);
	} else {
		metrics_sample(m, BUSY, "", labels, row->busy);
		metrics_sample(m, AGE, "", labels, (double)row->age / 1e9);
		metrics_sample(m, RINGS, "", labels, (double)row->ring_bytes);
		metrics_sample(m, PROBES, "", labels, row->probes);
	}
	free(labels);
	return 0;
}

static int more_hits(const void *x, const void *y)
{
	const struct monitor_row *a = *(const struct monitor_row *const *)x;
	const struct monitor_row *b = *(const struct monitor_row *const *)y;

	if (a->total.hits != b->total.hits)
		return a->total.hits > b->total.hits ? -1 : 1;
	return (a > b) - (a < b);
}

static int add_rows(struct metrics *m, const struct monitor_table *table,
		    const struct monitor_row **probes)
{
	size_t i, nr = 0, sessions = 0;
	int ret = 0;

	for (i = 0; i < table->nr && !ret; i++) {
		if (table->rows[i].probe) {
			probes[nr++] = &table->rows[i];
			continue;
		}
		sessions++;
		ret = add_row(m, &table->rows[i]);
	}
	qsort(probes, nr, sizeof(*probes), more_hits);
	for (i = 0; i < nr && i < MONITOR_METRICS_PROBES && !ret; i++)
		ret = add_row(m, probes[i]);
	metrics_sample(m, SESSIONS, "", "", (double)sessions);
	metrics_sample(m, LEFT_OUT, "", "", (double)(nr - i));
	return ret;
}

int monitor_metrics(const struct monitor_table *table, char **text, size_t *len)
{
	const struct monitor_row **probes = calloc(table->nr + 1, sizeof(*probes));
	struct metrics m = { 0 };
	int ret = probes ? metrics_open(&m, families, NR_FAMILIES) : -ENOMEM;

	if (!ret)
		ret = add_rows(&m, table, probes);
	if (!ret)
		ret = metrics_text(&m, text, len);
	metrics_close(&m);
	free(probes);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * --budget: gives the session its budget before its probes are enabled, and says at the end what
 * it took and for how long it saw no events.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run/costs.h"
#include "run/output.h"
#include "run/run.h"

/* The budget may drop one event of a pair: its duration would be wrong. */
static int check_pairs(const struct run *run, struct tap_error *err)
{
	const struct tap_probe *probe;
	size_t i;

	if (run->opts->keep)
		return tap_error_set(err, -EINVAL,
				     "--budget does not go with --keep: a call that is kept would lack the events that are dropped");
	for (i = 0; (probe = tap_probes_get(run->probes, i)); i++) {
		const struct tap_spec *spec = tap_probe_spec(probe);

		if (tap_spec_type(spec) == TAP_PROBE_SPAN || tap_spec_side(spec) ||
		    tap_spec_tasks(spec))
			return tap_error_set(err, -EINVAL,
					     "%s: --budget does not go with span:, inside() and --why: with an event that is not seen they would be wrong; take --limit, or a condition with fewer events",
					     tap_probe_event(probe));
	}
	return 0;
}

int run_budget_set(struct run *run, struct tap_error *err)
{
	struct tap_costs costs;
	int ret;

	if (!run->opts->budget)
		return 0;
	ret = check_pairs(run, err);
	if (ret)
		return ret;
	if (!costs_load(COSTS_FILE, &costs) && !run->opts->quiet)
		tool_error("--budget: the costs of events were not measured on this machine since it was started: those of a usual processor are used; 'tap doctor --selftest' measures them");
	ret = tap_session_budget(run->session, run->probes, &costs, run->opts->budget);
	return ret ? tap_explain(err, TAP_IOC_BUDGET, ret, NULL) : 0;
}

static double seconds(__u64 ns)
{
	return (double)ns / 1e9;
}

void run_budget_report(const struct run *run)
{
	struct tap_budget b;

	if (!run->opts->budget || run->opts->quiet ||
	    tap_session_budget_read(run->session, &b) || !b.out_time)
		return;
	fflush(stdout);
	fprintf(stderr,
		"budget: %.1f %% of each CPU; taken, as estimated, on the busiest one: %.2f %% of %.3f s\n",
		b.out_permille / 10.0, 100 * seconds(b.out_spent) / seconds(b.out_time),
		seconds(b.out_time));
	if (b.out_dropping)
		fprintf(stderr,
			"budget: events were dropped for %.3f s: they are in the column THROTTLED\n",
			seconds(b.out_dropping));
	if (b.out_paused)
		fprintf(stderr,
			"budget: events were not seen for %.3f s: the probes were disarmed %u times; about %llu hits, if they came as before, are in no figure\n",
			seconds(b.out_paused), b.out_pauses, (unsigned long long)b.out_unseen);
}

int run_budget_json(const struct run *run, struct output *out)
{
	struct tap_budget b;
	char *text;
	int len, ret;

	if (!run->opts->budget || !run->opts->json)
		return 0;
	ret = tap_session_budget_read(run->session, &b);
	if (ret)
		return ret;
	len = asprintf(&text,
		       "{\"type\":\"budget\",\"permille\":%u,\"time_ns\":%llu,\"spent_ns\":%llu,\"dropping_ns\":%llu,\"disarmed_ns\":%llu,\"disarmed\":%u,\"unseen\":%llu}\n",
		       b.out_permille, (unsigned long long)b.out_time,
		       (unsigned long long)b.out_spent, (unsigned long long)b.out_dropping,
		       (unsigned long long)b.out_paused, b.out_pauses,
		       (unsigned long long)b.out_unseen);
	if (len < 0)
		return -ENOMEM;
	ret = output_write(out, text, (size_t)len);
	free(text);
	return ret;
}

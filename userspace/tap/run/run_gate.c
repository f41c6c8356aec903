// SPDX-License-Identifier: GPL-2.0
/*
 * --from, --until and --until-count: the gate of the session, which its events come through.
 */
#include <errno.h>
#include <string.h>

#include "run/run.h"

static bool has_gate(const struct run *run)
{
	const struct options *opts = run->opts;

	return opts->start || opts->until || opts->until_count;
}

void run_gate_event(const struct run *run, size_t i, struct tap_spec *spec)
{
	const struct options *opts = run->opts;

	if (has_gate(run))
		tap_spec_set_gate(spec, opts->events[i] == opts->start ? TAP_GATE_OPEN :
					opts->events[i] == opts->until ? TAP_GATE_END :
					TAP_GATE_TAKE);
}

int run_gate_set(struct run *run, struct tap_error *err)
{
	const struct options *opts = run->opts;
	int ret;

	if (!has_gate(run))
		return 0;
	if (opts->sides)
		return tap_error_set(err, -EINVAL,
				     "--sides does not go with --from and --until: what begins a span is needed before its end is known");
	ret = tap_session_set_gate(run->session, opts->start, opts->until_count);
	return ret ? tap_explain(err, TAP_IOC_GATE, ret, NULL) : 0;
}

bool run_gate_polls(const struct run *run)
{
	return run->opts->until || run->opts->until_count;
}

bool run_gate_ended(const struct run *run)
{
	struct tap_gate gate;

	return run_gate_polls(run) && !tap_session_gate(run->session, &gate) && !gate.out_left;
}

void run_gate_report(const struct run *run)
{
	const struct options *opts = run->opts;
	struct tap_gate gate;

	if (!has_gate(run) || tap_session_gate(run->session, &gate))
		return;
	if (gate.out_closed)
		tool_error("--from: the event did not come, so nothing was recorded; what came is in the column FILTERED");
	else if (opts->quiet)
		return;
	else if (!gate.out_left)
		tool_error("ended by %s; what came before%s and after that is in the column FILTERED",
			   opts->until_count ? opts->until ? "--until or --until-count" :
			   "--until-count" : "--until", opts->start ? " --from" : "");
	else if (run_gate_polls(run))
		tool_error("ended before %s; what came before --from is in the column FILTERED",
			   opts->until ? "--until" : "--until-count");
}

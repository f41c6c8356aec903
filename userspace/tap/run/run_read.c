// SPDX-License-Identifier: GPL-2.0
/*
 * Reading the events of a run, by time across all CPUs.
 */
#include <errno.h>

#include "run/run.h"

/* Events read from the rings in one call. */
#define EVENTS	128

int run_read(struct run *run, int (*give)(void *arg, struct tap_event *ev), void *arg)
{
	struct tap_event ev[EVENTS];
	unsigned int nr, i;
	int ret = 0;

	run_user_update(run);
	run_modules_reload(run);
	do {
		nr = tap_reader_events(run->reader, ev, EVENTS);
		for (i = 0; i < nr && !ret; i++) {
			int bad = tap_decode(run->probes, &ev[i]);

			if (!bad) {
				tap_unwinder_event(run->unwinder, &ev[i]);
				ret = give(arg, &ev[i]);
			} else if (bad != -EOPNOTSUPP) {	/* of a later version */
				run->undecoded++;
			}
		}
	} while (nr && !ret);
	return ret;
}

struct give {
	struct run *run;
	int (*give)(void *arg, struct tap_event *ev);
	void *arg;
};

static int give_rest(void *data)
{
	const struct give *g = data;

	return run_read_rest(g->run, g->give, g->arg);
}

int run_read_to_end(struct run *run, int (*give)(void *arg, struct tap_event *ev), void *arg)
{
	struct give g = { run, give, arg };
	int ret = 0, stop;

	while (!ret && !run->stopping) {
		ret = run_wait(run, 0);
		if (!ret)
			ret = run_read(run, give, arg);
	}
	stop = run_disable(run);
	if (!ret)
		ret = stop;
	if (!ret)
		ret = run_drain(run, give_rest, &g);
	run_stop(run);
	return ret;
}

void run_say_end(const struct run *run)
{
	const struct options *opts = run->opts;

	if (!opts->command && !opts->duration_ns)
		tool_error("calls are traced until ^C%s; then comes the report",
			   opts->pid ? ", or the end of the process" : "");
}

int run_read_rest(struct run *run, int (*give)(void *arg, struct tap_event *ev), void *arg)
{
	struct tap_reader_counts before, after = { .size = sizeof(after) };
	int ret;

	tap_reader_counts(run->reader, &after);
	do {
		before = after;
		ret = run_read(run, give, arg);
		tap_reader_counts(run->reader, &after);
	} while (!ret && (after.events != before.events || after.gaps != before.gaps));
	return ret;
}

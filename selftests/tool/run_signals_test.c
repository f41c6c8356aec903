// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of the signals that end a run, when the caller has ignored them: nohup and a shell's
 * background. Built with sanitizers.
 */
#include <signal.h>
#include <stdlib.h>

#include "run/run.h"
#include "selftests/lib/check.h"

static bool ends(int number, void (*action)(int))
{
	struct options opts = { 0 };
	struct tap_error err;
	struct run run;
	bool ended;

	signal(number, action);
	if (run_listen(&run, &opts, -1, &err) || raise(number) || run_wait(&run, run_now() + 1))
		abort();
	ended = run.stopping;
	run_close(&run);
	signal(number, SIG_DFL);
	return ended;
}

int main(void)
{
	check(ends(SIGHUP, SIG_DFL), "a hangup ends a run");
	check(!ends(SIGHUP, SIG_IGN), "a hangup under nohup does not");
	check(ends(SIGTERM, SIG_DFL), "SIGTERM ends a run");
	check(ends(SIGINT, SIG_DFL), "SIGINT ends a run");
	check(ends(SIGINT, SIG_IGN), "SIGINT ends a run that a shell has started in the background");
	return check_end();
}

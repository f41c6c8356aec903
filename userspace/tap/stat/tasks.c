// SPDX-License-Identifier: GPL-2.0
/*
 * The lines of a summary about the table of tasks.
 */
#include <errno.h>

#include "stat/tasks.h"

void tasks_print(const struct tap_tasks_read *c)
{
	if (!c)
		return;
	if (c->out_no_room)
		fprintf(stderr,
			"tasks: %llu calls were not divided, and nothing was inside of them: the table had no room for their tasks; trace fewer tasks, with -p or -c\n",
			(unsigned long long)c->out_no_room);
	if (c->out_unexpected)
		fprintf(stderr,
			"tasks: %llu times a task was switched in without having been switched out, or the reverse: its time since then is unaccounted\n",
			(unsigned long long)c->out_unexpected);
	if (c->out_backwards)
		fprintf(stderr,
			"tasks: %llu times the clock was before the time to which it was compared: a part counts as 0 there, and the rest is unaccounted\n",
			(unsigned long long)c->out_backwards);
	if (c->out_no_wait)
		fprintf(stderr,
			"tasks: %llu longest waits are not known, as more than %d calls inside each other waited, or a span outlived the call in which it began\n",
			(unsigned long long)c->out_no_wait, TAP_MAX_WAITS);
}

int tasks_print_run(const struct run *run, struct tap_error *err)
{
	struct tap_tasks_read counts;
	int ret = tap_session_tasks_read(run->session, &counts);

	if (ret == -ENODATA)
		return 0;
	if (ret)
		return tap_explain(err, TAP_IOC_TASKS_READ, ret, NULL);
	tasks_print(&counts);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * What the options that were read ask for, and their end.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run/options.h"

const struct stat_args *options_table(const struct options *o, size_t i)
{
	if (o->stat.wanted && !i--)
		return &o->stat;
	return i < o->nr_scopes ? &o->scopes[i] : NULL;
}

int options_add_events(struct options *o, char *const *texts, size_t nr)
{
	/* One more, so that no size is 0. */
	const size_t room = o->nr_events + nr + 1;
	const char **events = realloc(o->events, room * sizeof(*events));
	bool *verdict = realloc(o->verdict, room * sizeof(*verdict));
	bool *trigger = realloc(o->trigger, room * sizeof(*trigger));
	size_t i;

	if (events)
		o->events = events;
	if (verdict)
		o->verdict = verdict;
	if (trigger)
		o->trigger = trigger;
	if (!events || !verdict || !trigger)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		events[o->nr_events] = texts[i];
		verdict[o->nr_events] = false;
		trigger[o->nr_events++] = false;
	}
	return 0;
}

void options_free(struct options *o)
{
	size_t i;

	for (i = 0; i < o->nr_scopes; i++)
		stat_args_free(&o->scopes[i]);
	free(o->scopes);
	free(o->events);
	free(o->verdict);
	free(o->trigger);
	free(o->debug);
	free(o->also);
	free(o->args);
	pmu_args_free(&o->pmu);
	stat_args_free(&o->stat);
	memset(o, 0, sizeof(*o));
}

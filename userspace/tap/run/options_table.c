// SPDX-License-Identifier: GPL-2.0
/*
 * What the options that were read ask for, and their end.
 */
#include <stdlib.h>
#include <string.h>

#include "run/options.h"

const struct stat_args *options_table(const struct options *o, size_t i)
{
	if (o->stat.wanted && !i--)
		return &o->stat;
	return i < o->nr_scopes ? &o->scopes[i] : NULL;
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

// SPDX-License-Identifier: GPL-2.0
/*
 * Reading the options of tap diff.
 */
#include <stdlib.h>

#include "run/diff_args.h"
#include "tool.h"

int diff_args_tolerance(struct diff_args *args, const char *arg)
{
	char *end;

	args->tolerance = strtod(arg, &end);
	args->given = true;
	if (end != arg && !*end && args->tolerance >= 0 && args->tolerance <= 1000)
		return -1;
	tool_error("--tolerance '%s': give percent from 0 to 1000, e.g. 5", arg);
	return TOOL_USAGE;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The options of tap record --daemon.
 */
#include <string.h>

#include "run/rotate_args.h"
#include "tool.h"

/* A day, in files of a quarter of an hour. */
#define DEFAULT_SIZE	(64U << 20)
#define DEFAULT_AGE	900000000000ULL
#define DEFAULT_KEEP	96

int rotate_args_finish(struct rotate_args *args, const char *output)
{
	if (args->daemon && (!output || !strcmp(output, "-"))) {
		tool_error("--daemon needs -o FILE: the files get its name, with a number");
		return TOOL_USAGE;
	}
	if (!args->daemon && (args->size || args->age_ns || args->keep)) {
		tool_error("--rotate-size, --rotate-age and --rotate-keep need --daemon");
		return TOOL_USAGE;
	}
	if (!args->size)
		args->size = DEFAULT_SIZE;
	if (!args->age_ns)
		args->age_ns = DEFAULT_AGE;
	if (!args->keep)
		args->keep = DEFAULT_KEEP;
	return -1;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The options of a flight recorder.
 */
#include <unistd.h>

#include "run/flight_args.h"
#include "run/option_value.h"

/* Rings of a CPU: one set is recorded into while the other one is read. */
#define SETS	2
#define DEFAULT_MAX	20

static int divide(const struct flight_args *args, __u64 *ring_bytes)
{
	__u64 rings = SETS * (__u64)sysconf(_SC_NPROCESSORS_ONLN);
	__u64 least = (__u64)sysconf(_SC_PAGESIZE);

	for (*ring_bytes = TAP_MAX_RING_BYTES; *ring_bytes * rings > args->bytes; *ring_bytes /= 2)
		if (*ring_bytes <= least) {
			tool_error("--flight: the memory is for %llu rings: give at least %lluK",
				   (unsigned long long)rings,
				   (unsigned long long)(rings * least >> 10));
			return TOOL_USAGE;
		}
	return -1;
}

int flight_args_check(struct flight_args *args, bool keep, bool gate, __u64 *ring_bytes)
{
	const char *why = NULL;

	if (!args->bytes && (args->nr_when || args->has_before || args->after_ns || args->max))
		why = "--when, --before, --after and --max belong to --flight SIZE: add it";
	else if (args->bytes && keep)
		why = "--flight and --keep exclude each other: the events of a window are not looked at";
	else if (args->bytes && gate)
		why = "--flight excludes --from, --until, --until-count and --daemon: give --when EVENT";
	else if (args->bytes && *ring_bytes)
		why = "--flight and --ring exclude each other: --flight is the memory of all rings";
	else if (args->after_ns && !args->nr_when)
		why = "--after belongs to --when EVENT: add it";
	if (why) {
		tool_error("%s", why);
		return TOOL_USAGE;
	}
	if (!args->bytes)
		return -1;
	if (!args->max)
		args->max = DEFAULT_MAX;
	return divide(args, ring_bytes);
}

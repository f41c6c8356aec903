/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options of a flight recorder.
 */
#ifndef _TOOL_RUN_FLIGHT_ARGS_H
#define _TOOL_RUN_FLIGHT_ARGS_H

#include "tool.h"

/**
 * struct flight_args - --flight and what belongs to it
 * @bytes: --flight: memory of all rings; 0 if not given
 * @nr_when: number of --when arguments
 * @has_before: --before was given; without it a window goes back as far as the rings do
 * @before_ns: --before
 * @after_ns: --after, 0 if not given
 * @max: --max, 0 if not given
 */
struct flight_args {
	__u64 bytes;
	size_t nr_when;
	bool has_before;
	__u64 before_ns;
	__u64 after_ns;
	__u32 max;
};

/**
 * flight_args_check() - check the options, and divide the memory
 * @args: all of them; @max is set if it was not given
 * @keep: --keep was given
 * @gate: --from, --until, --until-count or --daemon was given
 * @ring_bytes: --ring; set to the bytes of each ring if @args has --flight
 *
 * Return: -1, or the exit status after an error message.
 */
int flight_args_check(struct flight_args *args, bool keep, bool gate, __u64 *ring_bytes);

#endif /* _TOOL_RUN_FLIGHT_ARGS_H */

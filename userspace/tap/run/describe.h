/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TOOL_RUN_DESCRIBE_H
#define _TOOL_RUN_DESCRIBE_H

#include "run/run.h"

/**
 * describe_fill() - what a recording says of this machine and this command
 * @info: filled in
 * @argc: of the command
 * @argv: of the command
 */
void describe_fill(struct tap_file_info *info, int argc, char **argv);

/**
 * describe_run() - tell the kernel what a reader of a dump of this machine needs to know
 * @run: its probes were created, and have a reader
 * @info: of describe_fill()
 *
 * A failure is reported, and is no reason not to trace.
 */
void describe_run(const struct run *run, const struct tap_file_info *info);

#endif /* _TOOL_RUN_DESCRIBE_H */

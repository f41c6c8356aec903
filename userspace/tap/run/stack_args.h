/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options --kstack and --ustack.
 */
#ifndef _TOOL_RUN_STACK_ARGS_H
#define _TOOL_RUN_STACK_ARGS_H

#include "tool.h"

struct options;

/* options.kstack and options.ustack: the number of frames was not given. */
#define STACK_DEFAULT	(TAP_MAX_STACK + 1U)

/**
 * stack_args_frames() - read a number of frames
 * @option: its name
 * @arg: the number; NULL: the default
 * @frames: set to it, or to %STACK_DEFAULT
 *
 * Return: -1 to go on; else the exit status, after printing an error message.
 */
int stack_args_frames(const char *option, const char *arg, __u32 *frames);

/**
 * stack_args_user() - read a --ustack
 * @arg: frames, "dwarf" or "dwarf:BYTES"; NULL: the default
 * @o: @ustack, @unwind and @unwind_bytes are set
 *
 * Return: as stack_args_frames().
 */
int stack_args_user(const char *arg, struct options *o);

#endif /* _TOOL_RUN_STACK_ARGS_H */

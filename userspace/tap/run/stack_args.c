// SPDX-License-Identifier: GPL-2.0
/*
 * Reading the options of stacks.
 */
#include <string.h>

#include "run/option_value.h"
#include "run/options.h"

int stack_args_frames(const char *option, const char *arg, __u32 *frames)
{
	*frames = STACK_DEFAULT;
	return arg ? option_number(option, arg, 1, TAP_MAX_STACK, frames) : -1;
}

/* tap_spec_stack_copy() has the exact bound, which is that of the architecture. */
int stack_args_user(const char *arg, struct options *o)
{
	int ret;

	o->unwind = false;
	o->unwind_bytes = 0;
	if (!arg || strncmp(arg, "dwarf", strlen("dwarf")))
		return stack_args_frames("--ustack", arg, &o->ustack);
	arg += strlen("dwarf");
	if (*arg && *arg != ':')
		return option_bad("--ustack=dwarf", arg, "give the bytes to copy as dwarf:4096");
	o->ustack = STACK_DEFAULT;
	o->unwind = true;
	if (!*arg)
		return -1;
	ret = option_number("--ustack=dwarf", arg + 1, 8, TAP_MAX_STACK_COPY, &o->unwind_bytes);
	if (ret < 0 && o->unwind_bytes % 8)
		return option_bad("--ustack=dwarf", arg + 1, "give a multiple of 8");
	return ret;
}

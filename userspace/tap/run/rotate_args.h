/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options of tap record --daemon.
 */
#ifndef _TOOL_RUN_ROTATE_ARGS_H
#define _TOOL_RUN_ROTATE_ARGS_H

#include <stdbool.h>
#include <linux/types.h>

/**
 * struct rotate_args - when the next file begins, and how many are kept
 * @daemon: --daemon
 * @size: --rotate-size, bytes
 * @age_ns: --rotate-age
 * @keep: --rotate-keep
 */
struct rotate_args {
	bool daemon;
	__u64 size;
	__u64 age_ns;
	__u32 keep;
};

/**
 * rotate_args_finish() - check the options, and set those that were not given
 * @args: the options
 * @output: -o, or NULL
 *
 * Return: -1 to go on; else the exit status, after printing an error message.
 */
int rotate_args_finish(struct rotate_args *args, const char *output);

#endif /* _TOOL_RUN_ROTATE_ARGS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When two files differ: the options of tap diff.
 */
#ifndef _TOOL_RUN_DIFF_ARGS_H
#define _TOOL_RUN_DIFF_ARGS_H

#include <stdbool.h>

/**
 * struct diff_args - the options
 * @tolerance: --tolerance, percent
 * @given: --tolerance was given
 * @rate: --rate
 */
struct diff_args {
	double tolerance;
	bool given;
	bool rate;
};

/**
 * diff_args_tolerance() - read a --tolerance
 * @args: the options
 * @arg: percent
 *
 * Return: -1 to go on; else the exit status, after printing an error message.
 */
int diff_args_tolerance(struct diff_args *args, const char *arg);

#endif /* _TOOL_RUN_DIFF_ARGS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line and the course of a fuzzer.
 */
#ifndef _TEST_MODULE_FUZZ_FUZZ_MAIN_H
#define _TEST_MODULE_FUZZ_FUZZ_MAIN_H

#include <stdbool.h>
#include <stdio.h>

#include "selftests/module/fuzz/random.h"

/**
 * struct fuzz_option - an option of the command line, beside --seed and --help
 * @name: without its dashes
 * @number: is set to its number
 * @flag: is set, if it has no argument
 * @take: is called with its argument
 *
 * Just one of the last three is there.
 */
struct fuzz_option {
	const char *name;
	__u64 *number;
	bool *flag;
	void (*take)(const char *arg);
};

/**
 * struct fuzz - a fuzzer
 * @usage: prints how to use it
 * @options: up to one without a name
 * @prepare: is called once; ends the program if it cannot work
 * @run: all there is to be tried
 * @report: what came of it in so many milliseconds; returns how much is wrong
 */
struct fuzz {
	void (*usage)(FILE *to);
	const struct fuzz_option *options;
	void (*prepare)(void);
	void (*run)(void);
	__u64 (*report)(__u64 ms);
};

/* Each fuzzer defines its own. */
extern const struct fuzz fuzz;

#endif /* _TEST_MODULE_FUZZ_FUZZ_MAIN_H */

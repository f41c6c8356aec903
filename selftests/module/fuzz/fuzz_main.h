/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line and the callbacks of a fuzzer.
 */
#ifndef _TEST_MODULE_FUZZ_FUZZ_MAIN_H
#define _TEST_MODULE_FUZZ_FUZZ_MAIN_H

#include <stdbool.h>
#include <stdio.h>

#include "selftests/module/fuzz/random.h"

/**
 * struct fuzz_option - an option of the command line, beside --seed and --help
 * @name: without its dashes
 * @number: set to the argument, a number
 * @flag: set to true; the option has no argument
 * @take: called with the argument
 *
 * Exactly one of @number, @flag and @take is set.
 */
struct fuzz_option {
	const char *name;
	__u64 *number;
	bool *flag;
	void (*take)(const char *arg);
};

/**
 * struct fuzz - a fuzzer
 * @usage: prints the usage
 * @options: the array ends with an option without a name
 * @prepare: called once before @run; exits if the fuzzer cannot work here
 * @run: runs all tries
 * @report: prints the results after that many milliseconds; returns the number of errors
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

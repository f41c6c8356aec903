// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that the compiler inlines, for the test of uinline: with gcov.
 * usage: inlined RUNS
 */
#include <stdio.h>
#include <stdlib.h>

#define noinline __attribute__((noinline))

#include "selftests/module/kmod/inlined.h"

int main(int argc, char **argv)
{
	printf("%u\n", inlined_run(argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 10) : 100));
	return 0;
}

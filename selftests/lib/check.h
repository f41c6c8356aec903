/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The checks of a native test: a line for each, and their sum at the end. With
 * CHECK_QUIET, where they are too many, a line for each that failed.
 */
#ifndef _TEST_LIB_CHECK_H
#define _TEST_LIB_CHECK_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static unsigned int nr_passed, nr_failed;

__attribute__((format(printf, 2, 3)))
static void check(bool ok, const char *fmt, ...)
{
	va_list ap;

	if (ok)
		nr_passed++;
	else
		nr_failed++;
#ifdef CHECK_QUIET
	if (ok)
		return;
	printf("not ok - ");
#else
	printf("%s %u - ", ok ? "ok" : "not ok", nr_passed + nr_failed);
#endif
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
}

/* Prints the sum; the status of the test. */
static int check_end(void)
{
	printf("%u passed, %u failed\n", nr_passed, nr_failed);
	return nr_failed || !nr_passed;
}

#endif /* _TEST_LIB_CHECK_H */

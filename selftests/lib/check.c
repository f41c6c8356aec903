// SPDX-License-Identifier: GPL-2.0
/*
 * Counts and prints the checks of a native test.
 */
#include <stdlib.h>
#include <string.h>

#include "selftests/lib/check.h"

bool check_quiet;

static unsigned int nr_passed, nr_failed;

/* Starts the line of a check; returns false if it is not printed. */
static bool count(bool good)
{
	if (good)
		nr_passed++;
	else
		nr_failed++;
	if (check_quiet && good)
		return false;
	if (check_quiet)
		printf("not ok - ");
	else
		printf("%s %u - ", good ? "ok" : "not ok", nr_passed + nr_failed);
	return true;
}

void check(bool good, const char *fmt, ...)
{
	va_list ap;

	if (!count(good))
		return;
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
}

bool check_at(bool good, const char *what, const char *file, int line)
{
	check(good, "%s", what);
	if (!good)
		printf("# failed at %s:%d\n", file, line);
	return good;
}

bool same(const char *got, const char *expected)
{
	if (!strcmp(got, expected))
		return true;
	printf("# got      '%s'\n# expected '%s'\n", got, expected);
	return false;
}

unsigned int check_one_in(int argc, char **argv)
{
	int one_in = argc > 1 ? atoi(argv[1]) : 1;

	if (one_in < 1)
		abort();
	return (unsigned int)one_in;
}

unsigned int check_failures(void)
{
	return nr_failed;
}

int check_end(void)
{
	printf("%u passed, %u failed\n", nr_passed, nr_failed);
	return nr_failed || !nr_passed;
}

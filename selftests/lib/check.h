/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks of native tests: prints a line for each, and their count at the end.
 */
#ifndef _TEST_LIB_CHECK_H
#define _TEST_LIB_CHECK_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

/* If set, prints only checks that fail: for tests that make thousands of them. */
extern bool check_quiet;

__attribute__((format(printf, 2, 3)))
void check(bool good, const char *fmt, ...);

/* As check(), and prints the place if it fails; returns whether it passed. */
#define ok(cond, what)	check_at((cond), (what), __FILE__, __LINE__)
bool check_at(bool good, const char *what, const char *file, int line);

/* Compares two texts; prints both if they differ. */
bool same(const char *got, const char *expected);

/* Of damaged input a test reads one in this many: its argument; without one 1, all of it. */
unsigned int check_one_in(int argc, char **argv);

unsigned int check_failures(void);

/* Prints the counts; returns the exit status of the test. */
int check_end(void);

#endif /* _TEST_LIB_CHECK_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of expr_test that is about random expressions.
 */
#ifndef _TEST_LIB_EXPR_RANDOM_H
#define _TEST_LIB_EXPR_RANDOM_H

/* Rolls 0 to @sides - 1; the same sequence for the seed of the last test_random(). */
unsigned int dice(unsigned int sides);

void test_random(unsigned int seed);

#endif /* _TEST_LIB_EXPR_RANDOM_H */

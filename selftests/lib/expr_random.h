/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Part of expr_test: random expressions.
 */
#ifndef _TEST_LIB_EXPR_RANDOM_H
#define _TEST_LIB_EXPR_RANDOM_H

/* Returns 0 to @sides - 1; the seed of the last test_random() determines the sequence. */
unsigned int dice(unsigned int sides);

void test_random(unsigned int seed);
void test_whole(unsigned int seed);

#endif /* _TEST_LIB_EXPR_RANDOM_H */

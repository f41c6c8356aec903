/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Part of decoder_test: the writers of numbers, times and strings.
 */
#ifndef _TEST_LIB_DECODER_WRITERS_H
#define _TEST_LIB_DECODER_WRITERS_H

#include <linux/types.h>

/* A random number; the sequence is the same in each run. */
__u64 draw(void);

void test_numbers(void);
void test_strings(void);
void test_special(void);

#endif /* _TEST_LIB_DECODER_WRITERS_H */

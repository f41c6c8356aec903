/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Part of spec_test: the functions that a func: glob matches.
 */
#ifndef _TEST_LIB_SPEC_FUNCTIONS_H
#define _TEST_LIB_SPEC_FUNCTIONS_H

void test_functions(void);

#endif /* _TEST_LIB_SPEC_FUNCTIONS_H */

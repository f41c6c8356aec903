/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of spec_test that is about the functions that a func: glob has.
 */
#ifndef _TEST_LIB_SPEC_FUNCTIONS_H
#define _TEST_LIB_SPEC_FUNCTIONS_H

void test_functions(void);

#endif /* _TEST_LIB_SPEC_FUNCTIONS_H */

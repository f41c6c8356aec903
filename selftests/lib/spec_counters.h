/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of spec_test that is about the counters that an event is of.
 */
#ifndef _TEST_LIB_SPEC_COUNTERS_H
#define _TEST_LIB_SPEC_COUNTERS_H

void test_counters(void);

#endif /* _TEST_LIB_SPEC_COUNTERS_H */

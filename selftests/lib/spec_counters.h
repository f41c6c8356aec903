/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Part of spec_test: the counter of an event.
 */
#ifndef _TEST_LIB_SPEC_COUNTERS_H
#define _TEST_LIB_SPEC_COUNTERS_H

void test_counters(void);

#endif /* _TEST_LIB_SPEC_COUNTERS_H */

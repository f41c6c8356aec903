/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of spec_test that is about the counters that a session has.
 */
#ifndef _TEST_LIB_SPEC_PMU_H
#define _TEST_LIB_SPEC_PMU_H

void test_pmu_right(void);
void test_pmu_names(void);

#endif /* _TEST_LIB_SPEC_PMU_H */

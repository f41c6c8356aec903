/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Part of spec_test: the counters of a session.
 */
#ifndef _TEST_LIB_SPEC_PMU_H
#define _TEST_LIB_SPEC_PMU_H

void test_pmu_right(void);
void test_pmu_names(void);

#endif /* _TEST_LIB_SPEC_PMU_H */

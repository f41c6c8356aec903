/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Overwrite mode: writers that interrupt one another, and two sets of rings that are exchanged.
 */
#ifndef _TEST_RING_RING_OVER_H
#define _TEST_RING_RING_OVER_H

#include <linux/types.h>

/* Case 7 of ring_core_test: one ring, interrupts at random steps. */
void case_overwrite(__u64 records);

/* Case 8: a writer in overwrite mode, and a worker that exchanges its rings and reads them. */
void case_exchange(__u64 records);

#endif /* _TEST_RING_RING_OVER_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interrupts at every step of a writer, nested up to three deep.
 */
#ifndef _TEST_RING_RING_NESTED_H
#define _TEST_RING_RING_NESTED_H

#include <stdbool.h>

/* Case 3 of ring_core_test; @thorough: all pairs of steps in every scene. */
void case_nested(bool thorough);

#endif /* _TEST_RING_RING_NESTED_H */

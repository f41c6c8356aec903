/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interruptions placed at every step of a writer, one, two and more deep.
 */
#ifndef _TEST_RING_RING_NESTED_H
#define _TEST_RING_RING_NESTED_H

#include <stdbool.h>

/* Case 3 of ring_core_test; @thorough: all pairs of places in every scene. */
void case_nested(bool thorough);

#endif /* _TEST_RING_RING_NESTED_H */

/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The parts of reading an aggregation. Private to libtap and its tests.
 */
#ifndef _TAP_SESSION_AGGREGATION_H
#define _TAP_SESSION_AGGREGATION_H

#include <libtap.h>

/**
 * tap_aggregation_room() - make room behind the rows
 * @a: the rows
 * @rows: how many shall fit
 *
 * Return: where the next one goes, or NULL out of memory.
 */
__u64 *tap_aggregation_room(struct tap_aggregation *a, size_t rows);

/**
 * tap_aggregation_merge() - sort the rows, and add up those of the same key
 * @a: the rows, in any order
 */
void tap_aggregation_merge(struct tap_aggregation *a);

#endif /* _TAP_SESSION_AGGREGATION_H */

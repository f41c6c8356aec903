/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What the files of the library and its tests share, and nobody else.
 */
#ifndef _TAP_UTIL_UTIL_H
#define _TAP_UTIL_UTIL_H

#include <libtap.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* More CPU numbers than any kernel has; bounds what a meta page can claim. */
#define TAP_MAX_RINGS	65536

/* More words than the slots of one record hold are nonsense. */
#define TAP_MAX_WORDS	\
	(TAP_FIRST_VALUES + (TAP_MAX_SLOTS - 1) * TAP_SLOT_VALUES)

#endif /* _TAP_UTIL_UTIL_H */

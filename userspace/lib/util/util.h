/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Definitions for all files of the library and its tests.
 */
#ifndef _TAP_UTIL_UTIL_H
#define _TAP_UTIL_UTIL_H

#include <libtap.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Upper bound of CPU numbers; limits what a meta page can claim. */
#define TAP_MAX_RINGS	65536

/* A line among the functions that are inlined at an address of a program, see tap_dso_line(). */
#define TAP_HIDDEN_CALLER	"(its caller is missing: it has no frame here)"

/* Upper bound of the words in the slots of one record. */
#define TAP_MAX_WORDS	\
	(TAP_FIRST_VALUES + (TAP_MAX_SLOTS - 1) * TAP_SLOT_VALUES)

#endif /* _TAP_UTIL_UTIL_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables of resolve_user_test.
 */
#ifndef _TEST_LIB_RESOLVE_USER_TABLES_H
#define _TEST_LIB_RESOLVE_USER_TABLES_H

#include "selftests/lib/harness.h"

extern const struct wrong_event user_wrong[];
extern const size_t nr_user_wrong;

extern const struct right_event user_right[];
extern const size_t nr_user_right;

/* Valid texts that do not fit the place; the mark belongs to the last line only. */
extern const struct wrong_event user_unfit[];
extern const size_t nr_user_unfit;

extern const struct expansion user_expansions[];
extern const size_t nr_user_expansions;

#endif /* _TEST_LIB_RESOLVE_USER_TABLES_H */

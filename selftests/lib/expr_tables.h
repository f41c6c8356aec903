/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables of expr_test.
 */
#ifndef _TEST_LIB_EXPR_TABLES_H
#define _TEST_LIB_EXPR_TABLES_H

#include "selftests/lib/harness.h"

extern const struct right_event expr_right[];
extern const size_t nr_expr_right;

extern const struct wrong_event expr_wrong[];
extern const size_t nr_expr_wrong;

#endif /* _TEST_LIB_EXPR_TABLES_H */

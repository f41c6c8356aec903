/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Part of format_value_test: whole structs, and what a call has changed in one.
 */
#ifndef _TEST_LIB_FORMAT_STRUCT_H
#define _TEST_LIB_FORMAT_STRUCT_H

void test_structs(void);
void test_struct_cut(void);
void test_struct_room(void);
void test_struct_random(void);
void test_diffs(void);
void test_diff_unknown(void);

#endif /* _TEST_LIB_FORMAT_STRUCT_H */

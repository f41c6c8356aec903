/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Part of format_value_test: stacks.
 */
#ifndef _TEST_LIB_FORMAT_STACKS_H
#define _TEST_LIB_FORMAT_STACKS_H

void test_stacks(void);
void test_stack_trap(void);
void test_stack_id(void);
void test_stack_room(void);

#endif /* _TEST_LIB_FORMAT_STACKS_H */

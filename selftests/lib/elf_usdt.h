/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Part of elf_test: USDT probes.
 */
#ifndef _TEST_LIB_ELF_USDT_H
#define _TEST_LIB_ELF_USDT_H

void test_usdt_args(void);
void test_usdt(void);

#endif /* _TEST_LIB_ELF_USDT_H */

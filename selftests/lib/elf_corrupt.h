/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of elf_test that is about files that are damaged, or cut while they are read.
 */
#ifndef _TEST_LIB_ELF_CORRUPT_H
#define _TEST_LIB_ELF_CORRUPT_H

/* Damages one of the programs in many ways, and reads each of the results. */
void test_corrupt(const char *name);

void test_cut(void);

#endif /* _TEST_LIB_ELF_CORRUPT_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Part of elf_test: files that are damaged, or truncated while they are read.
 */
#ifndef _TEST_LIB_ELF_CORRUPT_H
#define _TEST_LIB_ELF_CORRUPT_H

/* Damages the program in many ways, and reads each result. */
void test_corrupt(const char *name);

void test_cut(void);

#endif /* _TEST_LIB_ELF_CORRUPT_H */

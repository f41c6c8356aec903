/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Part of file_test: names of the kernel and of programs in a trace file.
 */
#ifndef _TEST_LIB_FILE_NAMES_H
#define _TEST_LIB_FILE_NAMES_H

#include <linux/types.h>

struct tap_file_reader;
struct tap_file_writer;

/* kallsyms at the start, and after a module was unloaded and another loaded. */
extern const char file_kallsyms[];
extern const char file_kallsyms_later[];

/* Addresses of mappings: this program, and generated code. */
#define PROGRAM_AT	0x400000ULL
#define JIT_AT		0x700000ULL

/* Offset of main() in the file of this program; write_programs() sets it. */
extern __u64 known_place;

/* Writes the names of this program, with line numbers, and of generated code. */
void write_programs(struct tap_file_writer *w);

int look_up_program(const struct tap_file_reader *file, __u64 time, __u64 addr);

void test_programs(const char *path);

#endif /* _TEST_LIB_FILE_NAMES_H */

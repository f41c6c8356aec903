/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names in the trace file that file_test makes: those of the kernel, and of programs.
 */
#ifndef _TEST_LIB_FILE_NAMES_H
#define _TEST_LIB_FILE_NAMES_H

#include <linux/types.h>

struct tap_file_reader;
struct tap_file_writer;

/* The kernel's symbols; later, when a module has gone and another one has come. */
extern const char file_kallsyms[];
extern const char file_kallsyms_later[];

/* Where addresses of programs are: of this one, and of generated code. */
#define PROGRAM_AT	0x400000ULL
#define JIT_AT		0x700000ULL

/* Offset of main() in the file of this program; set by write_programs(). */
extern __u64 known_place;

/* Writes the names of this very program, with its lines, and of generated code. */
void write_programs(struct tap_file_writer *w);

int look_up_program(const struct tap_file_reader *file, __u64 time, __u64 addr);

void test_programs(const char *path);

#endif /* _TEST_LIB_FILE_NAMES_H */

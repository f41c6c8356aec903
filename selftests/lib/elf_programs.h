/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The programs that elf_test builds in a temporary directory.
 */
#ifndef _TEST_LIB_ELF_PROGRAMS_H
#define _TEST_LIB_ELF_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define MAX_SEGMENTS	16

struct tap_elf;
struct tap_error;

/* The directory: a template for mkdtemp(), which main() calls. */
extern char elf_dir[];

bool build_programs(void);

/* Runs a command in the directory; returns true if it succeeds. */
__attribute__((format(printf, 1, 2)))
bool run_in_dir(const char *fmt, ...);

/* Runs a command; returns its output, for pclose(). %s in @fmt is a file of the directory. */
FILE *lines_of(const char *fmt, const char *name);

int open_in_dir(struct tap_elf **elf, const char *name, struct tap_error *err);

/**
 * struct segments - segments that are loaded, from readelf
 * @nr: number of entries of the arrays
 * @offset: offset in the file
 * @addr: address in memory
 * @size: size in the file
 */
struct segments {
	size_t nr;
	unsigned long long offset[MAX_SEGMENTS];
	unsigned long long addr[MAX_SEGMENTS];
	unsigned long long size[MAX_SEGMENTS];
};

void read_segments(const char *name, struct segments *s);

/* The offset of an address in the file; ~0 if there is none. */
unsigned long long offset_of(const struct segments *s, unsigned long long addr);

#endif /* _TEST_LIB_ELF_PROGRAMS_H */

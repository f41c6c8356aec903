/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Variables of a program or library, and where they are in a process. Private to libtap.
 */
#ifndef _TAP_ELF_ELF_VARIABLE_H
#define _TAP_ELF_ELF_VARIABLE_H

#include "elf/elf_object.h"

/**
 * struct tap_elf_variable - a variable, or a function
 * @addr: virtual address in the file
 * @size: bytes, 0 if unknown
 * @nr: number of variables of this name; this is the first
 * @symbol: its name in the symbol table, as long as the file is open
 */
struct tap_elf_variable {
	uint64_t addr;
	uint64_t size;
	size_t nr;
	const char *symbol;
};

int tap_elf_variable(struct tap_elf *elf, const char *name, struct tap_elf_variable *var,
		     struct tap_error *err);
int tap_elf_start(struct tap_elf *elf, uint64_t *addr, uint64_t *offset, struct tap_error *err);
int tap_elf_bias(struct tap_elf *elf, uint32_t pid, uint64_t *bias, struct tap_error *err);
bool tap_elf_pointer(struct tap_elf *elf, const char *symbol, uint64_t *addr);

#endif /* _TAP_ELF_ELF_VARIABLE_H */

/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * An open program or library. Private to elf*.c.
 */
#ifndef _TAP_ELF_ELF_INTERNAL_H
#define _TAP_ELF_ELF_INTERNAL_H

#include <string.h>
#include <sys/stat.h>

#include <elfutils/libdwfl.h>
#include <gelf.h>

#include "elf/elf_object.h"

/**
 * struct tap_elf_segment - a part of the file that is loaded
 * @addr: its first virtual address
 * @offset: where it lies in the file
 * @size: its bytes in the file
 * @code: it is loaded with the right to execute it
 */
struct tap_elf_segment {
	uint64_t addr;
	uint64_t offset;
	uint64_t size;
	bool code;
};

/**
 * struct tap_elf_unit - code that a unit of the DWARF is of
 * @begin: its first address
 * @end: behind the last one
 * @bias: what the addresses in the DWARF lack
 * @die: the unit
 */
struct tap_elf_unit {
	uint64_t begin;
	uint64_t end;
	uint64_t bias;
	Dwarf_Die *die;
};

/**
 * struct tap_elf - an open program or library
 * @refs: who holds it
 * @fd: open for reading
 * @path: as it was opened
 * @stat: of the file when it was opened
 * @elf: libelf's; reads, does not map: the file may be cut while it is read
 * @segments: what is loaded
 * @nr_segments: number of @segments
 * @is_32bit: a program of 32 bits
 * @fixed: it is always loaded at its own addresses
 * @dwfl: libdwfl's; NULL until symbols or lines are first asked for
 * @mod: the one module of @dwfl, NULL if it takes the file for damaged
 * @functions: by address; NULL until they are first asked for
 * @nr_functions: number of @functions
 * @functions_error: why there are none, -errno; 0 until they are asked for
 * @names: the names of @functions that are not in the file as they are here
 * @nr_names: number of @names
 * @demangled: whether all of @functions have their names as in the source
 * @units: by address, where the DWARF has no table of them
 * @nr_units: number of @units
 * @units_tried: whether they were looked for
 * @usdt: places of USDT probes; NULL until they are first asked for
 * @nr_usdt: number of @usdt
 * @usdt_error: why there are none, -errno
 */
struct tap_elf {
	unsigned int refs;
	int fd;
	char *path;
	struct stat stat;
	Elf *elf;
	struct tap_elf_segment *segments;
	size_t nr_segments;
	bool is_32bit;
	bool fixed;
	Dwfl *dwfl;
	Dwfl_Module *mod;
	struct tap_elf_function *functions;
	size_t nr_functions;
	int functions_error;
	char **names;
	size_t nr_names;
	bool demangled;
	struct tap_elf_unit *units;
	size_t nr_units;
	bool units_tried;
	struct tap_usdt *usdt;
	size_t nr_usdt;
	int usdt_error;
};

/**
 * tap_elf_segment_of() - the segment that an address is in
 * @elf: the file
 * @addr: virtual address
 *
 * Return: the segment, or NULL if the file has nothing there.
 */
const struct tap_elf_segment *tap_elf_segment_of(const struct tap_elf *elf,
						 uint64_t addr);

/**
 * tap_elf_addr() - where a byte of the code is loaded
 * @elf: the file
 * @offset: which byte of the file
 * @addr: set to its virtual address
 *
 * Return: whether it is loaded as code.
 */
bool tap_elf_addr(const struct tap_elf *elf, uint64_t offset, uint64_t *addr);

/**
 * tap_elf_name_len() - how much of a symbol is its name
 * @name: e.g. "malloc@@GLIBC_2.2.5", whose version is no part of it; not empty
 *
 * Return: bytes.
 */
static inline size_t tap_elf_name_len(const char *name)
{
	return strcspn(name + 1, "@") + 1;
}

/**
 * tap_elf_module() - the file as libdwfl sees it
 * @elf: the file
 *
 * Return: its module, or NULL.
 */
Dwfl_Module *tap_elf_module(struct tap_elf *elf);

#endif /* _TAP_ELF_ELF_INTERNAL_H */

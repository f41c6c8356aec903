/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * An open program or library. Private to elf/.
 */
#ifndef _TAP_ELF_ELF_INTERNAL_H
#define _TAP_ELF_ELF_INTERNAL_H

#include <string.h>
#include <sys/stat.h>

#include <gelf.h>

#include "elf/elf_object.h"

/**
 * struct tap_elf_segment - a part of the file that is loaded
 * @addr: its first virtual address
 * @offset: its first byte in the file
 * @size: its bytes in the file
 * @code: it is loaded executable
 */
struct tap_elf_segment {
	uint64_t addr;
	uint64_t offset;
	uint64_t size;
	bool code;
};

/**
 * struct tap_elf_unit - a range of code of a DWARF unit
 * @begin: its first address
 * @end: address after the last one
 * @bias: added to addresses of the DWARF
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
 * @refs: number of references
 * @fd: open for reading
 * @path: as it was opened
 * @stat: of the file when it was opened
 * @elf: of libelf; reads instead of mapping, as the file may be truncated
 * @segments: the loaded segments
 * @nr_segments: number of @segments
 * @is_32bit: a 32-bit program
 * @fixed: not position-independent: loaded at its own addresses
 * @dwfl: of libdwfl; NULL until symbols or lines are needed
 * @mod: the only module of @dwfl, NULL if libdwfl rejects the file
 * @functions: by address; NULL until they are needed
 * @nr_functions: number of @functions
 * @functions_error: -errno of the read of @functions; 0 if not tried
 * @names: names of @functions that are not in the file in this form
 * @nr_names: number of @names
 * @demangled: all of @functions have their demangled names
 * @units: by address; used if the DWARF has no table of address ranges
 * @nr_units: number of @units
 * @units_tried: @units were read
 * @usdt: places of USDT probes; NULL until they are needed
 * @nr_usdt: number of @usdt
 * @usdt_error: -errno of the read of @usdt
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

/* The segment that contains an address, or NULL if it is not in the file. */
const struct tap_elf_segment *tap_elf_segment_of(const struct tap_elf *elf,
						 uint64_t addr);

/*
 * The length of a symbol's name without its version, e.g. "malloc" of
 * "malloc@@GLIBC_2.2.5". @name must not be empty.
 */
static inline size_t tap_elf_name_len(const char *name)
{
	return strcspn(name + 1, "@") + 1;
}

#endif /* _TAP_ELF_ELF_INTERNAL_H */

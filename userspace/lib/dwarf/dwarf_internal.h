/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * An open file with debug information. Private to dwarf/.
 */
#ifndef _TAP_DWARF_DWARF_INTERNAL_H
#define _TAP_DWARF_DWARF_INTERNAL_H

#include <elfutils/libdw.h>

#include "dwarf/dwarf.h"

/**
 * struct tap_dwarf_function - a function with code
 * @addr: of its first byte, as libdwfl laid the file out
 * @die: its DIE
 */
struct tap_dwarf_function {
	Dwarf_Addr addr;
	Dwarf_Die die;
};

/**
 * struct tap_dwarf - an open file
 * @path: as it was opened
 * @dwfl: of a module; NULL: @mod belongs to @elf
 * @mod: never NULL once the file is open
 * @elf: the program or library, or NULL
 * @functions: by address; NULL until they are needed
 * @nr_functions: number of @functions
 * @inlines: functions that are inlined somewhere, without code of their own; known with @functions
 * @nr_inlines: number of @inlines
 * @types: those that were converted; NULL until they are needed
 */
struct tap_dwarf {
	char *path;
	Dwfl *dwfl;
	Dwfl_Module *mod;
	struct tap_elf *elf;
	struct tap_dwarf_function *functions;
	size_t nr_functions;
	Dwarf_Die *inlines;
	size_t nr_inlines;
	struct tap_dwarf_types *types;
};

/* dwarf_file.c */
const Elf_Data *tap_dwarf_section(Elf *elf, const char *wanted);
int tap_dwarf_open_plain(struct tap_dwarf **dwarf, const char *path, struct tap_error *err);

/* dwarf_find.c */
char *tap_dwarf_module_path(struct tap_types *types, const char *module);
int tap_dwarf_module_file(struct tap_types *types, const char *module, char **path,
			  struct tap_error *err);

/* dwarf_function.c */
bool tap_dwarf_entry_pc(Dwarf_Die *die, Dwarf_Addr *pc);
Dwarf_Die *tap_dwarf_inlines(struct tap_dwarf *dwarf, size_t *nr);

/* dwarf_types.c */
int tap_dwarf_type(struct tap_dwarf *dwarf, Dwarf_Die *die, struct tap_type *type);
int tap_dwarf_type_of(struct tap_dwarf *dwarf, Dwarf_Die *die, struct tap_type *type);
bool tap_dwarf_constant(Dwarf_Attribute *attr, __s64 *value, bool *is_signed);
void tap_dwarf_types_free(struct tap_dwarf_types *types);

/* dwarf_walk.c: @fn is called for each DIE of a unit or namespace, until it returns non-zero */
int tap_dwarf_each(const struct tap_dwarf *dwarf,
		   int (*fn)(Dwarf_Die *die, Dwarf_Addr bias, void *arg), void *arg);
Dwarf_Die *tap_dwarf_definition(const struct tap_dwarf *dwarf, const char *name, size_t len,
				bool (*fits)(Dwarf_Die *die), Dwarf_Die *die);

#endif /* _TAP_DWARF_DWARF_INTERNAL_H */

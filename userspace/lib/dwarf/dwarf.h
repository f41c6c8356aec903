/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Debug information (DWARF) of a module, program or library. Private to libtap and its tool.
 */
#ifndef _TAP_DWARF_DWARF_H
#define _TAP_DWARF_DWARF_H

#include <elfutils/libdwfl.h>

#include "elf/elf_object.h"
#include "types/btf.h"

/**
 * struct tap_dwarf - the debug information of one file
 *
 * All DIEs, lines and names that libdw gives for it are valid until tap_dwarf_close().
 */
struct tap_dwarf;

/* dwarf_file.c */
int tap_dwarf_open(struct tap_dwarf **dwarf, const char *path, struct tap_error *err);
int tap_dwarf_open_elf(struct tap_dwarf **dwarf, struct tap_elf *elf, struct tap_error *err);
void tap_dwarf_close(struct tap_dwarf *dwarf);
Dwfl_Module *tap_dwarf_module(const struct tap_dwarf *dwarf);
struct tap_elf *tap_dwarf_elf(const struct tap_dwarf *dwarf);
const char *tap_dwarf_path(const struct tap_dwarf *dwarf);
size_t tap_dwarf_file_id(const char *path, uint8_t id[TAP_BUILD_ID_MAX]);
size_t tap_dwarf_build_id(const struct tap_dwarf *dwarf, uint8_t id[TAP_BUILD_ID_MAX]);

/* dwarf_find.c: opens a file once for all that need it; they do not close it */
int tap_dwarf_find_module(struct tap_types *types, const char *module,
			  struct tap_dwarf **dwarf, struct tap_error *err);
int tap_dwarf_module_section(struct tap_types *types, const char *module, const char *name,
			     const void **data, size_t *size, struct tap_error *err);
int tap_dwarf_find_elf(struct tap_types *types, struct tap_elf *elf, struct tap_dwarf **dwarf,
		       struct tap_error *err);

/**
 * struct tap_dwarf_build - the build of a module whose debug information was used
 * @root: as in struct tap_debug; not owned
 * @module: its name
 * @id: the build-id
 * @len: bytes of @id
 */
struct tap_dwarf_build {
	const char *root;
	char module[TAP_MAX_TARGET];
	uint8_t id[TAP_BUILD_ID_MAX];
	size_t len;
};

int tap_dwarf_builds(struct tap_types *types, struct tap_dwarf_build **list);
int tap_dwarf_check_build(const struct tap_dwarf_build *build, struct tap_error *err);

/* dwarf_symbols.c: functions of a module that is not loaded */
int tap_dwarf_module_functions(struct tap_types *types, const char *module, char ***names,
			       size_t *nr);
void tap_dwarf_names_free(char **names, size_t nr);

/* dwarf_entries.c: functions of a module that others can call */
int tap_dwarf_module_entries(struct tap_types *types, const char *module, char ***names, size_t *nr,
			     struct tap_error *err);

/* dwarf_types.c: types by name */
int tap_dwarf_struct(struct tap_dwarf *dwarf, const char *name, size_t len, struct tap_type *type);
int tap_dwarf_enumerator(struct tap_dwarf *dwarf, const char *name, size_t len, __s64 *value);

/* dwarf_function.c: prototypes, and where the parameters are */
int tap_dwarf_function(struct tap_dwarf *dwarf, const char *name, struct tap_prototype *proto);
int tap_dwarf_function_at(struct tap_dwarf *dwarf, uint64_t addr, const char *name,
			  struct tap_prototype *proto);

#endif /* _TAP_DWARF_DWARF_H */

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
void tap_dwarf_module_of(const char *path, char name[TAP_MAX_TARGET]);
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

/**
 * enum tap_dwarf_return_kind - what makes a value that a function returns
 * @TAP_DWARF_RETURN_CONST: an instruction with a number
 * @TAP_DWARF_RETURN_CALL: a function that is called, whose result is passed on
 * @TAP_DWARF_RETURN_COMPUTED: an instruction that computes it, or reads it from memory
 */
enum tap_dwarf_return_kind {
	TAP_DWARF_RETURN_CONST,
	TAP_DWARF_RETURN_CALL,
	TAP_DWARF_RETURN_COMPUTED,
};

/**
 * struct tap_dwarf_return - an instruction that makes a value which a function returns
 * @kind: enum tap_dwarf_return_kind
 * @value: the number of %TAP_DWARF_RETURN_CONST
 * @offset: of the instruction in @symbol
 * @symbol: the function, or a part of it that the compiler has put elsewhere
 * @file: of the source, as the line table has it; allocated; NULL: not known
 * @line: of @file, in the function that is inlined there if one is; 0: not known
 * @first_line: where that function begins
 * @callee: of %TAP_DWARF_RETURN_CALL: its function; "" if that is not known
 */
struct tap_dwarf_return {
	enum tap_dwarf_return_kind kind;
	int64_t value;
	uint64_t offset;
	char symbol[TAP_MAX_TARGET];
	char *file;
	int line;
	int first_line;
	char callee[TAP_MAX_TARGET];
};

/**
 * tap_dwarf_returns() - list what makes the values that a function of a module returns
 * @types: with the paths of --debug
 * @module: its name, as in /proc/modules
 * @function: its name in the symbol table
 * @list: set to the instructions; end them with tap_dwarf_returns_free()
 * @nr: set to their number
 * @err: the error message on failure
 *
 * The code is that of the module's file, which must be of this architecture and of the build that is
 * loaded.
 *
 * Without debug information there are no lines.
 *
 * Return: 0; -ENODATA without the file; -ESTALE if there is only that of another build; -ENOENT
 * without the function; -EILSEQ for an instruction that is not known; -ENOEXEC; -ENOMEM.
 */
int tap_dwarf_returns(struct tap_types *types, const char *module, const char *function,
		      struct tap_dwarf_return **list, size_t *nr, struct tap_error *err);

void tap_dwarf_returns_free(struct tap_dwarf_return *list, size_t nr);

/**
 * struct tap_dwarf_body - the source of a function
 * @file: as the debug information has it; allocated
 * @first_line: where the function begins
 */
struct tap_dwarf_body {
	char *file;
	int first_line;
};

/**
 * tap_dwarf_bodies() - list the sources that the code of a function of a module is made of
 * @types: with the paths of --debug
 * @module: its name, as in /proc/modules
 * @function: its name in the symbol table
 * @list: set to its own one, and those of the functions that are inlined into it, each once; end them
 *	with tap_dwarf_bodies_free()
 * @nr: set to their number
 * @err: the error message on failure
 *
 * Return: 0; -ENODATA without debug information; -ESTALE if there is only that of another build;
 * -ENOENT without the function; -ENOMEM.
 */
int tap_dwarf_bodies(struct tap_types *types, const char *module, const char *function,
		     struct tap_dwarf_body **list, size_t *nr, struct tap_error *err);

void tap_dwarf_bodies_free(struct tap_dwarf_body *list, size_t nr);

#endif /* _TAP_DWARF_DWARF_H */

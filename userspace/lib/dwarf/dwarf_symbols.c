// SPDX-License-Identifier: LGPL-2.1
/*
 * The functions of a module that is not loaded, from the symbol table of its file. It needs no
 * debug information.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <gelf.h>

#include "dwarf/dwarf_internal.h"
#include "util/array.h"

/* A symbol of a function. */
struct function {
	const char *name;
	GElf_Addr addr;
};

/* Sections whose code the kernel does not let kprobes into. */
static bool is_denied(const char *section)
{
	return !strcmp(section, ".kprobes.text") || !strcmp(section, ".noinstr.text") ||
	       !strcmp(section, ".entry.text");
}

/* Whether a symbol is the start of a function that a probe can be at. */
static bool is_function(const char *name, const GElf_Sym *sym, const char *section)
{
	return name && *name && GELF_ST_TYPE(sym->st_info) == STT_FUNC &&
	       sym->st_shndx != SHN_UNDEF && section && !is_denied(section) &&
	       strncmp(name, "__pfx_", 6) && strncmp(name, "__cfi_", 6) &&
	       !strstr(name, ".cold");
}

/* The names that module.h gives to the two functions that the kernel calls. */
static bool is_alias(const char *name)
{
	return !strcmp(name, "init_module") || !strcmp(name, "cleanup_module");
}

static int by_addr(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr > y->addr ? 1 : -1;
	return is_alias(x->name) - is_alias(y->name);
}

static const char *section_name(Elf *elf, GElf_Word index)
{
	Elf_Scn *scn = elf_getscn(elf, index);
	size_t names;
	GElf_Shdr shdr;

	if (!scn || !gelf_getshdr(scn, &shdr) || !(shdr.sh_flags & SHF_EXECINSTR) ||
	    elf_getshdrstrndx(elf, &names))
		return NULL;
	return elf_strptr(elf, names, shdr.sh_name);
}

static int read_symbols(Dwfl_Module *mod, struct function **list, size_t *nr)
{
	int i, n = dwfl_module_getsymtab(mod);

	for (i = 1; i < n; i++) {
		struct function f;
		GElf_Word section;
		GElf_Addr bias;
		GElf_Sym sym;
		Elf *elf = NULL;

		f.name = dwfl_module_getsym_info(mod, i, &sym, &f.addr, &section, &elf, &bias);
		if (!elf || !is_function(f.name, &sym, section_name(elf, section)))
			continue;
		if (!TAP_GROW(*list, *nr))
			return -ENOMEM;
		(*list)[(*nr)++] = f;
	}
	return 0;
}

/**
 * tap_dwarf_names_free() - free the names of functions
 * @names: allocated, as each of them; may be NULL
 * @nr: their number
 */
void tap_dwarf_names_free(char **names, size_t nr)
{
	while (nr)
		free(names[--nr]);
	free(names);
}

/* Copies of the names, of each address once. */
static int copy_names(struct function *list, size_t nr, char ***names, size_t *nr_names)
{
	size_t i;

	*names = NULL;
	*nr_names = 0;
	if (nr)
		qsort(list, nr, sizeof(*list), by_addr);
	for (i = 0; i < nr; i++) {
		char *copy;

		if (i && list[i].addr == list[i - 1].addr)
			continue;
		copy = TAP_GROW(*names, *nr_names) ? strdup(list[i].name) : NULL;
		if (!copy) {
			tap_dwarf_names_free(*names, *nr_names);
			return -ENOMEM;
		}
		(*names)[(*nr_names)++] = copy;
	}
	return 0;
}

/**
 * tap_dwarf_module_functions() - list the functions of a module that is not loaded
 * @types: with the paths of --debug
 * @module: its name, as in /proc/modules
 * @names: set to their names, by address; end them with tap_dwarf_names_free()
 * @nr: set to their number
 *
 * Return: 0; -ENOENT if there is no file of the module; -ENOMEM; others of tap_dwarf_open().
 */
int tap_dwarf_module_functions(struct tap_types *types, const char *module, char ***names,
			       size_t *nr)
{
	char *path = tap_dwarf_module_path(types, module);
	struct function *list = NULL;
	struct tap_dwarf *dwarf;
	struct tap_error err;
	size_t n = 0;
	int ret;

	if (!path)
		return -ENOENT;
	ret = tap_dwarf_open_plain(&dwarf, path, &err);
	free(path);
	if (ret)
		return ret;
	ret = read_symbols(tap_dwarf_module(dwarf), &list, &n);
	if (!ret)
		ret = copy_names(list, n, names, nr);
	free(list);
	tap_dwarf_close(dwarf);
	return ret;
}

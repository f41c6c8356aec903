// SPDX-License-Identifier: LGPL-2.1
/*
 * The functions of a module that others can call: those that it exports, and those whose address it
 * hands out, in its operations tables or to a function that it calls. The relocations of its file
 * say both; it needs no debug information.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <gelf.h>

#include "dwarf/dwarf_internal.h"
#include "util/array.h"

/* A function of the symbol table. @entry: others can call it. */
struct function {
	const char *name;
	GElf_Section section;
	GElf_Addr offset;
	bool entry;
};

/**
 * struct file - a module being read
 * @elf: the file
 * @machine: of its header
 * @names: section of the names of sections
 * @list: functions, by section and offset
 * @nr: number of @list
 */
struct file {
	Elf *elf;
	GElf_Half machine;
	size_t names;
	struct function *list;
	size_t nr;
};

/* What a section can say about functions. */
enum kind {
	NOTHING,	/* e.g. where the unwinder and the tracer have their places */
	EXPORTS,
	POINTERS,
	CODE,
};

static const char *section_name(const struct file *f, size_t index, GElf_Shdr *shdr)
{
	Elf_Scn *scn = elf_getscn(f->elf, index);

	return scn && gelf_getshdr(scn, shdr) ? elf_strptr(f->elf, f->names, shdr->sh_name) : NULL;
}

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

/* __init and __exit code is not called any more, or not yet. */
static enum kind kind_of(const struct file *f, size_t index)
{
	GElf_Shdr shdr;
	const char *name = section_name(f, index, &shdr);

	if (!name || !(shdr.sh_flags & SHF_ALLOC) || begins(name, ".init") || begins(name, ".exit"))
		return NOTHING;
	if (shdr.sh_flags & SHF_EXECINSTR)
		return CODE;
	/* "___ksymtab+NAME" until the module is linked. */
	if (begins(name, "__ksymtab") || begins(name, "___ksymtab"))
		return EXPORTS;
	return begins(name, ".data") || begins(name, ".rodata") ? POINTERS : NOTHING;
}

/* Whether a relocation makes an address, and not a distance for a call or a jump. */
static bool is_address(GElf_Half machine, GElf_Word type, enum kind kind)
{
	if (kind == EXPORTS)
		return true;
	switch (machine) {
	case EM_X86_64:
		return type == R_X86_64_64 ||
		       (kind == CODE && (type == R_X86_64_32S || type == R_X86_64_32));
	case EM_AARCH64:
		return type == R_AARCH64_ABS64 ||
		       (kind == CODE && (type == R_AARCH64_ADR_PREL_PG_HI21 ||
					 type == R_AARCH64_ADR_PREL_LO21));
	default:
		return false;
	}
}

static int compare(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static Elf_Scn *symbol_table(const struct file *f, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(f->elf, scn)))
		if (gelf_getshdr(scn, shdr) && shdr->sh_type == SHT_SYMTAB)
			return scn;
	return NULL;
}

/* Functions that the kernel's macros make for tracepoints: their addresses are in tables, too. */
static bool is_generated(const char *name)
{
	static const char *const with[] = {
		"__traceiter_", "trace_event_raw_event_", "trace_raw_output_", "perf_trace_",
		"__bpf_trace_", "trace_event_get_offsets_",
	};
	size_t i;

	for (i = 0; i < sizeof(with) / sizeof(with[0]); i++)
		if (begins(name, with[i]))
			return true;
	return false;
}

static int read_functions(struct file *f)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = symbol_table(f, &shdr);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	GElf_Sym sym;
	const char *name;
	int i;

	for (i = 1; data && gelf_getsym(data, i, &sym); i++) {
		name = elf_strptr(f->elf, shdr.sh_link, sym.st_name);
		if (!name || !*name || GELF_ST_TYPE(sym.st_info) != STT_FUNC ||
		    kind_of(f, sym.st_shndx) != CODE || begins(name, "__pfx_") ||
		    begins(name, "__cfi_") || strstr(name, ".cold") || is_generated(name))
			continue;
		if (!TAP_GROW(f->list, f->nr))
			return -ENOMEM;
		f->list[f->nr++] = (struct function) { name, sym.st_shndx, sym.st_value, false };
	}
	if (f->nr)
		qsort(f->list, f->nr, sizeof(*f->list), compare);
	return 0;
}

/* A function is an entry only if the address is that of its first instruction. */
static void mark(struct file *f, GElf_Section section, GElf_Addr offset)
{
	const struct function key = { NULL, section, offset, false };
	struct function *found = f->nr ? bsearch(&key, f->list, f->nr, sizeof(key), compare) : NULL;

	if (found)
		found->entry = true;
}

static void read_relocations(struct file *f, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	enum kind kind = kind_of(f, shdr->sh_info);
	Elf_Scn *symbols = elf_getscn(f->elf, shdr->sh_link);
	Elf_Data *data = kind ? elf_getdata(scn, NULL) : NULL;
	Elf_Data *table = symbols ? elf_getdata(symbols, NULL) : NULL;
	GElf_Rela rela;
	GElf_Sym sym;
	int i;

	for (i = 0; data && table && gelf_getrela(data, i, &rela); i++)
		if (is_address(f->machine, (GElf_Word)GELF_R_TYPE(rela.r_info), kind) &&
		    gelf_getsym(table, (int)GELF_R_SYM(rela.r_info), &sym))
			mark(f, sym.st_shndx, sym.st_value + (GElf_Addr)rela.r_addend);
}

/* The file as it is: dwfl_module_getelf() applies the relocations, and drops them. */
static Elf *elf_of(Dwfl_Module *mod)
{
	int i, nr = dwfl_module_getsymtab(mod);
	Elf *elf = NULL;
	GElf_Addr addr;
	GElf_Sym sym;

	for (i = 1; i < nr && !elf; i++)
		dwfl_module_getsym_info(mod, i, &sym, &addr, NULL, &elf, NULL);
	return elf;
}

/* The names of the entries, each once. */
static int copy_names(const struct file *f, char ***names, size_t *nr)
{
	size_t i, k;

	*names = NULL;
	*nr = 0;
	for (i = 0; i < f->nr; i++) {
		char *copy;

		if (!f->list[i].entry)
			continue;
		for (k = 0; k < *nr && strcmp((*names)[k], f->list[i].name); k++)
			;
		if (k < *nr)
			continue;
		copy = TAP_GROW(*names, *nr) ? strdup(f->list[i].name) : NULL;
		if (!copy) {
			tap_dwarf_names_free(*names, *nr);
			return -ENOMEM;
		}
		(*names)[(*nr)++] = copy;
	}
	return 0;
}

static int read_file(struct file *f, Dwfl_Module *mod)
{
	GElf_Ehdr ehdr;
	GElf_Shdr shdr;
	Elf_Scn *scn = NULL;
	int ret;

	f->elf = elf_of(mod);
	if (!f->elf || !gelf_getehdr(f->elf, &ehdr) || elf_getshdrstrndx(f->elf, &f->names))
		return 0;
	f->machine = ehdr.e_machine;
	ret = read_functions(f);
	while (!ret && f->nr && (scn = elf_nextscn(f->elf, scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_RELA)
			read_relocations(f, scn, &shdr);
	return ret;
}

/**
 * tap_dwarf_module_entries() - list the functions of a module that others can call
 * @types: with the paths of --debug
 * @module: its name, as in /proc/modules; it need not be loaded
 * @names: set to the names; end them with tap_dwarf_names_free()
 * @nr: set to their number
 * @err: an error message on failure
 *
 * Return: 0; -ENOENT if it has no such function; -ENOMEM; others of tap_dwarf_module_file().
 */
int tap_dwarf_module_entries(struct tap_types *types, const char *module, char ***names, size_t *nr,
			     struct tap_error *err)
{
	struct file f = { 0 };
	struct tap_dwarf *dwarf;
	char *path;
	int ret = tap_dwarf_module_file(types, module, &path, err);

	if (ret)
		return ret;
	/* Opened once more: the search has looked at its build-id by dwfl_module_getelf(). */
	ret = tap_dwarf_open_plain(&dwarf, path, err);
	free(path);
	if (ret)
		return ret;
	ret = read_file(&f, tap_dwarf_module(dwarf));
	if (!ret)
		ret = copy_names(&f, names, nr);
	if (ret)
		tap_error_set(err, ret, "out of memory");
	else if (!*nr)
		ret = tap_error_set(err, -ENOENT,
				    "%s: the module exports no function, and hands out the address of none; name its functions one by one",
				    tap_dwarf_path(dwarf));
	free(f.list);
	tap_dwarf_close(dwarf);
	return ret;
}

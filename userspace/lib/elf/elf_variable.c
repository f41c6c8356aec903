// SPDX-License-Identifier: LGPL-2.1
/*
 * Variables of a program or library: their addresses in the file, from its symbol tables or those
 * of its debug file; the instruction that each process executes before its main(); and where a
 * process has mapped the file.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_internal.h"
#include "elf/elf_variable.h"
#include "util/demangle.h"
#include "util/suggest.h"

/* What a search for a variable has found. @data: with functions, a second pass has begun. */
struct search {
	const char *name;
	struct tap_elf_variable *var;
	bool functions;
	bool thread_local;
	struct tap_suggest near;
};

static bool is_name(const char *symbol, const char *name)
{
	char buf[TAP_DEMANGLED_MAX];
	size_t len = strlen(name);

	if (!strncmp(symbol, name, len) && tap_elf_name_len(symbol) == len)
		return true;
	return tap_demangle(symbol, true, buf) && !strcmp(buf, name);
}

static void look_at(struct search *s, const char *name, const GElf_Sym *sym, GElf_Addr addr)
{
	unsigned char type = GELF_ST_TYPE(sym->st_info);
	bool found;

	if (type != STT_TLS && type != (s->functions ? STT_FUNC : STT_OBJECT))
		return;
	found = is_name(name, s->name);
	if (type == STT_TLS) {
		s->thread_local |= found;
		return;
	}
	tap_suggest_offer(&s->near, name, tap_elf_name_len(name));
	/* The dynamic symbol table may have the same symbol. */
	if (!found || (s->var->nr && s->var->addr == addr))
		return;
	if (!s->var->nr++) {
		s->var->addr = addr;
		s->var->size = sym->st_size;
		s->var->symbol = name;
	}
}

/**
 * tap_elf_variable() - find a variable, or else a function
 * @elf: the file
 * @name: as in the symbol table, or demangled
 * @var: set on success
 * @err: an error message on failure
 *
 * Return: 0; -ENODATA: the file has no symbols; -ENOENT with near names; -EINVAL: it is
 *	thread-local.
 */
int tap_elf_variable(struct tap_elf *elf, const char *name, struct tap_elf_variable *var,
		     struct tap_error *err)
{
	Dwfl_Module *mod = tap_elf_module(elf);
	int total = mod ? dwfl_module_getsymtab(mod) : -1, i;
	struct search s = { .name = name, .var = var };
	const char *symbol;
	char near[300];
	GElf_Word section;
	GElf_Addr addr;
	GElf_Sym sym;

	*var = (struct tap_elf_variable) { 0 };
	if (total <= 0)
		return tap_error_set(err, -ENODATA,
				     "%s: has no symbols (it is stripped); install its debug symbols (in Debian PACKAGE-dbgsym)",
				     elf->path);
	tap_suggest_begin(&s.near, name, strlen(name));
	do {
		/* Symbol 0 is undefined by definition. */
		for (i = 1; i < total; i++) {
			symbol = dwfl_module_getsym_info(mod, i, &sym, &addr, &section, NULL, NULL);
			if (symbol && *symbol && section != SHN_UNDEF && section != SHN_ABS)
				look_at(&s, symbol, &sym, addr);
		}
		s.functions = !s.functions;
	} while (s.functions && !var->nr);
	if (var->nr)
		return 0;
	if (s.thread_local)
		return tap_error_set(err, -EINVAL,
				     "%s: %s is thread-local: each thread has one of its own, at another address",
				     elf->path, name);
	return tap_error_set(err, -ENOENT, "%s: has no variable %s%s", elf->path, name,
			     tap_suggest_text(&s.near, "", "", near, sizeof(near)));
}

/* A value of the dynamic section; false if it is not there. */
static bool dynamic(const struct tap_elf *elf, GElf_Sxword tag, GElf_Xword *value)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	Elf_Data *data;
	GElf_Dyn dyn;
	int i;

	while ((scn = elf_nextscn(elf->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_DYNAMIC)
			continue;
		data = elf_getdata(scn, NULL);
		for (i = 0; data && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++)
			if (dyn.d_tag == tag) {
				*value = dyn.d_un.d_val;
				return true;
			}
	}
	return false;
}

/**
 * tap_elf_start() - the first instruction of a file that each process executes
 * @elf: the file
 * @addr: set to its virtual address in the file
 * @offset: set to its offset in the file
 * @err: an error message on failure
 *
 * Of a program its entry, where all libraries are mapped and relocated; of a library its
 * DT_INIT function. Both are executed before main().
 *
 * Return: 0, or -EOPNOTSUPP: it has none.
 */
int tap_elf_start(struct tap_elf *elf, uint64_t *addr, uint64_t *offset, struct tap_error *err)
{
	const struct tap_elf_segment *segment;
	GElf_Xword flags = 0, start = 0;
	GElf_Ehdr ehdr;

	if (!gelf_getehdr(elf->elf, &ehdr))
		return tap_error_set(err, -EOPNOTSUPP, "%s: has no header", elf->path);
	dynamic(elf, DT_FLAGS_1, &flags);
	if (elf->fixed || flags & DF_1_PIE)
		start = ehdr.e_entry;
	else
		dynamic(elf, DT_INIT, &start);
	segment = tap_elf_segment_of(elf, start);
	if (!start || !segment || !segment->code)
		return tap_error_set(err, -EOPNOTSUPP,
				     "%s: has no function that each process calls at its start (DT_INIT), so -c cannot watch its variables; use -p PID",
				     elf->path);
	*addr = start;
	*offset = start - segment->addr + segment->offset;
	return 0;
}

/*
 * Whether a line of /proc/PID/maps is of the file's code; sets where it is mapped. A process may map
 * its own files a second time to read them.
 */
static bool is_mapped(const struct tap_elf *elf, uint32_t pid, const char *line,
		      unsigned long long *start, unsigned long long *offset)
{
	unsigned long long end;
	struct stat st;
	char path[96], rights[8];

	if (sscanf(line, "%llx-%llx %7s %llx", start, &end, rights, offset) != 4 ||
	    !strchr(rights, 'x'))
		return false;
	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", pid, *start, end);
	return !stat(path, &st) && st.st_dev == elf->stat.st_dev && st.st_ino == elf->stat.st_ino;
}

/**
 * tap_elf_bias() - what a process has added to the addresses of a file
 * @elf: the file
 * @pid: the process
 * @bias: set on success
 * @err: an error message on failure
 *
 * Return: 0; -ESRCH: no such process; -ENOENT: it has not mapped the file.
 */
int tap_elf_bias(struct tap_elf *elf, uint32_t pid, uint64_t *bias, struct tap_error *err)
{
	unsigned long long start, offset;
	const struct tap_elf_segment *s;
	char *line = NULL, path[32];
	bool found = false;
	size_t room = 0, i;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	maps = fopen(path, "re");
	if (!maps)
		return tap_error_set(err, -ESRCH, "there is no process %u", pid);
	while (!found && getline(&line, &room, maps) > 0) {
		if (!is_mapped(elf, pid, line, &start, &offset))
			continue;
		for (i = 0; i < elf->nr_segments && !found; i++) {
			s = &elf->segments[i];
			/* Mappings begin at a page, and segments anywhere in it. */
			if (!s->code || offset > s->offset || s->offset - offset >= 65536)
				continue;
			*bias = start - (s->addr - (s->offset - offset));
			found = true;
		}
	}
	free(line);
	fclose(maps);
	return found ? 0 :
	       tap_error_set(err, -ENOENT, "%s: process %u has not mapped this file", elf->path, pid);
}

/* The relocation of a pointer to a symbol. */
#ifdef __x86_64__
#define RELOC_POINTER		R_X86_64_GLOB_DAT
#define RELOC_POINTER_32	R_386_GLOB_DAT
#else
#define RELOC_POINTER		R_AARCH64_GLOB_DAT
#define RELOC_POINTER_32	R_ARM_GLOB_DAT
#endif

/* Whether a relocation is that of a pointer to the variable. */
static bool is_pointer_to(const struct tap_elf *elf, Elf_Data *symbols, size_t names,
			  const GElf_Rela *rela, const char *symbol)
{
	const char *name;
	GElf_Sym sym;

	if (GELF_R_TYPE(rela->r_info) != (elf->is_32bit ? RELOC_POINTER_32 : RELOC_POINTER) ||
	    rela->r_addend || !gelf_getsym(symbols, (int)GELF_R_SYM(rela->r_info), &sym))
		return false;
	name = elf_strptr(elf->elf, names, sym.st_name);
	return name && !strcmp(name, symbol);
}

/* A relocation of a section; those of 32-bit files have no addend. */
static bool get_relocation(const struct tap_elf *elf, Elf_Data *data, int i, GElf_Rela *rela)
{
	GElf_Rel rel;

	if (!elf->is_32bit)
		return gelf_getrela(data, i, rela);
	if (!gelf_getrel(data, i, &rel))
		return false;
	*rela = (GElf_Rela){ .r_offset = rel.r_offset, .r_info = rel.r_info };
	return true;
}

/**
 * tap_elf_pointer() - the pointer by which a library finds a variable of its own
 * @elf: the file
 * @symbol: the variable, as in the symbol table
 * @addr: set to the virtual address of the pointer in the file
 *
 * A program whose code addresses the variable directly has a copy of it (a copy relocation), which
 * the library uses too: the dynamic linker lets the pointer lead there.
 *
 * Return: false: there is none; the variable is where it is in the file.
 */
bool tap_elf_pointer(struct tap_elf *elf, const char *symbol, uint64_t *addr)
{
	Elf_Data *data, *symbols;
	Elf_Scn *scn = NULL, *linked;
	GElf_Shdr shdr, table;
	GElf_Rela rela;
	int i;

	while ((scn = elf_nextscn(elf->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) ||
		    shdr.sh_type != (elf->is_32bit ? SHT_REL : SHT_RELA))
			continue;
		linked = elf_getscn(elf->elf, shdr.sh_link);
		if (!linked || !gelf_getshdr(linked, &table) || table.sh_type != SHT_DYNSYM)
			continue;
		symbols = elf_getdata(linked, NULL);
		data = elf_getdata(scn, NULL);
		for (i = 0; symbols && data && get_relocation(elf, data, i, &rela); i++)
			if (is_pointer_to(elf, symbols, table.sh_link, &rela, symbol)) {
				*addr = rela.r_offset;
				return true;
			}
	}
	return false;
}

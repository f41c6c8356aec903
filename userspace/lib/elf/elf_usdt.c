// SPDX-License-Identifier: LGPL-2.1
/*
 * USDT probes of a program: notes that <sys/sdt.h> puts into the section .note.stapsdt.
 * The descriptor of a note has three addresses (the place, the section .stapsdt.base,
 * the semaphore) and three strings (provider, name, arguments).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_internal.h"
#include "util/array.h"

#define SECTION		".note.stapsdt"
#define BASE_SECTION	".stapsdt.base"
#define OWNER		"stapsdt"
#define NOTE_TYPE	3
/* A limit for damaged files; programs have fewer. */
#define MAX_PLACES	(1 << 20)

/*
 * State of reading notes. @base is the address of .stapsdt.base in the current file, 0
 * without it.
 */
struct notes {
	struct tap_elf *elf;
	uint64_t base;
};

static Elf_Scn *section_of(Elf *elf, const char *name, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;
	const char *own;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, shdr))
			continue;
		own = elf_strptr(elf, names, shdr->sh_name);
		if (own && !strcmp(own, name))
			return scn;
	}
	return NULL;
}

static uint64_t address(const struct tap_elf *elf, const char *desc,
			unsigned int i)
{
	uint64_t wide;
	uint32_t narrow;

	if (elf->is_32bit) {
		memcpy(&narrow, desc + i * sizeof(narrow), sizeof(narrow));
		return narrow;
	}
	memcpy(&wide, desc + i * sizeof(wide), sizeof(wide));
	return wide;
}

/*
 * The string at *@p, which must end before @end; NULL if it does not, or if it is not
 * printable.
 */
static const char *text(const char **p, const char *end)
{
	const char *begin = *p;

	while (*p < end && **p >= ' ' && **p <= '~')
		++*p;
	if (*p == end || **p)
		return NULL;
	++*p;
	return begin;
}

static int append(struct notes *notes, const struct tap_usdt *usdt)
{
	struct tap_elf *elf = notes->elf;

	if (!TAP_GROW(elf->usdt, elf->nr_usdt))
		return -ENOMEM;
	elf->usdt[elf->nr_usdt++] = *usdt;
	return 0;
}

/* Returns 0, -EBADMSG if the note is invalid, or -ENOMEM. */
static int read_note(struct notes *notes, const char *desc, size_t len)
{
	const struct tap_elf *elf = notes->elf;
	size_t word = elf->is_32bit ? sizeof(uint32_t) : sizeof(uint64_t);
	const struct tap_elf_segment *segment;
	const char *p = desc + 3 * word, *end = desc + len, *args;
	struct tap_usdt usdt = { 0 };
	uint64_t addr, semaphore, shift;

	if (len < 3 * word)
		return -EBADMSG;
	usdt.provider = text(&p, end);
	usdt.name = usdt.provider ? text(&p, end) : NULL;
	args = usdt.name ? text(&p, end) : NULL;
	if (!args || !*usdt.provider || !*usdt.name)
		return -EBADMSG;
	/* prelink(8) moves sections without updating this note. */
	shift = notes->base ? notes->base - address(elf, desc, 1) : 0;
	addr = address(elf, desc, 0) + shift;
	semaphore = address(elf, desc, 2);
	segment = tap_elf_segment_of(elf, addr);
	if (!segment || !segment->code)
		return -EBADMSG;
	usdt.offset = addr - segment->addr + segment->offset;
	if (semaphore) {
		semaphore += shift;
		segment = tap_elf_segment_of(elf, semaphore);
		if (!segment)
			return -EBADMSG;
		usdt.semaphore = semaphore - segment->addr + segment->offset;
	}
	if (tap_usdt_args(&usdt, args, strlen(args)))
		return -EBADMSG;
	return append(notes, &usdt);
}

bool tap_usdt_same(const struct tap_usdt *a, const struct tap_usdt *b)
{
	return !strcmp(a->provider, b->provider) && !strcmp(a->name, b->name);
}

static int by_name(const void *pa, const void *pb)
{
	const struct tap_usdt *a = pa, *b = pb;
	int diff = strcmp(a->provider, b->provider);

	if (!diff)
		diff = strcmp(a->name, b->name);
	return diff ? diff : (a->offset > b->offset) - (a->offset < b->offset);
}

/* Sorts by name and removes duplicates. */
static void sort(struct tap_elf *elf)
{
	struct tap_usdt *list = elf->usdt;
	size_t nr = 0, i;

	if (elf->nr_usdt)
		qsort(list, elf->nr_usdt, sizeof(*list), by_name);
	for (i = 0; i < elf->nr_usdt; i++)
		if (!nr || by_name(&list[nr - 1], &list[i]))
			list[nr++] = list[i];
	elf->nr_usdt = nr;
}

static int read_notes(struct notes *notes, const Elf_Data *data)
{
	size_t at = 0, name, desc;
	const char *bytes = data->d_buf;
	int code = -ENODATA;
	GElf_Nhdr note;

	while (notes->elf->nr_usdt < MAX_PLACES &&
	       (at = gelf_getnote((Elf_Data *)data, at, &note, &name, &desc))) {
		if (note.n_type != NOTE_TYPE || note.n_namesz != sizeof(OWNER) ||
		    memcmp(bytes + name, OWNER, sizeof(OWNER)))
			continue;
		code = read_note(notes, bytes + desc, note.n_descsz);
		if (code == -ENOMEM)
			return code;
	}
	sort(notes->elf);
	return notes->elf->nr_usdt ? 0 : code;
}

static int read_usdt(struct tap_elf *elf)
{
	struct notes notes = { .elf = elf };
	GElf_Shdr shdr;
	Elf_Data *data;
	Elf_Scn *scn;

	if (section_of(elf->elf, BASE_SECTION, &shdr))
		notes.base = shdr.sh_addr;
	scn = section_of(elf->elf, SECTION, &shdr);
	if (!scn)
		return -ENODATA;
	if (shdr.sh_type != SHT_NOTE)
		return -EBADMSG;
	data = elf_getdata(scn, NULL);
	if (!data || !data->d_buf)
		return -EBADMSG;
	return read_notes(&notes, data);
}

/**
 * tap_elf_usdt() - return all places of USDT probes of a file
 * @elf: the file
 * @list: set to them, by provider, name and offset, without duplicates
 * @nr: set to the length of @list
 * @err: an error message on failure
 *
 * Invalid places are left out.
 *
 * Return: 0; -ENODATA if there are none, -EBADMSG if none is valid.
 */
int tap_elf_usdt(struct tap_elf *elf, const struct tap_usdt **list, size_t *nr,
		 struct tap_error *err)
{
	if (!elf->usdt && !elf->usdt_error)
		elf->usdt_error = read_usdt(elf);
	switch (elf->usdt_error) {
	case 0:
		*list = elf->usdt;
		*nr = elf->nr_usdt;
		return 0;
	case -ENODATA:
		return tap_error_set(err, -ENODATA,
				     "%s: has no USDT probes (no section " SECTION "); if a library that it uses has some, name the library",
				     elf->path);
	case -EBADMSG:
		return tap_error_set(err, -EBADMSG,
				     "%s: its USDT probes (section " SECTION ") are damaged",
				     elf->path);
	}
	return tap_error_set(err, elf->usdt_error, "out of memory");
}

/* Finds a variable by its name. Fails if several places have the name. */
static bool find_variable(struct tap_elf *elf, const char *name, size_t len,
			  uint64_t *addr)
{
	Dwfl_Module *mod = tap_elf_module(elf);
	int nr = mod ? dwfl_module_getsymtab(mod) : 0, i;
	bool found = false;
	const char *own;
	GElf_Word section;
	GElf_Addr at;
	GElf_Sym sym;

	*addr = 0;
	for (i = 1; i < nr; i++) {
		own = dwfl_module_getsym_info(mod, i, &sym, &at, &section, NULL,
					      NULL);
		if (!own || !*own || section == SHN_UNDEF ||
		    section == SHN_ABS || tap_elf_name_len(own) != len ||
		    memcmp(own, name, len) ||
		    (GELF_ST_TYPE(sym.st_info) != STT_OBJECT &&
		     GELF_ST_TYPE(sym.st_info) != STT_NOTYPE))
			continue;
		if (found && *addr != at)
			return false;
		found = true;
		*addr = at;
	}
	return found;
}

/**
 * tap_elf_usdt_resolve() - resolve arguments of a place that are in variables
 * @elf: the file
 * @place: of tap_elf_usdt(); arguments whose variable is found become %TAP_USDT_MEMORY,
 *	others do not change
 */
void tap_elf_usdt_resolve(struct tap_elf *elf, const struct tap_usdt *place)
{
	struct tap_usdt *usdt = &elf->usdt[place - elf->usdt];
	struct tap_usdt_arg *arg;
	uint64_t probe, variable;

	if (!tap_elf_addr(elf, usdt->offset, &probe))
		return;
	for (arg = usdt->args; arg < usdt->args + usdt->nr_args; arg++)
		if (arg->kind == TAP_USDT_SYMBOL &&
		    find_variable(elf, arg->symbol, arg->symbol_len, &variable))
			tap_usdt_place(arg, variable, probe, elf->fixed);
}

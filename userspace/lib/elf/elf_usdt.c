// SPDX-License-Identifier: LGPL-2.1
/*
 * The USDT probes of a program: notes that <sys/sdt.h> leaves in the section
 * .note.stapsdt. A note's descriptor are three addresses (the place, the section
 * .stapsdt.base, the semaphore) and three texts (provider, name, arguments).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_internal.h"

#define SECTION		".note.stapsdt"
#define BASE_SECTION	".stapsdt.base"
#define OWNER		"stapsdt"
#define NOTE_TYPE	3
/* No program has more; a damaged one could claim them. */
#define MAX_PLACES	(1 << 20)

/**
 * struct notes - what notes are read with
 * @elf: the file
 * @base: address of .stapsdt.base in the file as it is now, 0 if it has none
 * @room: entries allocated of the list
 */
struct notes {
	struct tap_elf *elf;
	uint64_t base;
	size_t room;
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

/* The text at *@p, which ends before @end; NULL if it does not, or is no text. */
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
	size_t room = notes->room ? notes->room * 2 : 16;
	struct tap_usdt *list;

	if (elf->nr_usdt == notes->room) {
		list = realloc(elf->usdt, room * sizeof(*list));
		if (!list)
			return -ENOMEM;
		elf->usdt = list;
		notes->room = room;
	}
	elf->usdt[elf->nr_usdt++] = *usdt;
	return 0;
}

/* 0; -EBADMSG if the note makes no sense, -ENOMEM. */
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
	/* prelink(8) moves sections, but does not know this note. */
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

/* The places of a name one after the other, each once. */
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
 * tap_elf_usdt() - all places of USDT probes of a file
 * @elf: the file
 * @list: set to them, by provider, name and offset, each once
 * @nr: set to their number
 * @err: an error message on failure
 *
 * A place that makes no sense is left out.
 *
 * Return: 0; -ENODATA if there are none, -EBADMSG if none makes sense.
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
				     "%s: has no USDT probes (no section " SECTION "); libraries that it uses may have some: name these",
				     elf->path);
	case -EBADMSG:
		return tap_error_set(err, -EBADMSG,
				     "%s: its USDT probes (section " SECTION ") are damaged",
				     elf->path);
	}
	return tap_error_set(err, elf->usdt_error, "out of memory");
}

/* Whether the file has one variable of this name, or several of one place. */
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
 * tap_elf_usdt_resolve() - find the variables that arguments of a place are in
 * @elf: the file
 * @place: of tap_elf_usdt(); arguments that lie in variables which are found
 *	become %TAP_USDT_MEMORY, others are left as they are
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

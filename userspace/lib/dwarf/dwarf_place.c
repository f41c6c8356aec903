// SPDX-License-Identifier: LGPL-2.1
/*
 * Instructions as SYMBOL+OFFSET. Section addresses are not needed: the kernel knows where it has
 * loaded the symbol.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/source.h"

/**
 * tap_dwarf_place_add() - append a place
 * @places: the list
 * @place: copied
 *
 * Return: 0 or -ENOMEM.
 */
int tap_dwarf_place_add(struct tap_dwarf_places *places, const struct tap_dwarf_place *place)
{
	size_t nr = places->nr;
	void *bigger;

	/* Doubles at each power of two. */
	if (!(nr & (nr - 1))) {
		bigger = realloc(places->list, (nr ? nr * 2 : 1) * sizeof(*places->list));
		if (!bigger)
			return -ENOMEM;
		places->list = bigger;
	}
	places->list[places->nr++] = *place;
	return 0;
}

static int by_addr(const void *a, const void *b)
{
	const struct tap_dwarf_place *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr > y->addr ? 1 : -1;
	return (x->line > y->line) - (x->line < y->line);
}

/* A symbol of the file that may have the place, and its number in the table. */
struct candidate {
	const char *name;
	GElf_Addr addr;
	int i;
};

/* Whether the kernel goes from the name to this symbol: it takes the first in the table. */
static bool is_first(Dwfl_Module *mod, const struct candidate *c)
{
	int i;

	for (i = 1; i < c->i; i++) {
		GElf_Addr addr;
		GElf_Sym sym;
		const char *name = dwfl_module_getsym_info(mod, i, &sym, &addr, NULL, NULL, NULL);

		if (name && sym.st_shndx != SHN_UNDEF && GELF_ST_TYPE(sym.st_info) == STT_FUNC &&
		    addr != c->addr && !strcmp(name, c->name))
			return false;
	}
	return true;
}

/*
 * Finds the function symbol that has the place. Static functions may share a name, which the
 * kernel takes for the first of them; of another one, the offset is from the nearest function
 * before it in the section whose name leads there.
 */
static bool find_symbol(Dwfl_Module *mod, struct tap_dwarf_place *place)
{
	struct candidate best = { 0 }, c;
	GElf_Word section = SHN_UNDEF, shndx;
	int i, n = dwfl_module_getsymtab(mod);
	GElf_Sym sym;

	if (!dwfl_module_addrsym(mod, place->addr, &sym, &section))
		return false;
	for (i = 1; i < n; i++) {
		c.i = i;
		c.name = dwfl_module_getsym_info(mod, i, &sym, &c.addr, &shndx, NULL, NULL);
		if (!c.name || !*c.name || GELF_ST_TYPE(sym.st_info) != STT_FUNC ||
		    sym.st_shndx == SHN_UNDEF || shndx != section || c.addr > place->addr ||
		    (best.name && c.addr <= best.addr) ||
		    strlen(c.name) >= sizeof(place->symbol) || !is_first(mod, &c))
			continue;
		best = c;
	}
	if (!best.name)
		return false;
	strcpy(place->symbol, best.name);
	place->offset = place->addr - best.addr;
	return true;
}

/**
 * tap_dwarf_places_finish() - sort places, and name them by symbols
 * @places: the list; each address of a line remains once
 * @mod: the file
 * @err: an error message on failure
 *
 * Return: 0; -ENOENT if there is no symbol for a place.
 */
int tap_dwarf_places_finish(struct tap_dwarf_places *places, Dwfl_Module *mod,
			    struct tap_error *err)
{
	size_t i, nr = 0;

	if (places->nr)
		qsort(places->list, places->nr, sizeof(*places->list), by_addr);
	for (i = 0; i < places->nr; i++) {
		if (nr && !by_addr(&places->list[nr - 1], &places->list[i]))
			continue;
		places->list[nr++] = places->list[i];
	}
	places->nr = nr;
	for (i = 0; i < nr; i++)
		if (!find_symbol(mod, &places->list[i]))
			return tap_error_set(err, -ENOENT,
					     "the symbol table has no function for the code at 0x%llx",
					     (unsigned long long)places->list[i].addr);
	return 0;
}

/**
 * tap_dwarf_places_free() - free the places of a list
 * @places: may be all zero; is all zero afterwards
 */
void tap_dwarf_places_free(struct tap_dwarf_places *places)
{
	size_t i;

	for (i = 0; i < places->nr; i++)
		free(places->list[i].variables);
	free(places->list);
	*places = (struct tap_dwarf_places) { 0 };
}

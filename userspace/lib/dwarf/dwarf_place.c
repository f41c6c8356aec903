// SPDX-License-Identifier: LGPL-2.1
/*
 * Instructions as SYMBOL+OFFSET. Section addresses are not needed: the kernel knows where it has
 * loaded the symbol.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf_internal.h"
#include "dwarf/source.h"
#include "util/array.h"

/**
 * tap_dwarf_place_add() - append a place
 * @places: the list
 * @place: copied
 *
 * Return: 0 or -ENOMEM.
 */
int tap_dwarf_place_add(struct tap_dwarf_places *places, const struct tap_dwarf_place *place)
{
	if (!TAP_GROW(places->list, places->nr))
		return -ENOMEM;
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

/* A function symbol of the file: its number in the table, and its section. */
struct function {
	const char *name;
	GElf_Addr addr;
	GElf_Word section;
	int i;
};

struct functions {
	struct function *list;
	size_t nr;
	bool module;
};

static int by_name(const void *a, const void *b)
{
	const struct function *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->i > y->i) - (x->i < y->i);
}

static int by_place(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->section != y->section)
		return x->section > y->section ? 1 : -1;
	if (x->addr != y->addr)
		return x->addr > y->addr ? 1 : -1;
	return (x->i > y->i) - (x->i < y->i);
}

/*
 * Drops those that the kernel does not find by their names: static functions may share a name,
 * which the kernel takes for the first of them in the table.
 */
static void keep_first(struct functions *f)
{
	size_t first, i, nr = 0;

	for (first = 0; first < f->nr; first = i) {
		bool other = false;

		for (i = first; i < f->nr && !strcmp(f->list[i].name, f->list[first].name); i++) {
			other |= f->list[i].addr != f->list[first].addr;
			if (!other)
				f->list[nr++] = f->list[i];
		}
	}
	f->nr = nr;
}

/* Whether the kernel finds a place by its name, as in a module. In a program it has an offset. */
static bool is_module(Dwfl_Module *mod)
{
	GElf_Addr bias;
	GElf_Ehdr ehdr;

	return gelf_getehdr(dwfl_module_getelf(mod, &bias), &ehdr) && ehdr.e_type == ET_REL;
}

/* Whether the kernel takes the name. That of a program is only printed. */
static bool fits(const struct functions *f, const struct function *one)
{
	return !f->module || strlen(one->name) < TAP_MAX_TARGET;
}

/* Reads the functions that a place may be named by, by section and address. */
static int read_functions(Dwfl_Module *mod, struct functions *f)
{
	int i, n = dwfl_module_getsymtab(mod);
	struct function one;
	GElf_Sym sym;

	if (n <= 0)
		return 0;
	f->list = calloc((size_t)n, sizeof(*f->list));
	if (!f->list)
		return -ENOMEM;
	for (i = 1; i < n; i++) {
		one.i = i;
		one.name = dwfl_module_getsym_info(mod, i, &sym, &one.addr, &one.section, NULL,
						   NULL);
		if (one.name && *one.name && GELF_ST_TYPE(sym.st_info) == STT_FUNC &&
		    sym.st_shndx != SHN_UNDEF)
			f->list[f->nr++] = one;
	}
	qsort(f->list, f->nr, sizeof(*f->list), by_name);
	f->module = is_module(mod);
	if (f->module)
		keep_first(f);
	qsort(f->list, f->nr, sizeof(*f->list), by_place);
	return 0;
}

/* Finds the nearest function before the place in its section. */
static bool find_symbol(Dwfl_Module *mod, const struct functions *f, struct tap_dwarf_place *place)
{
	size_t low = 0, high = f->nr, middle;
	struct function at = { .addr = place->addr };
	GElf_Sym sym;

	if (!dwfl_module_addrsym(mod, place->addr, &sym, &at.section))
		return false;
	/* The first one behind it. */
	at.i = INT_MAX;
	while (low < high) {
		middle = low + (high - low) / 2;
		if (by_place(&f->list[middle], &at) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	/* Of several at an address the first in the table; none with a name that is too long. */
	while (low && f->list[low - 1].section == at.section) {
		const struct function *found = &f->list[--low];

		if (!fits(f, found) ||
		    (low && f->list[low - 1].section == at.section &&
		     f->list[low - 1].addr == found->addr && fits(f, &f->list[low - 1])))
			continue;
		snprintf(place->symbol, sizeof(place->symbol), "%.*s",
			 (int)sizeof(place->symbol) - 1, found->name);
		place->offset = place->addr - found->addr;
		return true;
	}
	return false;
}

/**
 * tap_dwarf_places_finish() - sort places, and name them by symbols
 * @places: the list; each address of a line remains once
 * @mod: the file
 * @err: an error message on failure
 *
 * Return: 0; -ENOENT if there is no symbol for a place; -ENOMEM.
 */
int tap_dwarf_places_finish(struct tap_dwarf_places *places, Dwfl_Module *mod,
			    struct tap_error *err)
{
	struct functions functions = { 0 };
	size_t i, nr = 0;
	int ret = 0;

	if (!places->nr)
		return 0;
	qsort(places->list, places->nr, sizeof(*places->list), by_addr);
	for (i = 0; i < places->nr; i++) {
		if (nr && !by_addr(&places->list[nr - 1], &places->list[i]))
			continue;
		places->list[nr++] = places->list[i];
	}
	places->nr = nr;
	if (read_functions(mod, &functions))
		return tap_error_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < nr && !ret; i++)
		if (!find_symbol(mod, &functions, &places->list[i]))
			ret = tap_error_set(err, -ENOENT,
					    "the symbol table has no function for the code at 0x%llx",
					    (unsigned long long)places->list[i].addr);
	free(functions.list);
	return ret;
}

/**
 * tap_dwarf_entry() - find the entry of the function around an instruction
 * @mod: the file
 * @place: the instruction, after tap_dwarf_variables(); its function has an entry
 * @entry: gets the one place; the caller has to free it
 * @err: an error message on failure
 *
 * Return: 0; -ENOMEM; -ENOENT if there is no symbol for it.
 */
int tap_dwarf_entry(Dwfl_Module *mod, const struct tap_dwarf_place *place,
		    struct tap_dwarf_places *entry, struct tap_error *err)
{
	struct tap_dwarf_place at = { .bias = place->bias, .cu = place->cu };
	Dwarf_Die function = place->function;

	*entry = (struct tap_dwarf_places) { 0 };
	/* tap_dwarf_locate() has refused a function that has no entry. */
	tap_dwarf_entry_pc(&function, &at.addr);
	at.addr += at.bias;
	if (tap_dwarf_place_add(entry, &at))
		return tap_error_set(err, -ENOMEM, "out of memory");
	return tap_dwarf_places_finish(entry, mod, err);
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

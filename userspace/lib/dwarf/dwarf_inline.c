// SPDX-License-Identifier: LGPL-2.1
/*
 * All code of a function: the function itself, its clones, and its inlined instances.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>

#include "dwarf/dwarf_internal.h"
#include "dwarf/source.h"
#include "util/array.h"
#include "util/suggest.h"

struct search {
	const char *name;
	Dwarf_Die *cu;
	Dwarf_Addr bias;
	Dwarf_Addr *entries;	/* see collect_entries(); allocated */
	size_t nr_entries;
	bool seen;
	bool failed;
	bool suggests;
	struct tap_suggest near;
	struct tap_dwarf_places *places;
};

static void add_at(struct search *s, struct tap_dwarf_place place, Dwarf_Addr addr)
{
	place.addr = addr + s->bias;
	s->failed |= tap_dwarf_place_add(s->places, &place) != 0;
}

static void add(struct search *s, Dwarf_Die *die, bool inlined)
{
	struct tap_dwarf_place place = { .bias = s->bias, .cu = *s->cu, .inlined = inlined };
	bool known = dwarf_hasattr(die, DW_AT_entry_pc), found = false;
	Dwarf_Addr addr;
	size_t i;

	if (!tap_dwarf_entry_pc(die, &addr))
		return;
	place.instance = dwarf_dieoffset(die);
	for (i = 0; inlined && i < s->nr_entries; i++) {
		if (dwarf_haspc(die, s->entries[i]) <= 0)
			continue;
		found |= s->entries[i] == addr || !known;
		add_at(s, place, s->entries[i]);
	}
	place.no_entry = inlined && !known;
	if (!found)
		add_at(s, place, addr);
}

static int add_instance(Dwarf_Die *die, void *arg)
{
	struct search *s = arg;

	add(s, die, true);
	return s->failed ? DWARF_CB_ABORT : DWARF_CB_OK;
}

/*
 * Collects the rows that gcc writes where an inlined function is entered: statements at the line and
 * column of its name. An instance has several of them if gcc has copied its first block; its
 * DW_AT_entry_pc is one of them.
 */
static void collect_entries(struct search *s, Dwarf_Die *function)
{
	const char *file = dwarf_decl_file(function);
	int line, column, l, c;
	Dwarf_Lines *rows;
	Dwarf_Addr addr;
	bool statement;
	size_t i, nr;

	s->nr_entries = 0;
	if (!file || dwarf_decl_line(function, &line) || dwarf_decl_column(function, &column) ||
	    dwarf_getsrclines(s->cu, &rows, &nr))
		return;
	for (i = 0; i < nr; i++) {
		Dwarf_Line *row = dwarf_onesrcline(rows, i);
		const char *path = dwarf_linesrc(row, NULL, NULL);

		if (dwarf_lineno(row, &l) || l != line || dwarf_linecol(row, &c) || c != column ||
		    dwarf_linebeginstatement(row, &statement) || !statement ||
		    dwarf_lineaddr(row, &addr) || !path || strcmp(path, file))
			continue;
		if (!TAP_GROW(s->entries, s->nr_entries)) {
			s->failed = true;
			return;
		}
		s->entries[s->nr_entries++] = addr;
	}
}

static int look_at(Dwarf_Die *die, void *arg)
{
	struct search *s = arg;
	const char *name = dwarf_diename(die);

	if (!name)
		return DWARF_CB_OK;
	if (s->suggests)
		tap_suggest_offer(&s->near, name, strlen(name));
	if (strcmp(name, s->name))
		return DWARF_CB_OK;
	s->seen = true;
	add(s, die, false);
	if (dwarf_func_inline(die)) {
		collect_entries(s, die);
		dwarf_func_inline_instances(die, add_instance, s);
	}
	return s->failed ? DWARF_CB_ABORT : DWARF_CB_OK;
}

/*
 * The beginning of a function may be inlined, with the rest in a function NAME.part.N that it
 * calls: that is no entry. Neither is NAME.cold, to which the function jumps.
 */
static void drop_parts(struct tap_dwarf_places *places)
{
	size_t i, nr = 0;

	for (i = 0; i < places->nr; i++) {
		const struct tap_dwarf_place *p = &places->list[i];

		if (!p->inlined && (strstr(p->symbol, ".part.") || strstr(p->symbol, ".cold")))
			continue;
		places->list[nr++] = *p;
	}
	places->nr = nr;
}

static void look_at_all(struct search *s, Dwfl_Module *mod)
{
	while (!s->failed && (s->cu = dwfl_module_nextcu(mod, s->cu, &s->bias)))
		dwarf_getfuncs(s->cu, look_at, s, 0);
	free(s->entries);
}

static int check(const struct search *s, struct tap_error *err)
{
	char near[300];

	if (s->failed)
		return tap_error_set(err, -ENOMEM, "out of memory");
	tap_suggest_text(&s->near, "", "", near, sizeof(near));
	if (!s->seen)
		return tap_error_set(err, -ENOENT, "the debug information has no function %s%s",
				     s->name, near);
	if (!s->places->nr)
		return tap_error_set(err, -ENODATA,
				     "the function %s has no code here: it is not called, or the compiler computed its result",
				     s->name);
	return 0;
}

/**
 * tap_dwarf_instances() - find all entries of a function, inlined ones too
 * @mod: the file with the code
 * @function: its name
 * @places: filled in; the caller has to call tap_dwarf_places_free()
 * @err: an error message on failure
 *
 * Return: 0; -ENOENT without such a function; -ENODATA if it has no code; -ENOMEM.
 */
int tap_dwarf_instances(Dwfl_Module *mod, const char *function,
			struct tap_dwarf_places *places, struct tap_error *err)
{
	struct search s = { .name = function, .places = places, .suggests = true };
	int ret;

	*places = (struct tap_dwarf_places) { 0 };
	tap_suggest_begin(&s.near, function, strlen(function));
	look_at_all(&s, mod);
	ret = check(&s, err);
	if (!ret)
		ret = tap_dwarf_places_finish(places, mod, err);
	if (!ret)
		drop_parts(places);
	if (ret)
		tap_dwarf_places_free(places);
	return ret;
}

/**
 * tap_dwarf_inlined() - count the places where a function is inlined
 * @dwarf: the file with the code
 * @function: its name
 *
 * Return: their number; too few if out of memory.
 */
size_t tap_dwarf_inlined(struct tap_dwarf *dwarf, const char *function)
{
	struct tap_dwarf_places places = { 0 };
	struct search s = { .name = function, .places = &places };
	size_t i, nr_inlines, nr = 0;
	Dwarf_Die *inlines = tap_dwarf_inlines(dwarf, &nr_inlines), cu;

	for (i = 0; i < nr_inlines && !s.failed; i++) {
		s.cu = dwarf_diecu(&inlines[i], &cu, NULL, NULL);
		if (s.cu)
			look_at(&inlines[i], &s);
	}
	free(s.entries);
	for (i = 0; i < places.nr; i++)
		nr += places.list[i].inlined;
	tap_dwarf_places_free(&places);
	return nr;
}

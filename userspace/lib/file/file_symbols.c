// SPDX-License-Identifier: LGPL-2.1
/*
 * Symbols of a trace file, decoded at the first look-up.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file/file_internal.h"

/*
 * Of several symbols at one address, the one found last comes last: names point into
 * the mapped file.
 */
static int compare_symbols(const void *x, const void *y)
{
	const struct tap_file_symbol *a = x, *b = y;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return (a->name > b->name) - (a->name < b->name);
}

static void sort_symbols(struct tap_file_names *names)
{
	if (names->nr_symbols)
		qsort(names->symbols, names->nr_symbols, sizeof(*names->symbols),
		      compare_symbols);
}

static void load_symbols(struct tap_file_reader *file)
{
	const struct tap_file_part *added = &file->added_symbols;
	struct tap_file_names *names = &file->names;
	size_t i;

	file->symbols_tried = true;
	for (i = 0; i < file->nr_symbol_parts; i++)
		tap_file_names_load(names, file->symbol_parts[i].data,
				    file->symbol_parts[i].len);
	if (file->nr_symbol_parts > 1)
		sort_symbols(names);
	/* A module of the start may have been unloaded during the recording. */
	tap_file_modlives_load(file);
	if (added->data)
		tap_file_names_load(names, added->data, added->len);
	tap_file_modlives_leave(file);
	if (added->data)
		sort_symbols(names);
}

int tap_file_lookup(const struct tap_file_reader *const_file, __u64 addr,
		    char *buf, size_t len)
{
	/* Decoding on demand does not change anything that a caller can see. */
	struct tap_file_reader *file = (void *)(uintptr_t)const_file;
	const struct tap_file_names *names = &file->names;
	const struct tap_file_symbol *sym;
	struct tap_file_string module;

	if (!file->symbols_tried)
		load_symbols(file);
	sym = tap_file_names_find(names, addr);
	sym = tap_file_modlives_find(file, addr, sym, &names);
	if (!sym)
		return -ENOENT;
	module = tap_file_module_of(names, sym);
	snprintf(buf, len, "%.*s+0x%llx%s%.*s%s", (int)sym->len, sym->name,
		 (unsigned long long)(addr - sym->addr), module.len ? " [" : "",
		 (int)module.len, module.s, module.len ? "]" : "");
	if (module.len)
		tap_file_add_line(file, addr, buf, len);
	return 0;
}

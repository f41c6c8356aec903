// SPDX-License-Identifier: LGPL-2.1
/*
 * Lines of source, from the DWARF of a program or of its separate debug file.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_internal.h"

/* How far it is looked back for a unit that has others inside. */
#define LOOK_BACK	64

static int by_begin(const void *pa, const void *pb)
{
	const struct tap_elf_unit *a = pa, *b = pb;

	return (a->begin > b->begin) - (a->begin < b->begin);
}

static bool append(struct tap_elf *elf, const struct tap_elf_unit *unit)
{
	struct tap_elf_unit *units = elf->units;
	size_t nr = elf->nr_units;

	/* Room is doubled when all of it is used, which is at powers of two. */
	if (!(nr & (nr - 1))) {
		units = realloc(units, (nr ? nr * 2 : 1) * sizeof(*units));
		if (!units)
			return false;
		elf->units = units;
	}
	units[elf->nr_units++] = *unit;
	return true;
}

/* Of what code each unit is; without memory of fewer of them. */
static void read_units(struct tap_elf *elf)
{
	struct tap_elf_unit unit = { 0 };
	Dwarf_Addr base, begin, end, bias;
	ptrdiff_t at;

	elf->units_tried = true;
	while ((unit.die = dwfl_module_nextcu(elf->mod, unit.die, &bias)))
		for (at = 0; (at = dwarf_ranges(unit.die, at, &base, &begin,
						&end)) > 0;) {
			unit.begin = begin + bias;
			unit.end = end + bias;
			unit.bias = bias;
			if (begin < end && !append(elf, &unit))
				goto out;
		}
out:
	if (elf->nr_units)
		qsort(elf->units, elf->nr_units, sizeof(*elf->units), by_begin);
}

/*
 * Without a table of address ranges, which clang leaves out: the units themselves
 * say of what code they are.
 */
static const char *line_of_units(struct tap_elf *elf, Dwarf_Addr addr,
				 int *number)
{
	size_t low = 0, high, mid, i;
	Dwarf_Line *line;

	if (!elf->units_tried)
		read_units(elf);
	for (high = elf->nr_units; low < high;) {
		mid = low + (high - low) / 2;
		if (elf->units[mid].begin <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	for (i = low; i && low - i < LOOK_BACK; i--) {
		const struct tap_elf_unit *unit = &elf->units[i - 1];

		if (addr >= unit->end)
			continue;
		line = dwarf_getsrc_die(unit->die, addr - unit->bias);
		if (line && !dwarf_lineno(line, number))
			return dwarf_linesrc(line, NULL, NULL);
	}
	return NULL;
}

/**
 * tap_elf_line() - the line of source that a byte of the file is from
 * @elf: the file
 * @offset: the byte
 * @buf: where to: "FILE:LINE", the file without its directory
 * @len: bytes at @buf
 *
 * Return: 0, or -ENOENT if it is not known.
 */
int tap_elf_line(struct tap_elf *elf, uint64_t offset, char *buf, size_t len)
{
	Dwfl_Module *mod = tap_elf_module(elf);
	const char *file, *slash;
	Dwarf_Addr addr;
	Dwfl_Line *line;
	int number, n;

	if (!mod || !tap_elf_addr(elf, offset, &addr))
		return -ENOENT;
	line = dwfl_module_getsrc(mod, addr);
	file = line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) :
		      line_of_units(elf, addr, &number);
	if (!file || number <= 0)
		return -ENOENT;
	slash = strrchr(file, '/');
	n = snprintf(buf, len, "%s:%d", slash ? slash + 1 : file, number);
	return n < 0 || (size_t)n >= len ? -ENOENT : 0;
}

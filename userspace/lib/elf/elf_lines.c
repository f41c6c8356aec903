// SPDX-License-Identifier: LGPL-2.1
/*
 * Source lines, from the DWARF of a program or of its separate debug file.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_internal.h"
#include "elf/elf_source.h"
#include "util/array.h"

/* Ranges before an address that are checked for containing it: nested ranges are rare. */
#define LOOK_BACK	64

static int by_begin(const void *pa, const void *pb)
{
	const struct tap_elf_unit *a = pa, *b = pb;

	return (a->begin > b->begin) - (a->begin < b->begin);
}

static bool append(struct tap_elf *elf, const struct tap_elf_unit *unit)
{
	if (!TAP_GROW(elf->units, elf->nr_units))
		return false;
	elf->units[elf->nr_units++] = *unit;
	return true;
}

/* Reads the code ranges of all units. If out of memory, the rest is missing. */
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
 * The unit of an address, also for DWARF without a table of address ranges, which clang omits.
 */
static Dwarf_Die *unit_of(struct tap_elf *elf, Dwarf_Addr addr, Dwarf_Addr *bias)
{
	size_t low = 0, high, mid, i;
	Dwarf_Die *cu = dwfl_module_addrdie(elf->mod, addr, bias);

	if (cu)
		return cu;

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
		*bias = unit->bias;
		return unit->die;
	}
	return NULL;
}

/**
 * tap_elf_line() - find the source line of a byte of the file
 * @elf: the file
 * @offset: the byte
 * @buf: set to "FILE:LINE", without the directory, and the inlined functions: see
 *	tap_source_inlined()
 * @len: bytes at @buf
 *
 * Return: 0, or -ENOENT if it is unknown.
 */
int tap_elf_line(struct tap_elf *elf, uint64_t offset, char *buf, size_t len)
{
	Dwfl_Module *mod = tap_elf_module(elf);
	Dwarf_Addr addr, bias;
	const char *file;
	Dwarf_Line *line;
	Dwarf_Die *cu;
	int number, n;

	if (!mod || !tap_elf_addr(elf, offset, &addr))
		return -ENOENT;
	cu = unit_of(elf, addr, &bias);
	line = cu ? dwarf_getsrc_die(cu, addr - bias) : NULL;
	file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	if (!file || dwarf_lineno(line, &number) || number <= 0)
		return -ENOENT;
	n = snprintf(buf, len, "%s:%d", tap_source_name(file), number);
	if (n < 0 || (size_t)n >= len)
		return -ENOENT;
	tap_source_inlined(cu, addr - bias, buf, len);
	return 0;
}

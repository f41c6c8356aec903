// SPDX-License-Identifier: LGPL-2.1
/*
 * Lines of source, from the DWARF of a program or of its separate debug file.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "elf_file.h"

/*
 * Without a table of address ranges, which clang leaves out, each unit is asked
 * for its own.
 */
static const char *line_of_units(Dwfl_Module *mod, Dwarf_Addr addr, int *number)
{
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;
	Dwarf_Line *line;

	while ((unit = dwfl_module_nextcu(mod, unit, &bias))) {
		if (dwarf_haspc(unit, addr - bias) <= 0)
			continue;
		line = dwarf_getsrc_die(unit, addr - bias);
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
		      line_of_units(mod, addr, &number);
	if (!file || number <= 0)
		return -ENOENT;
	slash = strrchr(file, '/');
	n = snprintf(buf, len, "%s:%d", slash ? slash + 1 : file, number);
	return n < 0 || (size_t)n >= len ? -ENOENT : 0;
}

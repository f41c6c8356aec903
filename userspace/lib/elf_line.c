// SPDX-License-Identifier: LGPL-2.1
/*
 * Lines of source, from the DWARF of a program or of its separate debug file.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "elf_file.h"

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
		      NULL;
	if (!file || number <= 0)
		return -ENOENT;
	slash = strrchr(file, '/');
	n = snprintf(buf, len, "%s:%d", slash ? slash + 1 : file, number);
	return n < 0 || (size_t)n >= len ? -ENOENT : 0;
}

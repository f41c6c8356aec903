// SPDX-License-Identifier: LGPL-2.1
/*
 * Source lines of functions of kernel modules. The place is the function's symbol and an offset:
 * so it does not matter where the module is loaded.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf.h"
#include "elf/elf_source.h"

/*
 * The address of a function in the file. Functions of several units may have the same name, and
 * then it is not known which one the kernel means: 0.
 */
static Dwarf_Addr function_at(Dwfl_Module *mod, const char *name, size_t len)
{
	int nr = dwfl_module_getsymtab(mod), i;
	Dwarf_Addr at, found = 0;
	const char *other;
	GElf_Sym sym;

	for (i = 1; i < nr; i++) {
		other = dwfl_module_getsym_info(mod, i, &sym, &at, NULL, NULL, NULL);
		if (!other || GELF_ST_TYPE(sym.st_info) != STT_FUNC || strncmp(other, name, len) ||
		    other[len] || !sym.st_shndx)
			continue;
		if (found && found != at)
			return 0;
		found = at;
	}
	return found;
}

/* "FILE:LINE" of a place, with its inlined functions; false if it is unknown. */
static bool line_at(Dwfl_Module *mod, Dwarf_Addr at, char *buf, size_t len)
{
	Dwarf_Addr bias;
	Dwarf_Die *cu = dwfl_module_addrdie(mod, at, &bias);
	Dwarf_Line *line = cu ? dwarf_getsrc_die(cu, at - bias) : NULL;
	const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	int number, n;

	if (!file || dwarf_lineno(line, &number) || number <= 0)
		return false;
	n = snprintf(buf, len, "%s:%d", tap_source_name(file), number);
	if (n < 0 || (size_t)n >= len)
		return false;
	tap_source_inlined(cu, at - bias, buf, len);
	return true;
}

bool tap_types_line(struct tap_types *types, char *name, size_t size)
{
	char *plus = strstr(name, "+0x"), *rest, *end, line[TAP_SOURCE_BYTES], module[64];
	struct tap_dwarf *dwarf;
	struct tap_error err;
	unsigned long long off;
	Dwfl_Module *mod;
	Dwarf_Addr at;
	size_t len;

	if (!plus || strchr(plus, '\n'))
		return false;
	off = strtoull(plus + 1, &rest, 16);
	end = strchr(rest, ']');
	if (strncmp(rest, " [", 2) || !end || end[1])
		return false;
	len = (size_t)(end - rest) - 2;
	if (len >= sizeof(module))
		return false;
	memcpy(module, rest + 2, len);
	module[len] = '\0';
	if (tap_dwarf_find_module(types, module, &dwarf, &err))
		return false;
	mod = tap_dwarf_module(dwarf);
	at = mod ? function_at(mod, name, (size_t)(plus - name)) : 0;
	if (!at || !line_at(mod, at + off, line, sizeof(line)))
		return false;
	len = strlen(name);
	if (len + 1 + strlen(line) >= size)
		line[strcspn(line, "\n")] = '\0';
	snprintf(name + len, size - len, " %s", line);
	return true;
}

// SPDX-License-Identifier: LGPL-2.1
/*
 * The functions that were inlined at a byte of code, from DWARF.
 */
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_source.h"

/* Further ones are left out: DWARF that is not valid may have any number. */
#define MAX_INLINED	6

const char *tap_source_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Sets "FILE:LINE" of the call of an inlined function; false if it is unknown. */
static bool call_line(Dwarf_Die *cu, Dwarf_Die *die, char *buf, size_t len)
{
	Dwarf_Attribute attr;
	Dwarf_Word file, line;
	Dwarf_Files *files;
	const char *path;
	size_t nr;

	if (dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attr), &file) ||
	    dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attr), &line) ||
	    dwarf_getsrcfiles(cu, &files, &nr) || file >= nr)
		return false;
	path = dwarf_filesrc(files, file, NULL, NULL);
	if (!path)
		return false;
	snprintf(buf, len, "%s:%u", tap_source_name(path), (unsigned int)line);
	return true;
}

/* The scopes of an address, the innermost first, those of inlined functions in their callers. */
static int scopes_of(Dwarf_Die *cu, Dwarf_Addr pc, Dwarf_Die **scopes)
{
	Dwarf_Die innermost;
	int nr = dwarf_getscopes(cu, pc, scopes);

	if (nr <= 0)
		return 0;
	innermost = **scopes;
	free(*scopes);
	return dwarf_getscopes_die(&innermost, scopes);
}

/**
 * tap_source_inlined() - add the functions that were inlined at a byte
 * @cu: the unit
 * @pc: address of the byte, as the unit has it
 * @buf: has "FILE:LINE" of the byte. With inlined functions it is set to the line in the function
 *	that they were inlined into, and "\nFUNCTION (inlined) FILE:LINE" for each of them, the
 *	innermost first
 * @len: bytes at @buf; those that do not fit are left out
 */
void tap_source_inlined(Dwarf_Die *cu, Dwarf_Addr pc, char *buf, size_t len)
{
	char line[256], tail[1024];
	Dwarf_Die *scopes = NULL;
	size_t used = 0;
	int nr, i, n, inlined = 0;

	snprintf(line, sizeof(line), "%s", buf);
	*tail = '\0';
	nr = scopes_of(cu, pc, &scopes);
	for (i = 0; i < nr && dwarf_tag(&scopes[i]) != DW_TAG_subprogram; i++) {
		const char *name;

		if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine || ++inlined > MAX_INLINED)
			continue;
		name = dwarf_diename(&scopes[i]);
		n = snprintf(tail + used, sizeof(tail) - used, "\n%s (inlined) %s",
			     name ? name : "?", line);
		if (n < 0 || (size_t)n >= sizeof(tail) - used) {
			tail[used] = '\0';
			break;
		}
		used += (size_t)n;
		if (!call_line(cu, &scopes[i], line, sizeof(line)))
			snprintf(line, sizeof(line), "?");
	}
	if (nr > 0)
		free(scopes);
	if (used && strlen(line) + used < len)
		snprintf(buf, len, "%s%s", line, tail);
}

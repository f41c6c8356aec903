// SPDX-License-Identifier: LGPL-2.1
/*
 * Walks the DIEs of all units: functions, types and variables outside of functions.
 */
#include <string.h>

#include <dwarf.h>

#include "dwarf/dwarf_internal.h"

/* Nesting of namespaces. */
#define MAX_DEPTH	16

static int each_child(Dwarf_Die *parent, Dwarf_Addr bias,
		      int (*fn)(Dwarf_Die *die, Dwarf_Addr bias, void *arg), void *arg, int depth)
{
	Dwarf_Die die;
	int ret = 0;

	if (depth == MAX_DEPTH || dwarf_child(parent, &die))
		return 0;
	do {
		if (dwarf_tag(&die) == DW_TAG_namespace)
			ret = each_child(&die, bias, fn, arg, depth + 1);
		else
			ret = fn(&die, bias, arg);
	} while (!ret && !dwarf_siblingof(&die, &die));
	return ret;
}

/**
 * tap_dwarf_each() - walk the DIEs below units and namespaces
 * @dwarf: the file
 * @fn: called with each; @bias is to be added to its addresses. A non-zero return ends the walk
 * @arg: handed to @fn
 *
 * Return: 0, or what @fn returned.
 */
int tap_dwarf_each(const struct tap_dwarf *dwarf,
		   int (*fn)(Dwarf_Die *die, Dwarf_Addr bias, void *arg), void *arg)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Addr bias;
	Dwarf *dw = dwfl_module_getdwarf(dwarf->mod, &bias);
	Dwarf_Die die;
	int ret = 0;

	/* Units of types are among them, which dwfl_module_nextcu() leaves out. */
	while (!ret && !dwarf_get_units(dw, unit, &unit, NULL, NULL, &die, NULL))
		ret = each_child(&die, bias, fn, arg, 0);
	return ret;
}

struct wanted {
	const char *name;
	size_t len;
	bool (*fits)(Dwarf_Die *die);
	Dwarf_Die *die;
};

static int is_wanted(Dwarf_Die *die, Dwarf_Addr bias, void *arg)
{
	const struct wanted *want = arg;
	const char *name;

	(void)bias;
	if (!want->fits(die) || dwarf_hasattr(die, DW_AT_declaration))
		return 0;
	name = dwarf_diename(die);
	if (!name || strncmp(name, want->name, want->len) || name[want->len])
		return 0;
	*want->die = *die;
	return 1;
}

/**
 * tap_dwarf_definition() - find a definition by name
 * @dwarf: the file
 * @name: not terminated; without its namespace
 * @len: length of @name
 * @fits: whether a DIE is of the wanted kind
 * @die: set to the first one
 *
 * Return: @die, or NULL if there is none.
 */
Dwarf_Die *tap_dwarf_definition(const struct tap_dwarf *dwarf, const char *name, size_t len,
				bool (*fits)(Dwarf_Die *die), Dwarf_Die *die)
{
	struct wanted want = { name, len, fits, die };

	return tap_dwarf_each(dwarf, is_wanted, &want) ? die : NULL;
}

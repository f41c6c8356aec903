// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the instructions of events, as tap does before it makes their probes, for callgrind; or, for
 * comparison, has libdw alone read the units of a module, and their tables of lines.
 * usage: dwarf_cost ROOT EVENT...; ROOT has the sys/ and lib/ of the machine
 *        dwarf_cost --units|--lines MODULE.ko
 */
#include <elfutils/libdwfl.h>
#include <err.h>
#include <stdio.h>
#include <string.h>

#include <libtap.h>

#include "spec/spec.h"
#include "types/btf.h"

static int read_alone(const char *path, bool lines)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	size_t nr, units = 0, rows = 0;
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *mod;
	Dwarf_Lines *table;
	Dwarf_Die *cu;
	Dwarf_Addr bias;

	dwfl_report_begin(dwfl);
	mod = dwfl_report_offline(dwfl, "", path, -1);
	dwfl_report_end(dwfl, NULL, NULL);
	for (cu = dwfl_module_nextcu(mod, NULL, &bias); cu; cu = dwfl_module_nextcu(mod, cu, &bias)) {
		units++;
		if (lines && !dwarf_getsrclines(cu, &table, &nr))
			rows += nr;
	}
	printf("%zu units, %zu rows\n", units, rows);
	dwfl_end(dwfl);
	return !units || (lines && !rows);
}

int main(int argc, char **argv)
{
	struct tap_types *types = tap_types_new();
	struct tap_spec *spec, **list;
	struct tap_error error;
	size_t nr;
	int i;

	if (argc == 3 && (!strcmp(argv[1], "--units") || !strcmp(argv[1], "--lines")))
		return read_alone(argv[2], !strcmp(argv[1], "--lines"));
	if (argc < 2 || !types || tap_types_add_debug(types, argv[1], &error))
		errx(2, "usage: dwarf_cost ROOT EVENT...");
	tap_types_debug(types)->root = argv[1];
	for (i = 2; i < argc; i++) {
		if (tap_spec_parse(argv[i], &spec, &error) ||
		    tap_spec_expand(NULL, types, spec, &list, &nr, &error))
			errx(1, "%s: %s", argv[i], error.text);
		printf("%zu %s\n", nr, argv[i]);
		tap_spec_free(spec);
		tap_spec_list_free(list, nr);
	}
	tap_types_free(types);
	return 0;
}

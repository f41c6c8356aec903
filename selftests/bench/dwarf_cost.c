// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the instructions of events, as tap does before it makes their probes, for callgrind.
 * usage: dwarf_cost ROOT EVENT...; ROOT has the sys/ and lib/ of the machine
 */
#include <err.h>
#include <stdio.h>

#include <libtap.h>

#include "spec/spec.h"
#include "types/btf.h"

int main(int argc, char **argv)
{
	struct tap_types *types = tap_types_new();
	struct tap_spec *spec, **list;
	struct tap_error error;
	size_t nr;
	int i;

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

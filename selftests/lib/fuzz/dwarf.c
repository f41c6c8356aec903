// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of debug information: an input is an object file, as a module is. Asks for the types,
 * prototypes, lines, inlined functions and variables that it has.
 */
#include <string.h>

#include "dwarf/dwarf.h"
#include "dwarf/source.h"
#include "selftests/lib/fuzz/fuzz.h"
#include "selftests/lib/fuzz/libdw.h"
#include "util/value_names.h"

#define MAX_PLACES	8
#define MAX_VARIABLES	16

static int use_member(void *arg, const char *name, const struct tap_member *member)
{
	*(size_t *)arg += strlen(name) + member->type.size;
	return 0;
}

/* A type, its members, and what it points to. */
static void use_type(const struct tap_type *from)
{
	struct tap_type type = *from, target;
	char text[300];
	size_t sum = 0;
	int i;

	for (i = 0; i < 8 && type.cls != TAP_TYPE_NONE; i++) {
		tap_type_members(&type, use_member, &sum);
		tap_value_names_put(tap_type_value_names(&type));
		tap_type_name(&type, text, sizeof(text));
		tap_type_target(&type, &target);
		type = target;
	}
}

static void use_function(struct tap_dwarf *dwarf, const char *name)
{
	struct tap_prototype proto = { 0 };
	unsigned int i;

	if (tap_dwarf_function(dwarf, name, &proto))
		return;
	use_type(&proto.ret);
	for (i = 0; i < proto.nr; i++)
		use_type(&proto.params[i].type);
}

static void use_places(struct tap_dwarf *dwarf, struct tap_dwarf_places *places)
{
	Dwfl_Module *mod = tap_dwarf_module(dwarf);
	struct tap_dwarf_location location;
	struct tap_type type;
	char why[300];
	size_t i, k;

	for (i = 0; i < places->nr && i < MAX_PLACES; i++) {
		struct tap_dwarf_place *place = &places->list[i];

		if (tap_dwarf_variables(place))
			break;
		for (k = 0; k < place->nr_variables && k < MAX_VARIABLES; k++) {
			const struct tap_dwarf_variable *v = &place->variables[k];

			if (tap_dwarf_variable(place, v->name, strlen(v->name)) != v)
				abort();
			tap_dwarf_variable_type(dwarf, v, &type);
			use_type(&type);
			if (!tap_dwarf_locate(mod, place, v, &location, why, sizeof(why))) {
				if (!location.nr || location.nr > TAP_DWARF_MAX_TERMS)
					abort();
			} else if (k < 2) {
				tap_dwarf_alive(mod, place, v, why, sizeof(why));
			}
		}
	}
	tap_dwarf_places_free(places);
}

/* The names of the corpus. */
static void use_dwarf(struct tap_dwarf *dwarf)
{
	static const char *const structs[] = { "dev", "bits", "node" };
	static const char *const functions[] = { "run", "half", "setup" };
	Dwfl_Module *mod = tap_dwarf_module(dwarf);
	struct tap_dwarf_places places;
	struct tap_error err;
	struct tap_type type;
	__s64 value;
	size_t i;

	for (i = 0; i < sizeof(structs) / sizeof(*structs); i++)
		if (!tap_dwarf_struct(dwarf, structs[i], strlen(structs[i]), &type))
			use_type(&type);
	tap_dwarf_enumerator(dwarf, "BUSY", 4, &value);
	for (i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		use_function(dwarf, functions[i]);
		if (!tap_dwarf_instances(mod, functions[i], &places, &err))
			use_places(dwarf, &places);
	}
	if (!tap_dwarf_lines(mod, "d.c", 1, 100, &places, &err))
		use_places(dwarf, &places);
	if (!tap_dwarf_function_line(mod, "run", 2, &places, &err))
		use_places(dwarf, &places);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tap_error err = { 0 };
	struct tap_dwarf *dwarf;

	if (tap_dwarf_open(&dwarf, fuzz_store("module.ko", data, size), &err)) {
		if (!*err.text)
			abort();
		return 0;
	}
	use_dwarf(dwarf);
	tap_dwarf_close(dwarf);
	return 0;
}

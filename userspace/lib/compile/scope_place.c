// SPDX-License-Identifier: LGPL-2.1
/*
 * func and place: the names that tell the probes of a glob, and of a line, from each other.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "spec/spec.h"
#include "util/value_names.h"

/* The event without its type; of a line where its code is. */
static const char *place_of(const struct tap_spec *spec)
{
	const char *colon = strchr(spec->event, ':');

	if (spec->source)
		return spec->target;
	return colon ? colon + 1 : spec->event;
}

/**
 * tap_places_new() - the names of the probes of a glob
 * @list: its specs; those of one event are next to each other
 * @nr: number of @list
 *
 * Return: the names, in the order of @list; NULL if out of memory.
 */
struct tap_value_names *tap_places_new(const struct tap_spec *list, size_t nr)
{
	struct tap_value_names *places = tap_value_names_new();
	size_t i, value = 0;

	for (i = 0; i < nr && places; i++) {
		const char *name = place_of(&list[i]);

		if (i && strcmp(name, place_of(&list[i - 1])))
			value = i;
		if (tap_value_names_add(places, value, name, strlen(name))) {
			tap_value_names_put(places);
			return NULL;
		}
	}
	return places;
}

/**
 * tap_scope_place() - add func or place to a scope, behind the names that the event itself has
 * @scope: open
 * @name: which of them
 * @places: of tap_places_new(), with all probes of the glob
 * @i: which of them it is
 *
 * If one probe has several system calls, func is what syscall is.
 *
 * Return: 0 or -ENOMEM.
 */
int tap_scope_place(struct tap_scope *scope, const char *name, struct tap_value_names *places,
		    size_t i)
{
	struct tap_name *names, *func;
	size_t n;

	names = reallocarray(scope->names, scope->nr + 1, sizeof(*names));
	if (!names)
		return -ENOMEM;
	scope->names = names;
	func = &names[scope->nr];
	*func = (struct tap_name) {
		.kind = TAP_NAME_PLACE, .at = (int)places->list[i].value,
		.type = { .cls = TAP_TYPE_INT, .size = 8 },
		.format = TAP_FMT_VALUE_NAME, .value_names = places,
	};
	for (n = 0; n < scope->nr && places->nr == 1; n++)
		if (names[n].kind == TAP_NAME_VAR && names[n].at == TAP_VAR_SYSCALL)
			*func = names[n];
	strcpy(func->name, name);
	func->quiet = true;
	tap_value_names_get(func->value_names);
	scope->nr++;
	return 0;
}

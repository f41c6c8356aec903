// SPDX-License-Identifier: LGPL-2.1
/*
 * The names that a USDT probe gives to its expressions: its arguments, whose places and sizes
 * are in its note.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "elf/elf_object.h"
#include "lang/target.h"
#include "types/scope.h"

static const struct tap_usdt *find(const struct tap_spec *spec,
				   struct tap_error *err)
{
	const char *text = strchr(spec->event, ':') + 1;
	struct tap_user_target target;
	const struct tap_usdt *list;
	size_t nr, i;

	if (tap_elf_usdt(spec->elf, &list, &nr, err))
		return NULL;
	/* Several probes may be at one place. The event has PATH:PROVIDER:NAME. */
	tap_user_target_split(spec->type, (struct tap_token) {
		text, strlen(text) }, &target);
	for (i = 0; i < nr; i++)
		if (list[i].offset == spec->offset &&
		    tap_token_is(target.provider, list[i].provider) &&
		    tap_token_is(target.name, list[i].name))
			return &list[i];
	return NULL;
}

/**
 * tap_scope_usdt() - the names of a USDT probe
 * @scope: filled in; the caller has to call tap_scope_close() before it frees @spec
 * @spec: expanded
 * @err: an error message on failure
 *
 * Return: 0 or -errno.
 */
int tap_scope_usdt(struct tap_scope *scope, const struct tap_spec *spec, struct tap_error *err)
{
	unsigned int i;

	*scope = (struct tap_scope) { 0 };
	scope->usdt = find(spec, err);
	if (!scope->usdt)
		return tap_error_set(err, -ENOENT,
				     "%s: its arguments cannot be read",
				     spec->event);
	tap_elf_usdt_resolve(spec->elf, scope->usdt);
	scope->names = calloc(scope->usdt->nr_args + 1, sizeof(*scope->names));
	if (!scope->names)
		return tap_error_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < scope->usdt->nr_args; i++) {
		const struct tap_usdt_arg *arg = &scope->usdt->args[i];
		struct tap_name *name = &scope->names[scope->nr++];

		snprintf(name->name, sizeof(name->name), "arg%u", i + 1);
		name->kind = TAP_NAME_USDT;
		name->at = (int)i;
		name->type.cls = TAP_TYPE_INT;
		name->type.size = arg->size;
		name->type.is_signed = arg->is_signed && !arg->is_float;
		/* An unsigned value of 8 bytes may be an address. */
		name->raw = arg->size == 8 && !name->type.is_signed;
		/*
		 * A floating-point number is shown as its bits; programs cannot compute
		 * with it.
		 */
		if (arg->is_float)
			name->format = arg->size == 4 ? TAP_FMT_X32 :
							TAP_FMT_X64;
	}
	return 0;
}

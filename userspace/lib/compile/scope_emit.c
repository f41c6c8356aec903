// SPDX-License-Identifier: LGPL-2.1
/*
 * The names that an event of a driver gives to its expressions: its fields, from the notes of its
 * module.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "dwarf/dwarf.h"
#include "kernel/emit.h"
#include "spec/spec.h"

/**
 * tap_emits_find() - find the events of a module, loaded or not
 * @emits: filled in on success; the caller has to call tap_emits_free()
 * @types: with the paths of --debug, where the file of a module that is not loaded may be
 * @module: its name, as in /proc/modules
 * @err: an error message on failure
 *
 * Return: 0, also if it has none; 1 the same of a module that is not loaded; -errno.
 */
int tap_emits_find(struct tap_emits *emits, struct tap_types *types, const char *module,
		   struct tap_error *err)
{
	int ret = tap_emits_read(emits, tap_types_debug(types)->root, module, err);
	struct tap_error why;
	const void *notes;
	size_t size;

	if (ret != -ENOENT)
		return ret;
	ret = tap_dwarf_module_section(types, module, TAP_EMIT_SECTION, &notes, &size, &why);
	if (ret)
		return tap_error_set(err, ret, "no module %s is loaded, and %.400s", module, why.text);
	ret = tap_emits_parse(emits, module, notes, size, err);
	return ret ? ret : 1;
}

static void add_field(struct tap_scope *scope, const struct tap_emit_field *field)
{
	struct tap_name *name = &scope->names[scope->nr];

	strcpy(name->name, field->name);
	name->kind = TAP_NAME_ARG;
	name->at = (int)scope->nr++;
	name->type = field->type;
	name->stars = field->stars;
	strcpy(name->tag, field->tag);
	name->kernel = !field->type.user;
}

/**
 * tap_scope_emit() - the names of an event of a driver
 * @scope: filled in; the caller has to call tap_scope_close()
 * @types: as for tap_emits_find(); must outlive the scope
 * @target: MODULE:NAME, the name of the event, not of its tracepoint
 * @err: an error message on failure
 *
 * Return: 0; -ENOENT if there is no such event; as tap_emits_find().
 */
int tap_scope_emit(struct tap_scope *scope, struct tap_types *types, const char *target,
		   struct tap_error *err)
{
	const struct tap_emit_event *event = NULL;
	struct tap_emits emits;
	struct tap_target t;
	unsigned int k;
	size_t i;
	int ret;

	*scope = (struct tap_scope) { .types = types };
	tap_target_split(target, &t);
	ret = tap_emits_find(&emits, types, t.module, err);
	if (ret < 0)
		return ret;
	for (i = 0; i < emits.nr && !event; i++)
		if (!strcmp(emits.list[i].name, t.name))
			event = &emits.list[i];
	scope->names = calloc(TAP_MAX_ARGS, sizeof(*scope->names));
	for (k = 0; event && scope->names && k < event->nr; k++)
		add_field(scope, &event->fields[k]);
	tap_emits_free(&emits);
	if (!scope->names)
		return tap_error_set(err, -ENOMEM, "out of memory");
	if (!scope->nr) {
		tap_scope_close(scope);
		return tap_error_set(err, -ENOENT, "emit:%s: the module has no such event", target);
	}
	return 0;
}

/**
 * tap_scope_emit_structs() - find the structs that fields point to
 * @scope: of tap_scope_emit()
 * @target: as for tap_scope_emit()
 *
 * A driver's own structs are in the debug information of its module, if anywhere.
 */
void tap_scope_emit_structs(struct tap_scope *scope, const char *target)
{
	struct tap_target t;
	struct tap_type type;
	size_t i;

	tap_target_split(target, &t);
	for (i = 0; i < scope->nr && !scope->dwarf; i++) {
		const char *tag = scope->names[i].tag;

		if (*tag && tap_types_struct(scope->types, tag, strlen(tag), &type) &&
		    tap_dwarf_find_module(scope->types, t.module, &scope->dwarf, NULL))
			return;
	}
}

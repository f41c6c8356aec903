// SPDX-License-Identifier: LGPL-2.1
/*
 * The names of a probe, by its type.
 */
#include <stdio.h>
#include <string.h>

#include "compile/compile.h"
#include "dwarf/dwarf.h"
#include "kernel/syscalls.h"
#include "resolve/resolve.h"
#include "spec/probe_type.h"

/* The text of printk has a name that does not depend on the kernel. */
static void name_text(struct tap_scope *scope)
{
	size_t i;

	for (i = 0; i < scope->nr; i++)
		if (!strcmp(scope->names[i].name, "msg"))
			strcpy(scope->names[i].name, "text");
}

/**
 * tap_spec_scope() - the names that a probe gives to its expressions
 * @scope: filled in; the caller has to call tap_scope_close()
 * @types: of the running kernel, or NULL: no expression needs them
 * @why: why the kernel has none; or ""
 * @spec: expanded
 * @source: of a line: its places; must outlive the scope
 * @i: which of these it is
 * @err: an error message on failure
 *
 * Return: 0 or -errno.
 */
int tap_spec_scope(struct tap_scope *scope, struct tap_types *types, const char *why,
		   const struct tap_spec *spec, struct tap_source *source, size_t i,
		   struct tap_error *err)
{
	int ret;

	*scope = (struct tap_scope) { .types = *why ? NULL : types };
	if (spec->source)
		return tap_scope_source(scope, types, source->dwarf,
					&source->places, i, err);
	/* Its target is the tracepoint. */
	if (spec->emit)
		return tap_scope_emit(scope, types, strchr(spec->event, ':') + 1, err);
	if (spec->nr_addrs)
		return tap_scope_functions(scope, err);
	if (tap_probe_is_watch(spec->type))
		return tap_scope_watchpoint(scope, spec, err);
	if (tap_probe_is_user(spec->type))
		return tap_scope_user(scope, types, spec, err);
	if (spec->type == TAP_PROBE_SYSCALL)
		return tap_scope_syscalls(scope, spec->target, err);
	if (spec->type == TAP_PROBE_TRACEPOINT) {
		ret = tap_scope_tracepoint(scope, NULL, spec->target, err);
		if (!ret && tap_spec_printk(spec))
			name_text(scope);
		return ret;
	}
	if (spec->type == TAP_PROBE_EVENT)
		return tap_scope_event(scope, spec, err);
	if (spec->type == TAP_PROBE_MARK)
		return tap_scope_mark(scope, spec, err);
	ret = tap_scope_open(scope, types, spec->type, spec->target, err);
	if (ret || !*why)
		return ret;
	/* The kernel has no BTF, but a module may have debug information. */
	scope->types = NULL;
	if (*scope->why && !scope->dwarf && !strchr(spec->target, '+'))
		snprintf(scope->why, sizeof(scope->why), "%.*s",
			 (int)sizeof(scope->why) - 1, why);
	return ret;
}

/**
 * tap_spec_own_types() - whether tracefs has the types of an event's values
 * @type: event source
 *
 * Return: true if only names in expressions need more.
 */
bool tap_spec_own_types(enum tap_probe_type type)
{
	return type == TAP_PROBE_TRACEPOINT || type == TAP_PROBE_SYSCALL;
}

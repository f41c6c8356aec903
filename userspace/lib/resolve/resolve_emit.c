// SPDX-License-Identifier: LGPL-2.1
/*
 * From a target MODULE:NAME, each perhaps a glob, to the events that drivers emit.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "compile/compile.h"
#include "kernel/emit.h"
#include "kernel/tracefs.h"
#include "resolve/expansion.h"
#include "util/array.h"
#include "util/glob.h"
#include "util/suggest.h"

static int add_event(struct expansion *x, const char *module, const char *name)
{
	char target[TAP_MAX_TARGET], event[TAP_MAX_TARGET];
	struct tap_spec *spec;

	if (!tap_glob_match(x->target.name, name))
		return 0;
	if (x->nr == TAP_MAX_PROBES)
		return tap_error_set(x->err, -ENOSPC,
				     "%s: matches more events than a session has probes, %d; narrow the glob",
				     x->spec->target, TAP_MAX_PROBES);
	snprintf(event, sizeof(event), "emit:%s:%s", module, name);
	if (snprintf(target, sizeof(target), "%s:" TAP_EMIT_PREFIX "%s", module, name) >=
	    (int)sizeof(target))
		return tap_error_set(x->err, -EINVAL, "%s: the name is longer than %d characters",
				     name, TAP_MAX_TARGET - 1);
	if (!TAP_GROW(x->list, x->nr))
		return tap_expansion_no_memory(x);
	spec = &x->list[x->nr];
	if (tap_spec_copy(x->spec, event, target, spec))
		return tap_expansion_no_memory(x);
	x->nr++;
	/* Armed again when the module is loaded again. */
	if (!tap_glob_is(x->target.module))
		spec->flags |= TAP_CREATE_F_WAIT;
	return 0;
}

static int no_event(struct expansion *x, const struct tap_emits *emits)
{
	struct tap_suggest s;
	char near[300];
	size_t i;

	if (!emits->nr)
		return tap_error_set(x->err, -ENOENT,
				     "emit:%s: the module has no events of its own; its source defines them with <tapmod/emit.h>",
				     x->spec->target);
	tap_suggest_begin(&s, x->target.name, strlen(x->target.name));
	for (i = 0; i < emits->nr; i++)
		tap_suggest_offer(&s, emits->list[i].name, strlen(emits->list[i].name));
	tap_suggest_text(&s, "", "", near, sizeof(near));
	return tap_error_set(x->err, -ENOENT, "emit:%s: the module has no such event%s%s%s%s",
			     x->spec->target, near, *near ? "" : "; 'tap list emit:",
			     *near ? "" : x->target.module, *near ? "" : ":*' shows its events");
}

static int expand_one_module(struct expansion *x)
{
	struct tap_emits emits;
	size_t i;
	int ret = tap_emits_find(&emits, x->types, x->target.module, x->err);

	if (ret < 0)
		return ret;
	x->absent = ret;
	for (ret = 0, i = 0; i < emits.nr && !ret; i++)
		ret = add_event(x, x->target.module, emits.list[i].name);
	if (!ret && !x->nr)
		ret = no_event(x, &emits);
	tap_emits_free(&emits);
	return ret;
}

static int expand_modules(struct expansion *x)
{
	struct tap_events events;
	struct tap_target t;
	struct tap_error why;
	size_t i;
	int ret = tap_events_emitted(&events, tap_types_debug(x->types)->root, &why);

	if (ret)
		return tap_error_set(x->err, ret, "%s", why.text);
	for (i = 0; i < events.nr && !ret; i++) {
		tap_target_split(events.names[i], &t);
		if (tap_glob_match(x->target.module, t.module))
			ret = add_event(x, t.module, t.name);
	}
	tap_events_free(&events);
	if (ret)
		return ret;
	if (why.code)
		tap_expansion_warn(x, "%s", why.text);
	return x->nr ? 0 : tap_error_set(x->err, -ENOENT,
					 "emit:%s: no event of a loaded driver matches%s%s",
					 x->spec->target, why.code ? "; " : "", why.text);
}

/*
 * Finds the events of a target. A module that is named is loaded, or else its file tells them, and the
 * probes wait for it.
 */
int tap_expand_emit(struct expansion *x)
{
	int ret = tap_expansion_types(x);

	if (ret)
		return ret;
	return tap_glob_is(x->target.module) ? expand_modules(x) : expand_one_module(x);
}

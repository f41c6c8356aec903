// SPDX-License-Identifier: LGPL-2.1
/*
 * From a target SUBSYS:NAME, perhaps a glob, to the events of the running kernel.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/tracefs.h"
#include "resolve/resolve.h"
#include "spec/spec.h"
#include "util/glob.h"
#include "util/suggest.h"

/* Suggests names; the same name in another subsystem first. */
static int no_event(const struct tap_events *events, const char *text,
		    const struct tap_target *target, struct tap_error *err)
{
	struct tap_target event;
	struct tap_suggest s;
	bool system = false;
	char near[300];
	size_t i;

	for (i = 0; i < events->nr; i++) {
		tap_target_split(events->names[i], &event);
		if (!strcmp(event.name, target->name))
			return tap_error_set(err, -ENOENT,
					     "%s: no such tracepoint; did you mean tracepoint:%s?",
					     text, events->names[i]);
		system |= !strcmp(event.module, target->module);
	}
	tap_suggest_begin(&s, text, strlen(text));
	for (i = 0; i < events->nr; i++)
		tap_suggest_offer(&s, events->names[i],
				  strlen(events->names[i]));
	tap_suggest_text(&s, "tracepoint:", "", near, sizeof(near));
	if (*near || system)
		return tap_error_set(err, -ENOENT,
				     "%s: no such tracepoint%s%s%s%s",
				     text, near, *near ? "" : "; 'tap list tracepoint:",
				     *near ? "" : target->module,
				     *near ? "" : ":*' shows its subsystem");
	return tap_error_set(err, -ENOENT,
			     "%s: no subsystem %s; if it belongs to a module, load the module first",
			     text, target->module);
}

/* Makes a copy of the spec for each matching event. */
static int expand(const struct tap_events *events, const struct tap_spec *spec,
		  struct tap_spec *list, size_t *nr, struct tap_error *err)
{
	char name[TAP_MAX_TARGET + sizeof("tracepoint:")];
	struct tap_target want, event;
	size_t i, matched = 0;

	tap_target_split(spec->target, &want);
	for (i = 0; i < events->nr; i++) {
		tap_target_split(events->names[i], &event);
		if (!tap_glob_match(want.module, event.module) ||
		    !tap_glob_match(want.name, event.name))
			continue;
		if (++matched > TAP_MAX_PROBES)
			continue;
		if (tap_spec_printk(spec))
			strcpy(name, TAP_PRINTK);
		else
			snprintf(name, sizeof(name), "tracepoint:%s", events->names[i]);
		if (tap_spec_copy(spec, name, events->names[i], &list[*nr]))
			return tap_error_set(err, -ENOMEM, "out of memory");
		++*nr;
	}
	if (matched > TAP_MAX_PROBES)
		return tap_error_set(err, -ENOSPC,
				     "%s: matches %zu tracepoints, a session has at most %d probes; narrow the glob",
				     spec->target, matched, TAP_MAX_PROBES);
	if (matched)
		return 0;
	if (tap_glob_is(spec->target))
		return tap_error_set(err, -ENOENT,
				     "%s: no tracepoint matches; 'tap list tracepoint:*' shows all",
				     spec->target);
	return no_event(events, spec->target, &want, err);
}

/*
 * Finds the events of a spec whose target is SUBSYS:NAME, each a name or a glob. The
 * results are those of tap_spec_expand(). Returns 0, -ENOENT, -ENOMEM, or -ENOSPC if
 * there are more than a session can have.
 */
int tap_spec_expand_events(const struct tap_events *events,
			   const struct tap_spec *spec, struct tap_spec **list,
			   size_t *nr, struct tap_error *err)
{
	struct tap_spec *found = calloc(events->nr + 1, sizeof(*found));
	size_t found_nr = 0;
	int ret;

	if (!found)
		return tap_error_set(err, -ENOMEM, "out of memory");
	ret = expand(events, spec, found, &found_nr, err);
	if (ret) {
		while (found_nr)
			tap_spec_clear(&found[--found_nr]);
		free(found);
		return ret;
	}
	*list = found;
	*nr = found_nr;
	return 0;
}

/* tap_spec_expand_events() for the running kernel. Returns -ENOENT also without a tracefs. */
int tap_spec_expand_tracepoint(const struct tap_spec *spec,
			       struct tap_spec **list, size_t *nr,
			       struct tap_error *err)
{
	struct tap_events events;
	int ret = tap_glob_is(spec->target) ? -ENOENT :
		  tap_events_find(&events, NULL, spec->target);

	if (ret)
		ret = tap_events_load(&events, NULL, err);
	if (ret)
		return ret;
	ret = tap_spec_expand_events(&events, spec, list, nr, err);
	tap_events_free(&events);
	return ret;
}

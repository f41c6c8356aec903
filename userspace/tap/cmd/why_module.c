// SPDX-License-Identifier: GPL-2.0
/*
 * The functions of a module that others can call, as events. A target has a limited length, so there
 * are several events, each with some of the names: call:MODULE:{a,b}.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/why_module.h"
#include "dwarf/dwarf.h"
#include "kernel/ksyms.h"

/* The kernel writes names of modules with underscores. */
static void kernel_name(const char *module, char name[TAP_MAX_TARGET])
{
	char *p;

	snprintf(name, TAP_MAX_TARGET, "%s", module);
	for (p = name; *p; p++)
		if (*p == '-')
			*p = '_';
}

/* Whether a function of a loaded module can be probed. Of one that is not loaded, all may be. */
static bool is_usable(const struct tap_symbols *syms, const char *module, const char *name)
{
	const struct tap_symbol *sym;
	size_t i;

	if (!syms || !tap_symbols_has_module(syms, module))
		return true;
	for (i = tap_symbols_lower(syms, name); i < syms->nr; i++) {
		sym = tap_symbols_by_name(syms, i);
		if (strcmp(sym->name, name))
			return false;
		if (!strcmp(sym->module, module) && tap_symbol_returns(sym))
			return true;
	}
	return false;
}

static int add_event(struct why_module *m, const char *module, const char *names, const char *last)
{
	char **events = realloc(m->events, (m->nr + 1) * sizeof(*events));

	if (!events)
		return -ENOMEM;
	m->events = events;
	/* Twice the last one: with a single name these would be no alternatives. */
	if (asprintf(&m->events[m->nr], "call:%s:{%s%s}", module, names, last) < 0)
		return -ENOMEM;
	m->nr++;
	return 0;
}

/* Makes events of the usable names; returns how many those are, or -ENOMEM. */
static int add_events(struct why_module *m, const struct tap_symbols *syms, const char *module,
		      char **names, size_t nr)
{
	/* Without the colon, both braces and the end. */
	const size_t room = TAP_MAX_TARGET - strlen(module) - 4;
	const char *last = NULL;
	char list[TAP_MAX_TARGET] = "";
	int usable = 0, ret = 0;
	size_t i, len = 0, more;

	for (i = 0; i < nr && !ret; i++) {
		/* The name, a comma, and the name again if it is the last. */
		more = 2 * (strlen(names[i]) + 1);
		if (!is_usable(syms, module, names[i]) || more > room)
			continue;
		usable++;
		if (last && len + more > room) {
			ret = add_event(m, module, list, last);
			len = 0;
		}
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s,", names[i]);
		last = names[i];
	}
	if (!ret && last)
		ret = add_event(m, module, list, last);
	return ret ? ret : usable;
}

int why_module_open(struct why_module *m, const struct options *opts, struct tap_error *err)
{
	struct tap_types *types = tap_types_new();
	struct tap_symbols *syms = NULL;
	char **names = NULL, module[TAP_MAX_TARGET];
	size_t nr = 0, i;
	int ret = types ? 0 : tap_error_set(err, -ENOMEM, "out of memory");

	*m = (struct why_module) { 0 };
	kernel_name(opts->module, module);
	/* A name has fewer bytes; this leaves room for functions. */
	if (strlen(module) >= TAP_MAX_TARGET / 4)
		ret = tap_error_set(err, -EINVAL, "-m %s: no module has such a long name", opts->module);
	for (i = 0; i < opts->nr_debug && !ret; i++)
		ret = tap_types_add_debug(types, opts->debug[i], err);
	if (!ret)
		ret = tap_dwarf_module_entries(types, module, &names, &nr, err);
	if (!ret)
		syms = tap_symbols_cached(NULL);
	if (!ret) {
		ret = add_events(m, syms, module, names, nr);
		if (ret < 0)
			tap_error_set(err, ret, "out of memory");
		else if (!ret)
			ret = tap_error_set(err, -EADDRNOTAVAIL,
					    "-m %s: %zu of its functions can be called by others, and none can be probed; 'tap list -v %s:*' says why",
					    opts->module, nr, module);
		else if (!opts->quiet)
			tool_error("%s: %d of %zu functions that others can call", module, ret, nr);
	}
	tap_symbols_free(syms);
	tap_dwarf_names_free(names, nr);
	tap_types_free(types);
	return ret < 0 ? ret : 0;
}

void why_module_close(struct why_module *m)
{
	while (m->nr)
		free(m->events[--m->nr]);
	free(m->events);
	m->events = NULL;
}

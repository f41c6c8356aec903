// SPDX-License-Identifier: LGPL-2.1
/*
 * From a name or a glob in a module that is not loaded to the functions of its file. The probes wait
 * for the module.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf.h"
#include "kernel/ksyms.h"
#include "resolve/expansion.h"
#include "util/glob.h"
#include "util/suggest.h"

static bool is_wanted(const struct tap_target *target, const char *name, bool clones)
{
	size_t len = strlen(target->name);

	if (tap_glob_is(target->name))
		return tap_glob_match(target->name, name);
	return clones ? !strncmp(name, target->name, len) && tap_symbol_is_clone(name, len) :
			!strcmp(name, target->name);
}

/* Moves the wanted names to the front; the others are freed. */
static size_t keep_wanted(const struct tap_target *target, char **names, size_t nr, bool clones)
{
	size_t i, kept = 0;

	for (i = 0; i < nr; i++) {
		if (is_wanted(target, names[i], clones))
			names[kept++] = names[i];
		else
			free(names[i]);
	}
	return kept;
}

/*
 * The functions of the module's file that the target names; @clones: these are clones of the one
 * that it names. Returns as tap_dwarf_module_functions().
 */
static int find_functions(struct tap_types *types, const struct tap_target *target, char ***names,
			  size_t *nr, bool *clones)
{
	int ret = tap_dwarf_module_functions(types, target->module, names, nr);
	bool exact = tap_glob_is(target->name);
	size_t i;

	if (ret)
		return ret;
	for (i = 0; i < *nr && !exact; i++)
		exact = is_wanted(target, (*names)[i], false);
	*clones = !exact;
	*nr = keep_wanted(target, *names, *nr, *clones);
	return 0;
}

static void near_modules(struct expansion *x, char *near, size_t size)
{
	struct tap_suggest s;
	size_t i;

	tap_suggest_begin(&s, x->target.module, strlen(x->target.module));
	for (i = 0; i < x->syms->nr_modules; i++)
		tap_suggest_offer(&s, x->syms->modules[i],
				  strlen(x->syms->modules[i]));
	tap_suggest_text(&s, "", "", near, size);
}

/* Without the functions of its file, the matches of a glob and their number are unknown. */
int tap_expand_no_module(struct expansion *x)
{
	char near[300];

	near_modules(x, near, sizeof(near));
	return tap_error_set(x->err, -ENOENT,
			     "%s: no module %s is loaded%s%s", x->spec->target,
			     x->target.module, near,
			     *near ? "" :
			     "; load it first, name its file with --debug, or give the full name of a function");
}

int tap_expansion_types(struct expansion *x)
{
	if (!x->types)
		x->types = x->own = tap_types_new();
	return x->types ? 0 : tap_expansion_no_memory(x);
}

int tap_expand_clones(struct expansion *x)
{
	const char *more = "";
	size_t i;

	if (x->nr > 1 && x->target.offset)
		return tap_error_set(x->err, -ENOENT,
				     "%s: no such function, but the compiler made %zu clones of it; name one of them, e.g. %s",
				     x->spec->target, x->nr, x->list[x->nr - 1].target);
	for (i = 0; i < x->nr; i++)
		if (tap_symbol_lacks_return(x->list[i].target))
			more = " or the return value";
	if (x->nr > 1)
		tap_expansion_warn(x, "%s: the compiler made %zu clones of it, e.g. %s; they are probed instead and may lack arguments%s",
				   x->spec->target, x->nr, x->list[x->nr - 1].target, more);
	else
		tap_expansion_warn(x, "%s is a clone of %s: the compiler may have dropped arguments%s",
				   x->list[0].target, x->target.name, more);
	return 0;
}

static int add_waiting(struct expansion *x, const char *name)
{
	int ret = tap_expansion_add(x, x->target.module, name);

	if (!ret)
		x->list[x->nr - 1].flags |= TAP_CREATE_F_WAIT;
	return ret;
}

/* Adds what the module's file has; 0 with nothing added: the file is not known, or has none. */
static int expand_file(struct expansion *x, bool *clones)
{
	char **names;
	size_t nr, i;
	int ret = tap_expansion_types(x);

	if (ret || find_functions(x->types, &x->target, &names, &nr, clones))
		return ret;
	for (i = 0; i < nr && i < TAP_MAX_PROBES && !ret; i++)
		ret = add_waiting(x, names[i]);
	tap_dwarf_names_free(names, nr);
	return ret ? ret : nr > TAP_MAX_PROBES ? tap_expansion_too_many(x, nr) : 0;
}

/* The functions of a glob in a module that is not loaded are those of its file. */
int tap_expand_absent_glob(struct expansion *x)
{
	bool clones;
	int ret = tap_glob_is(x->target.module) ? 0 : expand_file(x, &clones);

	x->absent = true;
	return ret || x->nr ? ret : tap_expand_no_module(x);
}

/* The module may be loaded later, but its name may also be mistyped. */
int tap_expand_absent(struct expansion *x)
{
	bool clones = false;
	char near[300];
	int ret = x->spec->type == TAP_PROBE_RAWTP ? 0 : expand_file(x, &clones);

	x->absent = true;
	if (ret || x->nr)
		return ret || !clones ? ret : tap_expand_clones(x);
	ret = add_waiting(x, x->target.name);
	near_modules(x, near, sizeof(near));
	if (!ret && *near)
		tap_expansion_warn(x, "%s: no module %s is loaded%s", x->spec->target,
				   x->target.module, near);
	return ret;
}

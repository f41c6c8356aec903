// SPDX-License-Identifier: LGPL-2.1
/*
 * The lines of a file of the source: where probes can be, and what can be read there.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>

#include "dwarf/dwarf.h"
#include "resolve/resolve.h"
#include "spec/spec.h"

/* Names with newlines between them, each once. */
struct names {
	char *text;
	size_t len;
};

static bool has_name(const struct names *names, const char *name)
{
	size_t len = strlen(name);
	const char *at;

	for (at = names->text; at && (at = strstr(at, name)); at += len)
		if ((at == names->text || at[-1] == '\n') && (!at[len] || at[len] == '\n'))
			return true;
	return false;
}

static int add_name(struct names *names, const char *name)
{
	size_t len = strlen(name);
	char *bigger;

	if (has_name(names, name))
		return 0;
	bigger = realloc(names->text, names->len + len + 2);
	if (!bigger)
		return -ENOMEM;
	names->text = bigger;
	names->len += sprintf(bigger + names->len, "%s%s", names->len ? "\n" : "", name);
	return 0;
}

static const char *text_of(const struct names *names)
{
	return names->text ? names->text : "";
}

/* A line while its places are looked at. */
struct row {
	struct tap_source_line line;
	struct names functions;
	struct names inlined;
	struct names variables;
	struct names direct;
	struct names at_entry;
};

/* The innermost function of a place; the others are those it is inlined into. */
static int add_functions(struct row *row, const struct tap_dwarf_place *place)
{
	struct tap_dwarf_scope scope;
	bool inner = true;
	const char *name;
	int ret = 0;

	tap_dwarf_scope_at(place, &scope);
	while (scope.nr && !ret) {
		Dwarf_Die *die = &scope.die[--scope.nr];

		if (dwarf_tag(die) == DW_TAG_lexical_block)
			continue;
		name = dwarf_diename(die);
		if (name)
			ret = add_name(inner ? &row->functions : &row->inlined, name);
		inner = false;
	}
	/* Code of no function that has a name. */
	return inner ? add_name(&row->functions, place->symbol) : ret;
}

static int add_variables(struct row *row, Dwfl_Module *mod, struct tap_dwarf_place *place)
{
	int ret = tap_dwarf_variables(place);
	struct tap_dwarf_location location;
	char why[200];
	size_t i;

	for (i = 0; i < place->nr_variables && !ret; i++) {
		const char *name = place->variables[i].name;

		if (tap_dwarf_locate(mod, place, &place->variables[i], &location, why,
				     sizeof(why)))
			continue;
		ret = add_name(&row->variables, name);
		if (!ret)
			ret = add_name(location.captured ? &row->at_entry : &row->direct, name);
	}
	return ret;
}

/* Another place of the line may have what one has only as it was at the entry. */
static int drop_direct(struct row *row)
{
	char *all = row->at_entry.text, *rest = all, *name;
	int ret = 0;

	row->at_entry = (struct names) { 0 };
	while (!ret && (name = strsep(&rest, "\n")))
		if (!has_name(&row->direct, name))
			ret = add_name(&row->at_entry, name);
	free(all);
	return ret;
}

static int by_line(const void *a, const void *b)
{
	const struct tap_dwarf_place *x = a, *y = b;

	return x->line != y->line ? (x->line > y->line) - (x->line < y->line) :
				    (x->addr > y->addr) - (x->addr < y->addr);
}

/* Looks at the @nr places of one line, and reports it. */
static int report(struct tap_dwarf_place *places, size_t nr, Dwfl_Module *mod,
		  int (*each)(const struct tap_source_line *line, void *arg), void *arg,
		  struct tap_error *err)
{
	struct row row = { .line = { .line = (__u32)places->line, .places = (__u32)nr } };
	char *path = tap_dwarf_file_path(&places->cu, places->file);
	int ret = path ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; i < nr && !ret; i++) {
		ret = add_functions(&row, &places[i]);
		if (!ret)
			ret = add_variables(&row, mod, &places[i]);
	}
	if (!ret)
		ret = drop_direct(&row);
	if (ret) {
		tap_error_set(err, ret, "out of memory");
	} else {
		row.line.path = path;
		row.line.functions = text_of(&row.functions);
		row.line.inlined = text_of(&row.inlined);
		row.line.variables = text_of(&row.variables);
		row.line.at_entry = text_of(&row.at_entry);
		ret = each(&row.line, arg);
	}
	free(path);
	free(row.functions.text);
	free(row.inlined.text);
	free(row.variables.text);
	free(row.direct.text);
	free(row.at_entry.text);
	return ret;
}

/* Digits; false if there are others, or too many. */
static bool take_number(const char **at, unsigned int *number)
{
	unsigned long n = 0;

	if (!isdigit((unsigned char)**at))
		return false;
	for (; isdigit((unsigned char)**at) && n <= INT_MAX; ++*at)
		n = n * 10 + (**at - '0');
	*number = (unsigned int)n;
	return n && n <= INT_MAX;
}

/* The event of the first line, and the last line. */
static int parse(const char *target, struct tap_spec **spec, unsigned int *last,
		 struct tap_error *err)
{
	const char *colon = strrchr(target, ':'), *at = colon ? colon + 1 : NULL;
	size_t len = strlen(target);
	unsigned int first = 1;
	char *event;
	int ret;

	*last = INT_MAX;
	if (at && isdigit((unsigned char)*at)) {
		len = colon - target;
		if (!take_number(&at, &first))
			return tap_error_set(err, -EINVAL, "%s: no file has a line of this number",
					     target);
		*last = first;
		if (*at == '-' && (++at, !take_number(&at, last)))
			*last = 0;
		if (*at || *last < first)
			return tap_error_set(err, -EINVAL,
					     "%s: lines are FROM-TO, e.g. mydrv.c:205-215", target);
	}
	if (asprintf(&event, "line:%.*s:%u", (int)len, target, first) < 0)
		return tap_error_set(err, -ENOMEM, "out of memory");
	ret = tap_spec_parse(event, spec, err);
	free(event);
	return ret;
}

int tap_source_lines(struct tap_types *types, const char *target,
		     int (*each)(const struct tap_source_line *line, void *arg), void *arg,
		     struct tap_error *err)
{
	struct tap_source source = { 0 };
	struct tap_dwarf_place *list;
	struct tap_spec *spec;
	unsigned int last;
	size_t i, nr;
	int ret = parse(target, &spec, &last, err);

	if (ret)
		return ret;
	ret = tap_spec_find_lines(types, spec, last, &source, err);
	tap_spec_free(spec);
	list = source.places.list;
	if (!ret)
		qsort(list, source.places.nr, sizeof(*list), by_line);
	for (i = 0; i < source.places.nr && !ret; i += nr) {
		for (nr = 1; i + nr < source.places.nr && list[i + nr].line == list[i].line; nr++)
			;
		ret = report(&list[i], nr, tap_dwarf_module(source.dwarf), each, arg, err);
	}
	tap_dwarf_places_free(&source.places);
	return ret;
}

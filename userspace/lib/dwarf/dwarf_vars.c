// SPDX-License-Identifier: LGPL-2.1
/*
 * The variables that the source has at an instruction, and the lines at which they are alive.
 *
 * Where code is inlined, its own names come first, then those of the functions it is inlined into.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>

#include "dwarf/dwarf_internal.h"
#include "dwarf/source.h"
#include "types/btf.h"
#include "util/array.h"

/* Ranges of lines that a text lists. */
#define MAX_RANGES	3

static bool is_scope(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_namespace:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
		return true;
	}
	return false;
}

/*
 * Whether a line is one of the function @inner rather than of @outer, which has it inlined: of the
 * two, it belongs to the one that is declared nearer above it.
 */
static bool owns_line(Dwarf_Die *inner, Dwarf_Die *outer, const struct tap_dwarf_place *place)
{
	const char *file = dwarf_decl_file(inner), *other = dwarf_decl_file(outer);
	int line, outer_line;

	if (!file || strcmp(file, place->file) || dwarf_decl_line(inner, &line) ||
	    line > place->line)
		return false;
	return !other || strcmp(other, file) || dwarf_decl_line(outer, &outer_line) ||
	       outer_line > place->line || outer_line < line;
}

/*
 * Whether a scope has the place. The ranges of inlined code may begin behind its entry, at which
 * its first line is, as the instructions there belong to several lines.
 */
static bool has_place(Dwarf_Die *die, Dwarf_Die *function, const struct tap_dwarf_place *place)
{
	Dwarf_Addr pc = place->addr - place->bias, entry;

	if (dwarf_haspc(die, pc) > 0)
		return true;
	return dwarf_tag(die) == DW_TAG_inlined_subroutine && place->line &&
	       !dwarf_entrypc(die, &entry) && entry == pc && owns_line(die, function, place);
}

/* The child that has the place; of the entry of a function, the one that has its DIE. */
static bool find_child(Dwarf_Die *parent, Dwarf_Die *function,
		       const struct tap_dwarf_place *place, Dwarf_Die *found)
{
	bool any = false;
	Dwarf_Die child;
	int ret;

	for (ret = dwarf_child(parent, &child); !ret; ret = dwarf_siblingof(&child, &child)) {
		if (!is_scope(&child))
			continue;
		if (place->instance) {
			if (dwarf_dieoffset(&child) > place->instance)
				break;
		} else if (!has_place(&child, function, place)) {
			continue;
		}
		*found = child;
		any = true;
		if (!place->instance)
			break;
	}
	return any;
}

static bool is_function(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_subprogram ||
	       dwarf_tag(die) == DW_TAG_inlined_subroutine;
}

/**
 * tap_dwarf_scope_at() - find the functions and blocks around an instruction
 * @place: the instruction
 * @scope: filled in
 */
void tap_dwarf_scope_at(const struct tap_dwarf_place *place, struct tap_dwarf_scope *scope)
{
	Dwarf_Die parent = place->cu, child, function = place->cu;

	scope->nr = 0;
	while (scope->nr < TAP_DWARF_MAX_DEPTH && find_child(&parent, &function, place, &child)) {
		parent = child;
		if (is_function(&child))
			function = child;
		/* Functions of C++ are children of namespaces and classes. */
		if (scope->nr || is_function(&child))
			scope->die[scope->nr++] = child;
		if (place->instance && dwarf_dieoffset(&child) == place->instance)
			break;
	}
}

static bool known(const struct tap_dwarf_variable *list, size_t nr, const char *name)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!strcmp(list[i].name, name))
			return true;
	return false;
}

static int add_from(Dwarf_Die *die, struct tap_dwarf_variable **list, size_t *nr)
{
	struct tap_dwarf_variable v;
	int ret;

	for (ret = dwarf_child(die, &v.die); !ret; ret = dwarf_siblingof(&v.die, &v.die)) {
		v.parameter = dwarf_tag(&v.die) == DW_TAG_formal_parameter;
		if (!v.parameter && dwarf_tag(&v.die) != DW_TAG_variable)
			continue;
		v.name = dwarf_diename(&v.die);
		/* Of one block the first of a name is taken, as it is of several blocks. */
		if (!v.name || known(*list, *nr, v.name))
			continue;
		if (!TAP_GROW(*list, *nr))
			return -ENOMEM;
		(*list)[(*nr)++] = v;
	}
	return 0;
}

/*
 * Whether the line of the place is the one that calls the inlined function: at its entry both lines
 * have the same instruction.
 */
static bool is_called_there(Dwarf_Die *die, const struct tap_dwarf_place *place)
{
	Dwarf_Die cu = place->cu;
	Dwarf_Word line, file;
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	const char *name;
	size_t nr;

	if (dwarf_tag(die) != DW_TAG_inlined_subroutine || !place->line ||
	    dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attr), &line) ||
	    line != (Dwarf_Word)place->line ||
	    dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attr), &file) ||
	    dwarf_getsrcfiles(&cu, &files, &nr))
		return false;
	name = dwarf_filesrc(files, file, NULL, NULL);
	return name && !strcmp(name, place->file);
}

/*
 * The number of scopes that the line of the place sees: those up to its own function. Behind them
 * are functions that this one calls, to which the instruction belongs as well, as to the further
 * lines of a call.
 */
static unsigned int visible_scopes(struct tap_dwarf_scope *scope,
				   const struct tap_dwarf_place *place)
{
	unsigned int owner = 0, nr = 0, i;
	bool called = false;

	for (i = 0; i < scope->nr && !is_called_there(&scope->die[i], place); i++) {
		if (is_function(&scope->die[i])) {
			called = place->line &&
				 owns_line(&scope->die[owner], &scope->die[i], place);
			if (!called)
				owner = i;
		}
		if (!called)
			nr = i + 1;
	}
	return nr;
}

/**
 * tap_dwarf_variables() - list the variables and parameters at an instruction, once
 * @place: the instruction; gets its variables
 *
 * A variable that is listed may be optimised out: see tap_dwarf_locate().
 *
 * Return: 0 or -ENOMEM.
 */
int tap_dwarf_variables(struct tap_dwarf_place *place)
{
	struct tap_dwarf_scope scope;
	unsigned int i;
	int ret = 0;

	if (place->variables)
		return 0;
	tap_dwarf_scope_at(place, &scope);
	if (scope.nr)
		place->function = scope.die[0];
	/* The names of the function that has the line go before those of one that it calls there. */
	for (i = visible_scopes(&scope, place); i-- && !ret;) {
		ret = add_from(&scope.die[i], &place->variables, &place->nr_variables);
		if (is_function(&scope.die[i]))
			break;
	}
	for (i = scope.nr; i-- && !ret;)
		ret = add_from(&scope.die[i], &place->variables, &place->nr_variables);
	/* A list without entries is one as well. */
	if (!ret && !place->variables)
		place->variables = malloc(sizeof(*place->variables));
	return place->variables ? ret : -ENOMEM;
}

/**
 * tap_dwarf_variable() - find a variable by its name
 * @place: an instruction, after tap_dwarf_variables()
 * @name: as in the source; needs no 0 at its end
 * @len: bytes of @name
 *
 * Return: the variable, or NULL.
 */
const struct tap_dwarf_variable *tap_dwarf_variable(const struct tap_dwarf_place *place,
						    const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < place->nr_variables; i++)
		if (strlen(place->variables[i].name) == len &&
		    !memcmp(place->variables[i].name, name, len))
			return &place->variables[i];
	return NULL;
}

/**
 * tap_dwarf_variable_type() - the type of a variable
 * @dwarf: the file
 * @variable: of tap_dwarf_variables()
 * @type: filled in; %TAP_TYPE_NONE if it is not known
 */
void tap_dwarf_variable_type(struct tap_dwarf *dwarf, const struct tap_dwarf_variable *variable,
			     struct tap_type *type)
{
	Dwarf_Die die = variable->die;

	if (tap_dwarf_type_of(dwarf, &die, type))
		*type = (struct tap_type) { .cls = TAP_TYPE_NONE };
}

/* ------------------------------------------------------------ where it is alive */

/* A line of a function, and whether the variable is alive at one of its places. */
struct alive_line {
	int line;
	bool alive;
};

static int by_line(const void *a, const void *b)
{
	const struct alive_line *x = a, *y = b;

	return x->line != y->line ? (x->line > y->line) - (x->line < y->line) :
				    y->alive - x->alive;
}

/* The lines of the file @name in the function of @from, as places have them. */
static size_t collect(Dwfl_Module *mod, const struct tap_dwarf_place *from, const char *name,
		      const struct tap_dwarf_variable *variable, struct alive_line *list)
{
	struct tap_dwarf_location location;
	struct tap_dwarf_place place = *from;
	Dwarf_Die function = from->function;
	size_t nr = 0, rows_nr, i;
	Dwarf_Lines *rows;
	char why[200];

	if (dwarf_getsrclines(&place.cu, &rows, &rows_nr))
		return 0;
	for (i = 0; i < rows_nr; i++) {
		Dwarf_Line *row = dwarf_onesrcline(rows, i);
		const char *file = dwarf_linesrc(row, NULL, NULL);
		bool statement;
		Dwarf_Addr pc;
		int line;

		if (!file || strcmp(file, name) || dwarf_linebeginstatement(row, &statement) ||
		    !statement || dwarf_lineno(row, &line) || !line ||
		    dwarf_lineaddr(row, &pc) || dwarf_haspc(&function, pc) <= 0)
			continue;
		place.addr = pc + place.bias;
		if (list)
			list[nr] = (struct alive_line) {
				line, !tap_dwarf_locate(mod, &place, variable, &location, why,
							sizeof(why)) };
		nr++;
	}
	return nr;
}

/* Writes the ranges of lines that are alive; lines without code between them do not end one. */
static void put_ranges(struct alive_line *list, size_t nr, char *buf, size_t size)
{
	unsigned int ranges = 0;
	size_t i, first, at = 0;
	int last;

	for (i = 0; i < nr; i++) {
		if (!list[i].alive || (i && list[i].line == list[i - 1].line))
			continue;
		first = i;
		for (last = list[i].line; i < nr; i++) {
			if (list[i].line == last)
				continue;
			if (!list[i].alive)
				break;
			last = list[i].line;
		}
		i--;
		if (ranges++ == MAX_RANGES) {
			snprintf(buf + at, size - at, ", ...");
			return;
		}
		at += snprintf(buf + at, size - at, "%s%d", ranges > 1 ? ", " : "",
			       list[first].line);
		if (last != list[first].line)
			at += snprintf(buf + at, size - at, " to %d", last);
		if (at >= size)
			return;
	}
}

/**
 * tap_dwarf_alive() - say at which lines a variable can be read
 * @mod: the file
 * @place: an instruction where it cannot be
 * @variable: the variable
 * @buf: gets e.g. "214 to 219, 230"; "" if nowhere
 * @size: bytes of @buf
 */
void tap_dwarf_alive(Dwfl_Module *mod, const struct tap_dwarf_place *place,
		     const struct tap_dwarf_variable *variable, char *buf, size_t size)
{
	Dwarf_Die die = variable->die;
	const char *file = dwarf_decl_file(&die);
	struct alive_line *list;
	size_t nr;

	*buf = '\0';
	if (!file || !place->function.addr)
		return;
	list = calloc(collect(mod, place, file, variable, NULL) + 1, sizeof(*list));
	if (!list)
		return;
	nr = collect(mod, place, file, variable, list);
	qsort(list, nr, sizeof(*list), by_line);
	put_ranges(list, nr, buf, size);
	free(list);
}

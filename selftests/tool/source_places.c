// SPDX-License-Identifier: GPL-2.0
/*
 * Prints what libtap finds for lines of a module's source, in the notation of "perf probe -D", for
 * source_perf:
 *	LINE FILE:LINE
 *	PLACE SYMBOL+OFFSET NAME=LOCATION ...
 *	OUTER SYMBOL+OFFSET NAME=LOCATION ...	variables of all blocks around it
 *	ROW SYMBOL+OFFSET		the line table has the line there
 *	CALL SYMBOL+OFFSET		a function that the line calls is inlined there
 * A LOCATION is %REG, +N(%REG), \NUMBER; "=" for a computation; "-" for none; "!" for one that is
 * refused.
 * usage: source_places MODULE.ko		all lines with statements, as FILE:LINE
 *	  source_places MODULE.ko - <LINES	what is found for these
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>

#include "dwarf/dwarf.h"
#include "dwarf/source.h"

static const char *const registers[] = {
	"r15", "r14", "r13", "r12", "bp", "bx", "r11", "r10", "r9", "r8", "ax", "cx", "dx", "si",
	"di", "orig_ax", "ip", "cs", "flags", "sp", "ss",
};

static const struct tap_dwarf_term *term(const struct tap_dwarf_location *loc, unsigned int i)
{
	return &loc->terms[i];
}

static void print_location(const struct tap_dwarf_location *loc)
{
	const struct tap_dwarf_term *last = term(loc, loc->nr - 1);
	bool sum = last->code == TAP_OP_ADD && term(loc, last->a)->code == TAP_OP_REG &&
		   term(loc, last->b)->code == TAP_OP_IMM;

	if (last->code == TAP_OP_REG)
		printf(loc->memory ? "+0(%%%s)" : "%%%s", registers[last->value / 8]);
	else if (sum && loc->memory)
		printf("%+lld(%%%s)", (long long)term(loc, last->b)->value,
		       registers[term(loc, last->a)->value / 8]);
	else if (last->code == TAP_OP_IMM && !loc->memory)
		printf("\\%lld", (long long)last->value);
	else
		putchar('=');
}

static void print_variable(Dwfl_Module *mod, const struct tap_dwarf_place *place,
			   const struct tap_dwarf_variable *variable)
{
	struct tap_dwarf_location loc;
	char why[200];
	int ret = tap_dwarf_locate(mod, place, variable, &loc, why, sizeof(why));

	printf(" %s=", variable->name);
	if (ret)
		putchar(*why ? '!' : '-');
	else
		print_location(&loc);
}

/* Also those that inner ones hide. */
static void print_outer(Dwfl_Module *mod, const struct tap_dwarf_place *place)
{
	struct tap_dwarf_variable variable;
	struct tap_dwarf_scope scope;
	unsigned int i;
	int ret;

	tap_dwarf_scope_at(place, &scope);
	for (i = 0; i < scope.nr; i++)
		for (ret = dwarf_child(&scope.die[i], &variable.die); !ret;
		     ret = dwarf_siblingof(&variable.die, &variable.die)) {
			variable.name = dwarf_diename(&variable.die);
			if (variable.name && (dwarf_tag(&variable.die) == DW_TAG_variable ||
					      dwarf_tag(&variable.die) == DW_TAG_formal_parameter))
				print_variable(mod, place, &variable);
		}
}

static void print_place(Dwfl_Module *mod, struct tap_dwarf_place *place)
{
	size_t i;

	if (tap_dwarf_variables(place))
		errx(1, "out of memory");
	printf("PLACE %s+%llu", place->symbol, (unsigned long long)place->offset);
	for (i = 0; i < place->nr_variables; i++)
		print_variable(mod, place, &place->variables[i]);
	printf("\nOUTER %s+%llu", place->symbol, (unsigned long long)place->offset);
	print_outer(mod, place);
	putchar('\n');
}

/* ------------------------------------------------------------ calls of inlined functions */

struct calls {
	Dwarf_Die *cu;
	Dwarf_Addr bias;
	Dwarf_Files *files;
	const char *file;
	int line;
	struct tap_dwarf_places places;
};

static void look_for_calls(struct calls *c, Dwarf_Die *parent)
{
	struct tap_dwarf_place place = { .cu = *c->cu, .bias = c->bias };
	Dwarf_Word line, file;
	Dwarf_Attribute attr;
	Dwarf_Die die;
	const char *name;
	char *path;
	int ret;

	for (ret = dwarf_child(parent, &die); !ret; ret = dwarf_siblingof(&die, &die)) {
		look_for_calls(c, &die);
		if (dwarf_tag(&die) != DW_TAG_inlined_subroutine ||
		    dwarf_formudata(dwarf_attr(&die, DW_AT_call_line, &attr), &line) ||
		    line != (Dwarf_Word)c->line ||
		    dwarf_formudata(dwarf_attr(&die, DW_AT_call_file, &attr), &file) ||
		    dwarf_entrypc(&die, &place.addr))
			continue;
		name = dwarf_filesrc(c->files, file, NULL, NULL);
		path = name ? tap_dwarf_file_path(c->cu, name) : NULL;
		place.addr += c->bias;
		if (path && !strcmp(path, c->file) && tap_dwarf_place_add(&c->places, &place))
			errx(1, "out of memory");
		free(path);
	}
}

static void print_places(Dwfl_Module *mod, const char *what, struct tap_dwarf_places *places)
{
	struct tap_error error;
	size_t i;

	if (tap_dwarf_places_finish(places, mod, &error))
		errx(1, "%s", error.text);
	for (i = 0; i < places->nr; i++)
		printf("%s %s+%llu\n", what, places->list[i].symbol,
		       (unsigned long long)places->list[i].offset);
	tap_dwarf_places_free(places);
}

static void print_calls(Dwfl_Module *mod, const char *file, int line)
{
	struct calls c = { .file = file, .line = line };
	size_t nr;

	while ((c.cu = dwfl_module_nextcu(mod, c.cu, &c.bias)))
		if (!dwarf_getsrcfiles(c.cu, &c.files, &nr))
			look_for_calls(&c, c.cu);
	print_places(mod, "CALL", &c.places);
}

/* ----------------------------------------------------------------------------- rows */

/* Calls @fn for each statement in the line tables. */
static void each_statement(Dwfl_Module *mod, void (*fn)(const struct tap_dwarf_place *place,
							const char *path, void *arg), void *arg)
{
	struct tap_dwarf_place place = { 0 };
	Dwarf_Die *cu = NULL;
	Dwarf_Lines *rows;
	bool statement;
	size_t nr, i;
	char *path;

	while ((cu = dwfl_module_nextcu(mod, cu, &place.bias))) {
		if (dwarf_getsrclines(cu, &rows, &nr))
			continue;
		for (i = 0; i < nr; i++) {
			Dwarf_Line *row = dwarf_onesrcline(rows, i);

			if (dwarf_linebeginstatement(row, &statement) || !statement ||
			    dwarf_lineno(row, &place.line) || !place.line ||
			    dwarf_lineaddr(row, &place.addr))
				continue;
			place.addr += place.bias;
			path = tap_dwarf_file_path(cu, dwarf_linesrc(row, NULL, NULL));
			if (!path)
				errx(1, "out of memory");
			fn(&place, path, arg);
			free(path);
		}
	}
}

static void print_statement(const struct tap_dwarf_place *place, const char *path, void *unused)
{
	(void)unused;
	printf("%s:%d\n", path, place->line);
}

static void add_row(const struct tap_dwarf_place *place, const char *path, void *arg)
{
	struct calls *c = arg;

	if (place->line == c->line && !strcmp(path, c->file) &&
	    tap_dwarf_place_add(&c->places, place))
		errx(1, "out of memory");
}

static void print_rows(Dwfl_Module *mod, const char *file, int line)
{
	struct calls c = { .file = file, .line = line };

	each_statement(mod, add_row, &c);
	print_places(mod, "ROW", &c.places);
}

static void print_line(Dwfl_Module *mod, char *text)
{
	struct tap_dwarf_places places;
	struct tap_error error;
	char *colon;
	size_t i;

	text[strcspn(text, "\n")] = '\0';
	printf("LINE %s\n", text);
	colon = strrchr(text, ':');
	if (!colon)
		errx(2, "%s: not FILE:LINE", text);
	*colon = '\0';
	if (tap_dwarf_line(mod, text, atoi(colon + 1), &places, &error))
		errx(1, "%s: %s", text, error.text);
	for (i = 0; i < places.nr; i++)
		print_place(mod, &places.list[i]);
	tap_dwarf_places_free(&places);
	print_rows(mod, text, atoi(colon + 1));
	print_calls(mod, text, atoi(colon + 1));
}

int main(int argc, char **argv)
{
	struct tap_dwarf *dwarf;
	struct tap_error error;
	char text[4096];

	if (argc < 2 || tap_dwarf_open(&dwarf, argv[1], &error))
		errx(2, "%s", argc < 2 ? "usage: source_places MODULE.ko [-]" : error.text);
	if (argc == 2)
		each_statement(tap_dwarf_module(dwarf), print_statement, NULL);
	while (argc > 2 && fgets(text, sizeof(text), stdin))
		print_line(tap_dwarf_module(dwarf), text);
	tap_dwarf_close(dwarf);
	return 0;
}

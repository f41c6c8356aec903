// SPDX-License-Identifier: GPL-2.0
/*
 * Prints what libtap finds for lines of a module's source, in the notation of "perf probe -D", for
 * source_perf:
 *	LINE FILE:LINE
 *	PLACE SYMBOL+OFFSET NAME=LOCATION ...
 *	OUTER SYMBOL+OFFSET NAME=LOCATION ...	variables of all blocks that have the instruction
 *	LATER SYMBOL+0 NAME=LOCATION ...	parameters that are nowhere yet: where they are first
 *	ROW SYMBOL+OFFSET		the line table has the line there
 *	CALL SYMBOL+OFFSET		a function that the line calls is inlined there
 *	ENTRY SYMBOL+OFFSET		a function that is declared on the line begins there
 *	ALIAS NAME SYMBOL		another name of a function
 * A LOCATION is %REG, +N(%REG), \NUMBER; "=" for a computation; "-" for none; "!" for one that is
 * refused; "?" if it has another result than the location of the file on a machine of numbers.
 * usage: source_places MODULE.ko		all lines with statements, as FILE:LINE, and after a blank with
 *						the path as the line table spells it
 *	  source_places MODULE.ko - <LINES	what is found for these
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>

#include "dwarf/dwarf.h"
#include "dwarf/source.h"
#include "selftests/lib/location_model.h"

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
	char why[200], text[500];
	int ret = tap_dwarf_locate(mod, place, variable, &loc, why, sizeof(why));
	enum location_verdict verdict = location_compare(mod, place, variable, text, sizeof(text));

	printf(" %s=", variable->name);
	if (verdict == LOCATION_WRONG || verdict == LOCATION_TIMID)
		putchar('?');
	else if (ret)
		putchar(*why ? '!' : '-');
	else
		print_location(&loc);
}

static bool is_parameter(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_formal_parameter;
}

/* Prints a parameter as it is where it is first alive, unless it is alive at the place. */
static void print_later(Dwfl_Module *mod, const struct tap_dwarf_place *place,
			const struct tap_dwarf_variable *variable)
{
	struct tap_dwarf_variable copy = *variable;
	Dwarf_Addr base, start, end, first = (Dwarf_Addr)-1;
	struct tap_dwarf_place later = *place;
	Dwarf_Attribute attr;
	ptrdiff_t at = 0;
	Dwarf_Op *ops;
	size_t nr;

	if (!dwarf_attr_integrate(&copy.die, DW_AT_location, &attr))
		return;
	while ((at = dwarf_getlocations(&attr, at, &base, &start, &end, &ops, &nr)) > 0) {
		if (start + place->bias <= place->addr && place->addr < end + place->bias)
			return;
		if (start < first && start < end && start + place->bias > place->addr)
			first = start;
	}
	if (first == (Dwarf_Addr)-1)
		return;
	later.addr = first + place->bias;
	print_variable(mod, &later, variable);
}

typedef void print_function(Dwfl_Module *, const struct tap_dwarf_place *,
			    const struct tap_dwarf_variable *);

/* Also those that inner ones hide, and those of another function that has the instruction. */
static void print_below(Dwfl_Module *mod, const struct tap_dwarf_place *place, Dwarf_Die *parent,
			bool parameters, print_function *print)
{
	struct tap_dwarf_variable variable;
	int ret;

	for (ret = dwarf_child(parent, &variable.die); !ret;
	     ret = dwarf_siblingof(&variable.die, &variable.die)) {
		variable.name = dwarf_diename(&variable.die);
		if (is_parameter(&variable.die) ||
		    (!parameters && dwarf_tag(&variable.die) == DW_TAG_variable)) {
			if (variable.name)
				print(mod, place, &variable);
		} else if (dwarf_haspc(&variable.die, place->addr - place->bias) > 0) {
			print_below(mod, place, &variable.die, parameters, print);
		}
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
	print_below(mod, place, &place->function, false, print_variable);
	if (!place->offset) {
		printf("\nLATER %s+0", place->symbol);
		print_below(mod, place, &place->function, true, print_later);
	}
	putchar('\n');
}

/* ----------------------------------------------------------- what belongs to the lines */

/* A statement of the line tables; the entry of an inlined function, or of a function with code. */
enum kind { ROW, CALL, ENTRY };

static const char *const kind_names[] = { "ROW", "CALL", "ENTRY" };

struct row {
	char *path;
	const char *spelled;
	struct tap_dwarf_place place;
	enum kind kind;
};

static struct row *rows;
static size_t nr_rows;

static void add_row(const struct tap_dwarf_place *place, Dwarf_Die *cu, const char *name,
		    enum kind kind)
{
	if (!(nr_rows & (nr_rows - 1)))
		rows = reallocarray(rows, nr_rows ? nr_rows * 2 : 1, sizeof(*rows));
	if (!rows)
		errx(1, "out of memory");
	rows[nr_rows] = (struct row) { tap_dwarf_file_path(cu, name), name, *place, kind };
	if (!rows[nr_rows++].path)
		errx(1, "out of memory");
}

static void collect_statements(Dwarf_Die *cu, Dwarf_Addr bias)
{
	struct tap_dwarf_place place = { .bias = bias };
	Dwarf_Lines *lines;
	bool statement;
	size_t nr, i;

	if (dwarf_getsrclines(cu, &lines, &nr))
		return;
	for (i = 0; i < nr; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);

		if (dwarf_linebeginstatement(line, &statement) || !statement ||
		    dwarf_lineno(line, &place.line) || !place.line ||
		    dwarf_lineaddr(line, &place.addr))
			continue;
		place.addr += bias;
		add_row(&place, cu, dwarf_linesrc(line, NULL, NULL), ROW);
	}
}

/* Adds the entry of a function to the line of an attribute. */
static void add_entry(const struct tap_dwarf_place *place, Dwarf_Files *files, Dwarf_Die *die,
		      bool call)
{
	struct tap_dwarf_place entry = *place;
	Dwarf_Word line, file;
	Dwarf_Attribute attr;
	const char *name;

	if (dwarf_formudata(dwarf_attr_integrate(die, call ? DW_AT_call_line : DW_AT_decl_line,
						 &attr), &line) ||
	    dwarf_formudata(dwarf_attr_integrate(die, call ? DW_AT_call_file : DW_AT_decl_file,
						 &attr), &file))
		return;
	entry.line = (int)line;
	name = dwarf_filesrc(files, file, NULL, NULL);
	if (name)
		add_row(&entry, &entry.cu, name, call ? CALL : ENTRY);
}

static void collect_functions(Dwarf_Die *cu, Dwarf_Addr bias, Dwarf_Files *files, Dwarf_Die *parent)
{
	struct tap_dwarf_place place = { .cu = *cu, .bias = bias };
	Dwarf_Addr base, end;
	Dwarf_Die die;
	int ret;

	for (ret = dwarf_child(parent, &die); !ret; ret = dwarf_siblingof(&die, &die)) {
		collect_functions(cu, bias, files, &die);
		if ((dwarf_tag(&die) != DW_TAG_inlined_subroutine &&
		     dwarf_tag(&die) != DW_TAG_subprogram) ||
		    (dwarf_entrypc(&die, &place.addr) &&
		     dwarf_ranges(&die, 0, &base, &place.addr, &end) <= 0))
			continue;
		place.addr += bias;
		add_entry(&place, files, &die, false);
		if (dwarf_tag(&die) == DW_TAG_inlined_subroutine)
			add_entry(&place, files, &die, true);
	}
}

static int by_line(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return x->place.line == y->place.line ? strcmp(x->path, y->path) :
	       x->place.line - y->place.line;
}

static void collect(Dwfl_Module *mod)
{
	Dwarf_Die *cu = NULL;
	Dwarf_Addr bias;
	Dwarf_Files *files;
	size_t nr;

	while ((cu = dwfl_module_nextcu(mod, cu, &bias))) {
		collect_statements(cu, bias);
		if (!dwarf_getsrcfiles(cu, &files, &nr))
			collect_functions(cu, bias, files, cu);
	}
	qsort(rows, nr_rows, sizeof(*rows), by_line);
}

static void print_rows(Dwfl_Module *mod, char *file, int line, enum kind kind)
{
	struct row key = { .path = file, .place.line = line }, *row, *end = rows + nr_rows;
	struct tap_dwarf_places places = { 0 };
	struct tap_error error;
	size_t i;

	row = bsearch(&key, rows, nr_rows, sizeof(*rows), by_line);
	while (row && row > rows && !by_line(row - 1, &key))
		row--;
	for (; row && row < end && !by_line(row, &key); row++)
		/* No function has rows behind the code of one that does not return. */
		if (row->kind == kind && dwfl_module_addrname(mod, row->place.addr) &&
		    tap_dwarf_place_add(&places, &row->place))
			errx(1, "out of memory");
	if (tap_dwarf_places_finish(&places, mod, &error))
		errx(1, "%s", error.text);
	for (i = 0; i < places.nr; i++)
		printf("%s %s+%llu\n", kind_names[kind], places.list[i].symbol,
		       (unsigned long long)places.list[i].offset);
	tap_dwarf_places_free(&places);
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
	print_rows(mod, text, atoi(colon + 1), ROW);
	print_rows(mod, text, atoi(colon + 1), CALL);
	print_rows(mod, text, atoi(colon + 1), ENTRY);
}

/* perf takes another one of the names of a function, such as init_module. */
static void print_aliases(Dwfl_Module *mod)
{
	int i, n = dwfl_module_getsymtab(mod);
	struct tap_error error;
	GElf_Sym sym;

	for (i = 1; i < n; i++) {
		struct tap_dwarf_places places = { 0 };
		struct tap_dwarf_place place = { 0 };
		const char *name = dwfl_module_getsym_info(mod, i, &sym, &place.addr, NULL, NULL,
							   NULL);

		if (!name || GELF_ST_TYPE(sym.st_info) != STT_FUNC || sym.st_shndx == SHN_UNDEF)
			continue;
		if (tap_dwarf_place_add(&places, &place))
			errx(1, "out of memory");
		if (!tap_dwarf_places_finish(&places, mod, &error) && !places.list->offset &&
		    strcmp(places.list->symbol, name))
			printf("ALIAS %s %s\n", name, places.list->symbol);
		tap_dwarf_places_free(&places);
	}
}

static void print_statements(void)
{
	size_t i;

	for (i = 0; i < nr_rows; i++)
		if (rows[i].kind == ROW)
			printf("%s:%d %s:%d\n", rows[i].path, rows[i].place.line, rows[i].spelled,
			       rows[i].place.line);
}

int main(int argc, char **argv)
{
	struct tap_dwarf *dwarf;
	struct tap_error error;
	char text[4096];

	if (argc < 2 || tap_dwarf_open(&dwarf, argv[1], &error))
		errx(2, "%s", argc < 2 ? "usage: source_places MODULE.ko [-]" : error.text);
	collect(tap_dwarf_module(dwarf));
	if (argc == 2)
		print_statements();
	else
		print_aliases(tap_dwarf_module(dwarf));
	while (argc > 2 && fgets(text, sizeof(text), stdin))
		print_line(tap_dwarf_module(dwarf), text);
	tap_dwarf_close(dwarf);
	return 0;
}

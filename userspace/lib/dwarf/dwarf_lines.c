// SPDX-License-Identifier: LGPL-2.1
/*
 * Lines of the source: FILE:LINE and FUNCTION:+LINES to instructions.
 *
 * A row of the line table that begins a statement (is_stmt) is a place of its line. An optimising
 * compiler makes several places of a line: of loops, branches, and of each inlined instance.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>

#include "dwarf/source.h"
#include "util/suggest.h"

/* Files that an error message lists. */
#define MAX_FILES	4

/* A look for the function whose source has a line: of those of the file the nearest above it. */
struct owner {
	const char *file;
	int line;
	int found;
};

/*
 * A search for lines.
 *	@file, @base	a file, or the tail of its path; its last component
 *	@first, @last	the lines
 *	@exact		the whole path, if it is known
 *	@below, @above	the nearest lines with code; 0: none
 *	@damaged	the lines of a unit could not be read
 *	@files		the files that fit
 *	@seen		the file of the last row, which most rows share
 *	@fits		whether that fits
 *	@owner		of the last row without an instruction
 */
struct search {
	Dwfl_Module *mod;
	const char *file;
	const char *base;
	int first;
	int last;
	int below;
	int above;
	bool damaged;
	char *files[MAX_FILES];
	unsigned int nr_files;
	const char *seen;
	bool fits;
	struct owner owner;
	struct tap_suggest near;
	struct tap_dwarf_places *places;
};

/* Takes "." and ".." out of a path, in place. */
static void clean_path(char *path)
{
	char *from = path, *to = path, *slash;
	size_t len;

	while (*from) {
		len = strcspn(from, "/");
		if (len == 1 && *from == '.') {
			from += len + (from[len] == '/');
			continue;
		}
		if (len == 2 && !memcmp(from, "..", 2) && to > path + 1) {
			to[-1] = '\0';
			slash = strrchr(path, '/');
			to = slash ? slash + 1 : path;
			from += len + (from[len] == '/');
			continue;
		}
		len += from[len] == '/';
		memmove(to, from, len);
		to += len;
		from += len;
	}
	*to = '\0';
}

/**
 * tap_dwarf_file_path() - the path of a file of a compilation unit
 * @cu: the unit
 * @name: as the line table has it: perhaps relative to the directory of the compilation
 *
 * Return: the path without "." and ".."; allocated; NULL if out of memory.
 */
char *tap_dwarf_file_path(Dwarf_Die *cu, const char *name)
{
	Dwarf_Attribute attr;
	const char *dir = *name == '/' ? NULL :
			  dwarf_formstring(dwarf_attr(cu, DW_AT_comp_dir, &attr));
	char *path;

	if (asprintf(&path, "%s%s%s", dir ? dir : "", dir ? "/" : "", name) < 0)
		return NULL;
	clean_path(path);
	return path;
}

/* Whether @tail is @path, or its last components. */
static bool is_tail(const char *path, const char *tail)
{
	size_t len = strlen(path), end = strlen(tail);

	if (end > len || strcmp(path + len - end, tail))
		return false;
	return end == len || *tail == '/' || path[len - end - 1] == '/';
}

/* Returns -ENOMEM, or whether the file fits. */
static int check_file(struct search *s, Dwarf_Die *cu, const char *name)
{
	const char *base = strrchr(name, '/');
	unsigned int i;
	char *path;

	base = base ? base + 1 : name;
	tap_suggest_offer(&s->near, base, strlen(base));
	if (strcmp(base, s->base))
		return 0;
	path = tap_dwarf_file_path(cu, name);
	if (!path)
		return -ENOMEM;
	if (!is_tail(path, s->file)) {
		free(path);
		return 0;
	}
	for (i = 0; i < s->nr_files && i < MAX_FILES; i++)
		if (!strcmp(s->files[i], path))
			break;
	if (i == s->nr_files && s->nr_files < MAX_FILES)
		s->files[s->nr_files++] = path;
	else
		free(path);
	return 1;
}

/*
 * Whether the instruction at a row belongs to another line: the last row of an address is the one
 * with code.
 */
static bool is_empty(Dwarf_Lines *rows, size_t nr, size_t i, int line, const char *name)
{
	Dwarf_Line *row = dwarf_onesrcline(rows, i), *next;
	Dwarf_Addr addr, other;
	const char *file;
	bool end;
	int number;

	if (dwarf_lineaddr(row, &addr))
		return false;
	while (++i < nr) {
		next = dwarf_onesrcline(rows, i);
		if (dwarf_lineaddr(next, &other) || other != addr ||
		    dwarf_lineendsequence(next, &end) || end)
			break;
		row = next;
	}
	file = dwarf_linesrc(row, NULL, NULL);
	return dwarf_lineno(row, &number) || number != line || !file || strcmp(file, name);
}

static int look_above(Dwarf_Die *die, void *arg)
{
	struct owner *o = arg;
	const char *file = dwarf_decl_file(die);
	int line;

	if (file && !dwarf_hasattr(die, DW_AT_declaration) && !dwarf_decl_line(die, &line) &&
	    line <= o->line && line > o->found && !strcmp(file, o->file))
		o->found = line;
	return DWARF_CB_OK;
}

/* Whether the instruction before the address is the one of BUG(), behind which no code goes on. */
static bool is_behind_trap(Dwfl_Module *mod, Dwarf_Addr addr)
{
#if defined(__x86_64__)
	static const uint8_t trap[] = { 0x0f, 0x0b };
#else
	static const uint8_t trap[] = { 0x00, 0x00, 0x21, 0xd4 };
#endif
	Elf_Data *data;
	Elf_Scn *section;
	Dwarf_Addr bias;

	section = dwfl_module_address_section(mod, &addr, &bias);
	data = section ? elf_rawdata(section, NULL) : NULL;
	return data && data->d_buf && addr >= sizeof(trap) && addr <= data->d_size &&
	       !memcmp((const char *)data->d_buf + addr - sizeof(trap), trap, sizeof(trap));
}

/*
 * Whether a row without an instruction stands behind code that does not return. There is another
 * function, another part of the function that it is inlined into, or nothing.
 */
static bool is_behind(struct search *s, const struct tap_dwarf_place *place)
{
	struct owner *o = &s->owner;
	struct tap_dwarf_scope scope;
	Dwarf_Die cu = place->cu;
	const char *file;
	GElf_Sym sym;
	int line;

	if (!dwfl_module_addrsym(s->mod, place->addr, &sym, NULL))
		return true;
	if (!place->empty || !is_behind_trap(s->mod, place->addr))
		return false;
	if (o->file != place->file || o->line != place->line) {
		*o = (struct owner) { .file = place->file, .line = place->line };
		dwarf_getfuncs(&cu, look_above, o, 0);
	}
	if (!o->found)
		return false;
	tap_dwarf_scope_at(place, &scope);
	while (scope.nr--) {
		file = dwarf_decl_file(&scope.die[scope.nr]);
		if (dwarf_tag(&scope.die[scope.nr]) != DW_TAG_lexical_block && file &&
		    !dwarf_decl_line(&scope.die[scope.nr], &line) && line == o->found &&
		    !strcmp(file, place->file))
			return false;
	}
	return true;
}

static int look_at(struct search *s, Dwarf_Die *cu, Dwarf_Addr bias, Dwarf_Lines *rows,
		   size_t nr, size_t i)
{
	struct tap_dwarf_place place = { .bias = bias, .cu = *cu };
	Dwarf_Line *row = dwarf_onesrcline(rows, i);
	bool statement, end;
	const char *name;
	int line, ret;

	if (dwarf_linebeginstatement(row, &statement) || dwarf_lineendsequence(row, &end) ||
	    dwarf_lineno(row, &line) || dwarf_lineaddr(row, &place.addr) || !statement || end ||
	    !line)
		return 0;
	name = dwarf_linesrc(row, NULL, NULL);
	if (!name)
		return 0;
	if (name != s->seen) {
		ret = check_file(s, cu, name);
		if (ret < 0)
			return ret;
		s->seen = name;
		s->fits = ret;
	}
	if (!s->fits)
		return 0;
	if (line < s->first && line > s->below)
		s->below = line;
	if (line > s->last && (!s->above || line < s->above))
		s->above = line;
	if (line < s->first || line > s->last)
		return 0;
	place.addr += bias;
	place.file = name;
	place.line = line;
	place.empty = is_empty(rows, nr, i, line, name);
	if (is_behind(s, &place))
		return 0;
	return tap_dwarf_place_add(s->places, &place);
}

static int look_at_all(struct search *s)
{
	Dwarf_Die *cu = NULL;
	Dwarf_Addr bias;
	Dwarf_Lines *rows;
	size_t nr, i;
	int ret = 0;

	while (!ret && (cu = dwfl_module_nextcu(s->mod, cu, &bias))) {
		if (dwarf_getsrclines(cu, &rows, &nr)) {
			s->damaged |= dwarf_hasattr(cu, DW_AT_stmt_list);
			continue;
		}
		s->seen = NULL;
		s->owner.file = NULL;
		for (i = 0; i < nr && !ret; i++)
			ret = look_at(s, cu, bias, rows, nr, i);
	}
	return ret;
}

/* The function that has the place, or where it is inlined: the offset of its DIE. */
static Dwarf_Off function_of(const struct tap_dwarf_place *place)
{
	struct tap_dwarf_scope scope;
	unsigned int i;

	tap_dwarf_scope_at(place, &scope);
	for (i = scope.nr; i--;)
		if (dwarf_tag(&scope.die[i]) != DW_TAG_lexical_block)
			return dwarf_dieoffset(&scope.die[i]);
	return 0;
}

/*
 * Drops places without an instruction of the line, which other paths may pass as well, if the
 * same function, or inlined instance of it, has one with an instruction.
 */
static void drop_empty(struct tap_dwarf_places *places)
{
	size_t i, k, nr = 0;

	for (i = 0; i < places->nr; i++)
		places->list[i].instance = function_of(&places->list[i]);
	for (i = 0; i < places->nr; i++) {
		for (k = 0; places->list[i].empty && k < places->nr; k++)
			if (!places->list[k].empty &&
			    places->list[k].line == places->list[i].line &&
			    places->list[k].instance == places->list[i].instance)
				break;
		if (!places->list[i].empty || k == places->nr)
			places->list[nr++] = places->list[i];
	}
	places->nr = nr;
	for (i = 0; i < nr; i++)
		places->list[i].instance = 0;
}

static int no_file(const struct search *s, struct tap_error *err)
{
	char near[300];

	if (s->damaged)
		return tap_error_set(err, -EBADMSG,
				     "the lines of a part of the code cannot be read: .debug_line is damaged; build the file again");
	tap_suggest_text(&s->near, "", "", near, sizeof(near));
	return tap_error_set(err, -ENOENT, "no code comes from a file %s%s", s->file, near);
}

static int many_files(const struct search *s, struct tap_error *err)
{
	char list[600] = "";
	unsigned int i;
	size_t at = 0;

	for (i = 0; i < s->nr_files && at < sizeof(list); i++)
		at += snprintf(list + at, sizeof(list) - at, "%s%s", i ? ", " : "", s->files[i]);
	return tap_error_set(err, -ENOTUNIQ,
			     "several files have a path that ends with %s; write more of it: %s%s",
			     s->file, list, s->nr_files == MAX_FILES ? ", ..." : "");
}

static int no_code(const struct search *s, struct tap_error *err)
{
	char below[64] = "";

	if (s->below)
		snprintf(below, sizeof(below), "line %d%s", s->below, s->above ? " or " : "");
	if (s->above)
		snprintf(below + strlen(below), sizeof(below) - strlen(below), "line %d",
			 s->above);
	if (s->first != s->last)
		return tap_error_set(err, -ENODATA,
				     "no statement begins on lines %d to %d of %s; the nearest are on %s",
				     s->first, s->last, s->file, below);
	return tap_error_set(err, -ENODATA,
			     "no statement begins on line %d of %s; the nearest are on %s",
			     s->first, s->file, below);
}

/**
 * tap_dwarf_lines() - find the instructions at which lines of the source begin
 * @mod: the file with the code
 * @file: a file of the source, or a tail of its path that no other file has
 * @first: the first line
 * @last: the last one
 * @places: filled in; the caller has to call tap_dwarf_places_free()
 * @err: an error message on failure
 *
 * Return: 0; -ENOENT without such a file; -ENOTUNIQ with several; -ENODATA if no line has
 * code; -ENOMEM.
 */
int tap_dwarf_lines(Dwfl_Module *mod, const char *file, int first, int last,
		    struct tap_dwarf_places *places, struct tap_error *err)
{
	struct search s = {
		.mod = mod, .file = file, .first = first, .last = last, .places = places,
	};
	const char *base = strrchr(file, '/');
	unsigned int i;
	int ret;

	*places = (struct tap_dwarf_places) { 0 };
	s.base = base ? base + 1 : file;
	tap_suggest_begin(&s.near, s.base, strlen(s.base));
	ret = look_at_all(&s);
	if (ret)
		tap_error_set(err, ret, "out of memory");
	else if (!s.nr_files)
		ret = no_file(&s, err);
	else if (s.nr_files > 1)
		ret = many_files(&s, err);
	else if (!places->nr)
		ret = no_code(&s, err);
	if (!ret) {
		drop_empty(places);
		ret = tap_dwarf_places_finish(places, mod, err);
	}
	for (i = 0; i < s.nr_files; i++)
		free(s.files[i]);
	if (ret)
		tap_dwarf_places_free(places);
	return ret;
}

/**
 * tap_dwarf_line() - tap_dwarf_lines() of one line
 * @mod: the file with the code
 * @file: as there
 * @line: the line
 * @places: filled in; the caller has to call tap_dwarf_places_free()
 * @err: an error message on failure
 *
 * Return: as tap_dwarf_lines().
 */
int tap_dwarf_line(Dwfl_Module *mod, const char *file, int line,
		   struct tap_dwarf_places *places, struct tap_error *err)
{
	return tap_dwarf_lines(mod, file, line, line, places, err);
}

/*
 * A function by name.
 *	@path, @line	where it is declared; @path is allocated
 *	@other		of another function of the name; allocated
 *	@next		line of the function behind it in the file
 */
struct function {
	const char *name;
	char *path;
	char *other;
	int line;
	int next;
	Dwarf_Die *cu;
	bool failed;
	struct tap_suggest near;
};

static int look_at_function(Dwarf_Die *die, void *arg)
{
	struct function *f = arg;
	const char *name = dwarf_diename(die), *file = dwarf_decl_file(die);
	char *path;
	int line;

	if (!name || !file || dwarf_decl_line(die, &line))
		return DWARF_CB_OK;
	tap_suggest_offer(&f->near, name, strlen(name));
	if (strcmp(name, f->name))
		return DWARF_CB_OK;
	path = tap_dwarf_file_path(f->cu, file);
	if (!path) {
		f->failed = true;
		return DWARF_CB_ABORT;
	}
	if (!f->path) {
		f->path = path;
		f->line = line;
	} else if (!f->other && (strcmp(f->path, path) || f->line != line)) {
		f->other = path;
	} else {
		free(path);
	}
	return DWARF_CB_OK;
}

static int look_behind(Dwarf_Die *die, void *arg)
{
	struct function *f = arg;
	const char *file = dwarf_decl_file(die);
	char *path;
	int line;

	if (!file || dwarf_decl_line(die, &line) || line <= f->line ||
	    (f->next && line >= f->next))
		return DWARF_CB_OK;
	path = tap_dwarf_file_path(f->cu, file);
	if (path && !strcmp(path, f->path))
		f->next = line;
	f->failed |= !path;
	free(path);
	return DWARF_CB_OK;
}

static void each_function(Dwfl_Module *mod, struct function *f, int (*each)(Dwarf_Die *, void *))
{
	Dwarf_Addr bias;

	f->cu = NULL;
	while (!f->failed && (f->cu = dwfl_module_nextcu(mod, f->cu, &bias)))
		dwarf_getfuncs(f->cu, each, f, 0);
}

static int find_function(Dwfl_Module *mod, struct function *f, struct tap_error *err)
{
	char near[300];

	tap_suggest_begin(&f->near, f->name, strlen(f->name));
	each_function(mod, f, look_at_function);
	if (f->path && !f->failed)
		each_function(mod, f, look_behind);
	if (f->failed)
		return tap_error_set(err, -ENOMEM, "out of memory");
	if (f->other)
		return tap_error_set(err, -ENOTUNIQ,
				     "several functions have the name %s, in %s and %s; write FILE:LINE",
				     f->name, f->path, f->other);
	if (f->path)
		return 0;
	tap_suggest_text(&f->near, "", "", near, sizeof(near));
	return tap_error_set(err, -ENOENT, "the debug information has no function %s%s", f->name,
			     near);
}

/**
 * tap_dwarf_function_line() - find the instructions of a line of a function
 * @mod: the file with the code
 * @function: its name
 * @offset: lines behind the one that has the name of the function
 * @places: filled in; the caller has to call tap_dwarf_places_free()
 * @err: an error message on failure
 *
 * Return: as tap_dwarf_line(); -ERANGE for a line behind the function.
 */
int tap_dwarf_function_line(Dwfl_Module *mod, const char *function, int offset,
			    struct tap_dwarf_places *places, struct tap_error *err)
{
	struct function f = { .name = function };
	int ret = find_function(mod, &f, err);

	*places = (struct tap_dwarf_places) { 0 };
	if (!ret && (offset > INT_MAX - f.line || (f.next && f.line + offset >= f.next)))
		ret = tap_error_set(err, -ERANGE,
				    "%s begins on line %d of %s, and another function on line %d",
				    function, f.line, f.path, f.next);
	if (!ret)
		ret = tap_dwarf_line(mod, f.path, f.line + offset, places, err);
	free(f.path);
	free(f.other);
	return ret;
}

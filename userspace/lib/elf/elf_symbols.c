// SPDX-License-Identifier: LGPL-2.1
/*
 * Functions of a program: from its symbol table, that of its separate debug file, or
 * the dynamic symbol table and .gnu_debugdata. libdwfl finds these.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_internal.h"
#include "util/array.h"
#include "util/buffer.h"
#include "util/demangle.h"
#include "util/glob.h"
#include "util/suggest.h"

/*
 * Functions before an address that are checked for containing it: nested functions are
 * rare.
 */
#define LOOK_BACK	64

/* A function that is being read, with its STB_* binding. */
struct symbol {
	struct tap_elf_function fn;
	unsigned char binding;
};

static unsigned int underscores(const char *name)
{
	return strspn(name, "_");
}

/* Orders names of one place; users know "read", not "__libc_read". */
static int better(const struct symbol *a, const struct symbol *b)
{
	static const char rank[] = {
		[STB_LOCAL] = 2, [STB_GLOBAL] = 0, [STB_WEAK] = 1,
	};
	int x, y;

	x = underscores(a->fn.name);
	y = underscores(b->fn.name);
	if (x != y)
		return x - y;
	x = a->binding < sizeof(rank) ? rank[a->binding] : 0;
	y = b->binding < sizeof(rank) ? rank[b->binding] : 0;
	if (x != y)
		return x - y;
	x = strlen(a->fn.name);
	y = strlen(b->fn.name);
	if (x != y)
		return x - y;
	return strcmp(a->fn.name, b->fn.name);
}

static int by_addr(const void *pa, const void *pb)
{
	const struct symbol *a = pa, *b = pb;

	if (a->fn.addr != b->fn.addr)
		return a->fn.addr < b->fn.addr ? -1 : 1;
	return better(a, b);
}

/* A copy of a name without control characters. It is not longer than the name. */
static const char *keep(struct tap_elf *elf, const char *name, size_t len)
{
	char *copy;

	if (!TAP_GROW(elf->names, elf->nr_names))
		return NULL;
	copy = malloc(len + 1);
	if (!copy)
		return NULL;
	*tap_put_text(copy, name, len, false) = '\0';
	elf->names[elf->nr_names++] = copy;
	return copy;
}

static bool is_plain(const char *name)
{
	while (*name >= ' ' && *name <= '~')
		name++;
	return !*name;
}

/* Fills in a symbol. Returns 1, 0 if it is not a function, or -ENOMEM. */
static int read_symbol(struct tap_elf *elf, int i, struct symbol *s)
{
	const struct tap_elf_segment *segment;
	const char *name;
	GElf_Addr addr;
	GElf_Word section;
	GElf_Sym sym;
	size_t len;

	name = dwfl_module_getsym_info(elf->mod, i, &sym, &addr, &section, NULL,
				       NULL);
	if (!name || !*name || section == SHN_UNDEF || section == SHN_ABS)
		return 0;
	if (GELF_ST_TYPE(sym.st_info) != STT_FUNC &&
	    GELF_ST_TYPE(sym.st_info) != STT_GNU_IFUNC)
		return 0;
	segment = tap_elf_segment_of(elf, addr);
	if (!segment || !segment->code)
		return 0;
	len = tap_elf_name_len(name);
	if (name[len] || !is_plain(name)) {
		name = keep(elf, name, len);
		if (!name)
			return -ENOMEM;
	}
	*s = (struct symbol) {
		.fn.name = name,
		.fn.addr = addr,
		.fn.offset = addr - segment->addr + segment->offset,
		.fn.size = sym.st_size,
		.fn.indirect = GELF_ST_TYPE(sym.st_info) == STT_GNU_IFUNC,
		.binding = GELF_ST_BIND(sym.st_info),
	};
	return 1;
}

static int keep_functions(struct tap_elf *elf, struct symbol *list, size_t nr)
{
	struct tap_elf_function *fn, *last = NULL;
	size_t i;

	if (!nr)
		return -ENODATA;
	qsort(list, nr, sizeof(*list), by_addr);
	elf->functions = calloc(nr, sizeof(*elf->functions));
	if (!elf->functions)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		fn = &list[i].fn;
		if (last && last->addr == fn->addr &&
		    !strcmp(last->name, fn->name)) {
			if (!last->size)
				last->size = fn->size;
			continue;
		}
		last = &elf->functions[elf->nr_functions++];
		*last = *fn;
	}
	return 0;
}

static int read_functions(struct tap_elf *elf)
{
	Dwfl_Module *mod = tap_elf_module(elf);
	int total = mod ? dwfl_module_getsymtab(mod) : -1;
	struct symbol *list;
	size_t nr = 0;
	int i, code;

	if (total <= 0)
		return -ENODATA;
	list = malloc(total * sizeof(*list));
	if (!list)
		return -ENOMEM;
	/* Symbol 0 is undefined by definition. */
	for (i = 1; i < total; i++) {
		code = read_symbol(elf, i, &list[nr]);
		if (code < 0)
			goto out;
		nr += code;
	}
	code = keep_functions(elf, list, nr);
out:
	free(list);
	return code;
}

static int demangle(struct tap_elf *elf, struct tap_elf_function *fn)
{
	char buf[TAP_DEMANGLED_MAX];

	if (fn->demangled || !tap_demangle(fn->name, true, buf))
		return 0;
	fn->bare = keep(elf, buf, strlen(buf));
	/* With its parameters the name may be too long. */
	if (!tap_demangle(fn->name, false, buf))
		fn->demangled = fn->bare;
	else
		fn->demangled = keep(elf, buf, strlen(buf));
	return fn->bare && fn->demangled ? 0 : -ENOMEM;
}

static int load(struct tap_elf *elf)
{
	if (!elf->functions && !elf->functions_error)
		elf->functions_error = read_functions(elf);
	return elf->functions_error;
}

/**
 * tap_elf_functions() - return all functions of a file
 * @elf: the file
 * @list: set to them, by address; names of one place are adjacent, the best first
 * @nr: set to the length of @list
 * @err: an error message on failure
 *
 * Return: 0; -ENODATA if there is no symbol table, or no function in it.
 */
int tap_elf_functions(struct tap_elf *elf,
		      const struct tap_elf_function **list, size_t *nr,
		      struct tap_error *err)
{
	int code = load(elf);
	size_t i;

	for (i = 0; !code && !elf->demangled && i < elf->nr_functions; i++)
		code = demangle(elf, &elf->functions[i]);
	if (code == -ENODATA)
		return tap_error_set(err, code,
				     "%s: has no function symbols (it is stripped); install its debug symbols (in Debian PACKAGE-dbgsym), or give an offset:  uprobe:%s:0x1234",
				     elf->path, elf->path);
	if (code)
		return tap_error_set(err, code, "out of memory");
	elf->demangled = true;
	*list = elf->functions;
	*nr = elf->nr_functions;
	return 0;
}

/* The first name of the place of a function. */
static struct tap_elf_function *first_name(const struct tap_elf *elf, size_t i)
{
	while (i && elf->functions[i - 1].addr == elf->functions[i].addr)
		i--;
	return &elf->functions[i];
}

/**
 * tap_elf_at() - find the function that contains a byte of the file
 * @elf: the file
 * @offset: the byte
 *
 * A function of unknown size extends to the next one.
 *
 * Return: the function with its demangled name, or NULL.
 */
const struct tap_elf_function *tap_elf_at(struct tap_elf *elf, uint64_t offset)
{
	size_t low = 0, high, mid, i;
	struct tap_elf_function *fn;
	uint64_t addr;

	if (load(elf) || !tap_elf_addr(elf, offset, &addr))
		return NULL;
	for (high = elf->nr_functions; low < high;) {
		mid = low + (high - low) / 2;
		if (elf->functions[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	for (i = low; i && low - i < LOOK_BACK; i--) {
		fn = &elf->functions[i - 1];
		if (addr - fn->addr >= fn->size &&
		    (fn->size || fn->addr != elf->functions[low - 1].addr))
			continue;
		/* The best name whose size covers the address. */
		for (fn = first_name(elf, i - 1); addr - fn->addr >= fn->size &&
		     fn != &elf->functions[i - 1];)
			fn++;
		/* If out of memory, the name stays mangled. */
		demangle(elf, fn);
		return fn;
	}
	return NULL;
}

static bool fits(const struct tap_elf_function *fn, const char *pattern,
		 bool glob)
{
	const char *const names[] = { fn->name, fn->demangled, fn->bare };
	size_t i;

	for (i = 0; i < 3; i++)
		if (names[i] && (!strcmp(pattern, names[i]) ||
				 (glob && tap_glob_match(pattern, names[i]))))
			return true;
	return false;
}

static int no_match(struct tap_elf *elf, const char *pattern, bool glob,
		    struct tap_error *err)
{
	struct tap_suggest s;
	char near[256];
	size_t i;

	if (glob)
		return tap_error_set(err, -ENOENT,
				     "%s: no function matches %s", elf->path,
				     pattern);
	tap_suggest_begin(&s, pattern, strlen(pattern));
	for (i = 0; i < elf->nr_functions; i++) {
		const struct tap_elf_function *fn = &elf->functions[i];
		const char *name = fn->bare ? fn->bare : fn->name;

		tap_suggest_offer(&s, name, strlen(name));
	}
	return tap_error_set(err, -ENOENT, "%s: has no function %s%s",
			     elf->path, pattern,
			     tap_suggest_text(&s, "", "", near, sizeof(near)));
}

/**
 * tap_elf_match() - find functions by a name or a glob
 * @elf: the file
 * @pattern: a name as in the symbol table, or demangled with or without its parameters;
 *	or a glob over these
 * @each: called for each place, by address, with the first name that matches; a result
 *	other than 0 ends the search
 * @arg: passed to @each
 * @err: an error message on failure
 *
 * A name that looks like a glob, e.g. operator[], is a name if a function has it.
 *
 * Return: 0; -ENOENT with near names if there is none; or the result of
 * tap_elf_functions() or @each.
 */
int tap_elf_match(struct tap_elf *elf, const char *pattern,
		  int (*each)(const struct tap_elf_function *fn, void *arg),
		  void *arg, struct tap_error *err)
{
	const struct tap_elf_function *list, *last = NULL;
	bool glob = false;
	size_t nr, i;
	int code;

	code = tap_elf_functions(elf, &list, &nr, err);
	if (code)
		return code;
	do {
		for (i = 0; i < nr; i++) {
			if ((last && last->addr == list[i].addr) ||
			    !fits(&list[i], pattern, glob))
				continue;
			last = &list[i];
			code = each(last, arg);
			if (code)
				return code;
		}
		if (last)
			return 0;
		glob = !glob && tap_glob_is(pattern);
	} while (glob);
	return no_match(elf, pattern, tap_glob_is(pattern), err);
}

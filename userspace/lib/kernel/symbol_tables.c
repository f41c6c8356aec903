// SPDX-License-Identifier: LGPL-2.1
/*
 * The symbols of the running kernel out of its own tables, by /proc/kcore: for the kernel to print
 * them as text takes 500 million instructions.
 *
 * The kernel names its tables to debuggers (SYMBOL(kallsyms_names) of VMCOREINFO, since 6.0). A
 * name is a list of bytes. Each byte stands for a piece of text. The first character is the
 * type. The table of a module is one of ELF, to which its struct module leads.
 *
 * Nothing of this is an interface that lasts. So what was read is used only if it is what the
 * kernel prints: it has _stext at the address that the kernel names, it begins with the first page
 * of /proc/kallsyms, line by line, and each module has __this_module at the address that sysfs
 * has. In doubt the symbols are read from /proc/kallsyms. As there, addresses are not shown where
 * the kernel hides them: then the first page differs.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/kcore.h"
#include "kernel/symbol_tables.h"
#include "kernel/symbols_scan.h"
#include "util/glob.h"
#include "util/util.h"

#define NR_PIECES	256
/* No kernel, and no module, has more. */
#define MAX_SYMBOLS	(1 << 22)
#define MAX_TABLE	(64 << 20)
/* Text for the pieces: each has a few letters. */
#define MAX_PIECES	(1 << 14)
/* The kernel cuts names off at 512 characters; it has none of this length. */
#define MAX_NAME	500

/* How the kernel keeps addresses: an offset of 32 bits each. */
enum form {
	FORM_RELATIVE,	/* unsigned, from a base */
	FORM_PERCPU,	/* an address if not negative, else from the base on; x86 before 6.15 */
	FORM_OWN,	/* signed, from its own place on: there is no base; since 7.0 */
	NR_FORMS,
};

/* A piece of text. Most have at most this much, and are copied at once. */
struct piece {
	char text[16];
	const char *all;
	size_t len;
};

/* The table of vmlinux. @place is where the kernel has @offsets. */
struct table {
	uint32_t nr;
	uint8_t *names;
	size_t names_len;
	int32_t *offsets;
	uint64_t place;
	uint64_t base;
	enum form form;
	char text[MAX_PIECES + 16];
	struct piece pieces[NR_PIECES];
	size_t longest;
};

/* A name in the table: its pieces. */
struct packed {
	const uint8_t *pieces;
	size_t nr;
};

/* The table of a module. */
struct module_table {
	char *name;
	uint64_t self;		/* address of its struct module */
	Elf64_Sym *symbols;
	char *types;
	uint32_t nr;
	char *text;
	size_t text_len;
};

struct module_tables {
	char *text;		/* of /proc/modules */
	struct module_table *list;
	size_t nr;
};

/* What struct module has of its symbols: struct mod_kallsyms. */
struct module_symbols {
	uint64_t symbols;
	uint32_t nr;
	uint64_t text;
	uint64_t types;
};

/* No kernel's struct module has more bytes in front of its symbols. */
#define MAX_STRUCT_MODULE	4096

/* ---------------------------------------------------------------- vmlinux */

/* Takes the next name; false at the end of the table. */
static bool next_name(const struct table *t, size_t *at, struct packed *name)
{
	size_t i = *at, len;

	if (i >= t->names_len)
		return false;
	len = t->names[i++];
	if (len & 0x80) {
		if (i >= t->names_len)
			return false;
		len = (len & 0x7f) | (size_t)t->names[i++] << 7;
	}
	if (!len || len > t->names_len - i)
		return false;
	*name = (struct packed) { t->names + i, len };
	*at = i + len;
	return true;
}

static size_t length(const struct table *t, const struct packed *name)
{
	size_t len = 0, i;

	for (i = 0; i < name->nr; i++)
		len += t->pieces[name->pieces[i]].len;
	return len;
}

/* Writes type and name at @to, which has room for 16 bytes more. Returns the end. */
static char *unpack(const struct table *t, const struct packed *name, char *to)
{
	const uint8_t *p = name->pieces, *end = p + name->nr;

	while (p < end) {
		const struct piece *piece = &t->pieces[*p++];
		size_t len = piece->len;

		memcpy(to, piece->text, sizeof(piece->text));
		if (len > sizeof(piece->text))
			memcpy(to, piece->all, len);
		to += len;
	}
	*to = '\0';
	return to;
}

/* Whether a name begins with @len bytes at @text. The first character is the type. */
static bool begins(const struct table *t, const struct packed *name, const char *text, size_t len)
{
	size_t skip = 1, at = 0, i;

	for (i = 0; i < name->nr && at < len; i++) {
		const struct piece *p = &t->pieces[name->pieces[i]];
		size_t n = p->len - skip < len - at ? p->len - skip : len - at;

		if (memcmp(p->all + skip, text + at, n))
			return false;
		at += n;
		skip = 0;
	}
	return at == len;
}

static uint64_t address(const struct table *t, uint32_t i)
{
	int64_t offset = t->offsets[i];

	switch (t->form) {
	case FORM_PERCPU:
		return offset >= 0 ? (uint64_t)offset : t->base - 1 - (uint64_t)offset;
	case FORM_OWN:
		return t->place + i * sizeof(*t->offsets) + (uint64_t)offset;
	default:
		return t->base + (uint32_t)offset;
	}
}

static bool read_pieces(struct table *t, const struct tap_kcore *core, uint64_t text,
			uint64_t index)
{
	uint16_t at[NR_PIECES];
	size_t i, len = index - text;

	if (index <= text || len > MAX_PIECES || !tap_kcore_read(core, text, t->text, len) ||
	    !tap_kcore_read(core, index, at, sizeof(at)))
		return false;
	for (i = 0; i < NR_PIECES; i++) {
		struct piece *p = &t->pieces[i];

		if (at[i] >= len)
			return false;
		p->all = t->text + at[i];
		p->len = strlen(p->all);
		if (!p->len)
			return false;
		memcpy(p->text, p->all, sizeof(p->text));
		if (p->len > t->longest)
			t->longest = p->len;
	}
	return true;
}

/* Finds the form by the symbol whose address the kernel names. */
static bool find_form(struct table *t, uint64_t stext)
{
	static const char wanted[] = "T_stext";
	struct packed name;
	char text[sizeof(wanted) + 16];
	size_t at = 0;
	uint32_t i;

	for (i = 0; i < t->nr && next_name(t, &at, &name); i++) {
		if (length(t, &name) != sizeof(wanted) - 1)
			continue;
		unpack(t, &name, text);
		if (strcmp(text, wanted))
			continue;
		for (t->form = 0; t->form < NR_FORMS; t->form++)
			if ((t->form == FORM_OWN) == !t->base && address(t, i) == stext)
				return true;
		return false;
	}
	return false;
}

static int read_table(struct table *t, const struct tap_kcore *core)
{
	uint64_t names = tap_kcore_symbol(core, "kallsyms_names");
	uint64_t nr = tap_kcore_symbol(core, "kallsyms_num_syms");
	uint64_t text = tap_kcore_symbol(core, "kallsyms_token_table");
	uint64_t index = tap_kcore_symbol(core, "kallsyms_token_index");
	uint64_t base = tap_kcore_symbol(core, "kallsyms_relative_base");

	t->place = tap_kcore_symbol(core, "kallsyms_offsets");
	/* The pieces follow the names. */
	t->names_len = text - names;
	if (!names || !nr || !index || !t->place || text <= names || t->names_len > MAX_TABLE ||
	    !tap_kcore_read(core, nr, &t->nr, sizeof(t->nr)) || !t->nr || t->nr > MAX_SYMBOLS ||
	    (base && !tap_kcore_read(core, base, &t->base, sizeof(t->base))) ||
	    !read_pieces(t, core, text, index))
		return -ENODATA;
	t->names = malloc(t->names_len);
	t->offsets = malloc(t->nr * sizeof(*t->offsets));
	if (!t->names || !t->offsets)
		return -ENOMEM;
	if (!tap_kcore_read(core, names, t->names, t->names_len) ||
	    !tap_kcore_read(core, t->place, t->offsets, t->nr * sizeof(*t->offsets)) ||
	    !find_form(t, tap_kcore_symbol(core, "_stext")))
		return -EBADMSG;
	return 0;
}

/* Whether the table begins with the lines that the kernel prints first. */
static bool is_printed(const struct table *t, const char *path)
{
	char page[4096], text[MAX_NAME + 16], *p, *end;
	struct tap_kallsym line;
	struct packed name;
	size_t at = 0;
	uint32_t i;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	n = read(fd, page, sizeof(page) - 1);
	close(fd);
	if (n <= 0)
		return false;
	page[n] = '\0';
	for (p = page, i = 0; (end = strchr(p, '\n')); p = end + 1, i++) {
		if (!tap_kallsym_parse(p, end, &line) || *line.module)
			return false;
		if (i >= t->nr || !next_name(t, &at, &name) || length(t, &name) > MAX_NAME)
			return false;
		unpack(t, &name, text);
		if (*text != line.type || strcmp(text + 1, line.name) || address(t, i) != line.addr)
			return false;
	}
	return i > 0;
}

static bool is_text(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

/* Bounds of sections, of any type: __init_begin, ..._text_start, ..._text_end. */
static bool may_be_bound(const struct table *t, const struct packed *name)
{
	const struct piece *first = &t->pieces[name->pieces[0]];
	const struct piece *last = &t->pieces[name->pieces[name->nr - 1]];
	char end = last->all[last->len - 1];

	return (end == 't' || end == 'n' || end == 'd') &&
	       (first->len > 1 ? first->text[1] == '_' :
		name->nr > 1 && *t->pieces[name->pieces[1]].text == '_');
}

/*
 * Takes the symbols of vmlinux; their names follow each other from @to on. With @glob those that
 * match it and, since they say what others are, bounds of sections.
 */
static int scan_table(const struct table *t, struct tap_symbols_scan *scan, const char *glob,
		      char **to)
{
	static const char padding[] = "__pfx_";
	size_t literal = glob ? tap_glob_literal(glob) : 0, at = 0;
	struct packed name;
	uint32_t i;
	int ret;

	for (i = 0; i < t->nr; i++) {
		char *begin = *to, *end;
		struct tap_kallsym line;
		bool bound;

		if (!next_name(t, &at, &name))
			return -EBADMSG;
		bound = may_be_bound(t, &name) && !begins(t, &name, padding, sizeof(padding) - 1);
		if (!bound && (!is_text(*t->pieces[name.pieces[0]].text) ||
			       (glob && !begins(t, &name, glob, literal))))
			continue;
		end = unpack(t, &name, begin);
		if (end - begin < 2 || end - begin > MAX_NAME)
			return -EBADMSG;
		if (!bound && glob && !tap_glob_match(glob, begin + 1))
			continue;
		line = (struct tap_kallsym) {
			.addr = address(t, i), .type = *begin, .name = begin + 1,
			.len = (size_t)(end - begin - 1), .module = "",
		};
		ret = tap_symbols_scan_line(scan, &line);
		if (ret)
			return ret;
		*to = end + 1;
	}
	return 0;
}

/* ---------------------------------------------------------------- modules */

/* The address of the module's struct module, which is a section of its own. */
static uint64_t find_self(const char *dir, const char *module)
{
	char path[4096], *text;
	uint64_t addr;
	size_t len;

	snprintf(path, sizeof(path), "%s/%s/sections/.gnu.linkonce.this_module", dir, module);
	if (tap_read_all(path, &text, &len))
		return 0;
	addr = strtoull(text, NULL, 16);
	free(text);
	return addr;
}

/*
 * Finds in a struct module of a live module the pointer to its symbols, which are right behind it.
 * What else looks so has no __this_module. Until its init function has returned, the pointer leads
 * elsewhere, to symbols that have those of the init section as well.
 */
static bool find_pointer(const struct tap_kcore *core, uint64_t self, uint64_t *at)
{
	uint64_t words[MAX_STRUCT_MODULE / sizeof(uint64_t)];
	size_t i;

	if (!self || !tap_kcore_read(core, self, words, sizeof(words)))
		return false;
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		*at = i * sizeof(*words);
		if (words[i] == self + *at + sizeof(*words))
			return true;
	}
	return false;
}

/* Bytes of the text that names begin in, and of the last name, which ends within this. */
static size_t text_length(const struct module_table *m)
{
	size_t last = 0;
	uint32_t i;

	for (i = 0; i < m->nr; i++)
		if (m->symbols[i].st_name > last)
			last = m->symbols[i].st_name;
	return last + MAX_NAME;
}

static int read_module(struct module_table *m, const struct tap_kcore *core, uint64_t from)
{
	struct module_symbols found;

	if (!tap_kcore_read(core, from, &found, sizeof(found)) || found.nr > MAX_SYMBOLS)
		return -EBADMSG;
	m->nr = found.nr;
	m->symbols = malloc((m->nr + 1) * sizeof(*m->symbols));
	m->types = malloc(m->nr + 1);
	if (!m->symbols || !m->types)
		return -ENOMEM;
	if (!tap_kcore_read(core, found.symbols, m->symbols, m->nr * sizeof(*m->symbols)) ||
	    !tap_kcore_read(core, found.types, m->types, m->nr))
		return -EBADMSG;
	m->text_len = text_length(m);
	if (m->text_len > MAX_TABLE)
		return -EBADMSG;
	m->text = malloc(m->text_len + 1);
	if (!m->text)
		return -ENOMEM;
	if (!tap_kcore_read(core, found.text, m->text, m->text_len))
		return -EBADMSG;
	m->text[m->text_len] = '\0';
	return 0;
}

static void free_module(struct module_table *m)
{
	free(m->symbols);
	free(m->types);
	free(m->text);
}

static int read_modules(struct module_tables *modules, const struct tap_kcore *core,
			const struct tap_symbols_paths *paths)
{
	size_t len, lines = 0;
	uint64_t at;
	char *p, *next;
	int ret = tap_read_all(paths->modules, &modules->text, &len);

	if (ret)
		return ret;
	for (p = modules->text; (p = strchr(p, '\n')); p++)
		lines++;
	modules->list = calloc(lines + 1, sizeof(*modules->list));
	if (!modules->list)
		return -ENOMEM;
	for (p = modules->text; !ret && (next = strchr(p, '\n')); p = next + 1) {
		struct module_table *m = &modules->list[modules->nr++];

		p[strcspn(p, " \n")] = '\0';
		m->name = p;
		m->self = find_self(paths->module_dir, p);
		ret = find_pointer(core, m->self, &at) ?
		      read_module(m, core, m->self + at + sizeof(at)) : -EBADMSG;
	}
	return ret;
}

/* A marker without a name: what is behind it, as a BPF program, is not the module's last function. */
static int scan_module_end(struct tap_symbols_scan *scan, uint64_t end, char *module)
{
	const struct tap_kallsym line = {
		.addr = end, .type = 't', .name = module + strlen(module), .module = module,
	};

	return end ? tap_symbols_scan_line(scan, &line) : 0;
}

/* Takes the symbols of a module; -EBADMSG if it itself is not among them. */
static int scan_module(const struct module_table *m, struct tap_symbols_scan *scan,
		       const char *glob, char **to)
{
	bool self = false;
	char *module = *to;
	uint64_t end = 0;
	uint32_t i;
	int ret;

	*to = stpcpy(module, m->name) + 1;
	for (i = 0; i < m->nr; i++) {
		const Elf64_Sym *sym = &m->symbols[i];
		const char *name = m->text + sym->st_name;
		struct tap_kallsym line;

		if (!*name)
			continue;
		self |= sym->st_value == m->self && !strcmp(name, "__this_module");
		if (!is_text(m->types[i]))
			continue;
		if (sym->st_value + sym->st_size > end)
			end = sym->st_value + sym->st_size;
		if (glob && !tap_glob_match(glob, name))
			continue;
		line = (struct tap_kallsym) {
			.addr = sym->st_value, .type = m->types[i], .name = *to,
			.len = strlen(name), .module = module,
		};
		if (line.len > MAX_NAME)
			return -EBADMSG;
		memcpy(line.name, name, line.len + 1);
		*to += line.len + 1;
		ret = tap_symbols_scan_line(scan, &line);
		if (ret)
			return ret;
	}
	return self ? scan_module_end(scan, end, module) : -EBADMSG;
}

static void free_modules(struct module_tables *modules)
{
	size_t i;

	for (i = 0; i < modules->nr; i++)
		free_module(&modules->list[i]);
	free(modules->list);
	free(modules->text);
}

/* ------------------------------------------------------------------- both */

/* Bytes that all names of a module can take, and its own. */
static size_t module_room(const struct module_table *m)
{
	size_t len = strlen(m->name) + 1;
	uint32_t i;

	for (i = 0; i < m->nr; i++)
		if (is_text(m->types[i]))
			len += strlen(m->text + m->symbols[i].st_name) + 1;
	return len;
}

/* Bytes that all names can take: pages that are not written to cost nothing. @t may be NULL. */
static size_t text_room(const struct table *t, const struct module_tables *modules)
{
	size_t len = t ? t->names_len * (t->longest + 1) + 16 : 0, i;

	for (i = 0; i < modules->nr; i++)
		len += module_room(&modules->list[i]);
	return len;
}

/* Without @t only the symbols of modules. */
static int scan_all(struct tap_symbols *syms, const struct table *t,
		    const struct module_tables *modules, const struct tap_symbols_paths *paths,
		    const char *glob)
{
	struct tap_symbols_scan *scan = tap_symbols_scan_begin(syms);
	char *to = syms->text = malloc(text_room(t, modules));
	int ret = scan && to ? 0 : -ENOMEM;
	size_t i;

	if (!ret && t)
		ret = scan_table(t, scan, glob, &to);
	for (i = 0; !ret && i < modules->nr; i++)
		ret = scan_module(&modules->list[i], scan, glob, &to);
	if (!ret)
		ret = tap_symbols_scan_end(scan, paths);
	tap_symbols_scan_free(scan);
	return ret;
}

struct tables {
	struct table *vmlinux;
	struct module_tables modules;
};

static int read_tables(struct tables *tables, const struct tap_symbols_paths *paths)
{
	struct table *t = tables->vmlinux = calloc(1, sizeof(*t));
	struct tap_kcore core;
	int ret = t ? tap_kcore_open(&core, paths->kcore) : -ENOMEM;

	if (ret)
		return ret;
	ret = read_table(t, &core);
	if (!ret && !is_printed(t, paths->kallsyms))
		ret = -EBADMSG;
	if (!ret)
		ret = read_modules(&tables->modules, &core, paths);
	tap_kcore_close(&core);
	return ret;
}

static void free_tables(struct tables *tables)
{
	struct table *t = tables->vmlinux;

	free_modules(&tables->modules);
	if (t) {
		free(t->names);
		free(t->offsets);
	}
	free(t);
}

/**
 * tap_symbol_tables_read() - read the symbols of the running kernel out of its memory
 * @syms: empty; the caller has to call tap_symbols_free() also after an error
 * @paths: the files
 * @glob: symbols that do not match it may be left out; NULL: none are
 *
 * The modules must be the same before and after, which the caller checks. Code that the kernel
 * generates is not among the symbols.
 *
 * Return: 0, or -errno if they cannot be read, or not for sure.
 */
int tap_symbol_tables_read(struct tap_symbols *syms, const struct tap_symbols_paths *paths,
			   const char *glob)
{
	struct tables tables = { 0 };
	int ret = read_tables(&tables, paths);

	if (!ret)
		ret = scan_all(syms, tables.vmlinux, &tables.modules, paths, glob);
	free_tables(&tables);
	return ret;
}

/* ---------------------------------------------------------------- by name */

static int give(const struct tap_kallsym *sym, const char *const *names,
		int (*fn)(const struct tap_kallsym *sym, void *arg), void *arg)
{
	for (; *names; names++)
		if (!strcmp(sym->name, *names))
			return fn(sym, arg);
	return 0;
}

/* Unpacks only names that begin as one of @names. */
static int give_table(const struct table *t, const char *const *names,
		      int (*fn)(const struct tap_kallsym *sym, void *arg), void *arg)
{
	struct tap_kallsym line = { .module = "" };
	char text[MAX_NAME + 16];
	struct packed name;
	size_t at = 0, k;
	uint32_t i;
	int ret = 0;

	for (i = 0; i < t->nr && !ret; i++) {
		if (!next_name(t, &at, &name))
			return -EBADMSG;
		for (k = 0; names[k] && !begins(t, &name, names[k], strlen(names[k])); k++)
			;
		if (!names[k] || length(t, &name) > MAX_NAME)
			continue;
		line.len = (size_t)(unpack(t, &name, text) - text - 1);
		line.addr = address(t, i);
		line.type = *text;
		line.name = text + 1;
		ret = give(&line, names, fn, arg);
	}
	return ret;
}

static int give_module(const struct module_table *m, const char *const *names,
		       int (*fn)(const struct tap_kallsym *sym, void *arg), void *arg)
{
	struct tap_kallsym line = { .module = m->name };
	uint32_t i;
	int ret = 0;

	for (i = 0; i < m->nr && !ret; i++) {
		line.addr = m->symbols[i].st_value;
		line.type = m->types[i];
		line.name = m->text + m->symbols[i].st_name;
		line.len = strlen(line.name);
		if (line.len)
			ret = give(&line, names, fn, arg);
	}
	return ret;
}

/**
 * tap_symbol_tables_named() - call a function for the symbols of some names, data included
 * @paths: the files
 * @names: the names; NULL ends them
 * @fn: called in the order in which the kernel prints them; a result other than 0 ends the walk
 * @arg: passed to @fn
 *
 * As of tap_symbol_tables_read(), the modules must be the same before and after.
 *
 * Return: the last result of @fn; or -errno if the tables cannot be read, or not for sure.
 */
int tap_symbol_tables_named(const struct tap_symbols_paths *paths, const char *const *names,
			    int (*fn)(const struct tap_kallsym *sym, void *arg), void *arg)
{
	struct tables tables = { 0 };
	int ret = read_tables(&tables, paths);
	size_t i;

	if (!ret)
		ret = give_table(tables.vmlinux, names, fn, arg);
	for (i = 0; i < tables.modules.nr && !ret; i++)
		ret = give_module(&tables.modules.list[i], names, fn, arg);
	free_tables(&tables);
	return ret;
}

/* ------------------------------------------------------------- one module */

/* Learns of a live module where struct module has the symbols: behind @at. */
static int learn_pointer(const struct tap_kcore *core, const struct tap_symbols_paths *paths,
			 uint64_t *at)
{
	char *text, *p, *next;
	size_t len;
	int ret = tap_read_all(paths->modules, &text, &len);

	if (ret)
		return ret;
	ret = -ENODATA;
	for (p = text; ret && (next = strchr(p, '\n')); p = next + 1) {
		*next = '\0';
		if (!strstr(p, " Live "))
			continue;
		p[strcspn(p, " ")] = '\0';
		if (find_pointer(core, find_self(paths->module_dir, p), at))
			ret = 0;
	}
	free(text);
	return ret;
}

/**
 * tap_symbol_tables_module() - read the symbols of one module out of the kernel's memory
 * @syms: empty; the caller has to call tap_symbols_free() also after an error
 * @paths: the files
 * @module: its name; it may be in the middle of being loaded
 *
 * Those of its init section are not among them.
 *
 * Return: 0, or -errno if they cannot be read, or not for sure.
 */
int tap_symbol_tables_module(struct tap_symbols *syms, const struct tap_symbols_paths *paths,
			     const char *module)
{
	/* What can be probed is not asked for. */
	static const struct tap_symbols_paths none = { .modules = "/dev/null", .blacklist = "/dev/null" };
	char *name = strdup(module);
	struct module_table m = { .name = name, .self = find_self(paths->module_dir, module) };
	const struct module_tables one = { .list = &m, .nr = 1 };
	struct tap_kcore core;
	uint64_t at;
	int ret = name ? tap_kcore_open(&core, paths->kcore) : -ENOMEM;

	if (!ret) {
		ret = m.self ? learn_pointer(&core, paths, &at) : -ENOENT;
		if (!ret)
			ret = read_module(&m, &core, m.self + at + sizeof(at));
		if (!ret)
			ret = scan_all(syms, NULL, &one, &none, NULL);
		tap_kcore_close(&core);
	}
	free_module(&m);
	free(name);
	return ret;
}

struct tap_symbols *tap_symbols_load_module(const char *module, struct tap_error *err)
{
	struct tap_symbols *syms = calloc(1, sizeof(*syms));

	if (syms && !tap_symbol_tables_module(syms, &tap_symbols_paths, module)) {
		syms->cached = true;
		return syms;
	}
	tap_symbols_free(syms);
	return tap_symbols_load(err);
}

// SPDX-License-Identifier: LGPL-2.1
/*
 * Classifies the lines of /proc/kallsyms, and keeps those of text.
 *
 * Without privilege all addresses read as zero. The lines are still in the order of the
 * addresses, so the section of a symbol can be determined by its line.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/symbols_scan.h"
#include "module/common/kprobe_denylist.h"
#include "util/arch.h"
#include "util/array.h"
#include "util/util.h"

/*
 * Bounds of sections in vmlinux. The text section comes first: a symbol outside of it
 * and of the other sections is data, whatever its type (since 7.x global data has a
 * text type). The architecture refuses probes in entry code, the kernel in the
 * blacklisted sections.
 */
static const struct {
	const char *begin;
	const char *end;
	enum tap_symbol_state state;
} sections[] = {
	{ "_stext", "_etext", TAP_SYMBOL_OK },
	{ "_sinittext", "_einittext", TAP_SYMBOL_INIT },
	{ "__init_begin", "__init_end", TAP_SYMBOL_INIT },
	{ "__static_call_text_start", "__static_call_text_end",
	  TAP_SYMBOL_TRAMPOLINE },
	{ "__kprobes_text_start", "__kprobes_text_end",
	  TAP_SYMBOL_BLACKLISTED },
	{ "__noinstr_text_start", "__noinstr_text_end",
	  TAP_SYMBOL_BLACKLISTED },
	{ "__entry_text_start", "__entry_text_end", TAP_SYMBOL_BLACKLISTED },
	TAP_ARCH_BLACKLISTED
};

#define NR_SECTIONS	ARRAY_SIZE(sections)

/* A section: its addresses, and its indices in the list. */
struct extent {
	uint64_t begin, end;
	size_t first, last;
	bool begun, ended;
};

struct tracepoints {
	struct tap_tracepoint *list;
	size_t nr;
};

/*
 * Denied names have at least four letters. Their first four letters are hashed to this
 * many bits: the bitmap fits on the stack, and other names rarely collide.
 */
#define HEAD_BITS	14

struct tap_symbols_scan {
	struct tap_symbols *syms;
	struct extent extents[NR_SECTIONS];
	uint64_t heads[(1 << HEAD_BITS) / 64];
	struct tracepoints iterators;	/* __traceiter_NAME, since 5.10 */
	struct tracepoints objects;	/* __tracepoint_NAME, if kallsyms lists data */
	size_t room;
};

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

static bool ends(const char *name, size_t len, const char *with)
{
	size_t n = strlen(with);

	return len >= n && !memcmp(name + len - n, with, n);
}

/* Names that kallsyms shows as modules for code that the kernel generates. */
static bool pseudo_module(const char *module)
{
	return !strcmp(module, "bpf") || begins(module, "__builtin__");
}

static const char *const denied[] = { TAP_DENIED_NAMES };

static uint32_t head_bit(uint32_t head)
{
	return head * 2654435761u >> (32 - HEAD_BITS);
}

static void set_heads(struct tap_symbols_scan *scan)
{
	uint32_t head, bit;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(denied); i++) {
		memcpy(&head, denied[i], sizeof(head));
		bit = head_bit(head);
		scan->heads[bit / 64] |= UINT64_C(1) << bit % 64;
	}
}

static bool denied_here(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(denied); i++)
		if (begins(name, denied[i]))
			return true;
	return false;
}

/*
 * Code that the tap module refuses, since a probe in it crashes the kernel. A search
 * for each denied name in each symbol would take most of tap's start-up time; the
 * bitmap of heads rules out nearly all symbols.
 */
static bool trampoline(const struct tap_symbols_scan *scan, const char *name, size_t len)
{
	uint32_t head, bit;
	size_t i;

	for (i = 0; i + sizeof(head) <= len; i++) {
		memcpy(&head, name + i, sizeof(head));
		bit = head_bit(head);
		if (scan->heads[bit / 64] >> bit % 64 & 1 && denied_here(name + i))
			return true;
	}
	return false;
}

/*
 * Names of markers end with _text, _start, _begin or _end. Their last letter rules out
 * most other names.
 */
static bool may_be_marker(const struct tap_kallsym *line)
{
	char last = line->name[line->len - 1];

	return last == 't' || last == 'n' || last == 'd';
}

static enum tap_symbol_state classify(const struct tap_symbols_scan *scan,
				      const struct tap_kallsym *line)
{
	const char *name = line->name;

	if (!line->len)
		return TAP_SYMBOL_MARKER;
	if (*line->module && pseudo_module(line->module))
		return TAP_SYMBOL_GENERATED;
	if (*name == '_') {
		if (begins(name, "__pfx_") || begins(name, "__cfi_"))
			return TAP_SYMBOL_PADDING;
		if (may_be_marker(line) &&
		    (!strcmp(name, "_text") || !strcmp(name, "_stext") ||
		     !strcmp(name, "_etext") || !strcmp(name, "_sinittext") ||
		     !strcmp(name, "_einittext") ||
		     !strcmp(name, "__init_begin") ||
		     !strcmp(name, "__init_end") ||
		     (name[1] == '_' &&
		      (ends(name, line->len, "_text_start") ||
		       ends(name, line->len, "_text_end")))))
			return TAP_SYMBOL_MARKER;
	}
	if (trampoline(scan, name, line->len))
		return TAP_SYMBOL_TRAMPOLINE;
	if (*name == '.')
		return TAP_SYMBOL_LABEL;
	if (ends(name, line->len, ".cold") || strstr(name, ".cold."))
		return TAP_SYMBOL_COLD;
	return TAP_SYMBOL_OK;
}

/**
 * tap_symbol_state_of() - what a name alone tells about a symbol
 * @name: without a module
 *
 * Return: %TAP_SYMBOL_OK if the name does not tell that it cannot be probed.
 */
enum tap_symbol_state tap_symbol_state_of(const char *name)
{
	const struct tap_kallsym line = {
		.type = 't', .name = (char *)name, .len = strlen(name),
		.module = "",
	};
	struct tap_symbols_scan scan = { 0 };

	set_heads(&scan);
	return classify(&scan, &line);
}

static int tracepoints_add(struct tracepoints *tps, const char *name,
			   const char *module)
{
	if (!TAP_GROW(tps->list, tps->nr))
		return -ENOMEM;
	tps->list[tps->nr++] = (struct tap_tracepoint) { name, module };
	return 0;
}

static int scan_tracepoint(struct tap_symbols_scan *scan, const struct tap_kallsym *line,
			   bool text)
{
	static const char iterator[] = "__traceiter_";
	static const char object[] = "__tracepoint_";
	const char *name = line->name;

	if (text && begins(name, iterator))
		return tracepoints_add(&scan->iterators,
				       name + sizeof(iterator) - 1,
				       line->module);
	/* Tables of pointers and strings have similar names. */
	if (!text && begins(name, object) && !begins(name, "__tracepoint_ptr_") &&
	    !begins(name, "__tracepoint_str"))
		return tracepoints_add(&scan->objects,
				       name + sizeof(object) - 1, line->module);
	return 0;
}

static void scan_section(struct tap_symbols_scan *scan, const struct tap_kallsym *line)
{
	size_t i;

	for (i = 0; i < NR_SECTIONS; i++) {
		struct extent *e = &scan->extents[i];

		if (!e->begun && !strcmp(line->name, sections[i].begin)) {
			e->begun = true;
			e->begin = line->addr;
			e->first = scan->syms->nr;
		} else if (!e->ended && !strcmp(line->name, sections[i].end)) {
			e->ended = true;
			e->end = line->addr;
			e->last = scan->syms->nr;
		}
	}
}

static bool is_text(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

/**
 * tap_symbols_scan_line() - take a line, of text or not
 * @scan: the scan
 * @line: its name and module have to last as long as the symbols; all symbols of a module
 *	have one string for its name
 *
 * Return: 0 or -ENOMEM.
 */
int tap_symbols_scan_line(struct tap_symbols_scan *scan, const struct tap_kallsym *line)
{
	struct tap_symbols *syms = scan->syms;
	bool text = is_text(line->type);
	int ret;

	if (line->name[0] == '_') {
		if (!*line->module && may_be_marker(line))
			scan_section(scan, line);
		if (line->name[1] == '_' && line->name[2] == 't') {
			ret = scan_tracepoint(scan, line, text);
			if (ret)
				return ret;
		}
	}
	/* Mapping symbols of arm64 ("$x") mark code; the kernel has them in modules, and ignores them. */
	if (!text || (*line->module && line->name[0] == '$'))
		return 0;
	if (syms->nr == scan->room) {
		size_t room = scan->room ? scan->room * 2 : 1 << 16;
		void *bigger = realloc(syms->list, room * sizeof(*syms->list));

		if (!bigger)
			return -ENOMEM;
		syms->list = bigger;
		scan->room = room;
	}
	syms->list[syms->nr] = (struct tap_symbol) {
		.addr = line->addr,
		.name = line->name,
		.module = line->module,
		.order = syms->nr,
		.state = classify(scan, line),
	};
	syms->nr++;
	syms->addresses |= line->addr != 0;
	return 0;
}

/*
 * A symbol at the first address of a section may precede the section's marker in the
 * file, so addresses decide if they are known.
 */
static bool inside(const struct tap_symbols *syms, const struct extent *e,
		   const struct tap_symbol *sym)
{
	if (!e->begun || !e->ended || *sym->module)
		return false;
	if (syms->addresses)
		return sym->addr >= e->begin && sym->addr < e->end;
	return sym->order >= e->first && sym->order < e->last;
}

/* Code that may still be given a state. */
static bool unmarked(const struct tap_symbol *sym)
{
	return sym->state == TAP_SYMBOL_OK || sym->state == TAP_SYMBOL_COLD ||
	       sym->state == TAP_SYMBOL_LABEL;
}

/* Symbols outside the text section become DATA. */
static void mark_data(struct tap_symbols_scan *scan)
{
	const struct extent *text = &scan->extents[0];
	struct tap_symbols *syms = scan->syms;
	size_t i;

	if (!text->begun || !text->ended)
		return;
	for (i = 0; i < syms->nr; i++)
		if (syms->list[i].state == TAP_SYMBOL_OK &&
		    !*syms->list[i].module &&
		    !inside(syms, text, &syms->list[i]))
			syms->list[i].state = TAP_SYMBOL_DATA;
}

/* The first symbol at or behind an address. */
static size_t lower_address(const struct tap_symbols *syms, uint64_t addr)
{
	size_t low = 0, high = syms->nr, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (syms->list[mid].addr < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The list is in the order of the addresses, also where they are hidden. */
static void mark_section(struct tap_symbols *syms, const struct extent *e,
			 enum tap_symbol_state state)
{
	size_t i;

	if (!e->begun || !e->ended)
		return;
	i = syms->addresses ? lower_address(syms, e->begin) : e->first;
	for (; i < syms->nr; i++) {
		struct tap_symbol *sym = &syms->list[i];

		if (syms->addresses ? sym->addr >= e->end : i >= e->last)
			break;
		if (unmarked(sym) && inside(syms, e, sym))
			sym->state = state;
	}
}

static void mark_sections(struct tap_symbols_scan *scan, bool blacklist)
{
	struct tap_symbols *syms = scan->syms;
	enum tap_symbol_state state;
	size_t k;

	for (k = 0; k < NR_SECTIONS; k++) {
		const struct extent *e = &scan->extents[k];

		state = sections[k].state;
		if (state == TAP_SYMBOL_OK ||
		    (state == TAP_SYMBOL_BLACKLISTED) != blacklist)
			continue;
		if (blacklist && e->begun && e->ended)
			syms->blacklist = TAP_BLACKLIST_SECTIONS;
		mark_section(syms, e, state);
	}
}

static int compare_address(const void *a, const void *b)
{
	const struct tap_symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* vmlinux, which is most of the list, is sorted in the file; modules are not. */
static void sort_addresses(struct tap_symbols *syms)
{
	const struct tap_symbol *list = syms->list;
	uint64_t lowest = UINT64_MAX;
	size_t from = 1, i;

	while (from < syms->nr && list[from].addr >= list[from - 1].addr)
		from++;
	if (from >= syms->nr)
		return;
	for (i = from; i < syms->nr; i++)
		if (list[i].addr < lowest)
			lowest = list[i].addr;
	/* Symbols before this have a lower address, or the same and a lower order. */
	while (from && list[from - 1].addr > lowest)
		from--;
	qsort(&syms->list[from], syms->nr - from, sizeof(*syms->list),
	      compare_address);
}

static void blacklist_symbol(struct tap_symbol *sym)
{
	if (unmarked(sym))
		sym->state = TAP_SYMBOL_BLACKLISTED;
}

/* Marks symbols that start in [begin, end). */
static void blacklist_range(struct tap_symbols *syms, uint64_t begin,
			    uint64_t end)
{
	size_t i;

	for (i = lower_address(syms, begin); i < syms->nr && syms->list[i].addr < end; i++)
		blacklist_symbol(&syms->list[i]);
}

static void blacklist_name(struct tap_symbols *syms, const char *name,
			   const char *module)
{
	const struct tap_symbol *sym;
	size_t i;

	for (i = tap_symbols_lower(syms, name); i < syms->nr; i++) {
		sym = tap_symbols_by_name(syms, i);
		if (strcmp(sym->name, name))
			break;
		if (!strcmp(sym->module, module))
			blacklist_symbol(&syms->list[syms->by_name[i]]);
	}
}

static int read_blacklist(struct tap_symbols *syms, const char *path)
{
	char *text, *p, *next, *name, *module, *end;
	unsigned long long first, last;
	size_t len;
	int ret;

	ret = tap_read_all(path, &text, &len);
	if (ret)
		return ret;
	for (p = text; *p; p = next) {
		next = p + strcspn(p, "\n");
		if (*next)
			*next++ = '\0';
		first = strtoull(p, &end, 16);
		if (*end != '-')
			continue;
		last = strtoull(end + 1, &end, 16);
		name = end + strspn(end, " \t");
		if (last) {
			blacklist_range(syms, first, last);
			continue;
		}
		/* Addresses are hidden here if they are hidden in kallsyms. */
		ret = tap_symbols_sort(syms);
		if (ret)
			break;
		module = name + strcspn(name, " \t");
		if (*module) {
			*module++ = '\0';
			module += strspn(module, " \t[");
			module[strcspn(module, "]")] = '\0';
		}
		blacklist_name(syms, name, module);
	}
	free(text);
	if (!ret)
		syms->blacklist = TAP_BLACKLIST_KERNEL;
	return ret;
}

static int compare_tracepoint(const void *a, const void *b)
{
	const struct tap_tracepoint *x = a, *y = b;
	int diff = strcmp(x->name, y->name);

	return diff ? diff : strcmp(x->module, y->module);
}

static void take_tracepoints(struct tap_symbols *syms, struct tap_symbols_scan *scan)
{
	struct tracepoints *tps = scan->iterators.nr ? &scan->iterators :
						       &scan->objects;
	size_t i, nr = 0;

	if (tps->nr)
		qsort(tps->list, tps->nr, sizeof(*tps->list),
		      compare_tracepoint);
	for (i = 0; i < tps->nr; i++)
		if (!nr || compare_tracepoint(&tps->list[nr - 1],
					      &tps->list[i]))
			tps->list[nr++] = tps->list[i];
	syms->tracepoints = tps->list;
	syms->nr_tracepoints = nr;
	tps->list = NULL;
}

static int compare_string(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int read_modules(struct tap_symbols *syms, const char *path)
{
	size_t len, nr = 1, at = 0;
	char *p, *next;
	int ret;

	ret = tap_read_all(path, &syms->modules_text, &len);
	/* A kernel without modules does not have this file. */
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	for (p = syms->modules_text; (p = strchr(p, '\n')); p++)
		nr++;
	syms->modules = calloc(nr, sizeof(*syms->modules));
	if (!syms->modules)
		return -ENOMEM;
	for (p = syms->modules_text; *p; p = next) {
		next = p + strcspn(p, "\n");
		if (*next)
			*next++ = '\0';
		p[strcspn(p, " ")] = '\0';
		if (*p)
			syms->modules[at++] = p;
	}
	syms->nr_modules = at;
	qsort(syms->modules, at, sizeof(*syms->modules), compare_string);
	return 0;
}

/**
 * tap_symbols_scan_begin() - begin to fill in symbols
 * @syms: empty
 *
 * Return: the scan, to be ended with tap_symbols_scan_free(), or NULL if out of memory.
 */
struct tap_symbols_scan *tap_symbols_scan_begin(struct tap_symbols *syms)
{
	struct tap_symbols_scan *scan = calloc(1, sizeof(*scan));

	if (!scan)
		return NULL;
	scan->syms = syms;
	set_heads(scan);
	return scan;
}

/**
 * tap_symbols_scan_end() - finish the symbols after the last line
 * @scan: the scan
 * @paths: modules and blacklist are read
 *
 * Return: 0 or -ENOMEM.
 */
int tap_symbols_scan_end(struct tap_symbols_scan *scan, const struct tap_symbols_paths *paths)
{
	struct tap_symbols *syms = scan->syms;
	size_t i;
	int ret;

	if (syms->addresses)
		sort_addresses(syms);
	mark_sections(scan, false);
	mark_data(scan);
	ret = read_modules(syms, paths->modules);
	if (ret)
		return ret;
	ret = read_blacklist(syms, paths->blacklist);
	if (ret == -ENOMEM)
		return ret;
	syms->blacklist_unreadable = -ret;
	if (ret)
		mark_sections(scan, true);
	take_tracepoints(syms, scan);
	for (i = 0; i < syms->nr; i++)
		syms->counts[syms->list[i].state]++;
	return 0;
}

void tap_symbols_scan_free(struct tap_symbols_scan *scan)
{
	if (!scan)
		return;
	free(scan->iterators.list);
	free(scan->objects.list);
	free(scan);
}

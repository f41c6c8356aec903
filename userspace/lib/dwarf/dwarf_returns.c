// SPDX-License-Identifier: LGPL-2.1
/*
 * Where the value comes from that a function of a module returns: its instructions are followed from
 * each return backwards, along all ways, to those that made the value. All ways count as
 * possible, so there may be several.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>
#include <gelf.h>

#include "dwarf/dwarf_internal.h"
#include "dwarf/source.h"
#include "util/arch.h"
#include "util/array.h"
#include "util/insn_flow.h"

/* Locations that values pass through; further ones are not followed. */
#define MAX_LOCATIONS	32
/* The parts of a function: itself, and what the compiler has put elsewhere. */
#define MAX_PARTS	4

/* A function of the symbol table. @addr: as libdwfl laid the file out. @offset: in the section. */
struct symbol {
	const char *name;
	GElf_Addr addr;
	GElf_Word section;
	uint64_t offset;
	uint64_t size;
};

/* A place that a relocation names: a function elsewhere, or an offset in a section. */
struct relocation {
	uint64_t at;
	const char *name;
	GElf_Word section;
	uint64_t offset;
};

/**
 * struct node - an instruction
 * @flow: what it does
 * @part: index in @parts
 * @offset: in the section
 * @callee: name of the function that it calls or jumps to; NULL: not known
 * @target: index of the instruction that it may jump to; -1
 * @follows: the next one may come after it
 * @before: the first of its predecessors in @edges
 * @nr_before: their number
 * @seen: locations whose value in front of it was followed, a bit each; with the other sign 32 higher
 */
struct node {
	struct tap_insn_flow flow;
	unsigned int part;
	uint64_t offset;
	const char *callee;
	long target;
	bool follows;
	size_t before;
	size_t nr_before;
	uint64_t seen;
};

/* The value of a location in front of an instruction is wanted. */
struct state {
	size_t node;
	unsigned int location;
	bool negated;
};

/**
 * struct body - the code of a function
 * @mod: the file
 * @elf: of @mod
 * @symbols: functions of the file
 * @nr_symbols: number of @symbols
 * @parts: the parts of the function
 * @nr_parts: number of @parts
 * @relocations: of the sections of @parts
 * @nr_relocations: number of @relocations
 * @nodes: instructions, in the order of @parts
 * @nr: number of @nodes
 * @edges: predecessors of all nodes
 * @todo: states to look at
 * @nr_todo: number of @todo
 * @locations: those that were met
 * @loaded: of a word of the stack: an instruction that reads it
 * @nr_locations: number of @locations
 * @list: the result
 * @nr_list: number of @list
 */
struct body {
	Dwfl_Module *mod;
	Elf *elf;
	struct symbol *symbols;
	size_t nr_symbols;
	struct symbol parts[MAX_PARTS];
	unsigned int nr_parts;
	struct relocation *relocations;
	size_t nr_relocations;
	struct node *nodes;
	size_t nr;
	size_t *edges;
	struct state *todo;
	size_t nr_todo;
	int64_t locations[MAX_LOCATIONS];
	size_t loaded[MAX_LOCATIONS];
	unsigned int nr_locations;
	struct tap_dwarf_return *list;
	size_t nr_list;
};

static int read_symbols(struct body *b, Dwfl_Module *mod)
{
	int i, n = dwfl_module_getsymtab(mod);

	for (i = 1; i < n; i++) {
		GElf_Addr addr, bias;
		GElf_Word section;
		GElf_Sym sym;
		Elf *elf = NULL;
		const char *name;

		name = dwfl_module_getsym_info(mod, i, &sym, &addr, &section, &elf, &bias);
		if (!name || !elf || GELF_ST_TYPE(sym.st_info) != STT_FUNC || sym.st_shndx == SHN_UNDEF)
			continue;
		if (!TAP_GROW(b->symbols, b->nr_symbols))
			return -ENOMEM;
		b->elf = elf;
		b->symbols[b->nr_symbols++] = (struct symbol) {
			name, addr, section, sym.st_value, sym.st_size,
		};
	}
	return 0;
}

/* "f", and its rare part "f.cold". */
static bool is_part(const char *name, const char *function)
{
	size_t len = strlen(function);

	return !strncmp(name, function, len) && (!name[len] || !strcmp(name + len, ".cold"));
}

static void find_parts(struct body *b, const char *function)
{
	size_t i;

	for (i = 0; i < b->nr_symbols && b->nr_parts < MAX_PARTS; i++)
		if (is_part(b->symbols[i].name, function) && b->symbols[i].size)
			b->parts[b->nr_parts++] = b->symbols[i];
}

static const char *function_at(const struct body *b, GElf_Word section, uint64_t offset)
{
	size_t i;

	for (i = 0; i < b->nr_symbols; i++)
		if (b->symbols[i].section == section && b->symbols[i].offset == offset)
			return b->symbols[i].name;
	return NULL;
}

static int add_relocation(struct body *b, const GElf_Shdr *shdr, Elf_Data *data, int i)
{
	Elf_Scn *table = elf_getscn(b->elf, shdr->sh_link);
	GElf_Shdr symbols;
	GElf_Sym sym;
	GElf_Rela rela;

	if (!table || !gelf_getshdr(table, &symbols) || !gelf_getrela(data, i, &rela) ||
	    !gelf_getsym(elf_getdata(table, NULL), (int)GELF_R_SYM(rela.r_info), &sym))
		return 0;
	if (!TAP_GROW(b->relocations, b->nr_relocations))
		return -ENOMEM;
	b->relocations[b->nr_relocations++] = (struct relocation) {
		.at = rela.r_offset, .section = sym.st_shndx,
		.offset = sym.st_value + (uint64_t)rela.r_addend,
		.name = GELF_ST_TYPE(sym.st_info) == STT_SECTION ? NULL :
			elf_strptr(b->elf, symbols.sh_link, sym.st_name),
	};
	return 0;
}

static int by_place(const void *x, const void *y)
{
	const struct relocation *a = x, *b = y;

	return (a->at > b->at) - (a->at < b->at);
}

/* Replaces @relocations by those of a section. */
static int read_relocations(struct body *b, GElf_Word section)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	int ret = 0, i;

	b->nr_relocations = 0;
	free(b->relocations);
	b->relocations = NULL;
	while (!ret && (scn = elf_nextscn(b->elf, scn))) {
		Elf_Data *data;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_RELA || shdr.sh_info != section ||
		    !shdr.sh_entsize)
			continue;
		data = elf_getdata(scn, NULL);
		for (i = 0; data && i < (int)(shdr.sh_size / shdr.sh_entsize) && !ret; i++)
			ret = add_relocation(b, &shdr, data, i);
	}
	if (b->nr_relocations)
		qsort(b->relocations, b->nr_relocations, sizeof(*b->relocations), by_place);
	return ret;
}

/* Where a jump or call leads, if not to its own section: by a relocation; NULL: there is none. */
static const struct relocation *relocation_of(const struct body *b, const struct node *node)
{
	const struct relocation key = { .at = node->offset + node->flow.field };

	return b->nr_relocations ? bsearch(&key, b->relocations, b->nr_relocations,
					   sizeof(key), by_place) : NULL;
}

static bool begins(const char *text, const char *with)
{
	return text && !strncmp(text, with, strlen(with));
}

/* Sets the place that a node leads to; it is looked up once all nodes are known. */
static void lead(const struct body *b, struct node *node, GElf_Word *section, uint64_t *offset)
{
	const struct relocation *r = relocation_of(b, node);

	*section = b->parts[node->part].section;
	*offset = node->offset + (uint64_t)node->flow.target;
	if (!r)
		return;
	node->callee = r->name;
	*section = r->section;
	/* On x86-64 it is relative to the end of the instruction. */
	*offset = r->offset + (node->flow.field ? node->flow.len - node->flow.field : 0);
	/* The kernel's replacements of instructions that processors may mispredict. */
	if (begins(r->name, "__x86_return_thunk")) {
		node->flow.kind = TAP_INSN_RETURN;
	} else if (begins(r->name, "__x86_indirect_thunk")) {
		node->callee = NULL;
		*section = SHN_UNDEF;
		if (node->flow.kind == TAP_INSN_JUMP)
			node->flow.kind = TAP_INSN_LEAVE;
	}
}

static int add_node(struct body *b, const struct node *node)
{
	if (!TAP_GROW(b->nodes, b->nr))
		return -ENOMEM;
	b->nodes[b->nr++] = *node;
	return 0;
}

static int read_part(struct body *b, unsigned int part)
{
	const struct symbol *sym = &b->parts[part];
	Elf_Scn *scn = elf_getscn(b->elf, sym->section);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	uint64_t at = sym->offset, end = at + sym->size;
	int ret = read_relocations(b, sym->section);

	if (!ret && (!data || !data->d_buf || end > data->d_size || end < at))
		ret = -ENOEXEC;
	while (!ret && at < end) {
		struct node node = { .part = part, .offset = at, .target = -1 };
		GElf_Word section;
		uint64_t offset;

		if (!tap_insn_flow((const uint8_t *)data->d_buf + at, end - at, &node.flow))
			return -EILSEQ;
		at += node.flow.len;
		/* On arm64 one with a relocation leads nowhere by itself. */
		if (node.flow.kind >= TAP_INSN_CALL && node.flow.kind <= TAP_INSN_BRANCH &&
		    (node.flow.target || node.flow.field || relocation_of(b, &node))) {
			lead(b, &node, &section, &offset);
			/* Kept until all nodes are known. */
			node.seen = offset;
			node.before = section;
		}
		node.follows = at < end && node.flow.kind != TAP_INSN_JUMP &&
			       node.flow.kind != TAP_INSN_RETURN && node.flow.kind != TAP_INSN_LEAVE;
		ret = add_node(b, &node);
	}
	return ret;
}

static long node_at(const struct body *b, GElf_Word section, uint64_t offset)
{
	size_t i;

	for (i = 0; i < b->nr; i++)
		if (b->nodes[i].offset == offset && b->parts[b->nodes[i].part].section == section)
			return (long)i;
	return -1;
}

static void find_targets(struct body *b)
{
	size_t i;

	for (i = 0; i < b->nr; i++) {
		struct node *node = &b->nodes[i];
		GElf_Word section = (GElf_Word)node->before;
		uint64_t offset = node->seen;

		node->before = 0;
		node->seen = 0;
		if (!section)
			continue;
		if (node->flow.kind == TAP_INSN_JUMP || node->flow.kind == TAP_INSN_BRANCH)
			node->target = node_at(b, section, offset);
		if (node->target < 0 && !node->callee)
			node->callee = function_at(b, section, offset);
	}
}

/* First counts the predecessors of each node, then stores them. */
static int find_edges(struct body *b)
{
	size_t i, sum = 0;

	for (i = 0; i < b->nr; i++) {
		b->nodes[i].nr_before += i && b->nodes[i - 1].follows;
		if (b->nodes[i].target >= 0)
			b->nodes[b->nodes[i].target].nr_before++;
	}
	for (i = 0; i < b->nr; i++) {
		b->nodes[i].before = sum;
		sum += b->nodes[i].nr_before;
		b->nodes[i].nr_before = 0;
	}
	b->edges = calloc(sum + 1, sizeof(*b->edges));
	if (!b->edges)
		return -ENOMEM;
	for (i = 0; i < b->nr; i++) {
		struct node *node = &b->nodes[i], *target;

		if (i && b->nodes[i - 1].follows)
			b->edges[node->before + node->nr_before++] = i - 1;
		if (node->target < 0)
			continue;
		target = &b->nodes[node->target];
		b->edges[target->before + target->nr_before++] = i;
	}
	return 0;
}

/* The number of a location; -1: there is no room for it. */
static int number_of(struct body *b, int64_t location)
{
	unsigned int i;

	for (i = 0; i < b->nr_locations; i++)
		if (b->locations[i] == location)
			return (int)i;
	if (i == MAX_LOCATIONS)
		return -1;
	b->locations[b->nr_locations++] = location;
	return (int)i;
}

/* The value of @location in front of @node is wanted. */
static int want(struct body *b, size_t node, int64_t location, bool negated)
{
	int number = number_of(b, location);
	uint64_t bit = number < 0 ? 0 : 1ULL << (number + 32 * negated);

	if (!bit || b->nodes[node].seen & bit)
		return 0;
	if (!TAP_GROW(b->todo, b->nr_todo))
		return -ENOMEM;
	b->nodes[node].seen |= bit;
	b->todo[b->nr_todo++] = (struct state) { node, (unsigned int)number, negated };
	return 0;
}

/* The line of an instruction, and the function that it is in or that is inlined there. */
static void find_line(const struct body *b, uint64_t addr, struct tap_dwarf_return *r)
{
	Dwarf_Addr bias;
	Dwarf_Die *cu = dwfl_module_addrdie(b->mod, addr, &bias), *scopes = NULL, origin;
	Dwarf_Line *line = cu ? dwarf_getsrc_die(cu, addr - bias) : NULL;
	const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	int i, nr;

	if (!file || dwarf_lineno(line, &r->line) || r->line <= 0)
		return;
	r->file = tap_dwarf_file_path(cu, file);
	nr = dwarf_getscopes(cu, addr - bias, &scopes);
	for (i = 0; i < nr && !r->first_line; i++) {
		int tag = dwarf_tag(&scopes[i]);
		Dwarf_Attribute attr;
		Dwarf_Die *die = &scopes[i];

		if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
			continue;
		if (dwarf_attr(die, DW_AT_abstract_origin, &attr) && dwarf_formref_die(&attr, &origin))
			die = &origin;
		if (dwarf_decl_line(die, &r->first_line))
			r->first_line = 0;
	}
	free(scopes);
}

static int found(struct body *b, const struct node *node, enum tap_dwarf_return_kind kind,
		 int64_t value)
{
	const struct symbol *part = &b->parts[node->part];
	struct tap_dwarf_return r = {
		.kind = kind, .value = value, .offset = node->offset - part->offset,
	};
	size_t i;

	snprintf(r.symbol, sizeof(r.symbol), "%s", part->name);
	if (kind == TAP_DWARF_RETURN_CALL && node->callee)
		snprintf(r.callee, sizeof(r.callee), "%s", node->callee);
	for (i = 0; i < b->nr_list; i++)
		if (b->list[i].offset == r.offset && b->list[i].value == r.value &&
		    !strcmp(b->list[i].symbol, r.symbol))
			return 0;
	if (!TAP_GROW(b->list, b->nr_list))
		return -ENOMEM;
	find_line(b, part->addr + r.offset, &r);
	b->list[b->nr_list++] = r;
	return 0;
}

static bool is_changed(const struct tap_insn_flow *flow, int64_t location)
{
	if (flow->to == location && flow->kind != TAP_INSN_OTHER)
		return true;
	if (location < 0 || location >= 32)
		return false;
	return (flow->kind == TAP_INSN_CALL ? TAP_INSN_CLOBBERED : flow->writes) >> location & 1;
}

/* Whether the one before @node comes in front of it on each way. */
static bool is_after(const struct body *b, const struct node *node)
{
	return node > b->nodes && node->nr_before == 1 && node[-1].follows;
}

/* Whether a location is 0 on the way from a branch to @to. */
static bool is_zero(const struct body *b, size_t at, size_t to, int64_t location)
{
	const struct node *branch = &b->nodes[at], *test = branch;
	bool jumps = branch->target == (long)to;

	if (branch->flow.kind != TAP_INSN_BRANCH || !branch->flow.zero ||
	    (jumps && to == at + 1) || jumps != (branch->flow.zero > 0))
		return false;
	if (test->flow.from == TAP_INSN_NOWHERE) {
		if (!is_after(b, test) || test[-1].flow.kind != TAP_INSN_TEST)
			return false;
		test--;
	}
	if (test->flow.from == location)
		return true;
	/* "mov %eax,%ebx; test %eax,%eax" */
	return is_after(b, test) && test[-1].flow.kind == TAP_INSN_COPY &&
	       test[-1].flow.to == location && test[-1].flow.from == test->flow.from;
}

/* @at made the value of a location in front of @to, or passes it. */
static int look_at(struct body *b, size_t at, size_t to, int64_t location, bool negated)
{
	const struct node *node = &b->nodes[at];
	int ret;

	if (location == TAP_INSN_ZERO || is_zero(b, at, to, location))
		return found(b, node, TAP_DWARF_RETURN_CONST, 0);
	if (!is_changed(&node->flow, location))
		return want(b, at, location, negated);
	switch (node->flow.kind) {
	case TAP_INSN_CONST:
		return found(b, node, TAP_DWARF_RETURN_CONST,
			     negated ? (int64_t)-(uint64_t)node->flow.value : node->flow.value);
	case TAP_INSN_COPY:
	case TAP_INSN_NEGATE:
		ret = number_of(b, node->flow.from);
		if (ret >= 0)
			b->loaded[ret] = at;
		return want(b, at, node->flow.from, negated ^ (node->flow.kind == TAP_INSN_NEGATE));
	case TAP_INSN_SELECT:
		ret = want(b, at, node->flow.from, negated);
		return ret ? ret : want(b, at, node->flow.other, negated);
	case TAP_INSN_CALL:
		/* A register that a call may change has no value behind it but the result. */
		return location == TAP_INSN_RESULT ? found(b, node, TAP_DWARF_RETURN_CALL, 0) : 0;
	default:
		return found(b, node, TAP_DWARF_RETURN_COMPUTED, 0);
	}
}

static int follow(struct body *b)
{
	size_t i, k;
	int ret = 0;

	for (i = 0; i < b->nr && !ret; i++) {
		const struct node *node = &b->nodes[i];

		if (node->flow.kind == TAP_INSN_RETURN)
			ret = want(b, i, TAP_INSN_RESULT, false);
		else if (node->flow.kind == TAP_INSN_LEAVE ||
			 (node->flow.kind == TAP_INSN_JUMP && node->target < 0))
			ret = found(b, node, TAP_DWARF_RETURN_CALL, 0);
	}
	while (b->nr_todo && !ret) {
		struct state state = b->todo[--b->nr_todo];
		const struct node *node = &b->nodes[state.node];

		/* Somebody else has written the word of the stack. */
		if (!node->nr_before && b->locations[state.location] > TAP_INSN_ZERO)
			ret = found(b, &b->nodes[b->loaded[state.location]], TAP_DWARF_RETURN_COMPUTED, 0);
		for (k = 0; k < node->nr_before && !ret; k++)
			ret = look_at(b, b->edges[node->before + k], state.node,
				      b->locations[state.location], state.negated);
	}
	return ret;
}

static int read_body(struct body *b, Dwfl_Module *mod, const char *function)
{
	unsigned int i;
	GElf_Ehdr ehdr;
	int ret;

	b->mod = mod;
	ret = read_symbols(b, mod);
	if (ret)
		return ret;
	find_parts(b, function);
	if (!b->nr_parts)
		return -ENOENT;
	if (!gelf_getehdr(b->elf, &ehdr) || ehdr.e_machine != TAP_ARCH_MACHINE)
		return -ENOEXEC;
	for (i = 0; i < b->nr_parts && !ret; i++)
		ret = read_part(b, i);
	if (ret)
		return ret;
	find_targets(b);
	ret = find_edges(b);
	return ret ? ret : follow(b);
}

/*
 * The file of a module without debug information: it has the code, and names of functions. The code of
 * another build than the loaded one would give a wrong answer, so the search looks at the build-id.
 */
static int open_plain(struct tap_types *types, const char *module, struct tap_dwarf **dwarf,
		      struct tap_error *err)
{
	char *path;
	int ret = tap_dwarf_module_file(types, module, &path, err);

	if (ret)
		return ret;
	ret = tap_dwarf_open_plain(dwarf, path, err);
	free(path);
	return ret;
}

void tap_dwarf_returns_free(struct tap_dwarf_return *list, size_t nr)
{
	while (nr)
		free(list[--nr].file);
	free(list);
}

int tap_dwarf_returns(struct tap_types *types, const char *module, const char *function,
		      struct tap_dwarf_return **list, size_t *nr, struct tap_error *err)
{
	struct tap_dwarf *dwarf, *plain = NULL;
	struct body b = { 0 };
	int ret = tap_dwarf_find_module(types, module, &dwarf, err);

	if (ret) {
		ret = open_plain(types, module, &plain, err);
		dwarf = plain;
	}
	if (ret)
		return ret;
	ret = read_body(&b, tap_dwarf_module(dwarf), function);
	if (ret)
		tap_error_set(err, ret, "%s: cannot read the code of %s: %s", tap_dwarf_path(dwarf), function,
			      ret == -ENOENT ? "no function has this name" : strerror(-ret));
	free(b.symbols);
	free(b.relocations);
	free(b.nodes);
	free(b.edges);
	free(b.todo);
	tap_dwarf_close(plain);
	if (ret) {
		tap_dwarf_returns_free(b.list, b.nr_list);
		return ret;
	}
	*list = b.list;
	*nr = b.nr_list;
	return 0;
}

static int add_body(struct tap_dwarf_body **list, size_t *nr, Dwarf_Die *cu, Dwarf_Die *die)
{
	struct tap_dwarf_body body = { 0 };
	Dwarf_Attribute attr;
	Dwarf_Die origin;
	const char *file;
	size_t i;

	if (dwarf_attr(die, DW_AT_abstract_origin, &attr) && dwarf_formref_die(&attr, &origin))
		die = &origin;
	file = dwarf_decl_file(die);
	if (!file || dwarf_decl_line(die, &body.first_line))
		return 0;
	body.file = tap_dwarf_file_path(cu, file);
	for (i = 0; i < *nr && body.file; i++) {
		if ((*list)[i].first_line != body.first_line || strcmp((*list)[i].file, body.file))
			continue;
		free(body.file);
		return 0;
	}
	if (!body.file || !TAP_GROW(*list, *nr)) {
		free(body.file);
		return -ENOMEM;
	}
	(*list)[(*nr)++] = body;
	return 0;
}

/* Adds what is inlined into @die, at all levels. */
static int add_inlined(struct tap_dwarf_body **list, size_t *nr, Dwarf_Die *cu, Dwarf_Die *die)
{
	Dwarf_Die child;
	int ret = 0;

	if (dwarf_child(die, &child))
		return 0;
	do {
		if (dwarf_tag(&child) == DW_TAG_inlined_subroutine)
			ret = add_body(list, nr, cu, &child);
		if (!ret)
			ret = add_inlined(list, nr, cu, &child);
	} while (!ret && !dwarf_siblingof(&child, &child));
	return ret;
}

void tap_dwarf_bodies_free(struct tap_dwarf_body *list, size_t nr)
{
	while (nr)
		free(list[--nr].file);
	free(list);
}

int tap_dwarf_bodies(struct tap_types *types, const char *module, const char *function,
		     struct tap_dwarf_body **list, size_t *nr, struct tap_error *err)
{
	struct tap_dwarf *dwarf;
	struct body b = { 0 };
	Dwarf_Die *cu = NULL, die;
	Dwarf_Addr bias, last = 0;
	int ret = tap_dwarf_find_module(types, module, &dwarf, err);

	*list = NULL;
	*nr = 0;
	if (ret)
		return ret;
	ret = read_symbols(&b, tap_dwarf_module(dwarf));
	find_parts(&b, function);
	free(b.symbols);
	if (ret)
		return tap_error_set(err, ret, "out of memory");
	/* On arm64 a function may begin in front of what its debug information has. */
	if (b.nr_parts) {
		last = b.parts[0].addr + b.parts[0].size - 1;
		cu = dwfl_module_addrdie(tap_dwarf_module(dwarf), last, &bias);
	}
	if (!cu)
		return tap_error_set(err, -ENOENT, "%s: no debug information of %s", tap_dwarf_path(dwarf), function);
	if (dwarf_child(cu, &die))
		return 0;
	do {
		if (dwarf_tag(&die) != DW_TAG_subprogram || dwarf_haspc(&die, last - bias) <= 0)
			continue;
		ret = add_body(list, nr, cu, &die);
		if (!ret)
			ret = add_inlined(list, nr, cu, &die);
	} while (!ret && !dwarf_siblingof(&die, &die));
	if (!ret)
		return 0;
	tap_dwarf_bodies_free(*list, *nr);
	return tap_error_set(err, ret, "out of memory");
}

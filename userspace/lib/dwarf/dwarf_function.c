// SPDX-License-Identifier: LGPL-2.1
/*
 * Prototypes of functions, and what the compiler did with their parameters.
 *
 * A function is found by the address of its symbol: the copy that the compiler made of one, as
 * f.isra.0, has its own code, but the name and the parameters of the original.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>

#include "dwarf/dwarf_internal.h"
#include "util/arch.h"
#include "util/array.h"

/* ------------------------------------------------------------ all functions */

/* Where a function is entered. One in two sections has ranges; the first begins with its entry. */
bool tap_dwarf_entry_pc(Dwarf_Die *die, Dwarf_Addr *pc)
{
	Dwarf_Addr base, end;

	return !dwarf_entrypc(die, pc) || dwarf_ranges(die, 0, &base, pc, &end) > 0;
}

static int add_function(Dwarf_Die *die, Dwarf_Addr bias, void *arg)
{
	struct tap_dwarf *dwarf = arg;
	Dwarf_Addr pc;

	if (dwarf_tag(die) != DW_TAG_subprogram)
		return 0;
	if (!tap_dwarf_entry_pc(die, &pc)) {
		if (!dwarf_func_inline(die))
			return 0;
		if (!TAP_GROW(dwarf->inlines, dwarf->nr_inlines))
			return -ENOMEM;
		dwarf->inlines[dwarf->nr_inlines++] = *die;
		return 0;
	}
	if (!TAP_GROW(dwarf->functions, dwarf->nr_functions))
		return -ENOMEM;
	dwarf->functions[dwarf->nr_functions++] = (struct tap_dwarf_function) { pc + bias, *die };
	return 0;
}

static int by_addr(const void *pa, const void *pb)
{
	const struct tap_dwarf_function *a = pa, *b = pb;

	return (a->addr > b->addr) - (a->addr < b->addr);
}

/* Walks the file once. False: it has no functions with code. */
static bool read_functions(struct tap_dwarf *dwarf)
{
	if (dwarf->functions)
		return true;
	dwarf->nr_inlines = 0;
	tap_dwarf_each(dwarf, add_function, dwarf);
	if (dwarf->functions)
		qsort(dwarf->functions, dwarf->nr_functions, sizeof(*dwarf->functions), by_addr);
	return dwarf->functions;
}

/**
 * tap_dwarf_inlines() - the functions that are inlined somewhere
 * @dwarf: the file
 * @nr: set to their number
 *
 * Return: the DIEs without code of their own, those of the original functions; too few if out of
 *	memory. Valid until tap_dwarf_close().
 */
Dwarf_Die *tap_dwarf_inlines(struct tap_dwarf *dwarf, size_t *nr)
{
	read_functions(dwarf);
	*nr = dwarf->nr_inlines;
	return dwarf->inlines;
}

static struct tap_dwarf_function *function_at(struct tap_dwarf *dwarf, Dwarf_Addr addr)
{
	const struct tap_dwarf_function key = { .addr = addr };

	if (!read_functions(dwarf))
		return NULL;
	return bsearch(&key, dwarf->functions, dwarf->nr_functions, sizeof(key), by_addr);
}

/* --------------------------------------------------------------- parameters */

/* The parameter of a copy that stands for one of the original; false: the copy has none. */
static bool own_param(Dwarf_Die *function, const Dwarf_Die *param, Dwarf_Die *own)
{
	Dwarf_Attribute attr;
	Dwarf_Die origin;

	if (dwarf_child(function, own))
		return false;
	do {
		if (dwarf_tag(own) == DW_TAG_formal_parameter &&
		    (own->addr == param->addr ||
		     (dwarf_attr(own, DW_AT_abstract_origin, &attr) &&
		      dwarf_formref_die(&attr, &origin) && origin.addr == param->addr)))
			return true;
	} while (!dwarf_siblingof(own, own));
	return false;
}

static enum tap_param_place place_of_ops(const Dwarf_Op *ops, size_t nr, bool always, bool copy,
					 unsigned int *arg)
{
	Dwarf_Word reg = ops->atom == DW_OP_regx ? ops->number :
			 (Dwarf_Word)ops->atom - DW_OP_reg0;
	int n;

	if (nr > 1 && ops[1].atom == DW_OP_piece)
		return TAP_PARAM_UNTOLD;
	if (nr == 1 && (ops->atom == DW_OP_regx ||
			(ops->atom >= DW_OP_reg0 && ops->atom <= DW_OP_reg31))) {
		n = tap_arch_dwarf_arg(reg);
		*arg = n < 0 ? 0 : n;
		return n < 0 ? TAP_PARAM_ELSEWHERE : TAP_PARAM_ARG;
	}
	if (nr == 1 && (ops->atom == DW_OP_fbreg || ops->atom == DW_OP_call_frame_cfa ||
			(ops->atom >= DW_OP_breg0 && ops->atom <= DW_OP_bregx)))
		/*
		 * The place in the whole function is memory: the function stores the register
		 * there behind its first instruction. A copy may have been called differently.
		 */
		return always && !copy ? TAP_PARAM_UNTOLD : TAP_PARAM_ELSEWHERE;
	return TAP_PARAM_REMOVED;
}

/* Where a parameter is at @pc, the first instruction. */
static enum tap_param_place place_of(Dwarf_Die *own, Dwarf_Addr pc, bool copy, unsigned int *arg)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	bool always;
	size_t nr;

	if (!dwarf_attr(own, DW_AT_location, &attr))
		return dwarf_hasattr(own, DW_AT_const_value) ? TAP_PARAM_CONSTANT :
		       TAP_PARAM_REMOVED;
	always = dwarf_whatform(&attr) == DW_FORM_exprloc;
	if (dwarf_getlocation_addr(&attr, pc, &ops, &nr, 1) != 1 || !nr)
		return TAP_PARAM_REMOVED;
	return place_of_ops(ops, nr, always, copy, arg);
}

static int read_params(struct tap_dwarf *dwarf, Dwarf_Die *function, Dwarf_Die *original,
		       Dwarf_Addr pc, bool copy, struct tap_prototype *proto)
{
	Dwarf_Die param, own;
	const char *name;
	int ret = 0;

	if (dwarf_child(original, &param))
		return 0;
	do {
		if (dwarf_tag(&param) != DW_TAG_formal_parameter)
			continue;
		name = dwarf_diename(&param);
		snprintf(proto->params[proto->nr].name, sizeof(proto->params[0].name), "%s",
			 name ? name : "");
		ret = tap_dwarf_type_of(dwarf, &param, &proto->params[proto->nr].type);
		proto->params[proto->nr].place = own_param(function, &param, &own) ?
			place_of(&own, pc, copy, &proto->params[proto->nr].arg) :
			TAP_PARAM_REMOVED;
		proto->nr++;
	} while (!ret && proto->nr < TAP_MAX_PARAMS && !dwarf_siblingof(&param, &param));
	return ret;
}

static int read_prototype(struct tap_dwarf *dwarf, const struct tap_dwarf_function *fn,
			  const char *name, struct tap_prototype *proto)
{
	Dwarf_Die function = fn->die, original = fn->die, cu;
	size_t base = strcspn(name, ".");
	bool copy = base && name[base];
	Dwarf_Attribute attr;
	Dwarf_Addr pc;
	int ret;

	memset(proto, 0, sizeof(*proto));
	proto->located = true;
	if (!tap_dwarf_entry_pc(&function, &pc))
		return -EBADMSG;
	if (dwarf_attr(&function, DW_AT_abstract_origin, &attr) &&
	    !dwarf_formref_die(&attr, &original))
		return -EBADMSG;
	if (copy)
		snprintf(proto->base, sizeof(proto->base), "%.*s", (int)base, name);
	proto->file = dwarf_decl_file(&original);
	/* libdw takes the file 0 of DWARF 5, that of the unit, for none. */
	if (!proto->file && dwarf_diecu(&original, &cu, NULL, NULL))
		proto->file = dwarf_diename(&cu);
	ret = tap_dwarf_type_of(dwarf, &function, &proto->ret);
	return ret ? ret : read_params(dwarf, &function, &original, pc, copy, proto);
}

/**
 * tap_dwarf_function_at() - look up the prototype of a function by its address
 * @dwarf: the file
 * @addr: of its first byte: as libdwfl laid a module out, or in a program's file
 * @name: of its symbol, which tells a copy that the compiler made
 * @proto: filled in
 *
 * Return: 0; -ENOENT if the debug information does not describe it; -EBADMSG if it is malformed;
 * -ENOMEM.
 */
int tap_dwarf_function_at(struct tap_dwarf *dwarf, uint64_t addr, const char *name,
			  struct tap_prototype *proto)
{
	const struct tap_dwarf_function *fn = function_at(dwarf, addr);

	return fn ? read_prototype(dwarf, fn, name, proto) : -ENOENT;
}

/**
 * tap_dwarf_function() - look up the prototype of a function of a module
 * @dwarf: the module
 * @name: as in kallsyms
 * @proto: filled in
 *
 * Return: 0; -ENOENT if the module has no such function, or its debug information does not
 * describe it; -ENOTUNIQ if several functions have the name; -EBADMSG if it is malformed; -ENOMEM.
 */
int tap_dwarf_function(struct tap_dwarf *dwarf, const char *name, struct tap_prototype *proto)
{
	int nr = dwfl_module_getsymtab(dwarf->mod), i;
	GElf_Addr addr, found = 0;
	bool any = false;
	const char *is;
	GElf_Sym sym;

	for (i = 0; i < nr; i++) {
		is = dwfl_module_getsym_info(dwarf->mod, i, &sym, &addr, NULL, NULL, NULL);
		if (!is || GELF_ST_TYPE(sym.st_info) != STT_FUNC || sym.st_shndx == SHN_UNDEF ||
		    strcmp(is, name))
			continue;
		if (any && addr != found)
			return -ENOTUNIQ;
		any = true;
		found = addr;
	}
	if (!any)
		return -ENOENT;
	if (!function_at(dwarf, found))
		found += TAP_ARCH_ENTRY_NOPS;
	return tap_dwarf_function_at(dwarf, found, name, proto);
}

// SPDX-License-Identifier: LGPL-2.1
/*
 * The location of a variable at an instruction, as a computation that programs can do.
 *
 * An operation that is not understood is refused by its name: nothing is read from a wrong place.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>
#include <gelf.h>

#include "dwarf/dwarf_internal.h"
#include "dwarf/source.h"
#include "util/arch.h"
#include "util/registers.h"
#include "util/util.h"

/* Entries of the stack on which DWARF computes. */
#define MAX_STACK	16

/* Expressions within expressions: that of the frame base, and that of the CFA. */
#define MAX_NESTED	4

/* A value on the stack: a term, and its type: 0 is 64 bits without a sign. */
struct entry {
	uint8_t term;
	uint8_t size;
};

/*
 * A computation.
 *	@pc		address in the DWARF
 *	@stack, @depth	values so far
 *	@value		the result is the value of the variable, not its address
 *	@why		gets the reason for a failure
 */
struct eval {
	Dwfl_Module *mod;
	const struct tap_dwarf_place *place;
	Dwarf_Addr pc;
	Dwarf_Attribute *attr;
	struct tap_dwarf_location *loc;
	struct entry stack[MAX_STACK];
	unsigned int depth;
	unsigned int nested;
	bool value;
	char *why;
	size_t size;
};

__attribute__((format(printf, 2, 3)))
static int refuse(struct eval *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e->why, e->size, fmt, ap);
	va_end(ap);
	return -EOPNOTSUPP;
}

/* ------------------------------------------------------------------- terms */

static bool is_imm(const struct eval *e, uint8_t term)
{
	return e->loc->terms[term].code == TAP_OP_IMM;
}

static int push_term(struct eval *e, const struct tap_dwarf_term *term, uint8_t size)
{
	if (e->loc->nr == TAP_DWARF_MAX_TERMS || e->depth == MAX_STACK)
		return refuse(e, "its location is a computation that is too long");
	e->loc->terms[e->loc->nr] = *term;
	e->stack[e->depth++] = (struct entry) { e->loc->nr++, size };
	return 0;
}

static int push_imm(struct eval *e, uint64_t value)
{
	return push_term(e, &(struct tap_dwarf_term) {
		.code = TAP_OP_IMM, .size = 8, .value = value }, 0);
}

static int pop(struct eval *e, struct entry *entry)
{
	*entry = (struct entry) { 0 };
	if (!e->depth)
		return refuse(e, "its location is malformed: the stack is empty");
	*entry = e->stack[--e->depth];
	return 0;
}

/* The number of a register in DWARF to the name in tap's. */
static int register_offset(unsigned int number)
{
#if defined(__x86_64__)
	static const char *const names[] = {
		"ax", "dx", "cx", "bx", "si", "di", "bp", "sp",
		"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
	};

	if (number >= ARRAY_SIZE(names))
		return -ENOENT;
	return tap_register_offset(names[number], strlen(names[number]));
#else
	char name[8];

	if (number > 31)
		return -ENOENT;
	snprintf(name, sizeof(name), number == 31 ? "sp" : "x%u", number);
	return tap_register_offset(name, strlen(name));
#endif
}

static int push_register(struct eval *e, uint64_t number)
{
	int offset = register_offset(number > 255 ? 255 : (unsigned int)number);

	if (offset < 0)
		return refuse(e, "it is in register %llu of DWARF, which a probe does not save",
			      (unsigned long long)number);
	return push_term(e, &(struct tap_dwarf_term) {
		.code = TAP_OP_REG, .size = 8, .value = (uint64_t)offset }, 0);
}

static int binary(struct eval *e, uint8_t code, bool is_signed)
{
	struct tap_dwarf_term t = { .code = code, .size = is_signed ? 8 | TAP_OP_SIGNED : 8 };
	struct entry a, b;
	int ret = pop(e, &b) ?: pop(e, &a);

	if (ret)
		return ret;
	t.a = a.term;
	t.b = b.term;
	ret = push_term(e, &t, a.size);
	/* A typed result has the width of its type. */
	if (!ret && a.size && code < TAP_OP_JUMP && (a.size & 15) < 8) {
		ret = pop(e, &b);
		t = (struct tap_dwarf_term) { .code = TAP_OP_MOVE, .size = a.size, .a = b.term };
		ret = ret ?: push_term(e, &t, a.size);
	}
	return ret;
}

/* Adds a number; sums of numbers become one, as base register and offset. */
static int add(struct eval *e, uint64_t value)
{
	struct tap_dwarf_term *t;
	struct entry top;
	int ret = pop(e, &top);

	if (ret)
		return ret;
	t = &e->loc->terms[top.term];
	e->depth++;
	if (!value)
		return 0;
	if (t->code == TAP_OP_ADD && is_imm(e, t->b) && !top.size) {
		e->depth--;
		ret = push_term(e, &e->loc->terms[t->a], 0);
		value += e->loc->terms[t->b].value;
		if (ret || !value)
			return ret;
	}
	ret = push_imm(e, value);
	return ret ? ret : binary(e, TAP_OP_ADD, false);
}

/* ------------------------------------------------------------- frames, statics */

static int run(struct eval *e, const Dwarf_Op *ops, size_t nr);

static int run_nested(struct eval *e, const Dwarf_Op *ops, size_t nr)
{
	int ret;

	if (e->nested == MAX_NESTED)
		return refuse(e, "its location is malformed: it contains itself");
	e->nested++;
	ret = run(e, ops, nr);
	e->nested--;
	return ret;
}

/* The call frame address: of .debug_frame, as modules have no .eh_frame. */
static int push_cfa(struct eval *e)
{
	Dwarf_CFI *cfi[2];
	Dwarf_Addr bias[2];
	unsigned int i;
	int ret;

	cfi[0] = dwfl_module_dwarf_cfi(e->mod, &bias[0]);
	cfi[1] = dwfl_module_eh_cfi(e->mod, &bias[1]);
	for (i = 0; i < 2; i++) {
		Dwarf_Frame *frame;
		Dwarf_Op *ops;
		size_t nr;

		if (!cfi[i] || dwarf_cfi_addrframe(cfi[i], e->place->addr - bias[i], &frame))
			continue;
		ret = dwarf_frame_cfa(frame, &ops, &nr) || !nr ?
		      refuse(e, "the call frame information has no CFA here") :
		      run_nested(e, ops, nr);
		free(frame);
		return ret;
	}
	return refuse(e, "the file has no call frame information for this code (.debug_frame)");
}

static int push_frame_base(struct eval *e, uint64_t offset)
{
	Dwarf_Die function = e->place->function;
	Dwarf_Attribute attr, *outer = e->attr;
	Dwarf_Op *ops;
	size_t nr;
	int ret;

	if (!function.addr || !dwarf_attr_integrate(&function, DW_AT_frame_base, &attr) ||
	    dwarf_getlocation_addr(&attr, e->pc, &ops, &nr, 1) != 1 || !nr)
		return refuse(e, "its function has no frame base here");
	e->attr = &attr;
	/* As a frame base a register stands for its value. */
	if (nr == 1 && ops->atom >= DW_OP_reg0 && ops->atom <= DW_OP_reg31)
		ret = push_register(e, ops->atom - DW_OP_reg0);
	else
		ret = run_nested(e, ops, nr);
	e->attr = outer;
	return ret ? ret : add(e, offset);
}

/*
 * A static variable of a function. In a program it is always as far from the instruction as in the
 * file. The kernel lays the sections of a module out at each load, so there the distance is unknown.
 */
static int push_static(struct eval *e, Dwarf_Addr addr)
{
	GElf_Off offset;
	GElf_Sym sym;

	/* Only an object file has several parts that move on their own. */
	if (dwfl_module_relocations(e->mod) > 1)
		return refuse(e, "it is a static variable, whose address changes when the module is loaded again; write @SYMBOL for its memory as long as the module stays");
	/* Of a C++ inline function: the files of a process share one of their copies. */
	if (dwfl_module_addrinfo(e->mod, addr + e->place->bias, &offset, &sym, NULL, NULL, NULL) &&
	    offset < sym.st_size && GELF_ST_BIND(sym.st_info) != STB_LOCAL)
		return refuse(e, "it is a static variable of a C++ inline function; several files may have a copy, and one of them is used");
	return push_term(e, &(struct tap_dwarf_term) {
		.code = TAP_OP_REG, .size = 8, .value = (uint64_t)tap_register_offset(TAP_ARCH_IP, 2),
	}, 0) ?: add(e, addr - e->pc);
}

/**
 * tap_dwarf_argument_register() - the register in which an argument is passed
 * @argument: counted from 0
 *
 * Return: its offset for %TAP_OP_REG; -ENOENT if it is passed on the stack.
 */
int tap_dwarf_argument_register(unsigned int argument)
{
	unsigned int number;

	for (number = 0; number < 32; number++)
		if (tap_arch_dwarf_arg(number) == (int)argument)
			return register_offset(number);
	return -ENOENT;
}

/*
 * What the register of an argument was at the entry of the function. The key of the frame is the stack
 * pointer at the entry, which the CFA gives here.
 */
static int push_entry_value(struct eval *e, const Dwarf_Op *op)
{
	Dwarf_Die function = e->place->function;
	struct tap_dwarf_term t = { .code = TAP_OP_CAPTURED, .size = 8 };
	Dwarf_Attribute attr;
	struct entry frame;
	Dwarf_Addr entry;
	Dwarf_Op *ops;
	uint64_t reg;
	size_t nr;
	int ret;

	if (!e->attr || dwarf_getlocation_attr(e->attr, op, &attr) ||
	    dwarf_getlocation(&attr, &ops, &nr) || nr != 1 ||
	    (ops->atom != DW_OP_regx && (ops->atom < DW_OP_reg0 || ops->atom > DW_OP_reg31)))
		return refuse(e, "it is computed from the function's entry in a way that is not understood (DW_OP_entry_value)");
	reg = ops->number;
	if (ops->atom != DW_OP_regx)
		reg = ops->atom - DW_OP_reg0;
	if (tap_arch_dwarf_arg(reg) < 0)
		return refuse(e, "it is what register %llu of DWARF was at the function's entry, which is not one of an argument",
			      (unsigned long long)reg);
	if (!function.addr || !tap_dwarf_entry_pc(&function, &entry))
		return refuse(e, "it is computed from the entry of a function that has none");
	ret = push_cfa(e) ?: add(e, -TAP_ARCH_RETURN_BYTES) ?: pop(e, &frame);
	if (ret)
		return ret;
	t.a = frame.term;
	t.value = (uint64_t)tap_arch_dwarf_arg(reg);
	e->loc->captured = true;
	return push_term(e, &t, 0);
}

/* ------------------------------------------------------------------ operations */

static const struct {
	uint8_t atom;
	uint8_t code;
	bool is_signed;
} binaries[] = {
	{ DW_OP_and, TAP_OP_AND, false }, { DW_OP_or, TAP_OP_OR, false },
	{ DW_OP_xor, TAP_OP_XOR, false }, { DW_OP_mul, TAP_OP_MUL, false },
	{ DW_OP_minus, TAP_OP_SUB, false }, { DW_OP_shl, TAP_OP_SHL, false },
	{ DW_OP_shr, TAP_OP_SHR, false }, { DW_OP_shra, TAP_OP_SHR, true },
	{ DW_OP_div, TAP_OP_DIV, true }, { DW_OP_mod, TAP_OP_MOD, false },
	{ DW_OP_eq, TAP_OP_JEQ, false }, { DW_OP_ne, TAP_OP_JNE, false },
	{ DW_OP_lt, TAP_OP_JLT, true }, { DW_OP_le, TAP_OP_JLE, true },
	{ DW_OP_gt, TAP_OP_JGT, true }, { DW_OP_ge, TAP_OP_JGE, true },
};

/* The operations that are refused by their names. */
static const struct {
	uint8_t atom;
	const char *name;
	const char *what;
} refused[] = {
	{ DW_OP_piece, "DW_OP_piece", "it is split over several places" },
	{ DW_OP_bit_piece, "DW_OP_bit_piece", "it is split over several places" },
	{ DW_OP_implicit_pointer, "DW_OP_implicit_pointer", "it points to what was optimised out" },
	{ DW_OP_GNU_implicit_pointer, "DW_OP_implicit_pointer",
	  "it points to what was optimised out" },
	{ DW_OP_GNU_parameter_ref, "DW_OP_GNU_parameter_ref",
	  "it is computed from a parameter that was dropped" },
	{ DW_OP_form_tls_address, "DW_OP_form_tls_address", "it belongs to a thread" },
	{ DW_OP_GNU_push_tls_address, "DW_OP_GNU_push_tls_address", "it belongs to a thread" },
};

/* The number of the base type that an operation names; 0 for the type of addresses. */
static int base_type(struct eval *e, const Dwarf_Op *op, uint8_t *size)
{
	Dwarf_Attribute encoding_attr, size_attr;
	Dwarf_Word encoding, bytes;
	Dwarf_Die type;

	*size = 0;
	if ((op->atom == DW_OP_convert || op->atom == DW_OP_GNU_convert) && !op->number)
		return 0;
	if (!e->attr || dwarf_getlocation_die(e->attr, op, &type) ||
	    dwarf_formudata(dwarf_attr(&type, DW_AT_byte_size, &size_attr), &bytes) ||
	    dwarf_formudata(dwarf_attr(&type, DW_AT_encoding, &encoding_attr), &encoding))
		return refuse(e, "its location has a type that is not understood");
	if ((bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) || encoding == DW_ATE_float)
		return refuse(e, "it is computed with a type that programs do not have");
	*size = (uint8_t)bytes;
	if (encoding == DW_ATE_signed || encoding == DW_ATE_signed_char)
		*size |= TAP_OP_SIGNED;
	return 0;
}

static int convert(struct eval *e, const Dwarf_Op *op)
{
	struct entry top;
	uint8_t size;
	int ret = base_type(e, op, &size) ?: pop(e, &top);

	if (ret)
		return ret;
	if (!size || (size & 15) == 8) {
		e->stack[e->depth++] = (struct entry) { top.term, size };
		return 0;
	}
	return push_term(e, &(struct tap_dwarf_term) {
		.code = TAP_OP_MOVE, .size = size, .a = top.term }, size);
}

static int load(struct eval *e, uint64_t bytes)
{
	struct entry top;
	int ret = pop(e, &top);

	if (ret)
		return ret;
	if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
		return refuse(e, "it is computed from %llu bytes of memory",
			      (unsigned long long)bytes);
	return push_term(e, &(struct tap_dwarf_term) {
		.code = TAP_OP_LOAD, .size = (uint8_t)bytes, .a = top.term }, 0);
}

/* Operations on the stack alone. */
static int shuffle(struct eval *e, uint8_t atom, uint64_t number)
{
	static const uint8_t needs[] = {
		[DW_OP_dup] = 1, [DW_OP_drop] = 1, [DW_OP_over] = 2, [DW_OP_pick] = 1,
		[DW_OP_swap] = 2, [DW_OP_rot] = 3,
	};
	struct entry *top, first;
	uint64_t from = atom == DW_OP_pick ? number : atom == DW_OP_over;

	if (e->depth < needs[atom] || from >= e->depth || e->depth == MAX_STACK)
		return refuse(e, "its location is malformed: the stack is empty");
	top = &e->stack[e->depth - 1];
	first = *top;
	switch (atom) {
	case DW_OP_drop:
		e->depth--;
		break;
	case DW_OP_swap:
		top[0] = top[-1];
		top[-1] = first;
		break;
	case DW_OP_rot:
		top[0] = top[-1];
		top[-1] = top[-2];
		top[-2] = first;
		break;
	default:
		top[1] = top[-(ptrdiff_t)from];
		e->depth++;
	}
	return 0;
}

static int refuse_op(struct eval *e, const Dwarf_Op *op)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(refused); i++)
		if (op->atom == refused[i].atom)
			return refuse(e, "%s (%s)", refused[i].what, refused[i].name);
	return refuse(e, "its location has the operation 0x%x of DWARF, which is not understood",
		      op->atom);
}

static int by_table(struct eval *e, const Dwarf_Op *op)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(binaries); i++) {
		bool is_signed = binaries[i].is_signed;

		if (op->atom != binaries[i].atom)
			continue;
		/* The operands of a type have its sign. */
		if (e->depth && e->stack[e->depth - 1].size && op->atom != DW_OP_shra)
			is_signed = op->atom != DW_OP_shr &&
				    e->stack[e->depth - 1].size & TAP_OP_SIGNED;
		return binary(e, binaries[i].code, is_signed);
	}
	return refuse_op(e, op);
}

static int run_unary(struct eval *e, const Dwarf_Op *op)
{
	struct entry top;
	int ret = pop(e, &top);

	if (ret)
		return ret;
	ret = push_imm(e, op->atom == DW_OP_not ? ~0ULL : 0);
	if (ret || e->depth == MAX_STACK)
		return ret ? ret : refuse(e, "its location is a computation that is too long");
	e->stack[e->depth - 1].size = top.size;
	e->stack[e->depth++] = top;
	return binary(e, op->atom == DW_OP_not ? TAP_OP_XOR : TAP_OP_SUB, false);
}

static int push_attr(struct eval *e, const Dwarf_Op *op)
{
	Dwarf_Attribute value;
	Dwarf_Addr addr;

	if (!e->attr || dwarf_getlocation_attr(e->attr, op, &value) ||
	    dwarf_formaddr(&value, &addr))
		return refuse(e, "its location has an address that cannot be read");
	return op->atom == DW_OP_constx ? push_imm(e, addr) : push_static(e, addr);
}

static int run_one(struct eval *e, const Dwarf_Op *op)
{
	uint8_t atom = op->atom, size;
	int ret;

	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		return push_imm(e, atom - DW_OP_lit0);
	if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		return push_register(e, atom - DW_OP_breg0) ?: add(e, op->number);
	switch (atom) {
	case DW_OP_nop:
		return 0;
	case DW_OP_addr:
		return push_static(e, op->number);
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
	case DW_OP_constx:
		return push_attr(e, op);
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		return push_imm(e, op->number);
	case DW_OP_bregx:
		return push_register(e, op->number) ?: add(e, op->number2);
	case DW_OP_fbreg:
		return push_frame_base(e, op->number);
	case DW_OP_call_frame_cfa:
		return push_cfa(e);
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		return push_entry_value(e, op);
	case DW_OP_plus_uconst:
		return add(e, op->number);
	case DW_OP_deref:
		return load(e, 8);
	case DW_OP_deref_size:
		return load(e, op->number);
	case DW_OP_dup:
	case DW_OP_drop:
	case DW_OP_over:
	case DW_OP_pick:
	case DW_OP_swap:
	case DW_OP_rot:
		return shuffle(e, atom, op->number);
	case DW_OP_not:
	case DW_OP_neg:
		return run_unary(e, op);
	case DW_OP_convert:
	case DW_OP_GNU_convert:
		return convert(e, op);
	case DW_OP_regval_type:
	case DW_OP_GNU_regval_type:
		ret = base_type(e, op, &size) ?: push_register(e, op->number);
		if (ret || (size & 15) == 8)
			return ret;
		e->depth--;
		return push_term(e, &(struct tap_dwarf_term) {
			.code = TAP_OP_MOVE, .size = size,
			.a = e->stack[e->depth].term }, size);
	case DW_OP_plus:
		/* A number on top becomes an offset. */
		if (e->depth > 1 && is_imm(e, e->stack[e->depth - 1].term) &&
		    !e->stack[e->depth - 1].size)
			return add(e, e->loc->terms[e->stack[--e->depth].term].value);
		return binary(e, TAP_OP_ADD, false);
	}
	return by_table(e, op);
}

static int run(struct eval *e, const Dwarf_Op *ops, size_t nr)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++) {
		if (ops[i].atom == DW_OP_stack_value) {
			if (i + 1 < nr)
				return refuse_op(e, &ops[i + 1]);
			e->value = true;
			return 0;
		}
		ret = run_one(e, &ops[i]);
	}
	return ret;
}

/* ------------------------------------------------------------------- variables */

/* A number, or at most 8 bytes, in the file. */
static int push_block(struct eval *e, const Dwarf_Block *block)
{
	uint64_t value = 0;

	if (block->length > sizeof(value))
		return refuse(e, "it is a constant of %llu bytes",
			      (unsigned long long)block->length);
	memcpy(&value, block->data, block->length);
	e->value = true;
	return push_imm(e, value);
}

static int push_const(struct eval *e, Dwarf_Attribute *attr)
{
	Dwarf_Block block;
	bool is_signed;
	__s64 value;

	/* The caller cuts it to the type of the variable. */
	e->value = true;
	if (tap_dwarf_constant(attr, &value, &is_signed))
		return push_imm(e, (uint64_t)value);
	if (!dwarf_formblock(attr, &block))
		return push_block(e, &block);
	return refuse(e, "it is a constant that cannot be read");
}

static int locate_at(struct eval *e)
{
	Dwarf_Op *ops;
	Dwarf_Block block;
	size_t nr;
	int found = dwarf_getlocation_addr(e->attr, e->pc, &ops, &nr, 1);

	if (found < 0)
		return refuse(e, "its places are damaged in the debug information (.debug_loclists or .debug_loc), or have an operation that libdw does not know");
	if (found != 1 || !nr)
		return -ENODATA;
	if (nr == 1 && ops->atom >= DW_OP_reg0 && ops->atom <= DW_OP_reg31) {
		e->value = true;
		return push_register(e, ops->atom - DW_OP_reg0);
	}
	if (nr == 1 && ops->atom == DW_OP_regx) {
		e->value = true;
		return push_register(e, ops->number);
	}
	if (nr == 1 && ops->atom == DW_OP_implicit_value) {
		if (dwarf_getlocation_implicit_value(e->attr, ops, &block))
			return refuse(e, "it is a constant that cannot be read");
		return push_block(e, &block);
	}
	/* A piece refuses the whole, also where another operation stands before it. */
	if (ops[nr - 1].atom == DW_OP_piece || ops[nr - 1].atom == DW_OP_bit_piece)
		return refuse_op(e, &ops[nr - 1]);
	return run(e, ops, nr);
}

/**
 * tap_dwarf_locate() - find a variable at an instruction
 * @mod: the file
 * @place: the instruction, after tap_dwarf_variables()
 * @variable: of tap_dwarf_variables()
 * @location: filled in
 * @why: on failure: why it cannot be read, as the end of a sentence; or ""
 * @size: bytes of @why
 *
 * Return: 0; -ENODATA if it is optimised out here; -EOPNOTSUPP if programs cannot compute it.
 */
int tap_dwarf_locate(Dwfl_Module *mod, const struct tap_dwarf_place *place,
		     const struct tap_dwarf_variable *variable,
		     struct tap_dwarf_location *location, char *why, size_t size)
{
	struct eval e = {
		.mod = mod, .place = place, .pc = place->addr - place->bias,
		.loc = location, .why = why, .size = size,
	};
	Dwarf_Die die = variable->die;
	Dwarf_Attribute attr;
	int ret;

	*why = '\0';
	location->nr = 0;
	location->captured = false;
	if (dwarf_attr_integrate(&die, DW_AT_const_value, &attr)) {
		ret = push_const(&e, &attr);
	} else if (dwarf_attr_integrate(&die, DW_AT_location, &attr)) {
		e.attr = &attr;
		ret = locate_at(&e);
	} else {
		ret = -ENODATA;
	}
	if (!ret && !e.depth)
		ret = -ENODATA;
	location->memory = !e.value;
	/* The result is the last term: it may have been computed earlier. */
	if (!ret && e.stack[e.depth - 1].term != location->nr - 1)
		ret = push_term(&e, &location->terms[e.stack[e.depth - 1].term], 0);
	return ret;
}

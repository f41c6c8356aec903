// SPDX-License-Identifier: GPL-2.0
/*
 * Computes locations of DWARF with numbers, by the words of the standard (DWARF 5, 2.5 and 2.6).
 * Registers and each byte of memory are hashes of a seed. It shares no code with
 * dwarf_location.c but that of libdw.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>

#include "selftests/lib/location_model.h"

#define MAX_STACK	64
#define NR_SEEDS	4

/* The type of a value: 0 bytes are the type of addresses. */
struct number {
	uint64_t bits;
	unsigned int bytes;
	bool is_signed;
};

/*
 * @unknown: an operation that the model does not know; @vague: a result that the standard leaves
 * open, such as a division by 0
 */
struct machine {
	uint64_t seed;
	Dwfl_Module *mod;
	const struct tap_dwarf_place *place;
	Dwarf_Attribute *attr;
	struct number stack[MAX_STACK];
	unsigned int depth;
	unsigned int nested;
	bool unknown;
	bool vague;
	bool value;
};

static uint64_t hash(uint64_t seed, uint64_t key)
{
	uint64_t x = (key ^ seed * 0x9e3779b97f4a7c15ULL) * 0xbf58476d1ce4e5b9ULL;

	x = (x ^ x >> 29) * 0x94d049bb133111ebULL;
	return x ^ x >> 32;
}

/* Half of the numbers are small, as those of programs are. */
static uint64_t any_number(uint64_t seed, uint64_t key)
{
	uint64_t x = hash(seed, key);

	return x & 1 ? x >> 1 : x >> 52;
}

/* By the offset in struct pt_regs. */
static uint64_t machine_register(const struct machine *m, unsigned int offset)
{
	return any_number(m->seed, offset);
}

static uint64_t machine_memory(const struct machine *m, uint64_t addr, unsigned int bytes)
{
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; i < bytes; i++)
		value |= (hash(m->seed, addr + i + 4096) & 0xff) << 8 * i;
	return value;
}

static uint64_t extend(uint64_t bits, unsigned int bytes, bool is_signed)
{
	unsigned int shift = 64 - 8 * bytes;

	if (!bytes || bytes >= 8)
		return bits;
	return is_signed ? (uint64_t)((int64_t)(bits << shift) >> shift) : bits << shift >> shift;
}

/* ------------------------------------------------------------- the location of the file */

static void push(struct machine *m, uint64_t bits)
{
	if (m->depth == MAX_STACK)
		m->unknown = true;
	else
		m->stack[m->depth++] = (struct number) { .bits = bits };
}

static void push_typed(struct machine *m, struct number n)
{
	push(m, extend(n.bits, n.bytes, n.is_signed));
	if (m->unknown)
		return;
	m->stack[m->depth - 1].bytes = n.bytes;
	m->stack[m->depth - 1].is_signed = n.is_signed;
}

static struct number pop(struct machine *m)
{
	if (m->depth)
		return m->stack[--m->depth];
	m->unknown = true;
	return (struct number) { 0 };
}

/* The offset in struct pt_regs of a register by its number of DWARF. */
static int register_place(uint64_t number)
{
#if defined(__x86_64__)
	static const unsigned char places[] = {
		80, 96, 88, 40, 104, 112, 32, 152, 72, 64, 56, 48, 24, 16, 8, 0,
	};

	return number < sizeof(places) ? places[number] : -1;
#else
	return number < 32 ? (int)number * 8 : -1;
#endif
}

/* Where the instruction pointer is in struct pt_regs. */
#if defined(__x86_64__)
#define PLACE_OF_IP	128
#else
#define PLACE_OF_IP	256
#endif

static void push_register(struct machine *m, uint64_t number, uint64_t more)
{
	int place = register_place(number);

	if (place < 0)
		m->unknown = true;
	else
		push(m, machine_register(m, (unsigned int)place) + more);
}

static void compute(struct machine *m, const Dwarf_Op *ops, size_t nr);

static void compute_within(struct machine *m, const Dwarf_Op *ops, size_t nr)
{
	if (++m->nested > 8)
		m->unknown = true;
	else
		compute(m, ops, nr);
	m->nested--;
}

static void push_cfa(struct machine *m)
{
	Dwarf_Addr debug_bias, eh_bias;
	Dwarf_CFI *debug = dwfl_module_dwarf_cfi(m->mod, &debug_bias);
	Dwarf_CFI *eh = dwfl_module_eh_cfi(m->mod, &eh_bias);
	Dwarf_Frame *frame = NULL;
	Dwarf_Op *ops;
	size_t nr;

	if ((!debug || dwarf_cfi_addrframe(debug, m->place->addr - debug_bias, &frame)) &&
	    (!eh || dwarf_cfi_addrframe(eh, m->place->addr - eh_bias, &frame)))
		m->unknown = true;
	else if (dwarf_frame_cfa(frame, &ops, &nr) || !nr)
		m->unknown = true;
	else
		compute_within(m, ops, nr);
	free(frame);
}

#if defined(__x86_64__)
/* Bytes from the stack pointer at the entry to the CFA. */
#define CFA_ABOVE	8

/* The argument that is passed in a register of DWARF; -1: none. */
static int argument_of(uint64_t number)
{
	static const signed char arguments[] = { -1, 2, 3, -1, 1, 0, -1, -1, 4, 5 };

	return number < sizeof(arguments) ? arguments[number] : -1;
}
#else
#define CFA_ABOVE	0

static int argument_of(uint64_t number)
{
	return number < 8 ? (int)number : -1;
}
#endif

/* What an argument was at the entry of the frame: any number, by the stack pointer there. */
static uint64_t machine_entry(const struct machine *m, uint64_t stack, unsigned int argument)
{
	return any_number(m->seed ^ stack * 31, 4096 + argument);
}

static void push_entry(struct machine *m, const Dwarf_Op *op)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	int argument;
	size_t nr;

	if (dwarf_getlocation_attr(m->attr, op, &attr) || dwarf_getlocation(&attr, &ops, &nr) ||
	    nr != 1 || ops->atom < DW_OP_reg0 || ops->atom > DW_OP_reg31) {
		m->unknown = true;
		return;
	}
	argument = argument_of(ops->atom - DW_OP_reg0);
	push_cfa(m);
	if (argument < 0)
		m->unknown = true;
	else
		push(m, machine_entry(m, pop(m).bits - CFA_ABOVE, (unsigned int)argument));
}

static void push_frame_base(struct machine *m, uint64_t offset)
{
	Dwarf_Die function = m->place->function;
	Dwarf_Attribute attr, *outer = m->attr;
	struct number base;
	Dwarf_Op *ops;
	size_t nr;

	if (!function.addr || !dwarf_attr_integrate(&function, DW_AT_frame_base, &attr) ||
	    dwarf_getlocation_addr(&attr, m->place->addr - m->place->bias, &ops, &nr, 1) != 1 ||
	    !nr) {
		m->unknown = true;
		return;
	}
	m->attr = &attr;
	if (ops->atom >= DW_OP_reg0 && ops->atom <= DW_OP_reg31)
		push_register(m, ops->atom - DW_OP_reg0, 0);
	else
		compute_within(m, ops, nr);
	m->attr = outer;
	base = pop(m);
	push(m, base.bits + offset);
}

/* Programs have static variables at a distance from the instruction; modules have not. */
static void push_address(struct machine *m, Dwarf_Addr addr)
{
	if (dwfl_module_relocations(m->mod) > 1)
		m->unknown = true;
	else
		push(m, machine_register(m, PLACE_OF_IP) +
		     (addr - (m->place->addr - m->place->bias)));
}

static struct number type_of(struct machine *m, const Dwarf_Op *op)
{
	struct number type = { 0 };
	Dwarf_Attribute attr;
	Dwarf_Word bytes, encoding;
	Dwarf_Die die;

	if ((op->atom == DW_OP_convert || op->atom == DW_OP_GNU_convert) && !op->number)
		return type;
	if (dwarf_getlocation_die(m->attr, op, &die) ||
	    dwarf_formudata(dwarf_attr(&die, DW_AT_byte_size, &attr), &bytes) ||
	    dwarf_formudata(dwarf_attr(&die, DW_AT_encoding, &attr), &encoding) || !bytes ||
	    bytes > 8 || bytes & (bytes - 1) || encoding == DW_ATE_float) {
		m->unknown = true;
		return type;
	}
	type.bytes = (unsigned int)bytes;
	type.is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	return type;
}

/* The numbers of the type of addresses have no sign, but are compared and divided with one. */
static uint64_t arithmetic(struct machine *m, uint8_t atom, struct number a, uint64_t y)
{
	bool is_signed = a.bytes ? a.is_signed : true;
	unsigned int width = a.bytes ? a.bytes * 8 : 64;
	uint64_t x = a.bits;

	switch (atom) {
	case DW_OP_plus:
		return x + y;
	case DW_OP_minus:
		return x - y;
	case DW_OP_mul:
		return x * y;
	case DW_OP_and:
		return x & y;
	case DW_OP_or:
		return x | y;
	case DW_OP_xor:
		return x ^ y;
	case DW_OP_shl:
	case DW_OP_shr:
	case DW_OP_shra:
		if (y >= width) {
			m->vague = true;
			return 0;
		}
		if (atom == DW_OP_shl)
			return x << y;
		if (atom == DW_OP_shr)
			return extend(x, a.bytes, false) >> y;
		return (uint64_t)((int64_t)extend(x, a.bytes, true) >> y);
	case DW_OP_div:
	case DW_OP_mod:
		if (!y || (y == ~0ULL && is_signed)) {
			m->vague = true;
			return 0;
		}
		if (atom == DW_OP_mod && !a.bytes)
			return x % y;
		if (is_signed)
			return (uint64_t)(atom == DW_OP_div ? (int64_t)x / (int64_t)y :
					  (int64_t)x % (int64_t)y);
		return atom == DW_OP_div ? x / y : x % y;
	default:
		m->unknown = true;
		return 0;
	}
}

static bool is_comparison(uint8_t atom)
{
	return atom >= DW_OP_eq && atom <= DW_OP_ne && atom != DW_OP_skip;
}

static uint64_t comparison(uint8_t atom, struct number a, struct number b)
{
	bool less = a.bytes && !a.is_signed ? a.bits < b.bits : (int64_t)a.bits < (int64_t)b.bits;
	bool equal = a.bits == b.bits;

	switch (atom) {
	case DW_OP_eq:
		return equal;
	case DW_OP_ne:
		return !equal;
	case DW_OP_lt:
		return less;
	case DW_OP_le:
		return less || equal;
	case DW_OP_gt:
		return !less && !equal;
	default:
		return !less;
	}
}

static void binary(struct machine *m, uint8_t atom)
{
	struct number b = pop(m), a = pop(m);

	if (is_comparison(atom)) {
		push(m, comparison(atom, a, b));
	} else {
		a.bits = arithmetic(m, atom, a, b.bits);
		push_typed(m, a);
	}
}

/* Operations that move entries of the stack; returns false for others. */
static bool rearrange(struct machine *m, const Dwarf_Op *op)
{
	struct number a, b, c;
	uint64_t from = 0;

	switch (op->atom) {
	case DW_OP_pick:
		from = op->number;
		/* fallthrough */
	case DW_OP_over:
		from += op->atom == DW_OP_over;
		/* fallthrough */
	case DW_OP_dup:
		if (from >= m->depth)
			m->unknown = true;
		else
			push_typed(m, m->stack[m->depth - 1 - from]);
		return true;
	case DW_OP_drop:
		pop(m);
		return true;
	case DW_OP_swap:
		b = pop(m);
		a = pop(m);
		push_typed(m, b);
		push_typed(m, a);
		return true;
	case DW_OP_rot:
		c = pop(m);
		b = pop(m);
		a = pop(m);
		push_typed(m, c);
		push_typed(m, a);
		push_typed(m, b);
		return true;
	}
	return false;
}

/* Operations that push a number of the file or the machine; returns false for others. */
static bool push_one(struct machine *m, const Dwarf_Op *op)
{
	Dwarf_Attribute attr;
	struct number n;
	Dwarf_Addr addr;

	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
		push(m, op->atom - DW_OP_lit0);
		return true;
	}
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		push_register(m, op->atom - DW_OP_breg0, op->number);
		return true;
	}
	if (op->atom >= DW_OP_const1u && op->atom <= DW_OP_consts) {
		push(m, op->number);
		return true;
	}
	switch (op->atom) {
	case DW_OP_bregx:
		push_register(m, op->number, op->number2);
		return true;
	case DW_OP_fbreg:
		push_frame_base(m, op->number);
		return true;
	case DW_OP_call_frame_cfa:
		push_cfa(m);
		return true;
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		push_entry(m, op);
		return true;
	case DW_OP_addr:
		push_address(m, op->number);
		return true;
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
	case DW_OP_constx:
		if (dwarf_getlocation_attr(m->attr, op, &attr) || dwarf_formaddr(&attr, &addr))
			m->unknown = true;
		else if (op->atom == DW_OP_constx)
			push(m, addr);
		else
			push_address(m, addr);
		return true;
	case DW_OP_regval_type:
	case DW_OP_GNU_regval_type:
		n = type_of(m, op);
		push_register(m, op->number, 0);
		n.bits = pop(m).bits;
		push_typed(m, n);
		return true;
	}
	return false;
}

static void compute_one(struct machine *m, const Dwarf_Op *op)
{
	struct number a, type;

	if (rearrange(m, op) || push_one(m, op))
		return;
	switch (op->atom) {
	case DW_OP_nop:
		break;
	case DW_OP_deref:
	case DW_OP_deref_size:
		a = pop(m);
		push(m, machine_memory(m, a.bits, op->atom == DW_OP_deref ? 8 :
				       (unsigned int)op->number));
		break;
	case DW_OP_plus_uconst:
		a = pop(m);
		a.bits += op->number;
		push_typed(m, a);
		break;
	case DW_OP_not:
	case DW_OP_neg:
		a = pop(m);
		a.bits = op->atom == DW_OP_not ? ~a.bits : -a.bits;
		push_typed(m, a);
		break;
	case DW_OP_convert:
	case DW_OP_GNU_convert:
		type = type_of(m, op);
		type.bits = pop(m).bits;
		push_typed(m, type);
		break;
	default:
		binary(m, op->atom);
	}
}

static void compute(struct machine *m, const Dwarf_Op *ops, size_t nr)
{
	size_t i;

	for (i = 0; i < nr && !m->unknown; i++) {
		if (ops[i].atom == DW_OP_stack_value) {
			m->value = true;
			m->unknown = i + 1 < nr;
			return;
		}
		compute_one(m, &ops[i]);
	}
}

/* A location that is a register or a number itself. */
static bool is_simple(struct machine *m, const Dwarf_Op *op)
{
	Dwarf_Block block;
	uint64_t bits = 0;

	m->value = true;
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) {
		push_register(m, op->atom - DW_OP_reg0, 0);
	} else if (op->atom == DW_OP_regx) {
		push_register(m, op->number, 0);
	} else if (op->atom == DW_OP_implicit_value) {
		if (dwarf_getlocation_implicit_value(m->attr, op, &block) || block.length > 8)
			m->unknown = true;
		else
			memcpy(&bits, block.data, block.length);
		push(m, bits);
	} else {
		m->value = false;
		return false;
	}
	return true;
}

/* The bytes of a form of a fixed size, by DWARF 5, 7.5.5; 0 for others. */
static unsigned int fixed_bytes(unsigned int form)
{
	return form == DW_FORM_data1 ? 1 : form == DW_FORM_data2 ? 2 : form == DW_FORM_data4 ? 4 :
	       form == DW_FORM_data8 ? 8 : 0;
}

/*
 * A constant value of a DIE. The bytes of the file are not extended here: they have no sign.
 * source_test compares the constants of a program with what it prints.
 */
static void push_constant(struct machine *m, Dwarf_Attribute *attr)
{
	unsigned int bytes = fixed_bytes(dwarf_whatform(attr));
	Dwarf_Sword number;
	Dwarf_Block block;
	uint64_t bits = 0;

	m->value = true;
	if (bytes)
		memcpy(&bits, attr->valp, bytes);
	else if (!dwarf_formsdata(attr, &number))
		bits = (uint64_t)number;
	else if (!dwarf_formblock(attr, &block) && block.length <= 8)
		memcpy(&bits, block.data, block.length);
	else
		m->unknown = true;
	push(m, bits);
}

/* Whether there is a location at all. */
static bool compute_variable(struct machine *m, const struct tap_dwarf_variable *variable)
{
	Dwarf_Die die = variable->die;
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	int found;
	size_t nr;

	if (dwarf_attr_integrate(&die, DW_AT_const_value, &attr)) {
		push_constant(m, &attr);
		return true;
	}
	if (!dwarf_attr_integrate(&die, DW_AT_location, &attr))
		return false;
	found = dwarf_getlocation_addr(&attr, m->place->addr - m->place->bias, &ops, &nr, 1);
	/* libdw does not know an operation of the list. */
	m->unknown = found < 0;
	if (found != 1 || !nr)
		return m->unknown;
	m->attr = &attr;
	if (nr > 1 || !is_simple(m, ops))
		compute(m, ops, nr);
	if (!m->depth)
		m->unknown = true;
	return true;
}

/* ------------------------------------------------------------------- that of libtap */

static uint64_t term_value(const struct machine *m, const struct tap_dwarf_term *t, uint64_t a,
			   uint64_t b)
{
	bool is_signed = t->size & TAP_OP_SIGNED;
	unsigned int bytes = t->size & 15;

	switch (t->code) {
	case TAP_OP_IMM:
		return t->value;
	case TAP_OP_REG:
		return extend(machine_register(m, (unsigned int)t->value), bytes, is_signed);
	case TAP_OP_LOAD:
		return extend(machine_memory(m, a, bytes), bytes, is_signed);
	case TAP_OP_MOVE:
		return extend(a, bytes, is_signed);
	case TAP_OP_CAPTURED:
		return machine_entry(m, a, (unsigned int)t->value);
	case TAP_OP_ADD:
		return a + b;
	case TAP_OP_SUB:
		return a - b;
	case TAP_OP_MUL:
		return a * b;
	case TAP_OP_DIV:
		if (!b || b == ~0ULL)
			return 0;
		return is_signed ? (uint64_t)((int64_t)a / (int64_t)b) : a / b;
	case TAP_OP_MOD:
		if (!b || b == ~0ULL)
			return 0;
		return is_signed ? (uint64_t)((int64_t)a % (int64_t)b) : a % b;
	case TAP_OP_AND:
		return a & b;
	case TAP_OP_OR:
		return a | b;
	case TAP_OP_XOR:
		return a ^ b;
	case TAP_OP_SHL:
		return a << (b & 63);
	case TAP_OP_SHR:
		return is_signed ? (uint64_t)((int64_t)a >> (b & 63)) : a >> (b & 63);
	case TAP_OP_JEQ:
		return a == b;
	case TAP_OP_JNE:
		return a != b;
	case TAP_OP_JLT:
		return is_signed ? (int64_t)a < (int64_t)b : a < b;
	case TAP_OP_JLE:
		return is_signed ? (int64_t)a <= (int64_t)b : a <= b;
	case TAP_OP_JGT:
		return is_signed ? (int64_t)a > (int64_t)b : a > b;
	case TAP_OP_JGE:
		return is_signed ? (int64_t)a >= (int64_t)b : a >= b;
	default:
		abort();
	}
}

static uint64_t location_value(const struct machine *m, const struct tap_dwarf_location *loc)
{
	uint64_t values[TAP_DWARF_MAX_TERMS];
	unsigned int i;

	for (i = 0; i < loc->nr; i++) {
		const struct tap_dwarf_term *t = &loc->terms[i];

		values[i] = term_value(m, t, t->a < i ? values[t->a] : 0,
				       t->b < i ? values[t->b] : 0);
	}
	return values[loc->nr - 1];
}

enum location_verdict location_compare(Dwfl_Module *mod, const struct tap_dwarf_place *place,
				       const struct tap_dwarf_variable *variable, char *text,
				       size_t size)
{
	struct tap_dwarf_location loc;
	uint64_t seed, want, got;
	char why[200];
	int ret = tap_dwarf_locate(mod, place, variable, &loc, why, sizeof(why));
	bool found;

	for (seed = 1; seed <= NR_SEEDS; seed++) {
		struct machine m = { .seed = seed, .mod = mod, .place = place };

		found = compute_variable(&m, variable);
		if (!found && ret == -ENODATA)
			return LOCATION_NONE;
		if (m.unknown && ret == -EOPNOTSUPP && *why)
			return LOCATION_REFUSED;
		if (ret) {
			snprintf(text, size, "%s+%llu %s: %d %s", place->symbol,
				 (unsigned long long)place->offset, variable->name, ret, why);
			return found && !m.unknown && ret == -EOPNOTSUPP && *why ?
			       LOCATION_TIMID : LOCATION_WRONG;
		}
		got = location_value(&m, &loc);
		want = m.depth ? m.stack[m.depth - 1].bits : 0;
		if (m.vague)
			continue;
		if (!found || m.unknown || loc.memory == m.value || got != want) {
			snprintf(text, size, "%s+%llu %s: %s 0x%llx, libtap has %s 0x%llx%s",
				 place->symbol, (unsigned long long)place->offset, variable->name,
				 m.value ? "value" : "address", (unsigned long long)want,
				 loc.memory ? "address" : "value", (unsigned long long)got,
				 m.unknown ? " of what the model does not know" : "");
			return LOCATION_WRONG;
		}
	}
	return LOCATION_SAME;
}

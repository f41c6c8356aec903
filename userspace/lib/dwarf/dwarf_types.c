// SPDX-License-Identifier: LGPL-2.1
/*
 * Converts types of DWARF into BTF in memory, so that all that is known of them comes from types/.
 *
 * A type is converted when it is needed. Behind a pointer, a struct is only declared, and is
 * converted when the pointer is followed: the types that a driver's struct reaches are most of
 * those of the kernel.
 *
 * The file is untrusted. A type is converted once, so the work is bounded by the length of the
 * file; a type that contains itself is malformed.
 */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>
#include <dwarf.h>

#include "dwarf/dwarf_internal.h"
#include "util/array.h"

/* Nesting of types: each takes stack. */
#define MAX_DEPTH	200
#define MAX_DIMENSIONS	16

/*
 * A type by the address of its DIE, which is unique. @lazy: a struct is only declared. @id is that
 * in the BTF, 0 for void, or -errno.
 */
struct node {
	const void *addr;
	bool lazy;
	bool busy;
	int id;
};

/* A struct that was declared. */
struct declared {
	__u32 id;
	Dwarf_Die die;
};

/*
 * @btf belongs to @view. @nodes is a tree of tsearch(3). @index is the type of indices of arrays, or 0.
 */
struct tap_dwarf_types {
	struct tap_dwarf *dwarf;
	struct btf *btf;
	struct tap_btf *view;
	void *nodes;
	struct declared *declared;
	size_t nr_declared;
	int index;
	int depth;
};

/* A member before it is added: all types must be complete before the first one is. */
struct member {
	const char *name;
	int id;
	__u32 bit;
	__u32 bits;
};

struct members {
	struct member *list;
	size_t nr;
};

static int type_id(struct tap_dwarf_types *x, Dwarf_Die *die, bool lazy);

/* The type that a DIE has; 0 if it has none, which is void. */
static int id_of(struct tap_dwarf_types *x, Dwarf_Die *die, bool lazy)
{
	Dwarf_Attribute attr;
	Dwarf_Die type;

	if (!dwarf_attr_integrate(die, DW_AT_type, &attr))
		return 0;
	return dwarf_formref_die(&attr, &type) ? type_id(x, &type, lazy) : -EBADMSG;
}

static bool number(Dwarf_Die *die, unsigned int name, Dwarf_Word *value)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, name, &attr) && !dwarf_formudata(&attr, value);
}

static const char *name_of(Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	return name ? name : "";
}

static int add_base(struct tap_dwarf_types *x, Dwarf_Die *die)
{
	const char *name = *name_of(die) ? name_of(die) : "int";
	Dwarf_Word encoding = 0, size = 0;
	int flags = 0, id;

	number(die, DW_AT_encoding, &encoding);
	number(die, DW_AT_byte_size, &size);
	switch (encoding) {
	case DW_ATE_float:
		id = btf__add_float(x->btf, name, size);
		return id < 0 ? -ENOTSUP : id;
	case DW_ATE_boolean:
		flags = BTF_INT_BOOL;
		break;
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		flags = BTF_INT_SIGNED;
		break;
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
		break;
	default:
		return -ENOTSUP;
	}
	id = btf__add_int(x->btf, name, size, flags);
	return id == -EINVAL ? -ENOTSUP : id;
}

/* ------------------------------------------------------------------- structs */

static bool is_composite(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
	       tag == DW_TAG_union_type;
}

static int declare(struct tap_dwarf_types *x, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die named = *die;
	int id;

	if (!TAP_GROW(x->declared, x->nr_declared))
		return -ENOMEM;
	/* The name of a declaration may be in a unit of types alone. */
	if (!*name_of(die) && dwarf_attr(die, DW_AT_signature, &attr))
		dwarf_formref_die(&attr, &named);
	id = btf__add_fwd(x->btf, name_of(&named), dwarf_tag(die) == DW_TAG_union_type ?
			  BTF_FWD_UNION : BTF_FWD_STRUCT);
	/* libbpf wants a name. */
	if (id == -EINVAL)
		id = btf__add_fwd(x->btf, "{...}", BTF_FWD_STRUCT);
	if (id > 0)
		x->declared[x->nr_declared++] = (struct declared) { id, *die };
	return id;
}

/* The byte of a member in its struct; false if it is not constant, as in a virtual base class. */
static bool byte_of(Dwarf_Die *die, Dwarf_Word *byte)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t nr;

	*byte = 0;
	if (!dwarf_attr(die, DW_AT_data_member_location, &attr) ||
	    !dwarf_formudata(&attr, byte))
		return true;
	if (dwarf_getlocation(&attr, &ops, &nr) || nr != 1 || ops->atom != DW_OP_plus_uconst)
		return false;
	*byte = ops->number;
	return true;
}

/* Bytes of the number that a bit-field of DWARF 2 to 4 is a part of. */
static bool storage_of(Dwarf_Die *die, Dwarf_Word *size)
{
	Dwarf_Attribute attr;
	Dwarf_Die type;

	if (number(die, DW_AT_byte_size, size))
		return true;
	return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, &type) &&
	       !dwarf_aggregate_size(&type, size);
}

static bool bits_of(Dwarf_Die *die, struct member *m)
{
	Dwarf_Word byte, bit, bits = 0, size, before;

	if (!byte_of(die, &byte))
		return false;
	if (byte >= UINT32_MAX / 8)
		return false;
	bit = 8 * byte;
	number(die, DW_AT_bit_size, &bits);
	if (number(die, DW_AT_data_bit_offset, &before)) {
		bit += before;
	} else if (bits && number(die, DW_AT_bit_offset, &before)) {
		/* It counts from the highest bit of the number. */
		if (!storage_of(die, &size) || size > 16)
			return false;
		bit += 8 * size - bits - before;
	}
	if (bits > 255 || bit > UINT32_MAX)
		return false;
	m->bit = bit;
	m->bits = bits;
	return true;
}

static int append(struct members *all, const struct member *m)
{
	if (!TAP_GROW(all->list, all->nr))
		return -ENOMEM;
	all->list[all->nr++] = *m;
	return 0;
}

/*
 * The members of a base class are those of an anonymous one. A member whose type or place BTF
 * cannot express is left out, so nothing can be read from a wrong place.
 */
static int read_members(struct tap_dwarf_types *x, Dwarf_Die *die, struct members *all)
{
	struct member m;
	Dwarf_Die child;
	int tag, ret = 0;

	if (dwarf_child(die, &child))
		return 0;
	do {
		tag = dwarf_tag(&child);
		/* A static member is no part of the struct. */
		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    dwarf_hasattr(&child, DW_AT_declaration))
			continue;
		m = (struct member) { .name = tag == DW_TAG_member ? name_of(&child) : "" };
		if (!bits_of(&child, &m))
			continue;
		m.id = id_of(x, &child, false);
		if (m.id == -ENOTSUP || !m.id)
			continue;
		ret = m.id < 0 ? m.id : append(all, &m);
	} while (!ret && !dwarf_siblingof(&child, &child));
	return ret;
}

static int add_members(struct tap_dwarf_types *x, Dwarf_Die *die, Dwarf_Word size,
		       const struct members *all)
{
	int id, ret = 0;
	size_t i;

	id = dwarf_tag(die) == DW_TAG_union_type ? btf__add_union(x->btf, name_of(die), size) :
	     btf__add_struct(x->btf, name_of(die), size);
	for (i = 0; id > 0 && i < all->nr && !ret; i++)
		ret = btf__add_field(x->btf, all->list[i].name, all->list[i].id,
				     all->list[i].bit, all->list[i].bits);
	return ret == -ENOMEM ? ret : ret ? -EBADMSG : id;
}

static int add_struct(struct tap_dwarf_types *x, Dwarf_Die *die)
{
	struct members all = { 0 };
	Dwarf_Attribute attr;
	Dwarf_Die other;
	Dwarf_Word size;
	int ret;

	/* The definition is in a unit of types, or in another unit. */
	if (dwarf_attr(die, DW_AT_signature, &attr) && dwarf_formref_die(&attr, &other))
		return type_id(x, &other, false);
	if (dwarf_hasattr(die, DW_AT_declaration)) {
		if (*name_of(die) &&
		    tap_dwarf_definition(x->dwarf, name_of(die), strlen(name_of(die)),
					 is_composite, &other))
			return type_id(x, &other, false);
		return declare(x, die);
	}
	if (!number(die, DW_AT_byte_size, &size) || size > UINT32_MAX)
		return declare(x, die);
	ret = read_members(x, die, &all);
	if (!ret)
		ret = add_members(x, die, size, &all);
	free(all.list);
	return ret;
}

/* The id of the definition of a struct that was declared; 0: there is none. */
static __u32 complete(void *arg, __u32 id)
{
	struct tap_dwarf_types *x = arg;
	size_t i;
	int ret;

	for (i = 0; i < x->nr_declared; i++) {
		if (x->declared[i].id != id)
			continue;
		Dwarf_Die die = x->declared[i].die;

		ret = type_id(x, &die, false);
		return ret > 0 ? ret : 0;
	}
	return 0;
}

/* -------------------------------------------------------------- other types */

/**
 * tap_dwarf_constant() - read a number that is the value of an attribute
 * @attr: DW_AT_const_value
 * @value: set
 * @is_signed: set: the form is one of signed numbers
 *
 * gcc writes 250 in one byte, so the forms of 1, 2 and 4 bytes have no sign. Compilers write a number
 * below 0 in a signed form.
 *
 * Return: whether it is a number.
 */
bool tap_dwarf_constant(Dwarf_Attribute *attr, __s64 *value, bool *is_signed)
{
	unsigned int form = dwarf_whatform(attr);
	Dwarf_Sword with;
	Dwarf_Word without;

	*is_signed = form == DW_FORM_sdata || form == DW_FORM_implicit_const;
	if (*is_signed ? dwarf_formsdata(attr, &with) : dwarf_formudata(attr, &without))
		return false;
	*value = *is_signed ? with : (__s64)without;
	return true;
}

static bool enumerator(Dwarf_Die *die, __s64 *value, bool *wide)
{
	Dwarf_Attribute attr;
	bool is_signed;

	if (dwarf_tag(die) != DW_TAG_enumerator ||
	    !dwarf_attr(die, DW_AT_const_value, &attr) ||
	    !tap_dwarf_constant(&attr, value, &is_signed))
		return false;
	*wide = *value != (__s64)(__u32)*value && !(is_signed && *value == (__s32)*value);
	return true;
}

/* Whether a value needs 64 bits, and whether one is below 0. */
static void range_of(Dwarf_Die *first, bool *any_wide, bool *below)
{
	Dwarf_Die die = *first;
	bool wide;
	__s64 value;

	*any_wide = *below = false;
	do {
		if (!enumerator(&die, &value, &wide))
			continue;
		*any_wide |= wide;
		*below |= value < 0;
	} while (!dwarf_siblingof(&die, &die));
}

static bool is_enum(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_enumeration_type;
}

static int add_enum(struct tap_dwarf_types *x, Dwarf_Die *die)
{
	Dwarf_Word size = sizeof(int);
	bool wide, below, w;
	Dwarf_Die child, other;
	__s64 value;
	int id, ret;

	if (dwarf_hasattr(die, DW_AT_declaration) &&
	    tap_dwarf_definition(x->dwarf, name_of(die), strlen(name_of(die)), is_enum, &other))
		return type_id(x, &other, false);
	/* One that is only declared has none: its values are not used there. */
	number(die, DW_AT_byte_size, &size);
	if (dwarf_child(die, &child)) {
		id = btf__add_enum(x->btf, name_of(die), size);
		return id == -EINVAL ? -ENOTSUP : id;
	}
	range_of(&child, &wide, &below);
	wide |= size == 8;
	id = wide ? btf__add_enum64(x->btf, name_of(die), size, below) :
	     btf__add_enum(x->btf, name_of(die), size);
	if (id < 0)
		return id == -EINVAL ? -ENOTSUP : id;
	do {
		if (!enumerator(&child, &value, &w))
			continue;
		ret = wide ? btf__add_enum64_value(x->btf, name_of(&child), value) :
		      btf__add_enum_value(x->btf, name_of(&child), value);
		if (ret)
			return ret == -ENOMEM ? ret : -EBADMSG;
	} while (!dwarf_siblingof(&child, &child));
	return id;
}

/* The number of elements of a dimension; 0 if it is open, or known at run time alone. */
static __u32 elements(Dwarf_Die *die)
{
	Dwarf_Word nr;

	if (number(die, DW_AT_count, &nr))
		return nr <= UINT32_MAX ? nr : 0;
	if (number(die, DW_AT_upper_bound, &nr))
		return nr < UINT32_MAX ? nr + 1 : 0;
	return 0;
}

static int add_array(struct tap_dwarf_types *x, Dwarf_Die *die)
{
	__u32 dimensions[MAX_DIMENSIONS];
	int id = id_of(x, die, false);
	Dwarf_Die child;
	size_t nr = 0;

	if (id <= 0)
		return id ? id : -ENOTSUP;
	if (!x->index)
		x->index = btf__add_int(x->btf, "int", 4, BTF_INT_SIGNED);
	if (x->index < 0)
		return -ENOMEM;
	if (!dwarf_child(die, &child))
		do {
			if (dwarf_tag(&child) != DW_TAG_subrange_type)
				continue;
			if (nr == MAX_DIMENSIONS)
				return -ENOTSUP;
			dimensions[nr++] = elements(&child);
		} while (!dwarf_siblingof(&child, &child));
	if (!nr)
		dimensions[nr++] = 0;
	while (nr && id > 0)
		id = btf__add_array(x->btf, x->index, id, dimensions[--nr]);
	return id;
}

static int add_prototype(struct tap_dwarf_types *x, Dwarf_Die *die)
{
	struct members all = { 0 };
	struct member m = { 0 };
	int id = id_of(x, die, true), ret = 0, tag;
	Dwarf_Die child;
	size_t i;

	m.id = id;
	if (id < 0 || dwarf_child(die, &child))
		return id < 0 ? id : btf__add_func_proto(x->btf, id);
	do {
		tag = dwarf_tag(&child);
		if (tag == DW_TAG_formal_parameter)
			m.id = id_of(x, &child, true);
		else if (tag == DW_TAG_unspecified_parameters)
			m.id = 0;
		else
			continue;
		ret = m.id < 0 ? m.id : append(&all, &m);
	} while (!ret && !dwarf_siblingof(&child, &child));
	if (!ret)
		ret = id = btf__add_func_proto(x->btf, id);
	for (i = 0; ret >= 0 && i < all.nr; i++)
		ret = btf__add_func_param(x->btf, "", all.list[i].id);
	free(all.list);
	return ret < 0 ? ret : id;
}

/* Types that are another one with a name, a qualifier or a star. */
static int add_around(struct tap_dwarf_types *x, Dwarf_Die *die, bool lazy)
{
	int tag = dwarf_tag(die), id;

	id = id_of(x, die, lazy || (tag != DW_TAG_typedef && tag != DW_TAG_const_type &&
				    tag != DW_TAG_volatile_type && tag != DW_TAG_restrict_type &&
				    tag != DW_TAG_atomic_type));
	/* What a pointer leads to need not be known. */
	if (id == -ENOTSUP && tag != DW_TAG_typedef)
		id = tag == DW_TAG_pointer_type ? 0 : id;
	if (id < 0)
		return id;
	switch (tag) {
	case DW_TAG_typedef:
		return btf__add_typedef(x->btf, *name_of(die) ? name_of(die) : "{...}", id);
	case DW_TAG_const_type:
		return btf__add_const(x->btf, id);
	case DW_TAG_volatile_type:
		return btf__add_volatile(x->btf, id);
	case DW_TAG_restrict_type:
		return btf__add_restrict(x->btf, id);
	case DW_TAG_atomic_type:
		return id;
	}
	/* A reference of C++ is a pointer: its members are those behind ->. */
	return btf__add_ptr(x->btf, id);
}

static int convert(struct tap_dwarf_types *x, Dwarf_Die *die, bool lazy)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_base_type:
		return add_base(x, die);
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		return lazy ? declare(x, die) : add_struct(x, die);
	case DW_TAG_enumeration_type:
		return add_enum(x, die);
	case DW_TAG_array_type:
		return add_array(x, die);
	case DW_TAG_subroutine_type:
		return add_prototype(x, die);
	case DW_TAG_typedef:
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return add_around(x, die, lazy);
	case DW_TAG_unspecified_type:
		return 0;
	}
	return -ENOTSUP;
}

static int compare(const void *pa, const void *pb)
{
	const struct node *a = pa, *b = pb;

	if (a->addr != b->addr)
		return (a->addr > b->addr) - (a->addr < b->addr);
	return a->lazy - b->lazy;
}

/*
 * The id of a type, 0 for void, or -errno: -ENOTSUP for a type that BTF cannot express; -EBADMSG if
 * it contains itself.
 */
static int type_id(struct tap_dwarf_types *x, Dwarf_Die *die, bool lazy)
{
	struct node *node = calloc(1, sizeof(*node)), **found;

	if (!node)
		return -ENOMEM;
	*node = (struct node) { .addr = die->addr, .lazy = lazy, .busy = true };
	found = tsearch(node, &x->nodes, compare);
	if (!found || *found != node) {
		free(node);
		return !found ? -ENOMEM : (*found)->busy ? -EBADMSG : (*found)->id;
	}
	node->id = x->depth == MAX_DEPTH ? -EBADMSG : 0;
	if (!node->id) {
		x->depth++;
		node->id = convert(x, die, lazy);
		x->depth--;
	}
	node->busy = false;
	return node->id;
}

void tap_dwarf_types_free(struct tap_dwarf_types *types)
{
	if (!types)
		return;
	tdestroy(types->nodes, free);
	free(types->declared);
	if (types->view)
		tap_btf_close(types->view);
	else
		btf__free(types->btf);
	free(types);
}

static struct tap_dwarf_types *types_of(struct tap_dwarf *dwarf)
{
	struct tap_dwarf_types *x = dwarf->types;

	if (x)
		return x;
	x = calloc(1, sizeof(*x));
	if (!x)
		return NULL;
	x->dwarf = dwarf;
	x->btf = btf__new_empty();
	if (x->btf)
		x->view = tap_btf_grow(x->btf, dwarf->elf, complete, x);
	if (!x->view) {
		tap_dwarf_types_free(x);
		return NULL;
	}
	dwarf->types = x;
	return x;
}

static int make(struct tap_dwarf_types *x, int id, struct tap_type *type)
{
	/* Only its place among others counts. */
	if (id == -ENOTSUP) {
		*type = (struct tap_type) { .cls = TAP_TYPE_OTHER };
		return 0;
	}
	return id < 0 ? id : tap_type_make(x->view, id, type);
}

/**
 * tap_dwarf_type() - convert a type
 * @dwarf: the file
 * @die: the type
 * @type: set; valid until the file is closed. %TAP_TYPE_OTHER without BTF if BTF cannot express it
 *
 * Return: 0; -EBADMSG if it is malformed; -ENOMEM.
 */
int tap_dwarf_type(struct tap_dwarf *dwarf, Dwarf_Die *die, struct tap_type *type)
{
	struct tap_dwarf_types *x = types_of(dwarf);

	return x ? make(x, type_id(x, die, false), type) : -ENOMEM;
}

/**
 * tap_dwarf_type_of() - convert the type of a variable, a parameter or a function's return value
 * @dwarf: the file
 * @die: what has the type; without one, it is void
 * @type: as for tap_dwarf_type()
 *
 * Return: as tap_dwarf_type().
 */
int tap_dwarf_type_of(struct tap_dwarf *dwarf, Dwarf_Die *die, struct tap_type *type)
{
	struct tap_dwarf_types *x = types_of(dwarf);

	return x ? make(x, id_of(x, die, false), type) : -ENOMEM;
}

static bool is_typedef(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_typedef;
}

/**
 * tap_dwarf_struct() - look up a struct, union or class
 * @dwarf: the file
 * @name: its tag, or the name of a typedef of one
 * @len: length of @name
 * @type: set
 *
 * Return: 0; -ENOENT if there is none; -EBADMSG; -ENOMEM.
 */
int tap_dwarf_struct(struct tap_dwarf *dwarf, const char *name, size_t len, struct tap_type *type)
{
	Dwarf_Die die;
	int ret;

	if (!tap_dwarf_definition(dwarf, name, len, is_composite, &die) &&
	    !tap_dwarf_definition(dwarf, name, len, is_typedef, &die))
		return -ENOENT;
	ret = tap_dwarf_type(dwarf, &die, type);
	return ret ? ret : type->cls == TAP_TYPE_STRUCT ? 0 : -ENOENT;
}

struct constant {
	const char *name;
	size_t len;
	__s64 value;
	unsigned int nr;
};

static int find_enumerator(Dwarf_Die *die, Dwarf_Addr bias, void *arg)
{
	struct constant *c = arg;
	Dwarf_Die child;
	__s64 value;
	bool wide;

	(void)bias;
	if (!is_enum(die) || dwarf_child(die, &child))
		return 0;
	do {
		const char *name = name_of(&child);

		if (strncmp(name, c->name, c->len) || name[c->len] ||
		    !enumerator(&child, &value, &wide))
			continue;
		if (c->nr && value != c->value)
			return -ENOTUNIQ;
		c->value = value;
		c->nr++;
	} while (!dwarf_siblingof(&child, &child));
	return 0;
}

/**
 * tap_dwarf_enumerator() - look up an enumerator of any enum
 * @dwarf: the file
 * @name: not terminated
 * @len: length of @name
 * @value: set
 *
 * Return: 0; -ENOENT if there is none; -ENOTUNIQ if it has several values, in several enums.
 */
int tap_dwarf_enumerator(struct tap_dwarf *dwarf, const char *name, size_t len, __s64 *value)
{
	struct constant c = { name, len, 0, 0 };
	int ret = tap_dwarf_each(dwarf, find_enumerator, &c);

	*value = c.value;
	return ret ? ret : c.nr ? 0 : -ENOENT;
}

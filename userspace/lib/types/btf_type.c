// SPDX-License-Identifier: LGPL-2.1
/*
 * Parts of a type, from BTF.
 *
 * The kernel's BTF is treated as untrusted: ids may be invalid or cyclic, members may
 * be outside of their struct. All loops over ids are bounded; malformed BTF gives
 * -EBADMSG.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>

#include "util/value_names.h"
#include "util/suggest.h"
#include "types/btf.h"

/* Upper bound of typedefs and qualifiers around one type. */
#define MAX_CHAIN	64
/* Nesting of arrays, and of anonymous structs. */
#define MAX_DEPTH	16
/* Upper bound of members that one search visits. The largest struct has some thousands. */
#define MAX_MEMBERS	65536

/* Removes typedefs and qualifiers. void is @id 0 with @t NULL. */
static int strip(const struct tap_btf *btf, __u32 *id, const struct btf_type **t)
{
	int n;

	for (n = 0; n < MAX_CHAIN; n++) {
		*t = NULL;
		if (!*id)
			return 0;
		*t = tap_btf_type(btf, *id);
		if (!*t)
			return -EBADMSG;
		if (!btf_is_mod(*t) && !btf_is_typedef(*t))
			return 0;
		*id = (*t)->type;
	}
	return -EBADMSG;
}

/* Whether a pointer is tagged __user. */
static bool leads_to_user(const struct tap_btf *btf, const struct btf_type *pointer)
{
	const struct btf_type *t = pointer;
	int n;

	for (n = 0; n < MAX_CHAIN; n++) {
		t = tap_btf_type(btf, t->type);
		if (!t || !btf_is_mod(t))
			return false;
		if (btf_is_type_tag(t) &&
		    !strcmp(tap_btf_name(btf, t->name_off), "user"))
			return true;
	}
	return false;
}

static bool is_word(__u32 size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static void make_int(const struct tap_btf *btf, const struct btf_type *t,
		     struct tap_type *type)
{
	__u8 encoding = btf_int_encoding(t);

	type->size = t->size;
	type->is_signed = encoding & BTF_INT_SIGNED;
	if (!is_word(t->size))
		type->cls = TAP_TYPE_OTHER;
	else if (encoding & BTF_INT_BOOL)
		type->cls = TAP_TYPE_BOOL;
	else if (t->size == 1 && (encoding & BTF_INT_CHAR ||
				  !strcmp(tap_btf_name(btf, t->name_off), "char")))
		type->cls = TAP_TYPE_CHAR;
	else
		type->cls = TAP_TYPE_INT;
}

static int make_array(const struct tap_btf *btf, const struct btf_type *t,
		      struct tap_type *type, int depth);

static int make(const struct tap_btf *btf, __u32 id, struct tap_type *type,
		int depth)
{
	const struct btf_type *t;
	int ret;

	*type = (struct tap_type) { .btf = btf, .id = id };
	ret = strip(btf, &id, &t);
	if (ret || !t)
		return ret;
	switch (btf_kind(t)) {
	case BTF_KIND_INT:
		make_int(btf, t, type);
		return 0;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		type->cls = is_word(t->size) ? TAP_TYPE_ENUM : TAP_TYPE_OTHER;
		type->size = t->size;
		type->is_signed = btf_kflag(t);
		return 0;
	case BTF_KIND_PTR:
		type->cls = TAP_TYPE_POINTER;
		type->size = sizeof(void *);
		type->user = tap_btf_is_user(btf) || leads_to_user(btf, t);
		return 0;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		type->cls = TAP_TYPE_STRUCT;
		type->size = t->size;
		return 0;
	case BTF_KIND_FWD:
		type->cls = TAP_TYPE_STRUCT;
		return 0;
	case BTF_KIND_ARRAY:
		return make_array(btf, t, type, depth);
	case BTF_KIND_FLOAT:
		type->size = t->size;
		type->cls = TAP_TYPE_OTHER;
		return 0;
	case BTF_KIND_FUNC_PROTO:
		type->cls = TAP_TYPE_OTHER;
		return 0;
	}
	/* Other kinds are not the type of a value. */
	return -EBADMSG;
}

static int make_array(const struct tap_btf *btf, const struct btf_type *t,
		      struct tap_type *type, int depth)
{
	struct tap_type element;
	__u64 size;
	int ret;

	if (depth == MAX_DEPTH)
		return -EBADMSG;
	ret = make(btf, btf_array(t)->type, &element, depth + 1);
	if (ret)
		return ret;
	size = (__u64)element.size * btf_array(t)->nelems;
	if (size > UINT32_MAX)
		return -EBADMSG;
	type->cls = TAP_TYPE_ARRAY;
	type->nr = btf_array(t)->nelems;
	type->size = size;
	return 0;
}

/*
 * Makes a type from BTF, which must outlive it. @id 0 is void. Returns 0, or -EBADMSG
 * if the BTF is malformed.
 */
int tap_type_make(const struct tap_btf *btf, __u32 id, struct tap_type *type)
{
	return make(btf, id, type, 0);
}

/* Whether it is a floating-point number, which is in no register of an argument. */
bool tap_type_is_float(const struct tap_type *type)
{
	const struct btf_type *t;
	__u32 id = type->id;

	return type->cls == TAP_TYPE_OTHER && type->btf && !strip(type->btf, &id, &t) && t &&
	       btf_is_float(t);
}

static bool is_struct(const struct btf_type *t)
{
	return btf_is_struct(t);
}

static bool is_union(const struct btf_type *t)
{
	return btf_is_union(t);
}

/* Replaces a forward declaration by the type it declares, if the BTF has it. */
static void complete(struct tap_type *type)
{
	const struct btf_type *t;
	__u32 id = type->id;
	const char *name;
	__u32 found;

	if (strip(type->btf, &id, &t) || !t || !btf_is_fwd(t))
		return;
	if (tap_btf_is_grown(type->btf)) {
		found = tap_btf_complete(type->btf, id);
		if (found)
			make(type->btf, found, type, 0);
		return;
	}
	name = tap_btf_name(type->btf, t->name_off);
	found = *name ? tap_btf_find_all(type->btf, name, btf_kflag(t) ? is_union : is_struct) : 0;
	if (found)
		make(type->btf, found, type, 0);
}

/**
 * tap_type_target() - return the type of a pointer's target or of an array's elements
 * @type: a pointer or an array
 * @target: filled in; %TAP_TYPE_NONE for void, or if it is unknown
 *
 * Return: 0; -EINVAL for any other type; -EBADMSG if the BTF is malformed.
 */
int tap_type_target(const struct tap_type *type, struct tap_type *target)
{
	const struct btf_type *t;
	__u32 id = type->id;
	int ret;

	*target = (struct tap_type) { 0 };
	if (type->cls != TAP_TYPE_POINTER && type->cls != TAP_TYPE_ARRAY)
		return -EINVAL;
	if (!type->btf) {
		target->cls = type->id;
		if (type->cls == TAP_TYPE_POINTER) {
			target->size = type->id == TAP_TYPE_CHAR;
			return 0;
		}
		/* Without a number of elements, the size is that of one element. */
		target->size = type->nr ? type->size / type->nr : type->size;
		target->is_signed = type->is_signed;
		return 0;
	}
	ret = strip(type->btf, &id, &t);
	if (ret || !t)
		return -EBADMSG;
	ret = make(type->btf, btf_is_array(t) ? btf_array(t)->type : t->type,
		   target, 0);
	if (!ret && target->cls == TAP_TYPE_STRUCT)
		complete(target);
	return ret;
}

/*
 * A walk over the members of a struct. @size of the outermost struct is in bits. At
 * most @left more members are visited. @fn is called for each named member; a result
 * other than 0 ends the walk. @fn may add types to grown BTF, which moves all of them
 * and their names: neither @t nor @name is valid from then on.
 */
struct search {
	const struct tap_btf *btf;
	__u64 size;
	unsigned int left;
	int (*fn)(struct search *s, const char *name, __u64 bit,
		  const struct btf_type *t, unsigned int i);
	void *arg;
};

/* @struct_id: of a struct or union without typedefs and qualifiers */
static int each_member(struct search *s, __u32 struct_id, __u64 bit, int depth)
{
	const struct btf_type *t = tap_btf_type(s->btf, struct_id), *inner;
	unsigned int i, nr = btf_vlen(t);
	const char *name;
	__u32 id;
	__u64 at;
	int ret;

	if (depth == MAX_DEPTH)
		return -EBADMSG;
	for (i = 0; i < nr; i++) {
		if (!s->left--) {
			s->left = 0;
			return -EBADMSG;
		}
		/* s->fn() may have moved the types. */
		t = tap_btf_type(s->btf, struct_id);
		name = tap_btf_name(s->btf, btf_members(t)[i].name_off);
		at = bit + btf_member_bit_offset(t, i);
		if (*name) {
			ret = s->fn(s, name, at, t, i);
		} else {
			id = btf_members(t)[i].type;
			ret = strip(s->btf, &id, &inner);
			/* An anonymous bitfield is padding. */
			if (!ret && inner && btf_is_composite(inner))
				ret = each_member(s, id, at, depth + 1);
		}
		if (ret)
			return ret;
	}
	return 0;
}

static int search(const struct tap_type *type, struct search *s)
{
	const struct btf_type *t;
	__u32 id = type->id;
	int ret;

	if (type->cls != TAP_TYPE_STRUCT || !type->btf)
		return 0;
	ret = strip(type->btf, &id, &t);
	if (ret || !t || !btf_is_composite(t))
		return ret;
	s->btf = type->btf;
	s->size = 8 * (__u64)t->size;
	s->left = MAX_MEMBERS;
	return each_member(s, id, 0, 0);
}

/* Describes member @i of @t, which begins at @bit. Returns 0 or -EBADMSG. */
static int make_member(const struct search *s, __u64 bit, const struct btf_type *t,
		       unsigned int i, struct tap_member *member)
{
	__u32 id = btf_members(t)[i].type;
	const struct btf_type *inner;
	__u64 bits;
	int ret;

	ret = tap_type_make(s->btf, id, &member->type);
	if (ret)
		return ret;
	member->bits = btf_member_bitfield_size(t, i);
	/* Old BTF has the width of a bitfield in an integer type of its own. */
	if (!member->bits && !strip(s->btf, &id, &inner) && inner &&
	    btf_is_int(inner) &&
	    (btf_int_offset(inner) ||
	     btf_int_bits(inner) != 8 * member->type.size)) {
		bit += btf_int_offset(inner);
		member->bits = btf_int_bits(inner);
	}
	bits = member->bits ? member->bits : 8 * (__u64)member->type.size;
	if (bit + bits > s->size || bit > UINT32_MAX ||
	    (member->bits ? member->bits > 64 : bit % 8))
		return -EBADMSG;
	member->bit = bit;
	return 0;
}

struct wanted {
	const char *name;
	size_t len;
	struct tap_member *member;
};

/* Returns 1 if this is the wanted member. */
static int take_member(struct search *s, const char *name, __u64 bit,
		       const struct btf_type *t, unsigned int i)
{
	const struct wanted *want = s->arg;

	if (strncmp(name, want->name, want->len) || name[want->len])
		return 0;
	return make_member(s, bit, t, i, want->member) ?: 1;
}

/**
 * tap_type_member() - find a member of a struct or union
 * @type: the struct; members of its anonymous structs and unions are included
 * @name: not terminated
 * @len: length of @name
 * @member: filled in
 *
 * Return: 0; -ENOENT if there is none; -EBADMSG if the BTF is malformed.
 */
int tap_type_member(const struct tap_type *type, const char *name, size_t len,
		    struct tap_member *member)
{
	struct wanted want = { name, len, member };
	struct search s = { .fn = take_member, .arg = &want };
	int ret;

	if (!len)
		return -ENOENT;
	ret = search(type, &s);
	if (ret < 0)
		return ret;
	return ret ? 0 : -ENOENT;
}

struct each {
	int (*fn)(void *arg, const char *name, const struct tap_member *member);
	void *arg;
};

static int pass_member(struct search *s, const char *name, __u64 bit,
		       const struct btf_type *t, unsigned int i)
{
	const struct each *each = s->arg;
	struct tap_member member;
	int ret = make_member(s, bit, t, i, &member);
	char *copy;

	if (ret)
		return ret;
	/* each->fn() may follow a pointer, which may add types, and still use the name. */
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	ret = each->fn(each->arg, copy, &member);
	free(copy);
	return ret;
}

/**
 * tap_type_members() - call a function for each member of a struct or union
 * @type: the struct; members of its anonymous structs and unions are included
 * @fn: gets the name, which is valid until it returns, and the member; it may follow
 *	pointers; a result other than 0 ends the walk
 * @arg: for @fn
 *
 * Return: 0; the result of @fn; -EBADMSG if the BTF is malformed; -ENOMEM.
 */
int tap_type_members(const struct tap_type *type,
		     int (*fn)(void *arg, const char *name, const struct tap_member *member),
		     void *arg)
{
	struct each each = { fn, arg };
	struct search s = { .fn = pass_member, .arg = &each };

	return search(type, &s);
}

static int offer_member(struct search *s, const char *name, __u64 bit,
			const struct btf_type *t, unsigned int i)
{
	(void)bit;
	(void)t;
	(void)i;
	tap_suggest_offer(s->arg, name, strlen(name));
	return 0;
}

/**
 * tap_type_suggest() - offer the names of all members as suggestions
 * @type: a struct or union; other types have no members
 * @s: gets the names
 */
void tap_type_suggest(const struct tap_type *type, struct tap_suggest *s)
{
	struct search members = { .fn = offer_member, .arg = s };

	search(type, &members);
}

static const struct btf_type *enum_of(const struct tap_type *type)
{
	const struct btf_type *t;
	__u32 id = type->id;

	if (type->cls != TAP_TYPE_ENUM || !type->btf ||
	    strip(type->btf, &id, &t))
		return NULL;
	return t && btf_is_any_enum(t) ? t : NULL;
}

/*
 * The name of enumerator @i, or "". @value is set; unsigned 64-bit values are returned
 * as signed.
 */
const char *tap_btf_enumerator(const struct tap_btf *btf, const struct btf_type *t,
			       unsigned int i, __s64 *value)
{
	if (btf_is_enum64(t)) {
		*value = btf_enum64_value(&btf_enum64(t)[i]);
		return tap_btf_name(btf, btf_enum64(t)[i].name_off);
	}
	*value = btf_kflag(t) ? btf_enum(t)[i].val :
				(__s64)(__u32)btf_enum(t)[i].val;
	return tap_btf_name(btf, btf_enum(t)[i].name_off);
}

/**
 * tap_type_enumerator() - look up an enumerator of an enum
 * @type: the enum
 * @name: not terminated
 * @len: length of @name
 * @value: set; unsigned 64-bit values are returned as signed
 *
 * Return: 0, or -ENOENT if there is none.
 */
int tap_type_enumerator(const struct tap_type *type, const char *name,
			size_t len, __s64 *value)
{
	const struct btf_type *t = enum_of(type);
	unsigned int i;
	const char *is;
	__s64 v;

	for (i = 0; t && len && i < btf_vlen(t); i++) {
		is = tap_btf_enumerator(type->btf, t, i, &v);
		if (!strncmp(is, name, len) && !is[len]) {
			*value = v;
			return 0;
		}
	}
	return -ENOENT;
}

/**
 * tap_type_value_names() - return the enumerators of an enum as value names
 * @type: a type
 *
 * Return: a reference for tap_value_names_put(); NULL if @type is not an enum, has no
 * enumerators, or if out of memory.
 */
struct tap_value_names *tap_type_value_names(const struct tap_type *type)
{
	const struct btf_type *t = enum_of(type);
	struct tap_value_names *value_names;
	const char *name;
	unsigned int i;
	__s64 value;

	if (!t || !btf_vlen(t))
		return NULL;
	value_names = tap_value_names_new();
	if (!value_names)
		return NULL;
	for (i = 0; i < btf_vlen(t); i++) {
		name = tap_btf_enumerator(type->btf, t, i, &value);
		if (tap_value_names_add(value_names, value, name, strlen(name))) {
			tap_value_names_put(value_names);
			return NULL;
		}
	}
	return value_names;
}

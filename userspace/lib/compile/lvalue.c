// SPDX-License-Identifier: LGPL-2.1
/*
 * Places of values, and how they are read.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "compile/lvalue.h"
#include "compile/sema.h"
#include "util/suggest.h"
#include "util/util.h"

struct tap_ctype tap_ctype_int(unsigned int bytes, bool is_signed)
{
	return (struct tap_ctype) { .base = {
		.cls = TAP_TYPE_INT, .size = bytes, .is_signed = is_signed,
	} };
}

struct tap_ctype tap_ctype_bool(void)
{
	return (struct tap_ctype) { .base = {
		.cls = TAP_TYPE_BOOL, .size = 1,
	} };
}

/* Bytes of a type; 0 if unknown. */
__u32 tap_ctype_size(const struct tap_ctype *type)
{
	return type->stars ? 8 : type->base.size;
}

bool tap_ctype_pointer(const struct tap_ctype *type)
{
	return type->stars || type->base.cls == TAP_TYPE_POINTER;
}

/* Whether a pointer leads to user memory. */
bool tap_ctype_user(const struct tap_ctype *type)
{
	return type->stars ? type->user : type->base.user;
}

/*
 * The type that a pointer leads to or that an array is made of. Returns false for other
 * types and if the target is unknown.
 */
bool tap_ctype_target(const struct tap_ctype *type, struct tap_ctype *target)
{
	struct tap_ctype from = *type;

	*target = from;
	if (from.stars) {
		target->stars--;
	} else {
		*target = (struct tap_ctype) { 0 };
		/* An array without a length: the type of its elements is known. */
		if (!from.base.btf && !from.base.nr)
			from.base.nr = 1;
		if (tap_type_target(&from.base, &target->base))
			return false;
	}
	return target->stars || target->base.cls != TAP_TYPE_NONE;
}

/* An array of characters, or a pointer to characters. */
bool tap_ctype_text(const struct tap_ctype *type)
{
	struct tap_ctype target;

	return tap_ctype_target(type, &target) && !target.stars &&
	       target.base.cls == TAP_TYPE_CHAR;
}

/*
 * Turns unsigned char into text if the argument or member is called *name or *string.
 *
 * Most unsigned chars in the kernel are bytes, e.g. hardware addresses and buffers.
 * File names are unsigned char as well.
 */
void tap_ctype_named(struct tap_ctype *type, struct tap_token name)
{
	static const char *const ends[] = { "name", "string" };
	struct tap_ctype target;
	size_t i, len;

	if (type->stars || !tap_ctype_size(type) ||
	    !tap_ctype_target(type, &target) ||
	    target.base.cls != TAP_TYPE_INT || target.base.size != 1 ||
	    target.base.is_signed)
		return;
	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		len = strlen(ends[i]);
		if (name.len < len ||
		    memcmp(name.at + name.len - len, ends[i], len))
			continue;
		type->base.btf = NULL;
		type->base.id = TAP_TYPE_CHAR;
	}
}

/* The size of the op that reads a number or a pointer, as in struct tap_op. */
__u8 tap_ctype_step(const struct tap_ctype *type)
{
	__u32 size = tap_ctype_size(type);

	if (size != 1 && size != 2 && size != 4)
		return 8;
	return size | (!type->stars && type->base.is_signed ? TAP_OP_SIGNED :
							      0);
}

/* Sets @v to memory at @address + @off; its node stays. */
void tap_value_memory(struct tap_value *v, const struct tap_expr *address,
		      __s64 off, const struct tap_ctype *type, bool user)
{
	*v = (struct tap_value) {
		.place = TAP_PLACE_MEMORY, .type = *type, .e = address,
		.off = off, .user = user, .node = v->node,
	};
}

const struct tap_expr *tap_value_address(struct tap_sema *t,
					 const struct tap_value *v)
{
	return tap_expr_arithmetic(&t->pool, TAP_OP_ADD, false, v->e,
				   tap_expr_const(&t->pool, v->off));
}

static const struct tap_expr *read_at(struct tap_sema *t,
				      const struct tap_value *v, __s64 off,
				      __u8 size)
{
	if (v->place == TAP_PLACE_FIELD)
		return tap_expr_value(&t->pool, TAP_OP_FIELD, size, off, 0);
	return tap_expr_load(&t->pool, v->user, v->e, off, size);
}

/* The bits, from the smallest aligned word that holds all of them. */
static const struct tap_expr *read_bits(struct tap_sema *t,
					const struct tap_value *v)
{
	bool is_signed = v->type.base.is_signed;
	const struct tap_expr *e;
	unsigned int bytes, bit;
	__s64 off = v->off;

	off += v->bit / 8;
	for (bytes = 1; bytes < 8; bytes *= 2)
		if (v->bit % (8 * bytes) + v->bits <= 8 * bytes)
			break;
	off -= v->bit / 8 % bytes;
	bit = v->bit % (8 * bytes);
	e = read_at(t, v, off, bytes);
	if (is_signed) {
		e = tap_expr_arithmetic(&t->pool, TAP_OP_SHL, false, e,
					tap_expr_const(&t->pool,
						       64 - bit - v->bits));
		return tap_expr_arithmetic(&t->pool, TAP_OP_SHR, true, e,
					   tap_expr_const(&t->pool,
							  64 - v->bits));
	}
	e = tap_expr_arithmetic(&t->pool, TAP_OP_SHR, false, e,
				tap_expr_const(&t->pool, bit));
	if (bit + v->bits == 8 * bytes)
		return e;
	return tap_expr_arithmetic(&t->pool, TAP_OP_AND, false, e,
				   tap_expr_const(&t->pool,
						  ~0ULL >> (64 - v->bits)));
}

/* Refuses a struct where a value is needed. The error message names some members. */
int tap_value_no_struct(struct tap_sema *t, const struct tap_value *v)
{
	struct tap_token all = v->node->all, of = all;
	char name[80], members[160] = "";
	const char *leads = ".";
	struct tap_suggest s;
	size_t at = 0;
	unsigned int i;

	/* The members of *p are written p->member. */
	if (of.len > 1 && of.at[0] == '*' && of.at[1] != '*') {
		of.at++;
		of.len--;
		leads = "->";
	}
	tap_type_name(&v->type.base, name, sizeof(name));
	tap_suggest_any(&s);
	tap_type_suggest(&v->type.base, &s);
	for (i = 0; i < s.nr && at < sizeof(members); i++)
		at += snprintf(members + at, sizeof(members) - at, "%s%.*s%s%.40s",
			       i ? ", " : ", e.g. ", of.len < 24 ?
			       (int)of.len : 0, of.at, leads, s.best[i].name);
	return SEMA_DIAG(t, all, "%s can only be shown whole; use one of its members%s",
			 name, members);
}

/* Reads a value as a number. An array in memory gives its address, as in C. */
int tap_value_scalar(struct tap_sema *t, const struct tap_value *v,
		     const struct tap_expr **e)
{
	const struct tap_type *base = &v->type.base;
	struct tap_token all = v->node->all;

	switch (v->place) {
	case TAP_PLACE_COMM:
		return SEMA_DIAG(t, all,
				 "this is text; it can only be compared with \"text\" by == and !=");
	case TAP_PLACE_STACK:
		return SEMA_DIAG(t, all,
				 "a stack is not a number; it can only be shown or be a key");
	case TAP_PLACE_DIVISION:
		return SEMA_DIAG(t, all, "this name can only be shown or be a key");
	case TAP_PLACE_JOIN:
		return SEMA_DIAG(t, all,
				 "joined texts are no number; they can only be shown or be a key");
	case TAP_PLACE_TEXT:
		return SEMA_DIAG(t, all,
				 "text in quotes can only be compared with a text value by == and !=");
	case TAP_PLACE_VALUE:
		if (!v->type.stars && base->cls == TAP_TYPE_STRUCT)
			return tap_value_no_struct(t, v);
		if (!v->type.stars && base->cls == TAP_TYPE_OTHER)
			return SEMA_DIAG(t, all,
					 "this is a floating-point number, or another value that is no integer, enum or pointer; it cannot be read here");
		*e = v->e;
		return 0;
	case TAP_PLACE_MEMORY:
	case TAP_PLACE_FIELD:
	case TAP_PLACE_DATA_LOC:
		break;
	}
	if (v->bits) {
		*e = read_bits(t, v);
		return 0;
	}
	if (!v->type.stars && base->cls == TAP_TYPE_STRUCT)
		return tap_value_no_struct(t, v);
	if (!v->type.stars && base->cls == TAP_TYPE_ARRAY) {
		if (v->place != TAP_PLACE_MEMORY)
			return SEMA_DIAG(t, all,
					 "this is an array; %s", tap_ctype_text(&v->type) ?
					 "it can be compared with \"text\" by == and !=" :
					 "read one of its elements, e.g. [0]");
		*e = tap_value_address(t, v);
		return 0;
	}
	if (!v->type.stars && tap_type_is_float(base))
		return SEMA_DIAG(t, all,
				 "this is a floating-point number; only its bits can be read: +0(&%.*s):x%u",
				 tap_token_shown(all), all.at, 8 * base->size);
	if (!v->type.stars && (base->cls == TAP_TYPE_OTHER ||
			       base->cls == TAP_TYPE_NONE || !base->size))
		return SEMA_DIAG(t, all,
				 "the type is unknown; cast the address, or use a fetch: +0(...):FORMAT");
	*e = read_at(t, v, v->off, tap_ctype_step(&v->type));
	return 0;
}

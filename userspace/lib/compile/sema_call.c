// SPDX-License-Identifier: LGPL-2.1
/*
 * Functions of the language: those of C's types.
 */
#include <errno.h>

#include "compile/sema.h"

static int type_sizeof(struct tap_sema *t, const struct tap_node *node, struct tap_value *v)
{
	struct tap_ctype type;
	__u32 size;
	int ret;

	if (node->cast) {
		ret = tap_type_of_cast(t, node->cast, &type);
	} else {
		ret = tap_type_expr(t, node->a, v);
		type = v->type;
	}
	if (ret)
		return ret;
	if (!node->cast && (v->bits || v->place == TAP_PLACE_DATA_LOC || v->place == TAP_PLACE_COMM ||
			    v->place == TAP_PLACE_TEXT || v->place == TAP_PLACE_STACK))
		return SEMA_DIAG(t, node->a->all, "this has no size that sizeof() could give");
	size = tap_ctype_size(&type);
	if (!size)
		return SEMA_DIAG(t, node->all, "the size of this type is not known");
	tap_value_set(v, tap_expr_const(&t->pool, size), tap_ctype_int(8, false));
	return 0;
}

/* The offset of a member that the parser wrote as (struct NAME *)0->MEMBER. */
static int offset_of(struct tap_sema *t, const struct tap_node *place, __u64 *offset)
{
	struct tap_value v;
	int ret = tap_type_expr(t, place, &v);

	if (ret)
		return ret;
	if (v.place != TAP_PLACE_MEMORY || v.e->kind != TAP_EXPR_CONST || v.bits)
		return SEMA_DIAG(t, place->all,
				 "this member has no constant offset: it is a bitfield, or not in the struct itself");
	*offset = v.e->imm + (__u64)(__s64)v.off;
	return 0;
}

static int type_container_of(struct tap_sema *t, const struct tap_node *node, struct tap_value *v)
{
	const struct tap_node *cast = node->b;
	struct tap_ctype type;
	const struct tap_expr *e;
	bool user;
	__u64 offset;
	int ret = tap_type_expr(t, node->a, v);

	if (!ret)
		ret = tap_value_scalar(t, v, &e);
	if (!ret)
		ret = offset_of(t, node->b, &offset);
	while (cast->kind != TAP_NODE_CAST)
		cast = cast->a;
	if (!ret)
		ret = tap_type_of_cast(t, cast->cast, &type);
	if (ret)
		return ret;
	user = tap_ctype_pointer(&v->type) && tap_ctype_user(&v->type);
	type.user |= user;
	e = tap_expr_arithmetic(&t->pool, TAP_OP_SUB, false, tap_expr_raw_retval(e),
				tap_expr_const(&t->pool, offset));
	tap_value_set(v, e, type);
	return 0;
}

/* Types the call of a function. */
int tap_type_call(struct tap_sema *t, const struct tap_node *node, struct tap_value *v)
{
	__u64 offset;
	int ret;

	switch ((enum tap_function)node->value) {
	case TAP_FUNCTION_SIZEOF:
		return type_sizeof(t, node, v);
	case TAP_FUNCTION_OFFSETOF:
		ret = offset_of(t, node->a, &offset);
		if (!ret)
			tap_value_set(v, tap_expr_const(&t->pool, offset), tap_ctype_int(8, false));
		return ret;
	case TAP_FUNCTION_CONTAINER_OF:
		return type_container_of(t, node, v);
	}
	return -EINVAL;
}

// SPDX-License-Identifier: LGPL-2.1
/*
 * Functions of the language.
 */
#include <errno.h>

#include "compile/sema.h"

/* Bytes that strlen() counts. */
#define TAP_MAX_LENGTH	512

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
	if (!node->cast && (v->bits || v->place >= TAP_PLACE_DATA_LOC))
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

/* bswap() and log2() of a number. */
static int type_unary(struct tap_sema *t, const struct tap_node *node, struct tap_value *v)
{
	bool swap = node->value == TAP_FUNCTION_BSWAP;
	struct tap_ctype type = tap_ctype_int(4, true);
	const struct tap_expr *e;
	int ret = tap_type_expr(t, node->a, v);

	if (!ret)
		ret = tap_value_scalar(t, v, &e);
	if (ret)
		return ret;
	if (swap)
		type = tap_ctype_int(v->bits ? 8 : tap_ctype_step(&v->type) & 15, false);
	e = tap_expr_unary(&t->pool, swap ? TAP_OP_SWAP : TAP_OP_LOG2, e,
			   swap ? type.base.size : 8);
	tap_value_set(v, e, type);
	return 0;
}

/* Where the memory is that a pointer leads to, or that an array is itself. */
static int begin_of_memory(struct tap_sema *t, const struct tap_value *v, const struct tap_expr **e,
			   __s64 *off, bool *user)
{
	if (tap_ctype_pointer(&v->type)) {
		*off = 0;
		*user = tap_ctype_user(&v->type);
		return tap_value_scalar(t, v, e);
	}
	*e = v->e;
	*off = v->off;
	*user = v->user;
	return 0;
}

static int type_strlen(struct tap_sema *t, const struct tap_node *node, struct tap_value *v)
{
	const struct tap_expr *address;
	__u64 most = TAP_MAX_LENGTH;
	bool pointer, user;
	__s64 off;
	int ret = tap_type_expr(t, node->a, v);

	if (ret)
		return ret;
	pointer = tap_ctype_pointer(&v->type);
	if ((!pointer && v->place != TAP_PLACE_MEMORY) ||
	    (!tap_ctype_text(&v->type) &&
	     !(pointer && v->name && v->name->format == TAP_FMT_STRING)))
		return SEMA_DIAG(t, node->a->all,
				 "strlen() takes text in memory: a char * or an array of char; cast an address with (char *)");
	/* Text that fills its array has no final 0. */
	if (!pointer && v->type.base.size && v->type.base.size < most)
		most = v->type.base.size;
	ret = begin_of_memory(t, v, &address, &off, &user);
	if (!ret)
		tap_value_set(v, tap_expr_length(&t->pool, user, address, off, most),
			      tap_ctype_int(8, false));
	return ret;
}

/*
 * An address of 4 or 16 bytes: a number in the order of the network, a struct or an array of this
 * size, or a pointer to one.
 */
static int type_ntop(struct tap_sema *t, const struct tap_node *node, struct tap_value *v)
{
	const struct tap_expr *e;
	struct tap_ctype target;
	__u32 size;
	int ret = tap_type_expr(t, node->a, v);

	if (ret)
		return ret;
	if (tap_ctype_pointer(&v->type) && v->place != TAP_PLACE_TEXT &&
	    tap_ctype_target(&v->type, &target)) {
		bool user = tap_ctype_user(&v->type);

		ret = tap_value_scalar(t, v, &e);
		if (ret)
			return ret;
		tap_value_memory(v, e, 0, &target, user);
	}
	size = v->bits || v->untyped || tap_ctype_pointer(&v->type) ? 0 : tap_ctype_size(&v->type);
	if ((v->place == TAP_PLACE_MEMORY || v->place == TAP_PLACE_FIELD) && size == 16) {
		v->shown = TAP_FMT_IP6;
		return 0;
	}
	if (size != 4 || v->place > TAP_PLACE_FIELD)
		return SEMA_DIAG(t, node->a->all,
				 "this is no address of 4 or 16 bytes; cast a number with (u32), or give a pointer to a struct in6_addr");
	v->type = tap_ctype_int(4, false);
	v->name = NULL;
	ret = tap_value_scalar(t, v, &e);
	if (ret)
		return ret;
	tap_value_set(v, e, v->type);
	v->shown = TAP_FMT_IP;
	return 0;
}

/*
 * The CPU's copy of per-CPU data is at its offset, which the kernel has in an array. The program
 * reads the number of the CPU and the offset while it cannot be moved to another CPU.
 */
static int type_this_cpu(struct tap_sema *t, const struct tap_node *node, struct tap_value *v)
{
	static const char array[] = "__per_cpu_offset";
	struct tap_node symbol = {
		.kind = TAP_NODE_NAME, .t = { array, sizeof(array) - 1 }, .all = node->all,
	};
	const struct tap_expr *e, *offset;
	struct tap_value base = { 0 };
	struct tap_ctype target;
	bool per_cpu = t->per_cpu;
	const char *text;
	int ret;

	t->per_cpu = true;
	ret = tap_type_expr(t, node->a, v);
	t->per_cpu = per_cpu;
	if (ret)
		return ret;
	if (!tap_ctype_pointer(&v->type) ||
	    (!tap_ctype_target(&v->type, &target) && node->value == TAP_FUNCTION_THIS_CPU_READ))
		return SEMA_DIAG(t, node->a->all,
				 "this is no pointer to per-CPU data; cast it, e.g. to (u64 *)");
	ret = tap_value_scalar(t, v, &e);
	if (ret)
		return ret;
	text = t->p.text;
	t->p.text = array;
	ret = tap_type_symbol_address(t, &symbol, &base);
	t->p.text = text;
	if (ret)
		return ret;
	offset = tap_expr_arithmetic(&t->pool, TAP_OP_SHL, false,
				     tap_expr_value(&t->pool, TAP_OP_VAR, 8, TAP_VAR_CPU, 0),
				     tap_expr_const(&t->pool, 3));
	offset = tap_expr_arithmetic(&t->pool, TAP_OP_ADD, false, base.e, offset);
	offset = tap_expr_load(&t->pool, false, offset, 0, 8);
	e = tap_expr_arithmetic(&t->pool, TAP_OP_ADD, false, e, offset);
	if (node->value == TAP_FUNCTION_THIS_CPU_PTR)
		tap_value_set(v, e, v->type);
	else
		tap_value_memory(v, e, 0, &target, false);
	return 0;
}

/* after() needs an event with an entry and a return. */
static int check_after(struct tap_sema *t, const struct tap_node *node)
{
	enum tap_probe_type type = t->p.spec->type;
	const char *u = tap_probe_is_user(type) ? "u" : "";

	if (tap_probe_is_call(type))
		return 0;
	if (tap_probe_is_return(type))
		return SEMA_DIAG(t, node->t,
				 "%s: is the return already, and reads there; for memory behind an argument use %scall:, which saves the arguments",
				 tap_spec_type_name(type), u);
	if (type == TAP_PROBE_KPROBE || type == TAP_PROBE_FUNC || type == TAP_PROBE_UPROBE)
		return SEMA_DIAG(t, node->t,
				 "%s: does not see the return, at which after() reads; use %scall:",
				 tap_spec_type_name(type), u);
	return SEMA_DIAG(t, node->t,
			 "after() reads at the return of a call, and this event has none; it is for call:, funcgraph:, syscall: and ucall:");
}

/*
 * Everything is read at the return, but arguments and registers, which are those of the entry.
 * An address that is not in memory passes this on to what is read there.
 */
static int type_after(struct tap_sema *t, const struct tap_node *node, struct tap_value *v)
{
	bool outer = t->pool.after;
	int ret = check_after(t, node);

	if (ret)
		return ret;
	t->pool.after = true;
	ret = tap_type_expr(t, node->a, v);
	if (!ret && v->place == TAP_PLACE_MEMORY && v->e->kind == TAP_EXPR_CONST)
		v->e = tap_expr_value(&t->pool, TAP_OP_IMM, 8, 0, v->e->imm);
	t->pool.after = outer;
	if (ret)
		return ret;
	if (v->place == TAP_PLACE_STACK)
		return SEMA_DIAG(t, node->all, "the stack of a call is that of its entry; leave out after()");
	if (v->place == TAP_PLACE_VALUE &&
	    (v->e->kind == TAP_EXPR_CONST ||
	     (v->name && v->name->kind == TAP_NAME_ARG && !tap_ctype_pointer(&v->type))))
		return SEMA_DIAG(t, node->a->all,
				 "this is no memory, so it is the same at the return; leave out after()");
	v->late = v->place == TAP_PLACE_COMM;
	return 0;
}

/* An array of pointers to text. */
static int type_join(struct tap_sema *t, const struct tap_node *node, struct tap_value *v)
{
	__u64 texts = TAP_DEFAULT_JOIN;
	struct tap_ctype element;
	const struct tap_expr *e;
	__s64 off;
	bool user;
	int ret = tap_type_expr(t, node->a, v);

	if (ret)
		return ret;
	if (!tap_ctype_target(&v->type, &element) || !tap_ctype_pointer(&element) ||
	    !tap_ctype_text(&element) ||
	    (v->place != TAP_PLACE_MEMORY && !tap_ctype_pointer(&v->type)))
		return SEMA_DIAG(t, node->a->all,
				 "join() takes an array of texts in memory: a char **; cast an address with (char **)");
	if (node->b && (node->b->kind != TAP_NODE_NUMBER || !node->b->value ||
			node->b->value > TAP_MAX_JOIN))
		return SEMA_DIAG(t, node->b->all, "the number of texts must be 1 to %d", TAP_MAX_JOIN);
	if (node->b)
		texts = node->b->value;
	ret = begin_of_memory(t, v, &e, &off, &user);
	if (ret)
		return ret;
	*v = (struct tap_value) {
		.place = TAP_PLACE_JOIN, .e = e, .off = off, .user = user, .bits = texts,
	};
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
	case TAP_FUNCTION_MIN:
	case TAP_FUNCTION_MAX:
		return tap_type_extreme(t, node, v);
	case TAP_FUNCTION_BSWAP:
	case TAP_FUNCTION_LOG2:
		return type_unary(t, node, v);
	case TAP_FUNCTION_STRLEN:
		return type_strlen(t, node, v);
	case TAP_FUNCTION_NTOP:
		return type_ntop(t, node, v);
	case TAP_FUNCTION_THIS_CPU_PTR:
	case TAP_FUNCTION_THIS_CPU_READ:
		return type_this_cpu(t, node, v);
	case TAP_FUNCTION_AFTER:
		return type_after(t, node, v);
	case TAP_FUNCTION_JOIN:
		return type_join(t, node, v);
	case TAP_FUNCTION_INSIDE:
		return tap_type_inside(t, node, v);
	}
	return -EINVAL;
}

// SPDX-License-Identifier: LGPL-2.1
/*
 * Types of expressions: the operators of C on names and fetches.
 */
#include <errno.h>
#include <string.h>

#include "lang/lexer.h"
#include "util/suggest.h"
#include "compile/compile.h"
#include "compile/sema.h"

/* A value as an operand of arithmetic. Its type is promoted as in C. */
struct number {
	const struct tap_expr *e;
	struct tap_ctype type;
};

static int type_hinted(struct tap_sema *t, const struct tap_node *node,
		       const struct tap_value *hint, struct tap_value *v);

/* Integer promotion; an array becomes an address. */
static struct tap_ctype promoted(const struct tap_value *v)
{
	struct tap_ctype type = v->type;

	if (tap_ctype_pointer(&type))
		return type;
	if (type.base.cls == TAP_TYPE_ARRAY) {
		if (!tap_ctype_target(&v->type, &type))
			return tap_ctype_int(8, false);
		type.stars++;
		type.user = v->user;
		return type;
	}
	if (v->bits && v->bits < 32)
		return tap_ctype_int(4, true);
	if (type.base.size < 4)
		return tap_ctype_int(4, true);
	return tap_ctype_int(type.base.size, type.base.is_signed);
}

static int number_of(struct tap_sema *t, const struct tap_value *v,
		     struct number *n)
{
	n->type = promoted(v);
	return tap_value_scalar(t, v, &n->e);
}

/* A computed value. Its node stays. */
void tap_value_set(struct tap_value *v, const struct tap_expr *e, struct tap_ctype type)
{
	*v = (struct tap_value) {
		.place = TAP_PLACE_VALUE, .e = e, .type = type, .node = v->node,
	};
}

static void set_bool(struct tap_value *v, const struct tap_expr *e)
{
	tap_value_set(v, e, tap_ctype_bool());
}

/* The common type of two operands, as in C. */
static struct tap_ctype common(const struct number *a, const struct number *b)
{
	__u32 as = tap_ctype_size(&a->type), bs = tap_ctype_size(&b->type);
	bool au = tap_ctype_pointer(&a->type) || !a->type.base.is_signed;
	bool bu = tap_ctype_pointer(&b->type) || !b->type.base.is_signed;

	if (as != bs)
		return tap_ctype_int(as > bs ? as : bs, as > bs ? !au : !bu);
	return tap_ctype_int(as, !au && !bu);
}

static const struct tap_expr *convert(struct tap_sema *t,
				      const struct number *n,
				      const struct tap_ctype *type)
{
	/* The value is already extended by its own type, which fits the wider type. */
	if (tap_ctype_size(&n->type) == tap_ctype_size(type) &&
	    n->type.base.is_signed == type->base.is_signed)
		return n->e;
	return tap_expr_move(&t->pool, n->e, tap_ctype_step(type));
}

/* Types a condition. @e is set to 0 or 1. */
int tap_type_truth(struct tap_sema *t, const struct tap_node *node,
		   const struct tap_expr **e)
{
	struct tap_value v;
	int ret = tap_type_expr(t, node, &v);

	if (!ret)
		ret = tap_value_scalar(t, &v, e);
	if (!ret)
		*e = tap_expr_truth(&t->pool, *e);
	return ret;
}

/* ------------------------------------------------------- pointers and such */

static int no_pointer(struct tap_sema *t, const struct tap_node *node)
{
	return SEMA_DIAG(t, node->all,
			 "this is not a pointer with a known target; cast it: (struct NAME *), or fetch with +N(...)");
}

/* What describes a type, for error messages. */
const char *tap_type_described_by(const struct tap_type *type)
{
	return type->btf && tap_btf_is_grown(type->btf) ? "the debug information" :
							  "the kernel's BTF";
}

static int no_member(struct tap_sema *t, const struct tap_node *node,
		     const struct tap_type *type, int code)
{
	struct tap_suggest s;
	char near[200], name[80];

	tap_type_name(type, name, sizeof(name));
	if (code == -EBADMSG)
		return SEMA_DIAG(t, node->t,
				 "%s for %s is malformed", tap_type_described_by(type), name);
	if (!type->size)
		return SEMA_DIAG(t, node->t,
				 "%s has only the name of %s, not its members",
				 tap_type_described_by(type), name);
	tap_suggest_begin(&s, node->t.at, node->t.len);
	tap_type_suggest(type, &s);
	tap_suggest_text(&s, "", "", near, sizeof(near));
	if (!*near) {
		tap_suggest_any(&s);
		tap_type_suggest(type, &s);
		snprintf(near, sizeof(near), "; it has %.60s%s%.60s and others",
			 s.nr ? s.best[0].name : "none", s.nr > 1 ? ", " : "",
			 s.nr > 1 ? s.best[1].name : "");
	}
	return SEMA_DIAG(t, node->t, "%s has no member \"%.*s\"%s", name,
			 QUOTE(node->t), near);
}

static int type_member(struct tap_sema *t, const struct tap_node *node,
		       struct tap_value *v)
{
	struct tap_ctype type;
	struct tap_member member;
	const struct tap_expr *e;
	bool is_struct;
	int ret;

	if (tap_type_divided_member(t, node, v))
		return 0;
	ret = tap_type_expr(t, node->a, v);
	if (ret)
		return ret;
	is_struct = !v->type.stars && v->type.base.cls == TAP_TYPE_STRUCT;
	if (!node->arrow && !is_struct) {
		if (tap_ctype_target(&v->type, &type) && !type.stars &&
		    type.base.cls == TAP_TYPE_STRUCT)
			return SEMA_DIAG(t, node->t,
					 "the left side is a pointer; use -> for its members");
		return SEMA_DIAG(t, node->t,
				 "the left side is not a struct and has no members");
	}
	if (node->arrow) {
		if (is_struct)
			return SEMA_DIAG(t, node->t,
					 "the left side is a struct, not a pointer; use . for its members");
		if (!tap_ctype_target(&v->type, &type))
			return no_pointer(t, node->a);
		if (type.stars || type.base.cls != TAP_TYPE_STRUCT)
			return SEMA_DIAG(t, node->t,
					 "the left side is not a pointer to a struct and has no members");
		ret = tap_value_scalar(t, v, &e);
		if (ret)
			return ret;
		tap_value_memory(v, e, 0, &type,
				 v->place == TAP_PLACE_MEMORY &&
				 !tap_ctype_pointer(&v->type) ? v->user :
				 tap_ctype_user(&v->type));
	} else if (v->place == TAP_PLACE_VALUE) {
		return tap_value_no_struct(t, v);
	}
	ret = tap_type_member(&v->type.base, node->t.at, node->t.len, &member);
	if (ret)
		return no_member(t, node, &v->type.base, ret);
	if (member.bits && member.bit % 64 + member.bits > 64)
		return SEMA_DIAG(t, node->t,
				 "this bitfield crosses a 64-bit word; read it with a fetch: +N(...)");
	v->type = (struct tap_ctype) { .base = member.type };
	tap_ctype_named(&v->type, node->t);
	v->name = NULL;
	v->shown = TAP_FMT_AUTO;
	v->bits = member.bits;
	v->bit = member.bits ? member.bit % 64 : 0;
	v->off += member.bits ? member.bit / 64 * 8 : member.bit / 8;
	return 0;
}

/* The memory at a computed address, for * and []. */
static int at_address(struct tap_sema *t, const struct tap_node *node,
		      struct tap_value *v, const struct tap_expr *address,
		      __s64 off)
{
	struct tap_ctype target;
	bool user = tap_ctype_pointer(&v->type) ? tap_ctype_user(&v->type) :
						  v->user;

	if (!tap_ctype_target(&v->type, &target))
		return no_pointer(t, node);
	tap_value_memory(v, address, off, &target, user);
	return 0;
}

/* The number of frames in brackets. */
static int stack_depth(struct tap_sema *t, const struct tap_node *node,
		       struct tap_value *v)
{
	const struct tap_node *depth = node->b;

	if (v->off)
		return SEMA_DIAG(t, node->t,
				 "single frames of a stack cannot be read");
	if (depth->kind != TAP_NODE_NUMBER || !depth->value ||
	    depth->value > TAP_MAX_STACK)
		return SEMA_DIAG(t, depth->all,
				 "the number of frames in brackets must be 1 to %d",
				 TAP_MAX_STACK);
	v->off = (__s64)depth->value;
	return 0;
}

static int type_index(struct tap_sema *t, const struct tap_node *node,
		      struct tap_value *v)
{
	struct tap_value index = { .node = node->b };
	const struct tap_expr *e, *i, *base;
	struct tap_ctype target;
	__s64 off, end;
	__u32 size;
	int ret = tap_type_expr(t, node->a, v);

	if (!ret && v->place == TAP_PLACE_STACK)
		return stack_depth(t, node, v);
	if (!ret)
		ret = tap_type_expr(t, node->b, &index);
	if (!ret)
		ret = tap_value_scalar(t, &index, &i);
	if (ret)
		return ret;
	if (!tap_ctype_target(&v->type, &target))
		return no_pointer(t, node->a);
	size = tap_ctype_size(&target);
	if (!size)
		return SEMA_DIAG(t, node->a->all,
				 "the size of its elements is not known");
	off = i->imm;
	if (i->kind == TAP_EXPR_CONST &&
	    __builtin_mul_overflow(off, (__s64)size, &off))
		return SEMA_DIAG(t, node->b->all, "the index is too large");
	if (v->place == TAP_PLACE_DATA_LOC)
		return SEMA_DIAG(t, node->t,
				 "single elements of an array of variable length cannot be read");
	if (v->place == TAP_PLACE_FIELD && !tap_ctype_pointer(&v->type)) {
		end = v->type.base.size;
		if (i->kind != TAP_EXPR_CONST || off < 0 || off >= end)
			return SEMA_DIAG(t, node->b->all,
					 "the index of an event's own array must be a constant below %u",
					 v->type.base.nr);
		v->off += off;
		v->type = target;
		v->name = NULL;
		v->shown = TAP_FMT_AUTO;
		return 0;
	}
	if (v->place == TAP_PLACE_MEMORY && !tap_ctype_pointer(&v->type)) {
		base = v->e;
		end = v->off;
	} else {
		ret = tap_value_scalar(t, v, &base);
		if (ret)
			return ret;
		end = 0;
	}
	if (i->kind == TAP_EXPR_CONST)
		return at_address(t, node->a, v, base, end + off);
	e = tap_expr_arithmetic(&t->pool, TAP_OP_MUL, false, i,
				tap_expr_const(&t->pool, size));
	e = tap_expr_arithmetic(&t->pool, TAP_OP_ADD, false, base, e);
	return at_address(t, node->a, v, e, end);
}

static int type_address(struct tap_sema *t, const struct tap_node *node,
			struct tap_value *v)
{
	struct tap_ctype type;
	int ret;

	if (tap_type_is_symbol(t, node->a))
		return tap_type_symbol_address(t, node->a, v);
	ret = tap_type_expr(t, node->a, v);
	if (ret)
		return ret;
	if (v->place != TAP_PLACE_MEMORY || v->bits)
		return SEMA_DIAG(t, node->all,
				 "this has no address, as it is not in memory");
	type = v->type;
	type.stars++;
	type.user = v->user;
	tap_value_set(v, tap_value_address(t, v), v->untyped ?
		  tap_ctype_int(8, false) : type);
	return 0;
}

static int type_fetch(struct tap_sema *t, const struct tap_node *node,
		      struct tap_value *v)
{
	const struct tap_ctype word = tap_ctype_int(8, false);
	const struct tap_expr *e;
	int ret = tap_type_expr(t, node->a, v);

	if (!ret)
		ret = tap_value_scalar(t, v, &e);
	if (ret)
		return ret;
	tap_value_memory(v, tap_expr_raw_retval(e), node->value, &word,
			 node->user || tap_sema_user_at(t, e));
	v->untyped = true;
	return 0;
}

/* The type that is written in a cast. */
int tap_type_of_cast(struct tap_sema *t, const struct tap_cast *cast, struct tap_ctype *type)
{
	int ret;

	*type = (struct tap_ctype) {
		.base = cast->type, .stars = cast->stars,
		.user = cast->user || tap_sema_user(t),
	};
	if (cast->tag.len && !t->scope->types && !t->scope->dwarf)
		return SEMA_DIAG(t, cast->tag, "no struct can be looked up: %s",
				 *t->scope->why ? t->scope->why :
				 "the kernel has no BTF");
	if (cast->tag.len) {
		ret = tap_scope_struct(t->scope, cast->tag.at, cast->tag.len, &type->base);
		if (ret == -ENOMEM)
			return tap_error_set(t->p.err, ret, "out of memory");
		if (ret)
			return SEMA_DIAG(t, cast->tag,
					 "%s no struct %.*s", t->scope->dwarf ?
					 "the debug information has" : "the kernel's BTF has",
					 QUOTE(cast->tag));
	}
	return 0;
}

static int type_cast(struct tap_sema *t, const struct tap_node *node,
		     struct tap_value *v)
{
	const struct tap_expr *e;
	struct tap_ctype type;
	int ret = tap_type_expr(t, node->a, v);

	if (!ret)
		ret = tap_value_scalar(t, v, &e);
	if (!ret)
		ret = tap_type_of_cast(t, node->cast, &type);
	if (ret)
		return ret;
	type.user |= tap_sema_user_at(t, e);
	if (!type.stars && type.base.cls == TAP_TYPE_BOOL)
		e = tap_expr_truth(&t->pool, e);
	else
		/* A cast says how wide a return value is, so it takes the register. */
		e = tap_expr_move(&t->pool, tap_expr_raw_retval(e), tap_ctype_step(&type));
	tap_value_set(v, e, type);
	return 0;
}

/* --------------------------------------------------------------- operators */

static int type_unary(struct tap_sema *t, const struct tap_node *node,
		      struct tap_value *v)
{
	const struct tap_expr *e;
	struct number n;
	int ret;

	if (node->op == '&')
		return type_address(t, node, v);
	ret = tap_type_expr(t, node->a, v);
	if (ret)
		return ret;
	if (node->op == '*' && v->place == TAP_PLACE_MEMORY &&
	    !tap_ctype_pointer(&v->type))
		return at_address(t, node->a, v, v->e, v->off);
	ret = number_of(t, v, &n);
	if (ret)
		return ret;
	switch (node->op) {
	case '*':
		return at_address(t, node->a, v, n.e, 0);
	case '!':
		set_bool(v, tap_expr_logic(&t->pool, TAP_EXPR_NOT, n.e, NULL));
		return 0;
	case '-':
		e = tap_expr_arithmetic(&t->pool, TAP_OP_MUL, false, n.e,
					tap_expr_const(&t->pool, -1ULL));
		break;
	case '~':
		e = tap_expr_arithmetic(&t->pool, TAP_OP_XOR, false, n.e,
					tap_expr_const(&t->pool,
						tap_extend(-1ULL,
							   tap_ctype_step(&n.type))));
		tap_value_set(v, e, n.type);
		return 0;
	default:
		tap_value_set(v, n.e, n.type);
		return 0;
	}
	tap_value_set(v, tap_expr_move(&t->pool, e, tap_ctype_step(&n.type)),
		  n.type);
	return 0;
}

static bool is_text(const struct tap_node *node)
{
	return node->kind == TAP_NODE_STRING;
}

/* Comparison with text in quotes. */
static int compare_text(struct tap_sema *t, const struct tap_node *node,
			struct tap_value *v)
{
	const struct tap_node *text = is_text(node->b) ? node->b : node->a;
	const struct tap_node *other = is_text(node->b) ? node->a : node->b;
	const struct tap_expr *e;
	int ret;

	if (node->op != TAP_LEX_EQ && node->op != TAP_LEX_NE)
		return SEMA_DIAG(t, node->t,
				 "text can only be compared by == and !=; for a prefix use == \"text*\"");
	if (is_text(other))
		return SEMA_DIAG(t, node->t, "both sides are text in quotes; one of them must be a value");
	ret = tap_type_expr(t, other, v);
	if (!ret)
		ret = tap_type_match(t, v, text, &e);
	if (ret)
		return ret;
	if (node->op == TAP_LEX_NE)
		e = tap_expr_logic(&t->pool, TAP_EXPR_NOT, e, NULL);
	set_bool(v, e);
	return 0;
}

/*
 * Both operands. A name is looked up among those that the values of the other operand have,
 * which is typed first.
 */
static int type_operands(struct tap_sema *t, const struct tap_node *node,
			 struct tap_value *a, struct tap_value *b)
{
	bool right_first = node->a->kind == TAP_NODE_NAME &&
			   !tap_type_name_in(t, node->a->t);
	int ret;

	if (right_first) {
		ret = tap_type_expr(t, node->b, b);
		return ret ? ret : type_hinted(t, node->a, b, a);
	}
	ret = tap_type_expr(t, node->a, a);
	return ret ? ret : type_hinted(t, node->b, a, b);
}

static __u8 jump_of(int op)
{
	switch (op) {
	case TAP_LEX_EQ:
		return TAP_OP_JEQ;
	case TAP_LEX_NE:
		return TAP_OP_JNE;
	case '<':
		return TAP_OP_JLT;
	case TAP_LEX_LE:
		return TAP_OP_JLE;
	case '>':
		return TAP_OP_JGT;
	case TAP_LEX_GE:
		return TAP_OP_JGE;
	}
	return 0;
}

static __u8 step_of(int op)
{
	switch (op) {
	case '+':
		return TAP_OP_ADD;
	case '-':
		return TAP_OP_SUB;
	case '*':
		return TAP_OP_MUL;
	case '/':
		return TAP_OP_DIV;
	case '%':
		return TAP_OP_MOD;
	case '&':
		return TAP_OP_AND;
	case '|':
		return TAP_OP_OR;
	case '^':
		return TAP_OP_XOR;
	case TAP_LEX_SHL:
		return TAP_OP_SHL;
	}
	return TAP_OP_SHR;
}

static __u32 target_size(const struct tap_ctype *type)
{
	struct tap_ctype target;
	__u32 size = tap_ctype_target(type, &target) ? tap_ctype_size(&target) :
						       0;

	return size ? size : 1;
}

/* Pointer arithmetic counts in elements. */
static int add_pointer(struct tap_sema *t, const struct tap_node *node,
		       struct number *a, struct number *b, struct tap_value *v)
{
	bool pa = tap_ctype_pointer(&a->type), pb = tap_ctype_pointer(&b->type);
	__u8 code = step_of(node->op);
	const struct tap_expr *e;
	struct number swap;
	__u32 size;

	if (pa && pb && node->op == '-') {
		size = target_size(&a->type);
		e = tap_expr_arithmetic(&t->pool, code, false, a->e, b->e);
		e = tap_expr_arithmetic(&t->pool, TAP_OP_DIV, true, e,
					tap_expr_const(&t->pool, size));
		tap_value_set(v, e, tap_ctype_int(8, true));
		return 0;
	}
	if ((pa && pb) || (pb && node->op == '-'))
		return SEMA_DIAG(t, node->t,
				 "addresses cannot be added; cast them to numbers: (u64)");
	if (pb) {
		swap = *a;
		*a = *b;
		*b = swap;
	}
	e = tap_expr_arithmetic(&t->pool, TAP_OP_MUL, false, b->e,
				tap_expr_const(&t->pool,
					       target_size(&a->type)));
	e = tap_expr_arithmetic(&t->pool, code, false, a->e, e);
	tap_value_set(v, e, a->type);
	return 0;
}

static int shift(struct tap_sema *t, const struct tap_node *node,
		 const struct number *a, const struct number *b,
		 struct tap_value *v)
{
	unsigned int bits = 8 * tap_ctype_size(&a->type);
	const struct tap_expr *e;

	if (b->e->kind == TAP_EXPR_CONST && b->e->imm >= bits)
		return SEMA_DIAG(t, node->b->all,
				 "the value has only %u bits; shift it by 0 to %u",
				 bits, bits - 1);
	e = tap_expr_arithmetic(&t->pool, step_of(node->op),
				a->type.base.is_signed, a->e, b->e);
	if (node->op == TAP_LEX_SHL)
		e = tap_expr_move(&t->pool, e, tap_ctype_step(&a->type));
	tap_value_set(v, e, a->type);
	return 0;
}

static int arithmetic(struct tap_sema *t, const struct tap_node *node,
		      struct number *a, struct number *b, struct tap_value *v)
{
	const struct tap_expr *e, *left, *right;
	struct tap_ctype type;

	if ((node->op == '+' || node->op == '-') &&
	    (tap_ctype_pointer(&a->type) || tap_ctype_pointer(&b->type)))
		return add_pointer(t, node, a, b, v);
	if (node->op == TAP_LEX_SHL || node->op == TAP_LEX_SHR)
		return shift(t, node, a, b, v);
	type = common(a, b);
	left = convert(t, a, &type);
	right = convert(t, b, &type);
	if ((node->op == '/' || node->op == '%') &&
	    right->kind == TAP_EXPR_CONST && !right->imm)
		return SEMA_DIAG(t, node->b->all, "this divides by zero");
	e = tap_expr_arithmetic(&t->pool, step_of(node->op),
				type.base.is_signed, left, right);
	/*
	 * Results that may exceed 32 bits. A signed quotient does so in one case only:
	 * INT_MIN / -1.
	 */
	if (strchr("+-*", node->op) ||
	    (node->op == '/' && type.base.is_signed &&
	     right->kind != TAP_EXPR_CONST))
		e = tap_expr_move(&t->pool, e, tap_ctype_step(&type));
	tap_value_set(v, e, type);
	return 0;
}

static int type_binary(struct tap_sema *t, const struct tap_node *node,
		       struct tap_value *v)
{
	struct tap_value right = { .node = node->b };
	const struct tap_expr *left, *b;
	struct number x, y;
	struct tap_ctype type;
	int ret;

	if (node->op == TAP_LEX_AND || node->op == TAP_LEX_OR) {
		ret = tap_type_truth(t, node->a, &left);
		if (!ret)
			ret = tap_type_truth(t, node->b, &b);
		if (!ret)
			set_bool(v, tap_expr_logic(&t->pool,
						   node->op == TAP_LEX_AND ?
						   TAP_EXPR_AND : TAP_EXPR_OR,
						   left, b));
		return ret;
	}
	if (jump_of(node->op) && (is_text(node->a) || is_text(node->b)))
		return compare_text(t, node, v);
	ret = type_operands(t, node, v, &right);
	if (!ret)
		ret = number_of(t, v, &x);
	if (!ret)
		ret = number_of(t, &right, &y);
	if (ret)
		return ret;
	v->node = node;
	if (!jump_of(node->op))
		return arithmetic(t, node, &x, &y, v);
	type = common(&x, &y);
	set_bool(v, tap_expr_compare(&t->pool, jump_of(node->op),
				     type.base.is_signed, convert(t, &x, &type),
				     convert(t, &y, &type)));
	return 0;
}

static int type_cond(struct tap_sema *t, const struct tap_node *node,
		     struct tap_value *v)
{
	struct tap_value b, c;
	const struct tap_expr *a;
	struct tap_ctype type;
	struct number x, y;
	int ret = tap_type_truth(t, node->a, &a);

	if (!ret)
		ret = tap_type_expr(t, node->b, &b);
	if (!ret)
		ret = tap_type_expr(t, node->c, &c);
	if (!ret)
		ret = number_of(t, &b, &x);
	if (!ret)
		ret = number_of(t, &c, &y);
	if (ret)
		return ret;
	type = tap_ctype_pointer(&x.type) ? x.type : common(&x, &y);
	tap_value_set(v, tap_expr_cond(&t->pool, a, convert(t, &x, &type),
				   convert(t, &y, &type)), type);
	return 0;
}

/* min() and max(): the operands are converted as for a comparison. */
int tap_type_extreme(struct tap_sema *t, const struct tap_node *node, struct tap_value *v)
{
	struct tap_value right = { .node = node->b };
	const struct tap_expr *a, *b;
	struct tap_ctype type;
	struct number x, y;
	int ret = type_operands(t, node, v, &right);

	if (!ret)
		ret = number_of(t, v, &x);
	if (!ret)
		ret = number_of(t, &right, &y);
	if (ret)
		return ret;
	type = common(&x, &y);
	a = convert(t, &x, &type);
	b = convert(t, &y, &type);
	v->node = node;
	tap_value_set(v, tap_expr_cond(&t->pool, tap_expr_compare(&t->pool,
								  node->value == TAP_FUNCTION_MIN ?
								  TAP_OP_JLT : TAP_OP_JGT,
								  type.base.is_signed, a, b),
				       a, b), type);
	return 0;
}

/* Kinds of nodes that need no hint; type_hinted() handles the others. */
static int (*const type_node[])(struct tap_sema *t, const struct tap_node *node,
				struct tap_value *v) = {
	[TAP_NODE_SYMBOL] = tap_type_symbol,
	[TAP_NODE_FETCH] = type_fetch,
	[TAP_NODE_MEMBER] = type_member,
	[TAP_NODE_INDEX] = type_index,
	[TAP_NODE_UNARY] = type_unary,
	[TAP_NODE_BINARY] = type_binary,
	[TAP_NODE_COND] = type_cond,
	[TAP_NODE_CAST] = type_cast,
	[TAP_NODE_CALL] = tap_type_call,
};

static int type_hinted(struct tap_sema *t, const struct tap_node *node,
		       const struct tap_value *hint, struct tap_value *v)
{
	int ret = 0;

	*v = (struct tap_value) { .node = node };
	switch (node->kind) {
	case TAP_NODE_NUMBER:
		tap_value_set(v, tap_expr_const(&t->pool, node->value),
			  tap_ctype_int(node->wide ? 8 : 4,
					!node->is_unsigned));
		break;
	case TAP_NODE_STRING:
		v->place = TAP_PLACE_TEXT;
		break;
	case TAP_NODE_NAME:
		ret = tap_type_name_of(t, node, hint, v);
		break;
	case TAP_NODE_BUILTIN:
		ret = tap_type_builtin(t, node, node->builtin, node->value, v);
		break;
	case TAP_NODE_REGISTER:
		tap_value_set(v, tap_expr_value(&t->pool, TAP_OP_REG, 8,
					    node->value, 0),
			  tap_ctype_int(8, false));
		break;
	default:
		ret = type_node[node->kind](t, node, v);
		break;
	}
	v->node = node;
	return ret;
}

/* Types an expression. */
int tap_type_expr(struct tap_sema *t, const struct tap_node *node,
		  struct tap_value *v)
{
	return type_hinted(t, node, NULL, v);
}
